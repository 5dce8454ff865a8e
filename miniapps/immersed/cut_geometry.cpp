#include "miniapps/immersed/cut_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

constexpr double reach = 2.5;               // of the band, in cells: a diagonal neighbour's is below 2
constexpr double smallest_aperture = 1e-6;  // thinner slits are closed

double clamp01(double x) { return std::clamp(x, 0.0, 1.0); }

// The fluid part of an edge whose ends have the signed distances a and b.
double edge_fraction(double a, double b) {
  if (a > 0 && b > 0) return 1;
  if (a <= 0 && b <= 0) return 0;
  return a > 0 ? a / (a - b) : b / (b - a);
}

// The fluid part of a unit square with the signed distances p at its corners, in order around it.
double square_fraction(const std::array<double, 4>& p) {
  static constexpr double x[4] = {0, 1, 1, 0}, y[4] = {0, 0, 1, 1};
  double px[8], py[8], area = 0;
  int n = 0;
  for (int a = 0; a < 4; ++a) {
    const int b = (a + 1) % 4;
    const double pa = p[static_cast<std::size_t>(a)], pb = p[static_cast<std::size_t>(b)];
    if (pa > 0) {
      px[n] = x[a];
      py[n++] = y[a];
    }
    if ((pa > 0) != (pb > 0)) {
      const double t = pa / (pa - pb);
      px[n] = x[a] + t * (x[b] - x[a]);
      py[n++] = y[a] + t * (y[b] - y[a]);
    }
  }
  for (int a = 0; a < n; ++a) {
    const int b = (a + 1) % n;
    area += 0.5 * (px[a] * py[b] - px[b] * py[a]);
  }
  return clamp01(area);
}

std::vector<double> centres_with_ghosts(const GridLine& line) {
  std::vector<double> c = line.centre;
  c.insert(c.begin(), line.faces.front() - 0.5 * line.width.front());
  c.push_back(line.faces.back() + 0.5 * line.width.back());
  return c;
}

// The interval of x that holds v.
int locate(const std::vector<double>& x, double v) {
  const auto it = std::upper_bound(x.begin(), x.end(), v);
  return std::clamp(static_cast<int>(it - x.begin()) - 1, 0, static_cast<int>(x.size()) - 2);
}

}  // namespace

void InterpolationRows::clear() {
  for (auto* v : {&row, &node, &start, &column, &place}) v->clear();
  for (auto* v : {&weight, &self, &target}) v->clear();
}

void SurfacePieces::clear() {
  cell.clear();
  for (auto* v : {&point, &normal, &area, &velocity}) v->clear();
}

CutGeometry::CutGeometry(const Grid& grid, const Layout& layout) : grid_(grid), layout_(layout) {
  const Layout& l = layout_;
  for (std::size_t d = 0; d < 3; ++d) {
    face_[d] = grid.line[d].faces;
    centre_[d] = centres_with_ghosts(grid.line[d]);
  }
  const std::vector<double> flat = {grid.line[2].centre.front()};
  const auto line = [&](std::size_t d, bool at_faces) -> const std::vector<double>& {
    return static_cast<int>(d) >= l.dim ? flat : at_faces ? face_[d] : centre_[d];
  };
  corners_ = std::make_unique<BodyDistance>(line(0, true), line(1, true), line(2, true), reach);
  for (int c = 0; c < l.dim; ++c)
    nodes_[static_cast<std::size_t>(c)] =
        std::make_unique<BodyDistance>(line(0, c == 0), line(1, c == 1), line(2, c == 2), reach);
  const auto padded = static_cast<std::size_t>(l.padded_count()), cells = static_cast<std::size_t>(l.cells().count());
  for (int c = 0; c < l.dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    alpha[s].assign(padded, 1);
    fraction[s].assign(padded, 1);
    kind[s].assign(padded, fluid_node);
  }
  wet.assign(cells, 1);
  body_flux.assign(cells, 0);
  phi_.resize(corners_->code().size());
}

double CutGeometry::corner(int i, int j, int k) const {
  const int nx = layout_.n[0] + 1, ny = layout_.n[1] + 1;
  return phi_[static_cast<std::size_t>(i + nx * (j + ny * (layout_.dim == 3 ? k : 0)))];
}

