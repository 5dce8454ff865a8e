// The faults that a mesh file can have: each is refused with exit code 2, file, line and what is wrong. The first ten
// are the promise; the others are what else happens to files.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "mesh/read/read_mesh.hpp"
#include "tests/mesh/mesh_files.hpp"
#include "tests/mesh/meshes.hpp"

namespace weir::test::mesh_fault_test {
namespace {

void expect_refused(const std::string& text, const std::string& place, const std::string& message) {
  try {
    build_mesh(parse_description(text, "m"));
    FAIL() << "accepted; expected: " << message;
  } catch (const Error& e) {
    const std::string what = e.what();
    EXPECT_EQ(e.code(), Exit::usage);
    EXPECT_EQ(what.find("m:" + place), 0u) << what << "\nexpected: m:" << place;
    EXPECT_NE(what.find(message), std::string::npos) << what << "\nexpected: " << message;
  }
}

std::string at(int line) { return std::to_string(line) + ": "; }

// In each format, cell `cell` of a broken description.
void expect_cell_refused(const MeshDescription& d, int cell, const std::string& message) {
  for (Format format : all_formats) {
    const MeshFile f = mesh_file(d, format);
    expect_refused(f.text, at(f.cell_line + cell), message);
  }
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t place = text.find(old);
  EXPECT_NE(place, std::string::npos) << old;
  return place == std::string::npos ? text : text.replace(place, old.size(), by);
}

TEST(MeshFault, TruncatedFile) {
  const MeshDescription d = box_description(2, 2);
  for (Format format : all_formats) {
    const std::string text = mesh_file(d, format).text;
    for (const char* from :
         {"NPOIN", "MARKER_ELEMS", "3 0 1", "NMARK= 4", "$Nodes", "$EndNodes", "$Elements", "$EndElements"}) {
      const std::size_t cut = text.find(from);
      if (cut == std::string::npos) continue;
      if (std::string(from) == "NMARK= 4")
        expect_refused(text.substr(0, text.find("MARKER_TAG")), "", "truncated: NMARK= 4, but the file ends after 0");
      else
        expect_refused(text.substr(0, cut), "",
                       std::string(from) == "MARKER_ELEMS" ? "has no MARKER_ELEMS=" : "truncated: the file ends");
    }
  }
  const std::string su2 = su2_file(d).text;
  expect_refused(su2.substr(0, su2.find("9 3 4 7 6")),
                 "5: ", "truncated: the file ends here; NELEM= 4, but only 2 elements follow");
}

TEST(MeshFault, UnknownElement) {
  const MeshDescription d = box_description(2, 2);
  expect_refused(replaced(su2_file(d).text, "9 0 1 4 3", "7 0 1 4 3"), "4: ", "unknown element type 7");
  expect_refused(replaced(su2_file(d).text, "3 0 1\n", "1 0 1\n"), "",
                 "unknown element type 1: markers are made of lines");
  const MeshFile two = gmsh2_file(d);
  expect_refused(replaced(two.text, "9 3 2 1 1", "9 99 2 1 1"), at(two.cell_line), "unknown element type 99");
  expect_refused(replaced(two.text, "9 3 2 1 1", "9 9 2 1 1"), at(two.cell_line),
                 "save the mesh with Mesh.ElementOrder = 1");
  const MeshFile four = gmsh4_file(d);
  expect_refused(replaced(four.text, "2 1 3 4\n", "2 1 99 4\n"), at(four.cell_line), "unknown element type 99");
}

TEST(MeshFault, NodeOutOfRange) {
  MeshDescription d = box_description(2, 2);
  d.cell_node[5] = 9;
  expect_cell_refused(d, 1, "is out of range");
  d.cell_node[5] = -400;
  expect_cell_refused(d, 1, "is out of range");
  d = box_description(2, 2);
  d.edge[0][0] = 9;
  for (Format format : all_formats) expect_refused(mesh_file(d, format).text, "", "is out of range");
}

TEST(MeshFault, InvertedCell) {
  MeshDescription d = box_description(2, 2, true);
  d.node[4] = {1.1, 0.5};  // beyond the right edge: the triangles right of it turn over
  expect_cell_refused(d, 3, "inverted cell: it lies on the same side of the face");
}

TEST(MeshFault, CellWithoutArea) {
  MeshDescription d = box_description(2, 2, true);
  d.node[1] = {0.25, 0.25};  // on the diagonal of the first two triangles
  expect_cell_refused(d, 0, "zero-area cell at (0, 0)");
  d.cell_node[1] = d.cell_node[0];
  expect_cell_refused(d, 0, "zero-area corner: the cell names its node at (0, 0) twice");
}

TEST(MeshFault, HangingFace) {
  MeshDescription d;
  d.node = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {1, 1}};  // a large cell next to two small ones
  d.add_cell(0, 1, 5, 6);
  d.add_cell(1, 2, 3, 7);
  d.add_cell(7, 3, 4, 5);
  d.add_marker("all");
  for (int k = 0; k < 6; ++k) d.add_edge(k, k + 1, 0);
  d.add_edge(6, 0, 0);
  expect_cell_refused(d, 0, "hanging node at (1, 1), in the middle of the face from (1, 0) to (1, 2)");
  d = box_description(2, 2);
  d.add_edge(0, 8, 1);
  for (Format format : all_formats)
    expect_refused(mesh_file(d, format).text, "",
                   "marker 'right' names the face from (0, 0) to (1, 1), which belongs to no cell");
}

TEST(MeshFault, FaceUsedTwice) {
  MeshDescription d = box_description(2, 2, true);
  d.add_cell(4, 5, 8);
  expect_cell_refused(d, 8, "cells, among them the cells");
  d = box_description(2, 2);
  d.add_edge(1, 0, 1);
  for (Format format : all_formats) expect_refused(mesh_file(d, format).text, "", "is marked twice");
  d.edge.back() = {1, 4};
  for (Format format : all_formats) expect_refused(mesh_file(d, format).text, "", "which lies between two cells");
}

TEST(MeshFault, UnmarkedBoundary) {
  MeshDescription d = box_description(2, 2);
  d.edge.pop_back();
  d.edge_marker.pop_back();
  expect_cell_refused(d, 2, "unmarked boundary: the face from (0, 1) to (0, 0.5)");
}

TEST(MeshFault, MarkerWithoutCondition) {
  const UnstructuredMesh m = build_mesh(box_description(2, 2));
  const auto refusal = [&](const std::string& conditions) -> std::string {
    try {
      const Table root = read_case_text("[boundary]\n" + conditions, "case.toml");
      require_conditions(m, "box.su2", root.table("boundary"));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage);
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("left = 1\nright = 1\ntop = 1\nbottom = 1"), "accepted");
  EXPECT_EQ(refusal("left = 1\nright = 1\ntop = 1"),
            "case.toml:1: marker 'bottom' of box.su2 has no condition; known here: left, right, top");
  EXPECT_EQ(refusal("left = 1\nright = 1\ntop = 1\nbotom = 1"),
            "case.toml:5: there is no marker 'botom' in box.su2; did you mean 'bottom'?");
}

TEST(MeshFault, Mesh3D) {
  const MeshDescription d = box_description(2, 2);
  expect_refused(replaced(su2_file(d).text, "NDIME= 2", "NDIME= 3"),
                 "2: ", "3D mesh (NDIME= 3); only 2D meshes are supported");
  expect_refused(replaced(su2_file(d).text, "9 0 1 4 3", "12 0 1 4 3 1 2 3 4"), "4: ", "belongs to a 3D mesh");
  const MeshFile two = gmsh2_file(d);
  expect_refused(replaced(two.text, "9 3 2 1 1", "9 4 2 1 1"), at(two.cell_line), "belongs to a 3D mesh");
  expect_refused(replaced(two.text, "0.5 0.5 0\n", "0.5 0.5 0.25\n"), at(two.cell_line),
                 "a 3D mesh: the cell has a node at z = 0.25");
  expect_refused(replaced(gmsh4_file(d).text, "1 1 0\n", "1 1 -3\n"), at(gmsh4_file(d).cell_line + 3), "a 3D mesh");
}

TEST(MeshFault, WhatElseHappensToSu2Files) {
  const std::string su2 = su2_file(box_description(2, 2)).text;
  expect_refused("hello\n", "1: ", "neither an SU2 mesh (NDIME= 2) nor a Gmsh mesh ($MeshFormat): found 'hello'");
  expect_refused(replaced(su2, "NELEM", "NELM"), "3: ", "unknown keyword 'NELM'; did you mean 'NELEM'?");
  expect_refused(replaced(su2, "NELEM= 4", "NELEM= 3"), "7: ", "data line outside of all sections");
  expect_refused(replaced(su2, "NELEM= 4", "NELEM= 5"), "8: ", "NELEM= 5, but only 4 elements follow");
  expect_refused(replaced(su2, "NELEM= 4", "NELEM= four"), "3: ", "expected the number of elements, found 'four'");
  expect_refused(replaced(su2, "NELEM= 4", "NELEM= 4000000000000000000"), "8: ", "but only 4 elements follow");
  expect_refused(replaced(su2, "0.5\t0.5", "0.5\tnan"), "", "expected y (a finite number), found 'nan'");
  expect_refused(replaced(su2, "0.5\t0.5", "0.5\t1e999"), "", "expected y (a finite number), found '1e999'");
  expect_refused(replaced(su2, "0.5\t0.5", "0.5"), "", "");
  expect_refused(replaced(su2, "9 0 1 4 3 0", "9 0 1"), "4: ", "the line ends where a node was expected");
  expect_refused(replaced(su2, "MARKER_TAG= right", "MARKER_TAG= bottom"), "", "marker 'bottom' is repeated");
  expect_refused(replaced(su2, "NMARK= 4", "NMARK= 3"), "", "more markers than announced by NMARK= 3");
  expect_refused("NDIME= 2\n", "1: ", "truncated: the file ends without NELEM=");
}

TEST(MeshFault, WhatElseHappensToGmshFiles) {
  const MeshDescription d = box_description(2, 2);
  const std::string two = gmsh2_file(d).text, four = gmsh4_file(d).text;
  expect_refused(replaced(two, "2.2 0 8", "2.2 1 8"),
                 "2: ", "binary .msh files are not supported; convert it with: gmsh FILE -save");
  expect_refused(replaced(four, "4.1 0 8", "4.0 0 8"),
                 "2: ", "version '4.0' of the .msh format is not supported; expected 2.2 or 4.1");
  expect_refused(replaced(two, "$Nodes\n9\n", "$Nodes\n8\n"), "",
                 "expected $EndNodes (more lines than the count above?)");
  expect_refused(replaced(two, "$Nodes\n9\n", "$Nodes\n4000000000000000000\n"), "", "expected the number of a node");
  expect_refused(replaced(two, "\n2 0.5 0 0", "\n1 0.5 0 0"), "", "node 1 is repeated");
  expect_refused(replaced(two, "\"left\"", "left"), "", "expected a name in quotes");
  expect_refused(replaced(four, "$Nodes\n1 9 ", "$Nodes\n1 8 "), "",
                 "the blocks contain more nodes than the header announces (8)");
  expect_refused(replaced(four, "$Nodes\n1 9 ", "$Nodes\n1 10 "), "",
                 "the blocks contain 9 nodes, but the header announces 10");
  expect_refused(replaced(four, "$Entities", "$PartitionedEntities"), "", "partitioned meshes");
  expect_refused("$NOD\n1\n", "1: ", "Gmsh format 1");
  expect_refused("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n",
                 "4: ", "$Elements before $Nodes");
}

}  // namespace
}  // namespace weir::test::mesh_fault_test
