#include "tests/benchmarks/peers/measured.hpp"

#include <sys/resource.h>

#include <cstring>
#include <ctime>
#include <fstream>

namespace weir::bench {
namespace {

// A line of /proc/self/status in bytes.
std::int64_t status_bytes(const char* key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return 1024 * std::stoll(line.substr(std::strlen(key) + 1));
  return 0;
}

std::int64_t faults() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return u.ru_minflt + u.ru_majflt;
}

}  // namespace

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double processor_seconds_of(const std::function<void()>& f) {
  const double start = processor_seconds();
  f();
  return processor_seconds() - start;
}

Watch::Watch(Measured& m) : measured_(m) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts again
  bytes_ = status_bytes("VmRSS");
  faults_ = faults();
}
void Watch::first_solve_done() {
  measured_.faults_first = faults() - faults_;
  faults_later_ = faults();
}
Watch::~Watch() {
  if (faults_later_ > 0) measured_.faults_later = faults() - faults_later_;
  measured_.bytes = status_bytes("VmHWM") - bytes_;
}

void measure_solver(Measured& m, const Solver& s, int repeats) {
  Watch watch(m);
  const double setup = processor_seconds_of(s.setup);
  const double first = processor_seconds_of([&] {
    s.zero();
    s.solve();
  });
  watch.first_solve_done();
  m.seconds["set-up"] = {setup};
  m.seconds["first"] = {setup + first};
  for (int r = 0; r < repeats; ++r) {
    s.zero();
    m.seconds["solve"].push_back(processor_seconds_of(s.solve));
  }
}

void measure_work(Measured& m, const std::string& work, int repeats, const std::function<void()>& f) {
  f();
  for (int r = 0; r < repeats; ++r) m.seconds[work].push_back(processor_seconds_of(f));
}

}  // namespace weir::bench
