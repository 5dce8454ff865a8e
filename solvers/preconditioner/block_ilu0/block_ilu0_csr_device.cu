// The factorisation on the device: a launch a level, one thread a row, in place in the factors.
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_small.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

namespace weir {
namespace block_ilu0 {

// Where the blocks of a row are while it is worked on.
template <class T>
struct RowBlocks {
  T *lower, *diagonal, *upper;
  int lowers, nn;
  WEIR_HD T* at(int slot) const {
    return slot < lowers    ? lower + std::int64_t{slot} * nn
           : slot == lowers ? diagonal
                            : upper + (std::int64_t{slot} - lowers - 1) * nn;
  }
};

template <class T, class V>
WEIR_HD inline bool factorise_row(const CsrFactors<T, V>& f, int p) {
  const int n = f.A.block, i = f.lower.order[p], q = f.upper_position[i];
  const int lowers = static_cast<int>(f.lower.start[p + 1] - f.lower.start[p]),
            blocks = lowers + 1 + static_cast<int>(f.upper.start[q + 1] - f.upper.start[q]);
  const std::int64_t nn = std::int64_t{n} * n, first = f.A.diagonal[i] - lowers;
  const RowBlocks<T> row{f.lower.value + f.lower.start[p] * nn, f.inverted + p * nn,
                         f.upper.value + f.upper.start[q] * nn, lowers, n * n};
  for (int s = 0; s < blocks; ++s)
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) row.at(s)[v * n + u] = static_cast<T>(f.A.value[(first + s) * nn + u * n + v]);
  for (int s = 0; s < row.lowers; ++s) {
    const std::int64_t l = f.lower_first[i] + s;
    for (std::int64_t m = f.match_start[l]; m < f.match_start[l + 1]; ++m)
      block_small::subtract_product(n, row.at(f.match[m].slot), row.at(s), f.upper.value + f.match[m].upper * nn);
  }
  const bool usable = block_small::invert(n, row.diagonal, f.pivoting);
  for (int s = 0; s < blocks; ++s)
    if (s != row.lowers) block_small::multiply_in_place(n, row.diagonal, row.at(s));
  return usable;
}

template <class T, class V>
void factorise_level(const CsrFactors<T, V>& f, int from, int to, int* bad) {
  for_each<Device>(to - from, [=] WEIR_HD(int q) {
    const int p = from + q;
    bad[f.lower.order[p]] = factorise_row(f, p) ? 0 : 1;
  });
}

FailedCell first_bad(const int* bad, int rows) {
  const double most =
      max_abs<Device>(rows, [=] WEIR_HD(int i) { return bad[i] ? static_cast<double>(rows - i) : 0.0; });
  return most > 0 ? rows - static_cast<int>(most) : -1;
}

}  // namespace block_ilu0

template <class Space, class T>
template <class V>
FailedCell CsrIlu0<Space, T>::factorise(const block_ilu0::CsrFactors<T, V>& f) {
  const std::vector<int>& start = lower_.level_start();
  for (std::size_t l = 0; l + 1 < start.size(); ++l)
    block_ilu0::factorise_level(f, start[l], start[l + 1], bad_.data());
  return block_ilu0::first_bad(bad_.data(), rows_);
}

template <class Space, class T>
void CsrIlu0<Space, T>::solve(const double* r, double* z) {
  lower_.solve(inverted_.data(), r, work_.data());
  upper_.solve(nullptr, work_.data(), z);
}

template FailedCell CsrIlu0<Device, double>::factorise(const block_ilu0::CsrFactors<double, double>&);
template FailedCell CsrIlu0<Device, double>::factorise(const block_ilu0::CsrFactors<double, float>&);
template FailedCell CsrIlu0<Device, float>::factorise(const block_ilu0::CsrFactors<float, double>&);
template FailedCell CsrIlu0<Device, float>::factorise(const block_ilu0::CsrFactors<float, float>&);
template void CsrIlu0<Device, double>::solve(const double*, double*);
template void CsrIlu0<Device, float>::solve(const double*, double*);

}  // namespace weir
