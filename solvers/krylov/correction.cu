// Stationary iteration  x += M^-1 (b - A x): the preconditioner as the solver itself. The residual is the true one in
// every iteration, so nothing is computed twice; with a direct solver as M one
// iteration ends it. Where M gives something that is not finite, x has it too.
#include "base/timer.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/krylov/vector_ops.hpp"
#include "solvers/registry.hpp"

namespace weir {

template <class Space>
class Correction : public Krylov<Space> {
 public:
  explicit Correction(const KrylovOptions& options) : options_(options) {}
  const char* name() const override { return "correction"; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    fit(r_, A.size());
    fit(z_, A.size());
    Iteration<Space> it(A, M, b, x, options_, this->history_);
    const View<double> r = r_, z = z_;
    it.start(r);
    double norm = it.norm();
    while (it.running()) {
      it.precondition(r, z);
      {
        ScopedTimer timer(it.reduce_seconds());
        axpy<Space>(1, z, x);
      }
      norm = it.true_residual(r);
      if (!it.step(norm)) it.judge(norm);
    }
    return it.finish();
  }

 private:
  KrylovOptions options_;
  Array<double, Space> r_, z_;
};

template <class Space>
std::unique_ptr<Krylov<Space>> make_correction(const KrylovOptions& options) {
  return std::make_unique<Correction<Space>>(options);
}

constexpr KrylovDescription krylov::correction{
    .name = "correction",
    .meaning = "Richardson iteration: the preconditioner as the solver itself",
    .citation = "Richardson 1911",
    .options = {},
    .is_flexible = true,
    .vectors = [](const KrylovOptions&) { return 2.0; },
    .make_host = make_correction<Host>,
    .make_device = make_correction<Device>};

}  // namespace weir
