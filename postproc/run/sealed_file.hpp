// Named numbers, texts and arrays in one HDF5 file under a seal (seal.hpp): checkpoints and capsules. Written aside,
// synced and renamed, so that a kill leaves the previous file. A file that is truncated, altered in any byte, or of a
// newer schema is refused before its content is used.
//
// Arrays lie in /doubles/NAME and /integers/NAME, texts in /NAME, single numbers are attributes of the file.
// sealed_file.cpp needs HDF5; in sealed_file_none.cpp, without it, all functions but the first throw.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postproc/run/seal.hpp"

namespace weir {

template <class T>
using Named = std::vector<std::pair<std::string, T>>;

// Numbers to be written: in memory, or made a piece at a time by fill(first, values).
struct SealedNumbers {
  SealedNumbers(std::span<const double> of) : values(of), size(of.size()) {}
  SealedNumbers(std::size_t n, std::function<void(std::size_t first, std::span<double> values)> by)
      : size(n), fill(std::move(by)) {}
  std::span<const double> values{};
  std::size_t size = 0;
  std::function<void(std::size_t first, std::span<double> values)> fill = nullptr;
};

// Content to be written; views must live until the call returns.
struct SealedContent {
  Named<std::int64_t> integers;
  Named<double> numbers;
  Named<std::string_view> texts;
  Named<SealedNumbers> doubles;
  Named<std::span<const std::int64_t>> integer_arrays;
};

// Content that was read. Access by name throws Error(Exit::file_io) where the name is missing.
struct SealedFile {
  std::string path;
  Named<std::int64_t> integers;
  Named<double> numbers;
  Named<std::string> texts;
  Named<std::vector<double>> doubles;
  Named<std::int64_t> left_out;  // arrays of doubles above the limit of the reader, and their sizes
  Named<std::vector<std::int64_t>> integer_arrays;

  std::int64_t integer(const std::string& name) const { return find(integers, name); }
  double number(const std::string& name) const { return find(numbers, name); }
  const std::string& text(const std::string& name) const { return find(texts, name); }

 private:
  template <class T>
  const T& find(const Named<T>& list, const std::string& name) const {
    for (const auto& [key, value] : list)
      if (key == name) return value;
    fail_to_read(path, "lacks '" + name + "'");
  }
};

bool sealed_files_available();

void write_sealed_file(const std::string& path, const SealedFormat& format, const SealedContent& content);
// most: number of values above which an array of doubles is left out.
SealedFile read_sealed_file(const std::string& path, const SealedFormat& format,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max());
// Values of the array /doubles/NAME from `first` on, of a file that was read.
void read_sealed_piece(const std::string& path, const std::string& name, std::int64_t first, std::span<double> values);

}  // namespace weir
