// Reading and writing files, and the memory of the machine.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// All bytes of a file or pipe. Throws Error(Exit::file_io). `what` is used in the message: "mesh file".
std::string content_of(const std::string& path, const std::string& what);

// Path of an output file. Symbolic links are followed: the link stays, its target is written.
struct OutputPlace {
  std::string path;
  bool is_stream = false;  // a device or pipe: written into, never replaced
};
// Throws Error(Exit::usage) if the path is a folder, one of `inputs`, or a file of another kind (by its first bytes).
OutputPlace place_of_output(const std::string& path, const std::vector<std::string>& inputs = {},
                            std::string_view beginning = "");

// Why `name` cannot be a file name; empty: it can.
std::string why_no_file_name(std::string_view name);

std::int64_t free_memory();  // free bytes of the machine within the limits of the container and of `ulimit -v`
// Throws Error(Exit::out_of_memory) if fewer bytes are free. For data built before the run's memory estimate.
void require_free_memory(double bytes, const std::string& what);

}  // namespace weir
