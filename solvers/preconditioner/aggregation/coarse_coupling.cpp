#include "solvers/preconditioner/aggregation/coarse_coupling.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "solvers/parallel/parts_on_all.hpp"

namespace weir::aggregation {

int Numbering::owner(int number) const {
  return static_cast<int>(std::ranges::upper_bound(begin, number) - begin.begin()) - 1;
}

Numbering number_aggregates(const Communicator& ranks, int mine) {
  Numbering n;
  n.begin = {0};
  for (const int count : lists_of_all(ranks, {mine})) n.begin.push_back(n.begin.back() + count);
  return n;
}

std::vector<GhostRequest> CoarseCoupling::requests(const Numbering& numbering) const {
  std::vector<GhostRequest> all;
  for (const int aggregate : number) {
    const int owner = numbering.owner(aggregate);
    all.push_back({static_cast<int>(all.size()), owner, aggregate - numbering.begin[owner]});
  }
  return all;
}

CoarseCoupling coarse_coupling(const Coupling& fine, const std::vector<int>& number_of_ghost,
                               const Aggregates& aggregates) {
  CoarseCoupling c;
  c.beyond.block = fine.block;
  c.number = number_of_ghost;
  std::ranges::sort(c.number);
  c.number.erase(std::unique(c.number.begin(), c.number.end()), c.number.end());
  std::vector<std::array<int, 3>> blocks;  // aggregate, coarse ghost, block of the finer coupling
  for (int r = 0; r < static_cast<int>(fine.row.size()); ++r)
    for (int k = fine.start[r]; k < fine.start[r + 1]; ++k) {
      const auto at_number = std::ranges::lower_bound(c.number, number_of_ghost[fine.ghost[k]]);
      c.ghost.push_back(static_cast<int>(at_number - c.number.begin()));
      blocks.push_back({aggregates.of_row[fine.row[r]], c.ghost.back(), k});
    }
  std::ranges::sort(blocks);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto [aggregate, ghost, term] = blocks[b];
    const bool is_first = b == 0 || blocks[b - 1][0] != aggregate;
    if (is_first && b > 0) c.beyond.start.push_back(static_cast<int>(c.beyond.ghost.size()));
    if (is_first) c.beyond.row.push_back(aggregate);
    if (is_first || blocks[b - 1][1] != ghost) {
      c.beyond.ghost.push_back(ghost);
      c.first.push_back(static_cast<int>(b));
    }
    c.term.push_back(term);
  }
  if (!blocks.empty()) c.beyond.start.push_back(static_cast<int>(c.beyond.ghost.size()));
  c.first.push_back(static_cast<int>(blocks.size()));
  c.beyond.value.assign(c.beyond.ghost.size() * at(fine.block) * at(fine.block), 0.0);
  return c;
}

WholeRows whole_rows(const Pattern& fine, const Aggregates& aggregates, const CoarsePattern& own,
                     const CoarseCoupling& across, const Numbering& numbering, int rank, bool full) {
  WholeRows w;
  w.rows.row_start = {0};
  w.into.resize(own.into.size());
  const int first_own = numbering.begin[rank];
  std::size_t border = 0;
  std::vector<int> columns;
  for (int I = 0; I < aggregates.count(); ++I) {
    columns.clear();
    for (int J = 0; full && J < numbering.all(); ++J) columns.push_back(J);
    for (std::int64_t e = own.coarse.row_start[I]; !full && e < own.coarse.row_start[I + 1]; ++e)
      columns.push_back(first_own + own.coarse.column[e]);
    const bool is_border = border < across.beyond.row.size() && across.beyond.row[border] == I;
    const int first = is_border ? across.beyond.start[border] : 0, end = is_border ? across.beyond.start[++border] : 0;
    for (int k = first; !full && k < end; ++k) columns.push_back(across.number[across.beyond.ghost[k]]);
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const auto place = [&](int column) {
      return static_cast<int>(std::ranges::lower_bound(columns, column) - columns.begin());
    };
    for (int m = aggregates.start[I]; m < aggregates.start[I + 1]; ++m)
      for (std::int64_t e = fine.row_start[aggregates.member[m]]; e < fine.row_start[aggregates.member[m] + 1]; ++e)
        w.into[e] = place(first_own + own.column[e]);
    for (int k = first; k < end; ++k)
      w.to.push_back(static_cast<int>(w.rows.row_start.back()) + place(across.number[across.beyond.ghost[k]]));
    w.rows.column.insert(w.rows.column.end(), columns.begin(), columns.end());
    w.rows.row_start.push_back(static_cast<std::int64_t>(w.rows.column.size()));
  }
  return w;
}

std::vector<int> transposed_places(const Communicator& ranks, const Coupling& coupling,
                                   const std::vector<GhostRequest>& ghosts) {
  std::vector<std::vector<int>> asked(at(ranks.size())), places(at(ranks.size()));  // J, I; the block
  struct Place {
    int owner, row, ghost_row, block;  // block (row, ghost_row of owner)
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> mine;
  for (int r = 0; r < static_cast<int>(coupling.row.size()); ++r)
    for (int k = coupling.start[r]; k < coupling.start[r + 1]; ++k) {
      const GhostRequest& ghost = ghosts[coupling.ghost[k]];
      asked[ghost.owner].insert(asked[ghost.owner].end(), {ghost.index, coupling.row[r]});
      places[ghost.owner].push_back(k);
      mine.push_back({ghost.owner, coupling.row[r], ghost.index, k});
    }
  std::ranges::sort(mine);
  std::vector<std::vector<int>> answers(asked.size());
  int from = 0;
  for (const std::vector<int>& of_rank : ranks.exchange(asked)) {
    for (std::size_t i = 0; i < of_rank.size(); i += 2) {
      const Place wanted{from, of_rank[i], of_rank[i + 1], 0};
      const auto found = std::ranges::lower_bound(mine, wanted);
      const bool is_there = found != mine.end() && found->owner == from && found->row == wanted.row &&
                            found->ghost_row == wanted.ghost_row;
      answers[from].push_back(is_there ? found->block : -1);
    }
    ++from;
  }
  std::vector<int> transposed(coupling.ghost.size(), -1);
  from = 0;
  for (const std::vector<int>& of_rank : ranks.exchange(answers)) {
    for (std::size_t i = 0; i < of_rank.size(); ++i) transposed[places[from][i]] = of_rank[i];
    ++from;
  }
  return transposed;
}

}  // namespace weir::aggregation
