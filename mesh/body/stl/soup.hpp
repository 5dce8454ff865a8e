// The triangles of an STL file, and the steps to a closed surface.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mesh/body/surface.hpp"

namespace weir::stl {

struct Soup {
  std::string name;
  bool is_binary = false;
  std::vector<Vec3> corner;                       // three per triangle
  std::vector<int> line;                          // line of each triangle's first corner; ASCII only
  std::string place(std::size_t triangle) const;  // "wing.stl:12" or "wing.stl: triangle 3"
  [[noreturn]] void fail(std::size_t triangle, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;
};

Soup read_soup(std::string_view bytes, const std::string& name);

// A surface with the file's triangle number of each element.
struct Draft {
  const Soup* soup;
  Surface surface;
  std::vector<int> triangle;
  std::vector<std::string> messages;
  void say(const std::string& message) { messages.push_back(soup->name + ": " + message); }
};

Draft weld(const Soup& soup);
void compact(Surface& s);  // removes unused nodes
// The two elements of each edge, complete after require_closed; -1: none.
std::vector<std::array<int, 2>> users_of(const Surface& s, const SurfaceEdges& edges);
void drop_degenerate(Draft& draft);  // ... and repeated triangles
void require_closed(const Draft& draft);
void orient(Draft& draft);  // consistently within a shell, shells outwards (or inwards inside another one)
void refuse_crossings(const Draft& draft);

std::string count_of(std::size_t n, const std::string& thing);  // "1 triangle", "2 triangles"

}  // namespace weir::stl
