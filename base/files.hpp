// Files and the machine's memory, as everything that reads input meets them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// All bytes of a file, or of a pipe. Error(Exit::file_io) where it cannot be read; `what` is for the message: "mesh file".
std::string content_of(const std::string& path, const std::string& what);

// Where the user wants a file. Links are followed: a link stays, and the file that it names is written.
struct OutputPlace {
  std::string path;
  bool is_stream = false;  // a device, a pipe: to be written into, never replaced
};
// Error(Exit::usage) where it is a folder, one of `inputs`, or a file that does not begin as what is to be written
// does.
OutputPlace place_of_output(const std::string& path, const std::vector<std::string>& inputs = {},
                            std::string_view beginning = "");

// Why no file can be called so; empty where one can.
std::string why_no_file_name(std::string_view name);

std::int64_t free_memory();  // bytes that the machine, the container's limit or `ulimit -v` still has
// Error(Exit::out_of_memory) where there is less. For what is built before a run knows its whole estimate.
void require_free_memory(double bytes, const std::string& what);

}  // namespace weir
