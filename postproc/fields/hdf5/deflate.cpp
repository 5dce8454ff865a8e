#include "postproc/fields/hdf5/deflate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <queue>
#include <utility>

namespace weir::hdf5 {
namespace {

constexpr std::size_t end_of_block = 256, longest = 258, shortest = 3, furthest = 32768;

template <std::size_t size>
void shuffle(const unsigned char* values, std::size_t n, unsigned char* planes) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t byte = 0; byte < size; ++byte) planes[byte * n + i] = values[i * size + byte];
}

// Bits that a byte needs, from a sample of the plane.
double entropy(std::span<const unsigned char> plane) {
  constexpr std::size_t sample = 4096;
  std::array<int, 256> count{};
  const std::size_t step = plane.size() / sample + 1;
  std::size_t n = 0;
  for (std::size_t i = 0; i < plane.size(); i += step, ++n) ++count[plane[i]];
  double bits = 0;
  for (const int c : count)
    if (c > 0) bits -= c * std::log2(static_cast<double>(c) / static_cast<double>(n));
  return bits / static_cast<double>(std::max<std::size_t>(n, 1));
}

std::uint32_t adler32(std::span<const unsigned char> bytes) {
  constexpr std::uint32_t base = 65521;
  constexpr std::size_t most = 5552;  // bytes before the sums may overflow
  std::uint32_t a = 1, b = 0;
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const auto piece = bytes.subspan(at, std::min(most, bytes.size() - at));
    const auto n = static_cast<std::uint32_t>(piece.size());
    std::uint32_t sum = 0, weighted = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      sum += piece[i];
      weighted += (n - i) * piece[i];
    }
    b = (b + n * a + weighted) % base;
    a = (a + sum) % base;
  }
  return b << 16 | a;
}

// A number as a symbol and extra bits (RFC 1951, 3.2.5).
struct Symbol {
  std::uint16_t symbol = 0, extra = 0;
  std::uint8_t extra_bits = 0;
};

// Of the lengths of a repeat.
std::array<Symbol, longest + 1> make_lengths() {
  std::array<Symbol, longest + 1> all{};
  std::size_t length = shortest;
  for (std::uint16_t symbol = 257; symbol < 285; ++symbol) {
    const int bits = symbol < 265 ? 0 : (symbol - 261) / 4;
    for (int extra = 0; extra < 1 << bits && length <= longest; ++extra)
      all[length++] = {symbol, static_cast<std::uint16_t>(extra), static_cast<std::uint8_t>(bits)};
  }
  all[longest] = {285, 0, 0};
  return all;
}
const std::array<Symbol, longest + 1>& lengths() {
  static const auto all = make_lengths();
  return all;
}

// Of how far back it began, less 1.
Symbol distance(std::uint32_t back) {
  if (back < 4) return {static_cast<std::uint16_t>(back), 0, 0};
  const int bits = std::bit_width(back) - 2;
  return {static_cast<std::uint16_t>(2 * bits + static_cast<int>(back >> bits)),
          static_cast<std::uint16_t>(back & ((1u << bits) - 1)), static_cast<std::uint8_t>(bits)};
}

std::uint64_t eight_bytes(const unsigned char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint32_t reversed(std::uint32_t code, int bits) {
  std::uint32_t r = 0;
  for (int i = 0; i < bits; ++i) r |= (code >> i & 1) << (bits - 1 - i);
  return r;
}

// Canonical codes, first bit lowest.
std::vector<std::uint32_t> codes_of(const std::vector<std::uint8_t>& length) {
  std::vector<std::uint32_t> code(length.size());
  std::uint32_t next = 0;
  for (int bits = 1; bits <= 15; ++bits, next <<= 1)
    for (std::size_t s = 0; s < length.size(); ++s)
      if (length[s] == bits) code[s] = reversed(next++, bits);
  return code;
}

}  // namespace

std::vector<std::uint8_t> code_lengths(std::span<const std::uint32_t> frequency) {
  std::vector<std::uint32_t> weight(frequency.begin(), frequency.end());
  std::vector<std::uint8_t> length(weight.size());
  for (int deepest = 16; deepest > 15;) {
    using Node = std::pair<std::uint64_t, int>;
    std::priority_queue<Node, std::vector<Node>, std::greater<>> nodes;
    std::vector<int> parent(2 * weight.size(), -1);
    for (std::size_t s = 0; s < weight.size(); ++s)
      if (weight[s] > 0) nodes.emplace(weight[s], static_cast<int>(s));
    int next = static_cast<int>(weight.size());
    while (nodes.size() > 1) {
      const Node a = nodes.top();
      nodes.pop();
      const Node b = nodes.top();
      nodes.pop();
      parent[static_cast<std::size_t>(a.second)] = parent[static_cast<std::size_t>(b.second)] = next;
      nodes.emplace(a.first + b.first, next++);
    }
    deepest = 0;
    for (std::size_t s = 0; s < weight.size(); ++s) {
      int depth = 0;
      for (int at = static_cast<int>(s); parent[static_cast<std::size_t>(at)] >= 0; ++depth)
        at = parent[static_cast<std::size_t>(at)];
      length[s] = weight[s] > 0 ? static_cast<std::uint8_t>(std::clamp(depth, 1, 255)) : 0;
      deepest = std::max(deepest, depth);
    }
    for (std::uint32_t& w : weight) w = (w + 1) / 2;  // flatter, should that have been too long
  }
  return length;
}

