// Files as they are read: each format gives the same mesh, and so do the meshes that others made, where they are at
// hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "base/error.hpp"
#include "mesh/read/read_mesh.hpp"
#include "tests/mesh/check_mesh.hpp"
#include "tests/mesh/mesh_files.hpp"
#include "tests/mesh/meshes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::test::read_mesh_test {
namespace {

UnstructuredMesh mesh_of(const std::string& text) { return build_mesh(parse_description(text, "m")); }

void expect_same(const UnstructuredMesh& a, const UnstructuredMesh& b) {
  EXPECT_EQ(a.node, b.node);
  EXPECT_EQ(a.cell_node, b.cell_node);
  EXPECT_EQ(a.face_node, b.face_node);
  EXPECT_EQ(a.owner, b.owner);
  EXPECT_EQ(a.neighbour, b.neighbour);
  ASSERT_EQ(a.patches.size(), b.patches.size());
  for (const Patch& p : a.patches) {
    ASSERT_TRUE(b.patch(p.name)) << p.name;
    EXPECT_EQ(p.count, b.patch(p.name)->count);
  }
}

TEST(ReadMesh, EachFormatGivesTheSameMesh) {
  for (bool triangles : {false, true}) {
    const MeshDescription d = box_description(4, 3, triangles, 0.2);
    const UnstructuredMesh m = build_mesh(d);
    for (Format format : all_formats) {
      const UnstructuredMesh r = mesh_of(mesh_file(d, format).text);
      EXPECT_EQ(r.node, m.node);
      EXPECT_EQ(r.cell_node, m.cell_node);
      EXPECT_EQ(r.neighbour, m.neighbour);
      for (const Patch& p : m.patches) {
        ASSERT_TRUE(r.patch(p.name)) << p.name;
        EXPECT_EQ(r.patch(p.name)->count, p.count);
        for (int k = 0; k < p.count; ++k) EXPECT_EQ(r.face_node[r.patch(p.name)->first + k], m.face_node[p.first + k]);
      }
    }
  }
}

TEST(ReadMesh, DosLineEndingsTabsCommentsAndAByteOrderMarkDoNotMatter) {
  const MeshDescription d = box_description(2, 2);
  std::string dos = "\xef\xbb\xbf";
  for (char c : su2_file(d).text) dos += c == '\n' ? "  % remark\r\n\r\n" : std::string(1, c);
  expect_same(mesh_of(dos), build_mesh(d));
}

TEST(ReadMesh, SectionsThatAreNotOfTheMeshAreSkipped) {
  const MeshDescription d = box_description(2, 2);
  expect_same(mesh_of(su2_file(d).text + "FFD_NBOX= 1\nFFD_CORNER_POINTS= 2\n0.0 1.0\n2 2\n"), build_mesh(d));
  const UnstructuredMesh r = mesh_of(gmsh2_file(d).text + "$NodeData\nwhatever 5 5\n$EndNodeData\n");
  EXPECT_EQ(r.node, build_mesh(d).node);
}

TEST(ReadMesh, PointsMayHaveTheCoordinateOfTheirPlane) {
  const MeshDescription d = box_description(2, 2);
  const auto with_z = [&](const std::function<std::string(std::size_t)>& z) {
    std::string text = su2_file(d).text;
    for (std::size_t n = 0; n < d.node.size(); ++n) {
      const std::string xy = decimal(d.node[n][0]) + "\t" + decimal(d.node[n][1]) + "\t";
      text.replace(text.find(xy + std::to_string(n) + "\n"), xy.size(), xy + z(n) + "\t");
    }
    return text;
  };
  for (const char* z : {"0", "0.0", "-2.5e-003"})
    expect_same(mesh_of(with_z([&](std::size_t) { return z; })), build_mesh(d));
  EXPECT_THROW(mesh_of(with_z([](std::size_t n) { return std::to_string(n % 2); })), Error);
}

TEST(ReadMesh, NamesOfGroupsMayFollowTheElements) {
  const MeshDescription d = box_description(2, 1);
  for (const MeshFile& file : {gmsh2_file(d), gmsh4_file(d)}) {
    std::string text = file.text;
    const std::size_t from = text.find("$PhysicalNames"), to = text.find("$EndPhysicalNames") + 18;
    const std::string names = text.substr(from, to - from);
    text.erase(from, to - from);
    expect_same(mesh_of(text + names), mesh_of(file.text));
  }
}

TEST(ReadMesh, GroupsWithoutNamesAreCalledByTheirNumberAndCurvesWithoutGroupsToo) {
  MeshDescription d = box_description(2, 1);
  std::string text = gmsh2_file(d).text;
  text.replace(text.find("$PhysicalNames"), text.find("$Nodes") - text.find("$PhysicalNames"), "");
  EXPECT_EQ(mesh_of(text).patches.front().name, "5");
  for (std::size_t at; (at = text.find(" 1 2 5 1 ")) != std::string::npos;) text.replace(at, 9, " 1 2 0 1 ");
  EXPECT_EQ(mesh_of(text).patches.front().name, "curve_1");
}

TEST(ReadMesh, CurvesWithoutGroupsMayLieInside) {
  MeshDescription d = box_description(2, 1);
  d.add_marker("middle");
  d.add_edge(1, 4, 4);
  std::string text = gmsh2_file(d).text;
  EXPECT_THROW(mesh_of(text), Error);
  text.replace(text.find(" 1 2 9 5 "), 9, " 1 2 0 5 ");
  const UnstructuredMesh m = mesh_of(text);
  EXPECT_EQ(m.patches.size(), 4u);
  EXPECT_EQ(m.interior_faces(), 1);
}

TEST(ReadMesh, PeriodicMarkersCanBeNamed) {
  const testing::ScratchFolder folder;
  std::ofstream(folder / "box.su2") << su2_file(box_description(3, 2)).text;
  MeshDescription d = read_description(folder / "box.su2");
  d.periodic = {{"left", "right", {}}};
  const UnstructuredMesh m = build_mesh(d);
  EXPECT_EQ(m.periodic_faces, 2);
  EXPECT_EQ(m.patches.size(), 2u);
}

TEST(ReadMesh, AWrittenMeshIsReadBackToTheLastBit) {
  const testing::ScratchFolder folder;
  for (bool triangles : {false, true}) {
    const UnstructuredMesh m = build_mesh(box_description(7, 5, triangles, 0.3));
    std::ofstream(folder / "m.su2") << su2_text(m);
    const UnstructuredMesh r = build_mesh(read_description(folder / "m.su2"));
    expect_same(m, r);
    EXPECT_EQ(m.normal, r.normal);
    EXPECT_EQ(m.centre, r.centre);
  }
  MeshDescription d = box_description(3, 2);
  d.periodic = {{"left", "right", {}}};
  EXPECT_THROW(su2_text(build_mesh(d)), Error);
}

TEST(ReadMesh, AFileThatIsNotThereIsAnInputOutputError) {
  for (const char* path : {"no/such/mesh.su2", "/"}) {
    try {
      read_description(path);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::file_io);
    }
  }
}

