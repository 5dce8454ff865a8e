#include "postproc/fields/hdf5/array_writer.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

namespace weir::hdf5 {
namespace {

constexpr std::uint64_t wanted = std::uint64_t{1} << 17;  // items of a chunk: 512 KB of floats

void add_component(Dimensions& dimensions, std::uint32_t components, std::uint64_t n) {
  if (components > 1) dimensions.push_back(n);
}

}  // namespace

Blocks::Blocks(std::uint64_t n, std::vector<std::uint64_t> cells) : items(n), grid(std::move(cells)) {
  if (grid.empty()) {
    const std::uint64_t blocks = std::max<std::uint64_t>(1, n / wanted);
    chunk = std::max<std::uint64_t>(1, (n + blocks - 1) / blocks);
  } else {
    const std::uint64_t plane = grid[1] * grid[2];
    chunk = plane * std::clamp<std::uint64_t>(wanted / plane, 1, grid[0]);
  }
}

Dimensions Blocks::dimensions(std::uint32_t components) const {
  Dimensions d = grid.empty() ? Dimensions{items} : grid;
  add_component(d, components, components);
  return d;
}

ChunkGrid Blocks::chunks(std::uint32_t components) const {
  ChunkGrid g;
  if (grid.empty()) {
    g.chunk = {chunk};
  } else {
    g.chunk = {chunk / (grid[1] * grid[2]), grid[1], grid[2]};
    g.counts = {1, 1};
  }
  add_component(g.chunk, components, 1);
  add_component(g.counts, components, components);
  return g;
}

Dimensions Blocks::dimensions_of_steps(std::uint64_t steps, std::uint32_t components) const {
  Dimensions d = dimensions(components);
  if (grid.empty())
    d[0] = steps * padded();
  else
    d.insert(d.begin(), steps);
  return d;
}

ChunkGrid Blocks::chunks_of_steps(std::uint32_t components) const {
  ChunkGrid g = chunks(components);
  if (grid.empty()) return g;
  g.chunk.insert(g.chunk.begin(), 1);
  g.counts.insert(g.counts.begin(), count());
  return g;
}

ChunkWriter::ChunkWriter(GrowingFile& file) : file_(file), workers_(static_cast<std::size_t>(omp_get_max_threads())) {}

void ChunkWriter::Worker::compress(const Source& source, const Blocks& blocks, Deflater::Of what, std::uint64_t block) {
  const std::uint64_t first = block * blocks.chunk;
  const std::size_t size = size_of(source.element), column = blocks.chunk * size;
  const std::size_t count = std::min(blocks.chunk, blocks.items - first);
  if (values.size() < source.components * column) values.resize(source.components * column);
  std::vector<unsigned char*> columns;
  for (std::uint32_t c = 0; c < source.components; ++c) {
    columns.push_back(values.data() + c * column);
    std::fill(columns[c] + count * size, columns[c] + column, 0);
  }
  source.fill(first, count, columns);
  streams.resize(std::max<std::size_t>(streams.size(), source.components));
  bytes.assign(source.components, 0);
  for (std::uint32_t c = 0; c < source.components; ++c)
    bytes[c] = deflate({columns[c], column}, size, what, streams[c]);
}

// One thread writes while the others compress. Whose turn it is they learn asleep: OpenMP's `ordered` spins, which takes the
// core from whoever compresses where there are fewer cores than threads.
Chunks ChunkWriter::append(const Source& source, const Blocks& blocks, Deflater::Of what) {
  Chunks chunks;
  std::exception_ptr failure;  // touched by the one whose turn it is
  std::atomic<std::int64_t> turn{0};
  const auto n = static_cast<std::int64_t>(blocks.count());
#pragma omp parallel for schedule(monotonic : dynamic) num_threads(static_cast <int>(workers_.size()))
  for (std::int64_t b = 0; b < n; ++b) {
    Worker& worker = workers_[static_cast<std::size_t>(omp_get_thread_num())];
    std::exception_ptr own;
    try {
      worker.compress(source, blocks, what, static_cast<std::uint64_t>(b));
    } catch (...) {
      own = std::current_exception();
    }
    for (std::int64_t now = turn; now != b; now = turn) turn.wait(now);
    try {
      if (own && !failure) failure = own;
      for (std::uint32_t c = 0; c < source.components && !failure; ++c)
        chunks.emplace_back(file_.append(std::span(worker.streams[c]).first(worker.bytes[c])),
                            static_cast<std::uint32_t>(worker.bytes[c]));
    } catch (...) {
      failure = std::current_exception();
    }
    turn = b + 1;
    turn.notify_all();
  }
  if (failure) std::rethrow_exception(failure);
  return chunks;
}

Bytes array_header(Element element, const Dimensions& dimensions, const Dimensions& chunk, std::uint64_t index) {
  return object_header({dataspace(dimensions), datatype(element), fill_value({}, true), chunked(index, chunk, element),
                        shuffled_and_deflated(element)});
}

}  // namespace weir::hdf5