void Deflater::put(std::uint64_t bits, int count) {
  bits_ |= bits << waiting_;
  waiting_ += count;
  if (waiting_ < 32) return;
  const auto word = static_cast<std::uint32_t>(bits_);
  std::memcpy(out_, &word, sizeof word);
  out_ += sizeof word;
  bits_ >>= 32;
  waiting_ -= 32;
}

void Deflater::align() {
  for (; waiting_ > 0; waiting_ -= 8, bits_ >>= 8) *out_++ = static_cast<unsigned char>(bits_);
  waiting_ = 0;
  bits_ = 0;
}

// Runs of at least eight: a shorter one is not worth its distance.
void Deflater::find_runs(std::span<const unsigned char> plane) {
  std::array<std::array<std::uint32_t, 256>, 4> counts{};  // in turn: equal neighbours would wait for each other
  std::uint32_t* token = tokens_.data();
  const unsigned char* byte = plane.data();
  const unsigned char* const end = byte + plane.size();
  while (byte < end) {
    *token++ = *byte;
    ++counts[static_cast<std::size_t>(token - tokens_.data()) % 4][*byte];
    if (++byte + 8 > end || eight_bytes(byte) != 0x0101010101010101u * byte[-1]) continue;
    const unsigned char* run = byte + 8;
    while (run < end && *run == byte[-1]) ++run;
    while (static_cast<std::size_t>(run - byte) >= shortest) {
      const auto length = std::min(static_cast<std::size_t>(run - byte), longest);
      *token++ = static_cast<std::uint32_t>(length << 16);
      ++frequency_[lengths()[length].symbol];
      ++distance_frequency_[0];
      byte += length;
    }
  }
  count_ = static_cast<std::size_t>(token - tokens_.data());
  for (std::size_t b = 0; b < 256; ++b)
    for (const auto& part : counts) frequency_[b] += part[b];
}

// Whatever of eight bytes and more has come before, where it was last.
void Deflater::find_repeats(std::span<const unsigned char> plane) {
  constexpr int bits = 15;
  seen_.assign(std::size_t{1} << bits, -1);
  const auto place = [&](std::size_t i) -> std::int32_t& {
    return seen_[eight_bytes(plane.data() + i) * 0x9e3779b97f4a7c15u >> (64 - bits)];
  };
  count_ = 0;
  const std::size_t n = plane.size();
  for (std::size_t i = 0; i < n;) {
    std::size_t length = 0, back = 0;
    if (i + 8 <= n) {
      const std::int32_t before = std::exchange(place(i), static_cast<std::int32_t>(i));
      back = i - static_cast<std::size_t>(before);
      if (before >= 0 && back <= furthest)
        while (length < longest && i + length < n && plane[i + length] == plane[i + length - back]) ++length;
    }
    if (length < 8) {
      ++frequency_[plane[i]];
      tokens_[count_++] = plane[i++];
      continue;
    }
    ++frequency_[lengths()[length].symbol];
    ++distance_frequency_[distance(static_cast<std::uint32_t>(back - 1)).symbol];
    tokens_[count_++] = static_cast<std::uint32_t>(length << 16 | (back - 1));
    for (const std::size_t end = i + length; ++i < end;)
      if (i + 8 <= n) place(i) = static_cast<std::int32_t>(i);
  }
}

