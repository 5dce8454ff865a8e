// Shared by the anzt suites: the folder of their tables, and one thread.
#pragma once
#include <omp.h>

#include <string>

#include "tests/benchmarks/bench.hpp"

namespace weir::bench {

// folder/name.csv; the folder is made. Throws Error(file_io).
std::string csv_path(const std::string& folder, const std::string& name);

class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { set_threads(1); }
  ~OneThread() { set_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace weir::bench
