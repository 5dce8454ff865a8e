#include "solvers/distributed/distributed_csr.hpp"

#include <map>

#include "base/at.hpp"

namespace weir {
namespace {

// Of each block row of the whole matrix: its number within its part.
std::vector<int> numbers_within_parts(const std::vector<int>& part, int parts) {
  std::vector<int> next(at(parts), 0), number;
  for (const int p : part) number.push_back(next[at(p)]++);
  return number;
}

void append_block(const BlockCsrData& whole, std::int64_t entry, std::vector<double>& to) {
  const std::int64_t size = std::int64_t{whole.block} * whole.block;
  to.insert(to.end(), whole.value.begin() + entry * size, whole.value.begin() + (entry + 1) * size);
}

}  // namespace

CsrPart part_of_csr(const Communicator& ranks, const BlockCsrData& whole, const std::vector<int>& part) {
  const std::vector<int> number = numbers_within_parts(part, ranks.size());
  CsrPart p;
  p.local.block = p.coupling.block = whole.block;
  p.local.symmetric = whole.symmetric;
  p.local.constant_null_space = whole.constant_null_space;
  p.local.row_start = {0};
  std::map<int, int> ghost;  // column: the number of its request
  std::vector<GhostRequest> requests;
  for (int i = 0; i < whole.rows(); ++i) {
    if (part[at(i)] != ranks.rank()) continue;
    bool on_border = false;
    for (std::int64_t k = whole.row_start[at(i)]; k < whole.row_start[at(i) + 1]; ++k) {
      const int j = whole.column[at(k)];
      if (part[at(j)] == ranks.rank()) {
        p.local.column.push_back(number[at(j)]);
        append_block(whole, k, p.local.value);
        continue;
      }
      on_border = true;
      const auto [it, is_new] = ghost.emplace(j, static_cast<int>(requests.size()));
      if (is_new) requests.push_back({it->second, part[at(j)], number[at(j)]});
      p.coupling.ghost.push_back(it->second);
      append_block(whole, k, p.coupling.value);
    }
    if (on_border) {
      p.coupling.row.push_back(static_cast<int>(p.rows.size()));
      p.coupling.start.push_back(static_cast<int>(p.coupling.ghost.size()));
    }
    p.rows.push_back(i);
    p.local.row_start.push_back(static_cast<std::int64_t>(p.local.column.size()));
  }
  p.pattern = make_halo_pattern(ranks, requests);
  std::vector<int> place(requests.size());  // the halo sorts by owner: where it puts each request
  for (std::size_t g = 0; g < p.pattern.receive.size(); ++g) place[at(p.pattern.receive[g])] = static_cast<int>(g);
  for (int& g : p.coupling.ghost) g = place[at(g)];
  return p;
}

}  // namespace weir
