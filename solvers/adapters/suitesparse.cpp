// SuiteSparse (Davis): CHOLMOD's supernodal Cholesky factorisation for symmetric positive definite matrices (Chen,
// Davis, Hager & Rajamanickam, ACM Trans. Math. Softw. 35 (2008) 22), UMFPACK's multifrontal LU for any (Davis, 30
// (2004) 196). Scalar rows. An update keeps the ordering and the symbolic factors. Null space: held_rows.hpp. A
// separate plugin, because both are under the GPL.
#include <cholmod.h>
#include <umfpack.h>

#include <algorithm>

#include "base/error.hpp"
#include "solvers/adapters/held_rows.hpp"
#include "solvers/adapters/plugin.hpp"

namespace weir {
namespace {

class Cholmod : public Peer {
 public:
  Cholmod() {
    cholmod_l_start(&common_);
    common_.print = 0;
    common_.supernodal = CHOLMOD_AUTO;
  }
  ~Cholmod() override {
    cholmod_l_free_factor(&factor_, &common_);
    cholmod_l_finish(&common_);
  }

  void setup(const BlockCsrData& A) override {
    if (!A.symmetric)
      throw Error(Exit::usage, "suitesparse:cholmod requires a symmetric matrix; suitesparse:umfpack accepts any");
    cholmod_l_free_factor(&factor_, &common_);
    rows_.take(A);
    cholmod_sparse a = view();
    factor_ = cholmod_l_analyze(&a, &common_);
    factorise(a);
  }
  void update(const BlockCsrData& A) override {
    rows_.update(A);
    cholmod_sparse a = view();
    factorise(a);
  }
  PeerSolve solve(std::span<const double> r, double, int, std::span<double> d) override {
    std::ranges::fill(d, 0.0);
    if (!is_good_) return {0, Reason::breakdown};  // not positive definite
    std::vector<double> right(r.begin(), r.end());
    if (rows_.holds_last) right.back() = 0;
    cholmod_dense b{};
    b.nrow = b.nzmax = b.d = right.size();
    b.ncol = 1;
    b.x = right.data();
    b.xtype = CHOLMOD_REAL;
    b.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* x = cholmod_l_solve(CHOLMOD_A, factor_, &b, &common_);
    if (!x) return {0, Reason::breakdown};
    std::copy_n(static_cast<const double*>(x->x), d.size(), d.begin());
    cholmod_l_free_dense(&x, &common_);
    return {1, Reason::converged};
  }
  std::string describe() const override { return "SuiteSparse, CHOLMOD"; }

 private:
  cholmod_sparse view() {  // the rows of a symmetric matrix are its columns
    cholmod_sparse a{};
    a.nrow = a.ncol = static_cast<std::size_t>(rows_.n);
    a.nzmax = rows_.value.size();
    a.p = rows_.start.data();
    a.i = rows_.column.data();
    a.x = rows_.value.data();
    a.stype = -1;
    a.itype = CHOLMOD_LONG;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = a.packed = 1;
    return a;
  }
  void factorise(cholmod_sparse& a) {
    if (!factor_ || common_.status == CHOLMOD_OUT_OF_MEMORY)
      throw Error(Exit::solver_failed, "SuiteSparse: CHOLMOD ran out of memory for this matrix");
    common_.status = CHOLMOD_OK;
    cholmod_l_factorize(&a, factor_, &common_);
    if (common_.status == CHOLMOD_OUT_OF_MEMORY)
      throw Error(Exit::solver_failed, "SuiteSparse: CHOLMOD ran out of memory for the factors");
    is_good_ = common_.status == CHOLMOD_OK && factor_->minor == static_cast<std::size_t>(rows_.n);
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  HeldRows rows_;
  bool is_good_ = false;
};

class Umfpack : public Peer {
 public:
  ~Umfpack() override { release(); }

  void setup(const BlockCsrData& A) override {
    release();
    rows_.take(A);
    const auto code = umfpack_dl_symbolic(rows_.n, rows_.n, rows_.start.data(), rows_.column.data(), rows_.value.data(),
                                          &symbolic_, nullptr, nullptr);
    refuse_without_memory(code);
    factorise();
  }
  void update(const BlockCsrData& A) override {
    rows_.update(A);
    factorise();
  }
  PeerSolve solve(std::span<const double> r, double, int, std::span<double> d) override {
    std::ranges::fill(d, 0.0);
    if (!numeric_) return {0, Reason::breakdown};  // singular
    std::vector<double> right(r.begin(), r.end());
    if (rows_.holds_last) right.back() = 0;
    const auto code = umfpack_dl_solve(UMFPACK_At, rows_.start.data(), rows_.column.data(), rows_.value.data(),
                                       d.data(), right.data(), numeric_, nullptr, nullptr);
    return {1, code == UMFPACK_OK ? Reason::converged : Reason::breakdown};
  }
  std::string describe() const override { return "SuiteSparse, UMFPACK"; }

 private:
  static void refuse_without_memory(std::int64_t code) {
    if (code == UMFPACK_ERROR_out_of_memory)
      throw Error(Exit::solver_failed, "SuiteSparse: UMFPACK ran out of memory for the factors");
  }
  void factorise() {
    umfpack_dl_free_numeric(&numeric_);
    if (!symbolic_) return;
    const auto code = umfpack_dl_numeric(rows_.start.data(), rows_.column.data(), rows_.value.data(), symbolic_,
                                         &numeric_, nullptr, nullptr);
    refuse_without_memory(code);
    if (code != UMFPACK_OK) umfpack_dl_free_numeric(&numeric_);
  }
  void release() {
    umfpack_dl_free_numeric(&numeric_);
    umfpack_dl_free_symbolic(&symbolic_);
  }

  HeldRows rows_;  // the transpose if read as columns: solved with UMFPACK_At
  void *symbolic_ = nullptr, *numeric_ = nullptr;
};

}  // namespace

extern "C" Peer* weir_make_peer(const char* library, const std::string& what, const KrylovOptions&) {
  if (what == "cholmod") return std::make_unique<Cholmod>().release();
  if (what == "umfpack") return std::make_unique<Umfpack>().release();
  refuse_peer(library, what, "cholmod, umfpack");
}

}  // namespace weir
