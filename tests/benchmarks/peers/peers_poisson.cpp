#include "tests/benchmarks/peers/peers_poisson.hpp"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <petscdmda.h>
#include <petscksp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "solvers/matrix/stencil/separable_operator.hpp"
#include "tests/benchmarks/peers/pfmg.hpp"

namespace weir::bench {
namespace {

using Index = std::size_t;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void check(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s failed with code %d\n", what, code);
  std::exit(1);
}

// Every `factor`-th face of a direction: its cells merged.
SeparableDirection direction_of(const std::vector<double>& faces, Index factor) {
  std::vector<double> coarse;
  for (Index i = 0; i < faces.size(); i += factor) coarse.push_back(faces[i]);
  return cell_centred_direction(coarse, EndCondition::neumann, EndCondition::neumann);
}

struct Seven {
  double centre = 0;
  std::array<double, 6> neighbour{};  // west, east, south, north, below, above; 0 where there is none
};

Seven row_of(const std::array<SeparableDirection, 3>& d, const std::array<int, 3>& at) {
  Seven row;
  std::array<double, 3> mass;
  for (Index a = 0; a < 3; ++a) mass[a] = d[a].mass[static_cast<Index>(at[a])];
  for (Index a = 0; a < 3; ++a) {
    const double area = mass[(a + 1) % 3] * mass[(a + 2) % 3];
    row.neighbour[2 * a] = -area * d[a].lower[static_cast<Index>(at[a])];
    row.neighbour[2 * a + 1] = -area * d[a].upper[static_cast<Index>(at[a])];
    row.centre -= row.neighbour[2 * a] + row.neighbour[2 * a + 1];
  }
  return row;
}

std::array<int, 3> sizes(const PoissonProblem& p) {
  return {static_cast<int>(p.faces[0].size()) - 1, static_cast<int>(p.faces[1].size()) - 1,
          static_cast<int>(p.faces[2].size()) - 1};
}

std::array<SeparableDirection, 3> finest(const PoissonProblem& p) {
  return {direction_of(p.faces[0], 1), direction_of(p.faces[1], 1), direction_of(p.faces[2], 1)};
}

PeerResult pfmg_of(const PoissonProblem& p) {
  const auto n = sizes(p);
  const auto d = finest(p);
  std::vector<double> values;
  values.reserve(7 * p.b.size());
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const Seven row = row_of(d, {i, j, k});
        values.push_back(row.centre);
        values.insert(values.end(), row.neighbour.begin(), row.neighbour.end());
      }
  return hypre_pfmg({n, values, p.b, p.tolerance, p.repeats});
}

HYPRE_IJMatrix ij_matrix(const PoissonProblem& p) {
  const auto n = sizes(p);
  const auto d = finest(p);
  const int rows = static_cast<int>(p.b.size());
  const int stride[3] = {1, n[0], n[0] * n[1]};
  HYPRE_IJMatrix A;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, 0, rows - 1, 0, rows - 1, &A);
  HYPRE_IJMatrixSetObjectType(A, HYPRE_PARCSR);
  const std::vector<int> lengths(p.b.size(), 7);
  HYPRE_IJMatrixSetRowSizes(A, lengths.data());
  HYPRE_IJMatrixInitialize(A);
  for (int r = 0; r < rows; ++r) {
    const Seven row = row_of(d, {r % n[0], r / n[0] % n[1], r / n[0] / n[1]});
    int columns[7] = {r}, count = 1;
    double values[7] = {row.centre};
    for (int e = 0; e < 6; ++e)
      if (row.neighbour[static_cast<Index>(e)] != 0) {
        columns[count] = r + (e % 2 ? 1 : -1) * stride[e / 2];
        values[count++] = row.neighbour[static_cast<Index>(e)];
      }
    HYPRE_IJMatrixSetValues(A, 1, &count, &r, columns, values);
  }
  HYPRE_IJMatrixAssemble(A);
  return A;
}

