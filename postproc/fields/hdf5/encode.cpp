#include "postproc/fields/hdf5/encode.hpp"

#include <bit>

namespace weir::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little);

struct Triple {
  std::uint32_t a, b, c;
};

void mix(Triple& t) {
  const auto turn = [](std::uint32_t& x, std::uint32_t y, std::uint32_t& z, int by) {
    x = (x - z) ^ std::rotl(z, by);
    z += y;
  };
  turn(t.a, t.b, t.c, 4);
  turn(t.b, t.c, t.a, 6);
  turn(t.c, t.a, t.b, 8);
  turn(t.a, t.b, t.c, 16);
  turn(t.b, t.c, t.a, 19);
  turn(t.c, t.a, t.b, 4);
}

void finish(Triple& t) {
  const auto turn = [](std::uint32_t& x, std::uint32_t y, int by) { x = (x ^ y) - std::rotl(y, by); };
  turn(t.c, t.b, 14);
  turn(t.a, t.c, 11);
  turn(t.b, t.a, 25);
  turn(t.c, t.b, 16);
  turn(t.a, t.c, 4);
  turn(t.b, t.a, 14);
  turn(t.c, t.b, 24);
}

// Version 1 of a type's bits: class and version, 24 bits, size, properties.
Bytes type_bytes(Element element) {
  const std::size_t size = size_of(element);
  Bytes b;
  if (element == Element::float32 || element == Element::float64) {
    const bool is_single = element == Element::float32;
    b.u8(0x11).u8(0x20).u8(is_single ? 31 : 63).u8(0).u32(size).u16(0).u16(8 * size);  // IEEE: a leading 1 is implied
    return b.u8(is_single ? 23 : 52).u8(is_single ? 8 : 11).u8(0).u8(is_single ? 23 : 52).u32(is_single ? 127 : 1023);
  }
  return b.u8(0x10).u8(element == Element::uint8 ? 0 : 8).u16(0).u32(size).u16(0).u16(8 * size);
}

Bytes space_bytes(const Dimensions& dimensions) {
  Bytes b;
  b.u8(2).u8(static_cast<unsigned>(dimensions.size())).u8(0).u8(dimensions.empty() ? 0 : 1);
  for (const std::uint64_t n : dimensions) b.u64(n);
  return b;
}

Message attribute_of(std::string_view name, const Bytes& type, const Dimensions& dimensions, const Bytes& values) {
  const Bytes space = space_bytes(dimensions);
  Bytes b;
  b.u8(3).u8(0).u16(name.size() + 1).u16(type.size()).u16(space.size()).u8(0).text(name).u8(0);
  return {0x0C, b.bytes(type).bytes(space).bytes(values)};
}

}  // namespace

std::uint32_t checksum(std::span<const unsigned char> bytes) {
  const auto start = 0xdeadbeefu + static_cast<std::uint32_t>(bytes.size());
  Triple t{start, start, start};
  const auto word = [&](std::size_t from) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4 && from + i < bytes.size(); ++i)
      value |= static_cast<std::uint32_t>(bytes[from + i]) << (8 * i);
    return value;
  };
  std::size_t at = 0;
  for (; bytes.size() - at > 12; at += 12) {
    t.a += word(at);
    t.b += word(at + 4);
    t.c += word(at + 8);
    mix(t);
  }
  if (at == bytes.size()) return t.c;
  t.a += word(at);
  t.b += word(at + 4);
  t.c += word(at + 8);
  finish(t);
  return t.c;
}

std::size_t size_of(Element element) {
  switch (element) {
    case Element::uint8:
      return 1;
    case Element::float32:
    case Element::int32:
      return 4;
    default:
      return 8;
  }
}

Message dataspace(const Dimensions& dimensions) { return {0x01, space_bytes(dimensions)}; }
Message datatype(Element element) { return {0x03, type_bytes(element)}; }

// Version 3: space is taken late, or with each chunk; fill values are written where they have been set.
Message fill_value(std::optional<std::int64_t> value, bool is_chunked) {
  Bytes b;
  b.u8(3).u8((is_chunked ? 3u : 2u) | 2u << 2 | (value ? 1u << 5 : 0u));
  if (value) b.u32(sizeof *value).add(*value);
  return {0x05, b};
}

Message contiguous(std::uint64_t address, std::uint64_t bytes) {
  return {0x08, Bytes().u8(3).u8(1).u64(address).u64(bytes)};
}

Message chunked(std::uint64_t index, const Dimensions& chunk, Element element) {
  Bytes b;
  b.u8(3).u8(2).u8(static_cast<unsigned>(chunk.size() + 1)).u64(index);
  for (const std::uint64_t n : chunk) b.u32(n);
  return {0x08, b.u32(size_of(element))};
}

Message shuffled_and_deflated(Element element) {
  Bytes b;
  b.u8(2).u8(2);
  b.u16(2).u16(0).u16(1).u32(size_of(element));  // shuffle
  return {0x0B, b.u16(1).u16(0).u16(1).u32(1)};  // deflate; its level is not needed to read
}

Message link(std::string_view name, std::uint64_t object) {
  return {0x06, Bytes().u8(1).u8(1).u16(name.size()).text(name).u64(object)};
}

Message attribute(std::string_view name, std::string_view text) {
  return attribute_of(name, Bytes().u8(0x13).u8(1).u16(0).u32(text.size()), {}, Bytes().text(text));
}
Message attribute(std::string_view name, std::span<const std::int64_t> values) {
  Bytes b;
  for (const std::int64_t v : values) b.add(v);
  return attribute_of(name, type_bytes(Element::int64), values.size() == 1 ? Dimensions{} : Dimensions{values.size()},
                      b);
}
Message attribute(std::string_view name, std::span<const double> values) {
  Bytes b;
  for (const double v : values) b.add(v);
  return attribute_of(name, type_bytes(Element::float64), {values.size()}, b);
}

std::vector<Message> group(std::vector<Message> links_and_attributes) {
  std::vector<Message> all{{0x02, Bytes().u8(0).u8(0).u64(no_address).u64(no_address)}, {0x0A, Bytes().u8(0).u8(0)}};
  for (Message& m : links_and_attributes) all.push_back(std::move(m));
  return all;
}

Bytes object_header(const std::vector<Message>& messages) {
  Bytes content;
  for (const Message& m : messages) content.u8(m.type).u16(m.body.size()).u8(0).bytes(m.body);
  Bytes header;
  header.text("OHDR").u8(2).u8(2).u32(content.size()).bytes(content);
  const std::uint32_t sum = checksum(header.all());
  return header.u32(sum);
}

Bytes superblock(std::uint64_t end_of_file, std::uint64_t root_group) {
  Bytes b;
  b.text("\x89HDF\r\n\x1a\n").u8(2).u8(8).u8(8).u8(0);
  b.u64(0).u64(no_address).u64(end_of_file).u64(root_group);
  const std::uint32_t sum = checksum(b.all());
  return b.u32(sum);
}

}  // namespace weir::hdf5
