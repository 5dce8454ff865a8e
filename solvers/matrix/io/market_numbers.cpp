#include "solvers/matrix/io/market_numbers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <type_traits>

#include "base/error.hpp"

namespace weir {

void MarketNumbers::fail(const char* where, const std::string& message) const {
  const auto line = 1 + std::count(begin_, where, '\n');
  throw Error(Exit::usage, name_ + ":" + std::to_string(line) + ": " + message);
}

void MarketNumbers::fail_at_end(const char* what) const {
  fail(std::string("truncated: the file ends where ") + what + " was expected");
}

std::string_view MarketNumbers::line() {
  const char* end = std::find(at_, end_, '\n');
  std::string_view l(at_, static_cast<std::size_t>(end - at_));
  at_ = end == end_ ? end_ : end + 1;
  if (!l.empty() && l.back() == '\r') l.remove_suffix(1);
  return l;
}

void MarketNumbers::skip_comments() {
  while (position() != end_ && *at_ == '%') line();
}

template <class T>
T MarketNumbers::take(const char* what) {
  if (at_ == end_) fail_at_end(what);
  T value{};
  auto [stop, error] = std::from_chars(at_, end_, value);
  if constexpr (std::is_same_v<T, double>)
    if (error == std::errc::result_out_of_range) {  // underflow gives 0, overflow is refused as not finite
      value = std::strtod(std::string(at_, stop).c_str(), nullptr);
      error = std::errc();
    }
  if (error != std::errc() || (stop != end_ && !is_blank(*stop))) {
    const std::string found(at_, std::find_if(at_, end_, is_blank));
    fail(std::string("expected ") + what + ", found '" + found.substr(0, 40) + "'");
  }
  at_ = stop;
  return value;
}

std::int64_t MarketNumbers::odd_integer(const char* what) { return take<std::int64_t>(what); }

// Digits below 2^53 and powers of ten up to 10^22 are exact in double, so one multiplication or division rounds
// correctly (Clinger 1990). from_chars handles all other numbers.
double MarketNumbers::real(const char* what, bool must_be_finite) {
  static constexpr double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  skip_blanks();
  if (at_ < end_ && *at_ == '+') ++at_;
  const char* p = at_;
  const bool negative = p < end_ && *p == '-';
  p += negative;
  std::uint64_t digits = 0;
  const char* from = p;
  while (p < end_ && is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t count = p - from;
  int exponent = 0;
  if (p < end_ && *p == '.') {
    const char* point = ++p;
    while (p < end_ && is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
    count += p - point;
    exponent = static_cast<int>(std::max<std::ptrdiff_t>(point - p, -1000));
  }
  if (count > 0 && p < end_ && (*p == 'e' || *p == 'E')) {
    const char* e = p + 1;
    const bool down = e < end_ && *e == '-';
    if (e < end_ && (*e == '-' || *e == '+')) ++e;
    if (e < end_ && is_digit(*e)) {
      int value = 0;
      while (e < end_ && is_digit(*e)) value = std::min(10 * value + (*e++ - '0'), 10000);
      exponent += down ? -value : value;
      p = e;
    }
  }
  const bool exact =
      count > 0 && count <= 19 && digits <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22;
  if (exact && (p == end_ || is_blank(*p))) {
    at_ = p;
    const double whole = static_cast<double>(digits);
    const double size = exponent < 0 ? whole / power[-exponent] : whole * power[exponent];
    return negative ? -size : size;
  }
  from = at_;
  const double value = take<double>(what);
  if (must_be_finite && !std::isfinite(value)) fail(from, std::string(what) + " is not a finite number");
  return value;
}

MarketText::MarketText(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(Exit::file_io, path + ": is a folder, expected a matrix file");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)  // exit code 2: most likely mistyped, as the path of a case
    throw Error(errno == ENOENT || errno == ENOTDIR ? Exit::usage : Exit::file_io,
                path + ": cannot open the matrix file: " + std::strerror(errno));
  struct stat status;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 2) {
    size_ = static_cast<std::size_t>(status.st_size);
    void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory != MAP_FAILED) {
      ::madvise(memory, size_, MADV_SEQUENTIAL);
      mapped_ = static_cast<const char*>(memory);
    }
  }
  ::close(file);
  if (mapped_ && view().starts_with("\x1f\x8b")) {
    ::munmap(const_cast<char*>(mapped_), size_);
    mapped_ = nullptr;
  }
  if (!mapped_) text_ = unzipped_text(path);
}

MarketText::~MarketText() {
  if (mapped_) ::munmap(const_cast<char*>(mapped_), size_);
}

}  // namespace weir
