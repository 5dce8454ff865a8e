// PETSc (Balay et al.): KSP and PC chosen by PETSc's own options, AIJ for scalar rows and BAIJ for blocks, of one
// process or over ranks. Convergence is measured in the unpreconditioned residual if the method can (GMRES then uses
// right preconditioning). An update keeps the symbolic factors. -ksp_rtol and similar options are overridden at every
// solve.
#include <petscksp.h>

#include <algorithm>

#include "base/error.hpp"
#include "solvers/adapters/mpi_once.hpp"
#include "solvers/adapters/plugin.hpp"

namespace weir {
namespace {

void check(PetscErrorCode code, Exit exit = Exit::solver_failed, const char* advice = "") {
  if (!code) return;
  const char* text = nullptr;
  char* specific = nullptr;
  PetscErrorMessage(code, &text, &specific);
  std::string message = "PETSc: " + std::string(text ? text : "error");
  if (specific && *specific) message += ": " + std::string(specific);
  throw Error(exit, message.substr(0, message.find('\n')) + advice);
}

class Session {
 public:
  Session() {
    begin_mpi_once();
    check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));  // Weir handles signals
    check(PetscInitializeNoArguments());
    check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  }
  ~Session() {
    if (!mpi_is_over()) PetscFinalize();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

void begin_once() { static const Session session; }  // PETSc can be initialised once per process

Reason reason_of(KSPConvergedReason r) {
  switch (r) {
    case KSP_DIVERGED_ITS:
    case KSP_CONVERGED_ITERATING:
      return Reason::max_iterations;
    case KSP_DIVERGED_NANORINF:
      return Reason::not_finite;
    case KSP_DIVERGED_DTOL:
      return Reason::stagnated;
    default:
      return r > 0 ? Reason::converged : Reason::breakdown;
  }
}

class Petsc : public Peer {
 public:
  Petsc(const std::string& options, int restart) : text_(options), restart_(restart) {
    begin_once();
    check(PetscOptionsCreate(&options_));
    check(PetscOptionsInsertString(options_, options.c_str()));
  }
  ~Petsc() override {
    if (mpi_is_over()) return;
    release();
    PetscOptionsDestroy(&options_);
  }

  void run_over(const void* mpi_comm) override { ranks_ = *static_cast<const MPI_Comm*>(mpi_comm); }

  void setup(const BlockCsrData& A) override {
    release();
    create_matrix(A);
    insert_values(A);
    check(KSPCreate(ranks_, &ksp_));
    check(KSPSetOperators(ksp_, A_, A_));
    check(KSPSetNormType(ksp_, KSP_NORM_UNPRECONDITIONED));
    check(KSPGMRESSetRestart(ksp_, restart_));
    check(PetscOptionsPush(options_));  // also for objects created inside
    const PetscErrorCode read = KSPSetFromOptions(ksp_);
    PetscBool only_applies = PETSC_FALSE;
    PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp_), KSPPREONLY, &only_applies);
    if (!read && only_applies) check(KSPSetNormType(ksp_, KSP_NORM_NONE));
    const PetscErrorCode set_up = read ? read : prepare();
    check(PetscOptionsPop());
    check(read, Exit::usage);
    check(set_up, set_up == PETSC_ERR_MISSING_FACTOR ? Exit::usage : Exit::solver_failed, advice_over_ranks(set_up));
    refuse_unknown_options();
    check(MatCreateVecs(A_, &d_, &r_));
  }

  void update(const BlockCsrData& A) override {
    insert_values(A);
    check(KSPSetOperators(ksp_, A_, A_));
    check(prepare());
  }

  PeerSolve solve(std::span<const double> r, double target, int max_iterations, std::span<double> d) override {
    check(KSPSetTolerances(ksp_, 0, target, 1e30, max_iterations));
    check(VecPlaceArray(r_, r.data()));
    check(VecPlaceArray(d_, d.data()));
    check(VecSet(d_, 0));
    const PetscErrorCode code = KSPSolve(ksp_, r_, d_);
    check(VecResetArray(r_));
    check(VecResetArray(d_));
    check(code);
    KSPConvergedReason reason;
    PetscInt iterations = 0;
    check(KSPGetConvergedReason(ksp_, &reason));
    check(KSPGetIterationNumber(ksp_, &iterations));
    return {static_cast<int>(iterations), reason_of(reason)};
  }

