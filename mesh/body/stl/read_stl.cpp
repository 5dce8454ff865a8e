#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "mesh/body/stl/soup.hpp"
#include "mesh/body/stl/stl.hpp"
#include "mesh/read/text.hpp"

namespace weir::stl {
namespace {

constexpr std::size_t header_bytes = 84, triangle_bytes = 50;
constexpr double largest = 1e30;  // beyond it squares and volumes would overflow

std::uint32_t counted(std::string_view bytes) {
  std::uint32_t n = 0;
  if (bytes.size() >= header_bytes) std::memcpy(&n, bytes.data() + 80, sizeof n);
  return n;
}

bool has_binary_size(std::string_view bytes) {
  return bytes.size() >= header_bytes && bytes.size() == header_bytes + triangle_bytes * std::size_t{counted(bytes)};
}

std::string lower(std::string_view word) {
  std::string w(word);
  for (char& c : w) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return w;
}

// Starts with "solid" and has only text characters near the start.
bool is_text(std::string_view bytes) {
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (begin == std::string_view::npos || lower(bytes.substr(begin, 5)) != "solid") return false;
  constexpr std::size_t looked_at = 1000;
  return bytes.substr(0, looked_at).find('\0') == std::string_view::npos;
}

Soup read_binary(std::string_view bytes, const std::string& name) {
  Soup soup{name, true, {}, {}};
  if (bytes.size() < header_bytes)
    soup.fail("not an STL file, or truncated: a binary STL file has at least " + std::to_string(header_bytes) +
              " bytes, an ASCII one begins with 'solid'");
  const std::size_t n = counted(bytes), held = (bytes.size() - header_bytes) / triangle_bytes;
  if (!has_binary_size(bytes))
    soup.fail((held < n ? "truncated: " : "") + std::string("the header counts ") + count_of(n, "triangle") +
              ", the file's " + std::to_string(bytes.size()) + " bytes hold " + std::to_string(held));
  soup.corner.reserve(3 * n);
  for (std::size_t t = 0; t < n; ++t) {
    float value[12];
    std::memcpy(value, bytes.data() + header_bytes + triangle_bytes * t, sizeof value);
    for (int k = 0; k < 3; ++k) {
      const float* x = value + 3 + 3 * k;  // after the normal, which follows from the corners
      for (int d = 0; d < 3; ++d)
        if (!(std::abs(x[d]) <= largest)) soup.fail(t, "a coordinate is not a finite number of reasonable size");
      soup.corner.push_back({x[0], x[1], x[2]});
    }
  }
  return soup;
}

class AsciiReader {
 public:
  AsciiReader(std::string_view text, const std::string& name) : text_(text, name, '\0') { soup_.name = name; }

  Soup read() {
    while (text_.next()) {
      expect("solid", "");  // followed by its name
      while (next("a solid") && lower(peek()) == "facet") facet();
      expect("endsolid", "'facet' or ");
    }
    return std::move(soup_);
  }

 private:
  bool next(const char* in) {
    text_.next(in);
    return true;
  }
  std::string_view peek() const { return text_.line().substr(0, text_.line().find_first_of(" \t,")); }

  void expect(const char* word, const char* instead) {
    const std::string_view found = text_.has_field() ? text_.field(word) : std::string_view();
    if (lower(found) != word)
      text_.fail(std::string("expected ") + instead + "'" + word + "', found " + MeshText::quoted(found));
  }

  void facet() {
    expect("facet", "");  // the normal is not read: it follows from the corners
    text_.next("a facet");
    expect("outer", "");
    expect("loop", "");
    for (int k = 0; k < 3; ++k) {
      text_.next("a facet");
      expect("vertex", "");
      if (k == 0) soup_.line.push_back(text_.number());
      const double x = coordinate("x"), y = coordinate("y"), z = coordinate("z");
      text_.end_of_line("a vertex");
      soup_.corner.push_back({x, y, z});
    }
    text_.next("a facet");
    expect("endloop", "");
    text_.next("a facet");
    expect("endfacet", "");
  }

  double coordinate(const char* what) {
    const double x = text_.coordinate(what);
    if (std::abs(x) > largest) text_.fail(std::string(what) + " is too large");
    return x;
  }

  MeshText text_;
  Soup soup_;
};

}  // namespace

std::string Soup::place(std::size_t t) const {
  return is_binary ? name + ": triangle " + std::to_string(t + 1) : name + ":" + std::to_string(line[t]);
}

void Soup::fail(std::size_t t, const std::string& message) const {
  throw Error(Exit::usage, place(t) + ": " + message);
}

void Soup::fail(const std::string& message) const { throw Error(Exit::usage, name + ": " + message); }

std::string count_of(std::size_t n, const std::string& thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

Soup read_soup(std::string_view bytes, const std::string& name) {
  const bool is_binary = has_binary_size(bytes) || !is_text(bytes);
  Soup soup = is_binary ? read_binary(bytes, name) : AsciiReader(bytes, name).read();
  if (soup.corner.empty()) soup.fail("the file contains no triangle");
  return soup;
}

}  // namespace weir::stl

namespace weir {

Surface parse_stl(std::string_view bytes, const std::string& name, std::vector<std::string>* messages) {
  const stl::Soup soup = stl::read_soup(bytes, name);
  stl::Draft draft = stl::weld(soup);
  stl::require_closed(draft);
  stl::orient(draft);
  stl::refuse_crossings(draft);
  draft.surface.patch.assign(draft.surface.element.size(), 0);
  if (messages) messages->insert(messages->end(), draft.messages.begin(), draft.messages.end());
  return std::move(draft.surface);
}

Surface read_stl(const std::string& path, std::vector<std::string>* messages) {
  return parse_stl(content_of(path, "STL file"), path, messages);
}

}  // namespace weir
