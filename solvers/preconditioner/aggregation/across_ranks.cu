#include "solvers/preconditioner/aggregation/across_ranks.hpp"

#include <utility>

#include "base/at.hpp"
#include "solvers/device/for_each.hpp"

namespace weir::aggregation {
namespace across_kernels {

// Sums of coupling blocks; host floats are stored by columns.
template <class T>
struct CouplingSums {
  const int *start, *term, *to;
  const double* fine;
  double factor;
  T* coarse;
  bool by_columns;
};

// One thread per entry of a coarse block.
template <class Space, class T>
void add(int B, int blocks, const CouplingSums<T>& sums) {
  const CouplingSums<T> s = sums;
  const int nn = B * B;
  for_each<Space>(blocks * nn, [=] WEIR_HD(int i) {
    const int k = i / nn, q = i % nn;
    double sum = 0;
    for (int t = s.start[k]; t < s.start[k + 1]; ++t) sum += s.fine[std::int64_t{s.term[t]} * nn + q];
    const int entry = s.by_columns ? q % B * B + q / B : q;
    s.coarse[std::int64_t{s.to[k]} * nn + entry] += static_cast<T>(s.factor * sum);
  });
}

template <class T>
struct Border {
  const int *row, *start, *has_transposed;
  const std::int64_t* diagonal;
  const double* transposed;
  double* value;
  T* own;
  bool by_columns;
};

// One thread per entry of the blocks of a border row.
template <class Space, class T>
void weaken(int B, int rows, double half, const Border<T>& border) {
  const Border<T> b = border;
  const int nn = B * B;
  for_each<Space>(rows * nn, [=] WEIR_HD(int i) {
    const int r = i / nn, q = i % nn;
    double all = 0;
    for (int k = b.start[r]; k < b.start[r + 1]; ++k) {
      if (!b.has_transposed[k]) continue;
      double& out = b.value[std::int64_t{k} * nn + q];
      const double d = half * (out + b.transposed[std::int64_t{k} * nn + q]);
      out -= d;
      all += d;
    }
    const std::int64_t diagonal = b.diagonal[b.row[r]];
    if (diagonal >= 0) b.own[diagonal * nn + (b.by_columns ? q % B * B + q / B : q)] += static_cast<T>(all);
  });
}

template <class Space>
void clear(View<double> v) {
  for_each<Space>(v.size(), [=] WEIR_HD(int i) { v[i] = 0; });
}

}  // namespace across_kernels

template <class Space>
AcrossRanks<Space>::AcrossRanks(const DistributedMatrix<Space>& fine, const Aggregates& aggregates)
    : ranks_(*fine.ranks()),
      block_(fine.block()),
      rows_(aggregates.count()),
      numbering_(number_aggregates(ranks_, rows_)),
      parts_(ranks_, numbering_.begin, block_ * static_cast<int>(sizeof(double))) {
  first_ = numbering_.begin[ranks_.rank()];
  std::vector<double> numbers;
  for (const int I : aggregates.of_row) numbers.insert(numbers.end(), at(block_), static_cast<double>(first_ + I));
  const std::vector<double> fetched = fine.at_ghosts(Array<double, Space>(numbers));
  std::vector<int> number_of_ghost;
  for (std::size_t g = 0; g < fetched.size(); g += at(block_)) number_of_ghost.push_back(static_cast<int>(fetched[g]));
  coarse_ = coarse_coupling(fine.coupling(), number_of_ghost, aggregates);
  start_ = Array<int, Space>(coarse_.first);
  term_ = Array<int, Space>(coarse_.term);
}

template <class Space>
template <class T>
BlockCsrData AcrossRanks<Space>::gather(const Pattern& fine, const Aggregates& aggregates, CoarsePattern& own,
                                        bool full) {
  WholeRows mine = whole_rows(fine, aggregates, own, coarse_, numbering_, ranks_.rank(), full);
  own.into = std::move(mine.into);
  to_ = Array<int, Space>(mine.to);
  std::vector<int> ghost = coarse_.ghost;
  for (int& g : ghost) g = coarse_.number[g];
  ghost_ = Array<int, Space>(ghost);
  std::vector<int> lengths, begin{0};
  for (std::size_t I = 0; I < at(rows_); ++I)
    lengths.push_back(static_cast<int>(mine.rows.row_start[I + 1] - mine.rows.row_start[I]));
  for (const int count : lists_of_all(ranks_, {static_cast<int>(mine.rows.column.size())}))
    begin.push_back(begin.back() + count);
  first_block_ = begin[ranks_.rank()];
  blocks_ = PartsOnAll<Space>(ranks_, begin, block_ * block_ * static_cast<int>(sizeof(T)));
  BlockCsrData whole;
  whole.block = block_;
  whole.row_start = {0};
  for (const int length : lists_of_all(ranks_, lengths)) whole.row_start.push_back(whole.row_start.back() + length);
  whole.column = lists_of_all(ranks_, mine.rows.column);
  return whole;
}

template <class Space>
std::vector<RowRange> AcrossRanks<Space>::lines_of_all(const std::vector<RowRange>& mine) const {
  std::vector<int> numbers;
  for (const RowRange& line : mine) numbers.insert(numbers.end(), {first_ + line.first, line.count});
  numbers = lists_of_all(ranks_, numbers);
  std::vector<RowRange> all;
  for (std::size_t i = 0; i < numbers.size(); i += 2) all.push_back({numbers[i], numbers[i + 1]});
  return all;
}

template <class Space>
const DistributedMatrix<Space>& AcrossRanks<Space>::spread(const DistributedMatrix<Space>& fine,
                                                           const Matrix<Space>& own, bool weakens) {
  const std::vector<GhostRequest> ghosts = coarse_.requests(numbering_);
  next_ = std::make_unique<DistributedMatrix<Space>>(ranks_, own, make_halo_pattern(ranks_, ghosts), coarse_.beyond,
                                                     fine.is_symmetric(), false, fine.halo_options());
  ghost_ = Array<int, Space>(coarse_.ghost);
  std::vector<int> to(coarse_.beyond.ghost.size());
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = static_cast<int>(k);
  to_ = Array<int, Space>(to);
  if (!weakens) return *next_;
  const std::vector<int> transposed = transposed_places(ranks_, coarse_.beyond, ghosts);
  std::vector<int> has_transposed;
  std::vector<GhostRequest> rows;  // a block is fetched by its rows
  for (std::size_t r = 0, k = 0; r < coarse_.beyond.row.size(); ++r)
    for (; k < at(coarse_.beyond.start[r + 1]); ++k) {
      has_transposed.push_back(transposed[k] >= 0 ? 1 : 0);
      for (int c = 0; transposed[k] >= 0 && c < block_; ++c)
        rows.push_back(
            {static_cast<int>(k) * block_ + c, ghosts[coarse_.beyond.ghost[k]].owner, transposed[k] * block_ + c});
    }
  has_transposed_ = Array<int, Space>(has_transposed);
  transposed_ = Array<double, Space>(static_cast<std::int64_t>(coarse_.beyond.value.size()));
  transposes_ = Halo<Space>(ranks_, make_halo_pattern(ranks_, rows), block_, fine.halo_options());
  return *next_;
}

template <class Space>
std::int64_t AcrossRanks<Space>::bytes() const {
  return 4 * (ghost_.size() + start_.size() + term_.size() + to_.size() + has_transposed_.size()) +
         8 * transposed_.size();
}

template <class Space>
template <class T>
void AcrossRanks<Space>::sum_blocks(const DistributedMatrix<Space>& fine, CsrMatrix<Space, T>& coarse) const {
  const CouplingView C = fine.beyond();
  const int blocks = static_cast<int>(to_.size());
  if (next_) {
    const View<double> values = next_->coupling_values();
    across_kernels::clear<Space>(values);
    return across_kernels::add<Space, double>(
        block_, blocks, {start_.data(), term_.data(), to_.data(), C.value.data(), C.factor, values.data(), false});
  }
  T* const mine = coarse.values().data() + first_block_ * block_ * block_;
  across_kernels::add<Space, T>(
      block_, blocks,
      {start_.data(), term_.data(), to_.data(), C.value.data(), C.factor, mine, CsrMatrix<Space, T>::by_columns});
  blocks_.complete(coarse.values().data());
}

template <class Space>
template <class T>
void AcrossRanks<Space>::weaken(CsrMatrix<Space, T>& coarse, double half) const {
  if (!next_) return;
  double* const values = next_->coupling_values().data();
  transposes_.start(HaloFields::blocks(values, block_));
  transposes_.finish();
  transposes_.unpack(HaloFields::blocks(transposed_.data(), block_));
  const CouplingView C = next_->beyond();
  across_kernels::weaken<Space, T>(
      block_, C.row.size(), half,
      {C.row.data(), C.start.data(), has_transposed_.data(), coarse.diagonal().data(), transposed_.data(), values,
       coarse.values().data(), CsrMatrix<Space, T>::by_columns});
}

template <class Space>
void AcrossRanks<Space>::subtract(const DistributedMatrix<Space>& fine, View<const double> c,
                                  View<double> defect) const {
  CouplingView C = fine.beyond(-1);
  C.ghost = ghost_.view();
  add_coupling<Space>(C, next_ ? next_->ghosts() : c, defect);
}

#define WEIR_ACROSS(Space, T)                                                                                   \
  template BlockCsrData AcrossRanks<Space>::gather<T>(const Pattern&, const Aggregates&, CoarsePattern&, bool); \
  template void AcrossRanks<Space>::sum_blocks(const DistributedMatrix<Space>&, CsrMatrix<Space, T>&) const;    \
  template void AcrossRanks<Space>::weaken(CsrMatrix<Space, T>&, double) const
template class AcrossRanks<Host>;
template class AcrossRanks<Device>;
WEIR_ACROSS(Host, double);
WEIR_ACROSS(Host, float);
WEIR_ACROSS(Device, double);
WEIR_ACROSS(Device, float);
#undef WEIR_ACROSS

}  // namespace weir::aggregation