  std::string describe() const override { return "PETSc, " + text_; }

 private:
  const char* advice_over_ranks(PetscErrorCode code) const {
    int ranks = 1;
    MPI_Comm_size(ranks_, &ranks);
    return code == PETSC_ERR_MISSING_FACTOR && ranks > 1 ? "; over ranks use -pc_type bjacobi -sub_pc_type ilu" : "";
  }

  // The blocks of each rank (bjacobi, asm) too, which PETSc would leave to the first solve.
  PetscErrorCode prepare() {
    const PetscErrorCode code = KSPSetUp(ksp_);
    return code ? code : KSPSetUpOnBlocks(ksp_);
  }

  void create_matrix(const BlockCsrData& A) {
    const PetscInt B = A.block, n = A.rows() * B;
    check(MatCreate(ranks_, &A_));
    check(MatSetSizes(A_, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
    check(MatSetBlockSize(A_, B));
    check(MatSetType(A_, B == 1 ? MATAIJ : MATBAIJ));
    PetscInt end = 0;
    MPI_Scan(&n, &end, 1, MPIU_INT, MPI_SUM, ranks_);
    first_row_ = (end - n) / B;
    std::vector<PetscInt> own, others;  // blocks per row in the columns of this rank, and in those of others
    for (int i = 0; i < A.rows(); ++i) {
      const auto from = A.column.begin() + A.row_start[i], to = A.column.begin() + A.row_start[i + 1];
      const auto is_own = [&](PetscInt column) { return column >= first_row_ && column < first_row_ + A.rows(); };
      own.push_back(static_cast<PetscInt>(std::count_if(from, to, is_own)));
      others.push_back(static_cast<PetscInt>(to - from) - own.back());
    }
    check(MatXAIJSetPreallocation(A_, B, own.data(), others.data(), nullptr, nullptr));
    check(MatSetOption(A_, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    if (!A.constant_null_space) return;
    MatNullSpace constants;
    check(MatNullSpaceCreate(ranks_, PETSC_TRUE, 0, nullptr, &constants));
    check(MatSetNullSpace(A_, constants));
    check(MatSetTransposeNullSpace(A_, constants));
    check(MatNullSpaceDestroy(&constants));
  }

  void insert_values(const BlockCsrData& A) {
    for (int i = 0; i < A.rows(); ++i) {
      const auto from = A.row_start[i], to = A.row_start[i + 1];
      const PetscInt* columns = A.column.data() + from;
      const PetscInt row = first_row_ + i;
      if (A.block == 1) {
        check(
            MatSetValues(A_, 1, &row, static_cast<PetscInt>(to - from), columns, A.value.data() + from, INSERT_VALUES));
        continue;
      }
      for (auto e = from; e < to; ++e)
        check(MatSetValuesBlocked(A_, 1, &row, 1, columns + (e - from), A.value.data() + e * A.block * A.block,
                                  INSERT_VALUES));
    }
    check(MatAssemblyBegin(A_, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(A_, MAT_FINAL_ASSEMBLY));
  }

  void refuse_unknown_options() const {
    PetscInt left = 0;
    char **names = nullptr, **values = nullptr;
    check(PetscOptionsLeftGet(options_, &left, &names, &values));
    const std::string first = left > 0 ? names[0] : "";
    check(PetscOptionsLeftRestore(options_, &left, &names, &values));
    if (!first.empty())
      throw Error(Exit::usage, "'petsc:" + text_ + "': PETSc did not use the option -" + first +
                                   "; check its name, or whether it applies to this KSP and PC");
  }

  void release() {
    VecDestroy(&r_);
    VecDestroy(&d_);
    KSPDestroy(&ksp_);
    MatDestroy(&A_);
  }

  std::string text_;
  int restart_;
  MPI_Comm ranks_ = PETSC_COMM_SELF;
  PetscInt first_row_ = 0;  // block row
  PetscOptions options_ = nullptr;
  Mat A_ = nullptr;
  KSP ksp_ = nullptr;
  Vec r_ = nullptr, d_ = nullptr;
};

}  // namespace

extern "C" Peer* weir_make_peer(const char*, const std::string& what, const KrylovOptions& options) {
  return std::make_unique<Petsc>(what, options.restart).release();
}

}  // namespace weir
