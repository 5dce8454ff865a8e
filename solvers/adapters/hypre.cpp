// hypre (Falgout & Yang): BoomerAMG, or ILU(0) and ILUT in natural order (over ranks of each rank's own rows), with its
// Krylov methods or BoomerAMG alone. Scalar rows, of one process or over ranks; BoomerAMG receives blocks as functions
// of a system. hypre keeps no analysis: an update repeats the set-up except for the matrix storage.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "solvers/adapters/mpi_once.hpp"
#include "solvers/adapters/plugin.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

class Session {
 public:
  Session() {
    begin_mpi_once();
    HYPRE_Init();
  }
  ~Session() {
    if (!mpi_is_over()) HYPRE_Finalize();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

void begin_once() { static const Session session; }

constexpr const char* known_words =
    "cg, bicgstab, gmres or fgmres with boomeramg, ilu, ilut or jacobi (\"hypre:cg+boomeramg\"), or boomeramg alone";

// Common signatures of the functions of a method.
struct Method {
  const char* name;
  HYPRE_Int (*create)(MPI_Comm, HYPRE_Solver*);
  HYPRE_Int (*destroy)(HYPRE_Solver);
  HYPRE_Int (*set_preconditioner)(HYPRE_Solver, HYPRE_PtrToParSolverFcn, HYPRE_PtrToParSolverFcn, HYPRE_Solver);
  HYPRE_Int (*setup)(HYPRE_Solver, HYPRE_ParCSRMatrix, HYPRE_ParVector, HYPRE_ParVector);
  HYPRE_Int (*solve)(HYPRE_Solver, HYPRE_ParCSRMatrix, HYPRE_ParVector, HYPRE_ParVector);
  HYPRE_Int (*set_tolerance)(HYPRE_Solver, HYPRE_Real);
  HYPRE_Int (*set_max_iterations)(HYPRE_Solver, HYPRE_Int);
  HYPRE_Int (*iterations)(HYPRE_Solver, HYPRE_Int*);
};

HYPRE_Int create_amg(MPI_Comm, HYPRE_Solver* solver) { return HYPRE_BoomerAMGCreate(solver); }

// |v| over all ranks, without overflow.
double l2_norm(MPI_Comm ranks, std::span<const double> v) {
  const double mine = weir::l2_norm(v);
  double most = mine;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, ranks);
  double sum = most > 0 ? (mine / most) * (mine / most) : 0;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, ranks);
  return most * std::sqrt(sum);
}

constexpr Method methods[] = {
    {"cg", HYPRE_ParCSRPCGCreate, HYPRE_ParCSRPCGDestroy, HYPRE_ParCSRPCGSetPrecond, HYPRE_ParCSRPCGSetup,
     HYPRE_ParCSRPCGSolve, HYPRE_ParCSRPCGSetTol, HYPRE_ParCSRPCGSetMaxIter, HYPRE_ParCSRPCGGetNumIterations},
    {"bicgstab", HYPRE_ParCSRBiCGSTABCreate, HYPRE_ParCSRBiCGSTABDestroy, HYPRE_ParCSRBiCGSTABSetPrecond,
     HYPRE_ParCSRBiCGSTABSetup, HYPRE_ParCSRBiCGSTABSolve, HYPRE_ParCSRBiCGSTABSetTol, HYPRE_ParCSRBiCGSTABSetMaxIter,
     HYPRE_ParCSRBiCGSTABGetNumIterations},
    {"gmres", HYPRE_ParCSRGMRESCreate, HYPRE_ParCSRGMRESDestroy, HYPRE_ParCSRGMRESSetPrecond, HYPRE_ParCSRGMRESSetup,
     HYPRE_ParCSRGMRESSolve, HYPRE_ParCSRGMRESSetTol, HYPRE_ParCSRGMRESSetMaxIter, HYPRE_ParCSRGMRESGetNumIterations},
    {"fgmres", HYPRE_ParCSRFlexGMRESCreate, HYPRE_ParCSRFlexGMRESDestroy, HYPRE_ParCSRFlexGMRESSetPrecond,
     HYPRE_ParCSRFlexGMRESSetup, HYPRE_ParCSRFlexGMRESSolve, HYPRE_ParCSRFlexGMRESSetTol,
     HYPRE_ParCSRFlexGMRESSetMaxIter, HYPRE_ParCSRFlexGMRESGetNumIterations},
    {"boomeramg", create_amg, HYPRE_BoomerAMGDestroy, nullptr, HYPRE_BoomerAMGSetup, HYPRE_BoomerAMGSolve,
     HYPRE_BoomerAMGSetTol, HYPRE_BoomerAMGSetMaxIter, HYPRE_BoomerAMGGetNumIterations},
};

