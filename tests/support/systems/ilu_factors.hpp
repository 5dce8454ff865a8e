// The factors of parilu, parilut and the asynchronous ILU methods, from and to the states that they put into checkpoints.
// Values are those of L and U with the diagonal of U, blocks row by row; stored blocks lie column by column.
#pragma once
#include <cmath>

#include "base/archive.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test {

// Three lists of blocks: L, the inverted diagonal, U.
struct StoredBlocks {
  int n = 1;
  Numbers part[3];

  Numbers get(int p, std::int64_t block) const {
    const auto nn = static_cast<std::size_t>(n * n), from = static_cast<std::size_t>(block) * nn;
    const Numbers b = turned(Numbers(part[p].data() + from, part[p].data() + from + nn));
    return p == 1 ? block_inverse(n, b) : b;
  }
  void set(int p, std::int64_t block, const Numbers& values) {
    const Numbers b = turned(p == 1 ? block_inverse(n, values) : values);
    std::copy(b.begin(), b.end(), part[p].begin() + static_cast<std::ptrdiff_t>(block) * n * n);
  }
  Numbers turned(const Numbers& a) const {
    Numbers t(a.size());
    const auto at = [this](int i, int j) { return static_cast<std::size_t>(i * n + j); };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) t[at(i, j)] = a[at(j, i)];
    return t;
  }
};

template <class Stored, class Factors>
Stored stored(Factors& factors) {
  Archive written;
  factors.state(written);
  Archive read(written.numbers());
  Stored s;
  s.state(read);
  return s;
}
template <class Stored, class Factors>
void restore(Stored& s, Factors& factors) {
  Archive written;
  s.state(written);
  Archive read(written.numbers());
  factors.state(read);
}

struct StoredParIlu : StoredBlocks {
  std::vector<std::int64_t> start[2];
  std::vector<int> column[2];

  void state(Archive& a) {
    for (int t = 0; t < 2; ++t) {
      a.list("row_start", start[t]);
      a.list("column", column[t]);
      a.list("values", part[2 * t]);
    }
    a.list("inverse", part[1]);
    n = static_cast<int>(std::lround(std::sqrt(static_cast<double>(part[1].size()) / rows())));
  }
  int rows() const { return static_cast<int>(start[0].size()) - 1; }
  // f(part, block, column), row by row.
  template <class F>
  void for_blocks(const F& f) const {
    for (int i = 0; i < rows(); ++i) {
      const auto triangle = [&](int t) {
        for (auto e = start[t][static_cast<std::size_t>(i)]; e < start[t][static_cast<std::size_t>(i) + 1]; ++e)
          f(2 * t, e, column[t][static_cast<std::size_t>(e)]);
      };
      triangle(0);
      f(1, std::int64_t{i}, i);
      triangle(1);
    }
  }
};

template <class Space>
BlockCsrData data_of(ParIluFactors<Space>& factors) {
  const auto s = stored<StoredParIlu>(factors);
  BlockCsrData data;
  data.block = s.n;
  for (int i = 0; i <= s.rows(); ++i)
    data.row_start.push_back(s.start[0][static_cast<std::size_t>(i)] + i + s.start[1][static_cast<std::size_t>(i)]);
  s.for_blocks([&](int part, std::int64_t e, int column) {
    const Numbers b = s.get(part, e);
    data.column.push_back(column);
    data.value.insert(data.value.end(), b.begin(), b.end());
  });
  return data;
}

template <class Space>
void set_values(ParIluFactors<Space>& factors, const Numbers& values) {
  auto s = stored<StoredParIlu>(factors);
  auto from = values.begin();
  StoredParIlu changed = s;
  s.for_blocks([&](int part, std::int64_t e, int) {
    changed.set(part, e, Numbers(from, from + s.n * s.n));
    from += s.n * s.n;
  });
  restore(changed, factors);
}

struct StoredAsync : StoredBlocks {
  int slot = 0;
  Numbers scale;

  void state(Archive& a) {
    a.number("slot", slot);
    for (Numbers* values : {&part[0], &part[2], &part[1], &scale}) a.list("factors", *values);
  }
  // f(part, block), row by row in the slot of the factors, on the pattern of the entries.
  template <class F>
  void for_blocks(const BlockCsrData& pattern, const F& f) {
    n = pattern.block;
    std::int64_t count[3] = {};
    const auto visit = [&](const auto& g) {
      for (int i = 0; i < pattern.rows(); ++i)
        for (auto e = pattern.row_start[static_cast<std::size_t>(i)];
             e < pattern.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
          const int j = pattern.column[static_cast<std::size_t>(e)];
          g(j < i ? 0 : j == i ? 1 : 2);
        }
    };
    visit([&](int part) { ++count[part]; });
    std::int64_t next[3] = {slot * count[0], slot * count[1], slot * count[2]};
    visit([&](int part) { f(part, next[part]++); });
  }
};

template <class Space>
Numbers values_of(AsyncFactors<Space>& factors, const BlockCsrData& pattern) {
  auto s = stored<StoredAsync>(factors);
  Numbers values;
  s.for_blocks(pattern, [&](int part, std::int64_t e) {
    const Numbers b = s.get(part, e);
    values.insert(values.end(), b.begin(), b.end());
  });
  return values;
}

template <class Space>
void set_values(AsyncFactors<Space>& factors, const BlockCsrData& pattern, const Numbers& values) {
  auto s = stored<StoredAsync>(factors);
  auto from = values.begin();
  s.for_blocks(pattern, [&](int part, std::int64_t e) {
    s.set(part, e, Numbers(from, from + s.n * s.n));
    from += s.n * s.n;
  });
  restore(s, factors);
}

}  // namespace weir::test
