// One sweep on the host: vectors over the block, compile-time sizes 1..8. A row moves its blocks (8 or 4 n^2 bytes and
// 4 each), row start and order, b and x, and computes 2 n^2 flops a block: 1/4 flop a byte, so memory sets the pace.
#include "solvers/matrix/algorithms/triangular.hpp"
#include "solvers/matrix/block/block_dense.hpp"

namespace weir {
namespace {

template <class Block, class T>
void solve_rows(Block block, const TriangleView<T>& t, const T* scale, int from, int to, const double* b, double* x) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n;
  for (int p = from; p < to; ++p) {
    const std::int64_t row = t.order[p] * n;
    const Vector right(block, b + row);
    Vector y = scale ? Vector(block) : right;
    if (scale) y.add_product(scale + p * nn, right);
    for (std::int64_t e = t.start[p]; e < t.start[p + 1]; ++e)
      y.subtract_product(t.value + e * nn, x + t.column[e] * n);
    y.store(x + row);
  }
}

}  // namespace

template <class T>
UnitTriangle<Host, T>::UnitTriangle(const TriangularRows& rows, Triangle side, int block, const SweepOptions& options)
    : block_(block),
      plan_(rows, side, block, options.threads, options.cuts),
      order_(plan_.order()),
      column_(static_cast<std::int64_t>(rows.column.size())),
      start_(std::int64_t{rows.rows()} + 1),
      value_(static_cast<std::int64_t>(rows.column.size()) * block * block) {
  std::int64_t to = 0;
  for (int p = 0; p < rows.rows(); ++p) {
    start_.data()[p] = to;
    for (std::int64_t e = rows.first(order_.data()[p]); e < rows.end(order_.data()[p]); ++e)
      column_.data()[to++] = rows.column[static_cast<std::size_t>(e)];
  }
  start_.data()[rows.rows()] = to;
}

template <class T>
TriangleView<T> UnitTriangle<Host, T>::view() {
  return {static_cast<int>(order_.size()), block_, order_.data(), start_.data(), column_.data(), value_.data()};
}

template <class T>
std::vector<int> UnitTriangle<Host, T>::positions() const {
  std::vector<int> position(static_cast<std::size_t>(order_.size()));
  for (int p = 0; p < static_cast<int>(order_.size()); ++p) position[static_cast<std::size_t>(order_.data()[p])] = p;
  return position;
}

template <class T>
std::int64_t UnitTriangle<Host, T>::bytes() const {
  return value_.size() * static_cast<std::int64_t>(sizeof(T)) + 4 * (order_.size() + column_.size()) +
         8 * start_.size();
}

template <class T>
void UnitTriangle<Host, T>::solve(const T* scale, const double* b, double* x) const {
  const TriangleView<T> t{
      static_cast<int>(order_.size()), block_, order_.data(), start_.data(), column_.data(), value_.data()};
  lanes::with_block(block_, [&](auto block) {
    plan_.run([&](int from, int to, int) { solve_rows(block, t, scale, from, to, b, x); });
  });
}

template class UnitTriangle<Host, double>;
template class UnitTriangle<Host, float>;

}  // namespace weir
