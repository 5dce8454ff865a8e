// A x = b for A = R (L - E) R (cut_rows.hpp) by conjugate gradients in the near rows alone (O'Leary & Widlund 1979):
// after x += R L^-1 r the residual, E L^-1 r, is zero outside of the cut rows. Further iterations are preconditioned by
//  s = omega D^-1 r (cut rows)    f = r - A s    y = L^-1 f    t = omega D^-1 E y    z = s + R y + t ,
// with A z = r - (E y - A t). This is symmetric, and r, f and A z stay zero outside of the near rows: L^-1 is needed
// there only, for values in the same rows (Banegas 1978). omega D^-1 treats the cells that a body closes almost, whose
// couplings L cannot represent. The solution outside of the near rows is L^-1 of the sum of the sources f, computed
// once at the end. Set-up is one pass over the matrix, so that a body may move.
#include <cmath>

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/preconditioner/fast_poisson/cut_rows.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace near_rows {

constexpr double omega = 0.7;

// Dry rows: x += r / diagonal, r = 0.
template <class Space>
static void solve_dry(const CutRowsView& rows, View<double> r, View<double> x) {
  for_each<Space>(r.size(), [=] WEIR_HD(int c) {
    if (rows.wet[c]) return;
    if (rows.diagonal[c] != 0) x[c] += r[c] / rows.diagonal[c];
    r[c] = 0;
  });
}
template <class Space>
static void add_wet(const CutRowsView& rows, View<const double> y, View<double> x) {
  for_each<Space>(x.size(), [=] WEIR_HD(int c) { x[c] += rows.wet[c] ? y[c] : 0; });
}
// r = E y
template <class Space>
static void removed(const CutRowsView& rows, const double* y, double* r) {
  for_each<Space>(rows.near, [=] WEIR_HD(int q) { r[q] = q < rows.cut ? rows.removed(q, y) : 0; });
}
// part = s = omega D^-1 r in the cut rows
template <class Space>
static void smooth(const CutRowsView& rows, const double* r, double* part, double* s) {
  const double* diagonal = rows.a + slot::delta * rows.near;
  for_each<Space>(rows.cut, [=] WEIR_HD(int q) { s[rows.cell[q]] = part[q] = omega * r[q] / diagonal[q]; });
}
// f = r - A s
template <class Space>
static void source_after(const CutRowsView& rows, const double* r, const double* s, double* f, double* source) {
  for_each<Space>(rows.near, [=] WEIR_HD(int q) { source[rows.cell[q]] = f[q] = r[q] - rows.product(q, s); });
}
// e = E y, s = omega D^-1 e, part += s
template <class Space>
static void smooth_after(const CutRowsView& rows, const double* y, double* e, double* part, double* s) {
  const double* diagonal = rows.a + slot::delta * rows.near;
  for_each<Space>(rows.cut, [=] WEIR_HD(int q) {
    const double removed = rows.removed(q, y), t = omega * removed / diagonal[q];
    e[q] = removed;
    s[rows.cell[q]] = t;
    part[q] += t;
  });
}
struct Parts {
  const double *r, *part, *s, *y;
};
// z = y + part, az = r - (e - A s); az holds e.
template <class Space>
static void preconditioned(const CutRowsView& rows, const Parts& of, double* z, double* az) {
  for_each<Space>(rows.near, [=] WEIR_HD(int q) {
    const bool cut = q < rows.cut;
    az[q] = of.r[q] - ((cut ? az[q] : 0) - rows.product(q, of.s));
    z[q] = of.y[rows.cell[q]] + (cut ? of.part[q] : 0);
  });
}
// p = z + beta p
template <class Space>
static void turn(double beta, View<const double> z, View<double> p) {
  for_each<Space>(z.size(), [=] WEIR_HD(int q) { p[q] = beta == 0 ? z[q] : z[q] + beta * p[q]; });
}
template <class Space>
static void scatter(int count, const int* cell, const double* from, double* to) {
  for_each<Space>(count, [=] WEIR_HD(int q) { to[cell[q]] = from[q]; });
}
template <class Space>
static void add(int count, const int* cell, const double* from, View<double> to) {
  for_each<Space>(count, [=] WEIR_HD(int q) { to[cell[q]] += from[q]; });
}
template <class Space>
static void clear(const CutRowsView& rows, double* s, double* source) {
  for_each<Space>(rows.near, [=] WEIR_HD(int q) { s[rows.cell[q]] = source[rows.cell[q]] = 0; });
}

}  // namespace near_rows

