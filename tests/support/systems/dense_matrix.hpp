// A dense matrix as the solvers see it, in either space. Products are done on the host by the textbook.
#pragma once
#include "tests/support/systems/dense.hpp"

namespace weir::test {

template <class Space>
Numbers load(View<const double> v) {
  Numbers host(static_cast<std::size_t>(v.size()));
  if constexpr (std::is_same_v<Space, Host>)
    std::copy(v.data(), v.data() + v.size(), host.begin());
  else
    backend::copy_to_host(host.data(), v.data(), v.size() * static_cast<std::int64_t>(sizeof(double)));
  return host;
}
template <class Space>
void store(const Numbers& host, View<double> v) {
  if constexpr (std::is_same_v<Space, Host>)
    std::copy(host.begin(), host.end(), v.data());
  else
    backend::copy_to_device(v.data(), host.data(), v.size() * static_cast<std::int64_t>(sizeof(double)));
}

struct DenseTraits {
  bool symmetric = true;
  int block = 1;
  bool constant_null_space = false;
};

template <class Space>
class DenseMatrix : public Matrix<Space> {
 public:
  explicit DenseMatrix(Dense a, DenseTraits traits = {}) : a_(std::move(a)), traits_(traits) {}
  int rows() const override { return a_.n / traits_.block; }
  int block() const override { return traits_.block; }
  void apply(View<const double> x, View<double> y) const override { store<Space>(a_ * load<Space>(x), y); }
  void residual(View<const double> b, View<const double> x, View<double> r) const override {
    store<Space>(minus(load<Space>(b), a_ * load<Space>(x)), r);
  }
  void block_diagonal(int first, View<double> d) const override {
    Numbers blocks;
    const int B = traits_.block, rows = static_cast<int>(d.size()) / (B * B);
    for (int i = first * B; i < (first + rows) * B; ++i)
      for (int j = 0; j < B; ++j) blocks.push_back(a_(i, i / B * B + j));
    store<Space>(blocks, d);
  }
  bool is_symmetric() const override { return traits_.symmetric; }
  bool has_constant_null_space() const override { return traits_.constant_null_space; }
  Work apply_work() const override { return {}; }

 private:
  Dense a_;
  DenseTraits traits_;
};

}  // namespace weir::test
