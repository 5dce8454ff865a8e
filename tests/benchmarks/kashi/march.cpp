#include "tests/benchmarks/kashi/march.hpp"

#include "tests/benchmarks/bench.hpp"

namespace weir::kashi {

void write_march_header(std::FILE* csv) {
  std::fprintf(csv,
               "ordering,solver,threads,repeat,step,cfl,iterations,residual,ilu_residual,dominance_L,dominance_U,"
               "accepted\n");
}

std::int64_t march(const StudyCase& study, const std::vector<double>& start, const Variant& variant, int repeat,
                   std::int64_t most_iterations, std::FILE* csv) {
  const bool is_alone = variant.prescribed || variant.type == "block_ilu0";  // threads would only wait for each other
  bench::set_threads(is_alone ? 1 : variant.threads);
  CompressibleFlow<Host> flow(study.c, study.mesh, study.boundary, linear_with(study, variant));
  flow.set_outside(0);
  flow.pseudo.state().upload(start);
  flow.pseudo.start_phase(study.c.scheme.order);
  const PseudoTimeOptions& options = study.c.pseudo_time;
  const PseudoTimeControl& control = flow.pseudo.control;
  Timings timings;
  const auto row = [&](int step, const Attempt& a) {
    const SetupInfo& info = flow.pseudo.solver().setup_info();
    std::fprintf(csv, "%s,%s,%d,%d,%d,%.6g,%lld,%.6g,%.6g,%.6g,%.6g,%d\n", study.ordering_type.c_str(),
                 variant.type.c_str(), variant.threads, repeat, step, a.cfl,
                 static_cast<long long>(control.linear_iterations), flow.pseudo.drop(), info.fixed_point_residual,
                 info.dominance_L, info.dominance_U, a.accepted ? 1 : 0);
  };
  int rejections = 0;
  for (int step = 1; flow.pseudo.drop() > options.tolerance; ++step) {
    if (step > options.max_steps || control.linear_iterations > most_iterations) return -control.linear_iterations;
    const Attempt a = flow.pseudo.attempt(timings);
    row(step, a);
    rejections = a.accepted ? 0 : rejections + 1;
    if (rejections > options.max_rejections) return -control.linear_iterations;
  }
  return control.linear_iterations;
}

}  // namespace weir::kashi
