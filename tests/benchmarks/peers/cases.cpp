#include "tests/benchmarks/peers/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "tests/benchmarks/flow_system.hpp"
#include "tests/benchmarks/peers/peer.hpp"

namespace weir::bench {
namespace {

constexpr int fixed_iterations = 30, fgmres_iterations = 15;

// Relaxation, storage, Galerkin or 7-point coarse operators (rap), smoothing on all levels or not where it may be
// skipped.
std::vector<std::string> pfmg_settings() {
  return {"hypre:pfmg relax=1 symmetric=1",        "hypre:pfmg relax=1 symmetric=1 rap=1",
          "hypre:pfmg relax=1 symmetric=1 skip=0", "hypre:pfmg relax=1 symmetric=0",
          "hypre:pfmg relax=2 symmetric=1",        "hypre:pfmg relax=2 symmetric=0",
          "hypre:pfmg relax=2 symmetric=0 rap=1",  "hypre:pfmg relax=3 symmetric=0"};
}

std::vector<std::string> boomeramg_settings() {
  return {"hypre:boomeramg aggressive=1 threshold=0.5 relax=8", "hypre:boomeramg aggressive=1 threshold=0.25 relax=6",
          "hypre:boomeramg aggressive=2 threshold=0.5 relax=18"};
}

std::vector<std::string> geometric_settings() {
  std::vector<std::string> all;
  const std::string common = "petsc:mg -pc_type mg -mg_coarse_ksp_type preonly -mg_coarse_pc_type svd ";
  for (const char* smoother : {"-mg_levels_ksp_type richardson -mg_levels_pc_type sor -mg_levels_ksp_max_it 1",
                               "-mg_levels_ksp_type richardson -mg_levels_pc_type sor -mg_levels_ksp_max_it 2",
                               "-mg_levels_ksp_type chebyshev -mg_levels_pc_type sor -mg_levels_ksp_max_it 2",
                               "-mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi -mg_levels_ksp_max_it 2",
                               "-mg_levels_ksp_type richardson -mg_levels_pc_type icc -mg_levels_ksp_max_it 1"})
    all.push_back(common + smoother);
  return all;
}

std::vector<std::string> together(std::vector<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (auto& l : lists) all.insert(all.end(), l.begin(), l.end());
  return all;
}

const std::vector<std::string> gamg = {"petsc:ksp -ksp_type cg -pc_type gamg -mg_levels_ksp_max_it 1",
                                       "petsc:ksp -ksp_type cg -pc_type gamg -pc_gamg_threshold 0.02"};
const std::vector<std::string> ilu_settings = {"petsc:ilu", "petsc:ilu -mat_type aij"};
const std::vector<std::string> fgmres_settings = {
    "petsc:ksp -ksp_type fgmres -pc_type ilu", "petsc:ksp -ksp_type fgmres -pc_type ilu -mat_type aij",
    "petsc:ksp -ksp_type fgmres -pc_type ilu -pc_factor_mat_ordering_type rcm",
    "petsc:ksp -ksp_type gmres -ksp_pc_side right -pc_type ilu"};

const std::vector<std::string> cg_settings = {
    "petsc:ksp -ksp_type cg -pc_type jacobi", "petsc:ksp -ksp_type cg -pc_type jacobi -mat_type sbaij",
    "petsc:ksp -ksp_type cg -pc_type jacobi -mat_type sell", "petsc:ksp -ksp_type cg -pc_type none"};

bool is_block(const PeerCase& c) { return c.name.starts_with("block_ilu"); }

// A solver of ours on a matrix, as a case file would name it.
template <class MakeMatrix>
void ours(Measured& m, const std::string& name, const MakeMatrix& make, const std::vector<double>& right,
          double tolerance, const PeerTask& task) {
  const auto plus = name.find('+');
  const bool counted = task.iterations > 0;
  std::string text = fmt::format("method = \"{}\"\ntolerance = {}\nmax_iterations = {}\n", name.substr(0, plus),
                                 counted ? "0.0" : fmt::format("{:.1e}", tolerance), counted ? task.iterations : 500);
  if (plus != std::string::npos) text += fmt::format("preconditioner = {{ type = \"{}\" }}\n", name.substr(plus + 1));
  const auto options = read_case_text(text, "bench peers");
  decltype(make()) A;
  std::unique_ptr<LinearSolver<Host>> solver;
  Array<double, Host> b, x;
  SolveResult result;
  const auto setup = [&] {
    A = make();
    solver = std::make_unique<LinearSolver<Host>>(options);
    solver->setup(*A);
    b = Array<double, Host>(right);
    x = Array<double, Host>(b.size());
  };
  measure_solver(
      m, {setup, [&] { std::fill(x.data(), x.data() + x.size(), 0.0); }, [&] { result = solver->solve(*A, b, x); }},
      task.repeats);
  m.iterations = result.iterations;
  m.x = x.to_vector();
}

void ours(Measured& m, const std::string& name, const SevenPoint& p, const PeerTask& task) {
  if (name.ends_with(", assembled")) {
    const BlockCsrData data = to_csr(p);
    ours(
        m, name.substr(0, name.find(',')), [&] { return std::make_unique<BlockCsr<Host>>(data); }, p.b, p.tolerance,
        task);
  } else if (p.separable) {
    const auto make = [&] {
      SeparableOperator op;
      for (std::size_t d = 0; d < 3; ++d)
        op.direction[d] = cell_centred_direction(p.faces[d], EndCondition::neumann, EndCondition::neumann);
      return std::make_unique<SeparableStencil<Host>>(op);
    };
    ours(m, name, make, p.b, p.tolerance, task);
  } else {
    const auto make = [&] {
      auto A = std::make_unique<Banded<Host>>(Extents{p.cells[0], p.cells[1], p.cells[2]});
      A->upload(p.bands);
      A->set_symmetric(true);
      A->set_grid({p.faces, p.ends});
      return A;
    };
    ours(m, name, make, p.b, p.tolerance, task);
  }
}

void our_kernels(Measured& m, const test::BlockSystem& system, int repeats) {
  Watch watch(m);
  BlockStencil<Host> A(system.cells, system.n);
  A.upload(system.values);
  BlockIlu0<Host> M({});
  M.setup(A);
  const Array<double, Host> b(system.b);
  Array<double, Host> x(b.size()), r(b.size());
  measure_work(m, "factor", repeats, [&] { M.update(A); });
  measure_work(m, "solve", 3 * repeats, [&] { M.apply(b, x); });
  measure_work(m, "residual", 3 * repeats, [&] { A.residual(b, x, r); });
  m.x = x.to_vector();
}

// Of any thread's peers and of ours, by the candidate's own name.
Measured measured(const std::string& candidate, const PeerProblem& problem, const PeerTask& task,
                  const std::function<void(Measured&)>& by_us) {
  const auto colon = candidate.find(':');
  if (colon != std::string::npos) {
    PeerTask theirs = task;
    theirs.settings = candidate.substr(colon + 1);
    return measure_peer(candidate.substr(0, colon), problem, theirs);
  }
  Measured m;
  m.library = "Weir " + weir_version();
  by_us(m);
  return m;
}

Checked on_blocks(const PeerCase& c, const std::string& candidate) {
  const test::BlockSystem system = test::random_system({c.side, c.side, c.side}, std::stoi(c.name.substr(9)), 1);
  Checked result;
  PeerProblem problem;
  problem.blocks = &system;
  result.measured =
      measured(candidate, problem, {"", c.repeats, 0}, [&](Measured& m) { our_kernels(m, system, c.repeats); });
  BlockStencil<Host> A(system.cells, system.n);
  A.upload(system.values);
  BlockIlu0<Host> M({});
  M.setup(A);
  const Array<double, Host> b(system.b);
  Array<double, Host> x(b.size());
  M.apply(b, x);
  result.residual = test::relative_difference(result.measured.x, x.to_vector());
  result.limit = 1e-10;
  return result;
}

Checked on_flow(const PeerCase& c, const std::string& candidate, bool quick) {
  const FlowSystem system = flow_system(quick ? 15 : 93);
  Checked result;
  PeerProblem problem;
  problem.csr = &system.A;
  problem.b = &system.b;
  const PeerTask task{"", c.repeats, fgmres_iterations};
  result.measured = measured(candidate, problem, task, [&](Measured& m) {
    ours(
        m, candidate, [&] { return std::make_unique<BlockCsr<Host>>(system.A); }, system.b, 0, task);
  });
  result.residual = relative_residual(system.A, system.b, result.measured.x);
  // This many iterations of our solver; no solver may do fewer.
  Measured plain;
  ours(plain, "fgmres+block_ilu0", [&] { return std::make_unique<BlockCsr<Host>>(system.A); }, system.b, 0,
       {"", 0, fgmres_iterations});
  result.limit = 1.5 * relative_residual(system.A, system.b, plain.x);
  return result;
}

SevenPoint system_of(const PeerCase& c) {
  if (c.name.starts_with("pressure_sphere")) return pressure_about("sphere", c.side);
  if (c.name.starts_with("pressure_")) return pressure_about("cylinder", c.side);
  return poisson(c.side, c.name.starts_with("poisson_stretched") ? 2 : 0);
}

std::string cube(int side) { return std::to_string(side) + "^3"; }

void add_solvers(std::vector<PeerCase>& all, int side, bool is_full) {
  const auto add = [&](const std::string& name, const std::string& title, const std::vector<std::string>& ours,
                       const std::vector<std::string>& more) {
    PeerCase c;
    c.name = name + (is_full ? "" : "_" + std::to_string(side));
    c.title = fmt::format(fmt::runtime(title), cube(side));
    c.works = {"solve", "first"};
    c.ours = ours;
    c.peers = together({pfmg_settings(), boomeramg_settings(), more});
    c.side = side;
    all.push_back(c);
  };
  add("poisson_uniform", "Poisson {}, uniform, to 1e-8", {"cg+multigrid", "fast_poisson"}, geometric_settings());
  add("poisson_stretched", "Poisson {}, stretched (tanh 2), to 1e-8", {"cg+multigrid", "fast_poisson"},
      geometric_settings());
  add("pressure_sphere", "pressure about a sphere, {}, to 1e-6", {"cg+multigrid", "capacitance"}, gamg);
  add("pressure_cylinder", "pressure about a cylinder, stretched {}, to 1e-6", {"cg+multigrid", "capacitance"}, gamg);
}

void add_iterations(std::vector<PeerCase>& all, bool quick) {
  PeerCase cg;
  cg.name = "cg_iteration";
  cg.side = quick ? 16 : 128;
  cg.title = "CG + Jacobi iteration, Poisson " + cube(cg.side);
  cg.works = {"iteration"};
  cg.ours = {"cg+jacobi", "cg+jacobi, assembled"};
  cg.peers = together({cg_settings, {"hypre:diagonal symmetric=0", "hypre:diagonal symmetric=1"}});
  cg.scale = 1e3;
  cg.unit = "ms";
  all.push_back(cg);
  PeerCase rows = cg;  // the same storage on both sides
  rows.name = "cg_compressed_rows";
  rows.title += ", compressed rows on both sides";
  rows.ours = {"cg+jacobi, assembled"};
  rows.peers = {cg_settings.front()};
  all.push_back(rows);
  PeerCase fgmres = cg;
  fgmres.name = "fgmres_iteration";
  fgmres.title = std::string("FGMRES + block ILU(0) iteration, ") + (quick ? "345" : "13,020") + " cells, n = 4";
  fgmres.ours = {"fgmres+block_ilu0"};
  fgmres.peers = fgmres_settings;
  fgmres.repeats = 9;
  all.push_back(fgmres);
}

void add_kernels(std::vector<PeerCase>& all, const std::string& block, bool quick) {
  PeerCase c;
  c.name = "block_ilu" + block;
  c.side = quick ? 9 : 65;
  c.title = "block ILU(0), " + cube(c.side) + ", n = " + block;
  c.works = {"factor", "solve", "residual"};
  c.ours = {"block_ilu0"};
  c.peers = ilu_settings;
  c.scale = 1e6 / (c.side * c.side * c.side);
  c.unit = "us per cell";
  c.repeats = 7;
  all.push_back(c);
}

}  // namespace

std::vector<PeerCase> peer_cases(bool quick) {
  std::vector<PeerCase> all;
  add_solvers(all, quick ? 16 : 128, true);
  if (!quick) add_solvers(all, 64, false);
  add_iterations(all, quick);
  for (const char* block : {"4", "6"}) add_kernels(all, block, quick);
  if (quick)
    for (PeerCase& c : all) {
      c.repeats = 1;
      if (c.peers.size() > 4) c.peers = {c.peers.front(), c.peers.back()};
    }
  return all;
}

Checked measure_candidate(const PeerCase& c, const std::string& candidate, bool quick) {
  if (is_block(c)) return on_blocks(c, candidate);
  Checked result;
  if (c.name == "fgmres_iteration") {
    result = on_flow(c, candidate, quick);
  } else {
    const SevenPoint system = system_of(c);
    const int iterations = c.name.starts_with("cg_") ? fixed_iterations : 0;
    PeerProblem problem;
    problem.seven = &system;
    result.measured = measured(candidate, problem, {"", c.repeats, iterations}, [&](Measured& m) {
      ours(m, candidate, system, {"", c.repeats, iterations});
    });
    result.residual = relative_residual(system, result.measured.x);
    result.limit = iterations > 0 ? 1 : 1.02 * system.tolerance;  // the test's own residual may differ by rounding
  }
  auto& seconds = result.measured.seconds;
  if (const int wanted = c.name.starts_with("cg_") ? fixed_iterations : fgmres_iterations; c.works[0] == "iteration") {
    if (result.measured.iterations != wanted) result.limit = -1;
    for (const double s : seconds["solve"]) seconds["iteration"].push_back(s / wanted);
  }
  return result;
}

}  // namespace weir::bench
