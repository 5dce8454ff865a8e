// hypre: CG on its structured matrices with PFMG or the diagonal, CG + BoomerAMG on its ParCSR matrices. One process.
// The set-up begins with the coefficients in the order that hypre takes and ends with a solver that is ready.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "base/error.hpp"
#include "solvers/adapters/mpi_once.hpp"
#include "tests/benchmarks/peers/peer.hpp"

namespace weir::bench {
namespace {

// "pfmg relax=1 rap=1": a word, then numbers by name.
class Settings {
 public:
  explicit Settings(const std::string& text) {
    std::istringstream in(text);
    in >> what;
    for (std::string word; in >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) throw Error(Exit::usage, "'" + text + "': expected name=number, not " + word);
      numbers_[word.substr(0, equals)] = std::stod(word.substr(equals + 1));
    }
  }
  double real(const std::string& name, double otherwise) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? otherwise : found->second;
  }
  int number(const std::string& name, int otherwise) const { return static_cast<int>(real(name, otherwise)); }
  std::string what;

 private:
  std::map<std::string, double> numbers_;
};

class Structured {
 public:
  Structured(const SevenPoint& p, const Settings& s, const PeerTask& task) : p_(p), s_(s), task_(task) {
    for (std::size_t d = 0; d < 3; ++d) high_[d] = p.cells[d] - 1;
    symmetric_ = s.number("symmetric", 0) != 0;
    // The half that is kept: a cell's own value and those to the east, north and above.
    const std::vector<int> kept = symmetric_ ? std::vector{0, 2, 4, 6} : std::vector{0, 1, 2, 3, 4, 5, 6};
    for (const int e : kept) entries_.push_back(e);
    for (std::size_t c = 0; c < p.b.size(); ++c)
      for (const int e : kept) values_.push_back(p.values[7 * c + static_cast<std::size_t>(e)]);
  }

  void setup() {
    make_matrix();
    for (auto* v : {&b_, &x_}) {
      HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, v);
      HYPRE_StructVectorInitialize(*v);
      HYPRE_StructVectorSetBoxValues(*v, low_, high_, const_cast<double*>(p_.b.data()));
      HYPRE_StructVectorAssemble(*v);
    }
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg_);
    HYPRE_StructPCGSetTol(cg_, task_.iterations > 0 ? 0 : p_.tolerance);
    HYPRE_StructPCGSetMaxIter(cg_, task_.iterations > 0 ? task_.iterations : 500);
    HYPRE_StructPCGSetTwoNorm(cg_, 1);
    if (s_.what == "pfmg")
      make_pfmg();
    else
      HYPRE_StructPCGSetPrecond(cg_, HYPRE_StructDiagScale, HYPRE_StructDiagScaleSetup, nullptr);
    HYPRE_StructPCGSetup(cg_, A_, b_, x_);
  }
  void zero() { HYPRE_StructVectorSetConstantValues(x_, 0); }
  void solve() { HYPRE_StructPCGSolve(cg_, A_, b_, x_); }
  void finish(Measured& m) {
    HYPRE_StructPCGGetNumIterations(cg_, &m.iterations);
    m.x.resize(p_.b.size());
    HYPRE_StructVectorGetBoxValues(x_, low_, high_, m.x.data());
    HYPRE_ClearAllErrors();
  }

 private:
  void make_matrix() {
    HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid_);
    HYPRE_StructGridSetExtents(grid_, low_, high_);
    HYPRE_StructGridAssemble(grid_);
    const int count = static_cast<int>(entries_.size());
    HYPRE_StructStencilCreate(3, count, &stencil_);
    int offsets[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    std::vector<int> order;
    for (int e = 0; e < count; ++e) {
      HYPRE_StructStencilSetElement(stencil_, e, offsets[entries_[static_cast<std::size_t>(e)]]);
      order.push_back(e);
    }
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &A_);
    HYPRE_StructMatrixSetSymmetric(A_, symmetric_);
    HYPRE_StructMatrixInitialize(A_);
    HYPRE_StructMatrixSetBoxValues(A_, low_, high_, count, order.data(), values_.data());
    HYPRE_StructMatrixAssemble(A_);
  }
  void make_pfmg() {
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &mg_);
    HYPRE_StructPFMGSetMaxIter(mg_, 1);
    HYPRE_StructPFMGSetTol(mg_, 0);
    HYPRE_StructPFMGSetZeroGuess(mg_);
    HYPRE_StructPFMGSetRelaxType(mg_,
                                 s_.number("relax", 1));  // 1: weighted Jacobi, 2: symmetric red-black, 3: red-black
    if (s_.real("weight", 0) > 0) HYPRE_StructPFMGSetJacobiWeight(mg_, s_.real("weight", 0));
    HYPRE_StructPFMGSetNumPreRelax(mg_, s_.number("pre", 1));
    HYPRE_StructPFMGSetNumPostRelax(mg_, s_.number("post", 1));
    HYPRE_StructPFMGSetSkipRelax(mg_, s_.number("skip", 1));
    HYPRE_StructPFMGSetRAPType(mg_, s_.number("rap", 0));
    HYPRE_StructPCGSetPrecond(cg_, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, mg_);
  }

  const SevenPoint& p_;
  const Settings& s_;
  const PeerTask& task_;
  int low_[3] = {0, 0, 0}, high_[3] = {};
  bool symmetric_ = false;
  std::vector<int> entries_;
  std::vector<double> values_;
  HYPRE_StructGrid grid_ = nullptr;
  HYPRE_StructStencil stencil_ = nullptr;
  HYPRE_StructMatrix A_ = nullptr;
  HYPRE_StructVector b_ = nullptr, x_ = nullptr;
  HYPRE_StructSolver cg_ = nullptr, mg_ = nullptr;
};

