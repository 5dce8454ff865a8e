#include "mesh/unstructured/faces.hpp"

#include <algorithm>
#include <cmath>

#include "base/buckets.hpp"
#include "base/nearest.hpp"

namespace weir {
namespace {

// An edge in the bucket of its lower node. id: 2 cell + 1 if the cell runs from the lower node to the upper one, 2
// cell if not; -1 - edge for a marked edge.
struct Half {
  int upper, id;
  bool is_marker() const { return id < 0; }
  int cell() const { return id / 2; }
  bool walks_up() const { return id % 2 != 0; }
};

template <class Visit>
void each_half(const MeshDescription& d, const Visit& visit) {
  for (int e = 0; e < d.edges(); ++e) {
    const auto [a, b] = d.edge[e];
    visit(std::min(a, b), Half{std::max(a, b), -1 - e});
  }
  for (int c = 0; c < d.cells(); ++c) {
    const int begin = d.cell_start[c], end = d.cell_start[static_cast<std::size_t>(c) + 1];
    for (int k = begin; k < end; ++k) {
      const int a = d.cell_node[k];
      const int b = d.cell_node[k + 1 == end ? begin : k + 1];
      visit(std::min(a, b), Half{std::max(a, b), 2 * c + (a < b ? 1 : 0)});
    }
  }
}

bool ignores_inside(const MeshDescription& d, int edge) {
  const int m = d.edge_marker[edge];
  return !d.may_lie_inside.empty() && d.may_lie_inside[m];
}

class Matcher {
 public:
  Matcher(const MeshDescription& d, MeshRepairs& repairs) : d_(d), repairs_(repairs) {}

  FaceSet match() {
    auto [start, half] = into_buckets<Half>(d_.node.size(), [&](const auto& put) { each_half(d_, put); });
    faces_.interior.reserve(half.size() / 2);
    faces_.boundary.reserve(d_.edge.size());
    for (int lower = 0; lower + 1 < static_cast<int>(start.size()); ++lower) {
      Half *begin = half.data() + start[lower], *end = half.data() + start[lower + 1];
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
                  "marker '" + d_.marker[d_.edge_marker[edge]] + "' names " + face_text(d_, lower, upper) +
                      ", which belongs to no cell");
    if (cells > 2)
      refuse_cell(d_, cell[2].cell(),
                  face_text(d_, lower, upper) + " belongs to " + std::to_string(cells) +
                      " cells, among them the cells" + line_text(d_.cell_line, cell[0].cell()) + " and" +
                      line_text(d_.cell_line, cell[1].cell()));
    if (cells == 2 && markers == 1 && !ignores_inside(d_, edge))
      refuse_edge(d_, edge,
                  "marker '" + d_.marker[d_.edge_marker[edge]] + "' names " + face_text(d_, lower, upper) +
                      ", which lies between two cells");
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

// Counting sort by owner, then by neighbour: a cell owns four faces at most.
template <class AnyFace>
void sort_faces(std::vector<AnyFace>& faces, int cells) {
  auto [start, sorted] = into_buckets<AnyFace>(static_cast<std::size_t>(cells), [&](const auto& put) {
    for (const AnyFace& f : faces) put(f.owner, f);
  });
  for (std::size_t c = 0; c + 1 < start.size(); ++c)
    std::sort(sorted.begin() + start[c], sorted.begin() + start[c + 1],
              [](const AnyFace& f, const AnyFace& g) { return f.other != g.other ? f.other < g.other : f.a < g.a; });
  faces = std::move(sorted);
}

void append(UnstructuredMesh& mesh, const Face& f) {
  const auto& a = mesh.node[f.a];
  const auto& b = mesh.node[f.b];
  const double dx = b[0] - a[0], dy = b[1] - a[1], length = std::hypot(dx, dy);
  mesh.face_node.push_back({f.a, f.b});
  mesh.owner.push_back(f.owner);
  mesh.normal.push_back({dy / length, -dx / length});
  mesh.area.push_back(length);
  mesh.face_centre.push_back(middle(a, b));
}

// Periodic markers become interior faces.
constexpr double match_tolerance = 1e-4;  // relative to the face length

const Point& point_at(const MeshDescription& d, int node) { return d.node[node]; }
Point middle_of(const MeshDescription& d, const Face& f) { return middle(point_at(d, f.a), point_at(d, f.b)); }

int marker_index(const MeshDescription& d, const std::string& name) {
  const auto found = std::ranges::find(d.marker, name);
  if (found == d.marker.end())
    refuse_cell(d, -1, "there is no marker '" + name + "' for a periodic pair" + did_you_mean(name, d.marker));
  return static_cast<int>(found - d.marker.begin());
}

Point centre_of_gravity(const MeshDescription& d, const std::vector<Face>& faces) {
  Point sum{};
  double total = 0;
  for (const Face& f : faces) {
    const double length = distance(point_at(d, f.a), point_at(d, f.b));
    const Point x = middle_of(d, f);
    sum = {sum[0] + length * x[0], sum[1] + length * x[1]};
    total += length;
  }
  return {sum[0] / total, sum[1] / total};
}

// Faces sorted along their main axis, so that a partner is found by bisection.
class Partners {
 public:
  Partners(const MeshDescription& d, const std::vector<Face>& faces)
      : d_(d), faces_(faces), used_(faces.size(), false) {
    Point low{HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL};
    for (const Face& f : faces)
      for (std::size_t k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], middle_of(d, f)[k]);
        high[k] = std::max(high[k], middle_of(d, f)[k]);
      }
    axis_ = high[0] - low[0] > high[1] - low[1] ? 0 : 1;
    for (std::size_t i = 0; i < faces.size(); ++i) sorted_.push_back({middle_of(d, faces[i])[axis_], i});
    std::ranges::sort(sorted_);
  }

