// `none`: z = r.   `jacobi`: z = omega D^-1 r, D the scalar diagonal of A.
#include "solvers/device/array.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/jacobi/diagonal_blocks.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "solvers/registry.hpp"

namespace weir {

// Default for preconditioners without a fused product: two passes.
template <class Space>
double Preconditioner<Space>::apply_dot(View<const double> r, View<double> z) const {
  apply(r, z);
  return dot<Space>(r, z);
}
template <class Space>
Pair Preconditioner<Space>::apply_dots(View<const double> r, View<const double> w, View<double> z) const {
  apply(r, z);
  return dot2<Space>(z, r, w);
}
template class Preconditioner<Host>;
template class Preconditioner<Device>;

namespace jacobi_kernels {

// Entries of D: every (B + 1)-th of each B x B block.
template <class Space>
void scalar_diagonal(View<const double> blocks, int B, View<double> d) {
  for_each<Space>(d.size(),
                  [=] WEIR_HD(int i) { d[i] = blocks[static_cast<std::int64_t>(i / B) * B * B + (i % B) * (B + 1)]; });
}
// The first row whose entry is zero or not finite; n if there is none.
template <class Space>
int first_bad(View<const double> d) {
  const int n = static_cast<int>(d.size());
  return n - static_cast<int>(max_abs<Space>(n, [=] WEIR_HD(int i) {
           const bool good = d[i] != 0 && d[i] - d[i] == 0;
           return good ? 0.0 : static_cast<double>(n - i);
         }));
}
template <class Space>
void invert(double omega, View<double> d) {
  for_each<Space>(d.size(), [=] WEIR_HD(int i) { d[i] = omega / d[i]; });
}
template <class Space>
void multiply(View<const double> d, View<const double> r, View<double> z) {
  for_each<Space>(r.size(), [=] WEIR_HD(int i) { z[i] = d[i] * r[i]; });
}
template <class Space>
double multiply_dot(View<const double> d, View<const double> r, View<double> z) {
  return sum<Space>(r.size(), [=] WEIR_HD(int i) {
    const double v = d[i] * r[i];
    z[i] = v;
    return v * r[i];
  });
}

}  // namespace jacobi_kernels

template <class Space>
class None : public Preconditioner<Space> {
 public:
  None()
      : Preconditioner<Space>(
            {.keeps_symmetry = true, .is_identity = true, .takes_floats = true, .works_over_ranks = true}) {}
  SetupInfo do_setup(const Matrix<Space>&) override { return {}; }
  void apply(View<const double> r, View<double> z) const override { assign<Space>(r, z); }
  std::string describe() const override { return "none"; }
};

template <class Space>
class Jacobi : public Preconditioner<Space> {
 public:
  explicit Jacobi(double omega)
      : Preconditioner<Space>({.keeps_symmetry = true, .takes_floats = true, .works_over_ranks = true}),
        omega_(omega) {}

  SetupInfo do_setup(const Matrix<Space>& A) override {
    const int B = A.block();
    if (inverse_.size() != A.size()) inverse_ = Array<double, Space>(A.size());
    if (B == 1)
      A.block_diagonal(0, inverse_);
    else
      for_diagonal_blocks(A, blocks_, [&](int first, View<const double> blocks) {
        jacobi_kernels::scalar_diagonal<Space>(blocks, B, inverse_.view().part(first * B, blocks.size() / B));
      });
    const int bad = jacobi_kernels::first_bad<Space>(inverse_);
    if (bad < A.size())
      throw RowError(Exit::solver_failed, "jacobi: the diagonal entry of ", bad / B, "row " + std::to_string(bad),
                     " is zero, NaN or Inf");
    jacobi_kernels::invert<Space>(omega_, inverse_);
    return {.nnz = A.size(), .bytes = 8 * (inverse_.size() + blocks_.size())};
  }
  void apply(View<const double> r, View<double> z) const override {
    jacobi_kernels::multiply<Space>(inverse_.view(), r, z);
  }
  double apply_dot(View<const double> r, View<double> z) const override {
    return jacobi_kernels::multiply_dot<Space>(inverse_.view(), r, z);
  }
  Work apply_work() const override { return {24 * inverse_.size(), inverse_.size()}; }
  std::string describe() const override {
    return omega_ == 1 ? "jacobi" : "jacobi(relaxation " + std::to_string(omega_) + ")";
  }

 private:
  double omega_;
  Array<double, Space> inverse_, blocks_;  // blocks_: a part of the rows
};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_none(const Table&) {
  return std::make_unique<None<Space>>();
}
constexpr Option jacobi_keys[] = {
    {"relaxation", Option::number, "1.0", "damping factor omega in z = omega D^-1 r", "(0, inf)"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_jacobi(const Table& options) {
  return std::make_unique<Jacobi<Space>>(options.described_by(jacobi_keys).get<double>("relaxation"));
}

constexpr PreconditionerDescription preconditioner::none{.name = "none",
                                                         .meaning = "z = r: no preconditioner",
                                                         .citation = "",
                                                         .options = {},
                                                         .matrices = on_any_matrix,
                                                         .over_ranks = on_any_matrix,
                                                         .update_cost = 0,
                                                         .bytes = [](const Table&, const MatrixSize&) { return 0.0; },
                                                         .make_host = make_none<Host>,
                                                         .make_device = make_none<Device>};
constexpr PreconditionerDescription preconditioner::jacobi{
    .name = "jacobi",
    .meaning = "z = omega D^-1 r, D the scalar diagonal",
    .citation = "",
    .options = jacobi_keys,
    .matrices = on_any_matrix,
    .over_ranks = on_any_matrix,
    .update_cost = 0.3,
    .divides_by = DividesBy::diagonal,
    .tried_with = "bicgstab",
    .bytes =
        [](const Table&, const MatrixSize& A) {
          return 8 * A.unknowns() + (A.block > 1 ? diagonal_blocks_share * 8 * A.entries(A.rows) : 0);
        },
    .make_host = make_jacobi<Host>,
    .make_device = make_jacobi<Device>};

}  // namespace weir
