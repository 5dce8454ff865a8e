#include "miniapps/compressible/discretisation/discretisation.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "miniapps/compressible/discretisation/mesh_ranks.hpp"
#include "miniapps/compressible/discretisation/spatial_arrays.hpp"
#include "physics/sst.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

Gas point_gas(const GasModel& m) {
  if (!(m.gamma > 1) || !(m.mach > 0) || !(m.prandtl > 0) || m.reynolds < 0)
    throw Error(Exit::usage, "a gas requires gamma > 1, mach > 0, prandtl > 0 and reynolds >= 0");
  Gas g;
  g.gamma = m.gamma;
  g.gamma_m2 = m.gamma * m.mach * m.mach;
  g.viscosity = m.reynolds > 0 ? m.length / m.reynolds : 0;
  g.sutherland = m.sutherland;
  g.conduction = 1 / (m.prandtl * (m.gamma - 1) * m.mach * m.mach);
  return g;
}

}  // namespace

template <class Space>
SpatialArrays<Space>::SpatialArrays(const SpatialGeometry& g, const Gas& point, const SpatialScheme& s,
                                    const TurbulenceModel& t)
    : scheme(s), patch_first(g.patch_first), patch_count(g.patch_count), patch_own(g.patch_own) {
  const auto put = [](auto& array, const auto& host) { array = std::remove_reference_t<decltype(array)>(host); };
  put(owner, g.owner), put(neighbour, g.neighbour), put(cell_of_face, g.boundary_cell_of_face), put(type, g.type);
  put(start, g.start), put(link, g.link), put(other, g.other), put(boundary_cell, g.boundary_cell);
  put(boundary_start, g.boundary_start), put(boundary_faces, g.boundary_faces), put(owner_row, g.owner_row);
  put(neighbour_row, g.neighbour_row), put(face, g.face), put(boundary_face, g.boundary_face), put(outside, g.outside);
  put(volume, g.volume), put(weight, g.weight), put(boundary_height, g.boundary_height);
  const auto make = [](auto& array, std::size_t n) { array = Array<double, Space>(static_cast<std::int64_t>(n)); };
  const std::size_t cells = g.volume.size(), faces = g.owner.size(), edges = g.type.size();
  const auto reach = static_cast<std::size_t>(g.reach), fluxes = static_cast<std::size_t>(g.count);
  const auto values = static_cast<std::size_t>(t.equations());
  make(w, 4 * cells), make(flux, 4 * fluxes), make(boundary_flux, 4 * edges);
  make(boundary_block, values * values * edges);
  if (s.order > 1 || t.is_on) make(wx, 4 * reach), make(wy, 4 * reach);
  if (s.order > 1 && s.limiter != Limiter::none) make(phi, 4 * reach);
  if (s.has_products) {
    make(dw, 4 * cells), make(dwx, static_cast<std::size_t>(wx.size())), make(dwy, static_cast<std::size_t>(wy.size()));
    make(dphi, static_cast<std::size_t>(phi.size()));
    view.dw = dw.data(), view.dwx = dwx.data(), view.dwy = dwy.data(), view.dphi = dphi.data();
  }
  make(ghost, values * (cells - static_cast<std::size_t>(g.own)));
  make(border, 2 * values * values * static_cast<std::size_t>(g.count - g.inner));

  const auto n = static_cast<std::int64_t>(faces), b = static_cast<std::int64_t>(edges);
  const double *F = face.data(), *B = boundary_face.data();
  view.gas = point;
  view.entropy_fix = s.entropy_fix;
  view.order = s.order;
  view.limiter = s.limiter;
  view.gradient = s.gradient;
  view.flux_scheme = s.flux;
  view.limiter_k = s.limiter == Limiter::michalak ? s.michalak : s.venkatakrishnan;
  view.faces = {g.count,   g.inner,   g.sorted,  owner.data(), neighbour.data(), F,        F + n,
                F + 2 * n, F + 3 * n, F + 4 * n, F + 5 * n,    F + 6 * n,        F + 7 * n};
  view.boundary = {static_cast<int>(b), cell_of_face.data(), type.data(), B,         B + b,
                   B + 2 * b,           B + 3 * b,           B + 4 * b,   B + 5 * b, outside.data()};
  const auto boundary_cells = g.boundary_cell.begin(), end = g.boundary_cell.end();
  view.cells = {g.own,
                g.reach,
                static_cast<int>(cells),
                volume.data(),
                start.data(),
                link.data(),
                other.data(),
                weight.data(),
                static_cast<int>(g.boundary_cell.size()),
                static_cast<int>(std::lower_bound(boundary_cells, end, g.own) - boundary_cells),
                boundary_cell.data(),
                boundary_start.data(),
                boundary_faces.data(),
                boundary_height.data()};
  view.w = w.data(), view.wx = wx.data(), view.wy = wy.data(), view.phi = phi.data(), view.flux = flux.data();
  view.boundary_flux = boundary_flux.data(), view.boundary_block = boundary_block.data();
  view.owner_row = owner_row.data(), view.neighbour_row = neighbour_row.data();
  view.border = border.data();
  if (t.is_on) add_turbulence(g, t);
}