double CutGeometry::face_fraction(int d, int i, int j, int k) const {
  const int t1 = d == 0 ? 1 : 0, t2 = d == 2 ? 1 : 2;
  int at[4][3] = {{i, j, k}, {i, j, k}, {i, j, k}, {i, j, k}};
  at[1][t1] = at[2][t1] = at[0][t1] + 1;
  at[2][t2] = at[3][t2] = at[0][t2] + 1;
  std::array<double, 4> p;
  for (std::size_t q = 0; q < 4; ++q) p[q] = corner(at[q][0], at[q][1], at[q][2]);
  if (p[0] > 0 && p[1] > 0 && p[2] > 0 && p[3] > 0) return 1;
  if (p[0] <= 0 && p[1] <= 0 && p[2] <= 0 && p[3] <= 0) return 0;
  const double a = layout_.dim == 2 ? edge_fraction(p[0], p[1]) : square_fraction(p);
  return a < smallest_aperture ? 0 : a;
}

// Apertures, and with them the wet cells.
void CutGeometry::apertures() {
  const Layout& l = layout_;
  for (int d = 0; d < l.dim; ++d) {
    std::vector<double>& a = alpha[static_cast<std::size_t>(d)];
    const int e[3] = {l.n[0] + (d == 0), l.n[1] + (d == 1), l.n[2] + (d == 2)};
    for (int k = 0; k < e[2]; ++k)
      for (int j = 0; j < e[1]; ++j)
        for (int i = 0; i < e[0]; ++i) a[static_cast<std::size_t>(place(i, j, k))] = face_fraction(d, i, j, k);
  }
  const Extents cells = l.cells();
  for (int k = 0; k < l.n[2]; ++k)
    for (int j = 0; j < l.n[1]; ++j)
      for (int i = 0; i < l.n[0]; ++i) {
        const int at[3] = {i, j, k}, p = place(i, j, k);
        bool open = false;
        for (int d = 0; d < l.dim; ++d) {
          const std::vector<double>& a = alpha[static_cast<std::size_t>(d)];
          const bool wraps = l.periodic[d];
          if (a[static_cast<std::size_t>(p)] > 0 && (wraps || at[d] > 0)) open = true;
          if (a[static_cast<std::size_t>(p + l.stride(d))] > 0 && (wraps || at[d] + 1 < l.n[d])) open = true;
        }
        wet[static_cast<std::size_t>(cells.index(i, j, k))] = open;
        for (int d = 0; d < l.dim && !open; ++d) {  // fluid behind a side of the box alone: shut in
          alpha[static_cast<std::size_t>(d)][static_cast<std::size_t>(p)] = 0;
          alpha[static_cast<std::size_t>(d)][static_cast<std::size_t>(p + l.stride(d))] = 0;
        }
      }
}

