#include "postproc/fields/hdf5/growing_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "postproc/fields/hdf5/encode.hpp"
#include "postproc/run/directory/file_changes.hpp"

namespace weir::hdf5 {
namespace {

constexpr std::size_t own_place = 64;
constexpr std::string_view own_name = "WEIRHDF1";

[[noreturn]] void refuse(const std::string& path) {
  throw Error(Exit::file_io, "cannot go on with " + path + ": not a whole .vtkhdf file of weir");
}

int open_file(const std::string& path, int flags) {
  int file = -1;
  do file = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (file < 0 && errno == EINTR);
  return file;
}

}  // namespace

GrowingFile GrowingFile::create(const std::string& path) {
  const int file = open_file(path, O_RDWR | O_CREAT | O_TRUNC);
  if (file < 0) fail_to_write(path, errno);
  return {path, file, head_bytes};
}

GrowingFile GrowingFile::open(const std::string& path) {
  const int file = open_file(path, O_RDWR);
  if (file < 0) fail_to_write(path, errno);
  GrowingFile opened(path, file, 0);
  opened.end_ = opened.head().end;
  return opened;
}

GrowingFile::~GrowingFile() {
  if (file_ >= 0) ::close(file_);
}

void GrowingFile::write(std::span<const unsigned char> bytes, std::uint64_t at) const {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_to_write(path_, n < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
}

std::uint64_t GrowingFile::append(std::span<const unsigned char> bytes) {
  const std::uint64_t at = end_;
  write(bytes, at);
  end_ += bytes.size();
  return at;
}

std::vector<unsigned char> GrowingFile::read(std::uint64_t at, std::uint64_t bytes) const {
  const off_t size = lseek(file_, 0, SEEK_END);
  if (size < 0 || at + bytes < at || at + bytes > static_cast<std::uint64_t>(size)) refuse(path_);
  std::vector<unsigned char> found(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pread(file_, found.data() + done, bytes - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) refuse(path_);
    done += static_cast<std::size_t>(n);
  }
  return found;
}

Head GrowingFile::head() const {
  const std::vector<unsigned char> all = read(0, head_bytes);
  const auto own = std::span<const unsigned char>(all).subspan(own_place);
  Cursor in(own);
  Head head;
  const std::uint64_t name = in.u64();
  head.end = in.u64();
  head.root = in.u64();
  head.note = in.u64();
  head.note_bytes = in.u64();
  const bool is_ours = std::memcmp(&name, own_name.data(), sizeof name) == 0;
  if (!is_ours || in.take<std::uint32_t>() != checksum(own.first(40))) refuse(path_);
  return head;
}

void GrowingFile::turn_to(const Head& head) {
  Bytes own;
  own.text(own_name).u64(head.end).u64(head.root).u64(head.note).u64(head.note_bytes);
  const std::uint32_t sum = checksum(own.all());
  Bytes all = superblock(head.end, head.root);
  write(all.zeros_up_to(own_place).bytes(own.u32(sum)).zeros_up_to(head_bytes).all(), 0);
  end_ = head.end;
}

void GrowingFile::cut(std::uint64_t end) {
  end_ = end;
  [[maybe_unused]] const int ignored = ftruncate(file_, static_cast<off_t>(end));
}

void GrowingFile::close() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0 && errno != EINTR) fail_to_write(path_, errno);
}

}  // namespace weir::hdf5