// hypre's algebraic multigrid: CG + BoomerAMG with the options its authors recommend for 3D Poisson.
PeerResult hypre_boomeramg(const PoissonProblem& p) {
  const int rows = static_cast<int>(p.b.size());
  HYPRE_IJMatrix A = ij_matrix(p);
  HYPRE_ParCSRMatrix a;
  HYPRE_IJMatrixGetObject(A, reinterpret_cast<void**>(&a));
  HYPRE_IJVector B, X;
  HYPRE_ParVector b, x;
  for (auto* v : {&B, &X}) {
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, 0, rows - 1, v);
    HYPRE_IJVectorSetObjectType(*v, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*v);
    HYPRE_IJVectorSetValues(*v, rows, nullptr, p.b.data());
    HYPRE_IJVectorAssemble(*v);
  }
  HYPRE_IJVectorGetObject(B, reinterpret_cast<void**>(&b));
  HYPRE_IJVectorGetObject(X, reinterpret_cast<void**>(&x));
  HYPRE_Solver cg, amg;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetCoarsenType(amg, 10);  // HMIS
  HYPRE_BoomerAMGSetInterpType(amg, 6);    // extended+i
  HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
  HYPRE_BoomerAMGSetStrongThreshold(amg, 0.5);
  HYPRE_BoomerAMGSetAggNumLevels(amg, 1);
  HYPRE_BoomerAMGSetRelaxType(amg, 8);          // l1 symmetric Gauss-Seidel
  HYPRE_BoomerAMGSetCycleRelaxType(amg, 8, 3);  // on the coarsest level too: the matrix is singular
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_BoomerAMGSetTol(amg, 0);
  HYPRE_BoomerAMGSetPrintLevel(amg, 0);
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg);
  HYPRE_PCGSetTol(cg, p.tolerance);
  HYPRE_PCGSetMaxIter(cg, 500);
  HYPRE_PCGSetTwoNorm(cg, 1);
  HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
  PeerResult result{"hypre CG + BoomerAMG", 0, 1e30, 0, std::vector<double>(p.b.size())};
  auto start = Clock::now();
  HYPRE_ParCSRPCGSetup(cg, a, b, x);
  result.setup_seconds = since(start);
  for (int r = 0; r < p.repeats; ++r) {
    HYPRE_ParVectorSetConstantValues(x, 0);
    start = Clock::now();
    HYPRE_ParCSRPCGSolve(cg, a, b, x);
    result.solve_seconds = std::min(result.solve_seconds, since(start));
  }
  HYPRE_PCGGetNumIterations(cg, &result.iterations);
  HYPRE_IJVectorGetValues(X, rows, nullptr, result.x.data());
  HYPRE_ParCSRPCGDestroy(cg);
  HYPRE_BoomerAMGDestroy(amg);
  HYPRE_IJVectorDestroy(B);
  HYPRE_IJVectorDestroy(X);
  HYPRE_IJMatrixDestroy(A);
  HYPRE_ClearAllErrors();
  return result;
}

// PETSc asks for the operator of every level of its DMDA hierarchy, and for the right-hand side.
PetscErrorCode petsc_operator(KSP ksp, Mat, Mat A, void* context) {
  const auto& p = *static_cast<const PoissonProblem*>(context);
  DM dm;
  check(KSPGetDM(ksp, &dm), "KSPGetDM");
  DMDALocalInfo info;
  check(DMDAGetLocalInfo(dm, &info), "DMDAGetLocalInfo");
  const std::array<int, 3> n{info.mx, info.my, info.mz};
  std::array<SeparableDirection, 3> d;
  for (Index a = 0; a < 3; ++a) d[a] = direction_of(p.faces[a], (p.faces[a].size() - 1) / static_cast<Index>(n[a]));
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const Seven row = row_of(d, {i, j, k});
        MatStencil at{k, j, i, 0}, columns[7] = {at};
        double values[7] = {row.centre};
        PetscInt count = 1;
        for (int e = 0; e < 6; ++e) {
          if (row.neighbour[static_cast<Index>(e)] == 0) continue;
          MatStencil c = at;
          (e < 2 ? c.i : e < 4 ? c.j : c.k) += e % 2 ? 1 : -1;
          columns[count] = c;
          values[count++] = row.neighbour[static_cast<Index>(e)];
        }
        check(MatSetValuesStencil(A, 1, &at, count, columns, values, INSERT_VALUES), "MatSetValuesStencil");
      }
  check(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
  check(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  MatNullSpace constants;
  check(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants), "MatNullSpaceCreate");
  check(MatSetNullSpace(A, constants), "MatSetNullSpace");
  return MatNullSpaceDestroy(&constants);
}

