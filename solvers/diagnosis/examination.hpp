// What the rules of a failed solve work with: facts of the system, each found once and only when asked for, and trials.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mesh/graph/graph.hpp"
#include "solvers/diagnosis/diagnosis.hpp"
#include "solvers/diagnosis/failed_solve.hpp"
#include "solvers/diagnosis/spectrum.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// The pivots that incomplete factorisations meet in a matrix.

// Of ILU(0) of scalar rows in their order, without any exchange; of blocks they are the same, since a block's own
// elimination drops nothing. The search ends at the first pivot that vanishes (to rounding, of the numbers that were
// subtracted), is not there, or is no finite number.
struct Pivots {
  int bad_row = -1;        // -1: none
  double bad_value = 0;    // of that pivot
  double diagonal = 0;     // the entry that it began as
  double least_ratio = 1;  // the smallest |pivot| / largest entry of its row, of those before
  int least_row = -1;
};
Pivots ilu0_pivots(BlockCsrData scalar);

// One solve with something changed.
struct Trial {
  bool possible = false;  // nobody refused
  SolveResult result;
  bool works() const { return possible && result.converged(); }
};
inline std::string told(const Trial& t) {
  return "converged in " + std::to_string(t.result.iterations) + " iterations";
}

template <class Space>
class Examination {
 public:
  explicit Examination(const FailedSolve<Space>& failed);

  const FailedSolve<Space>& failed;
  const SolverSettings& settings() const { return failed.settings; }
  const SolveResult& result() const { return failed.result; }
  std::string row(int i) const { return failed.name_of_row ? failed.name_of_row(i) : "row " + std::to_string(i); }
  std::string key(const std::string& name) const {
    return settings().table.empty() ? name : settings().table + "." + name;
  }
  bool was_refused() const { return !failed.refusal.empty(); }

  // Facts. Rows are scalar; null where the matrix stores none.
  const std::vector<double>& b() const { return b_; }
  const std::vector<double>& x() const { return x_; }
  const BlockCsrData* rows();
  const BlockCsrData& transposed_rows();  // where there are rows
  const Diagnosis& diagnosis();
  const Pivots& pivots();
  double attainable();       // what rounding leaves of |b - A x|, at the x where the solve ended; 0: not known
  double target() const;     // of |b - A x|
  double size_of_b() const;  // in the norm of the solve

  // Trials of A itself, from x = 0, in the space of the solve.
  Trial with(const std::string& method, const KrylovOptions& options, const Preconditioner<Space>& M);
  Trial with_own(const std::string& method,
                 const KrylovOptions& options);  // the preconditioner as it was, or a new one
  Trial with_fresh(const std::string& method, const std::string& type, const Table& options);  // limits as they were
  // Trials of scalar rows (another matrix or order), on the host.
  Trial of_rows(const BlockCsrData& rows, const std::vector<double>& b, const std::string& method,
                const KrylovOptions& options, const std::string& type, const Table& preconditioner);
  Trial of_rows(const BlockCsrData& rows, const std::vector<double>& b) {  // by the solver as it was
    const SolverSettings& s = settings();
    return of_rows(rows, b, s.method, s.krylov, s.preconditioner, s.preconditioner_options);
  }

  // Options of the solve with another limit, which is kept within about `most_seconds` of this solve's speed.
  KrylovOptions longer(double factor, int at_least) const;

  // M^-1 of a vector that is drawn from a seed; empty where there is no M.
  std::vector<double> applied(const std::vector<double>& r) const;
  std::vector<double> applied_anew(const std::vector<double>& r) const;  // of an M set up now; empty: refused
  FactorObservation observed_anew() const;  // of such an M; empty: refused, or it has no such factors
  std::vector<double> random(unsigned seed) const { return random_vector(failed.A->size(), seed); }

 private:
  std::unique_ptr<Preconditioner<Space>> fresh(const std::string& type, const Table& options) const;
  SolveResult solved(const std::string& method, const KrylovOptions& options, const Preconditioner<Space>& M) const;
  std::vector<double> b_, x_;
  std::optional<BlockCsrData> rows_, transposed_;
  bool rows_known_ = false;
  std::optional<Diagnosis> diagnosis_;
  std::optional<Pivots> pivots_;
};

// The rules: a finding, or nothing.
template <class Space>
using Rule = std::optional<Finding> (*)(Examination<Space>&);
template <class Space>
std::vector<Rule<Space>> rules_of_numbers();
template <class Space>
std::vector<Rule<Space>> rules_of_methods();
template <class Space>
std::vector<Rule<Space>> rules_of_limits();

// The pattern of a matrix as a graph, and what follows from it.

// Of A + A^T without its diagonal; T: A transposed.
Graph graph_of_pattern(const BlockCsrData& A, const BlockCsrData& T);

// Which piece each vertex belongs to, from 0: pieces have no edge between them.
std::vector<int> pieces_of(const Graph& graph);

// Rows and columns of scalar rows in a new order: row i of the result is row order[i].
BlockCsrData permuted(const BlockCsrData& scalar, const Order& order);

}  // namespace weir
