#include "solvers/distributed/whole_system.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/distributed/distributed_banded.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/visit.hpp"

namespace weir {
namespace {

std::vector<int> places_of(const std::vector<int>& number, int block) {
  std::vector<int> place;
  place.reserve(number.size() * at(block));
  for (const int row : number)
    for (int k = 0; k < block; ++k) place.push_back(row * block + k);
  return place;
}

template <class Space>
const Gatherable<Space>* gatherable(const Matrix<Space>& A) {
  const auto* banded = dynamic_cast<const DistributedBanded<Space>*>(&A);
  return banded && banded->has_remainder() ? nullptr : dynamic_cast<const Gatherable<Space>*>(&A);
}

// Rows of all ranks as a stream: for each row its number and block count, for each block its column and values.
// Blocks in the same position, as across a period of two cells, are added.
BlockCsrData rows_from(const std::vector<double>& stream, int rows, int block) {
  const std::size_t size = at(block) * at(block);
  std::vector<std::size_t> where(at(rows));
  for (std::size_t i = 0; i < stream.size(); i += 2 + static_cast<std::size_t>(stream[i + 1]) * (1 + size))
    where[stream[i]] = i;
  BlockCsrData data;
  data.block = block;
  data.row_start = {0};
  std::vector<std::pair<int, std::size_t>> blocks;  // column, offset of its values
  for (const std::size_t row : where) {
    blocks.clear();
    const auto count = static_cast<std::size_t>(stream[row + 1]);
    for (std::size_t k = 0, i = row + 2; k < count; ++k, i += 1 + size)
      blocks.emplace_back(static_cast<int>(stream[i]), i + 1);
    std::ranges::sort(blocks);
    for (std::size_t k = 0; k < count; ++k) {
      const auto [column, i] = blocks[k];
      if (k == 0 || column != blocks[k - 1].first) {
        data.column.push_back(column);
        data.value.resize(data.value.size() + size, 0);
      }
      double* value = data.value.data() + data.value.size() - size;
      for (std::size_t e = 0; e < size; ++e) value[e] += stream[i + e];
    }
    data.row_start.push_back(static_cast<std::int64_t>(data.column.size()));
  }
  return data;
}

}  // namespace

template <class Space>
WholeSystem<Space>::WholeSystem(const Communicator& ranks, std::vector<int> number, int block)
    : ranks_(ranks),
      number_(std::move(number)),
      block_(block),
      rows_(static_cast<int>(ranks.sum(static_cast<double>(number_.size())))),
      map_(ranks, places_of(number_, block)) {}

template <class Space>
bool WholeSystem<Space>::has_entries(const Matrix<Space>& A) {
  const auto* spread = dynamic_cast<const DistributedMatrix<Space>*>(&A);
  if (!spread) return false;
  const Matrix<Space>& local = spread->local();
  return gatherable(A) || visit(local, Overloaded{[](const BlockSparse<Space>&) { return true; },
                                                  [](const BlockStencil<Space>&) { return true; },
                                                  [](const Matrix<Space>&) { return false; }});
}

template <class Space>
std::unique_ptr<Matrix<Space>> WholeSystem<Space>::matrix(const Matrix<Space>& A) const {
  if (const Gatherable<Space>* whole = gatherable(A)) return whole->make_whole();
  const std::vector<double> stream = gathered(stream_of(dynamic_cast<const DistributedMatrix<Space>&>(A)));
  if (!ranks_.is_root()) return nullptr;
  BlockCsrData data = rows_from(stream, rows_, block_);
  data.symmetric = A.is_symmetric();
  data.constant_null_space = A.has_constant_null_space();
  return std::make_unique<BlockCsr<Space>>(data);
}

template <class Space>
std::vector<double> WholeSystem<Space>::vector(View<const double> mine) const {
  std::vector<double> all(ranks_.is_root() ? at(rows_) * at(block_) : 0);
  map_.gather(on_host<Space>(mine), all);
  return all;
}

// The global number of a ghost is fetched like its values.
template <class Space>
std::vector<double> WholeSystem<Space>::stream_of(const DistributedMatrix<Space>& A) const {
  const BlockCsrData own = block_rows(A.local());
  const Coupling beyond = A.coupling();
  Array<double, Space> numbers(A.size());
  std::vector<double> number;
  for (const int row : number_) number.insert(number.end(), at(block_), static_cast<double>(row));
  numbers.upload(number);
  const std::vector<double> ghost = A.at_ghosts(numbers);
  const std::size_t size = at(block_) * at(block_);
  std::vector<std::pair<int, int>> across;  // row, coupling entry
  for (std::size_t r = 0; r < beyond.row.size(); ++r)
    for (int k = beyond.start[r]; k < beyond.start[r + 1]; ++k) across.emplace_back(beyond.row[r], k);
  std::ranges::sort(across);
  std::vector<double> stream;
  auto from = across.cbegin();
  for (int i = 0; i < own.rows(); ++i) {
    const auto first = static_cast<std::size_t>(own.row_start[i]), end = static_cast<std::size_t>(own.row_start[i + 1]);
    const auto to = std::find_if(from, across.cend(), [i](const auto& entry) { return entry.first != i; });
    stream.push_back(number_[i]);
    stream.push_back(static_cast<double>(end - first) + static_cast<double>(to - from));
    const auto add = [&](double column, const std::vector<double>& values, std::size_t block) {
      stream.push_back(column);
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(block * size);
      stream.insert(stream.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    for (std::size_t k = first; k < end; ++k) add(number_[own.column[k]], own.value, k);
    for (; from != to; ++from) add(ghost[at(beyond.ghost[from->second]) * at(block_)], beyond.value, at(from->second));
  }
  return stream;
}

template <class Space>
std::vector<double> WholeSystem<Space>::gathered(const std::vector<double>& mine) const {
  std::vector<std::vector<int>> to(at(ranks_.size()));
  to.front() = {static_cast<int>(mine.size())};
  std::vector<int> counts;
  std::size_t all = 0;
  for (const auto& list : ranks_.exchange(to)) {
    counts.push_back(list.empty() ? 0 : list.front());
    all += at(counts.back());
  }
  std::vector<double> stream(all);
  ranks_.gather(mine, counts, stream);
  return stream;
}

template class WholeSystem<Host>;
template class WholeSystem<Device>;

}  // namespace weir
