// Bytes per cell that an iteration must move, in vectors of 8: see solvers/krylov and solvers/matrix for what each pass
// reads and writes. With a matrix in storage its bands count, 7 or the 4 upper ones.
#include <cstdio>

#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/liu/liu.hpp"
#include "tests/benchmarks/liu/run.hpp"
#include "tests/benchmarks/luo/sheet.hpp"
#include "tests/support/systems/body_poisson.hpp"

namespace weir::bench {
namespace {

struct Method {
  const char* solver;
  int vectors;
};

// The peer moves the matrix in block rows and does not use its structure.
void compare(Sheet& sheet, const std::string& system, const Matrix<Host>& A, const Matrix<Host>* for_peer,
             const std::vector<double>& b, const std::vector<Method>& methods, const std::string& peer, double triad,
             bool quick) {
  const int iterations = quick ? 3 : 40, repeats = quick ? 1 : 3;
  const auto of_one = [&](const std::string& solver, const Matrix<Host>& M) {
    const Run r = run(solver, M, b, 1e-30, iterations, repeats);
    return r.solve_seconds / r.iterations;
  };
  const double theirs = for_peer && has_peer("petsc") ? of_one(peer, *for_peer) : 0;
  for (const Method& m : methods) {
    const double seconds = of_one(m.solver, A), bytes = 8.0 * m.vectors * static_cast<double>(A.size());
    sheet.row({system, m.solver, std::to_string(m.vectors), number(1e3 * seconds), number(bytes / seconds / 1e9),
               number(bytes / seconds / triad, "%.2f"), theirs > 0 ? number(theirs / seconds, "%.2f") : ""});
  }
  if (theirs > 0) sheet.row({system, "PETSc " + peer.substr(peer.find('-')), "", number(1e3 * theirs), "", "", "1"});
}

}  // namespace

int liu_iterations(const LiuOptions& o) {
  set_threads(1);
  const double triad = o.quick ? 1e10 : triad_bytes_per_second(1, true);
  std::printf("one thread, processor time; triad %.1f GB/s\n", triad / 1e9);
  Sheet sheet(o.folder, "liu-iterations", {"system", "method", "vectors", "ms", "GB/s", "of triad", "PETSc/this"});
  const std::string petsc_cg = "petsc:-ksp_type cg -pc_type jacobi",
                    petsc_bcgs = "petsc:-ksp_type bcgs -pc_type jacobi";
  for (const int n : o.quick ? std::vector{12} : std::vector{128, 256}) {
    const bool beside_peers = n <= 128;
    const std::string cells = std::to_string(n) + "^3";
    test::BodyOptions body;
    body.cells = {n, n, n};
    const std::vector<double> b = test::right_hand_side(body);
    {
      const Banded<Host> A = test::pressure_matrix<Host>(body);
      const BlockCsr<Host> csr(beside_peers ? to_csr(A) : BlockCsrData{1, {0, 1}, {0}, {1.0}});
      std::vector<double> faces;
      for (int i = 0; i <= n; ++i) faces.push_back(static_cast<double>(i) / n);
      SeparableOperator uniform;
      uniform.direction.fill(cell_centred_direction(faces, EndCondition::neumann, EndCondition::neumann));
      uniform.direction[0] = cell_centred_direction(faces, EndCondition::neumann, EndCondition::dirichlet);
      compare(sheet, "Poisson " + cells + ", no body", SeparableStencil<Host>(uniform), beside_peers ? &csr : nullptr,
              b, {{"cg", 10}, {"pipelined_cg", 15}}, petsc_cg, triad, o.quick);
      compare(sheet, "Poisson " + cells + ", sphere", A, beside_peers ? &csr : nullptr, b,
              {{"cg", 14}, {"cg+jacobi", 17}, {"pipelined_cg", 19}}, petsc_cg, triad, o.quick);
    }
    const Banded<Host> A = test::advection_diffusion_matrix<Host>(body, 1, 0.01, true);
    const BlockCsr<Host> csr(beside_peers ? to_csr(A) : BlockCsrData{1, {0, 1}, {0}, {1.0}});
    compare(sheet, "advection-diffusion " + cells + ", sphere", A, beside_peers ? &csr : nullptr, b,
            {{"bicgstab", 33}, {"bicgstab+jacobi", 40}, {"pipelined_bicgstab", 45}}, petsc_bcgs, triad, o.quick);
  }
  return 0;
}

}  // namespace weir::bench