template <class Space>
void SpatialArrays<Space>::add_turbulence(const SpatialGeometry& g, const TurbulenceModel& t) {
  if (!(view.gas.viscosity > 0)) throw Error(Exit::usage, "turbulent flow requires a Reynolds number");
  if (static_cast<int>(t.distance.size()) != (t.is_sst ? g.reach : g.own))
    throw Error(Exit::internal, "turbulent flow requires the wall distance of each own cell");
  std::vector<int> number(static_cast<std::size_t>(g.own), -1);
  for (std::size_t n = 0; n < g.boundary_cell.size(); ++n)
    if (g.boundary_cell[n] < g.own) number[static_cast<std::size_t>(g.boundary_cell[n])] = static_cast<int>(n);
  distance = Array<double, Space>(t.distance);
  boundary_number = Array<int, Space>(number);
  view.equations = t.equations();
  const auto make = [](auto& array, std::int64_t size) { array = Array<double, Space>(size); };
  const std::int64_t count = view.equations - 4, of_sst = t.is_sst ? MenterSst::auxiliary : 0;
  make(model, count * static_cast<std::int64_t>(g.volume.size()));
  make(model_x, count * g.reach), make(model_y, count * g.reach), make(auxiliary, of_sst * g.reach);
  make(model_flux, count * g.count), make(model_boundary_flux, count * static_cast<std::int64_t>(g.type.size()));
  Turbulence& v = view.turbulence;
  v.order = t.order;
  v.unit[0] = t.is_sst ? t.unit[0] : t.unit[0] * view.gas.viscosity;
  v.unit[1] = t.unit[1] / view.gas.viscosity;
  for (std::size_t k = 0; k < 2; ++k) v.outside[k] = t.outside[k] / t.unit[k];
  v.distance = distance.data(), v.boundary = boundary_number.data(), v.auxiliary = auxiliary.data();
  v.value = model.data(), v.x = model_x.data(), v.y = model_y.data();
  v.flux = model_flux.data(), v.boundary_flux = model_boundary_flux.data();
  if (!scheme.has_products) return;
  make(dmodel, model.size()), make(dmodel_x, model_x.size()), make(dmodel_y, model_y.size());
  make(dauxiliary, auxiliary.size());
  make(source_slope, t.is_sst ? (count + of_sst) * MenterSst::inputs * g.reach : SpalartAllmaras::inputs * g.own);
  v.dvalue = dmodel.data(), v.dx = dmodel_x.data(), v.dy = dmodel_y.data();
  v.dauxiliary = dauxiliary.data(), v.source_slope = source_slope.data();
}

template <class Space>
Discretisation<Space>::Discretisation(const UnstructuredMesh& mesh, const GasModel& gas, const SpatialScheme& scheme,
                                      const std::vector<BoundaryCondition>& conditions, const MeshRanks* ranks,
                                      const TurbulenceModel& turbulence) {
  const Gas point = point_gas(gas);
  arrays_ = std::make_unique<SpatialArrays<Space>>(
      spatial_geometry(mesh, point, scheme.gradient, conditions, ranks ? &ranks->part : nullptr), point, scheme,
      turbulence);
  arrays_->view.limiter_k /= gas.length;
  arrays_->view.turbulence.conduction = point.conduction * gas.prandtl / turbulence.prandtl;
  if (!ranks) return;
  arrays_->ranks = &ranks->communicator;
  arrays_->halo = Halo<Space>(ranks->communicator, ranks->states, equations(), ranks->halo);
}
template <class Space>
Discretisation<Space>::~Discretisation() = default;

template <class Space>
int Discretisation<Space>::equations() const {
  return arrays_->view.equations;
}

