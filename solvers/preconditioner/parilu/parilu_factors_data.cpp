// The factors of parilu and parilut in and out, block rows of L and U with U's diagonal blocks: for tests and measurements.
#include "base/at.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/preconditioner/parilu/parilu_factors.hpp"

namespace weir {

template <class Space>
BlockCsrData ParIluFactors<Space>::to_data() const {
  const std::int64_t nn = std::int64_t{n_} * n_;
  const auto ls = lower_.start.to_vector(rows_ + 1), us = upper_.start.to_vector(rows_ + 1);
  const auto lc = lower_.column.to_vector(lower_.count), uc = upper_.column.to_vector(upper_.count);
  const auto lv = lower_.value.to_vector(lower_.count * nn), uv = upper_.value.to_vector(upper_.count * nn);
  std::vector<double> inverse = inverse_.to_vector(rows_ * nn);
  BlockCsrData data;
  data.block = n_;
  data.row_start = {0};
  const auto add = [&](int j, const double* block) {
    data.column.push_back(j);
    for (int u = 0; u < n_; ++u)
      for (int v = 0; v < n_; ++v) data.value.push_back(block[v * n_ + u]);
  };
  for (int i = 0; i < rows_; ++i) {
    for (std::int64_t e = ls[at(i)]; e < ls[at(i) + 1]; ++e) add(lc[at(e)], &lv[at(e * nn)]);
    lanes::invert(lanes::RuntimeBlock(n_), &inverse[at(i * nn)]);
    add(i, &inverse[at(i * nn)]);
    for (std::int64_t e = us[at(i)]; e < us[at(i) + 1]; ++e) add(uc[at(e)], &uv[at(e * nn)]);
    data.row_start.push_back(static_cast<std::int64_t>(data.column.size()));
  }
  return data;
}

template <class Space>
void ParIluFactors<Space>::from_values(const std::vector<double>& values) {
  const std::int64_t nn = std::int64_t{n_} * n_;
  const auto ls = lower_.start.to_vector(rows_ + 1), us = upper_.start.to_vector(rows_ + 1);
  std::vector<double> lv, uv, inverse;
  auto from = values.begin();
  const auto take = [&](std::vector<double>& to, bool invert) {
    to.resize(to.size() + at(nn));
    double* block = to.data() + (to.size() - at(nn));
    for (int u = 0; u < n_; ++u)
      for (int v = 0; v < n_; ++v) block[v * n_ + u] = *from++;
    if (invert) lanes::invert(lanes::RuntimeBlock(n_), block);
  };
  for (int i = 0; i < rows_; ++i) {
    for (std::int64_t e = ls[at(i)]; e < ls[at(i) + 1]; ++e) take(lv, false);
    take(inverse, true);
    for (std::int64_t e = us[at(i)]; e < us[at(i) + 1]; ++e) take(uv, false);
  }
  for (std::vector<double>* v : {&lv, &uv}) v->resize(v->size() + at(parilu::entries_behind * nn));
  lower_.value.assign(lv);
  upper_.value.assign(uv);
  inverse_.assign(inverse);
}

template BlockCsrData ParIluFactors<Host>::to_data() const;
template BlockCsrData ParIluFactors<Device>::to_data() const;
template void ParIluFactors<Host>::from_values(const std::vector<double>&);
template void ParIluFactors<Device>::from_values(const std::vector<double>&);

}  // namespace weir
