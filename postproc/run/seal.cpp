#include "postproc/run/seal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr std::size_t least_head = 512;  // of HDF5

std::uint64_t hash_of_bytes(const Descriptor& file, const std::string& path, std::int64_t from, std::int64_t to) {
  constexpr std::int64_t chunk = std::int64_t{1} << 20;
  if (from < 0 || to < from) fail_to_read(path, "is damaged: its head was altered");
  const auto buffer = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(std::min(chunk, to - from)));
  Hash64 hash;
  for (std::int64_t at = from; at < to;) {
    const ssize_t n = pread(file, buffer.get(), static_cast<std::size_t>(std::min(chunk, to - at)), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_to_read(path, std::string("cannot be read: ") + (n < 0 ? std::strerror(errno) : "it ends early"));
    hash.add(buffer.get(), static_cast<std::size_t>(n));
    at += n;
  }
  return hash.value();
}

std::string first_line(const SealedFormat& format, std::int64_t bytes, std::size_t head, std::uint64_t hash) {
  return format.first_word() + " schema=" + std::to_string(format.schema) + " bytes=" + std::to_string(bytes) +
         (format.seals_parts ? " head=" + std::to_string(head) : "") + " hash=" + hex(hash) + "\n";
}

std::string part_line(const SealedPart& part, std::uint64_t hash) {
  return "part " + part.name + " offset=" + std::to_string(part.offset) + " bytes=" + std::to_string(part.bytes) +
         " hash=" + hex(hash) + "\n";
}

// The number after " KEY="; -1 where there is none.
std::int64_t number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return -1;
  std::int64_t value = -1;
  std::from_chars(line.data() + at + key.size(), line.data() + line.size(), value);
  return value;
}

std::string read_head(const Descriptor& file, const std::string& path, std::size_t size) {
  std::string head(size, '\0');
  if (pread(file, head.data(), size, 0) < 0) fail_to_read(path, std::string("cannot be read: ") + std::strerror(errno));
  return head;
}

void check_schema(const std::string& path, const SealedFormat& format, const std::string& head) {
  const std::string begin = format.first_word() + " schema=";
  if (!head.starts_with(begin)) fail_to_read(path, "is not a " + format.name + " of weir");
  const std::string digits = head.substr(begin.size(), head.find(' ', begin.size()) - begin.size());
  const bool is_number =
      !digits.empty() && digits.size() < 9 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) fail_to_read(path, "is damaged: its first line was altered");
  if (std::stoi(digits) > format.schema)
    fail_to_read(path, "was written by a newer weir (schema " + digits + "; this one reads up to " +
                           std::to_string(format.schema) + ")");
}

// The lines of the parts, once their own seal holds.
std::string_view sealed_lines(const std::string& path, std::string_view head) {
  const std::size_t at = head.find("\nhead hash=");
  if (at == std::string_view::npos) fail_to_read(path, "is damaged: its head was altered");
  const std::string_view lines = head.substr(0, at + 1);
  Hash64 hash;
  hash.add(lines);
  std::string whole = std::string(lines) + "head hash=" + hex(hash.value()) + "\n";
  whole.resize(head.size(), '\0');
  if (whole != head) fail_to_read(path, "is damaged: its head was altered");
  return lines;
}

void check_parts(const Descriptor& file, const std::string& path, std::string_view lines) {
  for (std::size_t at = lines.find('\n') + 1; at < lines.size(); at = lines.find('\n', at) + 1) {
    const std::string_view line = lines.substr(at, lines.find('\n', at) + 1 - at);
    SealedPart part;
    part.name = line.substr(5, line.find(' ', 5) - 5);
    part.offset = number_after(line, " offset=");
    part.bytes = number_after(line, " bytes=");
    if (line != part_line(part, hash_of_bytes(file, path, part.offset, part.offset + part.bytes)))
      fail_to_read(path, "is damaged: its part '" + part.name + "' does not match its hash");
  }
}

}  // namespace

void fail_to_read(const std::string& path, const std::string& why) { throw Error(Exit::file_io, path + ": " + why); }

std::size_t seal_bytes(const SealedFormat& format, const std::vector<std::string>& parts) {
  constexpr std::size_t numbers = 96;  // of a line, the largest ones
  std::size_t text = 2 * numbers;
  if (format.seals_parts)
    for (const std::string& name : parts) text += name.size() + numbers;
  std::size_t head = least_head;
  while (head < text) head *= 2;
  return head;
}

void seal_file(const std::string& path, const SealedFormat& format, std::size_t head,
               const std::vector<SealedPart>& parts) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  const off_t bytes = file < 0 ? -1 : lseek(file, 0, SEEK_END);
  if (bytes < 0) fail_to_write(path, errno);
  std::string text = first_line(format, bytes, head, hash_of_bytes(file, path, static_cast<std::int64_t>(head), bytes));
  if (format.seals_parts) {
    for (const SealedPart& p : parts) text += part_line(p, hash_of_bytes(file, path, p.offset, p.offset + p.bytes));
    Hash64 hash;
    hash.add(text);
    text += "head hash=" + hex(hash.value()) + "\n";
  }
  text.resize(head, '\0');
  for (std::size_t at = 0; at < text.size();) {  // a short count is no error and sets no errno: the next try has it
    const ssize_t n = pwrite(file, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_to_write(path, n < 0 ? errno : ENOSPC);
    at += static_cast<std::size_t>(n);
  }
}

void verify_seal(const std::string& path, const SealedFormat& format) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0) fail_to_read(path, std::string("cannot be read: ") + std::strerror(errno));
  const auto bytes = static_cast<std::int64_t>(lseek(file, 0, SEEK_END));
  std::string head = read_head(file, path, least_head);
  check_schema(path, format, head);
  const std::string_view line(head.data(), std::min(head.find('\n'), head.size()));
  const std::int64_t written = number_after(line, " bytes=");
  const std::string truncated = "is truncated: " + std::to_string(bytes) + " of " + std::to_string(written) + " bytes";
  const std::int64_t size = format.seals_parts ? number_after(line, " head=") : std::int64_t{least_head};
  if (size < std::int64_t{least_head} || size > (std::int64_t{1} << 24))
    fail_to_read(path, bytes < std::int64_t{least_head} ? truncated : "is damaged: its first line was altered");
  if (format.seals_parts && bytes < size && bytes < written) fail_to_read(path, truncated);
  head = read_head(file, path, static_cast<std::size_t>(size));
  const std::string_view lines = format.seals_parts ? sealed_lines(path, head) : std::string_view(head);
  if (bytes < written) fail_to_read(path, truncated);
  if (bytes > written && format.seals_parts)
    fail_to_read(path, "is damaged: " + std::to_string(bytes - written) + " bytes follow its end");
  if (format.seals_parts) check_parts(file, path, lines);
  std::string expected =
      first_line(format, bytes, static_cast<std::size_t>(size), hash_of_bytes(file, path, size, bytes));
  if (format.seals_parts) {
    if (!lines.starts_with(expected))
      fail_to_read(path, "is damaged: what lies between its parts does not match its hash");
    return;
  }
  expected.resize(least_head, '\0');
  if (head != expected) fail_to_read(path, "is damaged: its content does not match its hash");
}

}  // namespace weir
