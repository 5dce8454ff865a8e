#include "miniapps/structured/output.hpp"

#include <utility>

namespace weir {
namespace {

// Up to two stored values and their weights: a node of a profile along one direction.
struct Stencil {
  int index[2] = {0, 0};
  double weight[2] = {1, 0};
};

// Node n of a quantity along direction d. At faces: the face. At centres: node 0 and the last lie on the sides, where a
// velocity is the mean of ghost and inner value and the pressure is extrapolated; periodic: the ghosts are nodes.
Stencil node_stencil(const Layout& l, const GridLine& line, int d, bool at_faces, bool is_pressure, int node) {
  const int n = l.n[d];
  if (d >= l.dim) return {};
  if (at_faces) return {{node, 0}, {1, 0}};
  if (l.periodic[d] || (node > 0 && node <= n)) return {{node - 1, 0}, {1, 0}};
  if (!is_pressure) return {{node == 0 ? -1 : n, node == 0 ? 0 : n - 1}, {0.5, 0.5}};
  const int a = node == 0 ? 0 : n - 1, b = node == 0 ? 1 : n - 2;
  const auto& h = line.width;
  const double slope = h[a] / (h[a] + h[b]);
  return {{a, b}, {1 + slope, -slope}};
}

std::vector<double> node_coordinates(const Layout& l, const GridLine& line, int d, bool at_faces) {
  if (d >= l.dim) return {line.centre.front()};
  if (at_faces) return line.faces;
  if (!l.periodic[d]) return nodes_with_ends(line.faces);
  std::vector<double> nodes = line.centre;
  nodes.insert(nodes.begin(), line.centre.back() - line.length());
  nodes.push_back(line.centre.front() + line.length());
  return nodes;
}

// component: 3 the pressure, 4 a scalar
SampledField sampled_field(const IncompressibleCase& c, const Layout& l, WholeField f, int component,
                           std::string name) {
  SampledField s;
  s.name = std::move(name);
  for (int d = 0; d < 3; ++d) s.nodes[d] = node_coordinates(l, c.grid.line[d], d, l.staggered && component == d);
  const double scale = component == 3 ? c.density : 1;
  s.value = [&c, l, f, component, scale](int i, int j, int k) {
    const int node[3] = {i, j, k};
    Stencil st[3];
    for (int d = 0; d < 3; ++d)
      st[d] = node_stencil(l, c.grid.line[d], d, l.staggered && component == d, component == 3, node[d]);
    double value = 0;
    for (int q = 0; q < 8; ++q) {
      const int a = q & 1, b = (q >> 1) & 1, e = q >> 2;
      const double weight = st[0].weight[a] * st[1].weight[b] * st[2].weight[e];
      if (weight != 0) value += weight * f(st[0].index[a], st[1].index[b], st[2].index[e]);
    }
    return scale * value;
  };
  return s;
}

// Mean of the two faces of a cell. Ghost cells are read only along directions other than that of the component.
double centred(const WholeFlow& flow, int component, int i, int j, int k) {
  const WholeField u = flow.component(component);
  if (!flow.layout.staggered) return u(i, j, k);
  return 0.5 * (u(i, j, k) + u(i + (component == 0), j + (component == 1), k + (component == 2)));
}

double slope(const IncompressibleCase& c, const WholeFlow& flow, int component, int d, int i, int j, int k) {
  if (d >= flow.layout.dim || component >= flow.layout.dim) return 0;
  const GridLine& line = c.grid.line[d];
  const int at[3] = {i, j, k}, n = line.cells();
  const auto h = [&](int m) {
    const bool wraps = flow.layout.periodic[d];
    if (m < 0) m = wraps ? n - 1 : 0;
    if (m >= n) m = wraps ? 0 : n - 1;
    return line.width[m];
  };
  const double distance = 0.5 * (h(at[d] - 1) + h(at[d] + 1)) + h(at[d]);
  const int dx = d == 0, dy = d == 1, dz = d == 2;
  return (centred(flow, component, i + dx, j + dy, k + dz) - centred(flow, component, i - dx, j - dy, k - dz)) /
         distance;
}

double divergence_at(const IncompressibleCase& c, const WholeFlow& flow, int i, int j, int k) {
  if (!flow.layout.staggered) return flow.divergence(i, j, k);
  double div = 0;
  const int at[3] = {i, j, k};
  for (int d = 0; d < flow.layout.dim; ++d) {
    const WholeField u = flow.component(d);
    const double h = c.grid.line[d].width[at[d]];
    div += (u(i + (d == 0), j + (d == 1), k + (d == 2)) - u(i, j, k)) / h;
  }
  return div;
}

}  // namespace

std::vector<SampledField> sampled_fields(const IncompressibleCase& c, const WholeFlow& flow) {
  std::vector<SampledField> fields;
  const Layout& l = flow.layout;
  for (int e = 0; e < l.dim; ++e) fields.push_back(sampled_field(c, l, flow.component(e), e, std::string(1, "uvw"[e])));
  fields.push_back(sampled_field(c, l, flow.pressure(), 3, "p"));
  for (std::size_t s = 0; s < flow.scalars(); ++s)
    fields.push_back(sampled_field(c, l, flow.scalar(s), 4, c.scalars[s].symbol()));
  return fields;
}

std::vector<OutputField> cell_fields(const IncompressibleCase& c, const WholeFlow& flow,
                                     const std::vector<std::string>& names) {
  const Layout& l = flow.layout;
  std::vector<OutputField> fields;
  const auto add_scalar = [&](const std::string& name) {
    for (std::size_t s = 0; s < c.scalars.size(); ++s)
      if (c.scalars[s].name == name)
        fields.push_back(
            cell_field(l, name, 1, [&flow, s](int, int i, int j, int k) { return flow.scalar(s)(i, j, k); }));
  };
  for (const std::string& name : names) {
    if (name == "velocity")
      fields.push_back(cell_field(l, name, 3, [&flow](int e, int i, int j, int k) {
        return e < flow.layout.dim ? centred(flow, e, i, j, k) : 0.0;
      }));
    else if (name == "pressure")
      fields.push_back(
          cell_field(l, name, 1, [&](int, int i, int j, int k) { return c.density * flow.pressure()(i, j, k); }));
    else if (name == "divergence")
      fields.push_back(
          cell_field(l, name, 1, [&](int, int i, int j, int k) { return divergence_at(c, flow, i, j, k); }));
    else if (name != "vorticity")
      add_scalar(name);
    else if (l.dim == 2)
      fields.push_back(cell_field(l, name, 1, [&](int, int i, int j, int k) {
        return slope(c, flow, 1, 0, i, j, k) - slope(c, flow, 0, 1, i, j, k);
      }));
    else
      fields.push_back(cell_field(l, name, 3, [&](int e, int i, int j, int k) {
        const int a = (e + 1) % 3, b = (e + 2) % 3;
        return slope(c, flow, b, a, i, j, k) - slope(c, flow, a, b, i, j, k);
      }));
  }
  return fields;
}

Options FlowOutput::options() {
  static constexpr Option keys[] = {
      {"fields", Option::texts, "[velocity, pressure, vorticity, divergence]",
       "fields that are written; temperature and scalars are always written",
       "velocity | pressure | vorticity | divergence"},
      {"diagnostics_every", Option::integer, "10",
       "number of steps between two evaluations of the CFL number, max_divergence and kinetic_energy", "[1, inf)",
       "steps"}};
  return keys;
}

FlowOutput::FlowOutput(const Table& config, const IncompressibleCase& c, const std::vector<std::string>& columns)
    : case_(c) {
  const Table output = config.table("output");
  schedule_ = FieldSchedule(output);
  fields_ = output.described_by(options()).get<std::vector<std::string>>("fields");
  for (const ScalarCase& s : c.scalars) fields_.push_back(s.name);
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.low[d] = c.grid.line[d].faces.front();
    box.high[d] = c.grid.line[d].faces.back();
  }
  std::vector<std::string> names = {"u", "v", "p"};
  if (c.dim() == 3) names.push_back("w");
  for (const ScalarCase& s : c.scalars) names.push_back(s.symbol());
  probes_ = read_probes(config, box, names);
  surfaces_ = read_side_surfaces(config, c);
  history_references_ = read_history_references(config, columns);
}

