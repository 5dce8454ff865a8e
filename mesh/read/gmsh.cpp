#include "mesh/read/gmsh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace weir {
namespace {

// Gmsh's numbers for the element types (Gmsh reference manual, "MSH file format").
enum Type : std::int64_t { line = 1, triangle = 2, quadrilateral = 3, point = 15 };

bool is_solid(std::int64_t t) {
  return (t >= 4 && t <= 7) || (t >= 11 && t <= 14) || (t >= 17 && t <= 19) || (t >= 29 && t <= 31);
}
bool is_curved(std::int64_t t) { return (t >= 8 && t <= 10) || t == 16 || (t >= 20 && t <= 28); }

// The sections of a .msh file. Version 2.2 has an element or a node a line; version 4.1 groups them in blocks, one an
// entity of the geometry (Gmsh reference manual, "MSH file format").
struct Block {
  std::int64_t dimension, entity, third, count;
};

// Reads the header "blocks items min max" and calls one(block) for each block; the blocks' sizes must add up.
template <class One>
void each_block(MeshText& text, const char* section, const char* items, std::int64_t total, std::int64_t blocks,
                const One& one) {
  std::int64_t seen = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    text.next(section);
    Block block{};
    block.dimension = text.integer("the dimension of a block");
    block.entity = text.integer("the entity of a block");
    block.third = text.integer("a number");
    block.count = text.count("the size of a block");
    if (block.count > total - seen)
      text.fail(std::string(section) + ": the blocks hold more " + items + " than the header says (" +
                std::to_string(total) + ")");
    seen += block.count;
    one(block);
  }
  if (seen != total)
    text.fail(std::string(section) + ": the blocks hold " + std::to_string(seen) + " " + items + ", the header says " +
              std::to_string(total));
}

}  // namespace

std::int64_t TagIndex::index() {
  std::int64_t twice = -1;
  if (tag_.empty()) return twice;
  if (!std::is_sorted(tag_.begin(), tag_.end())) {
    position_.resize(tag_.size());
    std::iota(position_.begin(), position_.end(), 0);
    std::sort(position_.begin(), position_.end(), [&](int i, int j) {
      const auto a = tag_[static_cast<std::size_t>(i)], b = tag_[static_cast<std::size_t>(j)];
      return a != b ? a < b : i < j;
    });
    std::vector<std::int64_t> sorted;
    sorted.reserve(tag_.size());
    for (int i : position_) sorted.push_back(tag_[static_cast<std::size_t>(i)]);
    tag_ = std::move(sorted);
  }
  const auto same = std::adjacent_find(tag_.begin(), tag_.end());
  if (same != tag_.end()) twice = *same;
  first_ = tag_.front();
  const auto span = static_cast<std::uint64_t>(tag_.back()) - static_cast<std::uint64_t>(first_);
  if (span < 4 * tag_.size()) {  // else bisection: no table larger than the file
    table_.assign(static_cast<std::size_t>(span) + 1, -1);
    for (std::size_t k = 0; k < tag_.size(); ++k)
      table_[static_cast<std::size_t>(tag_[k] - first_)] = position_.empty() ? static_cast<int>(k) : position_[k];
  }
  return twice;
}

int TagIndex::find(std::int64_t tag) const {
  if (tag_.empty() || tag < first_ || tag > tag_.back()) return -1;
  if (!table_.empty()) return table_[static_cast<std::size_t>(tag - first_)];
  const auto found = std::lower_bound(tag_.begin(), tag_.end(), tag);
  if (*found != tag) return -1;
  const auto k = static_cast<std::size_t>(found - tag_.begin());
  return position_.empty() ? static_cast<int>(k) : position_[k];
}

void GmshMesh::name_group(std::int64_t dimension, std::int64_t group, std::string name) {
  if (dimension == 1 && !name.empty()) group_name_[group] = std::move(name);
}

