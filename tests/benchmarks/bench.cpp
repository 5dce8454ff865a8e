#include "tests/benchmarks/bench.hpp"

#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>

namespace weir::bench {
namespace {

struct Free {
  void operator()(double* p) const { std::free(p); }
};
// On huge pages, as our own arrays are: the triad is to be the machine's limit, not that of its page tables.
std::unique_ptr<double, Free> huge_array(std::int64_t n) {
  void* p = std::aligned_alloc(1 << 21, static_cast<std::size_t>(8 * n));
  if (!p) throw std::bad_alloc();
  madvise(p, static_cast<std::size_t>(8 * n), MADV_HUGEPAGE);
  return std::unique_ptr<double, Free>(static_cast<double*>(p));
}

}  // namespace

namespace {

double now(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<double> sorted_seconds(clockid_t clock, const std::function<void()>& f, int repeats, double min_seconds) {
  std::vector<double> seconds;
  double spent = 0;
  for (int r = 0; r < repeats || spent < min_seconds; ++r) {
    const double start = now(clock);
    f();
    seconds.push_back(now(clock) - start);
    spent += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double best(clockid_t clock, const std::function<void()>& f, int repeats, double min_seconds) {
  return sorted_seconds(clock, f, repeats, min_seconds).front();
}

}  // namespace

double best_seconds(const std::function<void()>& f, int repeats, double min_seconds) {
  return best(CLOCK_MONOTONIC, f, repeats, min_seconds);
}
Spread spread_of_seconds(const std::function<void()>& f, int repeats, double min_seconds) {
  f();
  const std::vector<double> s = sorted_seconds(CLOCK_MONOTONIC, f, repeats, min_seconds);
  return {s.front(), s[s.size() / 2], s.back(), static_cast<int>(s.size())};
}
double best_processor_seconds(const std::function<void()>& f, int repeats, double min_seconds) {
  return best(CLOCK_THREAD_CPUTIME_ID, f, repeats, min_seconds);
}

double triad_bytes_per_second(int threads, bool processor_time) {
  constexpr std::int64_t n = 1 << 24;  // 128 MiB an array
  const auto a = huge_array(n), b = huge_array(n), c = huge_array(n);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < n; ++i) {
    a.get()[i] = 0;
    b.get()[i] = 1;
    c.get()[i] = 2;
  }
  double *pa = a.get(), *pb = b.get(), *pc = c.get();
  const double s = best(
      processor_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
      [=] {
#pragma omp parallel for simd schedule(static) num_threads(threads)
        for (std::int64_t i = 0; i < n; ++i) pa[i] = pb[i] + 3.0 * pc[i];
      },
      5, 0.5);
  return 24.0 * static_cast<double>(n) / s;
}

void set_threads(int threads) { omp_set_num_threads(threads); }

Table::Table(std::vector<std::string> columns, const std::string& csv_path) {
  for (const auto& c : columns) width_.push_back(std::max<std::size_t>(c.size(), 12));
  if (!csv_path.empty()) csv_ = std::fopen(csv_path.c_str(), "w");
  row(columns);
}
Table::~Table() {
  if (csv_) std::fclose(csv_);
}
void Table::flush() {
  if (csv_) std::fflush(csv_);
}
void Table::row(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    std::printf(i == 0 ? "%-*s" : "  %*s", static_cast<int>(i == 0 ? std::max<std::size_t>(width_[0], 34) : width_[i]),
                cells[i].c_str());
  std::printf("\n");
  std::fflush(stdout);
  if (!csv_) return;
  for (std::size_t i = 0; i < cells.size(); ++i) std::fprintf(csv_, "%s%s", i ? "," : "", cells[i].c_str());
  std::fprintf(csv_, "\n");
}

std::string number(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace weir::bench
