// Passes in one sweep leave what they leave one after the other, on a stencil where every order shows.
#include "solvers/matrix/stencil/pass_sweep.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::test::pass_sweep_test {
namespace {

using Rows = std::vector<std::uint64_t>;  // one number a row: the sweep moves whole rows

// A row's new value mixes its own old one with the row and its neighbours of the pass before.
class Mixer {
 public:
  explicit Mixer(Extents e) : e_(e), a_(static_cast<std::size_t>(e.ny * e.nz)), b_(a_) {
    for (std::size_t q = 0; q < a_.size(); ++q) a_[q] = 2 * q + 1, b_[q] = 7 * q;
  }
  void row(int p, int j, int k) {
    const Rows& from = p % 2 == 0 ? a_ : b_;
    Rows& to = p % 2 == 0 ? b_ : a_;
    const auto at = [&](int jj, int kk) {
      return jj < 0 || jj >= e_.ny || kk < 0 || kk >= e_.nz ? 0 : from[static_cast<std::size_t>(kk * e_.ny + jj)];
    };
    std::uint64_t& own = to[static_cast<std::size_t>(k * e_.ny + j)];
    for (const std::uint64_t value : {at(j, k), at(j - 1, k), at(j + 1, k), at(j, k - 1), at(j, k + 1)})
      own = (own ^ value) * 1099511628211u;
  }
  bool operator==(const Mixer& other) const { return a_ == other.a_ && b_ == other.b_; }

 private:
  Extents e_;
  Rows a_, b_;
};

TEST(PassSweep, LeavesWhatThePassesLeaveOneAfterTheOther) {
  const int threads = omp_get_max_threads();
  // long rows: worth threads, and strips within a slab; short ones: neither
  for (const Extents e : {Extents{9000, 50, 35}, Extents{9000, 16, 27}, Extents{9000, 33, 8}, Extents{9000, 7, 3},
                          Extents{9000, 1, 40}, Extents{9000, 61, 1}, Extents{3, 20, 30}, Extents{3, 1, 1}})
    for (const int passes : {1, 2, 3, 6, 8, 10}) {
      Mixer expected(e);
      for (int p = 0; p < passes; ++p)
        for (int k = 0; k < e.nz; ++k)
          for (int j = 0; j < e.ny; ++j) expected.row(p, j, k);
      for (const int t : {1, 2, 3}) {
        omp_set_num_threads(t);
        Mixer mixer(e);
        PassSweep(e, false, 24)(passes, [&](int p, int j, int k) { mixer.row(p, j, k); });
        EXPECT_TRUE(mixer == expected) << e.ny << " x " << e.nz << ", " << passes << " passes, " << t << " threads";
      }
    }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace weir::test::pass_sweep_test
