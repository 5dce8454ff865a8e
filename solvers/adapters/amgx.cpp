// AMGX (Naumov et al., SIAM J. Sci. Comput. 37 (2015) S602), NVIDIA's multigrid on the GPU: cg, bicgstab or fgmres
// with its aggregation or classical hierarchy. Scalar rows. An update keeps aggregates and patterns. If constants are
// the null space, the coarsest level is smoothed instead of factorised. Compiled, never run.
#include <amgx_c.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

void check(AMGX_RC code, const char* call) {
  if (code == AMGX_RC_OK) return;
  char words[1024] = "";
  AMGX_get_error_string(code, words, sizeof words);
  throw Error(Exit::solver_failed, std::string("AMGX: ") + call + " failed: " + words);
}

// Once per process; AMGX cannot be restarted after it was finalised.
void begin_amgx() {
  static const bool has_begun = [] {
    check(AMGX_initialize(), "its start");
    check(AMGX_register_print_callback([](const char*, int) {}), "its start");
    return true;
  }();
  static_cast<void>(has_begun);
}

class Amgx : public Peer {
 public:
  Amgx(std::string method, std::string hierarchy, const KrylovOptions& options)
      : method_(std::move(method)), hierarchy_(std::move(hierarchy)), options_(options) {
    begin_amgx();
  }
  ~Amgx() override { release(); }

  void setup(const BlockCsrData& A) override {
    const BlockCsrData rows = scalar_rows(A);
    if (rows.value.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error(Exit::usage, "AMGX uses 32-bit indices: the matrix has too many entries");
    release();
    n_ = rows.rows();
    start(A.constant_null_space);
    const std::vector<int> row_start(rows.row_start.begin(), rows.row_start.end());
    check(AMGX_matrix_upload_all(matrix_, n_, static_cast<int>(rows.value.size()), 1, 1, row_start.data(),
                                 rows.column.data(), rows.value.data(), nullptr),
          "AMGX_matrix_upload_all");
    is_good_ = AMGX_solver_setup(solver_, matrix_) == AMGX_RC_OK;
    right_.assign(static_cast<std::size_t>(n_), 0);
  }
  void update(const BlockCsrData& A) override {
    const BlockCsrData rows = scalar_rows(A);
    check(
        AMGX_matrix_replace_coefficients(matrix_, n_, static_cast<int>(rows.value.size()), rows.value.data(), nullptr),
        "AMGX_matrix_replace_coefficients");
    is_good_ = AMGX_solver_resetup(solver_, matrix_) == AMGX_RC_OK;
  }

  // AMGX's tolerance is fixed at set-up: it solves to |b| <= 1 with a right-hand side divided by the target.
  PeerSolve solve(std::span<const double> r, double target, int max_iterations, std::span<double> d) override {
    std::ranges::fill(d, 0.0);
    if (!is_good_) return {0, Reason::breakdown};
    std::transform(r.begin(), r.end(), right_.begin(), [=](double x) { return x / target; });
    check(AMGX_vector_upload(b_, n_, 1, right_.data()), "AMGX_vector_upload");
    check(AMGX_vector_upload(x_, n_, 1, d.data()), "AMGX_vector_upload");
    check(AMGX_solver_solve_with_0_initial_guess(solver_, b_, x_), "the solve");
    AMGX_SOLVE_STATUS status{};
    int iterations = 0;
    check(AMGX_solver_get_status(solver_, &status), "AMGX_solver_get_status");
    check(AMGX_solver_get_iterations_number(solver_, &iterations), "AMGX_solver_get_iterations_number");
    check(AMGX_vector_download(x_, d.data()), "AMGX_vector_download");
    for (double& x : d) x *= target;
    return outcome(std::max(1, iterations), status == AMGX_SOLVE_SUCCESS, max_iterations);
  }
  std::string describe() const override { return "AMGX, " + method_ + " with " + hierarchy_ + " multigrid"; }

 private:
  std::string configuration(bool is_singular) const {
    const std::string name = method_ == "cg" ? "PCG" : method_ == "bicgstab" ? "PBICGSTAB" : "FGMRES";
    const std::string form =
        hierarchy_ == "classical" ? "CLASSICAL, p:selector=PMIS, p:interpolator=D2" : "AGGREGATION, p:selector=SIZE_2";
    return "config_version=2, determinism_flag=1, solver(s)=" + name +
           ", s:gmres_n_restart=" + std::to_string(options_.restart) +
           ", s:max_iters=" + std::to_string(options_.max_iterations) +
           ", s:monitor_residual=1, s:convergence=ABSOLUTE, s:tolerance=1, s:norm=L2, s:preconditioner(p)=AMG" +
           ", p:algorithm=" + form +
           ", p:max_iters=1, p:cycle=V, p:presweeps=1, p:postsweeps=1, p:structure_reuse_levels=-1" +
           ", p:smoother(j)=JACOBI_L1, p:coarse_solver(c)=" +
           (is_singular ? "JACOBI_L1, c:max_iters=20" : "DENSE_LU_SOLVER");
  }
  void start(bool is_singular) {
    check(AMGX_config_create(&config_, configuration(is_singular).c_str()), "AMGX_config_create");
    check(AMGX_resources_create_simple(&resources_, config_), "AMGX_resources_create_simple");
    check(AMGX_matrix_create(&matrix_, resources_, AMGX_mode_dDDI), "AMGX_matrix_create");
    for (AMGX_vector_handle* v : {&b_, &x_})
      check(AMGX_vector_create(v, resources_, AMGX_mode_dDDI), "AMGX_vector_create");
    check(AMGX_solver_create(&solver_, resources_, AMGX_mode_dDDI, config_), "AMGX_solver_create");
  }
  void release() {
    if (solver_) AMGX_solver_destroy(solver_);
    for (AMGX_vector_handle v : {b_, x_})
      if (v) AMGX_vector_destroy(v);
    if (matrix_) AMGX_matrix_destroy(matrix_);
    if (resources_) AMGX_resources_destroy(resources_);
    if (config_) AMGX_config_destroy(config_);
    solver_ = nullptr;
    b_ = x_ = nullptr;
    matrix_ = nullptr;
    resources_ = nullptr;
    config_ = nullptr;
  }

  std::string method_, hierarchy_;
  KrylovOptions options_;
  int n_ = 0;
  bool is_good_ = false;
  std::vector<double> right_;
  AMGX_config_handle config_ = nullptr;
  AMGX_resources_handle resources_ = nullptr;
  AMGX_matrix_handle matrix_ = nullptr;
  AMGX_vector_handle b_ = nullptr, x_ = nullptr;
  AMGX_solver_handle solver_ = nullptr;
};

}  // namespace

PeerLibrary amgx_library() {
  return {"amgx", true, [](const std::string& what, const KrylovOptions& options) -> std::unique_ptr<Peer> {
            const std::vector<std::string> words = peer_words(what);
            const auto is_one_of = [](const std::string& word, std::initializer_list<const char*> known) {
              return std::ranges::find(known, word) != known.end();
            };
            if (words.size() != 2 || !is_one_of(words[0], {"cg", "bicgstab", "fgmres"}) ||
                !is_one_of(words[1], {"aggregation", "classical"}))
              refuse_peer("amgx", what, "cg, bicgstab or fgmres with aggregation or classical (\"amgx:cg+classical\")");
            return std::make_unique<Amgx>(words[0], words[1], options);
          }};
}

}  // namespace weir
