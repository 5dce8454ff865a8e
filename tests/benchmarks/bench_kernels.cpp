// bench_kernels [FILE.json]
#include "tests/benchmarks/kernels.hpp"

int main(int argc, char** argv) { return weir::bench::bench_kernels({argc > 1 ? argv[1] : "", {}}); }