namespace {

template <class Space>
class Capacitance final : public Preconditioner<Space> {
 public:
  Capacitance() : Preconditioner<Space>({.keeps_symmetry = true, .is_method_alone = true}) {}

  void apply(View<const double>, View<double>) const override {
    throw Error(Exit::usage, "capacitance is a method, not a preconditioner");
  }
  std::unique_ptr<Krylov<Space>> own_method(const KrylovOptions& options) const override;
  std::string describe() const override {
    if (!plan_) return "capacitance";
    return "capacitance (" + std::to_string(rows_.view().cut) + " cut rows of " + std::to_string(rows_.wet()) + "; " +
           plan_->describe() + ")";
  }

  CutRowsView rows() const { return rows_.view(); }
  void solve_whole(View<const double> r, View<double> z) const { sweep_->solve(*plan_, r, z); }
  void solve_near(View<const double> r, View<double> z) const { sweep_->solve_near(*plan_, r, z); }

 private:
  SetupInfo do_setup(const Matrix<Space>& matrix) override {
    const auto& A = taken_as<Banded<Space>>(matrix, "capacitance");
    const SeparableOperator before = rows_.whole();
    rows_.find(A);
    if (!plan_ || rows_.whole().direction != before.direction) {
      constexpr bool on_host = std::is_same_v<Space, Host>;
      plan_ = std::make_unique<FastPoissonPlan>(make_fast_poisson_plan(rows_.whole(), {}, on_host, on_host ? 1 : 4096));
      sweep_ = make_fast_poisson_sweep<Space>(*plan_);
    }
    plan_->scale = rows_.whole().scale;
    sweep_->keep_near(*plan_, rows_.rows_near());
    return {.bytes = sweep_->bytes() + rows_.bytes()};
  }

