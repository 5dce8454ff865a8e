#include "mesh/unstructured/make_mesh.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "mesh/read/read_mesh.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::make_mesh_test {
namespace {

UnstructuredMesh mesh_of(const std::string& text, const std::string& name = "case.toml", MeshOrigin* origin = nullptr) {
  const Table mesh = read_case_text("[mesh]\n" + text + "\n", name).table("mesh");
  UnstructuredMesh made = make_mesh(mesh, origin);
  mesh.refuse_unknown();
  return made;
}

// The error's text after "case.toml:2: ".
std::string complaint(const std::string& text) {
  try {
    mesh_of(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::usage);
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("case.toml:")) << what;
    return what;
  }
  return "no error";
}

std::string complaint_of(const std::string& generator) { return complaint("generator = { " + generator + " }"); }

bool holds(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

TEST(MakeMesh, ReadsTheKeysOfEachGenerator) {
  MeshOrigin origin;
  EXPECT_EQ(
      mesh_of(
          R"(generator = { type = "box", cells = [4, 3], length = [2, 1], origin = [0.2, 0.2], shape = "triangles" })",
          "case.toml", &origin)
          .cells(),
      24);
  EXPECT_EQ(origin.name, "generator box");
  EXPECT_EQ(mesh_of(R"(generator = { type = "box", cells = [4, 4], periodic = ["x", "y"] })", "case.toml", &origin)
                .periodic_faces,
            8);
  EXPECT_EQ(origin.periodic.size(), 2u);
  EXPECT_EQ(mesh_of(R"(generator = { type = "cylinder", around = 16, outward = 8, far_field = 10 })").cells(), 128);
  EXPECT_EQ(mesh_of(R"(generator = { type = "cylinder", around = 16, outward = 8, growth = 1.3 })").cells(), 128);
  EXPECT_EQ(mesh_of(R"(generator = { type = "wedge", cells = [12, 4], angle = 15 })").cells(), 48);
  double first = 0;
  const UnstructuredMesh wedge =
      mesh_of(R"(generator = { type = "wedge", cells = [12, 4], angle = 15, upstream = 0.8 })");
  for (const Point& x : wedge.node) first = std::min(first, x[0]);
  EXPECT_DOUBLE_EQ(first, -0.8);
  EXPECT_EQ(mesh_of(R"(generator = { type = "naca0012", refinement = 0.3 })").patch("wall")->count, 60);
  EXPECT_GT(mesh_of(R"(generator = { type = "naca0012", refinement = 0.3, fan = 5 })").cells(),
            mesh_of(R"(generator = { type = "naca0012", refinement = 0.3 })").cells());
  EXPECT_NEAR(mesh_of(R"(generator = { type = "naca", profile = "2412", cells = 3000 })").cells(), 3000, 300);
}

TEST(MakeMesh, MakesAFlatPlateWithSectionsAndASplitSide) {
  const UnstructuredMesh mesh = mesh_of(R"([mesh.generator]
type = "box"
x = { points = [-0.5, 0, 1], cells = [8, 16], spacing = [0.1, 0.01, 0.1] }
y = { points = [0, 0.2], cells = [12], spacing = [1e-3, 0] }
split = [{ side = "y_min", at = 0.0, names = ["symmetry", "plate"] }])");
  EXPECT_EQ(mesh.cells(), 24 * 12);
  EXPECT_EQ(mesh.patch("symmetry")->count, 8);
  EXPECT_EQ(mesh.patch("plate")->count, 16);
  EXPECT_EQ(mesh.patch("y_min"), nullptr);
}

TEST(MakeMesh, RefusesWrongOptionsWithTheirPlace) {
  EXPECT_TRUE(holds(complaint(""), "[mesh] requires file = "));
  EXPECT_TRUE(holds(complaint("file = \"a.su2\"\ngenerator = { type = \"box\" }"), "give one of them"));
  EXPECT_TRUE(holds(complaint_of("type = \"boks\""), "did you mean 'box'?"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", celsl = [2, 2]"), "unknown key 'celsl'; did you mean 'cells'?"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", cells = [2]"), "'cells' must be [nx, ny]"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", cells = [100000, 100000]"), "too many cells"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", split = [{ at = 0.33 }]"), "the nearest is at 0.34375"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", cells = [2, 2], split = [{ at = 0.5 }, { at = 0.5 }]"),
                    "a second split of 'y_min'"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", periodic = [\"z\"]"), "'periodic' must be one of"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", x = { points = [0, 1, 0.5], cells = [2, 2] }"), "must increase"));
  EXPECT_TRUE(holds(complaint_of("type = \"cylinder\", far_field = 0.4"), "larger than 'radius'"));
  EXPECT_TRUE(holds(complaint_of("type = \"wedge\", angle = 55"), "closes the channel"));
  EXPECT_TRUE(holds(complaint_of("type = \"naca\""), "missing key 'profile'"));
  EXPECT_TRUE(holds(complaint_of("type = \"naca\", profile = \"12\""), "four digits"));
  EXPECT_TRUE(
      holds(complaint_of("type = \"naca0012\", refinement = -1"), "'refinement' must lie between 0.2 and 60, got -1"));
  EXPECT_TRUE(holds(complaint_of("type = \"naca0012\", layers = 60"), "exceeds half a chord"));
  EXPECT_TRUE(holds(complaint_of("type = \"box\", length = [1.0, 1e-18]"), "case.toml:2: mesh: zero-area cell"));
  EXPECT_TRUE(holds(complaint("file = \"/dev/null\""), "'/dev/null' is a device, expected a mesh file"));
  EXPECT_TRUE(holds(complaint("file = \"/\""), "'/' is a folder, expected a mesh file"));
}

TEST(MakeMesh, FindsAFileBesideTheCaseBeforeTheCurrentFolder) {
  const testing::ScratchFolder folder;
  const UnstructuredMesh box = mesh_of(R"(generator = { type = "box", cells = [2, 2] })");
  std::ofstream(folder / "square.su2") << su2_text(box);
  MeshOrigin origin;
  const UnstructuredMesh again = mesh_of("file = \"square.su2\"", folder / "case.toml", &origin);
  EXPECT_EQ(again.cells(), 4);
  EXPECT_EQ(origin.name, folder / "square.su2");
  const UnstructuredMesh periodic =
      mesh_of("file = \"square.su2\"\nperiodic = [{ first = \"x_min\", second = \"x_max\", translation = [1, 0] }]",
              folder / "case.toml");
  EXPECT_EQ(periodic.periodic_faces, 2);
  try {
    mesh_of("file = \"circle.su2\"", folder / "case.toml");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::usage);
    EXPECT_TRUE(holds(error.what(), "no mesh file 'circle.su2' in the current folder, nor '" + (folder / "circle.su2")))
        << error.what();
  }
}

}  // namespace
}  // namespace weir::make_mesh_test
