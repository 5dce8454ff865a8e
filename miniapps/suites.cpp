#include "miniapps/suites.hpp"

#include "tests/benchmarks/kernels.hpp"
#include "tests/benchmarks/orderings.hpp"

namespace weir {

std::vector<Suite> benchmark_suites() {
  return {{"kernels", bench::bench_kernels}, {"orderings", bench::bench_orderings}};
}

}  // namespace weir
