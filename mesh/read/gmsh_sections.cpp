// The sections of a .msh file. Version 2.2 has an element or a node a line; version 4.1 groups them in blocks, one an
// entity of the geometry (Gmsh reference manual, "MSH file format").
#include <cstdlib>
#include <limits>

#include "mesh/read/gmsh.hpp"

namespace weir {
namespace {

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
