// A host field's copy in a space, brought up to date each step. On Host it is the field itself. On Device a field is
// compared in blocks: a block that holds one value throughout, and held the same at the last upload, is not sent again.
// Around a moving body that leaves the band that its surface crosses.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/device/growing_array.hpp"

namespace weir {

template <class T, class Space>
class FollowedField {
 public:
  // Returns where the values are now. Host: values.data(), which must stay. Device: at most two uploads.
  const T* follow(const std::vector<T>& values);

 private:
  bool changed(const std::vector<T>& values, std::int64_t block);  // and remembers what the block holds now

  Array<T, Space> copy_;
  std::vector<T> value_;                   // of blocks that hold one value
  std::vector<unsigned char> is_uniform_;  // of every block, at the last upload
  std::vector<unsigned char> is_changed_;
  std::vector<T> sent_;
  std::vector<int> sent_blocks_;
  GrowingArray<T, Space> received_;
  GrowingArray<int, Space> received_blocks_;
};

}  // namespace weir
