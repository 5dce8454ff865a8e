#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/distributed/whole_system.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"

namespace weir {

template <class Space>
class Gathered : public Preconditioner<Space> {
 public:
  Gathered(std::string name, std::unique_ptr<Preconditioner<Space>> inner)
      : Preconditioner<Space>(inner->traits()), name_(std::move(name)), inner_(std::move(inner)) {
    this->traits_.works_over_ranks = this->traits_.talks_in_setup = true;
    this->traits_.takes_floats = false;
  }

  SetupInfo do_setup(const Matrix<Space>& A) override {
    return prepare(A, [&] { return inner_->setup(*whole_); });
  }
  SetupInfo do_update(const Matrix<Space>& A) override {
    if (&A != matrix_) return do_setup(A);
    A_->update_whole(whole_.get());
    return on_rank_0([&] { return inner_->update(*whole_); });
  }
  void save(Archive& to) override {
    if (whole_) inner_->save(to);
  }
  void restore(const Matrix<Space>& A, Archive& from) override {
    prepare(A, [&] {
      inner_->restore(*whole_, from);
      return SetupInfo();
    });
  }

  void apply(View<const double> r, View<double> z) const override {
    download(r);
    A_->rows_of_ranks().gather(mine_, host_);
    if (whole_) {
      r_.upload(host_);
      inner_->apply(r_, z_);
      z_.download(host_);
    }
    A_->rows_of_ranks().scatter(host_, mine_);
    upload(z);
  }
  bool is_symmetric() const override { return is_symmetric_; }
  Work apply_work() const override { return whole_ ? inner_->apply_work() : Work{}; }
  Work update_work() const override { return whole_ ? inner_->update_work() : Work{}; }
  std::string describe() const override { return inner_->describe() + ", solved on the root rank"; }

 private:
  template <class Inner>
  SetupInfo prepare(const Matrix<Space>& A, const Inner& inner) {
    A_ = dynamic_cast<const Gatherable<Space>*>(&A);
    if (!A_)
      throw Error(Exit::usage, name_ +
                                   " runs on one rank only; in parallel use jacobi, block_jacobi, or { type = "
                                   "\"additive_schwarz\", inner = { type = ... } }");
    matrix_ = &A;
    mine_.resize(static_cast<std::size_t>(A.size()));
    whole_ = A_->make_whole();
    return on_rank_0([&] {
      r_ = Array<double, Space>(whole_->size());
      z_ = Array<double, Space>(whole_->size());
      host_.resize(static_cast<std::size_t>(whole_->size()));
      return inner();
    });
  }

  // An error on rank 0 is thrown on all ranks. Rows are those of the whole matrix.
  template <class F>
  SetupInfo on_rank_0(const F& f) {
    SetupInfo info;
    const auto prepare = [&] {
      if (whole_) info = f();
    };
    if (matrix_->ranks())
      all_or_none(*matrix_->ranks(), prepare);
    else
      prepare();
    // Symmetry depends on the matrix, which only rank 0 has; it is needed on all ranks.
    const bool is_symmetric = whole_ && inner_->is_symmetric();
    is_symmetric_ = matrix_->ranks() ? matrix_->ranks()->max(is_symmetric ? 1 : 0) > 0 : is_symmetric;
    return info;
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(mine_.size() * sizeof(double)); }
  void download(View<const double> r) const {
    if constexpr (std::is_same_v<Space, Host>)
      std::copy(r.data(), r.data() + r.size(), mine_.begin());
    else
      backend::copy_to_host(mine_.data(), r.data(), bytes());
  }
  void upload(View<double> z) const {
    if constexpr (std::is_same_v<Space, Host>)
      std::copy(mine_.begin(), mine_.end(), z.data());
    else
      backend::copy_to_device(z.data(), mine_.data(), bytes());
  }

  std::string name_;
  std::unique_ptr<Preconditioner<Space>> inner_;
  bool is_symmetric_ = false;
  const Matrix<Space>* matrix_ = nullptr;
  const Gatherable<Space>* A_ = nullptr;  // the same
  std::unique_ptr<Matrix<Space>> whole_;  // rank 0
  mutable Array<double, Space> r_, z_;    // rank 0
  mutable std::vector<double> mine_, host_;
};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_gathered(const std::string& name,
                                                     std::unique_ptr<Preconditioner<Space>> inner) {
  return std::make_unique<Gathered<Space>>(name, std::move(inner));
}
template std::unique_ptr<Preconditioner<Host>> make_gathered(const std::string&, std::unique_ptr<Preconditioner<Host>>);
template std::unique_ptr<Preconditioner<Device>> make_gathered(const std::string&,
                                                               std::unique_ptr<Preconditioner<Device>>);

}  // namespace weir
