// What both versions of Gmsh's format have in common: nodes with tags, elements by Gmsh's type numbers, physical groups.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "mesh/read/text.hpp"
#include "mesh/unstructured/description.hpp"

namespace weir {

// Node tags may have gaps and come in any order.
class TagIndex {
 public:
  void reserve(std::size_t n) { tag_.reserve(n); }
  void add(std::int64_t tag) { tag_.push_back(tag); }
  std::size_t size() const { return tag_.size(); }
  // Call once all are added. The position of a tag that is there twice, or -1.
  std::int64_t index();
  int find(std::int64_t tag) const;  // position in which it was added, or -1

 private:
  std::vector<std::int64_t> tag_;  // sorted by index()
  std::vector<int> position_;      // of the sorted tags; empty where they came in order
  std::int64_t first_ = 0;
  std::vector<int> table_;  // tag - first_ to position, where the tags are dense
};

class GmshMesh {
 public:
  explicit GmshMesh(MeshText& text) : text_(text) { d_.source = text.name(); }

  void name_group(std::int64_t dimension, std::int64_t group, std::string name);
  void reserve_nodes(std::size_t n);
  void reserve_elements(std::size_t n);
  void add_node_tag(std::int64_t tag) { tags_.add(tag); }
  void add_node_place();  // x y z are the next fields of the line
  void nodes_end();       // refuses tags that are there twice
  bool has_nodes() const { return has_nodes_; }
  // One element, whose nodes are the next fields of the line. group: its physical group, 0: none; entity: its curve.
  void add_element(std::int64_t type, std::int64_t group, std::int64_t entity);
  MeshDescription finish();

 private:
  int node();
  int marker(std::int64_t group, std::int64_t curve);
  void check_plane() const;

  MeshText& text_;
  MeshDescription d_;
  TagIndex tags_;
  std::vector<double> z_;
  std::map<std::int64_t, std::string> group_name_;  // of curves
  std::map<std::string, int> marker_index_;
  std::array<std::int64_t, 2> last_key_{-1, -1};  // group and curve of the edge before, and its marker
  int last_marker_ = -1;
  bool has_nodes_ = false;
};

// The sections of the versions, each called with the section's first line behind the text.
void gmsh2_nodes(MeshText& text, GmshMesh& mesh);
void gmsh2_elements(MeshText& text, GmshMesh& mesh);

using GroupOfCurve = std::map<std::int64_t, std::int64_t>;
GroupOfCurve gmsh4_entities(MeshText& text);
void gmsh4_nodes(MeshText& text, GmshMesh& mesh);
void gmsh4_elements(MeshText& text, const GroupOfCurve& groups, GmshMesh& mesh);

}  // namespace weir
