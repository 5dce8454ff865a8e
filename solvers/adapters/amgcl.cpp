// amgcl (Demidov, Lobachevskii J. Math. 40 (2019) 535), header-only: cg or bicgstab with smoothed aggregation or
// Ruge-Stueben coarsening and the smoother SPAI(0). Scalar rows. New values need a full set-up. If constants are the
// null space, the coarsest level is smoothed instead of factorised.
#define AMGCL_NO_BOOST
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/ruge_stuben.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/bicgstab.hpp>
#include <amgcl/solver/cg.hpp>
#include <optional>

#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

constexpr unsigned few_enough_to_smooth = 20;

using Backend = amgcl::backend::builtin<double>;

template <template <class> class Coarsening, template <class...> class Method>
class Amgcl : public Peer {
  using Multigrid = amgcl::amg<Backend, Coarsening, amgcl::relaxation::spai0>;

 public:
  explicit Amgcl(std::string what) : what_(std::move(what)) {}

  void setup(const BlockCsrData& A) override {
    const BlockCsrData rows = scalar_rows(A);
    typename Multigrid::params p;
    if (A.constant_null_space) {
      p.direct_coarse = false;
      p.coarse_enough = few_enough_to_smooth;
    }
    const auto n = static_cast<std::ptrdiff_t>(rows.rows());
    const std::vector<std::ptrdiff_t> start(rows.row_start.begin(), rows.row_start.end());
    const std::vector<std::ptrdiff_t> column(rows.column.begin(), rows.column.end());
    multigrid_.reset();
    method_.emplace(static_cast<std::size_t>(n));
    try {
      multigrid_.emplace(std::tie(n, start, column, rows.value), p);
    } catch (const std::runtime_error&) {  // a level that cannot be factorised
    }
  }
  void update(const BlockCsrData& A) override { setup(A); }

  PeerSolve solve(std::span<const double> r, double target, int max_iterations, std::span<double> d) override {
    std::ranges::fill(d, 0.0);
    if (!multigrid_) return {0, Reason::breakdown};
    auto& p = method_->prm;
    p.tol = target / l2_norm(r);
    p.maxiter = static_cast<std::size_t>(max_iterations);
    const std::vector<double> right(r.begin(), r.end());
    std::vector<double> x(d.size(), 0.0);
    try {
      const auto [iterations, error] = (*method_)(*multigrid_, right, x);
      std::copy(x.begin(), x.end(), d.begin());
      return outcome(static_cast<int>(iterations), error <= p.tol, max_iterations);
    } catch (const std::runtime_error&) {  // breakdown of an inner product
      return {0, Reason::breakdown};
    }
  }
  std::string describe() const override { return "amgcl, " + what_; }

 private:
  std::string what_;
  std::optional<Multigrid> multigrid_;
  std::optional<Method<Backend>> method_;
};

template <template <class> class Coarsening>
std::unique_ptr<Peer> with(const std::string& method, const std::string& what) {
  if (method == "cg") return std::make_unique<Amgcl<Coarsening, amgcl::solver::cg>>(what);
  if (method == "bicgstab") return std::make_unique<Amgcl<Coarsening, amgcl::solver::bicgstab>>(what);
  return nullptr;
}

std::unique_ptr<Peer> make(const std::string& what, const KrylovOptions&) {
  const std::vector<std::string> words = peer_words(what);
  std::unique_ptr<Peer> peer;
  if (words.size() == 2 && words[1] == "smoothed_aggregation")
    peer = with<amgcl::coarsening::smoothed_aggregation>(words[0], what);
  if (words.size() == 2 && words[1] == "ruge_stuben") peer = with<amgcl::coarsening::ruge_stuben>(words[0], what);
  if (!peer)
    refuse_peer("amgcl", what, "cg or bicgstab with smoothed_aggregation or ruge_stuben (\"amgcl:cg+ruge_stuben\")");
  return peer;
}

}  // namespace

PeerLibrary amgcl_library() { return {"amgcl", true, make}; }

}  // namespace weir