void FlowOutput::open(const std::string& folder, const std::string& name, std::optional<double> restart_time) {
  folder_ = folder;
  write_history_references(folder, history_references_);
  pictures_ = std::make_unique<PictureSeries>(folder + "/vtk", name, restart_time, schedule_.format());
}

void FlowOutput::write_fields(const WholeFlow& flow, std::int64_t step, double time, std::vector<OutputField> more) {
  Picture picture;
  picture.time = time;
  for (std::size_t d = 0; d < 3; ++d) picture.faces[d] = case_.grid.line[d].faces;
  picture.fields = cell_fields(case_, flow, fields_);
  for (OutputField& field : more) picture.fields.push_back(std::move(field));
  pictures_->write(step, picture);
}

std::map<std::string, double> FlowOutput::write_profiles(const WholeFlow& flow) {
  std::map<std::string, double> errors = write_side_surfaces(folder_ + "/surface", surfaces_, case_, flow);
  if (probes_.empty()) return errors;
  for (const auto& [name, value] : write_probes(folder_ + "/probes", probes_, sampled_fields(case_, flow)))
    errors[name] = value;
  return errors;
}

std::vector<std::string> FlowOutput::quantities() const {
  std::vector<std::string> names = quantities_of(surfaces_, case_);
  for (std::string& name : probe_quantities(probes_)) names.push_back(std::move(name));
  return names;
}

}  // namespace weir
