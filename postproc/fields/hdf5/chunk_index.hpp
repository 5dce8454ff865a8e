// Where the chunks of an array lie: a B-tree of version 1 (HDF5 format, III.A.1), for arrays that grow. A node that is full
// is written once and never changed; append() a step's chunks, then finish() writes the nodes that are not full yet, anew
// each time, and returns the root. What a reader found under an older root stays as it was.
#pragma once
#include "postproc/fields/hdf5/encode.hpp"

namespace weir::hdf5 {

// The chunks are counted last dimension fastest, as they lie in the array; all of them are there.
struct ChunkGrid {
  Dimensions chunk;   // elements of a chunk in each dimension
  Dimensions counts;  // chunks in each dimension but the first, which grows
};

class ChunkIndex {
 public:
  static constexpr std::size_t most =
      64;  // children of a node: twice the K that a file without superblock extension has

  struct Child {
    std::uint64_t address, first;  // of a chunk or a node, and the number of (its first) chunk
    std::uint32_t bytes;           // of the (first) chunk
  };
  // Nodes lie in `into`, whose first byte has the address `base`.
  void append(const ChunkGrid& grid, std::uint64_t address, std::uint32_t bytes, Bytes& into, std::uint64_t base);
  std::uint64_t finish(const ChunkGrid& grid, Bytes& into, std::uint64_t base) const;

  std::uint64_t chunks() const { return chunks_; }
  // All that is needed to go on: of each level the children that no full node holds.
  void save(Bytes& into) const;
  static ChunkIndex load(Cursor& from);

 private:
  std::vector<std::vector<Child>> levels_;
  std::uint64_t chunks_ = 0;
};

}  // namespace weir::hdf5
