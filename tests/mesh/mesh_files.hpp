// A description as the text of a file, sound or broken, in each format that is read.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "mesh/unstructured/description.hpp"

namespace weir::test {

enum class Format { su2, gmsh2, gmsh4 };
inline const std::vector<Format> all_formats{Format::su2, Format::gmsh2, Format::gmsh4};

struct MeshFile {
  std::string text;
  int cell_line = 0;  // of the first cell, from 1; the others follow
  int edge_line = 0;  // of the first edge in Gmsh's formats
  int node_tag(int n) const { return step * n + base; }
  int step = 1, base = 0;  // tags of nodes
};

inline int lines(const std::string& text) {
  int n = 1;
  for (char c : text) n += c == '\n';
  return n;
}

inline std::string decimal(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

inline std::string corners(const MeshFile& file, const MeshDescription& d, int cell) {
  std::string text;
  for (int k = d.cell_start[cell]; k < d.cell_start[cell + 1]; ++k)
    text += " " + std::to_string(file.node_tag(d.cell_node[k]));
  return text;
}

inline bool is_triangle(const MeshDescription& d, int cell) { return d.cell_start[cell + 1] - d.cell_start[cell] == 3; }

inline MeshFile su2_file(const MeshDescription& d) {
  MeshFile f;
  f.text = "% written by a test\nNDIME= 2\nNELEM= " + std::to_string(d.cells()) + "\n";
  f.cell_line = lines(f.text);
  for (int c = 0; c < d.cells(); ++c)
    f.text += (is_triangle(d, c) ? "5" : "9") + corners(f, d, c) + " " + std::to_string(c) + "\n";
  f.text += "NPOIN= " + std::to_string(d.node.size()) + "\n";
  for (std::size_t n = 0; n < d.node.size(); ++n)
    f.text += decimal(d.node[n][0]) + "\t" + decimal(d.node[n][1]) + "\t" + std::to_string(n) + "\n";
  f.text += "NMARK= " + std::to_string(d.marker.size()) + "\n";
  for (int m = 0; m < static_cast<int>(d.marker.size()); ++m) {
    std::string body;
    int count = 0;
    for (int e = 0; e < d.edges(); ++e)
      if (d.edge_marker[e] == m) {
        body += "3 " + std::to_string(d.edge[e][0]) + " " + std::to_string(d.edge[e][1]) + "\n";
        ++count;
      }
    f.text += "MARKER_TAG= " + d.marker[m] + "\nMARKER_ELEMS= " + std::to_string(count) + "\n" + body;
  }
  return f;
}

// Physical group m + 5 of curve m + 1; the surface is group 1.
inline std::string group_names(const MeshDescription& d) {
  std::string text = "$PhysicalNames\n" + std::to_string(d.marker.size() + 1) + "\n2 1 \"fluid\"\n";
  for (std::size_t m = 0; m < d.marker.size(); ++m) text += "1 " + std::to_string(m + 5) + " \"" + d.marker[m] + "\"\n";
  return text + "$EndPhysicalNames\n";
}

inline MeshFile gmsh2_file(const MeshDescription& d) {
  MeshFile f;
  f.base = 1;
  f.text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + group_names(d);
  f.text += "$Nodes\n" + std::to_string(d.node.size()) + "\n";
  for (std::size_t n = 0; n < d.node.size(); ++n)
    f.text += std::to_string(n + 1) + " " + decimal(d.node[n][0]) + " " + decimal(d.node[n][1]) + " 0\n";
  f.text += "$EndNodes\n$Elements\n" + std::to_string(d.edges() + d.cells()) + "\n";
  f.edge_line = lines(f.text);
  int number = 0;
  for (int e = 0; e < d.edges(); ++e)
    f.text += std::to_string(++number) + " 1 2 " + std::to_string(d.edge_marker[e] + 5) + " " +
              std::to_string(d.edge_marker[e] + 1) + " " + std::to_string(d.edge[e][0] + 1) + " " +
              std::to_string(d.edge[e][1] + 1) + "\n";
  f.cell_line = lines(f.text);
  for (int c = 0; c < d.cells(); ++c)
    f.text += std::to_string(++number) + (is_triangle(d, c) ? " 2" : " 3") + " 2 1 1" + corners(f, d, c) + "\n";
  f.text += "$EndElements\n";
  return f;
}

// Node tags with gaps, descending; all cells have the first one's shape.
inline MeshFile gmsh4_file(const MeshDescription& d) {
  MeshFile f;
  const int nodes = static_cast<int>(d.node.size()), curves = static_cast<int>(d.marker.size());
  f.step = -3;
  f.base = 3 * nodes + 10;
  f.text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" + group_names(d);
  f.text += "$Entities\n1 " + std::to_string(curves) + " 1 0\n1 0 0 0 0\n";
  for (int m = 0; m < curves; ++m)
    f.text += std::to_string(m + 1) + " 0 0 0 1 1 0 1 " + std::to_string(m % 2 ? m + 5 : -(m + 5)) + " 2 1 -1\n";
  f.text += "1 0 0 0 1 1 0 1 1 4 1 2 3 4\n$EndEntities\n$Nodes\n1 " + std::to_string(nodes) + " 1 " +
            std::to_string(f.base) + "\n2 1 0 " + std::to_string(nodes) + "\n";
  for (int n = 0; n < nodes; ++n) f.text += std::to_string(f.node_tag(n)) + "\n";
  for (const auto& x : d.node) f.text += decimal(x[0]) + " " + decimal(x[1]) + " 0\n";
  f.text += "$EndNodes\n$Elements\n" + std::to_string(d.edges() + 1) + " " + std::to_string(d.edges() + d.cells()) +
            " 1 " + std::to_string(d.edges() + d.cells()) + "\n";
  f.edge_line = lines(f.text) + 1;
  int number = 0;
  for (int e = 0; e < d.edges(); ++e)
    f.text += "1 " + std::to_string(d.edge_marker[e] + 1) + " 1 1\n" + std::to_string(++number) + " " +
              std::to_string(f.node_tag(d.edge[e][0])) + " " + std::to_string(f.node_tag(d.edge[e][1])) + "\n";
  f.text += std::string("2 1 ") + (is_triangle(d, 0) ? "2 " : "3 ") + std::to_string(d.cells()) + "\n";
  f.cell_line = lines(f.text);
  for (int c = 0; c < d.cells(); ++c) f.text += std::to_string(++number) + corners(f, d, c) + "\n";
  f.text += "$EndElements\n$Periodic\n0\n$EndPeriodic\n";
  return f;
}

inline MeshFile mesh_file(const MeshDescription& d, Format format) {
  return format == Format::su2 ? su2_file(d) : format == Format::gmsh2 ? gmsh2_file(d) : gmsh4_file(d);
}

}  // namespace weir::test
