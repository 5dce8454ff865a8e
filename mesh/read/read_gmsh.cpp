// Gmsh's .msh, versions 2.2 and 4.1, text: sections $Name .. $EndName (Gmsh reference manual, "MSH file format").
// Version 2.2 has one element or node per line; version 4.1 groups them by geometric entity.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "mesh/read/read_mesh.hpp"
#include "mesh/read/text.hpp"

namespace weir {
namespace {

enum Type : std::int64_t { line = 1, triangle = 2, quadrilateral = 3, point = 15 };

bool is_solid(std::int64_t t) {
  return (t >= 4 && t <= 7) || (t >= 11 && t <= 14) || (t >= 17 && t <= 19) || (t >= 29 && t <= 31);
}
bool is_curved(std::int64_t t) { return (t >= 8 && t <= 10) || t == 16 || (t >= 20 && t <= 28); }

class TagIndex {
 public:
  void reserve(std::size_t n) { place_.reserve(n); }
  void add(std::int64_t tag) { place_.emplace_back(tag, static_cast<int>(place_.size())); }
  std::size_t size() const { return place_.size(); }

  // Call once all tags are added. Returns a repeated tag, or -1.
  std::int64_t index() {
    if (place_.empty()) return -1;
    if (!std::ranges::is_sorted(place_)) std::ranges::sort(place_);
    const auto span =
        static_cast<std::uint64_t>(place_.back().first) - static_cast<std::uint64_t>(place_.front().first);
    if (span < 4 * place_.size()) {  // else bisection: no table larger than the file
      table_.assign(static_cast<std::size_t>(span) + 1, -1);
      for (const auto& [tag, place] : place_) table_[tag - place_.front().first] = place;
    }
    const auto same = std::ranges::adjacent_find(place_, {}, &std::pair<std::int64_t, int>::first);
    return same == place_.end() ? -1 : same->first;
  }

  // The index in order of addition, or -1.
  int find(std::int64_t tag) const {
    if (place_.empty() || tag < place_.front().first || tag > place_.back().first) return -1;
    if (!table_.empty()) return table_[tag - place_.front().first];
    const auto found = std::ranges::lower_bound(place_, tag, {}, &std::pair<std::int64_t, int>::first);
    return found->first == tag ? found->second : -1;
  }

 private:
  std::vector<std::pair<std::int64_t, int>> place_;  // sorted by tag after index()
  std::vector<int> table_;                           // tag - smallest tag -> index, if tags are dense
};

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& name) : text_(text, name, '\0') { d_.source = name; }

  MeshDescription read() {
    while (text_.next()) {
      if (text_.line().front() != '$' || text_.line().starts_with("$End"))
        text_.fail("expected the start of a section ($...), found " + MeshText::quoted(text_.line()));
      const std::string name(text_.line().substr(1, 40));
      if (version_ == 0 && name != "MeshFormat" && name != "Comments") {
        if (name == "NOD" || name == "NOE") text_.fail("Gmsh format 1; " + convert());
        text_.fail("expected $MeshFormat, found " + MeshText::quoted(text_.line()));
      }
      section(name);
    }
    if (!has_elements_) text_.fail("truncated: the file ends without $Elements");
    check_plane();
    return std::move(d_);
  }

 private:
  std::string convert() const { return "convert it with: gmsh FILE -save -format msh41 -o NEW.msh"; }

  void section(const std::string& name) {
    if (name == "MeshFormat") {
      format();
    } else if (name == "PhysicalNames") {
      names();
    } else if (name == "Entities" && version_ == 4) {
      entities();
      return skip_section(name);  // surfaces
    } else if (name == "Nodes") {
      if (has_nodes_) text_.fail("$Nodes is repeated");
      version_ == 2 ? nodes2() : nodes4();
      index_nodes();
    } else if (name == "Elements") {
      if (!has_nodes_) text_.fail("$Elements before $Nodes");
      if (has_elements_) text_.fail("$Elements is repeated");
      has_elements_ = true;
      version_ == 2 ? elements2() : elements4();
    } else if (name == "PartitionedEntities") {
      text_.fail(
          "partitioned meshes are not supported; save the whole mesh (Mesh.PartitionCreateTopology = 0, or before "
          "partitioning)");
    } else {
      return skip_section(name);
    }
    end(name);
  }

  void end(const std::string& name) {
    text_.next(("$" + name).c_str());
    if (text_.line() != "$End" + name)
      text_.fail("expected $End" + name + " (more lines than the count above?), found " +
                 MeshText::quoted(text_.line()));
  }

  void skip_section(const std::string& name) {
    do text_.next(("$" + name).c_str());
    while (!text_.line().starts_with("$End" + name));
  }

