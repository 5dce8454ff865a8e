// Figs. 8 and 9: selection of the middle rank.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "backend/runtime.hpp"
#include "solvers/matrix/algorithms/sample_select.hpp"
#include "tests/benchmarks/anzt/anzt.hpp"
#include "tests/benchmarks/anzt/sheet.hpp"

namespace weir::bench {
namespace {

// distinct = 0: all different; else this many different values, shuffled.
std::vector<double> shuffled(std::int64_t n, int distinct) {
  std::vector<double> x(static_cast<std::size_t>(n));
  std::mt19937_64 random(7);
  for (double& v : x) {
    const std::uint64_t r = random();
    v = distinct ? static_cast<double>(r % static_cast<std::uint64_t>(distinct)) : static_cast<double>(r >> 11);
  }
  return x;
}

struct Method {
  const char* name;
  double bytes;  // a value: what must be moved at least
  std::function<void()> run;
};

class SelectSheet {
 public:
  explicit SelectSheet(const AnztOptions& o)
      : triad_(triad_bytes_per_second(omp_get_max_threads())),
        table_({"n        ", "distinct", "method                   ", "threads", "ms      ", "values/s", "MB", "GB/s ",
                "of triad"},
               csv_path(o.folder, "anzt_select")) {}

  void add(std::int64_t n, int distinct, const Method& m, int threads) {
    // One thread in its own time: other programs do not count.
    const double s = threads == 1 ? best_processor_seconds(m.run, 3, 0.2) : best_seconds(m.run, 3, 0.2);
    const auto values = static_cast<double>(n);
    table_.row({number(values, "%.0f"), distinct ? number(distinct) : "all", m.name, number(threads), number(1e3 * s),
                number(values / s, "%.3g"), number(1e-6 * m.bytes * values),
                number(1e-9 * m.bytes * values / s, "%.2f"), number(m.bytes * values / s / triad_, "%.2f")});
  }

 private:
  double triad_;
  Table table_;
};

void host_rows(SelectSheet& sheet, std::int64_t n, int distinct) {
  const std::vector<double> data = shuffled(n, distinct);
  std::vector<double> copy = data;
  const Array<double, Host> x(data);
  const std::int64_t rank = n / 2;
  const auto nth = [&] {
    std::copy(data.begin(), data.end(), copy.begin());  // part of its time: it destroys its input
    std::nth_element(copy.begin(), copy.begin() + rank, copy.end());
  };
  const auto sort = [&] {
    std::copy(data.begin(), data.end(), copy.begin());
    std::sort(copy.begin(), copy.end());
  };
  const int all = omp_get_max_threads();
  sheet.add(n, distinct, {"std::sort", 16, sort}, 1);
  sheet.add(n, distinct, {"std::nth_element", 16, nth}, 1);
  for (const int t : {1, all}) {
    set_threads(t);
    SampleSelect<Host> select;
    sheet.add(n, distinct, {"SampleSelect, exact", 10, [&] { select.exact(x, rank); }}, t);
    sheet.add(n, distinct, {"SampleSelect, approximate", 8, [&] { select.approximate(x, rank); }}, t);
    if (all == 1) break;
  }
  set_threads(all);
}

void device_rows(SelectSheet& sheet, std::int64_t n, int distinct) {
  const Array<double, Device> x(shuffled(n, distinct));
  SampleSelect<Device> select;
  sheet.add(n, distinct, {"device, exact", 10, [&] { select.exact(x, n / 2); }}, 0);
  sheet.add(n, distinct, {"device, approximate", 8, [&] { select.approximate(x, n / 2); }}, 0);
}

// Fig. 9: seconds of each part of `calls` selections.
template <class Space>
void print_parts(const char* name, std::int64_t n) {
  const Array<double, Space> x(shuffled(n, 0));
  for (const bool exact : {true, false}) {
    SampleSelect<Space> select;
    for (int q = 0; q < 5; ++q) exact ? select.exact(x, n / 2) : select.approximate(x, n / 2);
    const SelectTimes& t = select.times();
    const double all = t.splitters + t.count + t.extract + t.sort;
    std::printf("%-8s %-11s n = %.0f: splitters %4.1f %%, count %4.1f %%, extract %4.1f %%, sort %4.1f %%\n", name,
                exact ? "exact" : "approximate", static_cast<double>(n), 100 * t.splitters / all, 100 * t.count / all,
                100 * t.extract / all, 100 * t.sort / all);
  }
}

}  // namespace

int anzt_select(const AnztOptions& o) {
  const std::vector<std::int64_t> sizes = o.quick
                                              ? std::vector<std::int64_t>{1 << 12, 1 << 16}
                                              : std::vector<std::int64_t>{1 << 14, 1 << 17, 1 << 20, 1 << 24, 1 << 26};
  const std::int64_t one_level = o.quick ? 1 << 16 : 1 << 24;
  constexpr bool gpu = !backend::emulated;
  std::printf("Selection of the middle rank (Anzt et al. 2019, Fig. 8)\n");
  {
    SelectSheet sheet(o);
    for (const std::int64_t n : sizes) host_rows(sheet, n, 0);
    for (const int distinct : {1, 16, 1024}) host_rows(sheet, one_level, distinct);
    for (const std::int64_t n : sizes)
      if (gpu) device_rows(sheet, n, 0);
    for (const int distinct : {1, 16, 1024})
      if (gpu) device_rows(sheet, one_level, distinct);
  }
  std::printf("\nWhere the time goes (Fig. 9)\n");
  print_parts<Host>("host", one_level);
  if (gpu) print_parts<Device>("device", one_level);
  return 0;
}

}  // namespace weir::bench
