#include "tests/benchmarks/kashi/sequential_solve.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <stdexcept>

namespace weir::kashi {
namespace {

constexpr int n = 4;  // the flow's block
using Block = Eigen::Matrix<double, n, n, Eigen::RowMajor>;
using Segment = Eigen::Map<Eigen::Matrix<double, n, 1>>;

}  // namespace

SequentialSolve::SequentialSolve(const BlockCsr<Host>& A, std::vector<double> factors)
    : pattern_(A.view()), factors_(std::move(factors)) {
  if (pattern_.block != n) throw std::invalid_argument("SequentialSolve: blocks of four by four");
  inverse_.resize(static_cast<std::size_t>(pattern_.rows) * n * n);
  for (int i = 0; i < pattern_.rows; ++i) {
    const Eigen::Map<const Block> U(factors_.data() + pattern_.diagonal[i] * n * n);
    Eigen::Map<Block>(inverse_.data() + std::int64_t{n * n} * i) = U.inverse();
  }
}

void SequentialSolve::apply(View<const double> r, View<double> z) const {
  const auto unknowns = [&](int i) { return Segment(z.data() + std::int64_t{n} * i); };
  const auto subtract = [&](int i, std::int64_t from, std::int64_t to) {  // z_i -= sum over these blocks
    for (std::int64_t k = from; k < to; ++k)
      unknowns(i).noalias() -= Eigen::Map<const Block>(factors_.data() + k * n * n) * unknowns(pattern_.column[k]);
  };
  std::copy(r.data(), r.data() + r.size(), z.data());
  for (int i = 0; i < pattern_.rows; ++i) subtract(i, pattern_.row_start[i], pattern_.diagonal[i]);
  for (int i = pattern_.rows - 1; i >= 0; --i) {
    subtract(i, pattern_.diagonal[i] + 1, pattern_.row_start[i + 1]);
    unknowns(i) = (Eigen::Map<const Block>(inverse_.data() + std::int64_t{n * n} * i) * unknowns(i)).eval();
  }
}

}  // namespace weir::kashi
