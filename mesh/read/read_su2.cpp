// SU2's native format (su2code.github.io/docs_v7/Mesh-File): lines "KEY= value", each followed by its data lines.
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "mesh/read/read_mesh.hpp"
#include "mesh/read/text.hpp"

namespace weir {
namespace {

enum Shape : std::int64_t {
  line = 3,
  triangle = 5,
  quadrilateral = 9,
  tetrahedron = 10,
  hexahedron = 12,
  prism = 13,
  pyramid = 14
};

bool is_solid(std::int64_t s) { return s == tetrahedron || s == hexahedron || s == prism || s == pyramid; }

// Sections for SU2's shape design, old periodic boundaries and offsets.
bool is_ignored(std::string_view key) {
  for (const char* prefix : {"FFD_", "PERIODIC", "NPERIODIC", "NCHUNK", "AOA_", "AOS_", "SEND_"})
    if (key.starts_with(prefix)) return true;
  return false;
}

class Su2Reader {
 public:
  Su2Reader(std::string_view text, const std::string& name) : text_(text, name, '%') { d_.source = name; }

  MeshDescription read() {
    bool is_ignoring = false;
    while (text_.next()) {
      const std::size_t equals = text_.line().find('=');
      if (equals != std::string_view::npos)
        is_ignoring = section(equals);
      else if (!is_ignoring)
        text_.fail("data line outside of all sections (more lines than the count?): " + MeshText::quoted(text_.line()));
    }
    finish();
    return std::move(d_);
  }

 private:
  // "KEY= value"; blanks around '=' are allowed. True if ignored data lines may follow.
  bool section(std::size_t equals) {
    std::string_view key = text_.line().substr(0, equals);
    while (!key.empty() && (key.back() == ' ' || key.back() == '\t')) key.remove_suffix(1);
    text_.skip_past('=');
    if (key == "NDIME") {
      dimension(text_.count("the number of dimensions"));
    } else if (key == "NELEM") {
      elements(text_.count("the number of elements"));
    } else if (key == "NPOIN") {
      points(text_.count("the number of points"));
    } else if (key == "NMARK") {
      once(markers_, "NMARK");
      markers_ = text_.count("the number of markers");
    } else if (key == "MARKER_TAG") {
      marker(std::string(text_.rest()));
    } else if (key == "MARKER_ELEMS") {
      marker_elements(text_.count("the number of elements"));
    } else if (key == "NZONE" || key == "IZONE") {
      if (text_.count("a zone") > 1) text_.fail("meshes with several zones are not supported; provide a single zone");
    } else if (is_ignored(key)) {
      return true;
    } else {
      const std::string word(key.substr(0, 40));
      text_.fail("unknown keyword " + MeshText::quoted(key) +
                 did_you_mean(word, {"NDIME", "NELEM", "NPOIN", "NMARK", "MARKER_TAG", "MARKER_ELEMS"}));
    }
    return false;
  }

  void once(std::int64_t seen, const char* what) const {
    if (seen >= 0) text_.fail(std::string(what) + "= is repeated");
  }

  void dimension(std::int64_t n) {
    once(dimension_, "NDIME");
    dimension_ = n;
    if (n == 3) text_.fail("3D mesh (NDIME= 3); only 2D meshes are supported");
    if (n != 2) text_.fail("NDIME= must be 2");
  }

  // The next of `count` data lines.
  void data_line(std::int64_t index, std::int64_t count, const char* section, const char* what) {
    const auto expectation = [&] {
      return std::string(section) + "= " + std::to_string(count) + ", but " +
             (index == 0 ? "no" : "only " + std::to_string(index)) + " " + what +
             (index == 1 ? " follows" : "s follow");
    };
    if (!text_.next()) text_.fail("truncated: the file ends here; " + expectation());
    if (text_.line().find('=') != std::string_view::npos) text_.fail(expectation());
  }

  int node() {
    const std::int64_t n = text_.integer("a node");
    if (n < 0 || n >= std::numeric_limits<int>::max())
      text_.fail("node " + std::to_string(n) + " is out of range: node numbers start at 0");
    return static_cast<int>(n);
  }

  // An optional number at the end of an item's line, which must match its position.
  void own_number(const char* what) {
    if (text_.has_field()) text_.field(what);
    text_.end_of_line(what);
  }