// Meshes of SU2's and FVENS's test cases, if they lie next to the repository (or where WEIR_MESHES says).
struct Known {
  const char* file;
  int cells, faces;
  double area;  // of the domain, from the boundary's outline
  const char* patches;
};
constexpr Known known[] = {
    {"NACA0012_inv.su2", 10216, 15449, 1253.2505, "airfoil:200 farfield:50 "},
    {"NACA0012_lam_hybrid_v1.su2", 13156, 21897, 1253.2505, "airfoil:200 farfield:50 "},
    {"NACA0012_lam_hybrid_1.msh", 13156, 21897, 1253.2505, "2:200 4:50 "},
    {"cylinder_lam.su2", 26192, 39528, 705.34617, "cylinder:400 farfield:80 "},
    {"wedge_inv.su2", 3626, 7375, 1.4118365, "inlet:49 lower:74 outlet:49 upper:74 "},
    {"flatplate_65x65.su2", 4096, 8320, 0.0109728, "farfield:64 inlet:64 outlet:64 symmetry:20 wall:44 "},
    {"2dcylinder2.msh", 2048, 3136, 1253.8473, "2:64 4:64 "},
    {"testhybrid.msh", 18, 37, 9, "2:3 1:11 "}};

TEST(ReadMesh, TheMeshesOfOthersAreSound) {
  const char* folder = std::getenv("WEIR_MESHES");
  const std::filesystem::path meshes = folder ? folder : WEIR_MESHES;
  if (!std::filesystem::exists(meshes)) GTEST_SKIP() << "no meshes in " << meshes;
  for (const Known& k : known) {
    SCOPED_TRACE(k.file);
    const UnstructuredMesh m = build_mesh(read_description(meshes / k.file));
    EXPECT_EQ(m.cells(), k.cells);
    EXPECT_EQ(m.faces(), k.faces);
    const MeshCheck check = check_mesh(m);
    constexpr double eps = std::numeric_limits<double>::epsilon();
    EXPECT_LE(check.closure, 8 * eps);
    EXPECT_LE(check.volume_error, eps * m.cells());
    EXPECT_NEAR(check.volume, k.area, 1e-7 * k.area);  // the table has eight digits
    std::string patches;
    for (const Patch& p : m.patches) patches += p.name + ":" + std::to_string(p.count) + " ";
    EXPECT_EQ(patches, k.patches);
  }
}

}  // namespace
}  // namespace weir::test::read_mesh_test