  CutRows<Space> rows_;
  std::unique_ptr<FastPoissonPlan> plan_;
  std::unique_ptr<FastPoissonSweep<Space>> sweep_;
};

// Vectors of the near rows. A direction p has a part in the cut rows and a source f: p = part + R L^-1 f.
template <class Space>
struct NearVectors {
  GrowingArray<double, Space> r, f, z, az, p, ap, part, p_part, p_source, x_part, x_source;
  void resize(int cut, int near) {
    for (auto* v : {&r, &f, &z, &az, &p, &ap, &p_source, &x_source}) v->resize(near);
    for (auto* v : {&part, &p_part, &x_part}) v->resize(cut);
  }
};

template <class Space>
class CapacitanceMethod final : public Krylov<Space> {
 public:
  CapacitanceMethod(const Capacitance<Space>& solver, const KrylovOptions& options)
      : solver_(solver), options_(options) {}
  const char* name() const override { return "capacitance"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    for (auto* v : {&r_, &y_}) fit(*v, A.size());
    if (s_.size() != A.size()) s_ = zeros(A.size()), source_ = zeros(A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    for (it.start(r_); it.running(); it.restart(r_)) cycle(it, x);
    return it.finish();
  }

 private:
  static Array<double, Space> zeros(std::int64_t n) {
    Array<double, Space> v(n);
    fill<Space>(0, v);
    return v;
  }
  void cycle(Iteration<Space>& it, View<double> x) {
    const CutRowsView rows = solver_.rows();
    v_.resize(rows.cut, rows.near);
    it.apply_part([&] { start(rows, x); });
    if (!it.step(norm())) return;
    fill<Space>(0, {v_.x_part.data(), rows.cut});
    fill<Space>(0, {v_.x_source.data(), rows.near});
    double rz = 0;
    bool more = true;
    for (bool is_first = true; more; is_first = false) {
      it.apply_part([&] { precondition(rows); });
      const double rz_now = product(v_.r, v_.z);
      const double pq = it.update([&] { return turn(is_first ? 0 : rz_now / rz); });
      rz = rz_now;
      if (!std::isfinite(pq)) {
        it.stop(Reason::not_finite);
        break;
      }
      if (!(pq > 0) || !(rz > 0)) {
        it.stop(Reason::breakdown);
        break;
      }
      it.update([&] { advance(rz / pq); });
      more = it.step(norm());
    }
    it.apply_part([&] { finish(rows, x); });
    near_rows::clear<Space>(rows, s_.data(), source_.data());  // the next matrix may have other near rows
  }

  // x += R L^-1 r, r = E L^-1 r. Dry rows: x += r / diagonal.
  void start(const CutRowsView& rows, View<double> x) {
    near_rows::solve_dry<Space>(rows, r_, x);
    solver_.solve_whole(r_, y_);
    near_rows::add_wet<Space>(rows, y_, x);
    near_rows::removed<Space>(rows, y_.data(), v_.r.data());
  }

  // z and A z in the near rows, the part of z in the cut rows, and the source f of the rest.
  void precondition(const CutRowsView& rows) {
    double *s = s_.data(), *y = y_.data();
    near_rows::smooth<Space>(rows, v_.r.data(), v_.part.data(), s);
    near_rows::source_after<Space>(rows, v_.r.data(), s, v_.f.data(), source_.data());
    solver_.solve_near(source_, y_);
    near_rows::smooth_after<Space>(rows, y, v_.az.data(), v_.part.data(), s);
    near_rows::preconditioned<Space>(rows, {v_.r.data(), v_.part.data(), s, y}, v_.z.data(), v_.az.data());
  }
  double product(const GrowingArray<double, Space>& a, const GrowingArray<double, Space>& b) const {
    return dot<Space>(view(a), view(b));
  }
  double norm() const {
    return options_.norm == Norm::l2 ? std::sqrt(product(v_.r, v_.r)) : max_norm<Space>(view(v_.r));
  }
  static View<double> view(const GrowingArray<double, Space>& a) { return {a.data(), a.size()}; }
  // p = z + beta p with all its parts; returns p . A p.
  double turn(double beta) {
    near_rows::turn<Space>(beta, view(v_.z), view(v_.p));
    near_rows::turn<Space>(beta, view(v_.az), view(v_.ap));
    near_rows::turn<Space>(beta, view(v_.part), view(v_.p_part));
    near_rows::turn<Space>(beta, view(v_.f), view(v_.p_source));
    return product(v_.p, v_.ap);
  }
  void advance(double alpha) {
    axpy<Space>(-alpha, view(v_.ap), view(v_.r));
    axpy<Space>(alpha, view(v_.p_part), view(v_.x_part));
    axpy<Space>(alpha, view(v_.p_source), view(v_.x_source));
  }
  // x += part + R L^-1 source.
  void finish(const CutRowsView& rows, View<double> x) {
    near_rows::scatter<Space>(rows.near, rows.cell, v_.x_source.data(), source_.data());
    solver_.solve_whole(source_, y_);
    near_rows::add_wet<Space>(rows, y_, x);
    near_rows::add<Space>(rows.cut, rows.cell, v_.x_part.data(), x);
  }

  const Capacitance<Space>& solver_;
  KrylovOptions options_;
  Array<double, Space> r_, y_, s_, source_;  // s_ and source_: zero outside of the near rows
  NearVectors<Space> v_;
};

template <class Space>
std::unique_ptr<Krylov<Space>> Capacitance<Space>::own_method(const KrylovOptions& options) const {
  return std::make_unique<CapacitanceMethod<Space>>(*this, options);
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_capacitance(const Table&) {
  return std::make_unique<Capacitance<Space>>();
}

}  // namespace

constexpr PreconditionerDescription preconditioner::capacitance{
    .name = "capacitance",
    .meaning = "method only: conjugate gradients in the rows next to a body, by fast diagonalisation of the whole grid",
    .citation = "O'Leary & Widlund 1979; Banegas 1978",
    .options = {},
    .matrices = on_banded,
    .over_ranks = 0,
    .update_cost = 2,
    .bytes = [](const Table&, const MatrixSize& A) { return 33 * A.unknowns(); },
    .make_host = make_capacitance<Host>,
    .make_device = make_capacitance<Device>};

}  // namespace weir
