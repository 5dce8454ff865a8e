// z = M^-1 r.   setup: once a pattern.   update: new values, same pattern.   apply: no allocation, no host sync.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/table.hpp"
#include "base/timer.hpp"
#include "solvers/matrix/matrix.hpp"
#include "solvers/matrix/stored_as.hpp"

namespace weir {

// What is not known or does not apply stays at its default (0, or -1 for the measures).
struct SetupInfo {
  int levels = 0;
  int colours = 0;
  std::int64_t nnz = 0;
  int replaced_blocks = 0;  // diagonal blocks that were singular and have been replaced
  double fixed_point_residual = -1;
  double ilu_residual = -1;  // |A - L U| outside of the pattern, in units of |A|
  double dominance_L = -1, dominance_U = -1;
  std::int64_t bytes = 0;
  double seconds = 0;
  double diagnostics_seconds = 0;  // of measurements that were asked for: no part of `seconds`
};

// Thrown within a set-up that was asked to stop (Preconditioner::stop_when): what it was making is of no use.
struct SetupStopped {};

// A part of an application that can be run by itself, to be measured: a colour, a sweep, the levels from one on. What it
// leaves in z is of no use.
template <class Space>
struct PartOfApply {
  std::string name;
  Work work;
  std::function<void(View<const double> r, View<double> z)> run;
};

// What a preconditioner is with the options it has, whatever the matrix.
struct Traits {
  bool keeps_symmetry = false;    // of a symmetric matrix: cg may use it
  bool is_constant = true;        // the same linear operator at every apply; else it needs a flexible method
  bool repeats = true;            // the same bits from the same systems
  bool remembers = false;         // what an update makes depends on the systems before: save() and restore() know it
  bool is_exact = false;          // a direct solver: one application solves
  bool is_method_alone = false;   // has no application, only a method of its own
  bool is_identity = false;       // z = r: methods skip the copy
  bool takes_floats = false;      // RoundedCsr as it is; else it is given a BlockCsr of its values
  bool works_over_ranks = false;  // takes a DistributedMatrix as it is
  // Of one that works over ranks: its setup and update exchange messages (it then sees to it itself that all ranks throw or
  // none); its result depends on how the rows are partitioned.
  bool talks_in_setup = false, depends_on_partition = false;
  StoredAs storage = StoredAs::float64;  // of most of its numbers
};

// What is known of incomplete factors at this moment, of each block row; empty: not known.
struct FactorObservation {
  std::vector<double> fixed_point;  // |x - g(x)|_1 of the row's entries
  std::vector<double> dominance_L,
      dominance_U;  // of the Jacobi iteration matrices: sums over the row, the largest unknown's
  // The part of a row's reads in the last apply sweep, forward and backward, that do not see what the sequential sweep
  // sees. Of prescribed asynchrony exactly; of threads on the host counted in an application of its own; Device, free:
  // empty.
  std::vector<double> stale_reads;
};

template <class Space>
class Krylov;
struct KrylovOptions;

template <class Space>
class Preconditioner {
 public:
  explicit Preconditioner(const Traits& traits = {}) : traits_(traits) {}
  virtual ~Preconditioner() = default;
  SetupInfo setup(const Matrix<Space>& A) {
    return with_seconds([&] { return do_setup(A); });
  }
  SetupInfo update(const Matrix<Space>& A) {
    return with_seconds([&] { return do_update(A); });
  }
  // Asked between the parts of set-ups that may take long.
  void stop_when(std::shared_ptr<const std::function<bool()>> question) { should_stop_ = std::move(question); }
  // What it remembers, for checkpoints.
  virtual void save(Archive& to);
  // Goes on as one that had this state after its last setup or update, which was with A.
  virtual void restore(const Matrix<Space>& A, Archive& /*from*/) { setup(A); }
  virtual void apply(View<const double> r, View<double> z) const = 0;
  virtual double apply_dot(View<const double> r, View<double> z) const;                       // the same; returns r.z
  virtual Pair apply_dots(View<const double> r, View<const double> w, View<double> z) const;  // returns {r.z, w.z}
  virtual std::string describe() const = 0;  // one line for the log: method, ordering, sweeps, precision

  const Traits& traits() const { return traits_; }
  bool is_constant() const { return traits_.is_constant; }
  bool is_identity() const { return traits_.is_identity; }
  bool works_over_ranks() const { return traits_.works_over_ranks; }

  // What depends on the matrix of the last setup, or on the one given.
  virtual bool is_symmetric() const { return traits_.keeps_symmetry; }
  virtual bool spreads_over(const Matrix<Space>&) const { return works_over_ranks(); }  // takes it distributed
  virtual std::vector<StoredAs> storage_of_rows() const { return {}; }  // empty: all as traits().storage
  virtual Work apply_work() const { return {}; }                        // of one application; no bytes: not stated
  virtual Work update_work() const { return {}; }                       // of the numbers of an update
  virtual std::vector<PartOfApply<Space>> parts() const { return {}; }  // must not outlive this, nor a setup or update
  virtual FactorObservation observe() const { return {}; }              // apart from the times of setup
  virtual std::string report() const { return ""; }                     // of the steps of the last setup, for people

  // Before setup, for a method that needs it: of two forms, the one that keeps symmetry, unless the options say otherwise.
  virtual void prefer_symmetry() {}
  // Before setup, where its rows are those of one rank.
  virtual void stands_on(int /*rank*/, int /*ranks*/) {}
  // What solves where this is the method itself, one that outlives it; null: Richardson iteration with it.
  virtual std::unique_ptr<Krylov<Space>> own_method(const KrylovOptions&) const;
  // After a solve that failed: what is wrong with this one's applications, of which r is an example; empty: nothing is known.
  virtual std::string complaint(View<const double> /*r*/) const { return ""; }

 protected:
  virtual SetupInfo do_setup(const Matrix<Space>& A) = 0;
  virtual SetupInfo do_update(const Matrix<Space>& A) { return do_setup(A); }

  void stop_if_asked() const {
    if (should_stop_ && *should_stop_ && (*should_stop_)()) throw SetupStopped();
  }

  Traits traits_;

 private:
  std::shared_ptr<const std::function<bool()>> should_stop_;
  template <class F>
  static SetupInfo with_seconds(const F& prepare) {
    double seconds = 0;
    SetupInfo info = timed(NamedSeconds{seconds, nullptr, "set-up"}, prepare);
    info.seconds = seconds - info.diagnostics_seconds;
    return info;
  }
};

template <class Space>
void Preconditioner<Space>::save(Archive&) {
  if (traits_.remembers)
    throw Error(Exit::usage, "the preconditioner (" + describe() +
                                 ") makes use of the systems before, which no checkpoint holds: a run that restarts "
                                 "could not go on as one that was not stopped");
}

// The method of that type in the list of the registry, with its own options from the table
// ([linear.SYSTEM.preconditioner]); without a type the table's, or "none". An unknown type is an error that lists the known.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const std::string& type, const Table& options);
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const Table& options);

}  // namespace weir
