// interpolation = "smoothed": the cycle. Below the finest level, whose matrix is used as it is, levels are sparse rows
// (smoothed_levels.hpp). The smoother is the Chebyshev polynomial in D^-1 A that is smallest on the part of the
// spectrum that coarser levels cannot represent: symmetric, all rows at once, the same in both spaces.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/preconditioner/aggregation/aggregation.hpp"
#include "solvers/preconditioner/aggregation/smoothed_levels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

namespace weir {
namespace {

using namespace aggregation;

constexpr double slowest_coarsening = 0.9;  // rows kept at most, else no further level
constexpr int most_solved_directly = 4096;
constexpr double rounding = 1e-10;     // tolerance for zero row sums of a triple product
constexpr double smoothed_part = 0.1;  // the smoother acts on [this fraction, 1] of the spectrum bound

template <class Space>
struct TransferRows {
  Array<std::int64_t, Space> row_start;
  Array<int, Space> column;
  Array<double, Space> value;

  void take(const SparseRows& rows, double scale) {
    std::vector<double> values = rows.value;
    for (double& v : values) v *= scale;
    row_start = Array<std::int64_t, Space>(rows.row_start);
    column = Array<int, Space>(rows.column);
    value = Array<double, Space>(values);
  }
  BlockCsrView view() const {
    return {static_cast<int>(row_start.size()) - 1, 1, row_start.view(), column.view(), {}, value.view()};
  }
  std::int64_t bytes() const { return 8 * row_start.size() + 12 * column.size(); }
};

template <class Space>
struct SmoothedLevel {
  const Matrix<Space>* A = nullptr;
  std::unique_ptr<BlockCsr<Space>> own;      // *A, below the finest
  std::unique_ptr<BlockCsr<Space>> inverse;  // inverse of the coarsest matrix, full
  double bound = 2;                          // bound of the eigenvalues of D^-1 A
  Array<double, Space> inverse_diagonal, defect, direction;
  TransferRows<Space> to_coarse, minus_from_coarse;  // P^T, -P; empty on the coarsest
  Array<double, Space> r, z;                         // below the finest

  std::int64_t bytes() const {
    std::int64_t sum = 8 * (inverse_diagonal.size() + defect.size() + direction.size() + r.size() + z.size()) +
                       to_coarse.bytes() + minus_from_coarse.bytes();
    for (const auto* m : {own.get(), inverse.get()})
      if (m) sum += m->bytes() + 4 * m->blocks() + 16 * std::int64_t{m->rows()};
    return sum;
  }
};

// True if all rows sum to zero: singular. It may not have been declared where rows stand alone within a body: these are
// in no aggregate.
bool constants_vanish(const BlockCsrData& A) {
  for (int i = 0; i < A.rows(); ++i) {
    double sum = 0, sizes = 0;
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      sum += A.value[e];
      sizes += std::abs(A.value[e]);
    }
    if (std::abs(sum) > rounding * sizes) return false;
  }
  return true;
}

// Inverse of A; if constants vanish, of A with these shifted to the mean eigenvalue m, A + (m / n) 1 1^T. If they are
// the null space of all levels, 1 1^T / (n m) is subtracted again: the pseudo-inverse.
BlockCsrData inverse_of(const BlockCsrData& A) {
  const auto n = static_cast<std::size_t>(A.rows());
  BlockCsrData inverse;
  inverse.symmetric = true;
  inverse.constant_null_space = A.constant_null_space;
  std::vector<double>& d = inverse.value;
  d.assign(n * n, 0);
  double trace = 0;
  inverse.row_start.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) d[i * n + A.column[e]] = A.value[e];
    trace += d[i * n + i];
    for (std::size_t j = 0; j < n; ++j) inverse.column.push_back(static_cast<int>(j));
    inverse.row_start.push_back(static_cast<std::int64_t>(inverse.column.size()));
  }
  const double size = static_cast<double>(n), mean = trace / size;
  if (constants_vanish(A))
    for (double& v : d) v += mean / size;
  multigrid::invert_in_place(d, n);
  if (A.constant_null_space)
    for (double& v : d) v -= 1 / (size * mean);
  for (double& v : d)
    if (!std::isfinite(v)) v = 0;  // a single row with a zero matrix: no correction
  return inverse;
}

// d = old d + fresh D^-1 r,   z = d or z + d
template <class Space>
void chebyshev_step(double old, double fresh, bool from_zero, View<const double> inverse_diagonal, View<const double> r,
                    View<double> d, View<double> z) {
  for_each<Space>(r.size(), [=] WEIR_HD(int i) {
    const double step = fresh * inverse_diagonal[i] * r[i] + (old != 0 ? old * d[i] : 0);
    d[i] = step;
    z[i] = from_zero ? step : z[i] + step;
  });
}

template <class Space>
class SmoothedAggregation final : public Preconditioner<Space> {
 public:
  explicit SmoothedAggregation(AggregationOptions options) : o_(std::move(options)) {
    this->traits_.keeps_symmetry = o_.pre == o_.post;
  }

  void apply(View<const double> r, View<double> z) const override { cycle(0, r, z); }

  Work apply_work() const override {
    Work work;
    for (const auto& level : levels_) {
      const std::int64_t n = level->A->size(), sweeps = o_.pre + o_.post;
      if (level->inverse) {
        work += level->inverse->apply_work();
        continue;
      }
      const Work product = level->A->apply_work();  // and reading b for a residual
      work += {sweeps * (product.bytes + 48 * n), sweeps * (product.flops + 4 * n)};
      work +=
          {level->to_coarse.bytes() + level->minus_from_coarse.bytes() + 40 * n, 4 * level->to_coarse.column.size()};
    }
    return work;
  }

