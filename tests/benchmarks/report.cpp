#include "tests/benchmarks/report.hpp"

#include <omp.h>
#include <unistd.h>

#include <fstream>

#include "base/error.hpp"
#include "postproc/run/machine.hpp"

namespace weir::bench {

nlohmann::json about_this(const Build& build) {
  const int all = omp_get_max_threads();
  return {{"machine",
           {{"processor", processor_name()},
            {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
            {"threads", all},
            {"device", device_text()},
            {"triad_bytes_per_second",
             {{"one_thread", triad_bytes_per_second(1)}, {"all_threads", triad_bytes_per_second(all)}}}}},
          {"build",
           {{"version", weir_version()},
            {"commit", build.commit},
            {"compiler", build.compiler},
            {"flags", build.flags},
            {"libraries", build.libraries}}},
          {"date", date_text()}};
}

nlohmann::json as_json(const Spread& s) {
  return {{"median", s.median}, {"min", s.min}, {"max", s.max}, {"repeats", s.repeats}};
}

void Report::write(const std::string& suite, const nlohmann::json& rows) const {
  if (path.empty()) return;
  nlohmann::json all = about.is_object() ? about : nlohmann::json::object();
  all["suite"] = suite;
  all["rows"] = rows;
  std::ofstream file(path);
  file << all.dump(1) << '\n';
  if (!file.flush()) throw Error(Exit::usage, path + ": cannot be written");
}

}  // namespace weir::bench
