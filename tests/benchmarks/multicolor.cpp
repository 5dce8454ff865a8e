#include "tests/benchmarks/multicolor.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {
namespace {

// Nodes of a body-centred cubic lattice of m^3 cells: its tetrahedra (Delaunay) join a node to 8 nodes of the other
// kind and 6 of its own, 14 neighbours, the paper's average.
Graph tetrahedral_graph(int m) {
  const int corners = (m + 1) * (m + 1) * (m + 1);
  const auto corner = [&](int i, int j, int k) { return (k * (m + 1) + j) * (m + 1) + i; };
  const auto centre = [&](int i, int j, int k) { return corners + (k * m + j) * m + i; };
  std::vector<std::array<int, 2>> edges;
  for (int k = 0; k <= m; ++k)
    for (int j = 0; j <= m; ++j)
      for (int i = 0; i <= m; ++i) {
        if (i < m) edges.push_back({corner(i, j, k), corner(i + 1, j, k)});
        if (j < m) edges.push_back({corner(i, j, k), corner(i, j + 1, k)});
        if (k < m) edges.push_back({corner(i, j, k), corner(i, j, k + 1)});
        if (i == m || j == m || k == m) continue;
        const int c = centre(i, j, k);
        if (i + 1 < m) edges.push_back({c, centre(i + 1, j, k)});
        if (j + 1 < m) edges.push_back({c, centre(i, j + 1, k)});
        if (k + 1 < m) edges.push_back({c, centre(i, j, k + 1)});
        for (int a = 0; a < 8; ++a) edges.push_back({c, corner(i + a % 2, j + a / 2 % 2, k + a / 4)});
      }
  return graph_of_edges(corners + m * m * m, edges);
}

// The graph in reverse Cuthill-McKee order, random blocks, diagonally dominant.
BlockCsrData random_values(const Graph& graph, int n) {
  const Order order = reverse_cuthill_mckee(graph), position = inverse(order);
  BlockCsrData data;
  data.block = n;
  data.row_start = {0};
  for (const int v : order) {
    const std::size_t first = data.column.size();
    data.column.push_back(position[static_cast<std::size_t>(v)]);
    for (auto e = graph.start[static_cast<std::size_t>(v)]; e < graph.start[static_cast<std::size_t>(v) + 1]; ++e)
      data.column.push_back(position[static_cast<std::size_t>(graph.neighbour[static_cast<std::size_t>(e)])]);
    std::sort(data.column.begin() + static_cast<std::ptrdiff_t>(first), data.column.end());
    data.row_start.push_back(static_cast<std::int64_t>(data.column.size()));
  }
  data.value.resize(data.column.size() * static_cast<std::size_t>(n * n));
  std::minstd_rand random(1);
  for (double& v : data.value) v = static_cast<double>(random()) / 2147483647.0 - 0.5;
  for (int i = 0; i < data.rows(); ++i)
    for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      for (int u = 0; data.column[static_cast<std::size_t>(e)] == i && u < n; ++u)
        data.value[static_cast<std::size_t>((e * n + u) * n + u)] += 8.0 * n;
  return data;
}

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
  Table table({"colour", "   rows", "ms      ", "ns a row"});
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
    const Graph graph = tetrahedral_graph(size.m);
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64}) {
      if (n > size.most) continue;
      const BlockCsr<Host> A(random_values(graph, n));
      sheet.row<float>(A, "float");
      if (n == 5) sheet.row<double>(A, "double");
      if (n == 5) sheet.row<Bfloat16>(A, "bfloat16");
    }
  }
  return 0;
}

int bench_multicolor_984k(const std::string& csv_path, bool quick) {
  MulticolorSheet sheet(csv_path);
  const BlockCsr<Host> A(random_values(tetrahedral_graph(quick ? 36 : 78), 5));
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
