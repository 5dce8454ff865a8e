// Arrays of an HDF5 file as chunks, compressed by all threads.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "postproc/fields/hdf5/chunk_index.hpp"
#include "postproc/fields/hdf5/deflate.hpp"
#include "postproc/fields/hdf5/growing_file.hpp"

namespace weir::hdf5 {

// The values of an array: fill(first, count, columns) writes `count` items from `first` on, the elements of each component
// into a column of its own.
struct Source {
  Element element;
  std::uint64_t items;
  std::uint32_t components;
  std::function<void(std::uint64_t first, std::size_t count, const std::vector<unsigned char*>& columns)> fill;
};

// A chunk holds one component of `chunk` items, whole planes of a grid: components side by side would not compress.
struct Blocks {
  std::uint64_t items, chunk;
  std::vector<std::uint64_t> grid;  // cells in z, y, x; empty: the items are a plain list
  explicit Blocks(std::uint64_t items, std::vector<std::uint64_t> grid = {});
  std::uint64_t count() const { return (items + chunk - 1) / chunk; }
  std::uint64_t padded() const { return count() * chunk; }
  // With a leading dimension for the steps: of a list, each begins with a chunk of its own.
  Dimensions dimensions_of_steps(std::uint64_t steps, std::uint32_t components) const;
  ChunkGrid chunks_of_steps(std::uint32_t components) const;
  // Of one step.
  Dimensions dimensions(std::uint32_t components) const;
  ChunkGrid chunks(std::uint32_t components) const;
};

// Address and bytes of each chunk, in the order of the index.
using Chunks = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

class ChunkWriter {
 public:
  explicit ChunkWriter(GrowingFile& file);
  Chunks append(const Source& source, const Blocks& blocks, Deflater::Of what);

 private:
  struct Worker {  // a thread's
    std::vector<unsigned char> values;
    Deflater deflate;
    std::vector<std::vector<unsigned char>> streams;  // of each component
    std::vector<std::size_t> bytes;
    void compress(const Source& source, const Blocks& blocks, Deflater::Of what, std::uint64_t block);
  };

  GrowingFile& file_;
  std::vector<Worker> workers_;
};

// The header of an array in chunks.
Bytes array_header(Element element, const Dimensions& dimensions, const Dimensions& chunk, std::uint64_t index);

}  // namespace weir::hdf5
