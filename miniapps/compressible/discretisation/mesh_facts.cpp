#include "miniapps/compressible/discretisation/mesh_facts.hpp"

#include "base/at.hpp"
#include "miniapps/compressible/discretisation/mesh_ranks.hpp"

namespace weir {
namespace {

std::int64_t bytes_of_mesh(const UnstructuredMesh& m) {
  const std::int64_t cells = m.cells(), nodes = m.nodes(), faces = m.faces();
  const std::int64_t corners = static_cast<std::int64_t>(m.cell_node.size());
  return 16 * nodes + 4 * cells + 4 * corners + 24 * cells + faces * (8 + 8 + 16 + 8 + 16);
}

}  // namespace

MeshFacts::MeshFacts(const UnstructuredMesh& mesh)
    : cells(mesh.cells()), faces(mesh.faces()), interior_faces(mesh.interior_faces()), bytes(bytes_of_mesh(mesh)) {
  for (int i = 0; i < cells; ++i) triangles += mesh.corners(i) == 3;
  for (const Point& x : mesh.node)
    for (std::size_t d = 0; d < 2; ++d) {
      low[d] = std::min(low[d], x[d]);
      high[d] = std::max(high[d], x[d]);
    }
}

UnstructuredMesh outline_of(const UnstructuredMesh& mesh) {
  UnstructuredMesh o;
  for (const Patch& p : mesh.patches) {
    o.patches.push_back({p.name, static_cast<int>(o.normal.size()), p.count});
    for (int f = p.first; f < p.first + p.count; ++f) {
      o.normal.push_back(mesh.normal[at(f)]);
      o.face_centre.push_back(mesh.face_centre[at(f)]);
    }
  }
  o.shift = mesh.shift;
  return o;
}

void archive(Archive& a, MeshFacts& f) {
  a.number("cells", f.cells);
  a.number("triangles", f.triangles);
  a.number("faces", f.faces);
  a.number("interior faces", f.interior_faces);
  a.number("bytes", f.bytes);
  for (std::size_t d = 0; d < 2; ++d) {
    a.number("low", f.low[d]);
    a.number("high", f.high[d]);
  }
}

void archive_outline(Archive& a, UnstructuredMesh& outline) {
  archive_patches(a, outline.patches);
  archive_points(a, "normals", outline.normal);
  archive_points(a, "face centres", outline.face_centre);
  archive_points(a, "shifts", outline.shift);
}

}  // namespace weir