void GmshMesh::reserve_nodes(std::size_t n) {
  d_.node.reserve(n);
  z_.reserve(n);
  tags_.reserve(n);
}

void GmshMesh::reserve_elements(std::size_t n) {
  d_.cell_start.reserve(n + 1);
  d_.cell_line.reserve(n);
  d_.cell_node.reserve(4 * n);
}

void GmshMesh::add_node_place() {
  const double x = text_.coordinate("x"), y = text_.coordinate("y"), z = text_.coordinate("z");
  d_.node.push_back({x, y});
  z_.push_back(z);
}

void GmshMesh::nodes_end() {
  if (d_.node.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
    text_.fail("more nodes than a 32-bit index can name");
  const std::int64_t twice = tags_.index();
  if (twice >= 0) text_.fail("node " + std::to_string(twice) + " is there twice");
  has_nodes_ = true;
}

int GmshMesh::node() {
  const std::int64_t tag = text_.integer("a node");
  const int n = tags_.find(tag);
  if (n < 0)
    text_.fail("node " + std::to_string(tag) + " is out of range: it is none of the " + std::to_string(tags_.size()) +
               " nodes of the file");
  return n;
}

int GmshMesh::marker(std::int64_t group, std::int64_t curve) {
  const std::array<std::int64_t, 2> key{group, curve};
  if (last_marker_ >= 0 && key == last_key_) return last_marker_;
  std::string name = "curve_" + std::to_string(curve);
  if (group != 0) {
    const auto named = group_name_.find(group);
    name = named != group_name_.end() ? named->second : std::to_string(group);
  }
  const auto [entry, is_new] = marker_index_.try_emplace(name, static_cast<int>(d_.marker.size()));
  if (is_new) {
    d_.add_marker(name);
    d_.may_lie_inside.push_back(group == 0);
  }
  last_key_ = key;
  return last_marker_ = entry->second;
}

void GmshMesh::add_element(std::int64_t type, std::int64_t group, std::int64_t entity) {
  if (type == point) {
    node();
  } else if (type == line) {
    const int a = node(), b = node();
    d_.add_edge(a, b, marker(group, entity));
    d_.edge_line.push_back(text_.number());
  } else if (type == triangle || type == quadrilateral) {
    for (int k = 0; k < (type == triangle ? 3 : 4); ++k) d_.cell_node.push_back(node());
    d_.cell_start.push_back(static_cast<int>(d_.cell_node.size()));
    d_.cell_line.push_back(text_.number());
  } else if (is_solid(type)) {
    text_.fail("element type " + std::to_string(type) + " belongs to a 3D mesh; only 2D meshes are read");
  } else if (is_curved(type)) {
    text_.fail("element type " + std::to_string(type) +
               " is of second order or higher; save the mesh with Mesh.ElementOrder = 1");
  } else {
    text_.fail("unknown element type " + std::to_string(type) +
               ": lines (1), triangles (2), quadrilaterals (3) and points (15) are known");
  }
  text_.end_of_line("an element");
}

// The nodes of all cells have one z; rounding may move it by 1e-9 of the mesh's extent.
void GmshMesh::check_plane() const {
  double extent = 0;
  for (const auto& x : d_.node) extent = std::max({extent, std::abs(x[0]), std::abs(x[1])});
  for (int c = 0; c < d_.cells(); ++c)
    for (int k = d_.cell_start[static_cast<std::size_t>(c)]; k < d_.cell_start[static_cast<std::size_t>(c) + 1]; ++k) {
      const double z0 = z_[static_cast<std::size_t>(d_.cell_node.front())];
      const double z = z_[static_cast<std::size_t>(d_.cell_node[static_cast<std::size_t>(k)])];
      if (std::abs(z - z0) <= 1e-9 * std::max(extent, std::abs(z0))) continue;
      throw Error(Exit::usage, d_.source + ":" + std::to_string(d_.cell_line[static_cast<std::size_t>(c)]) +
                                   ": a 3D mesh: the cell has a node at z = " + std::to_string(z) +
                                   ", others at z = " + std::to_string(z0) + "; only meshes in the x-y plane are read");
    }
}

MeshDescription GmshMesh::finish() {
  check_plane();
  return std::move(d_);
}

void gmsh2_nodes(MeshText& text, GmshMesh& mesh) {
  text.next("$Nodes");
  const std::int64_t count = text.count("the number of nodes");
  mesh.reserve_nodes(text.room(count, 8));
  for (std::int64_t i = 0; i < count; ++i) {
    text.next("$Nodes");
    mesh.add_node_tag(text.count("the number of a node"));
    mesh.add_node_place();
    text.end_of_line("a node");
  }
  mesh.nodes_end();
}

void gmsh2_elements(MeshText& text, GmshMesh& mesh) {
  text.next("$Elements");
  const std::int64_t count = text.count("the number of elements");
  mesh.reserve_elements(text.room(count, 16));
  for (std::int64_t i = 0; i < count; ++i) {
    text.next("$Elements");
    text.skip(1, "the number of an element");
    const std::int64_t type = text.integer("the type of an element"), tags = text.count("the number of tags");
    const std::int64_t group = tags > 0 ? text.integer("a physical group") : 0;
    const std::int64_t entity = tags > 1 ? text.integer("an entity") : 0;
    text.skip(tags - 2, "a tag");
    mesh.add_element(type, group, entity);
  }
}

// A group's sign tells the curve's direction, which does not matter here.
GroupOfCurve gmsh4_entities(MeshText& text) {
  text.next("$Entities");
  const std::int64_t points = text.count("the number of points"), curves = text.count("the number of curves");
  GroupOfCurve groups;
  for (std::int64_t i = 0; i < points; ++i) text.next("$Entities");
  for (std::int64_t i = 0; i < curves; ++i) {
    text.next("$Entities");
    const std::int64_t curve = text.integer("the number of a curve");
    text.skip(6, "a bounding box");
    if (text.count("the number of physical groups") == 0) continue;
    const std::int64_t group = text.integer("a physical group");
    groups[curve] = group == std::numeric_limits<std::int64_t>::min() ? 0 : std::abs(group);
  }
  return groups;
}

void gmsh4_nodes(MeshText& text, GmshMesh& mesh) {
  text.next("$Nodes");
  const std::int64_t blocks = text.count("the number of blocks"), total = text.count("the number of nodes");
  mesh.reserve_nodes(text.room(total, 8));
  each_block(text, "$Nodes", "nodes", total, blocks, [&](const Block& block) {
    for (std::int64_t i = 0; i < block.count; ++i) {
      text.next("$Nodes");
      mesh.add_node_tag(text.count("the number of a node"));
      text.end_of_line("the number of a node");
    }
    for (std::int64_t i = 0; i < block.count; ++i) {
      text.next("$Nodes");
      mesh.add_node_place();
      text.skip(block.third != 0 ? block.dimension : 0, "a parameter of the node");
      text.end_of_line("a node");
    }
  });
  mesh.nodes_end();
}

void gmsh4_elements(MeshText& text, const GroupOfCurve& groups, GmshMesh& mesh) {
  text.next("$Elements");
  const std::int64_t blocks = text.count("the number of blocks"), total = text.count("the number of elements");
  mesh.reserve_elements(text.room(total, 8));
  each_block(text, "$Elements", "elements", total, blocks, [&](const Block& block) {
    const auto group = block.dimension == 1 ? groups.find(block.entity) : groups.end();
    for (std::int64_t i = 0; i < block.count; ++i) {
      text.next("$Elements");
      text.skip(1, "the number of an element");
      mesh.add_element(block.third, group == groups.end() ? 0 : group->second, block.entity);
    }
  });
}

}  // namespace weir
