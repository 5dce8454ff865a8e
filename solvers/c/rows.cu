#include "solvers/c/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/facts.hpp"
#include "solvers/parallel/agree.hpp"

namespace weir::c {

namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max();

template <class T>
std::vector<T> copied(const T* from, std::int64_t n, bool on_device) {
  if (!on_device) return std::vector<T>(from, from + n);
  std::vector<T> to(at(n));
  backend::copy_to_host(to.data(), from, n * static_cast<std::int64_t>(sizeof(T)));
  return to;
}

template <class Index>
void read_row_start(const weir_csr& A, bool on_device, std::vector<std::int64_t>& to) {
  const std::vector<Index> start = copied(static_cast<const Index*>(A.row_start), A.rows + 1, on_device);
  to.assign(start.begin(), start.end());
  if (A.flags & WEIR_ONE_BASED)
    for (std::int64_t& first : to) --first;
}

// The columns ascend in each row: they do not at the beginnings of rows alone. Loops over all entries, which the
// compiler vectorises.
bool are_columns_right(const BlockCsrData& A, int columns) {
  const int* column = A.column.data();
  const auto n = static_cast<std::int64_t>(A.column.size());
  std::int64_t beyond = 0, descents = 0;
  for (std::int64_t e = 0; e < n; ++e) beyond += static_cast<unsigned>(column[e]) >= static_cast<unsigned>(columns);
  for (std::int64_t e = 1; e < n; ++e) descents += column[e] <= column[e - 1];
  for (int i = 0; i < A.rows(); ++i)
    if (const std::int64_t e = A.row_start[i]; e > 0 && e < A.row_start[i + 1]) descents -= column[e] <= column[e - 1];
  return beyond == 0 && descents == 0;
}

bool are_finite(const std::vector<double>& values) {
  int wrong = 0;
#pragma omp simd reduction(| : wrong)
  for (std::size_t i = 0; i < values.size(); ++i) wrong |= !(std::abs(values[i]) <= std::numeric_limits<double>::max());
  return wrong == 0;
}

void check_columns(const BlockCsrData& A, int columns) {
  if (are_columns_right(A, columns)) return;
  for (int i = 0; i < A.rows(); ++i)
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const int column = A.column[e];
      if (column < 0 || column >= columns)
        refuse("column " + std::to_string(column) + " in row " + std::to_string(i) + " of " + std::to_string(columns) +
               " rows");
      if (e > A.row_start[i] && column <= A.column[e - 1])
        refuse(std::string(column == A.column[e - 1] ? "duplicate column " : "columns do not ascend: column ") +
               std::to_string(column) + " in row " + std::to_string(i));
    }
}

}  // namespace

RowParts::RowParts(const Communicator& of, std::int64_t rows) : ranks(&of), first{0} {
  std::vector<double> counts(at(of.size()));
  counts[at(of.rank())] = static_cast<double>(rows);
  of.sum(counts);
  if (std::accumulate(counts.begin(), counts.end(), 0.0) > static_cast<double>(most))
    refuse("more than " + std::to_string(most) + " block rows over all ranks");
  for (const double count : counts) first.push_back(first.back() + static_cast<int>(count));
}

std::size_t RowParts::owner(int row) const { return at(std::ranges::upper_bound(first, row) - first.begin()) - 1; }

void check_shape(const weir_csr& A) {
  if (A.rows < 1 || A.rows > most)
    refuse("rows is " + std::to_string(A.rows) + "; expected 1 to " + std::to_string(most));
  if (A.block < 1 || A.block > largest_block)
    refuse("block is " + std::to_string(A.block) + "; expected 1 to " + std::to_string(largest_block));
  if (A.rows * A.block > most) refuse("more than " + std::to_string(most) + " unknowns");
  if (A.row_start_bits != 32 && A.row_start_bits != 64)
    refuse("row_start_bits is " + std::to_string(A.row_start_bits) + "; expected 32 or 64");
  if (!A.row_start || !A.column || !A.value) refuse("row_start, column or value is a null pointer");
}

