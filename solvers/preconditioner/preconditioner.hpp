// z = M^-1 r.   setup: once a pattern.   update: new values, same pattern.   apply: no allocation, no host sync.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "solvers/matrix/matrix.hpp"

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
};

// A part of an application that can be run by itself, to be measured: a colour, a sweep, the levels from one on. What it
// leaves in z is of no use.
template <class Space>
struct PartOfApply {
  std::string name;
  Work work;
  std::function<void(View<const double> r, View<double> z)> run;
};

template <class Space>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual SetupInfo setup(const Matrix<Space>& A) = 0;
  virtual SetupInfo update(const Matrix<Space>& A) { return setup(A); }
  virtual void apply(View<const double> r, View<double> z) const = 0;
  virtual double apply_dot(View<const double> r, View<double> z) const;  // the same; returns r.z
  virtual bool works_over_ranks() const { return false; }                // takes a DistributedMatrix as it is
  virtual bool spreads_over(const Matrix<Space>&) const { return works_over_ranks(); }  // the same of one such matrix
  // Of one that works over ranks: whether its setup and update exchange messages. It then sees to it itself that all ranks
  // throw or none.
  virtual bool talks_in_setup() const { return false; }
  virtual bool takes_floats() const { return false; }  // RoundedCsr as it is; else it is given a BlockCsr of its values
  virtual bool is_symmetric() const = 0;               // keeps the symmetry of A: cg may use it
  virtual bool is_constant() const {
    return true;
  }                                                // the same linear operator at every apply: needs no flexible method
  virtual bool is_exact() const { return false; }  // a direct solver: one application solves
  virtual bool is_identity() const { return false; }                    // z = r: methods skip the copy
  virtual Work apply_work() const { return {}; }                        // of one application; no bytes: not stated
  virtual Work update_work() const { return {}; }                       // of the numbers of an update
  virtual std::vector<PartOfApply<Space>> parts() const { return {}; }  // must not outlive this, nor a setup or update
  virtual std::string describe() const = 0;  // one line for the log: method, ordering, sweeps, precision
};

// The visible list of what exists (factory.cpp). Reads `type` and the method's own options from the table
// ([linear.SYSTEM.preconditioner]); an unknown type is an error that lists the known ones.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const Table& options);

// The same with the type given apart, and the types that exist.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const std::string& type, const Table& options);
std::vector<std::string> preconditioner_types();

}  // namespace weir
