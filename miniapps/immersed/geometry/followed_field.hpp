// Copy of a host field in a space, updated each step. On Host it is the field itself. On Device a field is compared in
// blocks: a block that has one value throughout, and had the same value at the last upload, is not sent again. Around a
// moving body only the blocks that its surface crosses remain.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/device/growing_array.hpp"

namespace weir {

template <class T, class Space>
class FollowedField {
 public:
  // Returns the address of the values. Host: values.data(), which must stay valid. Device: at most two uploads.
  const T* follow(const std::vector<T>& values);

 private:
  bool changed(const std::vector<T>& values, std::int64_t block);  // also stores the present content of the block

  Array<T, Space> copy_;
  std::vector<T> value_;                   // value of each uniform block
  std::vector<unsigned char> is_uniform_;  // per block: it had one value at the last upload
  std::vector<unsigned char> is_changed_;
  std::vector<T> sent_;
  std::vector<int> sent_blocks_;
  GrowingArray<T, Space> received_;
  GrowingArray<int, Space> received_blocks_;
};

}  // namespace weir
