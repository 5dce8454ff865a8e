// Output of `weir bench --json`: the machine and the build, and one row per measurement.
//   {"suite": "kernels", "machine": {...}, "build": {...},
//    "rows": [{"kernel": ..., "seconds": {"median", "min", "max", "repeats"}}]}
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "postproc/run/provenance.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {

// Processor, cores, memory bandwidth (the triad of bench.hpp, by one thread and by all), date; commit, compiler, flags.
nlohmann::json about_this(const Build& build);

nlohmann::json as_json(const Spread& s);

struct Report {
  std::string path;      // empty: nothing is written
  nlohmann::json about;  // of about_this, or empty

  // Error(usage) where the file cannot be written.
  void write(const std::string& suite, const nlohmann::json& rows) const;
};

}  // namespace weir::bench
