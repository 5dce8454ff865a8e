#include "tests/benchmarks/kashi/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/kashi/sequential_solve.hpp"
#include "tests/support/systems/ilu_factors.hpp"

namespace weir::kashi {
namespace {

using Factors = std::vector<double>;

BlockCsrData pattern_of(const BlockCsr<Host>& A) {
  BlockCsrData d;
  d.block = A.block();
  d.row_start = A.row_start().to_vector();
  d.column = A.column().to_vector();
  return d;
}

AsyncIluOptions async_options(const SweepOptions& o, int build, int apply, int seed) {
  AsyncIluOptions a;
  a.build_sweeps = std::max(1, build);
  a.apply_sweeps = std::max(1, apply);
  a.chunk = Variant::chunk;
  a.prescribed = o.prescribed;
  a.lanes = o.threads;
  a.seed = static_cast<std::uint64_t>(seed);
  return a;
}

// One lane that reads what was just stored is the sequential algorithm.
Factors sequential_factors(const BlockCsr<Host>& A) {
  AsyncIluOptions a;
  a.prescribed = true;
  a.lanes = 1;
  a.delay = 0;
  AsyncIlu<Host> M(a);
  M.setup(A);
  return test::values_of(M.factors(), pattern_of(A));
}

SolveResult solve(const BlockCsr<Host>& A, const Preconditioner<Host>& M, const Array<double, Host>& b,
                  const SweepOptions& o) {
  KrylovOptions k;
  k.tolerance = o.tolerance;
  k.max_iterations = o.most_iterations;
  k.restart = 30;
  Array<double, Host> x(b.size());
  return make_krylov<Host>("fgmres", k)->solve(A, M, b, x);
}

Cell measure(const BlockCsr<Host>& A, const Array<double, Host>& b, const Factors& exact, const SweepOptions& o,
             int build, int apply) {
  Cell cell{build, apply, 0, 0, 0, o.repeats};
  if (build == 0 && apply == 0) cell.repeats = 1;  // nothing varies
  std::vector<double> iterations;
  for (int r = 0; r < cell.repeats; ++r) {
    AsyncIlu<Host> M(async_options(o, build, apply, 1 + r));
    M.setup(A);
    if (build == 0) test::set_values(M.factors(), pattern_of(A), exact);
    const SolveResult result = apply == 0
                                   ? solve(A, SequentialSolve(A, test::values_of(M.factors(), pattern_of(A))), b, o)
                                   : solve(A, M, b, o);
    cell.converged += result.converged();
    if (result.converged()) iterations.push_back(result.iterations);
  }
  if (iterations.empty()) return cell;
  const auto count = static_cast<double>(iterations.size());
  cell.mean = std::accumulate(iterations.begin(), iterations.end(), 0.0) / count;
  double squares = 0;
  for (double i : iterations) squares += (i - cell.mean) * (i - cell.mean);
  cell.deviation = std::sqrt(squares / count) / cell.mean;
  return cell;
}

}  // namespace

Captured sweep_table(const StudyCase& study, const std::vector<double>& start, const SweepOptions& options,
                     const std::function<void(const Cell&)>& done) {
  bench::set_threads(1);
  Variant sequential;
  sequential.type = "block_ilu0";
  CompressibleFlow<Host> flow(study.c, study.mesh, study.boundary, linear_with(study, sequential));
  flow.set_outside(0);
  flow.pseudo.state().upload(start);
  flow.pseudo.start_phase(study.c.scheme.order);
  Timings timings;
  Captured captured;
  Array<double, Host> b;
  for (;;) {
    b = Array<double, Host>(std::vector<double>(flow.pseudo.minus_residual().data(),
                                                flow.pseudo.minus_residual().data() + flow.pseudo.state().size()));
    captured.residual = flow.pseudo.drop();
    captured.cfl = flow.pseudo.attempt(timings).cfl;  // assembles the matrix that belongs to b
    ++captured.step;
    if (captured.cfl >= options.capture_cfl || flow.pseudo.drop() <= study.c.pseudo_time.tolerance) break;
    if (captured.step >= study.c.pseudo_time.max_steps) break;
  }
  bench::set_threads(options.prescribed ? 1 : options.threads);
  const auto& A = dynamic_cast<const BlockCsr<Host>&>(flow.pseudo.jacobian());
  const Factors exact = sequential_factors(A);
  const auto block_ilu0 = make_preconditioner<Host>("block_ilu0", Table());
  block_ilu0->setup(A);
  captured.block_ilu0_iterations = solve(A, *block_ilu0, b, options).iterations;
  for (int build : options.sweeps)
    for (int apply : options.sweeps) done(measure(A, b, exact, options, build, apply));
  return captured;
}

}  // namespace weir::kashi
