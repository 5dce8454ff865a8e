// 64-bit hash of configurations, flow states and checkpoints: FNV-1a (Fowler, Noll & Vo) over 8-byte words in memory
// order, with a shift after each product so that high bits reach low ones. The last word is padded with zeros; the
// length in bytes is added at the end. Each round is a bijection, so one changed word always changes the hash. Not
// cryptographic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace weir {

class Hash64 {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    length_ += bytes;
    std::size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, p + i, 8);
      round(word);
    }
    if (i < bytes) {
      std::uint64_t word = 0;
      std::memcpy(&word, p + i, bytes - i);
      round(word);
    }
  }
  template <class T>
  void add(std::span<const T> values) {
    add(values.data(), values.size_bytes());
  }
  void add(std::string_view text) { add(text.data(), text.size()); }

  std::uint64_t value() const {
    Hash64 h = *this;
    h.round(length_);
    return h.state_;
  }

 private:
  void round(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001b3u;
    state_ ^= state_ >> 29;
  }

  std::uint64_t state_ = 0xcbf29ce484222325u, length_ = 0;
};

template <class T>
std::uint64_t hash_of(std::span<const T> values) {
  Hash64 h;
  h.add(values);
  return h.value();
}

inline std::string hex(std::uint64_t value) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 0; i < 16; ++i) text[static_cast<std::size_t>(15 - i)] = digits[(value >> (4 * i)) & 15];
  return text;
}

}  // namespace weir