  std::string describe() const override {
    std::string s = "smoothed aggregation (V cycle, Chebyshev of degree " + std::to_string(o_.pre) + " before and " +
                    std::to_string(o_.post) + " after";
    return s + (levels_.empty() ? ")" : ", " + std::to_string(levels_.size()) + " levels)");
  }

 private:
  SetupInfo do_setup(const Matrix<Space>& A) override {
    if (A.block() != 1 || !A.is_symmetric())
      throw Error(Exit::usage,
                  "aggregation: interpolation = \"smoothed\" requires a symmetric scalar matrix, but this one is " +
                      std::string(A.block() != 1 ? "a matrix of blocks" : "not symmetric"));
    levels_.clear();
    BlockCsrData rows = block_rows(A);
    add_level(&A, rows);
    while (rows.rows() > o_.coarse_rows && static_cast<int>(levels_.size()) < o_.levels) {
      this->stop_if_asked();
      SmoothedStep step = smoothed_step(rows, o_.strength * std::pow(0.5, static_cast<double>(levels_.size() - 1)));
      const int count = step.coarse.rows();
      if (count == 0 || count > slowest_coarsening * rows.rows()) break;
      levels_.back()->to_coarse.take(step.restriction, 1);
      levels_.back()->minus_from_coarse.take(step.prolongation, -1);
      rows = std::move(step.coarse);
      auto own = std::make_unique<BlockCsr<Space>>(rows);
      add_level(own.get(), rows);
      levels_.back()->own = std::move(own);
      levels_.back()->r = Array<double, Space>(count);
      levels_.back()->z = Array<double, Space>(count);
    }
    if (rows.rows() <= std::min(o_.coarse_rows, most_solved_directly))
      levels_.back()->inverse = std::make_unique<BlockCsr<Space>>(inverse_of(rows));
    SetupInfo info{.levels = static_cast<int>(levels_.size())};
    for (const auto& level : levels_) {
      info.bytes += level->bytes();
      info.nnz += level->own ? level->own->blocks() : 0;
    }
    return info;
  }

  void add_level(const Matrix<Space>* A, const BlockCsrData& rows) {
    auto& level = *levels_.emplace_back(std::make_unique<SmoothedLevel<Space>>());
    level.A = A;
    level.bound = gershgorin_bound(rows);
    std::vector<double> d = diagonal_of(rows);
    for (double& v : d) v = v != 0 ? 1 / v : 0;
    level.inverse_diagonal = Array<double, Space>(d);
    level.defect = Array<double, Space>(A->size());
    level.direction = Array<double, Space>(A->size());
  }

  // z from r, of level l.
  void cycle(std::size_t l, View<const double> r, View<double> z) const {
    SmoothedLevel<Space>& level = *levels_[l];
    if (level.inverse) return level.inverse->apply(r, z);
    const bool is_last = l + 1 == levels_.size();
    smooth(level, is_last ? o_.pre + o_.post : o_.pre, true, r, z);
    if (is_last) return;
    SmoothedLevel<Space>& next = *levels_[l + 1];
    if (o_.pre > 0) level.A->residual(r, z, level.defect);
    const double* defect = o_.pre > 0 ? level.defect.data() : r.data();
    csr_products::product(Space{}, level.to_coarse.view(), Product::apply, nullptr, defect, next.r.view().data());
    cycle(l + 1, next.r, next.z);
    csr_products::product(Space{}, level.minus_from_coarse.view(), Product::residual, z.data(), next.z.data(),
                          z.data());
    smooth(level, o_.post, false, r, z);
  }

  // Saad 2003, algorithm 12.1, on [smoothed_part, 1] times the bound. Degree 0 from zero: zero.
  void smooth(SmoothedLevel<Space>& level, int degree, bool from_zero, View<const double> r, View<double> z) const {
    const double centre = level.bound * (1 + smoothed_part) / 2, half = level.bound * (1 - smoothed_part) / 2;
    const double sigma = centre / half;
    double rho = 1 / sigma, old = 0, fresh = 1 / centre;
    if (degree == 0 && from_zero) fill<Space>(0, z);
    for (int s = 0; s < degree; ++s) {
      const bool is_first = from_zero && s == 0;
      if (!is_first) level.A->residual(r, z, level.defect);
      chebyshev_step<Space>(old, fresh, is_first, level.inverse_diagonal,
                            is_first ? r : View<const double>(level.defect), level.direction, z);
      const double next = 1 / (2 * sigma - rho);
      old = next * rho;
      fresh = 2 * next / half;
      rho = next;
    }
  }

  AggregationOptions o_;
  std::vector<std::unique_ptr<SmoothedLevel<Space>>> levels_;
};

}  // namespace

template <class Space>
std::unique_ptr<Preconditioner<Space>> aggregation::make_smoothed(const AggregationOptions& options) {
  return std::make_unique<SmoothedAggregation<Space>>(options);
}
template std::unique_ptr<Preconditioner<Host>> aggregation::make_smoothed(const AggregationOptions& options);
template std::unique_ptr<Preconditioner<Device>> aggregation::make_smoothed(const AggregationOptions& options);

}  // namespace weir
