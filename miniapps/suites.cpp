#include "miniapps/suites.hpp"

#include "tests/benchmarks/kernels.hpp"

namespace weir {

std::vector<Suite> benchmark_suites() { return {{"kernels", bench::bench_kernels}}; }

}  // namespace weir
