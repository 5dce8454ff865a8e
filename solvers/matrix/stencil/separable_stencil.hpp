// The 7-point matrix of a SeparableOperator: only its 1D arrays are stored, so a product moves two vectors.
//   (A x)_ijk = mx_i ( c0 x - cs x_S - cn x_N - cb x_B - ct x_T ) + cx ( dx_i x - lx_i x_W - ux_i x_E )
// where the row (j, k) gives   cx = s my mz,   cs = s mz ly,  cn = s mz uy,  cb = s my lz,  ct = s my uz,
//   c0 = shift my mz + s ( mz (ly + uy + by) + my (lz + uz + bz) ),   s = scale,   dx = lx + ux + bx.
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/fused_products.hpp"
#include "solvers/matrix/stencil/planes_beyond.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

// One direction in kernels; diagonal = lower + upper + boundary.
struct StencilAxis {
  const double *mass = nullptr, *lower = nullptr, *upper = nullptr, *diagonal = nullptr;
  const double* inverse_mass = nullptr;
  int n = 1;
  bool periodic = false;
};

// A = scale (K_x M_y M_z + M_x K_y M_z + M_x M_y K_z) + shift M_x M_y M_z: K and M of one direction each.
struct StencilView {
  StencilAxis X, Y, Z;
  double shift = 0, scale = 1;
  PlanesBeyond beyond = {};  // host; the coefficients at the ends of the lines couple to them
  Extents extents() const { return {X.n, Y.n, Z.n}; }
};

// Chebyshev steps with coefficients known in advance.
struct ChebyshevSteps {
  static constexpr int most = 8;
  int count = 0;
  bool residual = false;
  double alpha[most] = {}, omega[most] = {};
};

// Host: vectorised along i, OpenMP over rows, row sums added in a fixed tree.
namespace separable_products {
Pair product(Host, const StencilView& s, Product p, const double* b, const double* x, double* y);
Pair product(Device, const StencilView& s, Product p, const double* b, const double* x, double* y);
Pair chebyshev_start(Host, const StencilView& s, double omega, const double* b, const double* x, double* y);
double chebyshev_steps(Host, const StencilView& s, const ChebyshevSteps& steps, const double* b, double* x, double* y);
Pair chebyshev_start(Device, const StencilView& s, double omega, const double* b, const double* x, double* y);
double chebyshev_steps(Device, const StencilView& s, const ChebyshevSteps& steps, const double* b, double* x,
                       double* y);
}  // namespace separable_products

// Operations for the Chebyshev method (solvers/krylov/chebyshev.cu), M being the diagonal of volumes; each pass reads
// b and x once. With ranks, sums are this rank's shares.
template <class Space>
class ChebyshevPasses {
 public:
  virtual ~ChebyshevPasses() = default;
  virtual void set_coefficients(double shift, double scale) = 0;  // of a new time step
  virtual const SeparableOperator& whole_operator() const = 0;    // of all ranks: its eigenvalues bound the method
  // y = x + omega M^-1 r, r = b - A x; returns r.r and b.b.
  virtual Pair chebyshev_start(double omega, View<const double> b, View<const double> x, View<double> y) const = 0;
  // Each step y = x + alpha (x - y) + omega M^-1 r, then x and y are swapped; finally r.r of the last iterate if
  // wanted, which may overwrite the other vector.
  virtual double chebyshev_steps(const ChebyshevSteps& steps, View<const double> b, View<double> x,
                                 View<double> y) const = 0;
};

template <class Space>
class SeparableStencil : public FusedProducts<SeparableStencil<Space>, Matrix<Space>>, public ChebyshevPasses<Space> {
 public:
  explicit SeparableStencil(SeparableOperator op);  // Error(usage): more than 2^31 - 1 unknowns

  // New shift and scale of a time step; the 1D arrays stay.
  void set_coefficients(double shift, double scale) override;

  int rows() const override { return extents_.count(); }
  static constexpr bool fuses(Product p) { return p != Product::apply_dots; }
  Pair product(Product p, const double* b, const double* x, double* y) const {
    return separable_products::product(Space{}, view(), p, b, x, y);
  }
  void block_diagonal(int first, View<double> d) const override;
  bool is_symmetric() const override { return true; }
  bool has_constant_null_space() const override { return operator_.has_constant_null_space(); }
  Work apply_work() const override;
  const SeparableOperator* separable() const override { return &operator_; }

  // Host: for products with rows that other ranks continue.
  void use_planes(const PlanesBeyond& beyond) { beyond_ = beyond; }

  // On the host several steps are combined in one sweep (pass_sweep.hpp).
  const SeparableOperator& whole_operator() const override { return operator_; }
  Pair chebyshev_start(double omega, View<const double> b, View<const double> x, View<double> y) const override {
    return separable_products::chebyshev_start(Space{}, view(), omega, b.data(), x.data(), y.data());
  }
  double chebyshev_steps(const ChebyshevSteps& steps, View<const double> b, View<double> x,
                         View<double> y) const override {
    return separable_products::chebyshev_steps(Space{}, view(), steps, b.data(), x.data(), y.data());
  }

 private:
  StencilView view() const;

  SeparableOperator operator_;
  PlanesBeyond beyond_;
  Extents extents_;
  Array<double, Space> coefficients_;  // mass, lower, upper, diagonal, 1/mass of x, then of y and z
};

}  // namespace weir
