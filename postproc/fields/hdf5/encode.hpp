// Bytes of the HDF5 file format (The HDF Group, "HDF5 File Format Specification", version 3.0; section numbers are its own):
// object headers (IV.A.1.b) and the messages in them that a file of chunked arrays needs (IV.A.2).
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::hdf5 {

inline constexpr std::uint64_t no_address = ~std::uint64_t{0};

// Numbers, little-endian, one after the other.
class Bytes {
 public:
  template <class T>
  Bytes& add(T value) {
    data_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& u8(unsigned value) { return add(static_cast<std::uint8_t>(value)); }
  Bytes& u16(std::size_t value) { return add(static_cast<std::uint16_t>(value)); }
  Bytes& u32(std::size_t value) { return add(static_cast<std::uint32_t>(value)); }
  Bytes& u64(std::uint64_t value) { return add(value); }
  Bytes& text(std::string_view letters) {
    data_ += letters;
    return *this;
  }
  Bytes& bytes(const Bytes& other) { return text(other.data_); }
  Bytes& zeros_up_to(std::size_t size) {
    if (data_.size() < size) data_.resize(size);
    return *this;
  }
  std::size_t size() const { return data_.size(); }
  std::span<const unsigned char> all() const {
    return {reinterpret_cast<const unsigned char*>(data_.data()), data_.size()};
  }

 private:
  std::string data_;  // GCC 12 warns of a vector's insert without cause
};

// Reads what Bytes has put together; behind the end all is 0.
class Cursor {
 public:
  explicit Cursor(std::span<const unsigned char> bytes) : rest_(bytes) {}
  std::uint64_t u64() { return take<std::uint64_t>(); }
  template <class T>
  T take() {
    T value{};
    if ((is_whole_ = is_whole_ && rest_.size() >= sizeof value)) {
      std::memcpy(&value, rest_.data(), sizeof value);
      rest_ = rest_.subspan(sizeof value);
    }
    return value;
  }
  std::string text() {  // behind its length
    const std::uint64_t size = u64();
    if (!(is_whole_ = is_whole_ && size <= rest_.size())) return {};
    const std::string letters(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size));
    rest_ = rest_.subspan(size);
    return letters;
  }
  bool is_whole() const { return is_whole_; }

 private:
  std::span<const unsigned char> rest_;
  bool is_whole_ = true;
};

// Jenkins' lookup3 ("hashlittle", burtleburtle.net/bob/c/lookup3.c, public domain), the format's checksum.
std::uint32_t checksum(std::span<const unsigned char> bytes);

enum class Element { float32, float64, int32, int64, uint8 };
std::size_t size_of(Element element);

struct Message {
  unsigned type;
  Bytes body;
};

using Dimensions = std::vector<std::uint64_t>;

Message dataspace(const Dimensions& dimensions);  // none: a scalar
Message datatype(Element element);
Message fill_value(std::optional<std::int64_t> value, bool is_chunked);  // none: 0
Message contiguous(std::uint64_t address, std::uint64_t bytes);          // no address: all fill values
Message chunked(std::uint64_t index, const Dimensions& chunk, Element element);
Message shuffled_and_deflated(Element element);
Message link(std::string_view name, std::uint64_t object);
Message attribute(std::string_view name, std::string_view text);
Message attribute(std::string_view name, std::span<const std::int64_t> values);
Message attribute(std::string_view name, std::span<const double> values);

// An object header with these messages, its checksum included.
Bytes object_header(const std::vector<Message>& messages);
// The messages of a group with these links.
std::vector<Message> group(std::vector<Message> links_and_attributes);

// Superblock (II.A, version 2): the first 48 bytes.
Bytes superblock(std::uint64_t end_of_file, std::uint64_t root_group);

}  // namespace weir::hdf5
