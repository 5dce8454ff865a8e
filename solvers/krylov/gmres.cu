// Restarted GMRES (Saad & Schultz 1986), right preconditioned: it minimises |b - A x|. `fgmres` keeps Z_j = M^-1 V_j
// (Saad 1993), so that M may change between applications. If M is constant, Z is not stored: x += M^-1 (V y) needs half
// the memory and one more application, unless M is expensive.
//  w = A M^-1 v_j,   h_j = V^T w,   w -= V h_j,   v_{j+1} = w / |w|
//  y = argmin | |r0| e_1 - H y |  by Givens rotations,   x += M^-1 (V y)   or   x += Z y
// Orthogonalisation: classical Gram-Schmidt, with a second pass if the first left less than 1/sqrt(2) of the length of
// w and w is measurably not orthogonal to the basis (basis.hpp). In the max norm the recurrence only gives |r|_2: a
// cycle ends when that, scaled by the ratio of the norms at its start, meets the target, and the restart checks the
// true residual.
//
// `basis = "float"` stores V (and Z) as floats: M and A are applied to the stored vectors, and the recurrence is
// accurate to about the precision of float; a cycle ends where it claims more, so that the restarts reach any
// tolerance, as iterative refinement does.
//
// `recycle = k` keeps k approximate singular vectors of A with the smallest singular values for the next cycles and
// solves (recycled_space.hpp).
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/timer.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/basis.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/krylov/recycled_space.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

struct Rounding {
  double noise;            // relative length of the rounding errors of a vector in the span of others
  double semi_orthogonal;  // accepted loss of orthogonality: well below the square root of the machine precision, up to
                           // which GMRES converges as with an orthogonal basis
  double trusted;          // residual reduction per cycle up to which the recurrence is used
};
template <class T>
constexpr Rounding rounding_of = std::is_same_v<T, float> ? Rounding{5e-7, 1e-5, 1e-6} : Rounding{1e-15, 1e-11, 0};

// True if an application moves clearly more bytes than a product: then storing Z pays. block_ilu0 moves as much as a
// product, a multigrid cycle twice that. All ranks must decide alike: the bytes are summed over them.
template <class Space>
bool is_dear(const Preconditioner<Space>& M, const Matrix<Space>& A) {
  const double more = static_cast<double>(M.apply_work().bytes) - 1.5 * static_cast<double>(A.apply_work().bytes);
  return (A.ranks() ? A.ranks()->sum(more) : more) > 0;
}

// Least-squares problem of one cycle: upper triangular R, rotations and the rotated right-hand side g.
class Hessenberg {
 public:
  explicit Hessenberg(int steps)
      : m_(steps), R_(static_cast<std::size_t>((m_ + 1) * m_)), c_(at(m_)), s_(at(m_)), g_(at(m_ + 1)) {}

  void start(double norm) {
    std::ranges::fill(g_, 0.0);
    g_[0] = norm;
  }
  double* column(int j) { return R_.data() + at(j) * at(m_ + 1); }

  // Column j contains h_0..h_{j+1}: rotates it and g; returns the residual norm.
  double rotate(int j) {
    double* h = column(j);
    for (int i = 0; i < j; ++i) {
      // fma: otherwise the compiler may fuse either product, depending on inlining.
      const double above = std::fma(c_[i], h[i], s_[i] * h[i + 1]);
      h[i + 1] = std::fma(-s_[i], h[i], c_[i] * h[i + 1]);
      h[i] = above;
    }
    const double length = std::hypot(h[j], h[j + 1]);
    c_[j] = length > 0 ? h[j] / length : 1;
    s_[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    h[j + 1] = 0;
    g_[j + 1] = -s_[j] * g_[j];
    g_[j] *= c_[j];
    return std::abs(g_[j + 1]);
  }
  // y for the first `steps` columns, stored in g. A diagonal entry that is rounding noise (singular A) is skipped.
  const double* solve(int steps, double noise) {
    double largest = 0;
    for (int i = 0; i < steps; ++i) largest = std::max(largest, column(i)[i]);
    for (int i = steps - 1; i >= 0; --i) {
      double t = g_[i];
      for (int k = i + 1; k < steps; ++k) t -= column(k)[i] * g_[k];
      g_[i] = column(i)[i] <= noise * largest ? 0 : t / column(i)[i];
    }
    return g_.data();
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int m_;
  std::vector<double> R_, c_, s_, g_;
};

}  // namespace

template <class Space, class T>
class Gmres : public Krylov<Space> {
 public:
  Gmres(const KrylovOptions& options, bool flexible)
      : options_(options),
        flexible_(flexible),
        m_(std::max(1, std::min(options.restart, std::max(1, options.max_iterations)))),
        H_(m_),
        left_(static_cast<std::size_t>(m_) + 1),
        again_(left_),
        kept_(std::min(options.recycle, (m_ + 1) / 2), m_) {}
  const char* name() const override { return flexible_ ? "fgmres" : "gmres"; }
  bool remembers() const override { return kept_.capacity() > 0; }
  void state(Archive& a) override { kept_.state(a); }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    if (!flexible_) require_constant(M, "gmres");
    V_.fit(A.size(), m_ + 1, M.is_identity());
    // The bytes that is_dear compares depend on the number of ranks.
    keeps_ = flexible_ && (!M.is_constant() || options_.has_exact_sums() || is_dear(M, A));
    if (keeps_) Z_.fit(A.size(), m_, false);
    kept_.begin_solve(A.size());
    if (!keeps_ && !M.is_identity()) {
      fit(z_, A.size());
      fit(u_, A.size());
    }
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    it.start(V_.fresh(0));
    if (it.running() && kept_.count() > 0) kept_.renew(it);
    for (; it.running(); it.restart(V_.fresh(0))) {
      if (kept_.count() > 0 && kept_.holds_much_of(it, V_.fresh(0))) take_from_kept(it, x);
      if (!it.running()) break;
      cycle(it, M.is_identity(), x);
    }
    return it.finish();
  }

