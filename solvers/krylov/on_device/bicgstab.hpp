// A cycle of BiCGSTAB whose scalars stay on the device (device_scalars.hpp): the algorithm, the tests and their order of
// bicgstab.cu. Included by that one only.
#pragma once
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/krylov/on_device/device_scalars.hpp"

namespace weir {

struct BicgstabScalars {
  UnseenIterations unseen;
  Pair first, second;  // {v.r0, v.v}, {t.s, t.t}
  double r0_norm = 0, rho = 0, rr = 0, ss = 0;
  double alpha = 0, omega = 0;  // of this iteration, if it counts; alpha is 0 behind the last
  double beta = 0;
};

namespace bicgstab_device {

WEIR_HD inline bool is_noise(double product, double a, double b) {
  return fabs(product) <= product_noise * a * sqrt(b);
}
WEIR_HD inline DeviceStop lost(const BicgstabScalars& s) {
  return s.unseen.count == 0 ? DeviceStop::breakdown : DeviceStop::lost;
}
WEIR_HD inline DeviceStop obstacle(const BicgstabScalars& s) {
  if (!is_finite(s.first.a)) return DeviceStop::not_finite;
  if (is_noise(s.first.a, s.r0_norm, s.first.b) || is_noise(s.rho, s.r0_norm, s.rr)) return lost(s);
  return DeviceStop::none;
}
WEIR_HD inline double alpha_of(const BicgstabScalars& s) {
  return s.unseen.running() && obstacle(s) == DeviceStop::none ? s.rho / s.first.a : 0;
}
// 0: t tells nothing about s.
WEIR_HD inline double omega_of(const BicgstabScalars& s) {
  const bool usable = s.second.b > 0 && !is_noise(s.second.a, sqrt(s.ss), s.second.b);
  return s.unseen.running() && usable ? s.second.a / s.second.b : 0;
}

struct Vectors {
  Vector r, r0, p, v, t, Mp, Ms, x;
};

struct FirstHalf {
  double alpha;
  ConstVector v;
  Vector r;
  WEIR_HD double operator()(int i) const {
    const double value = r[i] - alpha * v[i];
    r[i] = value;
    return value * value;
  }
};
struct SecondHalf {
  double alpha, omega;
  ConstVector Mp, Ms, t, r0;
  Vector r, x;
  WEIR_HD Pair operator()(int i) const {
    if (alpha == 0) return {};
    if (omega == 0) {
      x[i] += alpha * Mp[i];
      return {};
    }
    const double s = r[i];
    x[i] += alpha * Mp[i] + omega * Ms[i];
    const double ri = s - omega * t[i];
    r[i] = ri;
    return {ri * ri, r0[i] * ri};
  }
};
struct NextDirection {
  double beta, omega;
  bool goes_on;
  ConstVector r, v;
  Vector p;
  WEIR_HD void operator()(int i) const {
    if (goes_on) p[i] = r[i] + beta * (p[i] - omega * v[i]);
  }
};

// s = r - alpha v, in the place of r
inline void first_half(BicgstabScalars* s, const Vectors& w) {
  const ConstVector v = w.v;
  const Vector r = w.r;
  sum_then(
      r.size(),
      [=] WEIR_HD() {
        return FirstHalf{alpha_of(*s), v, r};
      },
      [=] WEIR_HD(double ss) {
        s->alpha = alpha_of(*s);
        if (!s->unseen.running()) return;
        s->unseen.stop = obstacle(*s);
        if (!s->unseen.running()) return;
        s->ss = ss;
        if (!is_finite(ss)) {
          s->unseen.stop = DeviceStop::not_finite;
          s->alpha = 0;
        } else if (sqrt(ss) <= s->unseen.target) {
          s->unseen.add(sqrt(ss));  // half the iteration was enough
        }
      });
}

// x += alpha p + omega s, r = s - omega t; without a usable omega only what the first half has gained. Without a preconditioner Ms
// is r: x reads it before r is written.
inline void second_half(BicgstabScalars* s, const Vectors& w) {
  const ConstVector Mp = w.Mp, Ms = w.Ms, t = w.t, r0 = w.r0;
  const Vector x = w.x, r = w.r;
  sum2_then(
      x.size(), [=] WEIR_HD() { return SecondHalf{s->alpha, omega_of(*s), Mp, Ms, t, r0, r, x}; },
      [=] WEIR_HD(const Pair& sums) {
        if (!s->unseen.running()) return;
        const double omega = omega_of(*s);
        if (omega == 0) {
          const DeviceStop stop = lost(*s);
          s->unseen.add(sqrt(s->ss));
          s->unseen.stop = stop;
          return;
        }
        s->omega = omega;
        s->beta = sums.b / s->rho * (s->alpha / omega);
        s->rr = sums.a;
        s->rho = sums.b;
        s->unseen.add(sqrt(sums.a));
      });
}

// p = r + beta (p - omega v)
inline void next_direction(const BicgstabScalars* s, ConstVector r, ConstVector v, Vector p) {
  for_each_with_scalars(p.size(),
                        [=] WEIR_HD() { return NextDirection{s->beta, s->omega, s->unseen.running(), r, v, p}; });
}

inline void iterate(Iteration<Device>& it, BicgstabScalars* s, const Vectors& w) {
  it.precondition(w.p, w.Mp);
  it.apply_dots_at(&s->first.a, w.Mp, w.r0, w.v);
  it.update([&] { first_half(s, w); });
  it.precondition(w.r, w.Ms);
  it.apply_dots_at(&s->second.a, w.Ms, w.r, w.t);
  it.update([&] { second_half(s, w); });
  it.update([&] { next_direction(s, w.r, w.v, w.p); });
}

inline void cycle(Iteration<Device>& it, DeviceScalars<BicgstabScalars>& scalars, int most, const Vectors& w) {
  BicgstabScalars now{};
  now.unseen.target = it.target();
  now.rho = now.rr = it.rr();
  now.r0_norm = std::sqrt(it.rr());
  scalars.start(now);
  assign<Device>(w.r, w.r0);
  assign<Device>(w.r, w.p);
  bool records = false;
  RecordedWork<Device> recorded;
  const auto once = [&] {
    const auto iteration = [&] { iterate(it, scalars.place(), w); };
    records ? recorded.run(iteration) : iteration();
  };
  double norm = it.norm();
  const auto step = [&](double residual) { return it.step(norm = residual); };
  while (now.unseen.running()) {
    const int rest = std::min(expected_iterations(scalars.seen(), it.norm(), norm, it.target()), it.iterations_left());
    records = records || pays_to_record(it, w.x.size(), scalars.seen(), rest);
    for (int k = std::min({rest, most, most_unseen}); k > 0; --k) once();
    if (!scalars.look(now, step)) return;
  }
  if (now.unseen.stop == DeviceStop::not_finite) it.stop(Reason::not_finite);
  if (now.unseen.stop == DeviceStop::breakdown) it.stop(Reason::breakdown);
}

}  // namespace bicgstab_device
}  // namespace weir