template <class Space>
void Discretisation<Space>::set_order(int order) {
  if (order < 1 || order > arrays_->scheme.order)
    throw Error(Exit::usage, "order " + std::to_string(order) + " of a discretisation made for order " +
                                 std::to_string(arrays_->scheme.order));
  arrays_->view.order = order;
}

template <class Space>
void own_states(const SpatialView& v, View<const double> U) {
  if (v.equations == 4) return primitive_states(Space{}, v, U);
  with_model(v, [&]<class M>(M) { turbulent_states<Space, M>(v, U); });
}

// W of all cells; the ghosts' states are exchanged at the same time.
template <class Space>
void all_states(SpatialArrays<Space>& a, View<const double> U) {
  if (!a.ranks) return own_states<Space>(a.view, U);
  a.halo.start(HaloFields::blocks(U.data(), a.view.equations));
  own_states<Space>(a.view, U);
  a.halo.finish();
  a.halo.unpack(HaloFields::blocks(a.ghost.data(), a.view.equations));
  ghost_states<Space>(a.view, a.ghost);
}

// W, and at second order gradients and limiters. Turbulence sources need gradients at first order too.
template <class Space>
void states_and_gradients(SpatialArrays<Space>& a, View<const double> U) {
  const SpatialView& v = a.view;
  all_states<Space>(a, U);
  if (v.order == 1 && v.equations == 4) return;
  gradients<Space>(v);
  if (v.equations > 4) with_model(v, [&]<class M>(M) { turbulent_gradients<Space, M>(v); });
  if (v.order > 1 && v.limiter != Limiter::none && !v.is_limiter_frozen) limiters<Space>(v);
}

template <class Space>
void Discretisation<Space>::residual(View<const double> U, View<double> R) {
  const SpatialView& v = arrays_->view;
  states_and_gradients<Space>(*arrays_, U);
  if (v.equations > 4) return with_model(v, [&]<class M>(M) { turbulent_residual<Space, M>(v, R); });
  interior_residual(Space{}, v, R);
  boundary_residual<Space>(v, R);
}

template <class Space>
void Discretisation<Space>::freeze_limiter(View<const double> U) {
  thaw_limiter();
  states_and_gradients<Space>(*arrays_, U);
  arrays_->view.is_limiter_frozen = true;
  double* slope = arrays_->dphi.data();
  for_each<Space>(arrays_->dphi.size(), [=] WEIR_HD(int i) { slope[i] = 0; });
}
template <class Space>
void Discretisation<Space>::thaw_limiter() {
  arrays_->view.is_limiter_frozen = false;
}
template <class Space>
std::vector<double> Discretisation<Space>::limiter_values() const {
  std::vector<double> phi = arrays_->phi.to_vector();
  phi.resize(std::min(phi.size(), 4 * static_cast<std::size_t>(arrays_->view.cells.count)));
  return phi;
}

template <class Space>
void Discretisation<Space>::linearise(View<const double> U) {
  states_and_gradients<Space>(*arrays_, U);
  const SpatialView& v = arrays_->view;
  if (v.equations > 4) with_model(v, [&]<class M>(M) { turbulent_linearise<Space, M>(v); });
}

template <class Space>
void Discretisation<Space>::derivative(View<const double> x, View<double> y) {
  SpatialArrays<Space>& a = *arrays_;
  const SpatialView& v = a.view;
  if (a.ranks) {
    a.halo.start(HaloFields::blocks(x.data(), v.equations));
    a.halo.finish();
    a.halo.unpack(HaloFields::blocks(a.ghost.data(), v.equations));
  }
  if (v.equations > 4) return with_model(v, [&]<class M>(M) { turbulent_slopes<Space, M>(v, x, a.ghost, y); });
  state_slopes<Space>(v, x, a.ghost);
  if (v.order > 1) gradient_slopes<Space>(v);
  interior_slopes(Space{}, v, y);
  boundary_slopes<Space>(v, y);
}

template <class Space>
void Discretisation<Space>::time_step_scale(View<const double> U, View<double> scale) {
  own_states<Space>(arrays_->view, U);
  const SpatialView& v = arrays_->view;
  if (v.equations == 4) return time_step_scales<Space>(v, scale);
  with_model(v, [&]<class M>(M) { turbulent_scales<Space, M>(v, scale); });
}