  void format() {
    if (version_ != 0) text_.fail("$MeshFormat is repeated");
    text_.next("$MeshFormat");
    const double version = text_.coordinate("the version of the format");
    const std::int64_t binary = text_.integer("0 (text) or 1 (binary)");
    if (binary != 0) text_.fail("binary .msh files are not supported; " + convert());
    if (version >= 2 && version < 3)
      version_ = 2;
    else if (version >= 4.1 && version < 5)
      version_ = 4;
    else
      text_.fail("version " + MeshText::quoted(text_.line().substr(0, text_.line().find(' '))) +
                 " of the .msh format is not supported; expected 2.2 or 4.1; " + convert());
  }

  void names() {
    text_.next("$PhysicalNames");
    const std::int64_t count = text_.count("the number of names");
    for (std::int64_t i = 0; i < count; ++i) {
      text_.next("$PhysicalNames");
      const std::int64_t dimension = text_.integer("a dimension"), group = text_.integer("a physical group");
      std::string_view name = text_.rest();
      if (name.size() < 2 || name.front() != '"' || name.back() != '"')
        text_.fail("expected a name in quotes, found " + MeshText::quoted(name));
      name.remove_prefix(1);
      name.remove_suffix(1);
      if (dimension == 1 && !name.empty()) group_name_[group] = name;
    }
    name_markers();
  }

  // Names the markers of elements that precede the names. Groups with the same name are one marker.
  void name_markers() {
    std::vector<std::string> old;
    std::vector<char> inside;
    std::vector<int> now;
    marker_index_.clear();
    last_marker_ = -1;
    std::swap(old, d_.marker);
    std::swap(inside, d_.may_lie_inside);
    for (std::size_t m = 0; m < old.size(); ++m) {
      const auto named = group_name_.find(group_of_marker_[m]);
      const std::string& name = group_of_marker_[m] != 0 && named != group_name_.end() ? named->second : old[m];
      const auto [entry, is_new] = marker_index_.try_emplace(name, static_cast<int>(d_.marker.size()));
      now.push_back(entry->second);
      if (!is_new) continue;
      group_of_marker_[d_.marker.size()] = group_of_marker_[m];
      d_.add_marker(name);
      d_.may_lie_inside.push_back(inside[m]);
    }
    group_of_marker_.resize(d_.marker.size());
    for (int& marker : d_.edge_marker) marker = now[marker];
  }

  // The sign of a group is the direction of the curve, which is ignored.
  void entities() {
    text_.next("$Entities");
    const std::int64_t points = text_.count("the number of points"), curves = text_.count("the number of curves");
    for (std::int64_t i = 0; i < points; ++i) text_.next("$Entities");
    for (std::int64_t i = 0; i < curves; ++i) {
      text_.next("$Entities");
      const std::int64_t curve = text_.integer("the number of a curve");
      text_.skip(6, "a bounding box");
      if (text_.count("the number of physical groups") == 0) continue;
      const std::int64_t group = text_.integer("a physical group");
      group_of_curve_[curve] = group == std::numeric_limits<std::int64_t>::min() ? 0 : std::abs(group);
    }
  }

  void nodes2() {
    text_.next("$Nodes");
    const std::int64_t count = text_.count("the number of nodes");
    reserve_nodes(text_.room(count, 8));
    for (std::int64_t i = 0; i < count; ++i) {
      text_.next("$Nodes");
      tags_.add(text_.count("the number of a node"));
      node_place();
      text_.end_of_line("a node");
    }
  }

  void nodes4() {
    text_.next("$Nodes");
    const std::int64_t blocks = text_.count("the number of blocks"), total = text_.count("the number of nodes");
    reserve_nodes(text_.room(total, 8));
    each_block("$Nodes", "nodes", total, blocks, [&](const Block& block) {
      for (std::int64_t i = 0; i < block.count; ++i) {
        text_.next("$Nodes");
        tags_.add(text_.count("the number of a node"));
        text_.end_of_line("the number of a node");
      }
      for (std::int64_t i = 0; i < block.count; ++i) {
        text_.next("$Nodes");
        node_place();
        text_.skip(block.third != 0 ? block.dimension : 0, "a parameter of the node");
        text_.end_of_line("a node");
      }
    });
  }

  void elements2() {
    text_.next("$Elements");
    const std::int64_t count = text_.count("the number of elements");
    reserve_elements(text_.room(count, 16));
    for (std::int64_t i = 0; i < count; ++i) {
      text_.next("$Elements");
      text_.skip(1, "the number of an element");
      const std::int64_t type = text_.integer("the type of an element"), tags = text_.count("the number of tags");
      const std::int64_t group = tags > 0 ? text_.integer("a physical group") : 0;
      const std::int64_t entity = tags > 1 ? text_.integer("an entity") : 0;
      text_.skip(tags - 2, "a tag");
      element(type, group, entity);
    }
  }

