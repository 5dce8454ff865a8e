// Start-up before MPI is initialised and anything is read.
#pragma once

namespace weir {

// Limits the time for which OpenMP threads spin at the end of a loop to microseconds (GCC: milliseconds, which delays
// all programs on a shared machine). The OpenMP library reads the limit when it is loaded, so the program executes
// itself again, unless the environment has a limit; the launcher ./weir sets it.
void limit_spinning(char** argv);

// Error(usage) if OMP_NUM_THREADS exceeds the maximum number of threads.
void refuse_threads_of_environment();

// `weir bench ...`: executes the program weir_bench in the folder of this one. Error(usage) if it is missing.
void start_benchmarks(char** argv);

}  // namespace weir
