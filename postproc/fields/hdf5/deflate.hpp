// Compression for HDF5's filters "shuffle" and "deflate": the bytes of all elements by their significance, a plane each, in
// one zlib stream (RFC 1950, 1951). Ours, since a picture must not take longer to write than without compression: zlib's
// fastest level takes as long as writing all bytes. Here a plane is one block: of a field it is stored where its bytes are
// noise, as the low ones of a flow's numbers are, else Huffman codes of bytes and of runs of one byte; of a mesh, which is
// written once and repeats itself, of bytes and of whatever has come before.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::hdf5 {

// Of one thread; keeps its memory from one call to the next.
class Deflater {
 public:
  enum class Of { field, mesh };
  // values: elements of `size` bytes. Returns the stream's length; it lies at the beginning of `stream`, which only grows.
  std::size_t operator()(std::span<const unsigned char> values, std::size_t size, Of what,
                         std::vector<unsigned char>& stream);

 private:
  static constexpr std::size_t symbols = 286;   // of a byte, of the end of a block, of the length of a repeat
  static constexpr std::size_t distances = 30;  // symbols of how far back that began
  struct Code {                                 // of a token's part
    std::uint64_t bits = 0;
    int count = 0;
  };
  void find_runs(std::span<const unsigned char> plane);
  void find_repeats(std::span<const unsigned char> plane);
  void write_block(Of what, bool is_last);
  template <int at_once>
  void write_tokens(const Code* code, const Code* distance);
  void write_stored(std::span<const unsigned char> plane, bool is_last);
  void put(std::uint64_t bits, int count);
  void align();

  std::vector<unsigned char> planes_;
  std::vector<std::uint32_t> tokens_;  // a byte, or length << 16 | how far back - 1
  std::size_t count_ = 0;              // of tokens
  std::array<std::uint32_t, symbols> frequency_{};
  std::array<std::uint32_t, distances> distance_frequency_{};
  std::vector<std::int32_t> seen_;  // where the bytes of a hash were last
  unsigned char* out_ = nullptr;
  std::uint64_t bits_ = 0;  // not written yet
  int waiting_ = 0;
};

// Lengths (at most 15) of the Huffman codes of symbols of these frequencies; 0 where the frequency is.
std::vector<std::uint8_t> code_lengths(std::span<const std::uint32_t> frequency);

}  // namespace weir::hdf5
