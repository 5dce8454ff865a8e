// Direct solution of the coarsest level of a separable operator by fast diagonalisation (Lynch, Rice & Thomas 1964).
// With K q = lambda M q and Q^T M Q = 1 in each direction:
//  u = (Qx (x) Qy (x) Qz) (shift + scale (lambda_x + lambda_y + lambda_z))^-1 (Qx^T Mx (x) Qy^T My (x) Qz^T Mz) g
// A constant null space is projected out. One block of threads does all of it on the device.
#pragma once
#include <array>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {

// Matrices of a direction of n unknowns, row i at i pitch. to: weights of an unknown in the modes; from: values of a
// mode at the unknowns.
template <class T>
struct ModesView {
  int n = 1, pitch = 4;
  const T *to = nullptr, *from = nullptr;
};

template <class T>
struct CoarsestView {
  ModesView<T> direction[3];
  const T* inverse = nullptr;  // inverse eigenvalues, natural order like work
  T* work[2] = {};
};

template <class T, class Space>
class CoarsestSolve {
 public:
  CoarsestSolve() = default;
  explicit CoarsestSolve(const GridLevel& level);
  void update(double shift, double scale);       // allocates nothing
  void operator()(const LevelView<T>& L) const;  // u from g of the level
  std::int64_t bytes() const { return (matrices_.size() + values_.size()) * static_cast<std::int64_t>(sizeof(T)); }

 private:
  CoarsestView<T> view_;
  Array<T, Space> matrices_, values_;  // values: inverse, work
  std::array<std::vector<double>, 3> lambda_;
  std::vector<T> inverse_on_host_;
};

}  // namespace weir::multigrid
