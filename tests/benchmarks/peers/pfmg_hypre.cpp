#include <HYPRE.h>
#include <HYPRE_struct_ls.h>

#include <algorithm>
#include <ctime>

#include "solvers/adapters/mpi_once.hpp"
#include "tests/benchmarks/peers/pfmg.hpp"

namespace weir::bench {
namespace {

// Processor time: other programs do not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double since(double start) { return now() - start; }

}  // namespace

extern "C" void weir_pfmg(const StructProblem& p, PeerResult& result) {
  begin_mpi_once();
  HYPRE_Init();
  int low[3] = {0, 0, 0}, high[3] = {p.cells[0] - 1, p.cells[1] - 1, p.cells[2] - 1};
  HYPRE_StructGrid grid;
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
  HYPRE_StructGridSetExtents(grid, low, high);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructStencil stencil;
  HYPRE_StructStencilCreate(3, 7, &stencil);
  int offsets[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  for (int e = 0; e < 7; ++e) HYPRE_StructStencilSetElement(stencil, e, offsets[e]);
  HYPRE_StructMatrix A;
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &A);
  HYPRE_StructMatrixInitialize(A);
  int entries[7] = {0, 1, 2, 3, 4, 5, 6};
  HYPRE_StructMatrixSetBoxValues(A, low, high, 7, entries, const_cast<double*>(p.values.data()));
  HYPRE_StructMatrixAssemble(A);
  HYPRE_StructVector b, x;
  for (auto* v : {&b, &x}) {
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, v);
    HYPRE_StructVectorInitialize(*v);
    HYPRE_StructVectorSetBoxValues(*v, low, high, const_cast<double*>(p.b.data()));
    HYPRE_StructVectorAssemble(*v);
  }
  HYPRE_StructSolver cg, mg;
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &mg);
  HYPRE_StructPFMGSetMaxIter(mg, 1);
  HYPRE_StructPFMGSetTol(mg, 0);
  HYPRE_StructPFMGSetZeroGuess(mg);
  HYPRE_StructPFMGSetRelaxType(mg, 2);  // red-black Gauss-Seidel, symmetric
  HYPRE_StructPFMGSetNumPreRelax(mg, 1);
  HYPRE_StructPFMGSetNumPostRelax(mg, 1);
  HYPRE_StructPFMGSetSkipRelax(mg, 1);
  HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg);
  HYPRE_StructPCGSetTol(cg, p.tolerance);
  HYPRE_StructPCGSetMaxIter(cg, 500);
  HYPRE_StructPCGSetTwoNorm(cg, 1);
  HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, mg);
  result = {"hypre CG + PFMG", 0, 1e30, 0, std::vector<double>(p.b.size())};
  HYPRE_StructVectorSetConstantValues(x, 0);
  auto start = now();
  HYPRE_StructPCGSetup(cg, A, b, x);
  result.setup_seconds = since(start);
  for (int r = 0; r < p.repeats; ++r) {
    HYPRE_StructVectorSetConstantValues(x, 0);
    start = now();
    HYPRE_StructPCGSolve(cg, A, b, x);
    result.solve_seconds = std::min(result.solve_seconds, since(start));
  }
  HYPRE_StructPCGGetNumIterations(cg, &result.iterations);
  HYPRE_StructVectorGetBoxValues(x, low, high, result.x.data());
  HYPRE_StructPCGDestroy(cg);
  HYPRE_StructPFMGDestroy(mg);
  HYPRE_StructVectorDestroy(b);
  HYPRE_StructVectorDestroy(x);
  HYPRE_StructMatrixDestroy(A);
  HYPRE_StructStencilDestroy(stencil);
  HYPRE_StructGridDestroy(grid);
  HYPRE_ClearAllErrors();
}

}  // namespace weir::bench