BlockCsrData read(const weir_csr& A, const RowParts& parts) {
  const bool on_device = A.flags & WEIR_ON_DEVICE;
  BlockCsrData data;
  data.block = A.block;
  A.row_start_bits == 32 ? read_row_start<std::int32_t>(A, on_device, data.row_start)
                         : read_row_start<std::int64_t>(A, on_device, data.row_start);
  // Before an array is read as far as row_start says.
  if (data.row_start.front() != 0) refuse("row_start[0] is not the first index");
  for (std::int64_t i = 0; i < A.rows; ++i)
    if (data.row_start[i + 1] < data.row_start[i]) refuse("row_start decreases at row " + std::to_string(i));
  const std::int64_t blocks = data.row_start.back();
  data.column = copied(A.column, blocks, on_device);
  if (A.flags & WEIR_ONE_BASED)
    for (int& column : data.column) --column;
  check_columns(data, parts.all());
  data.value = read_values(A, blocks, A.value);
  return data;
}

void check_lent(const weir_csr& A, const RowParts& parts) {
  if (!parts.is_alone()) refuse("WEIR_BORROW: a distributed matrix cannot be borrowed; it is copied");
  if (A.row_start_bits != 64 || A.flags & WEIR_ONE_BASED || (A.flags & WEIR_COLUMN_MAJOR && A.block > 1))
    refuse("WEIR_BORROW needs 64-bit row_start, indices that count from 0, and blocks stored by rows");
}

std::vector<double> read_values(const weir_csr& A, std::int64_t blocks, const double* value) {
  const std::int64_t B = A.block;
  std::vector<double> to = copied(value, blocks * B * B, A.flags & WEIR_ON_DEVICE);
  const bool are_all_finite = are_finite(to);
  for (std::size_t i = 0; i < to.size() && !are_all_finite; ++i)
    if (!std::isfinite(to[i]))
      throw Error(Exit::not_finite, "value[" + std::to_string(i) + "] of the matrix is not finite");
  if (A.flags & WEIR_COLUMN_MAJOR && B > 1)
    for (std::int64_t e = 0; e < blocks; ++e)
      for (std::int64_t r = 0; r < B; ++r)
        for (std::int64_t c = r + 1; c < B; ++c) std::swap(to[(e * B + r) * B + c], to[(e * B + c) * B + r]);
  return to;
}

namespace {

// The rows of A and of its transpose, which are on the same rank.
bool are_symmetric(const BlockCsrData& A, const BlockCsrData& T) {
  if (A.row_start != T.row_start || A.column != T.column) return false;
  const std::vector<double> largest = largest_in_rows(A);
  const std::int64_t BB = std::int64_t{A.block} * A.block;
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[i] * BB; e < A.row_start[i + 1] * BB; ++e)
      if (!(std::abs(A.value[e] - T.value[e]) <= symmetry_tolerance * largest[i])) return false;
  return true;
}

bool rows_sum_to_zero(const BlockCsrData& A) {
  const int B = A.block;
  for (int row = 0; row < A.rows() * B; ++row) {
    SumOfEntries sum;
    for (auto e = A.row_start[row / B]; e < A.row_start[at(row / B) + 1]; ++e)
      for (int v = 0; v < B; ++v) sum.add(A.value[(e * B + row % B) * B + v]);
    if (sum.says() == ConstantVector::not_null) return false;
  }
  return true;
}

}  // namespace

void find_facts(std::uint32_t flags, const RowParts& parts, BlockCsrData& A) {
  const Communicator& ranks = *parts.ranks;
  if (!ranks.any(!(flags & WEIR_FACTS_GIVEN))) {
    A.symmetric = !ranks.any(!(flags & WEIR_SYMMETRIC));
    A.constant_null_space = !ranks.any(!(flags & WEIR_CONSTANT_NULL_SPACE));
  } else if (parts.is_alone()) {
    A.symmetric = is_symmetric(A);
    A.constant_null_space = has_constant_null_space(A);
  } else {
    const BlockCsrData T = transposed(A, parts);
    A.symmetric = !ranks.any(!are_symmetric(A, T));
    A.constant_null_space = !ranks.any(!rows_sum_to_zero(A) || !rows_sum_to_zero(T));
  }
}