PetscErrorCode petsc_right_hand_side(KSP, Vec b, void* context) {
  const auto& p = *static_cast<const PoissonProblem*>(context);
  double* values;
  check(VecGetArray(b, &values), "VecGetArray");
  std::copy(p.b.begin(), p.b.end(), values);
  return VecRestoreArray(b, &values);
}

// CG + geometric multigrid on a DMDA; cell-centred, so the grids are related by Q0 (piecewise constant) interpolation.
PeerResult petsc_multigrid(const PoissonProblem& p) {
  const auto n = sizes(p);
  int levels = 1;
  for (int m = std::min({n[0], n[1], n[2]}); m % 2 == 0 && m > 4; m /= 2) ++levels;
  DM dm;
  check(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n[0],
                     n[1], n[2], 1, 1, 1, 1, 1, nullptr, nullptr, nullptr, &dm),
        "DMDACreate3d");
  check(DMDASetInterpolationType(dm, DMDA_Q0), "DMDASetInterpolationType");
  check(DMSetUp(dm), "DMSetUp");
  const std::string count = std::to_string(levels);
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, const char*>>{{"-ksp_type", "cg"},
                                                        {"-ksp_norm_type", "unpreconditioned"},
                                                        {"-pc_type", "mg"},
                                                        {"-pc_mg_levels", count.c_str()},
                                                        {"-mg_levels_ksp_type", "chebyshev"},
                                                        {"-mg_levels_pc_type", "sor"},
                                                        {"-mg_levels_ksp_max_it", "2"},
                                                        {"-mg_coarse_ksp_type", "preonly"},
                                                        {"-mg_coarse_pc_type", "svd"}})
    check(PetscOptionsSetValue(nullptr, key, value), "PetscOptionsSetValue");
  KSP ksp;
  check(KSPCreate(PETSC_COMM_WORLD, &ksp), "KSPCreate");
  auto* context = const_cast<PoissonProblem*>(&p);
  check(KSPSetDM(ksp, dm), "KSPSetDM");
  check(KSPSetComputeOperators(ksp, petsc_operator, context), "KSPSetComputeOperators");
  check(KSPSetComputeRHS(ksp, petsc_right_hand_side, context), "KSPSetComputeRHS");
  check(KSPSetTolerances(ksp, p.tolerance, 0, PETSC_DEFAULT, 500), "KSPSetTolerances");
  check(KSPSetFromOptions(ksp), "KSPSetFromOptions");
  PeerResult result{"PETSc CG + multigrid", 0, 1e30, 0, {}};
  auto start = Clock::now();
  check(KSPSetUp(ksp), "KSPSetUp");
  result.setup_seconds = since(start);
  for (int r = 0; r < p.repeats; ++r) {
    start = Clock::now();
    check(KSPSolve(ksp, nullptr, nullptr), "KSPSolve");
    result.solve_seconds = std::min(result.solve_seconds, since(start));
  }
  PetscInt iterations = 0;
  check(KSPGetIterationNumber(ksp, &iterations), "KSPGetIterationNumber");
  result.iterations = iterations;
  Vec x;
  const double* values;
  check(KSPGetSolution(ksp, &x), "KSPGetSolution");
  check(VecGetArrayRead(x, &values), "VecGetArrayRead");
  result.x.assign(values, values + p.b.size());
  check(VecRestoreArrayRead(x, &values), "VecRestoreArrayRead");
  check(KSPDestroy(&ksp), "KSPDestroy");
  check(DMDestroy(&dm), "DMDestroy");
  return result;
}

}  // namespace

Peers::Peers() {
  check(PetscInitialize(nullptr, nullptr, nullptr, nullptr), "PetscInitialize");  // starts MPI too
  HYPRE_Init();
}
Peers::~Peers() {
  HYPRE_Finalize();
  PetscFinalize();
}

std::vector<PeerResult> Peers::solve(const PoissonProblem& problem) {
  return {pfmg_of(problem), hypre_boomeramg(problem), petsc_multigrid(problem)};
}

}  // namespace weir::bench
