#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/preconditioner/additive_schwarz.hpp"
#include "solvers/timer.hpp"

namespace weir {

template <class Space>
class Gathered : public Preconditioner<Space> {
 public:
  Gathered(std::string name, std::unique_ptr<Preconditioner<Space>> inner)
      : name_(std::move(name)), inner_(std::move(inner)) {}

  SetupInfo setup(const Matrix<Space>& A) override {
    A_ = dynamic_cast<const DistributedStencil<Space>*>(&A);
    if (!A_)
      throw Error(Exit::usage, name_ +
                                   " knows one rank alone; over ranks take jacobi, block_jacobi, or "
                                   "{ type = \"additive_schwarz\", inner = { type = ... } }");
    SetupInfo info;
    if (A_->ranks()->is_root()) {
      whole_ = std::make_unique<SeparableStencil<Space>>(A_->whole_operator());
      info = inner_->setup(*whole_);
      r_ = Array<double, Space>(whole_->size());
      z_ = Array<double, Space>(whole_->size());
      host_.resize(static_cast<std::size_t>(whole_->size()));
    }
    mine_.resize(static_cast<std::size_t>(A_->size()));
    return info;
  }
  SetupInfo update(const Matrix<Space>& A) override {
    if (!whole_ || &A != static_cast<const Matrix<Space>*>(A_)) return setup(A);
    whole_->set_coefficients(A_->whole_operator().shift, A_->whole_operator().scale);
    return inner_->update(*whole_);
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
  bool works_over_ranks() const override { return true; }
  bool is_symmetric() const override { return inner_->is_symmetric(); }
  bool is_constant() const override { return inner_->is_constant(); }
  bool is_exact() const override { return inner_->is_exact(); }
  std::string describe() const override { return inner_->describe() + ", gathered on rank 0"; }

 private:
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
  const DistributedStencil<Space>* A_ = nullptr;
  std::unique_ptr<SeparableStencil<Space>> whole_;  // rank 0
  mutable Array<double, Space> r_, z_;              // rank 0
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
