// A cycle of conjugate gradients whose scalars stay on the device (device_scalars.hpp): the algorithm, the kernels and their order of
// cg.cu. Each thread computes alpha or beta once, from the sums before it. The end of each sum says whether the method
// goes on.
// Included by cg.cu only.
#pragma once
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/krylov/on_device/device_scalars.hpp"

namespace weir {

struct CgScalars {
  UnseenIterations unseen;
  Pair zr[2];  // {z.r, z.q} of even and odd iterations; z.q where M is not symmetric
  double pq = 0;
  double alpha = 0;  // of this iteration, if it counts; 0 behind the last
};

namespace cg_device {

struct Kind {
  bool is_identity, is_symmetric;  // M
};

WEIR_HD inline DeviceStop obstacle(const CgScalars& s, double zr, Kind M) {
  if (!is_finite(s.pq) || !is_finite(zr)) return DeviceStop::not_finite;
  if (!(s.pq > 0) || zr == 0 || (zr < 0 && M.is_symmetric)) return DeviceStop::breakdown;
  return DeviceStop::none;
}
WEIR_HD inline double alpha_of(const CgScalars& s, double zr, Kind M) {
  return s.unseen.running() && obstacle(s, zr, M) == DeviceStop::none ? zr / s.pq : 0;
}

struct AdvanceResidual {
  double alpha;
  ConstVector q;
  Vector r;
  WEIR_HD double operator()(int i) const {
    const double v = r[i] - alpha * q[i];
    r[i] = v;
    return v * v;
  }
};
struct AdvanceDirection {
  double alpha, beta;
  bool goes_on;
  ConstVector z;
  Vector p, x;
  WEIR_HD void operator()(int i) const {
    if (alpha == 0) return;
    const double old = p[i];
    x[i] += alpha * old;
    if (goes_on) p[i] = z[i] + beta * old;
  }
};

// r -= alpha q; this iteration's residual.
inline void advance_residual(CgScalars* s, int parity, Kind M, ConstVector q, Vector r) {
  sum_then(
      r.size(),
      [=] WEIR_HD() {
        return AdvanceResidual{alpha_of(*s, s->zr[parity].a, M), q, r};
      },
      [=] WEIR_HD(double rr) {
        const double zr = s->zr[parity].a;
        s->alpha = alpha_of(*s, zr, M);
        if (!s->unseen.running()) return;
        s->unseen.stop = obstacle(*s, zr, M);
        if (!s->unseen.running()) return;
        s->unseen.add(sqrt(rr));
        if (s->unseen.stop == DeviceStop::not_finite) s->alpha = 0;
        if (M.is_identity) s->zr[1 - parity].a = rr;
      });
}

// x += alpha p, p = z + beta p
inline void advance_direction(const CgScalars* s, int parity, Kind M, ConstVector z, Vector p, Vector x) {
  for_each_with_scalars(x.size(), [=] WEIR_HD() {
    const double alpha = s->alpha, zr = s->zr[parity].a;
    const Pair now = s->zr[1 - parity];
    const double beta = M.is_symmetric ? now.a / zr : -alpha * now.b / zr;
    return AdvanceDirection{alpha, beta, s->unseen.running(), z, p, x};
  });
}

struct Vectors {
  Vector r, z, p, q, x;
};

inline void iterate(Iteration<Device>& it, CgScalars* s, int parity, Kind M, const Vectors& v) {
  it.update([&] { advance_residual(s, parity, M, v.q, v.r); });
  if (M.is_symmetric && !M.is_identity) {
    it.precondition_dot_at(&s->zr[1 - parity].a, v.r, v.z);
  } else if (!M.is_identity) {
    it.precondition(v.r, v.z);
    it.update([&] { leave_sum<Device>(&s->zr[1 - parity].a, [&] { return dot2<Device>(v.z, v.r, v.q); }); });
  }
  it.update([&] { advance_direction(s, parity, M, v.z, v.p, v.x); });
  it.apply_dot_at(&s->pq, v.p, v.q);
}

inline void cycle(Iteration<Device>& it, DeviceScalars<CgScalars>& scalars, Kind M, int most, const Vectors& v) {
  CgScalars* const s = scalars.place();
  CgScalars now{};
  now.unseen.target = it.target();
  now.zr[0].a = it.rr();
  scalars.start(now);
  if (!M.is_identity) it.precondition_dot_at(&s->zr[0].a, v.r, v.z);
  assign<Device>(v.z, v.p);
  it.apply_dot_at(&s->pq, v.p, v.q);
  bool records = false;
  RecordedWork<Device> recorded[2];  // an iteration of either parity
  const auto once = [&](int parity) {
    const auto iteration = [&] { iterate(it, s, parity, M, v); };
    records ? recorded[parity].run(iteration) : iteration();
  };
  double norm = it.norm();
  const auto step = [&](double residual) { return it.step(norm = residual); };
  for (int parity = 0; now.unseen.running();) {
    const int rest = std::min(expected_iterations(scalars.seen(), it.norm(), norm, it.target()), it.iterations_left());
    records = records || pays_to_record(it, v.x.size(), scalars.seen(), rest);
    for (int k = std::min({rest, most, most_unseen}); k > 0; --k, parity = 1 - parity) once(parity);
    if (!scalars.look(now, step)) return;
  }
  it.stop(now.unseen.stop == DeviceStop::not_finite ? Reason::not_finite : Reason::breakdown);
}

}  // namespace cg_device
}  // namespace weir
