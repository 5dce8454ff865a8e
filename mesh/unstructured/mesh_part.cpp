#include "mesh/unstructured/mesh_part.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"

namespace weir {
namespace {

enum Layer : char { elsewhere, own_cell, near_cell, far_cell };

// Adds the cells that share a face with one of `from` and are in no layer yet.
void grow(const UnstructuredMesh& whole, Layer from, Layer to, std::vector<char>& layer) {
  for (int f = 0; f < whole.interior_faces(); ++f) {
    const std::size_t a = at(whole.owner[at(f)]), b = at(whole.neighbour[at(f)]);
    if (layer[a] == from && layer[b] == elsewhere) layer[b] = to;
    if (layer[b] == from && layer[a] == elsewhere) layer[a] = to;
  }
}

std::vector<char> layers_of(const UnstructuredMesh& whole, const std::vector<int>& part, int mine) {
  std::vector<char> layer(part.size(), elsewhere);
  for (std::size_t i = 0; i < part.size(); ++i)
    if (part[i] == mine) layer[i] = own_cell;
  grow(whole, own_cell, near_cell, layer);
  grow(whole, near_cell, far_cell, layer);
  return layer;
}

void add_cells(const UnstructuredMesh& whole, const std::vector<char>& layer, Layer which, MeshPart& p) {
  for (int i = 0; i < whole.cells(); ++i) {
    if (layer[at(i)] != which) continue;
    p.cell.push_back(i);
    p.mesh.volume.push_back(whole.volume[at(i)]);
    p.mesh.centre.push_back(whole.centre[at(i)]);
  }
}

struct LocalFace {
  int owner, neighbour, whole;
  bool swapped;
};

// Faces of own and near cells in the order of the whole mesh: by owner, then by neighbour.
std::vector<LocalFace> faces_between(const UnstructuredMesh& whole, const std::vector<int>& local, int reach, int first,
                                     int end) {
  std::vector<LocalFace> faces;
  for (int f = first; f < end; ++f) {
    const int a = local[at(whole.owner[at(f)])], b = local[at(whole.neighbour[at(f)])];
    if (a < 0 || b < 0 || std::min(a, b) >= reach) continue;
    faces.push_back({std::min(a, b), std::max(a, b), f, a > b});
  }
  std::ranges::sort(faces, [](const LocalFace& x, const LocalFace& y) {
    return std::array{x.owner, x.neighbour, x.whole} < std::array{y.owner, y.neighbour, y.whole};
  });
  return faces;
}

void add_face(const UnstructuredMesh& whole, int face, int owner, MeshPart& p) {
  p.mesh.owner.push_back(owner);
  p.mesh.normal.push_back(whole.normal[at(face)]);
  p.mesh.area.push_back(whole.area[at(face)]);
  p.mesh.face_centre.push_back(whole.face_centre[at(face)]);
}

void add_interior(const UnstructuredMesh& whole, const std::vector<LocalFace>& faces, bool periodic, MeshPart& p) {
  const int first_periodic = whole.interior_faces() - whole.periodic_faces;
  for (const LocalFace& f : faces) {
    add_face(whole, f.whole, f.owner, p);
    p.mesh.neighbour.push_back(f.neighbour);
    Point shift{};
    if (periodic) shift = whole.shift[at(f.whole - first_periodic)];
    for (std::size_t d = 0; f.swapped && d < 2; ++d) {
      p.mesh.normal.back()[d] *= -1;
      p.mesh.face_centre.back()[d] -= shift[d];  // on the side of the new owner
      shift[d] *= -1;
    }
    if (periodic) p.mesh.shift.push_back(shift);
  }
}

void add_patches(const UnstructuredMesh& whole, const std::vector<int>& local, MeshPart& p) {
  const int reach = p.own + p.near;
  for (const Patch& patch : whole.patches) {
    const int first = p.mesh.faces();
    std::vector<int>& place = p.place_in_patch.emplace_back();
    for (const bool own : {true, false})
      for (int k = 0; k < patch.count; ++k) {
        const int cell = local[at(whole.owner[at(patch.first + k)])];
        if (cell < 0 || cell >= reach || (cell < p.own) != own) continue;
        add_face(whole, patch.first + k, cell, p);
        if (own) place.push_back(k);
      }
    p.own_in_patch.push_back(static_cast<int>(place.size()));
    p.mesh.patches.push_back({patch.name, first, p.mesh.faces() - first});
  }
}

// Index of each cell of the whole mesh within its part.
std::vector<int> numbers_within_parts(const std::vector<int>& part) {
  std::vector<int> next(at(1 + *std::ranges::max_element(part)), 0), number;
  number.reserve(part.size());
  for (const int p : part) number.push_back(next[at(p)]++);
  return number;
}

}  // namespace

MeshPart part_of_mesh(const UnstructuredMesh& whole, const std::vector<int>& part, int mine) {
  const std::vector<char> layer = layers_of(whole, part, mine);
  MeshPart p;
  add_cells(whole, layer, own_cell, p);
  p.own = p.mesh.cells();
  add_cells(whole, layer, near_cell, p);
  p.near = p.mesh.cells() - p.own;
  add_cells(whole, layer, far_cell, p);

  std::vector<int> local(part.size(), -1);
  for (std::size_t i = 0; i < p.cell.size(); ++i) local[at(p.cell[i])] = static_cast<int>(i);
  const int interior = whole.interior_faces(), plain = interior - whole.periodic_faces, reach = p.own + p.near;
  add_interior(whole, faces_between(whole, local, reach, 0, plain), false, p);
  const std::vector<LocalFace> periodic = faces_between(whole, local, reach, plain, interior);
  add_interior(whole, periodic, true, p);
  p.mesh.periodic_faces = static_cast<int>(periodic.size());
  add_patches(whole, local, p);

  const std::vector<int> number = numbers_within_parts(part);
  for (std::size_t i = at(p.own); i < p.cell.size(); ++i)
    p.ghost.push_back({part[at(p.cell[i])], number[at(p.cell[i])]});
  return p;
}

}  // namespace weir