BlockCsrData transposed(const BlockCsrData& A, const RowParts& parts) {
  const std::int64_t B = A.block, BB = B * B;
  const int first = parts.begin(), rows = parts.end() - first;
  const std::size_t me = parts.at_rank(), ints = 2 + at(BB) * sizeof(double) / sizeof(int);
  // A message has for each block its row, its column on the receiving rank, and the bytes of its values.
  std::vector<std::vector<int>> messages(parts.first.size() - 1);
  for (int i = 0; i < A.rows(); ++i)
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const std::size_t owner = parts.owner(A.column[e]);
      if (owner == me) continue;
      std::vector<int>& to = messages[owner];
      to.insert(to.end(), {first + i, A.column[e] - parts.first[owner]});
      to.resize(to.size() + ints - 2);
      std::memcpy(to.data() + to.size() - ints + 2, A.value.data() + e * BB, at(BB) * sizeof(double));
    }
  messages = parts.ranks->exchange(messages);
  // f(row of the transpose, its column, the values of the block in A), by ascending column
  std::vector<double> block(at(BB));
  const auto for_blocks = [&](const auto& f) {
    for (std::size_t r = 0; r < messages.size(); ++r) {
      for (std::size_t k = 0; r != me && k < messages[r].size(); k += ints) {
        std::memcpy(block.data(), messages[r].data() + k + 2, at(BB) * sizeof(double));
        f(messages[r][k + 1], messages[r][k], block.data());
      }
      for (int i = 0; r == me && i < A.rows(); ++i)
        for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
          if (A.column[e] >= first && A.column[e] < first + rows)
            f(A.column[e] - first, first + i, A.value.data() + e * BB);
    }
  };
  BlockCsrData T;
  T.block = A.block;
  T.symmetric = A.symmetric;
  T.constant_null_space = A.constant_null_space;
  T.row_start.assign(at(rows) + 1, 0);
  for_blocks([&](int row, int, const double*) { ++T.row_start[row + 1]; });
  std::partial_sum(T.row_start.begin(), T.row_start.end(), T.row_start.begin());
  T.column.resize(at(T.row_start.back()));
  T.value.resize(at(T.row_start.back() * BB));
  std::vector<std::int64_t> next(T.row_start.begin(), T.row_start.end() - 1);
  for_blocks([&](int row, int column, const double* value) {
    const std::int64_t to = next[row]++;
    T.column[to] = column;
    for (std::int64_t r = 0; r < B; ++r)
      for (std::int64_t c = 0; c < B; ++c) T.value[to * BB + c * B + r] = value[r * B + c];
  });
  return T;
}

namespace {

struct Split {
  BlockCsrData own;
  Coupling beyond;  // ghost: column of the whole matrix
};

Split split(const BlockCsrData& A, const RowParts& parts) {
  const std::int64_t BB = std::int64_t{A.block} * A.block;
  Split s;
  s.own.block = s.beyond.block = A.block;
  s.own.symmetric = A.symmetric;
  s.own.row_start = {0};
  for (int i = 0; i < A.rows(); ++i) {
    for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const bool is_own = A.column[e] >= parts.begin() && A.column[e] < parts.end();
      is_own ? s.own.column.push_back(A.column[e] - parts.begin()) : s.beyond.ghost.push_back(A.column[e]);
      std::vector<double>& to = is_own ? s.own.value : s.beyond.value;
      to.insert(to.end(), A.value.begin() + e * BB, A.value.begin() + (e + 1) * BB);
    }
    s.own.row_start.push_back(static_cast<std::int64_t>(s.own.column.size()));
    if (static_cast<int>(s.beyond.ghost.size()) == s.beyond.start.back()) continue;
    s.beyond.row.push_back(i);
    s.beyond.start.push_back(static_cast<int>(s.beyond.ghost.size()));
  }
  return s;
}

