// Block rows of a whole matrix, which every rank has, given to the ranks in parts.
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include "base/at.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test {

// The rows of the whole matrix that each rank has, in order.
using Parts = std::vector<std::vector<int>>;

inline Parts parts_of(int rows, const std::function<int(int)>& owner) {
  Parts parts(at(world().size()));
  for (int i = 0; i < rows; ++i) parts[at(owner(i))].push_back(i);
  return parts;
}
inline Parts slabs(int rows) {
  return parts_of(rows, [&](int i) { return static_cast<int>(std::int64_t{i} * world().size() / rows); });
}

// Rows of a part with their columns within it.
inline BlockCsrData within(const BlockCsrData& A, const std::vector<int>& part) {
  BlockCsrData own;
  own.block = A.block;
  own.symmetric = A.symmetric;
  own.row_start = {0};
  const std::int64_t nn = std::int64_t{A.block} * A.block;
  for (const int i : part) {
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e) {
      const auto found = std::lower_bound(part.begin(), part.end(), A.column[at(e)]);
      if (found == part.end() || *found != A.column[at(e)]) continue;
      own.column.push_back(static_cast<int>(found - part.begin()));
      own.value.insert(own.value.end(), A.value.begin() + e * nn, A.value.begin() + (e + 1) * nn);
    }
    own.row_start.push_back(static_cast<std::int64_t>(own.column.size()));
  }
  return own;
}

struct Border {
  Coupling coupling;
  std::vector<GhostRequest> requests;
};
// The blocks of this rank's rows in columns of other ranks.
inline Border border_of(const BlockCsrData& A, const Parts& all) {
  Border b;
  b.coupling.block = A.block;
  std::vector<int> owner(at(A.rows())), ghost(at(A.rows()), -1);
  for (std::size_t r = 0; r < all.size(); ++r)
    for (const int i : all[r]) owner[at(i)] = static_cast<int>(r);
  const std::vector<int>& part = all[at(world().rank())];
  const auto across = [&](const auto& visit) {
    for (std::size_t k = 0; k < part.size(); ++k)
      for (auto e = A.row_start[at(part[k])]; e < A.row_start[at(part[k]) + 1]; ++e)
        if (owner[at(A.column[at(e)])] != world().rank()) visit(static_cast<int>(k), A.column[at(e)], e);
  };
  across([&](int, int j, std::int64_t) { ghost[at(j)] = 0; });
  for (int r = 0; r < world().size(); ++r)
    for (std::size_t k = 0; k < all[at(r)].size(); ++k) {
      int& number = ghost[at(all[at(r)][k])];
      if (number < 0) continue;
      number = static_cast<int>(b.requests.size());
      b.requests.push_back({number, r, static_cast<int>(k)});
    }
  across([&](int row, int j, std::int64_t e) {
    if (b.coupling.row.empty() || b.coupling.row.back() != row) {
      b.coupling.row.push_back(row);
      b.coupling.start.push_back(b.coupling.start.back());
    }
    ++b.coupling.start.back();
    b.coupling.ghost.push_back(ghost[at(j)]);
    const std::int64_t nn = std::int64_t{A.block} * A.block;
    b.coupling.value.insert(b.coupling.value.end(), A.value.begin() + e * nn, A.value.begin() + (e + 1) * nn);
  });
  return b;
}

template <class Space, template <class> class MatrixOf = BlockCsr>
struct Spread {
  Spread(const BlockCsrData& A, const Parts& all, const Communicator& ranks = world())
      : Spread(A, all, border_of(A, all), ranks) {}
  Spread(const BlockCsrData& A, const Parts& all, const Border& border, const Communicator& ranks)
      : part(all[at(ranks.rank())]),
        own(within(A, part)),
        matrix(ranks, own, make_halo_pattern(ranks, border.requests), border.coupling, A.symmetric,
               A.constant_null_space) {}

  void update(const BlockCsrData& A, const Parts& all) {
    own.update(within(A, part).value);
    assign<Space>(Array<double, Space>(border_of(A, all).coupling.value), matrix.coupling_values());
  }
  Numbers mine(const Numbers& whole) const {
    Numbers v;
    for (const int i : part)
      for (int u = 0; u < own.block(); ++u) v.push_back(whole[at(i * own.block() + u)]);
    return v;
  }

  std::vector<int> part;
  MatrixOf<Space> own;
  DistributedMatrix<Space> matrix;
};

}  // namespace weir::test
