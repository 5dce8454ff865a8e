// z = M^-1 r. setup: once per pattern. update: new values, same pattern. apply: no allocation, no host synchronisation.
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

// Unknown or inapplicable values stay at their defaults (0, or -1 for measurements).
struct SetupInfo {
  int levels = 0;
  int colours = 0;
  std::int64_t nnz = 0;
  int replaced_blocks = 0;  // singular diagonal blocks that were replaced
  double fixed_point_residual = -1;
  double ilu_residual = -1;  // |A - L U| outside of the pattern, relative to |A|
  double dominance_L = -1, dominance_U = -1;
  std::int64_t bytes = 0;
  double seconds = 0;
  double diagnostics_seconds = 0;  // requested measurements, rows for other libraries; not part of `seconds`
};

// Thrown within a cancelled set-up (Preconditioner::stop_when): the partial result must not be used.
struct SetupStopped {};

// A part of an application that can be run and timed by itself: a colour, a sweep, the levels from one on. Its z is
// meaningless.
template <class Space>
struct PartOfApply {
  std::string name;
  Work work;
  std::function<void(View<const double> r, View<double> z)> run;
};

// Properties of a preconditioner with its options, independent of the matrix.
struct Traits {
  bool keeps_symmetry = false;    // symmetric for a symmetric matrix: cg may use it
  bool is_constant = true;        // the same linear operator at every application; else only for flexible methods
  bool repeats = true;            // the same bits from the same systems
  bool remembers = false;         // updates depend on earlier systems; save() and restore() keep that state
  bool is_exact = false;          // direct solver: one application solves
  bool is_method_alone = false;   // no application, only own_method()
  bool is_identity = false;       // z = r: methods skip the copy
  bool takes_floats = false;      // accepts RoundedCsr; else it gets a BlockCsr of its values
  bool works_over_ranks = false;  // accepts DistributedMatrix
  // talks_in_setup: set-up and update exchange messages, and the preconditioner itself ensures that all ranks throw or
  // none. depends_on_partition: the result depends on the partition of the rows.
  bool talks_in_setup = false, depends_on_partition = false;
  StoredAs storage = StoredAs::float64;  // storage of most of its numbers
};

// Measurements of incomplete factors by block row; empty: not known.
struct FactorObservation {
  std::vector<double> fixed_point;  // |x - g(x)|_1 of the row's entries
  std::vector<double> dominance_L,
      dominance_U;  // of the Jacobi iteration matrices: sums over the row, the largest unknown's
  // Fraction of the reads of a row in the last apply sweep, forward and backward, that differ from those of a
  // sequential sweep. Prescribed asynchrony: exact; free threads on the host: counted in a separate application; free
  // on the device: empty.
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
  // Cancellation: `question` is polled between the parts of long set-ups.
  void stop_when(std::shared_ptr<const std::function<bool()>> question) { should_stop_ = std::move(question); }
  // State that the next update depends on, for checkpoints.
  virtual void save(Archive& to);
  // Restores the state after a set-up or update with A.
  virtual void restore(const Matrix<Space>& A, Archive& /*from*/) { setup(A); }
  virtual void apply(View<const double> r, View<double> z) const = 0;
  virtual double apply_dot(View<const double> r, View<double> z) const;                       // the same; returns r.z
  virtual Pair apply_dots(View<const double> r, View<const double> w, View<double> z) const;  // returns {r.z, w.z}
  virtual std::string describe() const = 0;  // one line for the log: method, ordering, sweeps, precision

  const Traits& traits() const { return traits_; }
  bool is_constant() const { return traits_.is_constant; }
  bool is_identity() const { return traits_.is_identity; }
  bool works_over_ranks() const { return traits_.works_over_ranks; }

  // Properties that depend on the matrix of the last set-up, or on the one given.
  virtual bool is_symmetric() const { return traits_.keeps_symmetry; }
  virtual bool spreads_over(const Matrix<Space>&) const {
    return works_over_ranks();
  }                                                                     // accepts the distributed matrix
  virtual Work apply_work() const { return {}; }                        // per application; no bytes: not stated
  virtual Work update_work() const { return {}; }                       // per update of the values
  virtual std::vector<PartOfApply<Space>> parts() const { return {}; }  // valid until the next set-up or update
  virtual FactorObservation observe() const { return {}; }              // not counted in the set-up time
  virtual std::string report() const { return ""; }  // readable table of the steps of the last set-up

  // Called before setup() for methods that need symmetry: chooses the symmetric variant unless the options say
  // otherwise.
  virtual void prefer_symmetry() {}
  // Called before setup() when the preconditioner acts on the local rows of one rank only.
  virtual void stands_on(int /*rank*/, int /*ranks*/) {}
  // Krylov method to use when the preconditioner is named as `method` (must outlive it); nullptr: Richardson iteration.
  virtual std::unique_ptr<Krylov<Space>> own_method(const KrylovOptions&) const;
  // After a failed solve: a description of what is wrong with the application, e.g. to r; empty: nothing known.
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
                                 ") depends on earlier systems, which checkpoints do not contain: a restarted run "
                                 "would differ from an uninterrupted one");
}

// The preconditioner of that type from the registry, with its options from the table ([linear.SYSTEM.preconditioner]).
// Without a type: that of the table, or "none". An unknown type is an error that lists the known ones.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const std::string& type, const Table& options);
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const Table& options);

}  // namespace weir