class Hypre : public Peer {
 public:
  Hypre(const std::string& what, int restart) : what_(what), restart_(restart) {
    std::vector<std::string> words = peer_words(what);
    if (words.size() == 2 && !method_named(words[0])) std::swap(words[0], words[1]);  // "boomeramg+cg" is accepted
    if (words.size() == 2 && words[0] == "boomeramg") std::swap(words[0], words[1]);
    method_ = method_named(words[0]);
    if (words.size() == 2) preconditioner_ = words[1];
    const char* const preconditioners[] = {"boomeramg", "ilu", "ilut", "jacobi"};
    const bool is_known =
        std::find(std::begin(preconditioners), std::end(preconditioners), preconditioner_) != std::end(preconditioners);
    const bool is_alone = method_ && !method_->set_preconditioner;
    if (!method_ || words.size() > 2 || is_known == is_alone) refuse_peer("hypre", what, known_words);
    begin_once();
  }
  ~Hypre() override {
    if (mpi_is_over()) return;
    release();
    if (ranks_ != MPI_COMM_SELF) MPI_Comm_free(&ranks_);
  }

  void run_over(const void* mpi_comm) override {
    if (ranks_ == MPI_COMM_SELF) MPI_Comm_dup(*static_cast<const MPI_Comm*>(mpi_comm), &ranks_);
  }

