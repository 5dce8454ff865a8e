#include "mesh/body/stl/stl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "mesh/body/shapes.hpp"
#include "tests/support/write_stl.hpp"

namespace weir::stl_test {
namespace {

Surface unit_box() { return make_box({1, 1, 1}, 1); }

Surface moved(Surface s, const Vec3& by) {
  for (Vec3& x : s.node) x += by;
  return s;
}

Surface together(Surface a, const Surface& b) {
  const int shift = a.nodes();
  a.node.insert(a.node.end(), b.node.begin(), b.node.end());
  for (const auto& e : b.element) a.element.push_back({e[0] + shift, e[1] + shift, e[2] + shift});
  return a;
}

struct Reading {
  Surface surface;
  std::vector<std::string> messages;
  std::string said() const {
    std::string all;
    for (const std::string& m : messages) all += m + "\n";
    return all;
  }
};

Reading read(const std::string& bytes) {
  Reading r;
  r.surface = parse_stl(bytes, "a.stl", &r.messages);
  return r;
}

std::string refusal(const std::string& bytes) {
  try {
    parse_stl(bytes, "a.stl");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "";
}

std::string without_line(std::string text, const std::string& line, int count = 1) {
  for (std::size_t at = text.find(line); count > 0; --count) text.erase(at, text.find('\n', at) + 1 - at);
  return text;
}

TEST(Stl, BothFormatsGiveTheSurfaceBack) {
  const Surface s = make_ellipsoid({1, 0.5, 2}, 0.3);
  const Reading ascii = read(stl_ascii(s, "egg")), binary = read(stl_binary(s));
  EXPECT_EQ(ascii.said() + binary.said(), "");
  for (const Reading& r : {ascii, binary}) {
    EXPECT_EQ(r.surface.nodes(), s.nodes());
    EXPECT_EQ(r.surface.elements(), s.elements());
  }
  EXPECT_NEAR(volume(ascii.surface), volume(s), 1e-14);
  EXPECT_NEAR(volume(binary.surface), volume(s), 1e-6);  // floats
}

TEST(Stl, ABinaryFileMayBeginWithSolid) {
  std::string bytes = stl_binary(unit_box());
  std::memcpy(bytes.data(), "solid box", 9);
  EXPECT_EQ(read(bytes).surface.elements(), 12);
}

TEST(Stl, CaseLineEndsAndSeveralSolidsAreFree) {
  std::string text = stl_ascii(unit_box(), "one") + stl_ascii(moved(unit_box(), {3, 0, 0}), "two words");
  for (char& c : text) c = c == 'v' ? 'V' : c == 'f' ? 'F' : c;
  std::string dos;
  for (const char c : text) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_NEAR(volume(read(dos).surface), 2, 1e-14);
}

TEST(Stl, AHoleInsideAShellTurnsInwards) {
  Surface hole = make_box({0.5, 0.5, 0.5}, 1);
  const Reading r = read(stl_ascii(together(unit_box(), hole), "hollow"));
  EXPECT_NEAR(volume(r.surface), 1 - 0.125, 1e-14);
  EXPECT_EQ(r.said(), "a.stl: 1 of 2 shells was inside out and has been reversed\n");
}

TEST(Stl, WhatIsInsideOutIsTurned) {
  Surface s = unit_box();
  reverse(s);
  const Reading r = read(stl_ascii(s, "b"));
  EXPECT_NEAR(volume(r.surface), 1, 1e-14);
  EXPECT_EQ(r.said(), "a.stl: the surface was inside out and has been reversed\n");
}

TEST(Stl, TrianglesAgainstTheirNeighboursAreTurned) {
  Surface s = unit_box();
  for (const int e : {2, 3, 9}) std::swap(s.element[e][0], s.element[e][1]);
  const Reading r = read(stl_ascii(s, "b"));
  EXPECT_NEAR(volume(r.surface), 1, 1e-14);
  EXPECT_EQ(r.said(), "a.stl: reversed 3 triangles, whose orientation differed from that of the others\n");
}

TEST(Stl, DegenerateAndRepeatedTrianglesAreDropped) {
  Surface s = unit_box();
  s.element.push_back({0, 1, 1});
  s.element.push_back(s.element[4]);
  const Reading r = read(stl_ascii(s, "b"));
  EXPECT_EQ(r.surface.elements(), 12);
  EXPECT_EQ(r.said(),
            "a.stl: dropped 1 degenerate triangle (with two equal corners)\na.stl: dropped 1 triangle that the file "
            "contains twice\n");
}

// A node on the diagonal of a face, whose two halves meet there by a triangle without area.
TEST(Stl, ATriangleWithoutAreaIsRemovedWithoutAGap) {
  Surface s = unit_box();
  const auto [a, b, c] = s.element[0];
  s.node.push_back(0.5 * (s.node[a] + s.node[b]));
  const int m = s.nodes() - 1;
  s.element[0] = {a, m, c};
  s.element.push_back({m, b, c});
  s.element.push_back({a, b, m});
  const Reading r = read(stl_ascii(s, "b"));
  EXPECT_NEAR(volume(r.surface), 1, 1e-14);
  EXPECT_EQ(r.surface.elements(), 14);
  EXPECT_EQ(r.said(), "a.stl: removed 1 triangle without area (three corners on a line)\n");
  for (int e = 0; e < r.surface.elements(); ++e) EXPECT_GT(length(area_vector(r.surface, e)), 0.1);
}

TEST(Stl, CornersThatMissByRoundingAreWelded) {
  std::string text = stl_ascii(unit_box(), "b");
  const std::size_t at = text.find("0.5", text.find("vertex"));
  text.replace(at, 3, "0.50000011");
  const Reading r = read(text);
  EXPECT_EQ(r.surface.nodes(), 8);
  EXPECT_EQ(r.said().substr(0, 22), "a.stl: welded 1 corner");
}

TEST(Stl, AnOpenSurfaceIsRefusedAtItsEdge) {
  Surface s = unit_box();
  s.element.erase(s.element.begin() + 5);
  const std::string message = refusal(stl_ascii(s, "b"));
  EXPECT_NE(message.find("the surface is open: 3 edges without a neighbour"), std::string::npos) << message;
  EXPECT_EQ(message.substr(0, 6), "a.stl:");
  EXPECT_NE(refusal(stl_binary(s)).find("a.stl: triangle "), std::string::npos);
}

TEST(Stl, ThreeTrianglesAtAnEdgeAreRefused) {
  Surface s = unit_box(), other = unit_box();  // two boxes that share an edge
  const std::string message = refusal(stl_ascii(together(s, moved(other, {1, 1, 0})), "b"));
  EXPECT_NE(message.find("4 triangles meet at one edge"), std::string::npos) << message;
}

TEST(Stl, SurfacesThatCrossAreRefusedWithTheTrianglesNamed) {
  for (const Vec3& by : {Vec3{0.5, 0.5, 0.5}, Vec3{0.31, 0.17, 0.23}, Vec3{0.5, 0, 0}, Vec3{0, 0, 0.9}}) {
    const std::string message = refusal(stl_ascii(together(unit_box(), moved(unit_box(), by)), "b"));
    EXPECT_NE(message.find("crosses itself: "), std::string::npos) << message << by[0];
    EXPECT_NE(message.find(" with "), std::string::npos) << message;
  }
  Surface star = make_ellipsoid({1, 1, 1}, 0.3);
  star.node[3] = -1.4 * star.node[3];
  EXPECT_NE(refusal(stl_ascii(star, "b")).find("crosses itself"), std::string::npos);
}

TEST(Stl, NearbyShellsAndSharpFoldsAreAccepted) {
  EXPECT_NEAR(volume(read(stl_ascii(together(unit_box(), moved(unit_box(), {1.001, 0, 0})), "b")).surface), 2, 1e-13);
  Surface spiky = make_ellipsoid({1, 1, 1}, 0.3);
  for (int i = 0; i < spiky.nodes(); i += 7) spiky.node[i] = 3.0 * spiky.node[i];
  EXPECT_GT(volume(read(stl_ascii(spiky, "b")).surface), 0);
}

TEST(Stl, AOneSidedSurfaceIsRefused) {
  // The projective plane on six nodes: each edge has two triangles, and no way around it keeps its side.
  const int t[10][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1},
                        {1, 2, 4}, {2, 3, 5}, {3, 4, 1}, {4, 5, 2}, {5, 1, 3}};
  Surface s;
  s.node = {{0, 0, 1}, {1, 0, 0}, {0.3, 0.9, 0}, {-0.8, 0.6, 0.1}, {-0.8, -0.6, -0.3}, {0.3, -0.9, -1}};
  for (const auto& e : t) s.element.push_back({e[0], e[1], e[2]});
  EXPECT_NE(refusal(stl_ascii(s, "b")).find("only one side"), std::string::npos) << refusal(stl_ascii(s, "b"));
}

TEST(Stl, DamagedFilesNameTheirPlace) {
  const std::string text = stl_ascii(unit_box(), "b"), bytes = stl_binary(unit_box());
  const auto with = [](std::string t, const std::string& from, const std::string& to) {
    return t.replace(t.find(from), from.size(), to);
  };
  EXPECT_EQ(refusal(""),
            "a.stl: not an STL file, or truncated: a binary STL file has at least 84 bytes, an ASCII one begins with "
            "'solid'");
  EXPECT_EQ(refusal(bytes.substr(0, 300)),
            "a.stl: truncated: the header counts 12 triangles, the file's 300 bytes hold 4");
  EXPECT_EQ(refusal(bytes + std::string(50, '\0')),
            "a.stl: the header counts 12 triangles, the file's 734 bytes hold 13");
  EXPECT_EQ(refusal(text.substr(0, text.find("endloop"))), "a.stl:7: truncated: the file ends in a facet");
  EXPECT_EQ(refusal("solid b\nendsolid b\n"), "a.stl: the file contains no triangle");
  EXPECT_EQ(refusal("solid b\n"), "a.stl:1: truncated: the file ends in a solid");
  EXPECT_EQ(refusal(with(text, "vertex -0.5", "vertex nan")), "a.stl:4: expected x (a finite number), found 'nan'");
  EXPECT_EQ(refusal(with(text, "vertex -0.5", "vertex 1e300")), "a.stl:4: x is too large");
  EXPECT_EQ(refusal(with(text, "vertex", "vertx")), "a.stl:4: expected 'vertex', found 'vertx'");
  EXPECT_EQ(refusal(without_line(text, "      vertex")), "a.stl:6: expected 'vertex', found 'endloop'");
  EXPECT_EQ(refusal(with(text, "facet", "fcet")), "a.stl:2: expected 'facet' or 'endsolid', found 'fcet'");
  std::string nan = bytes;
  std::memset(nan.data() + 84 + 50 * 2 + 12, 0xff, 4);
  EXPECT_EQ(refusal(nan), "a.stl: triangle 3: a coordinate is not a finite number of reasonable size");
  EXPECT_EQ(refusal("NDIME= 2\n" + std::string(100, ' ')).substr(0, 6), "a.stl:");
}

}  // namespace
}  // namespace weir::stl_test
