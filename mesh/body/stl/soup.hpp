// What an STL file holds: triangles by themselves. The steps from there to a closed surface.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mesh/body/surface.hpp"

namespace weir::stl {

struct Soup {
  std::string name;
  bool is_binary = false;
  std::vector<Vec3> corner;                       // three of each triangle
  std::vector<int> line;                          // of each triangle's first corner; ASCII alone
  std::string place(std::size_t triangle) const;  // "wing.stl:12" or "wing.stl: triangle 3"
  [[noreturn]] void fail(std::size_t triangle, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;
};

Soup read_soup(std::string_view bytes, const std::string& name);

// A surface whose elements remember which triangle of the file they were.
struct Draft {
  const Soup* soup;
  Surface surface;
  std::vector<int> triangle;
  std::vector<std::string> messages;
  void say(const std::string& message) { messages.push_back(soup->name + ": " + message); }
};

Draft weld(const Soup& soup);
void compact(Surface& s);  // leaves out nodes that no element names
// Two elements that use each edge: all of them, once require_closed has passed; -1: there is no second one.
std::vector<std::array<int, 2>> users_of(const Surface& s, const SurfaceEdges& edges);
void drop_degenerate(Draft& draft);  // ... and repeated triangles
void require_closed(const Draft& draft);
void orient(Draft& draft);  // all triangles of a shell one way, shells outwards (or inwards in another one)
void refuse_crossings(const Draft& draft);

std::string count_of(std::size_t n, const std::string& thing);  // "1 triangle", "2 triangles"

}  // namespace weir::stl
