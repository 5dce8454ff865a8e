// Ginkgo (Anzt et al., ACM TOMS 48 (2022) 2:1) on the host: cg, bicgstab or gmres with block Jacobi (blocks of a
// cell), exact ILU(0), ParILU, ParILUT or its aggregation multigrid (pgm). Uses OpenMP if Ginkgo was built with it,
// else its reference kernels. Scalar rows. New values need a full set-up.
#include <algorithm>
#include <cstdint>
#include <ginkgo/ginkgo.hpp>

#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

using Csr = gko::matrix::Csr<double, std::int32_t>;
using Vector = gko::matrix::Dense<double>;
using Factory = gko::LinOpFactory;

std::shared_ptr<gko::Executor> executor() {
  const bool has_omp = std::string(gko::version_info::get().omp_version.tag).find("not compiled") == std::string::npos;
  if (has_omp) return gko::OmpExecutor::create();
  return gko::ReferenceExecutor::create();
}

template <class T>
std::shared_ptr<gko::LinOp> factorised(const std::shared_ptr<gko::Executor>& on, std::shared_ptr<const Csr> A, T form) {
  std::shared_ptr<gko::LinOp> factors = form.on(on)->generate(A);
  return gko::preconditioner::Ilu<>::build().on(on)->generate(factors);
}

std::shared_ptr<gko::LinOp> multigrid(const std::shared_ptr<gko::Executor>& on, std::shared_ptr<const Csr> A) {
  const auto sweep =
      gko::share(gko::preconditioner::Jacobi<double, std::int32_t>::build().with_max_block_size(1u).on(on));
  const auto sweeps = [&](unsigned n) {
    return gko::share(gko::solver::Ir<double>::build()
                          .with_solver(sweep)
                          .with_relaxation_factor(0.7)
                          .with_criteria(gko::stop::Iteration::build().with_max_iters(n))
                          .on(on));
  };
  return gko::solver::Multigrid::build()
      .with_mg_level(gko::multigrid::Pgm<double, std::int32_t>::build().with_deterministic(true))
      .with_pre_smoother(sweeps(1))
      .with_post_uses_pre(true)
      .with_coarsest_solver(sweeps(8))
      .with_max_levels(20u)
      .with_min_coarse_rows(32u)
      .with_default_initial_guess(gko::solver::initial_guess_mode::zero)
      .with_criteria(gko::stop::Iteration::build().with_max_iters(1u))
      .on(on)
      ->generate(A);
}

template <class Method>
class Ginkgo : public Peer {
 public:
  Ginkgo(std::string what, std::string preconditioner, int restart)
      : what_(std::move(what)), preconditioner_(std::move(preconditioner)), restart_(restart) {}

  void setup(const BlockCsrData& A) override {
    const BlockCsrData rows = scalar_rows(A);
    const auto n = static_cast<gko::size_type>(rows.rows());
    method_.reset();
    try {
      const auto csr = gko::share(Csr::create(on_, gko::dim<2>(n), array<double>(rows.value),
                                              array<std::int32_t>(rows.column), array<std::int32_t>(rows.row_start)));
      auto build = Method::build();
      if constexpr (std::is_same_v<Method, gko::solver::Gmres<double>>)
        build.with_krylov_dim(static_cast<gko::size_type>(restart_));
      method_ = build.with_generated_preconditioner(preconditioner(csr, A.block))
                    .with_criteria(gko::stop::Iteration::build().with_max_iters(1u))
                    .on(on_)
                    ->generate(csr);
    } catch (const gko::Error&) {  // a factor that does not exist
    }
  }
  void update(const BlockCsrData& A) override { setup(A); }

  PeerSolve solve(std::span<const double> r, double target, int max_iterations, std::span<double> d) override {
    std::ranges::fill(d, 0.0);
    if (!method_) return {0, Reason::breakdown};
    const auto logger = gko::share(gko::log::Convergence<double>::create());
    const auto by_residual = gko::share(gko::stop::ResidualNorm<double>::build()
                                            .with_baseline(gko::stop::mode::absolute)
                                            .with_reduction_factor(target)
                                            .on(on_));
    const auto by_count =
        gko::share(gko::stop::Iteration::build().with_max_iters(static_cast<gko::size_type>(max_iterations)).on(on_));
    const auto criterion = gko::share(gko::stop::Combined::build().with_criteria(by_residual, by_count).on(on_));
    criterion->add_logger(logger);
    method_->set_stop_criterion_factory(criterion);
    const gko::dim<2> size(r.size(), 1);
    const auto b = Vector::create_const(on_, size, gko::array<double>::const_view(on_, r.size(), r.data()), 1);
    const auto x = Vector::create(on_, size, gko::array<double>::view(on_, d.size(), d.data()), 1);
    try {
      method_->apply(b, x);
    } catch (const gko::Error&) {
      return {1, Reason::breakdown};
    }
    const auto iterations = std::max(1, static_cast<int>(logger->get_num_iterations()));
    return outcome(iterations, logger->has_converged(), max_iterations);
  }
  std::string describe() const override { return "Ginkgo, " + what_; }

 private:
  template <class T, class From>
  gko::array<T> array(const From& from) const {
    return gko::array<T>(on_, from.begin(), from.end());
  }
  std::shared_ptr<gko::LinOp> preconditioner(std::shared_ptr<const Csr> A, int block) const {
    using Jacobi = gko::preconditioner::Jacobi<double, std::int32_t>;
    constexpr int largest_block = 32;  // Ginkgo's limit
    const auto size = static_cast<std::uint32_t>(std::min(block, largest_block));
    if (preconditioner_ == "jacobi") return Jacobi::build().with_max_block_size(size).on(on_)->generate(A);
    if (preconditioner_ == "ilu") return factorised(on_, A, gko::factorization::Ilu<double, std::int32_t>::build());
    if (preconditioner_ == "parilu")
      return factorised(on_, A, gko::factorization::ParIlu<double, std::int32_t>::build());
    if (preconditioner_ == "parilut")
      return factorised(on_, A, gko::factorization::ParIlut<double, std::int32_t>::build());
    return multigrid(on_, A);
  }

  std::shared_ptr<gko::Executor> on_ = executor();
  std::string what_, preconditioner_;
  int restart_;
  std::unique_ptr<Method> method_;
};

template <class Method>
Peer* make(const std::string& what, const std::string& preconditioner, const KrylovOptions& options) {
  return new Ginkgo<Method>(what, preconditioner, options.restart);
}

}  // namespace

extern "C" Peer* weir_make_peer(const char* library, const std::string& what, const KrylovOptions& options) {
  const std::vector<std::string> words = peer_words(what);
  const std::vector<std::string> known{"jacobi", "ilu", "parilu", "parilut", "multigrid"};
  if (words.size() == 2 && std::ranges::find(known, words[1]) != known.end()) {
    if (words[0] == "cg") return make<gko::solver::Cg<double>>(what, words[1], options);
    if (words[0] == "bicgstab") return make<gko::solver::Bicgstab<double>>(what, words[1], options);
    if (words[0] == "gmres") return make<gko::solver::Gmres<double>>(what, words[1], options);
  }
  refuse_peer(library, what,
              "cg, bicgstab or gmres with jacobi, ilu, parilu, parilut or multigrid (\"ginkgo:bicgstab+parilut\")");
}

}  // namespace weir
