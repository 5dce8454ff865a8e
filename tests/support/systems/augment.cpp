#include "tests/support/systems/augment.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace weir::test {

BlockSystem augment(const std::vector<const BlockSystem*>& parts) {
  const BlockSystem& first = *parts.front();
  BlockSystem whole{first.cells, first.periodic, 0, {}, {}};
  for (const BlockSystem* part : parts) {
    if (part->cells != first.cells || !(part->periodic == first.periodic))
      throw std::invalid_argument("augment: systems on different grids");
    whole.n += part->n;
  }
  const int n = whole.n, count = first.cells.count();
  whole.values.assign(
      first.values.size() / static_cast<std::size_t>(first.n * first.n) * static_cast<std::size_t>(n * n), 0);
  whole.b.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(n));
  const BlockStencilView A = whole.view();
  int at = 0;  // the part's first unknown in the whole
  for (const BlockSystem* part : parts) {
    const BlockStencilView P = part->view();
    for (int s = A.first; s < A.first + A.slots; ++s)
      for (int c = 0; c < count; ++c)
        for (int v = 0; v < P.n; ++v) std::copy_n(P.block(c, s) + v * P.n, P.n, A.block(c, s) + (at + v) * n + at);
    for (int c = 0; c < count; ++c)
      std::copy_n(part->b.begin() + std::ptrdiff_t{c} * P.n, P.n, whole.b.begin() + std::ptrdiff_t{c} * n + at);
    at += P.n;
  }
  return whole;
}

BlockSystem augmented_to(int n, const BlockSystem& first, const BlockSystem& second) {
  const Augmentation counts = augmentation(n, first.n, second.n);
  if (counts.of_first < 0)
    throw std::invalid_argument("augmented_to: " + std::to_string(n) + " is no sum of " + std::to_string(first.n) +
                                "s and " + std::to_string(second.n) + "s");
  std::vector<const BlockSystem*> parts(static_cast<std::size_t>(counts.of_second), &second);
  parts.insert(parts.end(), static_cast<std::size_t>(counts.of_first), &first);
  return augment(parts);
}

}  // namespace weir::test