  // The unused face that runs from b to a moved by t; null: none.
  const Face* take(const Face& f, const Point& t) {
    const Point a{point_at(d_, f.a)[0] + t[0], point_at(d_, f.a)[1] + t[1]},
        b{point_at(d_, f.b)[0] + t[0], point_at(d_, f.b)[1] + t[1]};
    const double tolerance = match_tolerance * distance(a, b), x = 0.5 * (a[axis_] + b[axis_]);
    auto candidate = std::ranges::lower_bound(sorted_, std::pair<double, std::size_t>{x - tolerance, 0});
    for (; candidate != sorted_.end() && candidate->first <= x + tolerance; ++candidate) {
      const Face& g = faces_[candidate->second];
      if (used_[candidate->second] || distance(point_at(d_, g.a), b) > tolerance ||
          distance(point_at(d_, g.b), a) > tolerance)
        continue;
      used_[candidate->second] = true;
      return &g;
    }
    return nullptr;
  }

 private:
  const MeshDescription& d_;
  const std::vector<Face>& faces_;
  std::vector<bool> used_;
  std::vector<std::pair<double, std::size_t>> sorted_;
  std::size_t axis_ = 0;
};

void join(MeshDescription& d, const PeriodicPair& pair, FaceSet& all) {
  const int first = marker_index(d, pair.first), second = marker_index(d, pair.second);
  const std::string names = "periodic markers '" + pair.first + "' and '" + pair.second + "'";
  if (first == second) refuse_cell(d, -1, "marker '" + pair.first + "' cannot be periodic with itself");
  std::vector<Face> one, two, rest;
  for (const Face& f : all.boundary) {
    const int m = d.edge_marker[f.other];
    (m == first ? one : m == second ? two : rest).push_back(f);
  }
  if (one.size() != two.size() || one.empty())
    refuse_cell(d, -1,
                names + " have " + std::to_string(one.size()) + " and " + std::to_string(two.size()) +
                    " faces; they must match one by one");
  Point t;
  if (pair.translation) {
    t = *pair.translation;
  } else {
    const Point x = centre_of_gravity(d, one), y = centre_of_gravity(d, two);
    t = {y[0] - x[0], y[1] - x[1]};
  }
  Partners partners(d, two);
  std::vector<Face> partner;
  for (const Face& f : one) {
    const Face* g = partners.take(f, t);
    if (!g)
      refuse_edge(d, f.other,
                  names + ": " + face_text(d, f.a, f.b) + ", moved by " + point_text(t) + ", meets no face of '" +
                      pair.second + "'");
    if (f.owner == g->owner)
      refuse_edge(d, f.other, names + " bound the same cell; a periodic mesh must be at least two cells wide");
    partner.push_back(*g);
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    const Face &f = one[i], &g = partner[i];
    for (const auto& [from, to] : {std::pair{f.a, g.b}, std::pair{f.b, g.a}})
      d.node[to] = {point_at(d, from)[0] + t[0], point_at(d, from)[1] + t[1]};
    if (f.owner < g.owner)
      all.periodic.push_back({{f.owner, g.owner, f.a, f.b}, {-t[0], -t[1]}});
    else
      all.periodic.push_back({{g.owner, f.owner, g.a, g.b}, t});
  }
  all.boundary = std::move(rest);
}

}  // namespace

FaceSet match_faces(const MeshDescription& description, MeshRepairs& repairs) {
  return Matcher(description, repairs).match();
}

void set_faces(UnstructuredMesh& mesh, FaceSet faces, const std::vector<std::string>& patches) {
  sort_faces(faces.interior, mesh.cells());
  sort_faces(faces.periodic, mesh.cells());
  sort_faces(faces.boundary, mesh.cells());
  std::ranges::stable_sort(faces.boundary, [](const Face& x, const Face& y) { return x.other < y.other; });
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
    append(mesh, f);
    mesh.neighbour.push_back(f.other);
    mesh.shift.push_back(f.shift);
  }
  mesh.periodic_faces = static_cast<int>(faces.periodic.size());
  for (const std::string& name : patches) mesh.patches.push_back({name, 0, 0});
  for (const Face& f : faces.boundary) {
    append(mesh, f);
    ++mesh.patches[f.other].count;
  }
  int first = static_cast<int>(interior);
  for (Patch& p : mesh.patches) {
    p.first = first;
    first += p.count;
  }
}

void join_periodic(MeshDescription& description, FaceSet& faces) {
  for (const PeriodicPair& pair : description.periodic) join(description, pair, faces);
}

}  // namespace weir