 private:
  void take_from_kept(Iteration<Space>& it, View<double> x) {
    kept_.improve(it, V_.fresh(0), x);
    it.restart(V_.fresh(0));
  }

  void cycle(Iteration<Space>& it, bool identity, View<double> x) {
    const double r_norm = std::sqrt(it.rr()), to_norm = it.norm() / r_norm;
    it.update([&] { V_.keep(0, 1 / r_norm); });
    H_.start(r_norm);
    int steps = 0;
    bool finite = true, invariant = false;  // A M^-1 V = V H exactly: no further step possible
    while (steps < m_ && !invariant) {
      const int j = steps++;
      it.apply(preconditioned(it, identity, j), V_.fresh(j + 1));
      invariant = !orthogonalise(it, j);
      if (kept_.learns()) kept_.record(j, H_.column(j));
      const double norm = H_.rotate(j) * to_norm;
      if (!std::isfinite(norm)) {
        it.stop(Reason::not_finite);
        finite = false;
        --steps;  // drop the spoilt last column
        break;
      }
      if (!it.step(norm) || norm <= rounding.trusted * it.norm()) break;
    }
    if (invariant && steps == 1 && H_.column(0)[0] == 0) {  // A M^-1 r = 0, or in C: repeat without C
      if (kept_.count() == 0) it.stop(Reason::breakdown);
      return kept_.forget();
    }
    add_correction(it, identity, steps, x);
    if (kept_.learns() && !invariant && finite) learn(it, identity, steps);
  }

  // M^-1 v_j
  View<double> preconditioned(Iteration<Space>& it, bool identity, int j) {
    if (identity) return V_.latest(j);
    const View<double> z = keeps_ ? Z_.fresh(j) : z_.view();
    it.precondition(V_.latest(j), z);
    if (!keeps_) return z;
    Z_.round(j);
    return Z_.latest(j);
  }

  // Column j of H from w, which becomes the next basis vector; false if nothing is left of w.
  bool orthogonalise(Iteration<Space>& it, int j) {
    double* h = H_.column(j);
    const View<double> w = V_.fresh(j + 1);
    const double in_kept = kept_.count() > 0 ? kept_.project_out(it, j, w) : 0;
    double ww = project_and_subtract(it, w, j + 1, h);
    double projected = 0, remains = 0;
    for (int i = 0; i <= j; ++i) projected += h[i] * h[i];
    for (int i = 0; i <= j; ++i) remains += left_[i] * left_[i];
    const double before = ww + projected;
    if (ww < 0.5 * before && !(remains <= rounding.semi_orthogonal * rounding.semi_orthogonal * ww)) {
      for (int i = 0; i <= j; ++i) h[i] += left_[i];
      std::swap(left_, again_);
      ww = subtract(it, again_.data(), j + 1, w, left_);
    }
    const double length = std::sqrt(ww);
    const bool something = length > rounding.noise * std::sqrt(before + in_kept);
    h[j + 1] = something || std::isnan(length) ? length : 0;
    if (something) it.update([&] { V_.keep(j + 1, 1 / length); });
    return something;
  }

  // h = V^T w, w -= V h, left_ = V^T w; returns w.w. One synchronisation on a device without ranks.
  double project_and_subtract(Iteration<Space>& it, View<double> w, int count, double* h) {
    if constexpr (std::is_same_v<Space, Device>)
      if (!it.has_ranks()) return it.update([&] { return V_.project_and_subtract(w, count, h, left_.data()); });
    it.project(V_, w, count, h);
    return subtract(it, h, count, w, left_);
  }
  double subtract(Iteration<Space>& it, const double* h, int count, View<double> w, std::vector<double>& left) {
    double& ww = left[count];  // stored after the others: one message
    it.update([&] { ww = V_.subtract(h, count, w, left.data()); });
    it.sum_products(V_, w, count, std::span<double>(left.data(), static_cast<std::size_t>(count) + 1));
    return ww;
  }

