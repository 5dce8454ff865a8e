// The numbers of a Matrix Market file in sequence, separated by any white space. Lines are counted only for messages.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

class MarketNumbers {
 public:
  MarketNumbers(std::string_view text, const std::string& name)
      : begin_(text.data()), end_(text.data() + text.size()), at_(begin_), name_(name) {}

  // Throws Error(usage) "name:line: message" for the current or the given position.
  [[noreturn]] void fail(const std::string& message) const { fail(at_, message); }
  [[noreturn]] void fail(const char* where, const std::string& message) const;

  const char* begin() const { return begin_; }
  const char* position() {  // of the next number
    skip_blanks();
    return at_;
  }
  void go_to(const char* position) { at_ = position; }
  bool at_end() { return position() == end_; }
  std::int64_t left() const { return end_ - at_; }

  std::string_view line();
  void skip_comments();

  // what: expected item, for messages: "a row number".
  std::int64_t integer(const char* what) {
    skip_blanks();
    const char* p = at_;
    std::uint64_t value = 0;  // wraps on overflow
    while (p < end_ && is_digit(*p)) value = 10 * value + static_cast<std::uint64_t>(*p++ - '0');
    if (p == at_ || p - at_ > 18 || (p < end_ && !is_blank(*p))) return odd_integer(what);
    at_ = p;
    return static_cast<std::int64_t>(value);
  }
  double real(const char* what, bool must_be_finite = true);
  void skip(const char* what) {  // a number that is read later
    skip_blanks();
    if (at_ == end_) fail_at_end(what);
    while (at_ < end_ && !is_blank(*at_)) ++at_;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  static bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_)) ++at_;
  }
  std::int64_t odd_integer(const char* what);  // handles signs, overflow and missing numbers
  template <class T>
  T take(const char* what);
  [[noreturn]] void fail_at_end(const char* what) const;

  const char *begin_, *end_, *at_;
  const std::string& name_;
};

// The text of a matrix file: plain files are mapped into memory, pipes are read, gzipped content is unpacked.
class MarketText {
 public:
  explicit MarketText(const std::string& path);  // Error(usage) if it does not exist, file_io if it cannot be read
  ~MarketText();
  MarketText(const MarketText&) = delete;
  MarketText& operator=(const MarketText&) = delete;
  std::string_view view() const { return mapped_ ? std::string_view(mapped_, size_) : std::string_view(text_); }

 private:
  const char* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::string text_;
};

// Plain and gzipped files with zlib (market_gzip.cpp), only plain ones without (market_no_gzip.cpp).
std::string unzipped_text(const std::string& path);

}  // namespace weir
