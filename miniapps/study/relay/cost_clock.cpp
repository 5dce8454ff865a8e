#include "miniapps/study/relay/cost_clock.hpp"

#include <omp.h>
#include <time.h>

#include "postproc/run/machine.hpp"

namespace weir {

CostClock::CostClock(const Communicator& ranks)
    : is_of_processor_(ranks.size() == 1 && omp_get_max_threads() == 1 && !has_gpu_backend()) {}

double CostClock::now() const {
  if (!is_of_processor_) return seconds_now();
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);  // the clock of the process is coarse under `ulimit -t`
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace weir
