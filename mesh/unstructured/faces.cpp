#include "mesh/unstructured/faces.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

// One edge in the bucket of its lower node. id: 2 cell + 1 where the cell walks from the lower node to the upper one,
// 2 cell where it walks back; -1 - edge for a marked edge.
struct Half {
  int upper, id;
  bool is_marker() const { return id < 0; }
  int cell() const { return id / 2; }
  bool walks_up() const { return id % 2 != 0; }
};

struct Buckets {
  std::vector<int> start;
  std::vector<Half> half;
};

template <class Visit>
void each_half(const MeshDescription& d, const Visit& visit) {
  for (int e = 0; e < d.edges(); ++e) {
    const auto [a, b] = d.edge[static_cast<std::size_t>(e)];
    visit(std::min(a, b), Half{std::max(a, b), -1 - e});
  }
  for (int c = 0; c < d.cells(); ++c) {
    const int begin = d.cell_start[static_cast<std::size_t>(c)], end = d.cell_start[static_cast<std::size_t>(c) + 1];
    for (int k = begin; k < end; ++k) {
      const int a = d.cell_node[static_cast<std::size_t>(k)];
      const int b = d.cell_node[static_cast<std::size_t>(k + 1 == end ? begin : k + 1)];
      visit(std::min(a, b), Half{std::max(a, b), 2 * c + (a < b ? 1 : 0)});
    }
  }
}

Buckets fill_buckets(const MeshDescription& d) {
  Buckets b;
  b.start.assign(d.node.size() + 1, 0);
  each_half(d, [&](int lower, const Half&) { ++b.start[static_cast<std::size_t>(lower) + 1]; });
  for (std::size_t n = 1; n < b.start.size(); ++n) b.start[n] += b.start[n - 1];
  b.half.resize(static_cast<std::size_t>(b.start.back()));
  std::vector<int> next(b.start.begin(), b.start.end() - 1);
  each_half(d, [&](int lower, const Half& h) {
    b.half[static_cast<std::size_t>(next[static_cast<std::size_t>(lower)]++)] = h;
  });
  return b;
}

bool ignores_inside(const MeshDescription& d, int edge) {
  const int m = d.edge_marker[static_cast<std::size_t>(edge)];
  return !d.may_lie_inside.empty() && d.may_lie_inside[static_cast<std::size_t>(m)];
}

class Matcher {
 public:
  Matcher(const MeshDescription& d, MeshRepairs& repairs) : d_(d), repairs_(repairs) {}

  FaceSet match() {
    Buckets buckets = fill_buckets(d_);
    faces_.interior.reserve(buckets.half.size() / 2);
    faces_.boundary.reserve(d_.edge.size());
    for (int lower = 0; lower + 1 < static_cast<int>(buckets.start.size()); ++lower) {
      Half* begin = buckets.half.data() + buckets.start[static_cast<std::size_t>(lower)];
      Half* end = buckets.half.data() + buckets.start[static_cast<std::size_t>(lower) + 1];
      std::sort(begin, end,
                [](const Half& x, const Half& y) { return x.upper != y.upper ? x.upper < y.upper : x.id < y.id; });
      while (begin < end) {
        Half* next = begin + 1;
        while (next < end && next->upper == begin->upper) ++next;
        one_face(lower, begin, next);
        begin = next;
      }
    }
    if (!loose_.empty()) refuse_loose(d_, loose_);
    return std::move(faces_);
  }

 private:
  // All edges between one pair of nodes: markers first (descending), then cells ascending.
  void one_face(int lower, const Half* begin, const Half* end) {
    const Half* cell = begin;
    while (cell < end && cell->is_marker()) ++cell;
    const auto markers = cell - begin, cells = end - cell;
    const int upper = begin->upper, edge = markers > 0 ? -1 - (cell - 1)->id : -1;
    if (markers > 1)
      refuse_edge(d_, -1 - begin->id, face_text(d_, lower, upper) + " is marked twice" + line_text(d_.edge_line, edge));
    if (cells == 0)
      refuse_edge(d_, edge,
                  "marker '" + d_.marker[static_cast<std::size_t>(d_.edge_marker[static_cast<std::size_t>(edge)])] +
                      "' names " + face_text(d_, lower, upper) + ", which belongs to no cell");
    if (cells > 2)
      refuse_cell(d_, cell[2].cell(),
                  face_text(d_, lower, upper) + " belongs to " + std::to_string(cells) + " cells, also to the cells" +
                      line_text(d_.cell_line, cell[0].cell()) + " and" + line_text(d_.cell_line, cell[1].cell()));
    if (cells == 2 && markers == 1 && !ignores_inside(d_, edge))
      refuse_edge(d_, edge,
                  "marker '" + d_.marker[static_cast<std::size_t>(d_.edge_marker[static_cast<std::size_t>(edge)])] +
                      "' names " + face_text(d_, lower, upper) + ", which lies between two cells");
    const int a = cell->walks_up() ? lower : upper, b = cell->walks_up() ? upper : lower;
    if (cells == 2) {
      if (cell[0].walks_up() == cell[1].walks_up()) refuse_fold(d_, cell[0].cell(), cell[1].cell(), a, b);
      faces_.interior.push_back({cell[0].cell(), cell[1].cell(), a, b});
      repairs_.ignored_edges += static_cast<int>(markers);
    } else if (markers == 1) {
      faces_.boundary.push_back({cell->cell(), edge, a, b});
    } else {
      loose_.push_back({cell->cell(), a, b});
    }
  }