class Algebraic {
 public:
  Algebraic(const SevenPoint& p, const Settings& s) : p_(p), s_(s), data_(to_csr(p)) {
    index_.resize(p.b.size());
    std::iota(index_.begin(), index_.end(), 0);
    for (std::size_t i = 0; i < index_.size(); ++i)
      lengths_.push_back(static_cast<int>(data_.row_start[i + 1] - data_.row_start[i]));
  }

  void setup() {
    const int rows = data_.rows();
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, 0, rows - 1, 0, rows - 1, &A_);
    HYPRE_IJMatrixSetObjectType(A_, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(A_, lengths_.data());
    HYPRE_IJMatrixInitialize(A_);
    HYPRE_IJMatrixSetValues(A_, rows, lengths_.data(), index_.data(), data_.column.data(), data_.value.data());
    HYPRE_IJMatrixAssemble(A_);
    HYPRE_IJMatrixGetObject(A_, reinterpret_cast<void**>(&a_));
    for (auto* v : {&B_, &X_}) {
      HYPRE_IJVectorCreate(MPI_COMM_WORLD, 0, rows - 1, v);
      HYPRE_IJVectorSetObjectType(*v, HYPRE_PARCSR);
      HYPRE_IJVectorInitialize(*v);
      HYPRE_IJVectorSetValues(*v, rows, nullptr, p_.b.data());
      HYPRE_IJVectorAssemble(*v);
    }
    HYPRE_IJVectorGetObject(B_, reinterpret_cast<void**>(&b_));
    HYPRE_IJVectorGetObject(X_, reinterpret_cast<void**>(&x_));
    make_solver();
    HYPRE_ParCSRPCGSetup(cg_, a_, b_, x_);
  }
  void zero() { HYPRE_ParVectorSetConstantValues(x_, 0); }
  void solve() { HYPRE_ParCSRPCGSolve(cg_, a_, b_, x_); }
  void finish(Measured& m) {
    HYPRE_PCGGetNumIterations(cg_, &m.iterations);
    m.x.resize(p_.b.size());
    HYPRE_IJVectorGetValues(X_, data_.rows(), nullptr, m.x.data());
    HYPRE_ClearAllErrors();
  }

 private:
  void make_solver() {
    HYPRE_Solver amg;
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetCoarsenType(amg, s_.number("coarsen", 10));  // 10: HMIS, 8: PMIS
    HYPRE_BoomerAMGSetInterpType(amg, s_.number("interp", 6));     // extended+i
    HYPRE_BoomerAMGSetPMaxElmts(amg, s_.number("pmax", 4));
    HYPRE_BoomerAMGSetStrongThreshold(amg, s_.real("threshold", 0.5));
    HYPRE_BoomerAMGSetAggNumLevels(amg, s_.number("aggressive", 1));
    HYPRE_BoomerAMGSetRelaxType(amg, s_.number("relax", 8));  // 6: hybrid symmetric Gauss-Seidel, 8: l1, 18: l1 Jacobi
    if (p_.singular) HYPRE_BoomerAMGSetCycleRelaxType(amg, 8, 3);  // on the coarsest level too
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetTol(amg, 0);
    HYPRE_BoomerAMGSetPrintLevel(amg, 0);
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg_);
    HYPRE_PCGSetTol(cg_, p_.tolerance);
    HYPRE_PCGSetMaxIter(cg_, 500);
    HYPRE_PCGSetTwoNorm(cg_, 1);
    HYPRE_PCGSetPrecond(cg_, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                        reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
  }

  const SevenPoint& p_;
  const Settings& s_;
  const BlockCsrData data_;
  std::vector<int> index_, lengths_;
  HYPRE_IJMatrix A_ = nullptr;
  HYPRE_IJVector B_ = nullptr, X_ = nullptr;
  HYPRE_ParCSRMatrix a_ = nullptr;
  HYPRE_ParVector b_ = nullptr, x_ = nullptr;
  HYPRE_Solver cg_ = nullptr;
};

template <class Peer>
void measure(Peer& peer, const PeerTask& task, Measured& m) {
  measure_solver(m, {[&] { peer.setup(); }, [&] { peer.zero(); }, [&] { peer.solve(); }}, task.repeats);
  peer.finish(m);
}

}  // namespace

// The process ends with the measurement: nothing is destroyed.
extern "C" void weir_measure_peer(const PeerProblem& problem, const PeerTask& task, Measured& m) {
  begin_mpi_once();
  HYPRE_Init();
  m.library = std::string("hypre ") + HYPRE_RELEASE_VERSION;
  const Settings settings(task.settings);
  if (!problem.seven) throw Error(Exit::usage, "hypre is measured on seven-point systems only");
  if (settings.what == "boomeramg") {
    Algebraic peer(*problem.seven, settings);
    return measure(peer, task, m);
  }
  if (settings.what != "pfmg" && settings.what != "diagonal")
    throw Error(Exit::usage, "hypre: 'pfmg', 'diagonal' or 'boomeramg', not '" + settings.what + "'");
  Structured peer(*problem.seven, settings, task);
  measure(peer, task, m);
}

}  // namespace weir::bench