  void elements4() {
    text_.next("$Elements");
    const std::int64_t blocks = text_.count("the number of blocks"), total = text_.count("the number of elements");
    reserve_elements(text_.room(total, 8));
    each_block("$Elements", "elements", total, blocks, [&](const Block& block) {
      const auto group = block.dimension == 1 ? group_of_curve_.find(block.entity) : group_of_curve_.end();
      for (std::int64_t i = 0; i < block.count; ++i) {
        text_.next("$Elements");
        text_.skip(1, "the number of an element");
        element(block.third, group == group_of_curve_.end() ? 0 : group->second, block.entity);
      }
    });
  }

  struct Block {
    std::int64_t dimension, entity, third, count;
  };

  // Calls one(block) for each block; the block sizes must add up to the total.
  template <class One>
  void each_block(const char* section, const char* items, std::int64_t total, std::int64_t blocks, const One& one) {
    std::int64_t seen = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      text_.next(section);
      Block block{};
      block.dimension = text_.integer("the dimension of a block");
      block.entity = text_.integer("the entity of a block");
      block.third = text_.integer("a number");
      block.count = text_.count("the size of a block");
      if (block.count > total - seen)
        text_.fail(std::string(section) + ": the blocks contain more " + items + " than the header announces (" +
                   std::to_string(total) + ")");
      seen += block.count;
      one(block);
    }
    if (seen != total)
      text_.fail(std::string(section) + ": the blocks contain " + std::to_string(seen) + " " + items +
                 ", but the header announces " + std::to_string(total));
  }

  void reserve_nodes(std::size_t n) {
    d_.node.reserve(n);
    z_.reserve(n);
    tags_.reserve(n);
  }

  void reserve_elements(std::size_t n) {
    d_.cell_start.reserve(n + 1);
    d_.cell_line.reserve(n);
    d_.cell_node.reserve(4 * n);
  }

  void node_place() {
    const double x = text_.coordinate("x"), y = text_.coordinate("y"), z = text_.coordinate("z");
    d_.node.push_back({x, y});
    z_.push_back(z);
  }

  void index_nodes() {
    if (d_.node.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
      text_.fail("too many nodes for a 32-bit index");
    const std::int64_t twice = tags_.index();
    if (twice >= 0) text_.fail("node " + std::to_string(twice) + " is repeated");
    has_nodes_ = true;
  }

  int node() {
    const std::int64_t tag = text_.integer("a node");
    const int n = tags_.find(tag);
    if (n < 0)
      text_.fail("node " + std::to_string(tag) + " is out of range: it is not among the " +
                 std::to_string(tags_.size()) + " nodes of the file");
    return n;
  }

  int marker(std::int64_t group, std::int64_t curve) {
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
      group_of_marker_.push_back(group);
    }
    last_key_ = key;
    return last_marker_ = entry->second;
  }

  // Reads an element; its nodes are the next fields of the line. group: physical group, 0: none; entity: its curve.
  void element(std::int64_t type, std::int64_t group, std::int64_t entity) {
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
      text_.fail("element type " + std::to_string(type) + " belongs to a 3D mesh; only 2D meshes are supported");
    } else if (is_curved(type)) {
      text_.fail("element type " + std::to_string(type) +
                 " has second or higher order; save the mesh with Mesh.ElementOrder = 1");
    } else {
      text_.fail("unknown element type " + std::to_string(type) +
                 ": lines (1), triangles (2), quadrilaterals (3) and points (15) are supported");
    }
    text_.end_of_line("an element");
  }

  // The nodes of all cells must have the same z, to within 1e-9 of the mesh's extent.
  void check_plane() const {
    double extent = 0;
    for (const auto& x : d_.node) extent = std::max({extent, std::abs(x[0]), std::abs(x[1])});
    for (int c = 0; c < d_.cells(); ++c)
      for (int k = d_.cell_start[c]; k < d_.cell_start[c + 1]; ++k) {
        const double z0 = z_[d_.cell_node.front()], z = z_[d_.cell_node[k]];
        if (std::abs(z - z0) <= 1e-9 * std::max(extent, std::abs(z0))) continue;
        throw Error(Exit::usage, d_.source + ":" + std::to_string(d_.cell_line[c]) +
                                     ": a 3D mesh: the cell has a node at z = " + std::to_string(z) +
                                     ", others at z = " + std::to_string(z0) +
                                     "; only meshes in the x-y plane are supported");
      }
  }

  MeshText text_;
  MeshDescription d_;
  int version_ = 0;
  bool has_nodes_ = false, has_elements_ = false;
  TagIndex tags_;
  std::vector<double> z_;
  std::map<std::int64_t, std::string> group_name_;       // for groups of curves
  std::map<std::int64_t, std::int64_t> group_of_curve_;  // version 4.1
  std::map<std::string, int> marker_index_;
  std::vector<std::int64_t> group_of_marker_;     // 0: none
  std::array<std::int64_t, 2> last_key_{-1, -1};  // group and curve of the previous edge, and its marker
  int last_marker_ = -1;
};

}  // namespace

MeshDescription parse_gmsh(std::string_view text, const std::string& name) { return GmshReader(text, name).read(); }

}  // namespace weir
