// What happens before MPI is initialised and anything is read: both may replace this process by another.
#pragma once

namespace weir {

// Threads that wait at the end of a loop spin for microseconds, then sleep; GCC's own limit is milliseconds, which stops
// everybody where other programs want the cores too. Its library reads the limit when it is loaded, so this program starts
// itself once more, unless the environment says how to wait.
void limit_spinning(char** argv);

// Error(usage) where OMP_NUM_THREADS asks for more threads than the libraries of threads survive.
void refuse_threads_of_environment();

// `weir bench ...` is the program weir_bench beside this one. Error(usage) where it is not there.
void start_benchmarks(char** argv);

}  // namespace weir
