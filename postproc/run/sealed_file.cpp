#include "postproc/run/sealed_file.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <system_error>

#include "postproc/hdf5_id.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

using hdf5::Id;

class Writer {
 public:
  Writer(const std::string& path, std::size_t head)
      : path_(path), access_((hdf5::start(), H5Pcreate(H5P_FILE_CREATE)), H5Pclose) {
    H5Pset_userblock(access_, head);
    order(access_);
    file_ = std::make_unique<Id>(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, access_, H5P_DEFAULT), H5Fclose);
    check(*file_);
  }
  void attribute(const char* name, hid_t type, const void* value) {
    const Id space(H5Screate(H5S_SCALAR), H5Sclose);
    Id a(H5Acreate2(*file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(a);
    check(H5Awrite(a, type, value));
    close(a);
  }
  void group(const char* name) {
    const Id list(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    order(list);
    Id g(H5Gcreate2(*file_, name, H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose);
    check(g);
    close(g);
  }
  void array(const std::string& name, hid_t type, const void* values, std::size_t count) {
    array(name, type, count, [&](hid_t d) { check(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)); });
  }
  void array(const std::string& name, const SealedNumbers& numbers) {
    if (!numbers.fill) return array(name, H5T_NATIVE_DOUBLE, numbers.values.data(), numbers.size);
    array(name, H5T_NATIVE_DOUBLE, numbers.size, [&](hid_t d) {
      std::vector<double> piece(std::min(numbers.size, piece_size));
      const Id space(H5Dget_space(d), H5Sclose);
      for (hsize_t first = 0; first < numbers.size; first += piece_size) {
        const hsize_t count = std::min<hsize_t>(piece_size, numbers.size - first);
        numbers.fill(first, std::span(piece).first(count));
        const Id memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr);
        check(H5Dwrite(d, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, piece.data()));
      }
    });
  }
  std::vector<SealedPart> close() {
    check(H5Fflush(*file_, H5F_SCOPE_GLOBAL));
    close(*file_);
    return std::move(parts_);
  }

 private:
  static constexpr std::size_t piece_size = 65536;
  template <class Write>
  void array(const std::string& name, hid_t type, std::size_t count, const Write& write) {
    const hsize_t n = count;
    const Id space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    const Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(list, false);
    Id d(H5Dcreate2(*file_, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
    check(d);
    if (n == 0) return close(d);
    write(d);
    parts_.push_back(
        {name, static_cast<std::int64_t>(H5Dget_offset(d)), static_cast<std::int64_t>(count * H5Tget_size(type))});
    close(d);
  }
  void close(Id& object) const { hdf5::close_written(object, path_); }
  static void order(hid_t list) {
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(list, false);  // equal contents make equal files
  }
  void check(long long status) const { hdf5::check_write(status, path_); }
  std::string path_;
  Id access_;
  std::unique_ptr<Id> file_;
  std::vector<SealedPart> parts_;
};

std::vector<SealedPart> write_content(const std::string& path, std::size_t head, const SealedContent& content) {
  Writer file(path, head);
  for (const auto& [name, value] : content.integers) {
    const long long number = value;
    file.attribute(name.c_str(), H5T_NATIVE_LLONG, &number);
  }
  for (const auto& [name, value] : content.numbers) file.attribute(name.c_str(), H5T_NATIVE_DOUBLE, &value);
  for (const auto& [name, text] : content.texts) file.array(name, H5T_NATIVE_CHAR, text.data(), text.size());
  file.group("doubles");
  for (const auto& [name, numbers] : content.doubles) file.array("doubles/" + name, numbers);
  file.group("integers");
  for (const auto& [name, values] : content.integer_arrays)
    file.array("integers/" + name, H5T_NATIVE_INT64, values.data(), values.size());
  return file.close();
}

// HDF5 handles a full disk badly, so the space is reserved beforehand. HDF5 releases the reservation when it creates
// the file again.
std::int64_t most_bytes(const SealedContent& content) {
  std::size_t bytes = 65536;
  for (const auto& [name, text] : content.texts) bytes += text.size() + 1024;
  for (const auto& [name, numbers] : content.doubles) bytes += numbers.size * sizeof(double) + 1024;
  for (const auto& [name, values] : content.integer_arrays) bytes += values.size_bytes() + 1024;
  return static_cast<std::int64_t>(bytes);
}

std::vector<std::string> part_names(const SealedContent& content) {
  std::vector<std::string> names;
  for (const auto& [name, text] : content.texts) names.push_back(name);
  for (const auto& [name, values] : content.doubles) names.push_back("doubles/" + name);
  for (const auto& [name, values] : content.integer_arrays) names.push_back("integers/" + name);
  return names;
}

// A seal can be forged. Arrays that Weir does not write (compressed, larger than the file, or in other files) are not
// read.
void require_plain(hid_t array, hid_t space, hid_t type, const std::string& path, const std::string& name) {
  const Id own(H5Dget_type(array), H5Tclose), list(H5Dget_create_plist(array), H5Pclose);
  std::error_code error;
  const std::uintmax_t most = std::filesystem::file_size(path, error) / std::max<std::size_t>(1, H5Tget_size(own));
  const bool is_plain = H5Pget_layout(list) == H5D_CONTIGUOUS && H5Pget_nfilters(list) == 0 &&
                        H5Pget_external_count(list) == 0 && H5Tequal(own, type) > 0;
  if (!is_plain || !(static_cast<std::uintmax_t>(H5Sget_simple_extent_npoints(space)) <= most))
    fail_to_read(path, "'" + name + "' is not an array in the format of weir");
}

enum class Reading { rehearsal, real };  // a rehearsal leaves the values out

Id open_array(hid_t file, const std::string& path, const std::string& name) {
  Id d(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (d < 0) fail_to_read(path, "lacks '" + name + "'");
  return d;
}

// left_out: set to the size of an array of more than `most` values, which is not read.
template <class T>
std::vector<T> read_array(hid_t file, const std::string& path, const std::string& name, hid_t type, Reading reading,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                          std::int64_t* left_out = nullptr) {
  const Id d = open_array(file, path, name), space(H5Dget_space(d), H5Sclose);
  require_plain(d, space, type, path, name);
  if (reading == Reading::rehearsal) return {};
  const auto count = H5Sget_simple_extent_npoints(space);
  if (count > most) {
    *left_out = count;
    return {};
  }
  std::vector<T> values(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count > 0 && H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail_to_read(path, "'" + name + "' cannot be read: " + hdf5::reason());
  return values;
}

// Names in the order in which they were written. Links to elsewhere are not followed.
std::vector<std::string> names_in(hid_t group, const std::string& path) {
  std::vector<std::string> names;
  const herr_t status = H5Literate(
      group, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t* link, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return link->type == H5L_TYPE_HARD ? 0 : -1;
      },
      &names);
  if (status < 0) fail_to_read(path, "its list of contents is not in the format of weir");
  return names;
}

Id open_group(hid_t file, const std::string& path, const std::string& group) {
  Id g(H5Gopen2(file, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (g < 0) fail_to_read(path, "lacks its group '" + group + "'");
  return g;
}

void read_doubles(hid_t file, const std::string& path, Reading reading, std::int64_t most, SealedFile& into) {
  const Id group = open_group(file, path, "doubles");
  for (const auto& name : names_in(group, path)) {
    std::int64_t left_out = 0;
    std::vector<double> values = read_array<double>(group, path, name, H5T_NATIVE_DOUBLE, reading, most, &left_out);
    if (left_out > 0)
      into.left_out.emplace_back(name, left_out);
    else
      into.doubles.emplace_back(name, std::move(values));
  }
}

void read_attributes(hid_t file, const std::string& path, SealedFile& into) {
  std::vector<std::string> names;
  H5Aiterate2(
      file, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
      },
      &names);
  for (const std::string& name : names) {
    const Id a(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose);
    const Id type(H5Aget_type(a), H5Tclose), space(H5Aget_space(a), H5Sclose);
    long long integer = 0;
    double number = 0;
    const bool is_integer = H5Tequal(type, H5T_NATIVE_LLONG) > 0;
    if (H5Sget_simple_extent_npoints(space) != 1 || !(is_integer || H5Tequal(type, H5T_NATIVE_DOUBLE) > 0))
      fail_to_read(path, "'" + name + "' is not one number");
    if ((is_integer ? H5Aread(a, H5T_NATIVE_LLONG, &integer) : H5Aread(a, H5T_NATIVE_DOUBLE, &number)) < 0)
      fail_to_read(path, "'" + name + "' cannot be read: " + hdf5::reason());
    if (is_integer)
      into.integers.emplace_back(name, integer);
    else
      into.numbers.emplace_back(name, number);
  }
}

Id open_file(const std::string& path) {
  Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0) fail_to_read(path, "cannot be read: " + hdf5::reason());
  return file;
}

SealedFile read_content(const std::string& path, Reading reading, std::int64_t most) {
  const Id file = open_file(path);
  SealedFile found;
  found.path = path;
  read_attributes(file, path, found);
  for (const auto& name : names_in(file, path)) {
    if (name == "doubles" || name == "integers") continue;
    const auto letters = read_array<char>(file, path, name, H5T_NATIVE_CHAR, reading);
    found.texts.emplace_back(name, std::string(letters.begin(), letters.end()));
  }
  read_doubles(file, path, reading, most, found);
  const Id group = open_group(file, path, "integers");
  for (const auto& name : names_in(group, path))
    found.integer_arrays.emplace_back(name, read_array<std::int64_t>(group, path, name, H5T_NATIVE_INT64, reading));
  return found;
}

// HDF5 1.10 copies from any address in a forged file (H5F__accum_read). Therefore a child process first reads the
// structure of the file, and may crash. This process then repeats the child's refusal with its reason. Where no child
// can be started the seal alone has to do.
void rehearse(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, SIG_DFL);
    constexpr rlimit no_core{0, 0}, seconds{60, 60};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &seconds);
    close(STDERR_FILENO);  // no messages of the crash
    try {
      read_content(path, Reading::rehearsal, 0);
    } catch (...) {
    }
    _exit(0);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0) fail_to_read(path, "cannot be read: the HDF5 library crashes on it");
}

}  // namespace

bool sealed_files_available() { return true; }

void write_sealed_file(const std::string& path, const SealedFormat& format, const SealedContent& content) {
  write_aside(path, [&](const std::string& temporary) {
    const std::size_t head = seal_bytes(format, part_names(content));
    reserve_file(temporary, most_bytes(content));
    seal_file(temporary, format, head, write_content(temporary, head, content));
  });
  sync_folder(folder_of(path));
}

SealedFile read_sealed_file(const std::string& path, const SealedFormat& format, std::int64_t most) {
  verify_seal(path, format);
  hdf5::start();
  rehearse(path);
  return read_content(path, Reading::real, most);
}

void read_sealed_piece(const std::string& path, const std::string& name, std::int64_t first, std::span<double> values) {
  const Id file = open_file(path), d = open_array(file, path, "doubles/" + name), space(H5Dget_space(d), H5Sclose);
  require_plain(d, space, H5T_NATIVE_DOUBLE, path, name);
  const hsize_t from = static_cast<hsize_t>(first), count = values.size();
  const Id memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, nullptr, &count, nullptr) < 0 ||
      H5Dread(d, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0)
    fail_to_read(path, "'" + name + "' cannot be read: " + hdf5::reason());
}

}  // namespace weir