  void add_correction(Iteration<Space>& it, bool identity, int steps, View<double> x) {
    const double* y = H_.solve(steps, rounding.noise);
    add_update(it, identity, y, steps, x);
    if (kept_.count() > 0) it.update([&] { kept_.complete(y, steps, x); });
  }

  // Updates the recycled space from this cycle.
  void learn(Iteration<Space>& it, bool identity, int steps) {
    const int found = kept_.choose(steps);
    for (int j = 0; j < found; ++j) {
      const View<double> u = kept_.update(j), c = kept_.image(j);
      it.update([&] {
        fill<Space>(0, u);
        fill<Space>(0, c);
        V_.combine(kept_.image_in_cycle(j), steps + 1, c);
      });
      add_update(it, identity, kept_.update_in_cycle(j), steps, u);
      it.update([&] { kept_.add_kept(j); });
    }
    if (found > 0) kept_.take(found);
    if (rounding.trusted > 0) kept_.renew(it);  // C = V Q has the precision of float
  }

  // x += M^-1 V y
  void add_update(Iteration<Space>& it, bool identity, const double* y, int steps, View<double> x) {
    if (identity) return it.update([&] { V_.combine(y, steps, x); });
    if (keeps_) return it.update([&] { Z_.combine(y, steps, x); });
    it.update([&] {
      fill<Space>(0, u_.view());
      V_.combine(y, steps, u_);
    });
    it.precondition(u_, z_);
    it.update([&] { axpy<Space>(1, z_.view(), x); });
  }

  static constexpr Rounding rounding = rounding_of<T>;
  KrylovOptions options_;
  bool flexible_, keeps_ = false;  // keeps_: stores Z
  int m_;
  Hessenberg H_;
  std::vector<double> left_, again_;  // V^T w after one pass, and after two
  Basis<Space, T> V_, Z_;
  RecycledSpace<Space> kept_;
  Array<double, Space> z_, u_;
};

namespace {

constexpr Option gmres_keys[] = {{"recycle", Option::integer, "0",
                                  "dimension of the recycled subspace: approximate singular vectors of A with the "
                                  "smallest singular values, kept across restarts and solves",
                                  "[0, 64]"}};

void read_gmres(const Table& t, KrylovOptions& o) { o.recycle = t.get<int>("recycle"); }

template <class Space, bool flexible>
std::unique_ptr<Krylov<Space>> make_gmres(const KrylovOptions& options) {
  if (options.basis == "float") return std::make_unique<Gmres<Space, float>>(options, flexible);
  return std::make_unique<Gmres<Space, double>>(options, flexible);
}

// V, and Z or M^-1 (V y) and its argument; with floats also the current vector in double.
template <bool flexible>
double gmres_vectors(const KrylovOptions& o) {
  const bool floats = o.basis == "float";
  const double kept = floats ? 0.5 : 1, at_work = floats ? (flexible ? 2 : 1) : 0;
  return kept * (o.restart + 1 + (flexible ? o.restart : 0)) + (flexible ? 0 : 2) + at_work + 4 * o.recycle;
}

template <bool flexible>
std::string gmres_label(const KrylovOptions& o) {
  return (flexible ? "fgmres(" : "gmres(") + std::to_string(o.restart) +
         (o.basis == "float" ? ", single-precision basis" : "") +
         (o.recycle > 0 ? ", recycles " + std::to_string(o.recycle) : "") + ")";
}

}  // namespace

constexpr KrylovDescription krylov::gmres{.name = "gmres",
                                          .meaning = "restarted GMRES, right preconditioned",
                                          .citation = "Saad & Schultz 1986",
                                          .options = gmres_keys,
                                          .read = read_gmres,
                                          .vectors = gmres_vectors<false>,
                                          .label = gmres_label<false>,
                                          .make_host = make_gmres<Host, false>,
                                          .make_device = make_gmres<Device, false>};
constexpr KrylovDescription krylov::fgmres{
    .name = "fgmres",
    .meaning = "flexible GMRES: the preconditioner may change between applications",
    .citation = "Saad 1993",
    .options = gmres_keys,
    .is_flexible = true,
    .read = read_gmres,
    .vectors = gmres_vectors<true>,
    .label = gmres_label<true>,
    .make_host = make_gmres<Host, true>,
    .make_device = make_gmres<Device, true>};

}  // namespace weir
