#include "tests/benchmarks/multicolor.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdio>

#include "solvers/preconditioner/multicolor/multicolor.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/support/systems/tetrahedral.hpp"

namespace weir::bench {
namespace {

struct Timed {
  double sweep, first, set_up;
};

template <class T>
Timed time_host(const BlockCsr<Host>& A, Multicolor<Host, T>& M) {
  M.setup(A);
  Array<double, Host> b(A.size()), x(A.size());
  for (int i = 0; i < A.size(); ++i) b.view()[i] = 1 + i % 7;
  const auto seconds = [&](const auto& f) {
    return omp_get_max_threads() == 1 ? best_processor_seconds(f) : best_seconds(f);
  };
  return {seconds([&] { M.sweep(b, x); }), seconds([&] { M.apply(b, x); }), seconds([&] { M.update(A); })};
}

// The rows of each colour and the time of each: what its tail costs.
template <class T>
void print_tail(const Multicolor<Host, T>& M, int size) {
  Array<double, Host> b(size), x(size);
  Table table({"colour", "   rows", "ms      ", "ns per row"});
  for (int k = 0; k < M.colours(); ++k) {
    int rows = 0;
    for (const ColourPass& pass : M.colour_passes()[k]) rows += pass.to - pass.from;
    const double s = best_processor_seconds([&] { M.run(M.colour_passes()[k], b, x); }, 3, 0.02);
    table.row({number(k), number(rows, "%.0f"), number(1e3 * s), number(1e9 * s / rows)});
  }
}

// The table of a run, and the triad that its rows are held against.
class MulticolorSheet {
 public:
  explicit MulticolorSheet(const std::string& csv_path)
      : threads_(announced()),
        table_({"n      ", "nnz(O)  ", "nb", "colours", "storage ", "sweep ms", "MB", "Mflop", "GB/s", "Gflop/s",
                "triad", "of triad", "times bound", "first ms", "update ms"},
               csv_path) {
    measure_triad();
  }

  template <class T>
  void row(const BlockCsr<Host>& A, Multicolor<Host, T>& M, const char* storage) {
    const Timed t = time_host(A, M);
    const double before = triad_;
    measure_triad();
    const Work work = M.sweep_work();
    const auto bytes = static_cast<double>(work.bytes), flops = static_cast<double>(work.flops);
    const double triad = std::max(before, triad_);
    table_.row({number(A.rows(), "%.0f"), number(static_cast<double>(A.blocks() - A.rows()), "%.0f"), number(A.block()),
                number(M.colours()), storage, number(1e3 * t.sweep), number(1e-6 * bytes), number(1e-6 * flops),
                number(1e-9 * bytes / t.sweep), number(1e-9 * flops / t.sweep), number(1e-9 * triad),
                number(bytes / t.sweep / triad, "%.2f"), number(t.sweep * triad / bytes, "%.2f"), number(1e3 * t.first),
                number(1e3 * t.set_up)});
  }
  template <class T>
  void row(const BlockCsr<Host>& A, const char* storage) {
    Multicolor<Host, T> M({.sweeps = 1});
    row(A, M, storage);
  }

 private:
  static int announced() {
    const int threads = omp_get_max_threads();
    std::printf(
        "multicolor sweep on %d thread%s; triad: just before and after each row; times bound: over bytes / triad\n",
        threads, threads == 1 ? "" : "s");
    return threads;
  }
  void measure_triad() { triad_ = triad_bytes_per_second(threads_, threads_ == 1); }

  int threads_;
  double triad_ = 0;
  Table table_;
};

}  // namespace

int bench_multicolor(const std::string& csv_path, bool quick) {
  MulticolorSheet sheet(csv_path);
  struct Size {
    int m, most;
  };
  for (const Size size : quick ? std::vector<Size>{{10, 6}} : std::vector<Size>{{14, 64}, {36, 10}, {78, 6}}) {
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64}) {
      if (n > size.most) continue;
      const BlockCsr<Host> A(test::tetrahedral_system(size.m, n));
      sheet.row<float>(A, "float");
      if (n == 5) sheet.row<double>(A, "double");
      if (n == 5) sheet.row<Bfloat16>(A, "bfloat16");
    }
  }
  return 0;
}

int bench_multicolor_984k(const std::string& csv_path, bool quick) {
  MulticolorSheet sheet(csv_path);
  const BlockCsr<Host> A(test::tetrahedral_system(quick ? 36 : 78, 5));
  {
    Multicolor<Host, float> M({.sweeps = 1});
    sheet.row(A, M, "float");
    if (!quick) print_tail(M, A.size());
  }
  sheet.row<double>(A, "double");
  sheet.row<Bfloat16>(A, "bfloat16");
  return 0;
}

}  // namespace weir::bench