  void setup(const BlockCsrData& A) override {
    release();
    singular_ = A.constant_null_space;
    block_ = A.block;
    scalar_ = scalar_rows(A);
    const HYPRE_BigInt n = scalar_.rows();
    HYPRE_BigInt end = 0;
    MPI_Scan(&n, &end, 1, HYPRE_MPI_BIG_INT, MPI_SUM, ranks_);
    const HYPRE_BigInt first = end - n, last = end - 1;
    index_.resize(static_cast<std::size_t>(n));
    std::iota(index_.begin(), index_.end(), first);
    lengths_.resize(index_.size());
    for (std::size_t i = 0; i < lengths_.size(); ++i)
      lengths_[i] = static_cast<HYPRE_Int>(scalar_.row_start[i + 1] - scalar_.row_start[i]);
    HYPRE_IJMatrixCreate(ranks_, first, last, first, last, &A_);
    HYPRE_IJMatrixSetObjectType(A_, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(A_, lengths_.data());
    for (auto* v : {&r_, &d_}) {
      HYPRE_IJVectorCreate(ranks_, first, last, v);
      HYPRE_IJVectorSetObjectType(*v, HYPRE_PARCSR);
    }
    insert_values();
    prepare();
  }

  void update(const BlockCsrData& A) override {
    update_scalar_rows(A, scalar_);
    insert_values();
    prepare();
  }

  PeerSolve solve(std::span<const double> r, double target, int max_iterations, std::span<double> d) override {
    put(r_, r.data());
    put_zeros(d_);
    method_->set_tolerance(solver_, target / l2_norm(ranks_, r));
    method_->set_max_iterations(solver_, max_iterations);
    method_->solve(solver_, matrix(), vector(r_), vector(d_));
    const bool not_met = HYPRE_CheckError(HYPRE_GetError(), HYPRE_ERROR_CONV) != 0;
    const bool failed = (HYPRE_GetError() & ~HYPRE_ERROR_CONV) != 0;
    HYPRE_ClearAllErrors();
    HYPRE_Int iterations = 0;
    method_->iterations(solver_, &iterations);
    HYPRE_IJVectorGetValues(d_, scalar_.rows(), index_.data(), d.data());
    const bool ran_out = iterations >= max_iterations;
    return {iterations, failed    ? Reason::breakdown
                        : ran_out ? Reason::max_iterations
                        : not_met ? Reason::stagnated
                                  : Reason::converged};
  }

  std::string describe() const override { return "hypre, " + what_; }

 private:
  static const Method* method_named(const std::string& name) {
    for (const Method& m : methods)
      if (name == m.name) return &m;
    return nullptr;
  }

  HYPRE_ParCSRMatrix matrix() const {
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(A_, &object);
    return static_cast<HYPRE_ParCSRMatrix>(object);
  }
  static HYPRE_ParVector vector(HYPRE_IJVector v) {
    void* object = nullptr;
    HYPRE_IJVectorGetObject(v, &object);
    return static_cast<HYPRE_ParVector>(object);
  }
  void put(HYPRE_IJVector v, const double* values) const {
    HYPRE_IJVectorInitialize(v);
    HYPRE_IJVectorSetValues(v, scalar_.rows(), index_.data(), values);
    HYPRE_IJVectorAssemble(v);
  }
  void put_zeros(HYPRE_IJVector v) {
    zeros_.assign(index_.size(), 0);
    put(v, zeros_.data());
  }
  void insert_values() {
    HYPRE_IJMatrixInitialize(A_);
    HYPRE_IJMatrixSetValues(A_, scalar_.rows(), lengths_.data(), index_.data(), scalar_.column.data(),
                            scalar_.value.data());
    HYPRE_IJMatrixAssemble(A_);
  }

  HYPRE_Solver make_amg(bool alone) const {
    HYPRE_Solver amg;
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetPrintLevel(amg, 0);
    HYPRE_BoomerAMGSetNumFunctions(amg, block_);
    HYPRE_BoomerAMGSetRelaxType(amg, 8);                         // l1 symmetric Gauss-Seidel: suitable for cg
    if (singular_) HYPRE_BoomerAMGSetCycleRelaxType(amg, 8, 3);  // on the coarsest level too
    if (alone) return amg;
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetTol(amg, 0);
    return amg;
  }

  HYPRE_Solver make_ilu(bool by_threshold) const {
    HYPRE_Solver ilu;
    HYPRE_ILUCreate(&ilu);
    HYPRE_ILUSetType(ilu, by_threshold ? 1 : 0);
    HYPRE_ILUSetLevelOfFill(ilu, 0);
    HYPRE_ILUSetLocalReordering(ilu, 0);
    HYPRE_ILUSetMaxIter(ilu, 1);
    HYPRE_ILUSetTol(ilu, 0);
    HYPRE_ILUSetPrintLevel(ilu, 0);
    return ilu;
  }

  void set_preconditioner() {
    if (preconditioner_ == "boomeramg") {
      inner_ = make_amg(false);
      destroy_inner_ = HYPRE_BoomerAMGDestroy;
      method_->set_preconditioner(solver_, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, inner_);
    } else if (preconditioner_ == "jacobi") {
      method_->set_preconditioner(solver_, HYPRE_ParCSRDiagScale, HYPRE_ParCSRDiagScaleSetup, nullptr);
    } else {
      inner_ = make_ilu(preconditioner_ == "ilut");
      destroy_inner_ = HYPRE_ILUDestroy;
      method_->set_preconditioner(solver_, HYPRE_ILUSolve, HYPRE_ILUSetup, inner_);
    }
  }

  void prepare() {
    release_solver();
    if (!method_->set_preconditioner) {
      solver_ = make_amg(true);
    } else {
      method_->create(ranks_, &solver_);
      if (method_->name == std::string("cg")) HYPRE_PCGSetTwoNorm(solver_, 1);  // by default it stops on r.M^-1 r
      if (method_->name == std::string("gmres")) HYPRE_GMRESSetKDim(solver_, restart_);
      if (method_->name == std::string("fgmres")) HYPRE_FlexGMRESSetKDim(solver_, restart_);
      set_preconditioner();
    }
    put_zeros(r_);
    put_zeros(d_);
    method_->setup(solver_, matrix(), vector(r_), vector(d_));
    const HYPRE_Int error = HYPRE_GetError();
    HYPRE_ClearAllErrors();
    if (!error) return;
    char text[512] = {};
    HYPRE_DescribeError(error, text);
    throw Error(Exit::solver_failed, "hypre: setup of " + what_ + " failed: " + text);
  }

  void release_solver() {
    if (solver_) method_->destroy(solver_);
    if (inner_) destroy_inner_(inner_);
    solver_ = inner_ = nullptr;
  }
  void release() {
    release_solver();
    if (A_) HYPRE_IJMatrixDestroy(A_);
    if (r_) HYPRE_IJVectorDestroy(r_);
    if (d_) HYPRE_IJVectorDestroy(d_);
    A_ = nullptr;
    r_ = d_ = nullptr;
  }

  MPI_Comm ranks_ = MPI_COMM_SELF;
  std::string what_, preconditioner_;
  int restart_, block_ = 1;
  const Method* method_ = nullptr;
  bool singular_ = false;
  BlockCsrData scalar_;
  std::vector<HYPRE_BigInt> index_;
  std::vector<HYPRE_Int> lengths_;
  std::vector<double> zeros_;
  HYPRE_IJMatrix A_ = nullptr;
  HYPRE_IJVector r_ = nullptr, d_ = nullptr;
  HYPRE_Solver solver_ = nullptr, inner_ = nullptr;
  HYPRE_Int (*destroy_inner_)(HYPRE_Solver) = nullptr;
};

}  // namespace

extern "C" Peer* weir_make_peer(const char*, const std::string& what, const KrylovOptions& options) {
  return std::make_unique<Hypre>(what, options.restart).release();
}

}  // namespace weir