  void elements(std::int64_t count) {
    once(elements_, "NELEM");
    elements_ = count;
    const std::size_t room = text_.room(count, 8);
    d_.cell_start.reserve(room + 1);
    d_.cell_line.reserve(room);
    d_.cell_node.reserve(4 * room);
    for (std::int64_t i = 0; i < count; ++i) {
      data_line(i, count, "NELEM", "element");
      const std::int64_t shape = text_.integer("the type of an element");
      if (is_solid(shape))
        text_.fail("element type " + std::to_string(shape) + " belongs to a 3D mesh; only 2D meshes are supported");
      if (shape != triangle && shape != quadrilateral)
        text_.fail("unknown element type " + std::to_string(shape) +
                   ": cells are triangles (5) and quadrilaterals (9)");
      for (int k = 0; k < (shape == triangle ? 3 : 4); ++k) d_.cell_node.push_back(node());
      d_.cell_start.push_back(static_cast<int>(d_.cell_node.size()));
      d_.cell_line.push_back(text_.number());
      own_number("an element");
    }
  }

  void points(std::int64_t count) {
    once(points_, "NPOIN");
    points_ = count;
    d_.node.reserve(text_.room(count, 4));
    for (std::int64_t i = 0; i < count; ++i) {
      data_line(i, count, "NPOIN", "point");
      const double x = text_.coordinate("x"), y = text_.coordinate("y");
      d_.node.push_back({x, y});
      if (text_.fields() == 2) require_plane(text_.coordinate("z"), x, y);
      own_number("a point (x, y)");
    }
  }

  // Points of 2D meshes may have a third coordinate, the same for all.
  void require_plane(double z, double x, double y) {
    if (d_.node.size() == 1) z_ = z;
    if (!(std::abs(z - z_) <= 1e-9 * (std::abs(x) + std::abs(y) + std::abs(z_))))
      text_.fail("a point at z = " + std::to_string(z) + ", others at z = " + std::to_string(z_) +
                 "; only meshes in the x-y plane are supported");
  }

  void marker(std::string name) {
    if (name == "SEND_RECEIVE")
      text_.fail("SEND_RECEIVE marker: this is one part of a mesh partitioned by an older SU2; provide the whole mesh");
    if (name.empty()) text_.fail("a marker requires a name");
    if (!names_.insert(name).second) text_.fail("marker " + MeshText::quoted(name) + " is repeated");
    close_marker();
    if (markers_ >= 0 && static_cast<std::int64_t>(d_.marker.size()) >= markers_)
      text_.fail("more markers than announced by NMARK= " + std::to_string(markers_) + "");
    d_.add_marker(std::move(name));
    is_open_ = true;
  }

  void close_marker() const {
    if (is_open_) text_.fail("marker " + MeshText::quoted(d_.marker.back()) + " has no MARKER_ELEMS=");
  }

  void marker_elements(std::int64_t count) {
    if (!is_open_) text_.fail("MARKER_ELEMS= without a MARKER_TAG= before it");
    is_open_ = false;
    for (std::int64_t i = 0; i < count; ++i) {
      data_line(i, count, "MARKER_ELEMS", "element");
      const std::int64_t shape = text_.integer("the type of an element");
      if (shape == triangle || shape == quadrilateral)
        text_.fail("element type " + std::to_string(shape) +
                   " on a marker belongs to a 3D mesh; only 2D meshes are supported");
      if (shape != line)
        text_.fail("unknown element type " + std::to_string(shape) + ": markers are made of lines (3)");
      const int a = node(), b = node();
      d_.add_edge(a, b, static_cast<int>(d_.marker.size()) - 1);
      d_.edge_line.push_back(text_.number());
      own_number("a line");
    }
  }

  void finish() const {
    close_marker();
    for (const auto& [seen, what] : {std::pair{dimension_, "NDIME"}, {elements_, "NELEM"}, {points_, "NPOIN"}})
      if (seen < 0) text_.fail(std::string("truncated: the file ends without ") + what + "=");
    if (markers_ > static_cast<std::int64_t>(d_.marker.size()))
      text_.fail("truncated: NMARK= " + std::to_string(markers_) + ", but the file ends after " +
                 std::to_string(d_.marker.size()) + " of them");
  }

  MeshText text_;
  MeshDescription d_;
  std::set<std::string> names_;  // of the markers
  double z_ = 0;                 // plane of the points
  std::int64_t dimension_ = -1, elements_ = -1, points_ = -1, markers_ = -1;
  bool is_open_ = false;  // a MARKER_TAG without its MARKER_ELEMS so far
};

template <class Number>
void append(std::string& text, Number value, char after) {
  char digits[32];  // the shortest text that reads back as the same number
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
  text += after;
}

}  // namespace

MeshDescription parse_su2(std::string_view text, const std::string& name) { return Su2Reader(text, name).read(); }

std::string su2_text(const UnstructuredMesh& mesh) {
  if (mesh.periodic_faces > 0)
    throw Error(Exit::usage, "SU2 files do not support periodic faces; write the mesh without [boundary] periodic");
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
