// A file of VTK's XML formats ("VTK XML file formats", The VTK User's Guide, chapter 19): a header, then the arrays as raw
// appended bytes, each behind its length (UInt64). Written without the VTK library, which costs 20 MB of memory at 64^3
// (13 MB to load, the rest copies of the fields); the tests read the files back with it.
#pragma once
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "postproc/run/write_aside.hpp"

namespace weir {

class VtkFile {
 public:
  // type: "RectilinearGrid". The header is closed by write().
  VtkFile(const std::string& type, const std::string& attributes, const double& time) : type_(type) {
    text(
        fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
                    "header_type=\"UInt64\">\n  <{0}{1}>\n    <FieldData>\n",
                    type, attributes));
    add("Float64", "Name=\"TimeValue\" NumberOfTuples=\"1\"", std::span(&time, 1));
    text("    </FieldData>\n");
  }
  void text(const std::string& words) { header_ += words; }

  // Arrays, in the order in which their bytes will follow.
  void add(std::string_view type, std::string_view attributes, std::uint64_t bytes,
           std::function<void(OutputFile&)> write) {
    header_ += fmt::format("        <DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>\n", type, attributes,
                           offset_);
    offset_ += sizeof bytes + bytes;
    blocks_.push_back({bytes, std::move(write)});
  }
  // Of values that stay where they are until write().
  template <class T>
  void add(std::string_view type, std::string_view attributes, std::span<const T> values) {
    add(type, attributes, values.size_bytes(),
        [values](OutputFile& file) { file.write(values.data(), values.size_bytes()); });
  }

  // Aside, and renames. Throws Error(Exit::file_io) with path and reason.
  void write(const std::string& path) const {
    static_assert(std::endian::native == std::endian::little);
    write_aside(path, [&](const std::string& temporary) {
      OutputFile file(temporary);
      file.write(header_ + "    </Piece>\n  </" + type_ + ">\n  <AppendedData encoding=\"raw\">\n   _");
      for (const Block& block : blocks_) {
        file.write(&block.bytes, sizeof block.bytes);
        block.write(file);
      }
      file.write("\n  </AppendedData>\n</VTKFile>\n");
      file.close();
    });
  }

 private:
  struct Block {
    std::uint64_t bytes;
    std::function<void(OutputFile&)> write;
  };
  std::string type_, header_;
  std::uint64_t offset_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace weir