void Deflater::write_block(Of what, bool is_last) {
  frequency_[end_of_block] = 1;
  const std::vector<std::uint8_t> length = code_lengths(frequency_), far = code_lengths(distance_frequency_);
  const std::vector<std::uint32_t> bits = codes_of(length), far_bits = codes_of(far);
  put((is_last ? 1 : 0) | 2 << 1, 3);
  put((symbols - 257) | (distances - 1) << 5 | 15 << 10, 14);
  for (int i = 0; i < 19; ++i) put(i < 3 ? 0 : 4, 3);  // no code length repeats (16, 17, 18); each takes four bits
  for (const std::uint8_t l : length) put(reversed(l, 4), 4);
  for (const std::uint8_t l : far) put(reversed(l, 4), 4);

  std::array<Code, end_of_block + longest + 1> code{};  // of bytes, and behind them of lengths
  std::array<Code, distances> back{};
  for (std::size_t b = 0; b < 256; ++b) code[b] = {bits[b], length[b]};
  for (std::size_t l = shortest; l <= longest; ++l) {
    const Symbol& s = lengths()[l];
    code[end_of_block + l] = {bits[s.symbol] | static_cast<std::uint64_t>(s.extra) << length[s.symbol],
                              length[s.symbol] + s.extra_bits};
  }
  for (std::size_t d = 0; d < distances; ++d) back[d] = {far_bits[d], far[d]};
  what == Of::field ? write_tokens<2>(code.data(), back.data()) : write_tokens<1>(code.data(), back.data());
  put(bits[end_of_block], length[end_of_block]);
}

// In variables of its own, which no write through `out` can change. A length takes at most 20 bits, a distance of 1 one bit,
// any other 28, and seven bits may wait: two tokens of a field, or one of a mesh, at a time.
template <int at_once>
void Deflater::write_tokens(const Code* code, const Code* back) {
  for (; waiting_ >= 8; waiting_ -= 8, bits_ >>= 8) *out_++ = static_cast<unsigned char>(bits_);
  unsigned char* out = out_;
  std::uint64_t word = bits_;
  int waiting = waiting_;
  const auto write = [&](std::uint64_t bits, int count) {
    word |= bits << waiting;
    waiting += count;
  };
  for (std::size_t t = 0; t < count_; t += at_once) {
    for (std::size_t i = t; i < std::min(t + at_once, count_); ++i) {
      const std::uint32_t token = tokens_[i];
      const Code& c = code[token < 256 ? token : end_of_block + (token >> 16)];
      write(c.bits, c.count);
      if (token < 256) continue;
      const Symbol far = distance(token & 0xffff);
      write(back[far.symbol].bits | static_cast<std::uint64_t>(far.extra) << back[far.symbol].count,
            back[far.symbol].count + far.extra_bits);
    }
    std::memcpy(out, &word, sizeof word);
    out += waiting / 8;
    word >>= waiting / 8 * 8;
    waiting %= 8;
  }
  out_ = out;
  bits_ = word;
  waiting_ = waiting;
}

void Deflater::write_stored(std::span<const unsigned char> plane, bool is_last) {
  constexpr std::size_t most = 65535;
  for (std::size_t at = 0; at < plane.size(); at += most) {
    const auto piece = plane.subspan(at, std::min(most, plane.size() - at));
    const auto n = static_cast<std::uint32_t>(piece.size());
    put(is_last && at + n == plane.size() ? 1 : 0, 3);
    align();
    const std::uint32_t both = n | ~n << 16;
    std::memcpy(out_, &both, sizeof both);
    std::memcpy(out_ + sizeof both, piece.data(), n);
    out_ += sizeof both + n;
  }
}

std::size_t Deflater::operator()(std::span<const unsigned char> values, std::size_t size, Of what,
                                 std::vector<unsigned char>& stream) {
  const std::size_t n = values.size() / size;
  if (planes_.size() < values.size()) planes_.resize(values.size());
  if (tokens_.size() < n) tokens_.resize(n);
  size == 8   ? shuffle<8>(values.data(), n, planes_.data())
  : size == 4 ? shuffle<4>(values.data(), n, planes_.data())
              : shuffle<1>(values.data(), n, planes_.data());
  const std::size_t room = 2 * values.size() + 1024 * size;  // a code has at most 15 bits for a byte
  if (stream.size() < room) stream.resize(room);
  out_ = stream.data();
  put(0x0178, 16);
  for (std::size_t byte = 0; byte < size; ++byte) {
    const auto plane = std::span<const unsigned char>(planes_).subspan(byte * n, n);
    constexpr double worth_it = 5.0;  // bits of 8
    if (what == Of::field && entropy(plane) >= worth_it) {
      write_stored(plane, byte + 1 == size);
      continue;
    }
    frequency_.fill(0);
    distance_frequency_.fill(0);
    what == Of::field ? find_runs(plane) : find_repeats(plane);
    write_block(what, byte + 1 == size);
  }
  align();
  const std::uint32_t sum = adler32(std::span<const unsigned char>(planes_).first(values.size()));
  for (int byte = 3; byte >= 0; --byte) *out_++ = static_cast<unsigned char>(sum >> 8 * byte);
  return static_cast<std::size_t>(out_ - stream.data());
}

}  // namespace weir::hdf5
