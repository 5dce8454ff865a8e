// The two systems of a step (eqs. 5 and 6 of the paper) with a body, from x = 0 to their tolerances.
#include <algorithm>
#include <cstdio>

#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/liu/liu.hpp"
#include "tests/benchmarks/liu/run.hpp"
#include "tests/benchmarks/luo/sheet.hpp"
#include "tests/benchmarks/peers/peer.hpp"
#include "tests/support/systems/body_poisson.hpp"

namespace weir::bench {
namespace {

// hypre's CG + PFMG as the search of `weir bench peers` likes it best.
Run pfmg(const Banded<Host>& A, const std::vector<double>& b, double tolerance) {
  const Extents e = A.cells();
  SevenPoint problem;
  problem.cells = {e.nx, e.ny, e.nz};
  problem.values = to_seven(A);
  problem.b = b;
  problem.tolerance = tolerance;
  PeerProblem given;
  given.seven = &problem;
  const Measured m = measure_peer("hypre", given, {"pfmg relax=1 symmetric=1", 1, 0});
  const double residual = relative_residual(problem, m.x);
  return {"hypre CG + PFMG",
          m.seconds.at("first")[0] - m.seconds.at("solve")[0],
          m.seconds.at("solve")[0],
          m.iterations,
          residual,
          residual <= 1.02 * tolerance};
}

void print(Sheet& sheet, const std::string& system, const std::vector<Run>& ours, const std::vector<Run>& theirs) {
  double best = 0;
  for (const Run& r : theirs)
    if (const double all = r.setup_seconds + r.solve_seconds; r.converged && (best == 0 || all < best)) best = all;
  const auto row = [&](const Run& r) {
    const double all = r.setup_seconds + r.solve_seconds;
    sheet.row({system, r.solver, number(r.setup_seconds), number(r.solve_seconds), number(all),
               std::to_string(r.iterations), number(r.residual, "%.1e") + (r.converged ? "" : " (not converged)"),
               best > 0 ? number(best / all, "%.2f") : ""});
  };
  for (const Run& r : ours) row(r);
  for (const Run& r : theirs) row(r);
}

struct Case {
  std::string name;
  test::BodyOptions options;
};

std::vector<Case> cases(bool quick) {
  std::vector<Case> list;
  for (const int n : quick ? std::vector{12} : std::vector{64, 128, 256}) {
    const std::string cells = std::to_string(n) + "^3";
    list.push_back({cells + ", sphere", {{n, n, n}, 0, test::Body::sphere, 0.2, true}});
    list.push_back({cells + ", cylinder, stretched", {{n, n, n}, 2, test::Body::cylinder, 0.1, true}});
  }
  for (const int n : quick ? std::vector{24} : std::vector{512, 1024})
    list.push_back({std::to_string(n) + "^2, cylinder", {{n, n, 1}, 0, test::Body::cylinder, 0.1, true}});
  return list;
}

void pressure(Sheet& sheet, const Case& c, int repeats) {
  constexpr double tolerance = 1e-6;
  const std::vector<double> b = test::right_hand_side(c.options);
  const Banded<Host> A = test::pressure_matrix<Host>(c.options);
  const std::vector<Run> ours = {run("cg+multigrid", A, b, tolerance, 200, repeats)};
  std::vector<Run> theirs;
  if (A.rows() <= 128 * 128 * 128) {
    const BlockCsr<Host> csr(to_csr(A));
    if (has_peer("hypre")) {
      theirs.push_back(pfmg(A, b, tolerance));
      theirs.push_back(run("hypre:cg+boomeramg", csr, b, tolerance, 500, 1));
    }
    if (has_peer("petsc")) theirs.push_back(run("petsc:-ksp_type cg -pc_type gamg", csr, b, tolerance, 500, 1));
  }
  print(sheet, "pressure " + c.name, ours, theirs);
}

void advection_diffusion(Sheet& sheet, const Case& c, int repeats) {
  constexpr double tolerance = 1e-12;
  const std::vector<double> b = test::right_hand_side(c.options);
  const Banded<Host> A = test::advection_diffusion_matrix<Host>(c.options, 1, 0.001, true);
  std::vector<Run> ours, theirs;
  for (const char* solver : {"bicgstab+jacobi", "pipelined_bicgstab+jacobi", "bicgstab+block_ilu0"})
    ours.push_back(run(solver, A, b, tolerance, 500, repeats));
  if (A.rows() <= 128 * 128 * 128) {
    const BlockCsr<Host> csr(to_csr(A));
    if (has_peer("petsc"))
      for (const char* pc : {"jacobi", "ilu"})
        theirs.push_back(run(std::string("petsc:-ksp_type bcgs -pc_type ") + pc, csr, b, tolerance, 500, 1));
    if (has_peer("hypre")) theirs.push_back(run("hypre:bicgstab+jacobi", csr, b, tolerance, 500, 1));
  }
  print(sheet, "advection-diffusion " + c.name, ours, theirs);
}

}  // namespace

int liu_systems(const LiuOptions& o) {
  set_threads(1);
  std::printf("one thread, processor time; peer/this: the best peer's set-up + solve over this row's\n");
  Sheet sheet(o.folder, "liu-systems",
              {"system", "solver", "setup s", "solve s", "both s", "iterations", "|r|/|b|", "peer/this"});
  const int repeats = o.quick ? 1 : 3;
  for (const Case& c : cases(o.quick)) pressure(sheet, c, repeats);
  for (const Case& c : cases(o.quick))
    if (c.options.stretching == 0 && c.options.cells.nz > 1) advection_diffusion(sheet, c, repeats);
  return 0;
}

}  // namespace weir::bench