// The surface inside each cut cell: its area vector closes the cell, its point is the mean of where it crosses the edges.
void CutGeometry::cut_cells(const Body& body) {
  const Layout& l = layout_;
  const Extents cells = l.cells();
  const auto& code = corners_->code();
  const int nx = l.n[0] + 1, ny = l.n[1] + 1, corner_z = l.dim == 3 ? 2 : 1;
  surface.clear();
  std::fill(body_flux.begin(), body_flux.end(), 0.0);
  for (int k = 0; k < l.n[2]; ++k)
    for (int j = 0; j < l.n[1]; ++j)
      for (int i = 0; i < l.n[0]; ++i) {
        const int cell = cells.index(i, j, k), p = place(i, j, k);
        if (!wet[static_cast<std::size_t>(cell)]) continue;
        const int at[3] = {i, j, k};
        Vec3 area{};  // into the fluid
        for (int d = 0; d < l.dim; ++d) {
          const std::vector<double>& a = alpha[static_cast<std::size_t>(d)];
          double face = 1;
          for (int e = 0; e < 3; ++e)
            if (e != d) face *= grid_.line[static_cast<std::size_t>(e)].width[static_cast<std::size_t>(at[e])];
          area[static_cast<std::size_t>(d)] =
              face * (a[static_cast<std::size_t>(p + l.stride(d))] - a[static_cast<std::size_t>(p)]);
        }
        if (dot(area, area) == 0) continue;
        Vec3 velocity{}, normal{}, point{};
        int feet = 0, crossings = 0;
        for (int q = 0; q < 4 * corner_z; ++q) {
          const int a = i + (q & 1), b = j + ((q >> 1) & 1), e = k + (q >> 2);
          const int index = a + nx * (b + ny * (l.dim == 3 ? e : 0));
          const std::int32_t near = code[static_cast<std::size_t>(index)];
          if (near >= 0) {
            const Foot& foot = corners_->near()[static_cast<std::size_t>(near)].foot;
            velocity += body.fluid_velocity(foot);
            normal += foot.normal;
            ++feet;
          }
          const double pa = phi_[static_cast<std::size_t>(index)];
          for (int d = 0; d < l.dim; ++d) {
            if ((d == 0 && (q & 1)) || (d == 1 && ((q >> 1) & 1)) || (d == 2 && (q >> 2))) continue;
            const int step = d == 0 ? 1 : d == 1 ? nx : nx * ny;
            const double pb = phi_[static_cast<std::size_t>(index + step)];
            if ((pa > 0) == (pb > 0)) continue;
            Vec3 x = {face_[0][static_cast<std::size_t>(a)], face_[1][static_cast<std::size_t>(b)],
                      l.dim == 3 ? face_[2][static_cast<std::size_t>(e)] : grid_.line[2].centre[0]};
            const auto s = static_cast<std::size_t>(d);
            x[s] += pa / (pa - pb) * grid_.line[s].width[static_cast<std::size_t>(at[d])];
            point += x;
            ++crossings;
          }
        }
        if (feet == 0 || crossings == 0) continue;
        velocity = (1.0 / feet) * velocity;
        body_flux[static_cast<std::size_t>(cell)] = -dot(velocity, area);
        surface.cell.push_back(cell);
        surface.point.push_back((1.0 / crossings) * point);
        surface.normal.push_back((1 / length(normal)) * normal);
        surface.area.push_back(area);
        surface.velocity.push_back(velocity);
      }
}

int CutGeometry::point_index(int c, int at) const {
  const Layout& l = layout_;
  const int sy = l.stride(1), sz = l.stride(2), k = at / sz, j = (at - k * sz) / sy,
            i = at - k * sz - j * sy;  // padded
  const int nx = l.n[0] + (c == 0 ? 1 : 2), ny = l.n[1] + (c == 1 ? 1 : 2);
  const int z = l.dim == 3 ? k - (c == 2 ? 1 : 0) : 0;
  return (i - (c == 0 ? 1 : 0)) + nx * ((j - (c == 1 ? 1 : 0)) + ny * z);
}

// Kinds, and the fluid part of the control volumes by a plane at the signed distance.
void CutGeometry::classify(const Body& body, int c) {
  (void)body;
  const Layout& l = layout_;
  const auto s = static_cast<std::size_t>(c);
  const BodyDistance& points = *nodes_[s];
  std::vector<unsigned char>& kinds = kind[s];
  const std::vector<unsigned char> before = updated_ ? kinds : std::vector<unsigned char>();
  const int nx = points.count(0), ny = points.count(1), nz = points.count(2);
  std::int64_t index = 0;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i, ++index) {
        const int at = place(i - (c == 0 ? 0 : 1), j - (c == 1 ? 0 : 1), l.dim == 3 ? k - (c == 2 ? 0 : 1) : 0);
        const bool is_solid = points.is_solid(index);
        kinds[static_cast<std::size_t>(at)] = is_solid ? solid_node : fluid_node;
        fraction[s][static_cast<std::size_t>(at)] = is_solid ? 0 : 1;
      }
  for (const auto& near : points.near()) {
    const auto i = static_cast<int>(near.index % nx), j = static_cast<int>(near.index / nx % ny),
               k = static_cast<int>(near.index / nx / ny);
    const int u[3] = {i - (c == 0 ? 0 : 1), j - (c == 1 ? 0 : 1), l.dim == 3 ? k - (c == 2 ? 0 : 1) : 0};
    const int at = place(u[0], u[1], u[2]);
    double span = 0;
    for (int d = 0; d < l.dim; ++d) {
      const auto& width = grid_.line[static_cast<std::size_t>(d)].width;
      const double h = width[static_cast<std::size_t>(std::clamp(u[d], 0, l.n[d] - 1))];
      span += std::abs(near.foot.normal[static_cast<std::size_t>(d)]) * h;
    }
    fraction[s][static_cast<std::size_t>(at)] = clamp01(0.5 + near.foot.distance / span);
    const auto a = static_cast<std::size_t>(at);
    if (kinds[a] == fluid_node) {
      if (updated_ && before[a] < fresh_node) kinds[a] = fresh_node;
      if (updated_ && before[a] == fresh_node) kinds[a] = recent_node;
      continue;
    }
    bool beside = alpha[s][a] > 0;
    for (int dk = l.dim == 3 ? -1 : 0; dk <= (l.dim == 3 ? 1 : 0) && !beside; ++dk)
      for (int dj = -1; dj <= 1 && !beside; ++dj)
        for (int di = -1; di <= 1 && !beside; ++di) {
          const int q[3] = {i + di, j + dj, k + dk};
          if (q[0] < 0 || q[0] >= nx || q[1] < 0 || q[1] >= ny || q[2] < 0 || q[2] >= nz) continue;
          beside = !points.is_solid(q[0] + std::int64_t{nx} * (q[1] + std::int64_t{ny} * q[2]));
        }
    if (beside) kinds[a] = ghost_node;
  }
}

