#include "mesh/unstructured/write_su2.hpp"

#include <charconv>

#include "base/error.hpp"

namespace weir {
namespace {

template <class Number>
void append(std::string& text, Number value, char after) {
  char digits[32];  // the shortest that read back as the same number
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
  text += after;
}

}  // namespace

std::string su2_text(const UnstructuredMesh& mesh) {
  if (mesh.periodic_faces > 0)
    throw Error(Exit::usage,
                "an SU2 file cannot tell that faces are periodic; write the mesh without [boundary] periodic");
  std::string text = "NDIME= 2\nNELEM= ";
  append(text, mesh.cells(), '\n');
  for (int c = 0; c < mesh.cells(); ++c) {
    text += mesh.corners(c) == 3 ? "5 " : "9 ";
    for (int k = 0; k < mesh.corners(c); ++k) append(text, mesh.cell_node[mesh.cell_start[c] + k], ' ');
    append(text, c, '\n');
  }
  text += "NPOIN= ";
  append(text, mesh.nodes(), '\n');
  for (int n = 0; n < mesh.nodes(); ++n) {
    for (double x : mesh.node[n]) append(text, x, ' ');
    append(text, n, '\n');
  }
  text += "NMARK= ";
  append(text, mesh.patches.size(), '\n');
  for (const Patch& p : mesh.patches) {
    text += "MARKER_TAG= " + p.name + "\nMARKER_ELEMS= ";
    append(text, p.count, '\n');
    for (int f = p.first; f < p.first + p.count; ++f) {
      text += "3 ";
      append(text, mesh.face_node[f][0], ' ');
      append(text, mesh.face_node[f][1], '\n');
    }
  }
  return text;
}

}  // namespace weir