// A matrix of the facts of `of` on these arrays.
template <class Space>
std::unique_ptr<BlockCsr<Space>> matrix_on(const BlockCsrData& of, Array<std::int64_t, Space> row_start,
                                           Array<int, Space> column, Array<double, Space> value) {
  auto pattern = std::make_shared<BlockPattern<Space>>(of.block, std::move(row_start), std::move(column), of.symmetric);
  pattern->constant_null_space = of.constant_null_space;
  return std::make_unique<BlockCsr<Space>>(std::move(pattern), std::move(value));
}

template <class T, class Space>
Array<T, Space> lent_array(const void* data, std::size_t n) {  // nothing writes to it through the matrix
  return Array<T, Space>::borrowed(const_cast<T*>(static_cast<const T*>(data)), static_cast<std::int64_t>(n));
}

}  // namespace

template <class Space>
Rows<Space>::Rows(BlockCsrData A, const RowParts& parts, const weir_csr* lent)
    : A_(std::move(A)), parts_(parts), is_lent_(lent) {
  if (lent)
    own_ = matrix_on<Space>(A_, lent_array<std::int64_t, Space>(lent->row_start, A_.row_start.size()),
                            lent_array<int, Space>(lent->column, A_.column.size()),
                            lent_array<double, Space>(lent->value, A_.value.size()));
  else if (parts.is_alone())  // in arrays, which have huge pages: solves on vectors of the standard library are slower
    own_ = matrix_on<Space>(A_, Array<std::int64_t, Space>(A_.row_start), Array<int, Space>(A_.column),
                            Array<double, Space>(A_.value));
  if (own_) {
    A_ = {};
    return;
  }
  const Communicator& ranks = *parts.ranks;
  Split s;
  std::vector<GhostRequest> requests;
  all_or_none(ranks, [&] {
    s = split(A_, parts);
    own_ = std::make_unique<BlockCsr<Space>>(s.own);
    std::vector<int> ghosts = s.beyond.ghost;  // ascending columns are ascending owners: the order of the halo
    std::ranges::sort(ghosts);
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    for (int& ghost : s.beyond.ghost)
      ghost = static_cast<int>(std::ranges::lower_bound(ghosts, ghost) - ghosts.begin());
    for (const int ghost : ghosts) {
      const std::size_t owner = parts.owner(ghost);
      requests.push_back({static_cast<int>(requests.size()), static_cast<int>(owner), ghost - parts.first[owner]});
    }
  });
  spread_ = std::make_unique<DistributedMatrix<Space>>(ranks, *own_, make_halo_pattern(ranks, requests), s.beyond,
                                                       A_.symmetric, A_.constant_null_space);
  spread_->name_rows([first = parts.begin()](int row) { return "block row " + std::to_string(first + row); });
}

template <class Space>
const Matrix<Space>& Rows<Space>::matrix() const {
  if (spread_) return *spread_;
  return *own_;
}

template <class Space>
void Rows<Space>::update(const std::vector<double>& values) {
  if (is_lent_) return;
  if (!spread_) return own_->update(values);
  std::copy(values.begin(), values.end(), A_.value.begin());
  const Split s = split(A_, parts_);
  own_->update(s.own.value);
  assign<Space>(Array<double, Space>(s.beyond.value), spread_->coupling_values());
}

template <class Space>
BlockCsrData Rows<Space>::entries() const {
  return spread_ ? A_ : block_rows<Space>(*own_);
}
template <class Space>
std::unique_ptr<OwnMatrix<Space>> Rows<Space>::transposed() const {
  return std::make_unique<Rows>(c::transposed(entries(), parts_), parts_);
}

template class Rows<Host>;
template class Rows<Device>;

}  // namespace weir::c
