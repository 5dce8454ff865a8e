// SuperLU's ILUTP (dgsitrf) without row scaling, columns ordered by minimum degree of A + A^T or not at all. Rows of A
// are handed over as columns, so it factorises A^T and solves with the transpose.
#include <slu_ddefs.h>

#include <algorithm>

#include "tests/benchmarks/anzt/ilut_peer.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {
namespace {

// Data of SuperLU, freed by hand.
struct Factors {
  std::vector<int> start, column, column_order, row_order, tree;
  std::vector<double> value;
  SuperMatrix A{}, permuted{}, L{}, U{};
  SuperLUStat_t statistics{};
  superlu_options_t options{};
  GlobalLU_t global{};
  bool factorised = false;

  Factors(const BlockCsrData& data, double fill, double tolerance, bool orders)
      : start(data.row_start.begin(), data.row_start.end()), column(data.column), value(data.value) {
    const int n = data.rows();
    column_order.resize(static_cast<std::size_t>(n));
    row_order = tree = column_order;
    dCreate_CompCol_Matrix(&A, n, n, static_cast<int>(value.size()), value.data(), column.data(), start.data(), SLU_NC,
                           SLU_D, SLU_GE);
    ilu_set_default_options(&options);
    options.ILU_FillFactor = fill;
    options.ILU_DropTol = tolerance;
    options.ColPerm = orders ? MMD_AT_PLUS_A : NATURAL;
    options.RowPerm = NOROWPERM;
    options.Equil = NO;
    options.SymmetricMode = YES;
    StatInit(&statistics);
  }
  ~Factors() {
    release();
    Destroy_SuperMatrix_Store(&A);
    StatFree(&statistics);
  }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;

  void release() {
    if (!factorised) return;
    Destroy_SuperNode_Matrix(&L);
    Destroy_CompCol_Matrix(&U);
    Destroy_CompCol_Permuted(&permuted);
    factorised = false;
  }
  void order() { get_perm_c(options.ColPerm, &A, column_order.data()); }
  void factorise() {
    release();
    sp_preorder(&options, &A, column_order.data(), tree.data(), &permuted);
    int info = 0;
    dgsitrf(&options, &permuted, sp_ienv(2), sp_ienv(1), tree.data(), nullptr, 0, column_order.data(), row_order.data(),
            &L, &U, &global, &statistics, &info);
    factorised = true;
  }
  void solve(const double* r, double* z) {
    const int n = A.nrow;
    std::copy_n(r, n, z);
    SuperMatrix B{};
    dCreate_Dense_Matrix(&B, n, 1, z, n, SLU_DN, SLU_D, SLU_GE);
    int info = 0;
    dgstrs(TRANS, &L, &U, column_order.data(), row_order.data(), &B, &statistics, &info);
    Destroy_SuperMatrix_Store(&B);
  }
  std::int64_t nnz() const {
    return static_cast<const SCformat*>(L.Store)->nnz + static_cast<const NCformat*>(U.Store)->nnz - A.nrow;
  }
};

}  // namespace

IlutPeer superlu_ilut(const BlockCsrData& data, double fill, double tolerance, bool orders) {
  auto f = std::make_shared<Factors>(data, fill, tolerance, orders);
  IlutPeer peer{orders ? "SuperLU ILUTP" : "SuperLU ILUTP, not ordered", 0, 0, 0, {}};
  peer.analysis = best_processor_seconds([&] { f->order(); }, 2, 0);
  peer.factorisation = best_processor_seconds([&] { f->factorise(); }, 2, 0);
  peer.nnz = f->nnz();
  peer.apply = [f](const double* r, double* z) { f->solve(r, z); };
  return peer;
}

}  // namespace weir::bench
