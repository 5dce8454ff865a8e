#include "base/files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// The number after "name:" in a file of /proc, in kB; negative: missing.
std::int64_t proc_kilobytes(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word; file >> word;)
    if (std::int64_t value = 0; word == name && file >> value) return value;
  return -1;
}

}  // namespace

std::string content_of(const std::string& path, const std::string& what) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) throw Error(Exit::file_io, path + ": is a folder, expected a " + what);
  if (fs::is_character_file(status) || fs::is_block_file(status))  // /dev/zero has no end
    throw Error(Exit::file_io, path + ": is a device, expected a " + what);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Exit::file_io, path + ": cannot open the " + what + ": " + std::strerror(errno));
  constexpr std::size_t chunk = std::size_t{1} << 20;
  std::string text;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error) text.reserve(size + chunk);
  while (file) {
    const std::size_t old = text.size();
    text.resize(old + chunk);
    file.read(text.data() + old, chunk);
    text.resize(old + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(Exit::file_io, path + ": cannot read the " + what);
  return text;
}

OutputPlace place_of_output(const std::string& path, const std::vector<std::string>& inputs,
                            std::string_view beginning) {
  std::error_code error;
  OutputPlace place{path};
  if (const fs::file_status to = fs::status(path, error); fs::exists(to) && fs::is_other(to)) {
    place.is_stream = true;  // also /dev/stdout, whose link names a pipe without a path
    return place;
  }
  constexpr int most_links = 40;
  for (int links = 0; fs::is_symlink(fs::symlink_status(place.path, error)); ++links) {
    if (links == most_links) throw Error(Exit::usage, path + ": is a symbolic link that leads back to itself");
    const fs::path to = fs::read_symlink(place.path, error);
    place.path = (to.is_absolute() ? to : fs::path(place.path).parent_path() / to).string();
  }
  const fs::file_status status = fs::status(place.path, error);
  if (!fs::exists(status)) return place;
  if (fs::is_directory(status)) throw Error(Exit::usage, path + ": is a folder, expected the path of an output file");
  for (const std::string& input : inputs)
    if (fs::equivalent(place.path, input, error))
      throw Error(Exit::usage, path + ": is an input of this command and would be overwritten; choose another name");
  if (beginning.empty() || fs::file_size(place.path, error) == 0) return place;
  std::string head(beginning.size(), ' ');
  std::ifstream(place.path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (head != beginning)
    throw Error(Exit::usage, path + ": exists and is a file of another kind; remove it, or choose another name");
  return place;
}

std::string why_no_file_name(std::string_view name) {
  constexpr std::size_t longest = 200;  // the limit of most file systems is 255; numbers and endings are added
  if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos)
    return "it is used as a file name and must not be empty or contain '/'";
  if (name.size() > longest)
    return "it is used as a file name and must have at most " + std::to_string(longest) + " bytes";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(name, is_control)) return "it is used as a file name and must not contain control characters";
  return "";
}

std::int64_t free_memory() {
  constexpr std::int64_t kilobyte = 1024;
  std::int64_t free = std::numeric_limits<std::int64_t>::max();
  if (const std::int64_t here = proc_kilobytes("/proc/meminfo", "MemAvailable:"); here >= 0) free = kilobyte * here;
  std::int64_t limit = 0, used = 0;  // "max": no limit
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit && std::ifstream("/sys/fs/cgroup/memory.current") >> used)
    free = std::min(free, std::max<std::int64_t>(0, limit - used));
  rlimit own{};
  if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY) {
    const std::int64_t held = kilobyte * std::max<std::int64_t>(0, proc_kilobytes("/proc/self/status", "VmSize:"));
    free = std::min(free, std::max<std::int64_t>(0, static_cast<std::int64_t>(own.rlim_cur) - held));
  }
  return free;
}

void require_free_memory(double bytes, const std::string& what) {
  const auto free = static_cast<double>(free_memory());
  if (bytes <= free) return;
  constexpr double megabyte = 1 << 20;
  throw Error(Exit::out_of_memory, what + " needs about " + std::to_string(std::llround(bytes / megabyte)) +
                                       " MB, but only " + std::to_string(std::llround(free / megabyte)) +
                                       " MB are free");
}

}  // namespace weir
