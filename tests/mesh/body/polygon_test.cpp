// Polygons from text, and distances to several bodies.
#include "mesh/body/polygon.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "mesh/body/distance/distance_of_all.hpp"
#include "mesh/body/shapes.hpp"

namespace weir::polygon_test {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_polygon(text, "outline.txt", 1, 1);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "";
}

TEST(Polygon, CornersInEitherDirectionGiveTheSameBody) {
  const Surface s = parse_polygon("# a square\n0 0\n1, 0\n1 1\n0 1\n0 0\n", "outline.txt", 2, 0.5);
  const Surface back = parse_polygon("0 1\n1 1\n1 0\n0 0\n", "outline.txt", 2, 0.5);
  EXPECT_EQ(s.elements(), 16);
  EXPECT_NEAR(volume(s), 4, 1e-14);
  EXPECT_NEAR(volume(back), 4, 1e-14);
  EXPECT_EQ(centroid(s), (Vec3{1, 1, 0}));
}

TEST(Polygon, OneThatIsNoneIsRefusedWithTheLine) {
  EXPECT_EQ(refusal("0 0\n1 0\n1 1\n"), "");
  EXPECT_EQ(refusal("0 0\n2 0\n1 1\n1 2\n0 2\n"), "");
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"0 0\n1 0\n", "at least three corners"},
           {"0 0\n1 0\n1 0\n0 1\n", "outline.txt:3: the corner repeats"},
           {"0 0\n1 1\n1 0\n0 1\n", "outline.txt:3: the edge that begins here crosses or touches the one of line 1"},
           {"0 0\n2 0\n2 2\n1 0\n0 2\n", "must not meet itself"},  // a corner on an edge
           {"0 0\n2 0\n1 0\n1 1\n", "must not meet itself"},       // folds back
           {"0 0\n1 nan\n1 1\n", "outline.txt:2"},
           {"0 0\n1 0 3\n1 1\n", "outline.txt:2"}})
    EXPECT_NE(refusal(text).find(words), std::string::npos) << text << refusal(text);
}

Body square(double x) {
  Motion motion;
  motion.initial.position = {x, 0, 0};
  return {make_rectangle({1, 1, 0}, 0.1), motion};
}

struct Line {
  std::vector<double> x, y, z{0};
  explicit Line(int n) {
    for (int i = 0; i <= n; ++i) x.push_back(-3 + 6.0 * i / n), y.push_back(-3 + 6.0 * i / n);
  }
};

TEST(DistanceOfAll, IsThatOfTheNearestBodyAndSolidWhereAnyIs) {
  const Line at(60);
  DistanceOfAll all(at.x, at.y, at.z, {.reach = 3.5});
  BodyDistance left(at.x, at.y, at.z, 3.5), right(at.x, at.y, at.z, 3.5);
  all.update(Bodies({square(-0.72), square(0.71)}, {"left", "right"}));
  left.update(square(-0.72));
  right.update(square(0.71));
  for (std::int64_t p = 0; p < static_cast<std::int64_t>(all.code().size()); ++p) {
    EXPECT_EQ(
        all.code()[p] == BodyDistance::solid || (all.code()[p] >= 0 && all.near()[all.code()[p]].foot.distance < 0),
        left.is_solid(p) || right.is_solid(p));
    if (all.code()[p] < 0) continue;
    const BodyDistance& own = all.body_at(p) == 0 ? left : right;
    EXPECT_EQ(all.near()[all.code()[p]].foot.distance, own.near()[own.code()[p]].foot.distance);
  }
  EXPECT_EQ(all.nearest_bodies().second, 1);
  EXPECT_NEAR(all.nearest_bodies().gap, 0.43, 1e-12);
  all.update(Bodies({square(-0.3), square(0.3)}, {"left", "right"}));
  EXPECT_LT(all.nearest_bodies().gap, 0);
}

}  // namespace
}  // namespace weir::polygon_test
