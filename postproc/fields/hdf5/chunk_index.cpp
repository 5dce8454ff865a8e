#include "postproc/fields/hdf5/chunk_index.hpp"

namespace weir::hdf5 {
namespace {

// Bytes of the chunk, filters left out (none), and where it begins in the array.
void add_key(Bytes& node, const ChunkGrid& grid, std::uint64_t number, std::uint32_t bytes) {
  node.u32(bytes).u32(0);
  Dimensions begin(grid.chunk.size());
  for (std::size_t d = begin.size(); d-- > 1; number /= grid.counts[d - 1])
    begin[d] = number % grid.counts[d - 1] * grid.chunk[d];
  begin[0] = number * grid.chunk[0];
  for (const std::uint64_t at : begin) node.u64(at);
  node.u64(0);  // within the element
}

// Siblings are not named: nobody who reads follows them, and the one to the right is not written yet.
std::uint64_t write_node(const ChunkGrid& grid, std::size_t level, const std::vector<ChunkIndex::Child>& children,
                         std::uint64_t end, Bytes& into, std::uint64_t base) {
  Bytes node;
  node.text("TREE").u8(1).u8(static_cast<unsigned>(level)).u16(children.size()).u64(no_address).u64(no_address);
  for (const ChunkIndex::Child& c : children) {
    add_key(node, grid, c.first, c.bytes);
    node.u64(c.address);
  }
  add_key(node, grid, end, 0);
  const std::size_t key = 8 + 8 * (grid.chunk.size() + 1);
  node.zeros_up_to(24 + ChunkIndex::most * (key + 8) + key);
  const std::uint64_t address = base + into.size();
  into.bytes(node);
  return address;
}

}  // namespace

void ChunkIndex::append(const ChunkGrid& grid, std::uint64_t address, std::uint32_t bytes, Bytes& into,
                        std::uint64_t base) {
  Child child{address, chunks_++, bytes};
  for (std::size_t level = 0;; ++level) {
    if (level == levels_.size()) levels_.emplace_back();
    std::vector<Child>& children = levels_[level];
    children.push_back(child);
    if (children.size() < most) return;
    child = {write_node(grid, level, children, chunks_, into, base), children.front().first, children.front().bytes};
    children.clear();
  }
}

std::uint64_t ChunkIndex::finish(const ChunkGrid& grid, Bytes& into, std::uint64_t base) const {
  std::optional<Child> below;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::vector<Child> children = levels_[level];
    if (below) children.push_back(*below);
    if (children.empty()) continue;
    if (level + 1 == levels_.size() && level > 0 && children.size() == 1) return children.front().address;
    below =
        Child{write_node(grid, level, children, chunks_, into, base), children.front().first, children.front().bytes};
  }
  return below ? below->address : no_address;
}

void ChunkIndex::save(Bytes& into) const {
  into.u64(chunks_).u64(levels_.size());
  for (const auto& children : levels_) {
    into.u64(children.size());
    for (const Child& c : children) into.u64(c.address).u64(c.first).u64(c.bytes);
  }
}

ChunkIndex ChunkIndex::load(Cursor& from) {
  ChunkIndex index;
  index.chunks_ = from.u64();
  for (std::uint64_t levels = from.u64(); from.is_whole() && levels > 0; --levels) {
    auto& children = index.levels_.emplace_back();
    for (std::uint64_t n = from.u64(); from.is_whole() && n > 0; --n) {
      const std::uint64_t address = from.u64(), first = from.u64();
      children.push_back({address, first, static_cast<std::uint32_t>(from.u64())});
    }
  }
  return index;
}

}  // namespace weir::hdf5