  const MeshDescription& d_;
  MeshRepairs& repairs_;
  FaceSet faces_;
  std::vector<LooseEdge> loose_;
};

const Face& face_of(const Face& f) { return f; }
const Face& face_of(const PeriodicFace& f) { return f.face; }

// By owner with buckets (a counting sort), then by the other side: a cell owns four faces at most.
template <class AnyFace>
void sort_faces(std::vector<AnyFace>& faces, int cells) {
  std::vector<int> start(static_cast<std::size_t>(cells) + 1, 0);
  for (const AnyFace& f : faces) ++start[static_cast<std::size_t>(face_of(f).owner) + 1];
  for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  std::vector<AnyFace> sorted(faces.size());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (const AnyFace& f : faces)
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(face_of(f).owner)]++)] = f;
  for (std::size_t c = 0; c + 1 < start.size(); ++c)
    std::sort(sorted.begin() + start[c], sorted.begin() + start[c + 1], [](const AnyFace& x, const AnyFace& y) {
      const Face &f = face_of(x), &g = face_of(y);
      return f.other != g.other ? f.other < g.other : f.a < g.a;
    });
  faces = std::move(sorted);
}

void append(UnstructuredMesh& mesh, const Face& f) {
  const auto& a = mesh.node[static_cast<std::size_t>(f.a)];
  const auto& b = mesh.node[static_cast<std::size_t>(f.b)];
  const double dx = b[0] - a[0], dy = b[1] - a[1], length = std::hypot(dx, dy);
  mesh.face_node.push_back({f.a, f.b});
  mesh.owner.push_back(f.owner);
  mesh.normal.push_back({dy / length, -dx / length});
  mesh.area.push_back(length);
  mesh.face_centre.push_back({0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])});
}

}  // namespace

FaceSet match_faces(const MeshDescription& description, MeshRepairs& repairs) {
  return Matcher(description, repairs).match();
}

void set_faces(UnstructuredMesh& mesh, FaceSet faces, const std::vector<std::string>& patches) {
  sort_faces(faces.interior, mesh.cells());
  sort_faces(faces.periodic, mesh.cells());
  sort_faces(faces.boundary, mesh.cells());
  std::stable_sort(faces.boundary.begin(), faces.boundary.end(),
                   [](const Face& x, const Face& y) { return x.other < y.other; });
  const std::size_t interior = faces.interior.size() + faces.periodic.size(), all = interior + faces.boundary.size();
  mesh.face_node.reserve(all);
  mesh.owner.reserve(all);
  mesh.normal.reserve(all);
  mesh.area.reserve(all);
  mesh.face_centre.reserve(all);
  mesh.neighbour.reserve(interior);
  for (const Face& f : faces.interior) {
    append(mesh, f);
    mesh.neighbour.push_back(f.other);
  }
  for (const PeriodicFace& f : faces.periodic) {
    append(mesh, f.face);
    mesh.neighbour.push_back(f.face.other);
    mesh.shift.push_back(f.shift);
  }
  mesh.periodic_faces = static_cast<int>(faces.periodic.size());
  for (const std::string& name : patches) mesh.patches.push_back({name, 0, 0});
  for (const Face& f : faces.boundary) {
    append(mesh, f);
    ++mesh.patches[static_cast<std::size_t>(f.other)].count;
  }
  int first = static_cast<int>(interior);
  for (Patch& p : mesh.patches) {
    p.first = first;
    first += p.count;
  }
}

}  // namespace weir
