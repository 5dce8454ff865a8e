// A matrix with distributed rows (Liu, Seo & Mittal 2013, sec. III-A): a rank has its rows and its part of x. Its own
// columns form the local matrix (any of solvers/matrix), columns of other ranks the coupling to the ghosts of x:
//   y = A_local x + C x_ghost
// Ghosts are exchanged while A_local x is computed; border rows are completed afterwards.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solvers/device/growing_array.hpp"
#include "solvers/matrix/fused_products.hpp"
#include "solvers/matrix/matrix.hpp"
#include "solvers/parallel/halo.hpp"

namespace weir {

// Rows with columns of other ranks as compressed rows: entry e of border row r belongs to local block row row[r] and
// ghost ghost[e] of the halo pattern; B x B values, row-major.
struct Coupling {
  int block = 1;
  std::vector<int> row, start{0}, ghost;
  std::vector<double> value;
};

// Kernel view of a Coupling; its values are to be multiplied by `factor`.
struct CouplingView {
  int block;
  double factor;
  View<const int> row, start, ghost;
  View<const double> value;
};
// y += C x_ghost
template <class Space>
void add_coupling(const CouplingView& C, View<const double> x_ghost, View<double> y);

template <class Space>
class DistributedMatrix : public Matrix<Space> {
 public:
  // `local` and `ranks` must outlive this. symmetric, null_space: of the whole matrix.
  DistributedMatrix(const Communicator& ranks, const Matrix<Space>& local, const HaloPattern& pattern,
                    const Coupling& coupling, bool symmetric, bool null_space, const HaloOptions& options = {});

  const Matrix<Space>& local() const { return local_; }
  View<double> coupling_values() { return value_; }  // for new values with the same pattern
  CouplingView beyond(double factor = 1) const {
    return {block_, factor * factor_, row_.view(), start_.view(), ghost_.view(), value_.view()};
  }
  int connections() const { return connections_; }  // grows when the pattern of the coupling changes
  const Halo<Space>& halo() const { return halo_; }
  const HaloOptions& halo_options() const { return options_; }
  // Starts the exchange of x; ghosts() waits for it. Collective.
  void fetch(View<const double> x) const { halo_.start(HaloFields::blocks(x.data(), block_)); }
  View<const double> ghosts() const {
    halo_.finish();
    return halo_.ghosts();
  }
  Coupling coupling() const;                                  // with current values
  std::vector<double> at_ghosts(View<const double> x) const;  // B values per ghost, fetched from the owners; collective

  int rows() const override { return local_.rows(); }
  int block() const override { return local_.block(); }
  void apply(View<const double> x, View<double> y) const override;
  void residual(View<const double> b, View<const double> x, View<double> r) const override;
  double apply_dot(View<const double> x, View<double> y) const override;
  void block_diagonal(int first, View<double> d) const override { local_.block_diagonal(first, d); }
  bool is_symmetric() const override { return symmetric_; }
  bool has_constant_null_space() const override { return null_space_; }
  Work apply_work() const override;

  const Communicator* ranks() const override { return &ranks_; }
  std::int64_t unknowns() const override { return unknowns_; }
  // Name of a local block row in the whole matrix, for errors; by default "block row 7 of rank 1".
  std::string row_name(int row) const;
  void name_rows(std::function<std::string(int)> name) { name_of_row_ = std::move(name); }
  HaloCost halo_cost() const override { return {halo_.traffic().seconds, halo_.traffic().bytes}; }

 protected:
  // Adds the fetched values times `factor` to the border rows of y; returns the sum of w times the added values.
  double add_ghosts(double factor, View<const double> w, View<double> y) const;
  void add_ghosts(double factor, View<double> y) const;
  // With exact sums: the product with the bits of one rank, from planes of ghosts (ghost_planes.hpp); false: not here.
  virtual bool exact_product(Product, const double* /*b*/, View<const double>, View<double>) const { return false; }
  double factor_ = 1;  // of all coupling values
  int connections_ = 0;
  GrowingArray<int, Space> row_, start_, ghost_;
  GrowingArray<double, Space> value_;
  mutable Halo<Space> halo_;

 private:
  const Communicator& ranks_;
  const Matrix<Space>& local_;
  HaloOptions options_;
  int block_;
  bool symmetric_, null_space_;
  std::int64_t unknowns_;
  std::function<std::string(int)> name_of_row_;
};

}  // namespace weir
