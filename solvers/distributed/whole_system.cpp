#include "solvers/distributed/whole_system.hpp"

#include <utility>

#include "base/at.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/distributed/distributed_banded.hpp"
#include "solvers/distributed/global_rows.hpp"
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
BlockCsrData rows_from(const std::vector<double>& stream, int rows, int block) {
  const std::size_t size = at(block) * at(block);
  std::vector<std::size_t> where(at(rows));
  for (std::size_t i = 0; i < stream.size(); i += 2 + static_cast<std::size_t>(stream[i + 1]) * (1 + size))
    where[stream[i]] = i;
  BlockCsrData data;
  data.block = block;
  data.row_start = {0};
  for (const std::size_t row : where) {
    const double* from = stream.data() + row + 2;
    for (auto k = static_cast<std::size_t>(stream[row + 1]); k > 0; --k, from += 1 + size) {
      data.column.push_back(static_cast<int>(*from));
      data.value.insert(data.value.end(), from + 1, from + 1 + size);
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

template <class Space>
std::vector<double> WholeSystem<Space>::stream_of(const DistributedMatrix<Space>& A) const {
  const BlockCsrData rows = global_rows(A, std::span<const int>(number_));
  const std::size_t size = at(block_) * at(block_);
  std::vector<double> stream;
  for (int i = 0; i < rows.rows(); ++i) {
    const auto first = static_cast<std::size_t>(rows.row_start[i]),
               end = static_cast<std::size_t>(rows.row_start[i + 1]);
    stream.push_back(number_[i]);
    stream.push_back(static_cast<double>(end - first));
    for (std::size_t k = first; k < end; ++k) {
      stream.push_back(rows.column[k]);
      const double* from = rows.value.data() + k * size;
      stream.insert(stream.end(), from, from + size);
    }
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
