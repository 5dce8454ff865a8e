#include "solvers/matrix/io/augment.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/matrix/block/block_limit.hpp"
#include "solvers/matrix/io/matrix_market.hpp"

namespace weir {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Exit::usage, "augmentation: " + what); }

// The union of the patterns, with the sum of the block sizes.
BlockCsrData joint_pattern(const std::vector<const BlockCsrData*>& parts) {
  BlockCsrData whole;
  whole.block = 0;
  whole.symmetric = true;
  for (const BlockCsrData* part : parts) {
    if (part->rows() != parts.front()->rows())
      refuse("systems of " + std::to_string(parts.front()->rows()) + " and " + std::to_string(part->rows()) +
             " block rows");
    whole.block += part->block;
    whole.symmetric = whole.symmetric && part->symmetric;
  }
  refuse_large_block(whole.block, largest_block, "augmentation");
  whole.row_start.push_back(0);
  std::vector<int> columns;
  for (int i = 0; i < parts.front()->rows(); ++i) {
    columns.clear();
    for (const BlockCsrData* part : parts)
      columns.insert(columns.end(), part->column.begin() + part->row_start[i],
                     part->column.begin() + part->row_start[i + 1]);
    std::ranges::sort(columns);
    whole.column.insert(whole.column.end(), columns.begin(), std::unique(columns.begin(), columns.end()));
    whole.row_start.push_back(static_cast<std::int64_t>(whole.column.size()));
  }
  return whole;
}

int number_of(std::string_view text, const std::string& name) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1)
    throw Error(Exit::usage, name + ": expected augment:N:B1=FIRST.mtx:B2=SECOND.mtx, with sizes of at least 1");
  return n;
}

}  // namespace

Augmentation augmentation(int n, int n1, int n2) {
  for (int first = 0; first * n1 <= n; ++first)
    if ((n - first * n1) % n2 == 0) return {first, (n - first * n1) / n2};
  return {};
}

BlockCsrData augment(const std::vector<const BlockCsrData*>& parts) {
  BlockCsrData whole = joint_pattern(parts);
  const int n = whole.block;
  whole.value.assign(whole.column.size() * at(n) * at(n), 0);
  int first = 0;  // unknown of the part in the whole
  for (const BlockCsrData* part : parts) {
    const int m = part->block;
    for (int i = 0; i < part->rows(); ++i) {
      std::int64_t to = whole.row_start[i];
      for (auto e = part->row_start[i]; e < part->row_start[i + 1]; ++e) {
        while (whole.column[to] != part->column[e]) ++to;
        for (int v = 0; v < m; ++v)
          std::copy_n(part->value.begin() + (e * m + v) * m, m, whole.value.begin() + (to * n + first + v) * n + first);
      }
    }
    first += m;
  }
  return whole;
}

BlockCsrData augmented_to(int n, const BlockCsrData& first, const BlockCsrData& second) {
  const Augmentation counts = augmentation(n, first.block, second.block);
  if (counts.of_first < 0)
    refuse(std::to_string(n) + " unknowns are not a sum of " + std::to_string(first.block) + "s and " +
           std::to_string(second.block) + "s");
  std::vector<const BlockCsrData*> parts(at(counts.of_second), &second);
  parts.insert(parts.end(), at(counts.of_first), &first);
  return augment(parts);
}

bool is_augmented(const std::string& name) { return name.starts_with("augment:"); }

BlockCsrData augmented_system(const std::string& name) {
  std::vector<std::string_view> words;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  words.resize(4);
  const int n = number_of(words[1], name);
  refuse_large_block(n, largest_block, name);
  const auto part = [&](std::string_view word) {
    const std::size_t sign = std::min(word.find('='), word.size());
    const int block = number_of(word.substr(0, sign), name);
    return read_matrix_market(std::string(word.substr(std::min(sign + 1, word.size()))), block);
  };
  const BlockCsrData first = part(words[2]), second = part(words[3]);
  return augmented_to(n, first, second);
}

}  // namespace weir
