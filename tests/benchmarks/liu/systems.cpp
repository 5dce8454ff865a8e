// The two systems of a step (eqs. 5 and 6 of the paper) with a body, from x = 0 to their tolerances.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/liu/liu.hpp"
#include "tests/benchmarks/liu/run.hpp"
#include "tests/benchmarks/luo/sheet.hpp"
#include "tests/benchmarks/peers/pfmg.hpp"
#include "tests/support/systems/body_poisson.hpp"

namespace weir::bench {
namespace {

double relative_residual(const Banded<Host>& A, const std::vector<double>& b, const std::vector<double>& x) {
  const Array<double, Host> B(b), X(x);
  Array<double, Host> r(A.size());
  double bb = 0;
  for (const double v : b) bb += v * v;
  return std::sqrt(A.residual_dot(B, X, r) / bb);
}

StructProblem problem_of(const Banded<Host>& A, const std::vector<double>& b, double tolerance) {
  const Extents e = A.cells();
  return {{e.nx, e.ny, e.nz}, to_seven(A), b, tolerance, 1};
}

Run pfmg(const Banded<Host>& A, const StructProblem& problem) {
  const PeerResult r = hypre_pfmg(problem);
  Run result{r.name, r.setup_seconds, r.solve_seconds, r.iterations, 0, true};
  if (!r.name.empty()) result.residual = relative_residual(A, problem.b, r.x);
  return result;
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
      theirs.push_back(pfmg(A, problem_of(A, b, tolerance)));
      if (theirs.back().solver.empty()) theirs.pop_back();
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

double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

// Interleaved, each from nothing to a solution, so that both find the memory that either has left: the first time, and the median of
// the later ones.
void turns(Sheet& sheet, const Case& c, int rounds) {
  constexpr double tolerance = 1e-6;
  const std::vector<double> b = test::right_hand_side(c.options);
  const Banded<Host> A = test::pressure_matrix<Host>(c.options);
  const StructProblem problem = problem_of(A, b, tolerance);
  struct Side {
    Run last;
    std::vector<double> setup, solve, both;
  } ours, theirs;
  const auto note = [](Side& side, Run r) {
    side.setup.push_back(r.setup_seconds);
    side.solve.push_back(r.solve_seconds);
    side.both.push_back(r.setup_seconds + r.solve_seconds);
    side.last = std::move(r);
  };
  for (int round = 0; round < rounds; ++round) {
    note(ours, run("cg+multigrid", A, b, tolerance, 200, 1));
    if (has_peer("hypre")) note(theirs, pfmg(A, problem));
  }
  for (Side* side : {&ours, &theirs}) {
    if (side->both.empty() || side->last.solver.empty()) continue;
    const auto row = [&](const char* when, const auto& of) {
      const double all = of(side->both);
      sheet.row({"pressure " + c.name, side->last.solver, when, number(of(side->setup)), number(of(side->solve)),
                 number(all), std::to_string(side->last.iterations), number(side->last.residual, "%.1e"),
                 theirs.both.empty() ? "" : number(of(theirs.both) / all, "%.2f")});
    };
    row("first", [](const std::vector<double>& v) { return v.front(); });
    if (rounds > 1) row("again", [](const std::vector<double>& v) { return median({v.begin() + 1, v.end()}); });
  }
}

}  // namespace

int liu_setup(const LiuOptions& o) {
  set_threads(1);
  std::printf("one thread, processor time, interleaved; PFMG/this: set-up + solve\n");
  Sheet sheet(o.folder, "liu-setup",
              {"system", "solver", "when", "setup s", "solve s", "both s", "iterations", "|r|/|b|", "PFMG/this"});
  for (const Case& c : cases(o.quick))
    if (c.options.cells.nx <= 128 && c.options.stretching == 0) turns(sheet, c, o.quick ? 2 : 8);
  return 0;
}

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
