#include "miniapps/compressible/sampling/history_points.hpp"

#include <algorithm>

#include "miniapps/compressible/quantities.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

constexpr Option point_keys[] = {
    {"name", Option::text, Option::required, "name of the point, used for the column and the quantity point_NAME"},
    {"at", Option::numbers, Option::required,
     "coordinates [x, y] of the point; the recorded value is that of the cell that contains it", "", "length"},
    {"field", Option::text, Option::required, "recorded field",
     "mach | pressure | density | u | v | entropy | cp | temperature"}};

bool is_inside(const UnstructuredMesh& mesh, int cell, const std::array<double, 2>& at) {
  const int first = mesh.cell_start[cell], corners = mesh.corners(cell);
  for (int k = 0; k < corners; ++k) {
    const auto& a = mesh.node[mesh.cell_node[first + k]];
    const auto& b = mesh.node[mesh.cell_node[first + (k + 1) % corners]];
    if ((b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]) < 0) return false;
  }
  return true;
}

}  // namespace

Options point_options() { return point_keys; }

std::vector<HistoryPoint> read_points(const Table& config) {
  std::vector<HistoryPoint> points;
  for (const Table& options : config.tables("point")) {
    const Table t = options.described_by(point_keys);
    HistoryPoint p{t.get<std::string>("name"), t.get<std::string>("field"), {}};
    if (p.name.empty() || p.name.find_first_of(",\"\n\r") != p.name.npos)
      t.fail("name", "'name' is used as the name of a column and must not be empty or contain ',', '\"' or line ends");
    if (std::ranges::count(points, p.name, &HistoryPoint::name))
      t.fail("name", "two points have the name '" + p.name + "'");
    const auto at = t.get<std::vector<double>>("at");
    if (at.size() != 2) t.fail("at", "'at' must have 2 numbers");
    p.at = {at[0], at[1]};
    points.push_back(p);
  }
  return points;
}

void locate_points(const Table& config, const UnstructuredMesh& mesh, std::vector<HistoryPoint>& points) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    HistoryPoint& p = points[k];
    for (p.cell = 0; p.cell < mesh.cells() && !is_inside(mesh, p.cell, p.at);) ++p.cell;
    if (p.cell == mesh.cells()) config.tables("point")[k].fail("at", "the point is outside the mesh");
  }
}

double field_value(const CompressibleCase& c, const PrimitiveState& s, std::string_view field) {
  if (field == "mach") return mach_number(s, c.gas.gamma);
  if (field == "pressure" || field == "p") return s[3];
  if (field == "u") return s[1];
  if (field == "v") return s[2];
  if (field == "density") return s[0];
  if (field == "entropy") return entropy_of(s, c);
  if (field == "cp") return 2 * (s[3] - c.free_pressure());
  return c.gas.gamma * c.gas.mach * c.gas.mach * s[3] / s[0];  // temperature
}

template <class Space>
HistoryPoints<Space>::HistoryPoints(const CompressibleCase& c, const MeshRanks* ranks, int n)
    : c_(c), ranks_(ranks), n_(n), host_(4 * c.points.size()), values_(c.points.size()) {
  std::vector<int> cell;
  for (const HistoryPoint& p : c.points) {
    cell.push_back(p.cell);
    if (!ranks) continue;
    const auto own = ranks->part.cell.begin(), end = own + ranks->part.own, found = std::find(own, end, p.cell);
    cell.back() = found == end ? -1 : static_cast<int>(found - own);
  }
  cell_ = Array<int, Space>(cell);
  state_ = Array<double, Space>(static_cast<std::int64_t>(host_.size()));
}

template <class Space>
const std::vector<double>& HistoryPoints<Space>::measure(View<const double> U) {
  if (values_.empty()) return values_;
  const int* cell = cell_.data();
  const double* u = U.data();
  double* out = state_.data();
  const int n = n_;
  for_each<Space>(state_.size(), [=] WEIR_HD(int i) { out[i] = cell[i / 4] < 0 ? 0.0 : u[n * cell[i / 4] + i % 4]; });
  state_.download(host_);
  if (ranks_) ranks_->communicator.sum(host_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const double* s = host_.data() + 4 * k;
    values_[k] = field_value(c_, to_primitive({s[0], s[1], s[2], s[3]}, c_.gas.gamma), c_.points[k].field);
  }
  return values_;
}

template class HistoryPoints<Host>;
template class HistoryPoints<Device>;

}  // namespace weir
