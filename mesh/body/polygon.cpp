#include "mesh/body/polygon.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "mesh/read/text.hpp"

namespace weir {
namespace {

struct Corner {
  Vec3 x;
  int line;
};

double side_of(const Vec3& a, const Vec3& b, const Vec3& p) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

bool is_on(const Vec3& a, const Vec3& b, const Vec3& p) {  // of three points in a line
  return std::min(a[0], b[0]) <= p[0] && p[0] <= std::max(a[0], b[0]) && std::min(a[1], b[1]) <= p[1] &&
         p[1] <= std::max(a[1], b[1]);
}

bool cross_or_touch(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double abc = side_of(a, b, c), abd = side_of(a, b, d), cda = side_of(c, d, a), cdb = side_of(c, d, b);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && is_on(a, b, c)) || (abd == 0 && is_on(a, b, d)) || (cda == 0 && is_on(c, d, a)) ||
         (cdb == 0 && is_on(c, d, b));
}

std::vector<Corner> read_corners(MeshText& in, double scale) {
  std::vector<Corner> corner;
  while (in.next()) {
    Vec3 x{};
    x[0] = scale * in.coordinate("the x of a corner");
    x[1] = scale * in.coordinate("the y of a corner");
    in.end_of_line("a corner of the polygon, 'x y'");
    if (!corner.empty() && corner.back().x == x) in.fail("the corner repeats the one before it");
    corner.push_back({x, in.number()});
  }
  if (corner.size() > 1 && corner.front().x == corner.back().x) corner.pop_back();
  if (corner.size() < 3) in.fail("a polygon requires at least three corners, one 'x y' per line");
  constexpr std::size_t most = 100'000;
  if (corner.size() > most) in.fail("a polygon has at most " + std::to_string(most) + " corners");
  return corner;
}

// Edge e joins the corners e and e + 1. By a sweep along x.
void refuse_crossings(const std::vector<Corner>& corner, const std::string& name) {
  const std::size_t n = corner.size();
  const auto at = [&](std::size_t i) -> const Vec3& { return corner[i % n].x; };
  const auto fail = [&](std::size_t e, std::size_t f) {
    throw Error(Exit::usage, name + ":" + std::to_string(corner[f].line) +
                                 ": the edge that begins here crosses or touches the one of line " +
                                 std::to_string(corner[e].line) + ": the outline of a polygon must not meet itself");
  };
  std::vector<std::size_t> edge(n);
  std::iota(edge.begin(), edge.end(), std::size_t{0});
  const auto left = [&](std::size_t e) { return std::min(at(e)[0], at(e + 1)[0]); };
  const auto right = [&](std::size_t e) { return std::max(at(e)[0], at(e + 1)[0]); };
  std::ranges::sort(edge, {}, left);
  for (std::size_t q = 0; q < n; ++q)
    for (std::size_t r = q + 1; r < n && left(edge[r]) <= right(edge[q]); ++r) {
      const std::size_t e = std::min(edge[q], edge[r]), f = std::max(edge[q], edge[r]);
      if (f == e + 1 || (e == 0 && f == n - 1)) {  // neighbours: they must not fold back
        const std::size_t middle = f == e + 1 ? f : 0;
        const Vec3 to = at(middle) - at(middle + n - 1), from = at(middle + 1) - at(middle);
        if (side_of({}, to, from) == 0 && dot(to, from) < 0) fail(e, f);
      } else if (cross_or_touch(at(e), at(e + 1), at(f), at(f + 1))) {
        fail(e, f);
      }
    }
}

}  // namespace

Surface parse_polygon(std::string_view text, const std::string& name, double scale, double spacing) {
  MeshText in(text, name, '#');
  const std::vector<Corner> corner = read_corners(in, scale);
  refuse_crossings(corner, name);
  Surface s;
  s.dimension = 2;
  for (std::size_t i = 0; i < corner.size(); ++i) {
    const Vec3 &a = corner[i].x, &b = corner[(i + 1) % corner.size()].x;
    const int pieces = std::max(1, static_cast<int>(std::ceil(length(b - a) / spacing)));
    for (int q = 0; q < pieces; ++q) s.node.push_back(a + (static_cast<double>(q) / pieces) * (b - a));
  }
  for (int i = 0; i < s.nodes(); ++i) {
    const int next = (i + 1) % s.nodes();
    s.element.push_back({i, next, next});
  }
  s.patch.assign(s.element.size(), 0);
  if (volume(s) < 0) reverse(s);
  return s;
}

}  // namespace weir
