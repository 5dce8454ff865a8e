// Source terms of a force per volume F (numbers or formulas of x, y, t) and an acceleration g (gravity):
//   S(U) = (0, F + rho g, (F + rho g) . u),   V dU/dt + R(U) - V S(U) = 0
#pragma once
#include <vector>

#include "miniapps/compressible/case.hpp"
#include "solvers/device/array.hpp"

namespace weir {

template <class Space>
class BodyForce {
 public:
  // own: number of cells with the force (the first ones); n: values per cell. The case and the mesh must outlive this.
  BodyForce(const CompressibleCase& c, const UnstructuredMesh& mesh, int own, int n);

  bool is_on() const { return force_.size() > 0; }
  void set_time(double t);

  void add_to_residual(View<const double> U, View<double> R) const;                       // R -= V S(U)
  void add_to_product(View<const double> U, View<const double> x, View<double> y) const;  // y -= V dS/dU x
  // Adds -V dS/dU to the diagonal blocks at the given positions; by_columns: layout of a block.
  template <class T>
  void add_to_blocks(View<const double> U, const std::int64_t* diagonal, bool by_columns, T* values) const;

 private:
  const CompressibleCase& c_;
  const UnstructuredMesh& mesh_;
  int n_;
  std::vector<double> host_;             // F times V, two numbers per cell
  Array<double, Space> force_, volume_;  // empty: no force
};

}  // namespace weir