// Adds factor times the interpolation at x to a row; nodes that hold no value yet become ghosts too.
void CutGeometry::interpolate(int c, const Vec3& x, double factor, int self, InterpolationRows& r,
                              std::vector<int>& more) {
  const Layout& l = layout_;
  const auto s = static_cast<std::size_t>(c);
  int low[3] = {0, 0, 0};
  double t[3] = {0, 0, 0};
  for (int d = 0; d < l.dim; ++d) {
    const auto e = static_cast<std::size_t>(d);
    const std::vector<double>& line = d == c ? face_[e] : centre_[e];
    const int q = locate(line, x[e]);
    const auto n = static_cast<std::size_t>(q);
    t[d] = (x[e] - line[n]) / (line[n + 1] - line[n]);
    low[d] = d == c ? q : q - 1;
  }
  const Extents box = l.unknowns(c);
  for (int q = 0; q < (l.dim == 3 ? 8 : 4); ++q) {
    const int bit[3] = {q & 1, (q >> 1) & 1, q >> 2};
    int at[3], unknown[3];
    double w = factor;
    bool is_unknown = true;
    for (int d = 0; d < 3; ++d) {
      at[d] = low[d] + (d < l.dim ? bit[d] : 0);
      if (d < l.dim) w *= bit[d] ? t[d] : 1 - t[d];
      unknown[d] = at[d] - (d == c ? l.first(c) : 0);
      const int n = d == 0 ? box.nx : d == 1 ? box.ny : box.nz;
      if (unknown[d] < 0 || unknown[d] >= n) is_unknown = false;
    }
    if (w == 0) continue;
    const int where = place(at[0], at[1], at[2]);
    if (where == self) {
      r.self.back() += w;
      continue;
    }
    unsigned char& k = kind[s][static_cast<std::size_t>(where)];
    if (k == solid_node && is_unknown) {
      k = ghost_node;
      more.push_back(where);
    }
    r.column.push_back(is_unknown ? box.index(unknown[0], unknown[1], unknown[2]) : -1);
    r.place.push_back(where);
    r.weight.push_back(w);
  }
}

