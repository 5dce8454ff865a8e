// The linear operator of the solvers. Vectors have size() values; the B unknowns of a cell are contiguous.
#pragma once
#include <cstdint>

#include "solvers/device/chunked_reduce.hpp"
#include "solvers/device/space.hpp"
#include "solvers/matrix/work.hpp"

namespace weir {

struct SeparableOperator;  // solvers/matrix/stencil/separable_operator.hpp
class Communicator;        // solvers/parallel/communicator.hpp

// Cost of the halo exchanges of all products so far.
struct HaloCost {
  double seconds = 0;
  std::int64_t bytes = 0;
};

template <class Space>
class Matrix {
 public:
  using SpaceOf = Space;
  virtual ~Matrix() = default;

  virtual int rows() const = 0;  // block rows
  virtual int block() const { return 1; }
  int size() const { return rows() * block(); }

  virtual void apply(View<const double> x, View<double> y) const = 0;                           // y = A x
  virtual double apply_dot(View<const double> x, View<double> y) const;                         // y = A x, returns x.y
  virtual Pair apply_dots(View<const double> x, View<const double> w, View<double> y) const;    // returns {y.w, y.y}
  virtual void residual(View<const double> b, View<const double> x, View<double> r) const = 0;  // r = b - A x
  virtual double residual_dot(View<const double> b, View<const double> x,
                              View<double> r) const;  // the same; returns r.r
  // The diagonal blocks of the block rows from `first` on, row-major, d.size() / B^2 of them.
  virtual void block_diagonal(int first, View<double> d) const = 0;

  virtual bool is_symmetric() const = 0;
  // The constant vector spans the null spaces of A and its transpose (pressure with Neumann conditions on all
  // boundaries); solvers project it out.
  virtual bool has_constant_null_space() const { return false; }
  virtual Work apply_work() const = 0;

  // Distributed rows: everything above is this rank's part, dot products its share of the sum. Null: one rank.
  virtual const Communicator* ranks() const { return nullptr; }
  virtual std::int64_t unknowns() const { return size(); }  // over all ranks
  virtual HaloCost halo_cost() const { return {}; }

  // The operator as a sum of Kronecker products, required by fast_poisson and multigrid; null: none.
  virtual const SeparableOperator* separable() const { return nullptr; }
};

}  // namespace weir
