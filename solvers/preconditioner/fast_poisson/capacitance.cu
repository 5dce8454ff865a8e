// A x = b for A = R (L - E) R (cut_rows.hpp) by conjugate gradients in the near rows alone (O'Leary & Widlund 1979):
// after x += R L^-1 r the residual, E L^-1 r, is zero outside of the cut rows. Further iterations are preconditioned by
//  s = omega D^-1 r (cut rows)    f = r - A s    y = L^-1 f    t = omega D^-1 E y    z = s + R y + t ,
// with A z = r - (E y - A t): symmetric, and every vector stays zero outside of the near rows, in which L^-1 is computed
// from values in the same rows (Banegas 1978). omega D^-1 takes care of the cells that a body closes almost, whose
// couplings L cannot represent. The parts of z outside of the near rows are summed as their sources f, and computed once
// by L^-1 at the end. Set-up: one pass over the matrix, so that a body may move.
#include <cmath>

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/preconditioner/fast_poisson/cut_rows.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr double omega = 0.7;

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
    clear(rows);
  }

  // x += R L^-1 r, r = E L^-1 r. Dry rows: x += r / diagonal.
  void start(const CutRowsView& rows, View<double> x) {
    const View<double> r = r_, y = y_;
    for_each<Space>(r.size(), [=] WEIR_HD(int c) {
      if (rows.wet[c]) return;
      if (rows.diagonal[c] != 0) x[c] += r[c] / rows.diagonal[c];
      r[c] = 0;
    });
    solver_.solve_whole(r, y);
    add_wet(rows, x);
    double* near = v_.r.data();
    for_each<Space>(rows.near, [=] WEIR_HD(int q) { near[q] = q < rows.cut ? rows.removed(q, y.data()) : 0; });
  }
  void add_wet(const CutRowsView& rows, View<double> x) {
    const View<double> y = y_;
    for_each<Space>(x.size(), [=] WEIR_HD(int c) { x[c] += rows.wet[c] ? y[c] : 0; });
  }

  // z and A z in the near rows, the part of z in the cut rows, and the source f of the rest.
  void precondition(const CutRowsView& rows) {
    double *s = s_.data(), *y = y_.data(), *source = source_.data();
    double *r = v_.r.data(), *f = v_.f.data(), *z = v_.z.data(), *az = v_.az.data(), *part = v_.part.data();
    const int cut = rows.cut, near = rows.near, own = slot::delta * near;
    for_each<Space>(cut, [=] WEIR_HD(int q) { s[rows.cell[q]] = part[q] = omega * r[q] / rows.a[own + q]; });
    for_each<Space>(near, [=] WEIR_HD(int q) { source[rows.cell[q]] = f[q] = r[q] - rows.product(q, s); });
    solver_.solve_near(source_, y_);
    for_each<Space>(cut, [=] WEIR_HD(int q) {
      const double e = rows.removed(q, y), t = omega * e / rows.a[own + q];
      az[q] = e;
      s[rows.cell[q]] = t;
      part[q] += t;
    });
    for_each<Space>(near, [=] WEIR_HD(int q) {
      az[q] = r[q] - ((q < cut ? az[q] : 0) - rows.product(q, s));
      z[q] = y[rows.cell[q]] + (q < cut ? part[q] : 0);
    });
  }
  double product(const GrowingArray<double, Space>& a, const GrowingArray<double, Space>& b) const {
    const double *x = a.data(), *y = b.data();
    return sum<Space>(a.size(), [=] WEIR_HD(int q) { return x[q] * y[q]; });
  }
  double norm() const {
    const double* r = v_.r.data();
    if (options_.norm == Norm::l2) return std::sqrt(product(v_.r, v_.r));
    return max_abs<Space>(v_.r.size(), [=] WEIR_HD(int q) { return r[q]; });
  }
  // p = z + beta p with all its parts; returns p . A p.
  double turn(double beta) {
    const auto add = [&](const GrowingArray<double, Space>& to, const GrowingArray<double, Space>& from) {
      double* p = to.data();
      const double* z = from.data();
      for_each<Space>(from.size(), [=] WEIR_HD(int q) { p[q] = beta == 0 ? z[q] : z[q] + beta * p[q]; });
    };
    add(v_.p, v_.z);
    add(v_.ap, v_.az);
    add(v_.p_part, v_.part);
    add(v_.p_source, v_.f);
    return product(v_.p, v_.ap);
  }
  void advance(double alpha) {
    const auto add = [&](double factor, const GrowingArray<double, Space>& to,
                         const GrowingArray<double, Space>& from) {
      double* x = to.data();
      const double* p = from.data();
      for_each<Space>(from.size(), [=] WEIR_HD(int q) { x[q] += factor * p[q]; });
    };
    add(-alpha, v_.r, v_.ap);
    add(alpha, v_.x_part, v_.p_part);
    add(alpha, v_.x_source, v_.p_source);
  }
  // x += part + R L^-1 source.
  void finish(const CutRowsView& rows, View<double> x) {
    double *source = source_.data(), *part = v_.x_part.data(), *f = v_.x_source.data();
    for_each<Space>(rows.near, [=] WEIR_HD(int q) { source[rows.cell[q]] = f[q]; });
    solver_.solve_whole(source_, y_);
    add_wet(rows, x);
    for_each<Space>(rows.cut, [=] WEIR_HD(int q) { x[rows.cell[q]] += part[q]; });
  }
  // The next matrix may have other near rows.
  void clear(const CutRowsView& rows) {
    double *s = s_.data(), *source = source_.data();
    for_each<Space>(rows.near, [=] WEIR_HD(int q) { s[rows.cell[q]] = source[rows.cell[q]] = 0; });
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