void CutGeometry::make_rows(const Body& body, int c) {
  const Layout& l = layout_;
  const auto s = static_cast<std::size_t>(c);
  const BodyDistance& points = *nodes_[s];
  const Extents box = l.unknowns(c);
  std::vector<int> todo, more;
  for (const auto& near : points.near()) {
    const int nx = points.count(0), ny = points.count(1);
    const auto i = static_cast<int>(near.index % nx), j = static_cast<int>(near.index / nx % ny),
               k = static_cast<int>(near.index / nx / ny);
    const int at = place(i - (c == 0 ? 0 : 1), j - (c == 1 ? 0 : 1), l.dim == 3 ? k - (c == 2 ? 0 : 1) : 0);
    if (const auto k_at = kind[s][static_cast<std::size_t>(at)]; k_at == ghost_node || k_at == fresh_node)
      todo.push_back(at);
  }
  InterpolationRows r;
  r.start.push_back(0);
  const int sy = l.stride(1), sz = l.stride(2);
  while (!todo.empty()) {
    more.clear();
    for (const int at : todo) {
      const int k = at / sz - l.pad(2), j = at % sz / sy - l.pad(1), i = at % sy - l.pad(0);
      const int u[3] = {i - (c == 0 ? l.first(0) : 0), j - (c == 1 ? l.first(1) : 0), k - (c == 2 ? l.first(2) : 0)};
      if (u[0] < 0 || u[0] >= box.nx || u[1] < 0 || u[1] >= box.ny || u[2] < 0 || u[2] >= box.nz) continue;
      const std::int32_t near = points.code()[static_cast<std::size_t>(point_index(c, at))];
      if (near < 0) continue;  // too deep for anything to be known of it: it keeps its value
      const Foot& foot = points.near()[static_cast<std::size_t>(near)].foot;
      const Vec3 x = foot.point + foot.distance * foot.normal;
      const double wall = body.fluid_velocity(foot)[s];
      r.row.push_back(box.index(u[0], u[1], u[2]));
      r.node.push_back(at);
      r.self.push_back(1);
      if (kind[s][static_cast<std::size_t>(at)] == ghost_node) {
        interpolate(c, x - 2 * foot.distance * foot.normal, 1, at, r, more);
        r.target.push_back(2 * wall);
      } else {
        double h = 0;
        for (int d = 0; d < l.dim; ++d)
          h = std::max(
              h,
              grid_.line[static_cast<std::size_t>(d)].width[static_cast<std::size_t>(std::clamp(u[d], 0, l.n[d] - 1))]);
        const double part = foot.distance / (foot.distance + h);
        interpolate(c, x + h * foot.normal, -part, at, r, more);
        r.target.push_back((1 - part) * wall);
        ++fresh_nodes;
      }
      r.start.push_back(static_cast<int>(r.column.size()));
    }
    todo.swap(more);
  }
  // In ascending order, as the matrix wants its rows.
  std::vector<int> order(r.row.size());
  for (std::size_t q = 0; q < order.size(); ++q) order[q] = static_cast<int>(q);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return r.row[static_cast<std::size_t>(a)] < r.row[static_cast<std::size_t>(b)]; });
  InterpolationRows& out = rows[s];
  out.clear();
  out.start.push_back(0);
  for (const int q : order) {
    const auto n = static_cast<std::size_t>(q);
    out.row.push_back(r.row[n]);
    out.node.push_back(r.node[n]);
    out.self.push_back(r.self[n]);
    out.target.push_back(r.target[n]);
    for (int e = r.start[n]; e < r.start[n + 1]; ++e) {
      out.column.push_back(r.column[static_cast<std::size_t>(e)]);
      out.place.push_back(r.place[static_cast<std::size_t>(e)]);
      out.weight.push_back(r.weight[static_cast<std::size_t>(e)]);
    }
    out.start.push_back(static_cast<int>(out.column.size()));
  }
}

// A body's surface sweeps what its volume changes by, exactly: what the cut cells' linear pieces miss of that (nothing in
// a translation) is shared out by area.
void CutGeometry::close_body_flux(const Body& body) {
  double total = 0, area = 0;
  for (int q = 0; q < surface.size(); ++q) {
    const auto n = static_cast<std::size_t>(q);
    total += body_flux[static_cast<std::size_t>(surface.cell[n])];
    area += length(surface.area[n]);
  }
  total_body_flux = total;
  if (body.is_cavity() || area == 0) return;
  total_body_flux = -body.volume_rate() * (layout_.dim == 2 ? grid_.line[2].length() : 1.0);
  for (int q = 0; q < surface.size(); ++q) {
    const auto n = static_cast<std::size_t>(q);
    body_flux[static_cast<std::size_t>(surface.cell[n])] += (total_body_flux - total) * length(surface.area[n]) / area;
  }
}

void CutGeometry::update(const Body& body) {
  corners_->update(body);
  corners_->fill(phi_);
  apertures();
  cut_cells(body);
  fresh_nodes = 0;
  for (int c = 0; c < layout_.dim; ++c) {
    nodes_[static_cast<std::size_t>(c)]->update(body);
    classify(body, c);
    make_rows(body, c);
  }
  close_body_flux(body);
  updated_ = true;
}

}  // namespace weir
