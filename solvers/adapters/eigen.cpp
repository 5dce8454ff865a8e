// Eigen (Guennebaud et al.): BiCGSTAB with IncompleteLUT or the diagonal, conjugate gradients, SparseLU with COLAMD.
// Scalar rows. An update keeps the analysis of the pattern: SparseLU's ordering and elimination tree, ILUT's
// permutation.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <cstdlib>
#include <type_traits>

#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Columns = Eigen::SparseMatrix<double, Eigen::ColMajor>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;

Rows rows_of(const BlockCsrData& blocks) {
  const BlockCsrData d = scalar_rows(blocks);
  if (d.row_start.back() > 2147483647) throw Error(Exit::usage, "Eigen: more than 2^31 entries");
  const std::vector<int> start(d.row_start.begin(), d.row_start.end());
  return Eigen::Map<const Rows>(d.rows(), d.rows(), static_cast<int>(d.column.size()), start.data(), d.column.data(),
                                d.value.data());
}

using Ilu = Eigen::IncompleteLUT<double>;
using Diagonal = Eigen::DiagonalPreconditioner<double>;
using ConjugateGradient = Eigen::ConjugateGradient<Rows, Eigen::Lower | Eigen::Upper, Diagonal>;

template <class Solver>
class Iterative : public Peer {
  // Eigen's cg does not count the last iteration.
  static constexpr bool forgets_the_last = std::is_same_v<Solver, ConjugateGradient>;

 public:
  template <class... Parameters>
  explicit Iterative(std::string name, Parameters... parameters) : name_(std::move(name)) {
    if constexpr (sizeof...(parameters) == 2) set_parameters(parameters...);
  }
  void setup(const BlockCsrData& A) override {
    A_ = rows_of(A);
    solver_.analyzePattern(A_);
    solver_.factorize(A_);
    is_good_ = solver_.info() == Eigen::Success;
  }
  void update(const BlockCsrData& A) override {
    A_ = rows_of(A);
    solver_.factorize(A_);
    is_good_ = solver_.info() == Eigen::Success;
  }
  PeerSolve solve(std::span<const double> r, double target, int max_iterations, std::span<double> d) override {
    const auto n = static_cast<Eigen::Index>(r.size());
    VectorMap D(d.data(), n);
    D.setZero();
    if (!is_good_) return {0, Reason::breakdown};  // zero pivot
    solver_.setTolerance(target / l2_norm(r));
    solver_.setMaxIterations(max_iterations);
    D = solver_.solve(ConstVectorMap(r.data(), n));
    const bool met = solver_.info() == Eigen::Success;
    const int iterations = static_cast<int>(solver_.iterations()) + (met && forgets_the_last ? 1 : 0);
    return outcome(iterations, met, max_iterations);
  }
  std::string describe() const override { return "Eigen, " + name_; }

 private:
  void set_parameters(double drop, double fill) {
    if (drop >= 0) solver_.preconditioner().setDroptol(drop);
    if (fill > 0) solver_.preconditioner().setFillfactor(static_cast<int>(fill));
  }

  std::string name_;
  Rows A_;
  Solver solver_;
  bool is_good_ = false;
};

class Direct : public Peer {
 public:
  void setup(const BlockCsrData& A) override {
    const Columns a = rows_of(A);
    solver_.analyzePattern(a);
    solver_.factorize(a);
  }
  void update(const BlockCsrData& A) override { solver_.factorize(Columns(rows_of(A))); }
  PeerSolve solve(std::span<const double> r, double, int, std::span<double> d) override {
    const auto n = static_cast<Eigen::Index>(r.size());
    VectorMap D(d.data(), n);
    D.setZero();
    if (solver_.info() != Eigen::Success) return {0, Reason::breakdown};  // singular
    D = solver_.solve(ConstVectorMap(r.data(), n));
    return {1, Reason::converged};
  }
  std::string describe() const override { return "Eigen, SparseLU with COLAMD"; }

 private:
  Eigen::SparseLU<Columns, Eigen::COLAMDOrdering<int>> solver_;
};

// "ilut:1e-3:5"
struct Ilut {
  bool is_one = false;
  double drop = -1, fill = -1;
};
Ilut ilut_of(const std::string& word) {
  Ilut p;
  if (!word.starts_with("ilut")) return p;
  p.is_one = true;
  if (word.size() == 4) return p;
  char* end = nullptr;
  if (word[4] == ':') p.drop = std::strtod(word.c_str() + 5, &end);
  if (end && *end == ':') p.fill = std::strtod(end + 1, &end);
  p.is_one = end && *end == 0 && p.drop >= 0 && (p.fill == -1 || p.fill >= 1);
  return p;
}

std::unique_ptr<Peer> make(const std::string& what, const KrylovOptions&) {
  const std::vector<std::string> words = peer_words(what);
  if (what == "sparse_lu") return std::make_unique<Direct>();
  if (words.size() == 2 && words[0] == "bicgstab")
    if (const Ilut p = ilut_of(words[1]); p.is_one)
      return std::make_unique<Iterative<Eigen::BiCGSTAB<Rows, Ilu>>>("BiCGSTAB + IncompleteLUT", p.drop, p.fill);
  if (what == "bicgstab+jacobi")
    return std::make_unique<Iterative<Eigen::BiCGSTAB<Rows, Diagonal>>>("BiCGSTAB + diagonal");
  if (what == "cg+jacobi") return std::make_unique<Iterative<ConjugateGradient>>("ConjugateGradient + diagonal");
  refuse_peer("eigen", what, "bicgstab+ilut[:DROP[:FILL]], bicgstab+jacobi, cg+jacobi, sparse_lu");
}

}  // namespace

PeerLibrary eigen_library() { return {"eigen", true, make}; }

}  // namespace weir
