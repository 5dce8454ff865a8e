#include "solvers/distributed/global_rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/parallel/agree.hpp"

namespace weir {
namespace {

using PlacedBlock = std::pair<int, const double*>;  // column, values

// Coupling entries by row.
std::vector<std::pair<int, int>> entries_of(const Coupling& C) {
  std::vector<std::pair<int, int>> entries;  // row, entry
  for (std::size_t r = 0; r < C.row.size(); ++r)
    for (int k = C.start[r]; k < C.start[r + 1]; ++k) entries.emplace_back(C.row[r], k);
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_row(std::vector<PlacedBlock>& blocks, BlockCsrData& to) {
  const std::size_t size = at(to.block) * at(to.block);
  const auto begin = static_cast<std::size_t>(to.row_start.back());
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const PlacedBlock& a, const PlacedBlock& b) { return a.first < b.first; });
  for (const auto& [column, from] : blocks) {
    if (to.column.size() == begin || to.column.back() != column) {
      to.column.push_back(column);
      to.value.insert(to.value.end(), from, from + size);
      continue;
    }
    double* there = to.value.data() + to.value.size() - size;
    for (std::size_t e = 0; e < size; ++e) there[e] += from[e];
  }
  to.row_start.push_back(static_cast<std::int64_t>(to.column.size()));
}

}  // namespace

// The number of a ghost is fetched like its values.
template <class Space>
BlockCsrData global_rows(const DistributedMatrix<Space>& A, std::span<const int> number) {
  BlockCsrData own;
  all_or_none(*A.ranks(), [&] { own = block_rows(A.local()); });
  const Coupling beyond = A.coupling();
  const std::size_t B = at(A.block()), size = B * B;
  std::vector<double> numbers;
  for (const int row : number) numbers.insert(numbers.end(), B, static_cast<double>(row));
  const std::vector<double> ghost = A.at_ghosts(Array<double, Space>(numbers));
  BlockCsrData rows;
  rows.block = A.block();
  rows.symmetric = A.is_symmetric();
  rows.constant_null_space = A.has_constant_null_space();
  rows.row_start = {0};
  const auto across = entries_of(beyond);
  auto entry = across.cbegin();
  std::vector<PlacedBlock> blocks;
  for (int i = 0; i < own.rows(); ++i) {
    blocks.clear();
    for (auto k = own.row_start[i]; k < own.row_start[at(i) + 1]; ++k)
      blocks.emplace_back(number[own.column[k]], own.value.data() + at(k) * size);
    for (; entry != across.cend() && entry->first == i; ++entry)
      blocks.emplace_back(static_cast<int>(ghost[at(beyond.ghost[entry->second]) * B]),
                          beyond.value.data() + at(entry->second) * size);
    add_row(blocks, rows);
  }
  return rows;
}

template <class Space>
BlockCsrData rows_in_rank_order(const DistributedMatrix<Space>& A) {
  const Communicator& ranks = *A.ranks();
  if (A.unknowns() > std::numeric_limits<int>::max())
    throw Error(Exit::usage, "more than 2^31 - 1 unknowns: too many for a solver of another library");
  std::vector<double> counts(at(ranks.size()));
  counts[ranks.rank()] = A.rows();
  ranks.sum(counts);
  std::vector<int> number(at(A.rows()));
  std::iota(number.begin(), number.end(),
            static_cast<int>(std::accumulate(counts.begin(), counts.begin() + ranks.rank(), 0.0)));
  return global_rows(A, std::span<const int>(number));
}

template BlockCsrData global_rows(const DistributedMatrix<Host>&, std::span<const int>);
template BlockCsrData global_rows(const DistributedMatrix<Device>&, std::span<const int>);
template BlockCsrData rows_in_rank_order(const DistributedMatrix<Host>&);
template BlockCsrData rows_in_rank_order(const DistributedMatrix<Device>&);

}  // namespace weir
