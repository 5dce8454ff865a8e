#include "mesh/read/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"

namespace weir {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

std::string_view without_blanks(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace

MeshText::MeshText(std::string_view text, std::string name, char comment)
    : left_(text), name_(std::move(name)), comment_(comment) {
  if (left_.starts_with("\xef\xbb\xbf")) left_.remove_prefix(3);  // byte order mark
}

bool MeshText::next() {
  while (!left_.empty()) {
    const std::size_t end = std::min(left_.find('\n'), left_.size());
    line_ = left_.substr(0, end);
    left_.remove_prefix(std::min(end + 1, left_.size()));
    ++number_;
    if (comment_ != '\0') line_ = line_.substr(0, line_.find(comment_));
    line_ = fields_ = without_blanks(line_);
    if (!line_.empty()) return true;
  }
  line_ = fields_ = {};
  return false;
}

void MeshText::next(const char* in) {
  if (!next()) fail(std::string("truncated: the file ends in ") + in);
}

bool MeshText::has_field() {
  while (!fields_.empty() && is_blank(fields_.front())) fields_.remove_prefix(1);
  return !fields_.empty();
}

std::string_view MeshText::field(const char* what) {
  if (!has_field()) fail(std::string("the line ends where ") + what + " was expected");
  std::size_t end = 0;
  while (end < fields_.size() && !is_blank(fields_[end])) ++end;
  const std::string_view f = fields_.substr(0, end);
  fields_.remove_prefix(end);
  return f;
}

std::int64_t MeshText::integer(const char* what) {
  const std::string_view f = field(what);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(f.data(), f.data() + f.size(), value);
  if (error != std::errc() || end != f.data() + f.size())
    fail(std::string("expected ") + what + ", found " + quoted(f));
  return value;
}

std::int64_t MeshText::count(const char* what) {
  const std::int64_t n = integer(what);
  if (n < 0) fail(std::string(what) + " cannot be negative");
  return n;
}

double MeshText::coordinate(const char* what) {
  std::string_view f = field(what);
  if (f.front() == '+') f.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(f.data(), f.data() + f.size(), value);
  if (error == std::errc::result_out_of_range) {  // underflow gives 0, overflow is refused below
    value = std::strtod(std::string(f).c_str(), nullptr);
    error = std::errc();
  }
  if (error != std::errc() || end != f.data() + f.size() || !std::isfinite(value))
    fail(std::string("expected ") + what + " (a finite number), found " + quoted(f));
  return value;
}

void MeshText::skip(std::int64_t fields, const char* what) {
  for (std::int64_t k = 0; k < fields; ++k) field(what);  // the end of the line limits absurd counts
}

int MeshText::fields() const {
  int count = 0;
  bool inside = false;
  for (const char c : fields_) {
    count += !is_blank(c) && !inside;
    inside = !is_blank(c);
  }
  return count;
}

void MeshText::skip_past(char c) {
  const std::size_t at = fields_.find(c);
  fields_.remove_prefix(at == std::string_view::npos ? fields_.size() : at + 1);
}

void MeshText::end_of_line(const char* what) {
  if (has_field()) fail(std::string("too many fields for ") + what + ": " + quoted(rest()));
}

std::string_view MeshText::rest() {
  const std::string_view r = without_blanks(fields_);
  fields_ = {};
  return r;
}

std::size_t MeshText::room(std::int64_t items, std::size_t bytes_each) const {
  return std::min(static_cast<std::size_t>(items), left_.size() / bytes_each + 1);
}

void MeshText::fail(const std::string& message) const {
  throw Error(Exit::usage, name_ + ":" + std::to_string(number_) + ": " + message);
}

std::string MeshText::quoted(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string q = "'";
  for (char c : text.substr(0, shown)) q += c >= ' ' && c <= '~' ? c : '?';
  return q + (text.size() > shown ? "...'" : "'");
}

}  // namespace weir
