#include "miniapps/immersed/geometry/followed_field.hpp"

#include <algorithm>
#include <type_traits>

#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

constexpr int block_length = 32;  // values: shorter than the band around a body is wide, and a warp's row of doubles

template <class T, class Space>
void put_blocks(View<const T> values, View<const int> blocks, View<T> field) {
  const auto n = static_cast<int>(field.size());
  for_each<Space>(values.size(), [=] WEIR_HD(int q) {
    const int at = blocks[q / block_length] * block_length + q % block_length;
    if (at < n) field[at] = values[q];
  });
}

}  // namespace

template <class T, class Space>
bool FollowedField<T, Space>::changed(const std::vector<T>& values, std::int64_t block) {
  const auto b = static_cast<std::size_t>(block), first = b * block_length;
  const std::size_t last = std::min(first + block_length, values.size());
  const T v = values[first];
  bool is_uniform = true;
  for (std::size_t q = first; q < last; ++q) is_uniform &= values[q] == v;
  const bool is_same = is_uniform && is_uniform_[b] && value_[b] == v;
  is_uniform_[b] = is_uniform;
  value_[b] = v;
  return !is_same;
}

template <class T, class Space>
const T* FollowedField<T, Space>::follow(const std::vector<T>& values) {
  if (std::is_same_v<Space, Host>) return values.data();
  const auto n = static_cast<std::int64_t>(values.size()), blocks = (n + block_length - 1) / block_length;
  const auto count = static_cast<std::size_t>(blocks);
  const bool is_first = copy_.size() != n;
  if (is_first) {
    copy_ = Array<T, Space>(n);
    value_.resize(count);
    is_uniform_.assign(count, 0);
    is_changed_.resize(count);
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t b = 0; b < blocks; ++b) is_changed_[static_cast<std::size_t>(b)] = changed(values, b);
  const auto changes = std::ranges::count(is_changed_, 1);
  if (is_first || 2 * changes > blocks) {
    copy_.upload(values);
    return copy_.data();
  }
  if (changes == 0) return copy_.data();
  sent_blocks_.clear();
  for (std::size_t b = 0; b < count; ++b)
    if (is_changed_[b]) sent_blocks_.push_back(static_cast<int>(b));
  sent_.resize(sent_blocks_.size() * block_length);
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < sent_blocks_.size(); ++s) {
    const auto first = static_cast<std::size_t>(sent_blocks_[s]) * block_length;
    std::copy_n(&values[first], std::min<std::size_t>(block_length, values.size() - first), &sent_[s * block_length]);
  }
  received_.assign(sent_);
  received_blocks_.assign(sent_blocks_);
  put_blocks<T, Space>(received_.view(), received_blocks_.view(), copy_.view());
  return copy_.data();
}

template class FollowedField<double, Host>;
template class FollowedField<double, Device>;
template class FollowedField<unsigned char, Host>;
template class FollowedField<unsigned char, Device>;

}  // namespace weir
