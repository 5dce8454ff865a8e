// Closed shells, each turned one way: outwards, or inwards where it is a hole in another shell.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "mesh/body/stl/soup.hpp"

namespace weir::stl {
namespace {

std::string point_text(const Vec3& x) {
  char text[100];
  std::snprintf(text, sizeof text, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
  return text;
}

// The elements that use each edge: two, once require_closed has passed.
std::vector<std::array<int, 2>> users_of(const Surface& s, const SurfaceEdges& edges) {
  std::vector<std::array<int, 2>> users(static_cast<std::size_t>(edges.count), {-1, -1});
  for (int e = 0; e < s.elements(); ++e)
    for (const int k : edges.of_element[e]) users[k][users[k][0] < 0 ? 0 : 1] = e;
  return users;
}

// True where element e runs along its edge k from the lower node to the higher.
bool runs_up(const Surface& s, int e, int k) { return s.element[e][k] < s.element[e][(k + 1) % 3]; }

int place_of(const SurfaceEdges& edges, int e, int edge) {
  return static_cast<int>(std::ranges::find(edges.of_element[e], edge) - edges.of_element[e].begin());
}

struct Shells {
  std::vector<int> of;  // each element's
  int count = 0;
  std::size_t turned = 0;
};

// Flood from one triangle of each shell: a neighbour that runs along the common edge the same way is turned over.
Shells flood(Draft& d) {
  Surface& s = d.surface;
  const SurfaceEdges edges = find_edges(s);
  const auto users = users_of(s, edges);
  Shells shells{std::vector<int>(s.element.size(), -1)};
  std::vector<bool> is_turned(s.element.size(), false);
  std::vector<int> front;
  for (int start = 0; start < s.elements(); ++start) {
    if (shells.of[start] >= 0) continue;
    shells.of[start] = shells.count;
    front.push_back(start);
    std::size_t size = 0, turned = 0;
    while (!front.empty()) {
      const int e = front.back();
      front.pop_back();
      ++size;
      turned += is_turned[e];
      for (int k = 0; k < 3; ++k) {
        const int edge = edges.of_element[e][k], other = users[edge][0] == e ? users[edge][1] : users[edge][0];
        const bool agrees = (runs_up(s, e, k) != is_turned[e]) != runs_up(s, other, place_of(edges, other, edge));
        if (shells.of[other] < 0) {
          shells.of[other] = shells.count;
          is_turned[other] = !agrees;
          front.push_back(other);
        } else if (is_turned[other] == agrees) {
          d.soup->fail(d.triangle[e], "the surface has one side only (like a Moebius strip): it encloses nothing");
        }
      }
    }
    shells.turned += std::min(turned, size - turned);
    ++shells.count;
  }
  for (int e = 0; e < s.elements(); ++e)
    if (is_turned[e]) std::swap(s.element[e][1], s.element[e][2]);
  return shells;
}

Surface shell(const Surface& s, const std::vector<int>& of, int number) {
  Surface one;
  std::vector<int> node(s.node.size(), -1);
  for (int e = 0; e < s.elements(); ++e) {
    if (of[e] != number) continue;
    std::array<int, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      int& n = node[s.element[e][k]];
      if (n < 0) {
        n = one.nodes();
        one.node.push_back(s.node[s.element[e][k]]);
      }
      corners[k] = n;
    }
    one.element.push_back(corners);
  }
  return one;
}

// The solid angle of a shell seen from x is 4 pi inside and 0 outside (Van Oosterom & Strackee 1983).
bool encloses(const Surface& s, const Vec3& x) {
  double turns = 0;
  for (const auto& e : s.element) {
    const Vec3 u = s.node[e[0]] - x, v = s.node[e[1]] - x, w = s.node[e[2]] - x;
    const double lu = length(u), lv = length(v), lw = length(w);
    turns += 2 * std::atan2(dot(u, cross(v, w)), lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv);
  }
  return std::abs(turns) > 2 * std::numbers::pi;
}

bool holds(const Box3& box, const Vec3& x) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!(x[d] > box.low[d] && x[d] < box.high[d])) return false;
  return true;
}

}  // namespace

void require_closed(const Draft& d) {
  const Surface& s = d.surface;
  const SurfaceEdges edges = find_edges(s);
  std::vector<int> uses(static_cast<std::size_t>(edges.count), 0);
  for (const auto& e : edges.of_element)
    for (const int k : e) ++uses[k];
  std::size_t open = 0, crowded = 0;
  for (const int n : uses) open += n == 1, crowded += n > 2;
  for (int e = 0; e < s.elements() && open + crowded > 0; ++e)
    for (int k = 0; k < 3; ++k) {
      const int n = uses[edges.of_element[e][k]];
      if (n == 2 || (n > 2 && open > 0)) continue;
      const std::string between =
          " from " + point_text(s.node[s.element[e][k]]) + " to " + point_text(s.node[s.element[e][(k + 1) % 3]]);
      if (n == 1)
        d.soup->fail(d.triangle[e], "the surface is open: " + count_of(open, "edge") +
                                        " without a neighbour, the first of them the edge of this triangle" + between);
      d.soup->fail(d.triangle[e], std::to_string(n) + " triangles meet at one edge," + between + " (" +
                                      count_of(crowded, "such edge") + "): a surface has two");
    }
}

void orient(Draft& d) {
  const Shells shells = flood(d);
  if (shells.turned > 0)
    d.say("turned over " + count_of(shells.turned, "triangle") + ", which ran against the rest");
  Surface& s = d.surface;
  std::vector<Surface> part;
  std::vector<Box3> box;
  for (int i = 0; i < shells.count; ++i) {
    part.push_back(shells.count == 1 ? s : shell(s, shells.of, i));
    box.push_back(bounding_box(part.back().node));
  }
  std::vector<bool> turn(part.size(), false);
  std::size_t inside_out = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    int depth = 0;
    for (std::size_t j = 0; j < part.size(); ++j)
      depth += j != i && holds(box[j], part[i].node[0]) && encloses(part[j], part[i].node[0]);
    const double v = volume(part[i]);
    if (v == 0) d.soup->fail("a shell of the surface encloses no volume");
    turn[i] = (v < 0) != (depth % 2 == 1);
    inside_out += turn[i];
  }
  for (int e = 0; e < s.elements(); ++e)
    if (turn[shells.of[e]]) std::swap(s.element[e][1], s.element[e][2]);
  if (inside_out > 0)
    d.say(part.size() == 1 ? "the surface was inside out: turned over"
                           : count_of(inside_out, "shell") + " of " + std::to_string(part.size()) +
                                 (inside_out == 1 ? " was" : " were") + " inside out: turned over");
}

}  // namespace weir::stl
