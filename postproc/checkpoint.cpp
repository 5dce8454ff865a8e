#include "postproc/checkpoint.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "postproc/hash.hpp"
#include "postproc/write_aside.hpp"

namespace weir {
namespace {

// The first 512 bytes belong to us (HDF5's "user block"): one line that seals the rest. It is checked before HDF5 looks
// at the file, because its reader does not survive every damaged one.
constexpr std::size_t seal_bytes = 512;
constexpr std::string_view seal_begin = "weir-checkpoint schema=";

std::string seal(std::int64_t bytes, std::uint64_t hash) {
  std::string text(seal_begin);
  text += std::to_string(checkpoint_schema) + " bytes=" + std::to_string(bytes) + " hash=" + hex(hash) + "\n";
  text.resize(seal_bytes, '\0');
  return text;
}

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
  throw Error(Exit::file_io, path + ": " + why);
}

// A file descriptor that closes itself.
struct Descriptor {
  int fd;
  explicit Descriptor(int f) : fd(f) {}
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

std::uint64_t hash_of_the_rest(const Descriptor& file, const std::string& path, std::int64_t bytes) {
  constexpr std::size_t chunk = std::size_t{1} << 20;
  const auto buffer = std::make_unique<char[]>(chunk);
  Hash64 hash;
  for (auto at = static_cast<std::int64_t>(seal_bytes); at < bytes;) {
    const ssize_t n = pread(file.fd, buffer.get(), chunk, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_to_read(path, std::string("cannot be read: ") + (n < 0 ? std::strerror(errno) : "it ends early"));
    hash.add(buffer.get(), static_cast<std::size_t>(n));
    at += n;
  }
  return hash.value();
}

// An HDF5 identifier that closes itself. HDF5's own messages are switched off; the ones it keeps are in hdf5_reason().
class Id {
 public:
  Id(hid_t id, herr_t (*closer)(hid_t)) : id_(id), closer_(closer) {}
  ~Id() {
    if (id_ >= 0) closer_(id_);
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  operator hid_t() const { return id_; }
  bool close() { return closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*closer_)(hid_t);
};

// The innermost message of HDF5's error stack; it holds errno's text where the system refused.
std::string hdf5_reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        *static_cast<std::string*>(out) = error->desc ? error->desc : "";
        return 0;
      },
      &text);
  const auto at = text.find("error message = '");
  if (at != std::string::npos) text = text.substr(at + 17, text.find('\'', at + 17) - at - 17);
  return text.empty() ? "HDF5 refused" : text;
}

class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), access_(H5Pcreate(H5P_FILE_CREATE), H5Pclose) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5Pset_userblock(access_, seal_bytes);
    H5Pset_link_creation_order(access_, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    file_ = std::make_unique<Id>(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, access_, H5P_DEFAULT), H5Fclose);
    check(*file_);
  }
  void attribute(const char* name, hid_t type, const void* value) {
    const Id space(H5Screate(H5S_SCALAR), H5Sclose);
    const Id a(H5Acreate2(*file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(a);
    check(H5Awrite(a, type, value));
  }
  void group(const char* name) {
    const Id list(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const Id g(H5Gcreate2(*file_, name, H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose);
    check(g);
  }
  void array(const std::string& name, hid_t type, const void* values, std::size_t count) {
    const hsize_t n = count;
    const Id space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    const Id d(H5Dcreate2(*file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    check(d);
    if (n > 0) check(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }
  void close() {
    check(H5Fflush(*file_, H5F_SCOPE_GLOBAL));
    if (!file_->close()) check(-1);
  }

 private:
  void check(long long status) const {
    if (status < 0) throw Error(Exit::file_io, "cannot write " + path_ + ": " + hdf5_reason());
  }
  std::string path_;
  Id access_;
  std::unique_ptr<Id> file_;
};

void write_content(const std::string& path, const CheckpointHeader& header, const CheckpointState& state) {
  Writer file(path);
  const long long step = header.step;
  file.attribute("step", H5T_NATIVE_LLONG, &step);
  file.attribute("time", H5T_NATIVE_DOUBLE, &header.time);
  file.attribute("wall_seconds", H5T_NATIVE_DOUBLE, &header.wall_seconds);
  file.array("config", H5T_NATIVE_CHAR, header.config.data(), header.config.size());
  file.array("name", H5T_NATIVE_CHAR, header.name.data(), header.name.size());
  file.array("miniapp", H5T_NATIVE_CHAR, header.miniapp.data(), header.miniapp.size());
  file.array("version", H5T_NATIVE_CHAR, header.version.data(), header.version.size());
  file.group("doubles");
  for (const auto& [name, values] : state.doubles)
    file.array("doubles/" + name, H5T_NATIVE_DOUBLE, values.data(), values.size());
  for (const auto& [name, value] : state.scalars) file.array("doubles/" + name, H5T_NATIVE_DOUBLE, &value, 1);
  file.group("integers");
  for (const auto& [name, values] : state.integers)
    file.array("integers/" + name, H5T_NATIVE_INT64, values.data(), values.size());
  file.close();
}

// HDF5 handles a full disk badly: find out before it starts. The reservation is given back when HDF5 creates the file
// anew.
void reserve(const std::string& path, const CheckpointHeader& header, const CheckpointState& state) {
  std::size_t bytes = 65536 + header.config.size();
  for (const auto& [name, values] : state.doubles) bytes += values.size_bytes() + 1024;
  for (const auto& [name, values] : state.integers) bytes += values.size_bytes() + 1024;
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.fd < 0) fail_to_write(path, errno);
  const int status = posix_fallocate(file.fd, 0, static_cast<off_t>(bytes));
  if (status != 0 && status != EOPNOTSUPP && status != EINVAL) fail_to_write(path, status);
}

void seal_and_sync(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  const off_t bytes = file.fd < 0 ? -1 : lseek(file.fd, 0, SEEK_END);
  if (bytes < 0) fail_to_write(path, errno);
  const std::string line = seal(bytes, hash_of_the_rest(file, path, bytes));
  if (pwrite(file.fd, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) fail_to_write(path, errno);
  if (fsync(file.fd) != 0) fail_to_write(path, errno);
}

void sync_folder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const Descriptor d(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (d.fd >= 0) fsync(d.fd);  // some file systems refuse this; the rename itself has succeeded
}

void verify_seal(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) fail_to_read(path, std::string("cannot be read: ") + std::strerror(errno));
  std::string head(seal_bytes, '\0');
  const ssize_t n = pread(file.fd, head.data(), seal_bytes, 0);
  if (n < 0) fail_to_read(path, std::string("cannot be read: ") + std::strerror(errno));
  if (!head.starts_with(seal_begin)) fail_to_read(path, "is not a checkpoint of weir");
  const std::string digits = head.substr(seal_begin.size(), head.find(' ', seal_begin.size()) - seal_begin.size());
  const bool is_number =
      !digits.empty() && digits.size() < 9 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) fail_to_read(path, "is damaged: its first line was altered");
  if (std::stoi(digits) > checkpoint_schema)
    fail_to_read(path, "was written by a newer weir (schema " + digits + "; this one reads up to " +
                           std::to_string(checkpoint_schema) + ")");
  const auto bytes = static_cast<std::int64_t>(lseek(file.fd, 0, SEEK_END));
  const auto at = head.find("bytes=");
  const std::int64_t written = at == std::string::npos ? -1 : std::atoll(head.c_str() + at + 6);
  if (bytes < written)
    fail_to_read(path, "is truncated: " + std::to_string(bytes) + " of " + std::to_string(written) + " bytes");
  if (head != seal(bytes, hash_of_the_rest(file, path, bytes)))
    fail_to_read(path, "is damaged: its content does not match its hash");
}

template <class T>
std::vector<T> read_array(hid_t file, const std::string& path, const std::string& name, hid_t type) {
  const Id d(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (d < 0) fail_to_read(path, "lacks '" + name + "'");
  const Id space(H5Dget_space(d), H5Sclose);
  const auto count = H5Sget_simple_extent_npoints(space);
  std::vector<T> values(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count > 0 && H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail_to_read(path, "'" + name + "' cannot be read: " + hdf5_reason());
  return values;
}

template <class T>
std::vector<std::pair<std::string, std::vector<T>>> read_group(hid_t file, const std::string& path,
                                                               const std::string& group, hid_t type) {
  const Id g(H5Gopen2(file, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (g < 0) fail_to_read(path, "lacks its group '" + group + "'");
  std::vector<std::string> names;
  H5Literate(
      g, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
      },
      &names);
  std::vector<std::pair<std::string, std::vector<T>>> arrays;
  for (const auto& name : names) arrays.emplace_back(name, read_array<T>(g, path, name, type));
  return arrays;
}

void read_attribute(hid_t file, const std::string& path, const char* name, hid_t type, void* value) {
  const Id a(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  if (a < 0 || H5Aread(a, type, value) < 0) fail_to_read(path, std::string("lacks '") + name + "'");
}

std::string read_text(hid_t file, const std::string& path, const char* name) {
  const auto letters = read_array<char>(file, path, name, H5T_NATIVE_CHAR);
  return {letters.begin(), letters.end()};
}

}  // namespace

bool checkpoints_available() { return true; }

void write_checkpoint(const std::string& path, const CheckpointHeader& header, const CheckpointState& state) {
  write_aside(path, [&](const std::string& temporary) {
    reserve(temporary, header, state);
    write_content(temporary, header, state);
    seal_and_sync(temporary);
  });
  sync_folder(path);
}

Checkpoint read_checkpoint(const std::string& path) {
  verify_seal(path);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0) fail_to_read(path, "cannot be read: " + hdf5_reason());
  Checkpoint c;
  c.path = path;
  long long step = 0;
  read_attribute(file, path, "step", H5T_NATIVE_LLONG, &step);
  c.header.step = step;
  read_attribute(file, path, "time", H5T_NATIVE_DOUBLE, &c.header.time);
  read_attribute(file, path, "wall_seconds", H5T_NATIVE_DOUBLE, &c.header.wall_seconds);
  c.header.config = read_text(file, path, "config");
  c.header.name = read_text(file, path, "name");
  c.header.miniapp = read_text(file, path, "miniapp");
  c.header.version = read_text(file, path, "version");
  c.arrays = read_group<double>(file, path, "doubles", H5T_NATIVE_DOUBLE);
  c.integer_arrays = read_group<std::int64_t>(file, path, "integers", H5T_NATIVE_INT64);
  return c;
}

}  // namespace weir