template <class Space>
void Discretisation<Space>::jacobian(View<const double> U, BlockSparse<Space>& J) {
  SpatialView v = arrays_->view;
  if (J.block() != v.equations || J.rows() != v.cells.count ||
      J.blocks() != v.cells.count + 2 * std::int64_t{v.faces.inner})
    throw Error(Exit::internal, "the matrix pattern does not match this mesh");
  v.order = 1;
  v.diagonal = J.diagonal().data();
  with_kind(J, [&](auto& kind) {
    using Kind = std::remove_reference_t<decltype(kind)>;
    if constexpr (Kind::is_rounded)
      v.floats = kind.values().data(), v.by_columns = Kind::by_columns;
    else
      v.values = kind.values().data();
  });
  all_states<Space>(*arrays_, U);
  const bool has_border = v.faces.count > v.faces.inner;
  if (v.equations == 6) {  // for the auxiliary numbers
    gradients<Space>(v);
    turbulent_gradients<Space, MenterSst>(v);
  }
  if (v.equations > 4)
    return with_model(v, [&]<class M>(M) {
      if (has_border) turbulent_border_jacobian<Space, M>(v);
      v.faces.count = v.faces.inner;
      turbulent_jacobian<Space, M>(v);
    });
  if (has_border) border_jacobian<Space>(v);
  v.faces.count = v.faces.inner;
  interior_jacobian(Space{}, v);
  boundary_jacobian<Space>(v);
}

template <class Space>
void Discretisation<Space>::wall_stress(View<const double> U, int patch, const WallStress<Space>& stress) {
  SpatialArrays<Space>& a = *arrays_;
  states_and_gradients<Space>(a, U);
  wall_stresses<Space>(a.view, a.patch_first[patch], a.patch_own[patch], stress);
}

template <class Space>
void Discretisation<Space>::eddy_viscosity(View<const double> U, View<double> of_cells) {
  states_and_gradients<Space>(*arrays_, U);
  const SpatialView v = arrays_->view;
  double* out = of_cells.data();
  for_each<Space>(v.cells.count, [=] WEIR_HD(int i) {
    const double *w = v.w + 4 * i, *t = v.turbulence.value + 2 * i, *unit = v.turbulence.unit;
    const double least = sst::least_omega;  // a copy: device code must not take the address of a host constant
    const double rho = v.gas.gamma_m2 * w[0] / w[3], omega = larger_of(unit[1] * t[1], least);
    out[i] = sst::eddy_viscosity(rho, unit[0] * t[0], omega, v.turbulence.auxiliary[2 * i]) / v.gas.viscosity;
  });
}

template <class Space>
void store_outside(const SpatialView& v, int first, int count, View<const double> states) {
  double* out = v.boundary.outside + std::int64_t{4} * first;
  const double* s = states.data();
  const double gamma_m2 = v.gas.gamma_m2;
  for_each<Space>(count, [=] WEIR_HD(int f) {
    out[4 * f] = s[4 * f + 3];
    out[4 * f + 1] = s[4 * f + 1];
    out[4 * f + 2] = s[4 * f + 2];
    out[4 * f + 3] = gamma_m2 * s[4 * f + 3] / s[4 * f];
  });
}
template <class Space>
void Discretisation<Space>::set_outside(int patch, View<const double> states) {
  const SpatialArrays<Space>& a = *arrays_;
  store_outside<Space>(a.view, a.patch_first[patch], a.patch_count[patch], states);
}

template <class Space>
void Discretisation<Space>::set_records(int patch, View<const double> records) {
  const SpatialArrays<Space>& a = *arrays_;
  double* out = a.view.boundary.outside + std::int64_t{4} * a.patch_first[patch];
  const double* r = records.data();
  for_each<Space>(4 * a.patch_count[patch], [=] WEIR_HD(int i) { out[i] = r[i]; });
}

template <class Space>
View<const double> Discretisation<Space>::volume() const {
  return static_cast<const Array<double, Space>&>(arrays_->volume).view();
}
template <class Space>
const Communicator* Discretisation<Space>::ranks() const {
  return arrays_->ranks;
}
template <class Space>
void Discretisation<Space>::couple(View<double> blocks) const {
  const double* border = arrays_->border.data();
  double* out = blocks.data();
  for_each<Space>(blocks.size(), [=] WEIR_HD(int i) { out[i] = border[i]; });
}
template <class Space>
const Halo<Space>& Discretisation<Space>::halo() const {
  return arrays_->halo;
}

template struct SpatialArrays<Host>;
template struct SpatialArrays<Device>;
template class Discretisation<Host>;
template class Discretisation<Device>;

}  // namespace weir
