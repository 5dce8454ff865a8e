#include "miniapps/compressible/body_force.hpp"

#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

// V (F + rho g) of cell i.
struct Source {
  const double *force, *volume;
  double gx, gy;
  WEIR_HD double x(int i, double rho) const { return force[2 * i] + volume[i] * gx * rho; }
  WEIR_HD double y(int i, double rho) const { return force[2 * i + 1] + volume[i] * gy * rho; }
};

}  // namespace

template <class Space>
BodyForce<Space>::BodyForce(const CompressibleCase& c, const UnstructuredMesh& mesh, int own, int n)
    : c_(c), mesh_(mesh), n_(n) {
  if (!c.has_force()) return;
  host_.resize(std::size_t{2} * static_cast<std::size_t>(own));
  force_ = Array<double, Space>(std::int64_t{2} * own);
  volume_ = Array<double, Space>(std::vector<double>(mesh.volume.begin(), mesh.volume.begin() + own));
}

template <class Space>
void BodyForce<Space>::set_time(double t) {
  if (!is_on()) return;
  for (std::size_t i = 0; i < host_.size() / 2; ++i) {
    const double x[3] = {mesh_.centre[i][0], mesh_.centre[i][1], 0};
    for (std::size_t d = 0; d < 2; ++d) host_[2 * i + d] = mesh_.volume[i] * c_.body_force[d].at(x, t);
  }
  force_.upload(host_);
}

template <class Space>
void BodyForce<Space>::add_to_residual(View<const double> U, View<double> R) const {
  if (!is_on()) return;
  const Source s{force_.data(), volume_.data(), c_.gravity[0], c_.gravity[1]};
  const double* u = U.data();
  double* r = R.data();
  const int n = n_;
  for_each<Space>(volume_.size(), [=] WEIR_HD(int i) {
    const double *q = u + n * i, x = s.x(i, q[0]), y = s.y(i, q[0]);
    r[n * i + 1] -= x;
    r[n * i + 2] -= y;
    r[n * i + 3] -= (x * q[1] + y * q[2]) / q[0];
  });
}

template <class Space>
void BodyForce<Space>::add_to_product(View<const double> U, View<const double> X, View<double> Y) const {
  if (!is_on()) return;
  const Source s{force_.data(), volume_.data(), c_.gravity[0], c_.gravity[1]};
  const double *u = U.data(), *v = X.data();
  double* out = Y.data();
  const int n = n_;
  for_each<Space>(volume_.size(), [=] WEIR_HD(int i) {
    const double *q = u + n * i, *d = v + n * i, x = s.x(i, q[0]), y = s.y(i, q[0]);
    const double fx = s.force[2 * i], fy = s.force[2 * i + 1];
    out[n * i + 1] -= s.volume[i] * s.gx * d[0];
    out[n * i + 2] -= s.volume[i] * s.gy * d[0];
    out[n * i + 3] -= (x * d[1] + y * d[2]) / q[0] - (fx * q[1] + fy * q[2]) / (q[0] * q[0]) * d[0];
  });
}

template <class Space>
template <class T>
void BodyForce<Space>::add_to_blocks(View<const double> U, const std::int64_t* diagonal, bool by_columns,
                                     T* values) const {
  if (!is_on()) return;
  const Source s{force_.data(), volume_.data(), c_.gravity[0], c_.gravity[1]};
  const double* u = U.data();
  const int n = n_;
  for_each<Space>(volume_.size(), [=] WEIR_HD(int i) {
    T* block = values + n * n * diagonal[i];
    const auto subtract = [&](int row, int column, double value) {
      T& entry = block[by_columns ? n * column + row : n * row + column];
      entry = static_cast<T>(entry - value);
    };
    const double *q = u + n * i, x = s.x(i, q[0]), y = s.y(i, q[0]);
    const double fx = s.force[2 * i], fy = s.force[2 * i + 1];
    subtract(1, 0, s.volume[i] * s.gx);
    subtract(2, 0, s.volume[i] * s.gy);
    subtract(3, 0, -(fx * q[1] + fy * q[2]) / (q[0] * q[0]));
    subtract(3, 1, x / q[0]);
    subtract(3, 2, y / q[0]);
  });
}

#define WEIR_BODY_FORCE(S)                                                                                 \
  template class BodyForce<S>;                                                                             \
  template void BodyForce<S>::add_to_blocks(View<const double>, const std::int64_t*, bool, double*) const; \
  template void BodyForce<S>::add_to_blocks(View<const double>, const std::int64_t*, bool, float*) const;
WEIR_BODY_FORCE(Host)
WEIR_BODY_FORCE(Device)
#undef WEIR_BODY_FORCE

}  // namespace weir
