// Shared by all benchmarks: the machine's own limit (triad), trustworthy timing, and one table form.
// Quote ratios taken in one run: this machine may be doing other things, so each figure is the best of several repeats.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace weir::bench {

// Seconds of the fastest of at least `repeats` calls, going on until `min_seconds` have been spent.
double best_seconds(const std::function<void()>& f, int repeats = 3, double min_seconds = 0.3);

// Of all those calls, of which the first, uncounted, warms up.
struct Spread {
  double min = 0, median = 0, max = 0;
  int repeats = 0;
};
Spread spread_of_seconds(const std::function<void()>& f, int repeats = 5, double min_seconds = 0.3);

// The same in processor time of the calling thread, for work on one thread next to other programs: what they take of
// the processor does not count, what they take of caches and memory does.
double best_processor_seconds(const std::function<void()>& f, int repeats = 3, double min_seconds = 0.3);

// a = b + s c on three arrays that do not fit the cache, as STREAM counts it (24 bytes an element), in bytes a second.
double triad_bytes_per_second(int threads, bool processor_time = false);

// Sets the number of OpenMP threads for what follows.
void set_threads(int threads);

// Rows of text, aligned, printed as they come; also kept as CSV when a file is named.
class Table {
 public:
  explicit Table(std::vector<std::string> columns, const std::string& csv_path = "");
  ~Table();
  void row(const std::vector<std::string>& cells);
  void flush();  // the CSV file is whole up to here

 private:
  std::vector<std::size_t> width_;
  std::FILE* csv_ = nullptr;
};

std::string number(double value, const char* format = "%.4g");

}  // namespace weir::bench
