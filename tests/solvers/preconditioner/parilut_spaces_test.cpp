// parilut on the device compared with the host's: the same patterns and factors whatever the rows' lengths, and how
// often the host looks.
#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/device/ledger.hpp"
#include "solvers/matrix/algorithms/sample_select.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/systems/anisotropic.hpp"
#include "tests/support/systems/ilu_factors.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test::parilut_spaces_test {
namespace {

TEST(ParIlutInBothSpaces, SynchronousSweepsGiveTheSamePatternsAndFactors) {
  for (const int B : {1, 3}) {
    const BlockCsrData data = mesh_like(12, 9, B, 8, random_order(108, 5));
    const BlockCsr<Host> A(data);
    const BlockCsr<Device> D(data);
    const ParIluOptions options{.steps = 2, .sweeps = 2, .exact_thresholds = true, .synchronous = true};
    ParIlu<Host> on_host(options);
    ParIlu<Device> on_device(options);
    on_host.setup(A);
    on_device.setup(D);
    EXPECT_EQ(data_of(on_host.factors()).column, data_of(on_device.factors()).column);
    EXPECT_LE(relative(data_of(on_host.factors()).value, data_of(on_device.factors()).value), same);
  }
}

// An entry of a pattern by rows, columns ascending; scalars.
void add_row(BlockCsrData& data, std::vector<int> columns, const Numbers& values) {
  if (data.row_start.empty()) data.row_start = {0};
  const int i = data.rows();
  for (const int j : columns) {
    data.column.push_back(j);
    data.value.push_back(j == i ? 8 : values[data.value.size() % values.size()]);
  }
  data.row_start.push_back(static_cast<std::int64_t>(data.column.size()));
}

// Row 0 and column 0 are full.
BlockCsrData arrow(int rows) {
  BlockCsrData data;
  const Numbers values = random_numbers(97, 3);
  for (int i = 0; i < rows; ++i) {
    std::vector<int> columns = {0};
    for (int j = std::max(i, 1); j < rows && (i == 0 || j <= i + 1); ++j) columns.push_back(j);
    add_row(data, columns, values);
  }
  return data;
}

// The last row names a hundred others with five entries of their own each: more candidates than a team has room for.
BlockCsrData broom() {
  BlockCsrData data;
  const Numbers values = random_numbers(97, 4);
  for (int i = 0; i < 601; ++i) {
    std::vector<int> columns;
    for (int j = 0; i == 600 && j < 100; ++j) columns.push_back(j);
    columns.push_back(i);
    for (int j = 0; i < 100 && j < 5; ++j) columns.push_back(100 + 5 * i + j);
    add_row(data, columns, values);
  }
  return data;
}

// Scalars have kernels of their own on Device, where rows fit, by teams of 4 to 32 lanes: the arrows' longest rows need
// 8, 16 and 32, and the last's has no room. Thresholds by sorting few values, and by a count of many.
TEST(ParIlutInBothSpaces, ScalarRowsOfEveryLengthGiveTheSamePatternsAndFactors) {
  struct Case {
    BlockCsrData data;
    double fill;
  };
  const Case cases[] = {{mesh_like(1, 1, 1, 8, natural_order(1)), 1},
                        {mesh_like(6, 5, 1, 8, random_order(30, 5)), 0.4},
                        {mesh_like(26, 24, 1, 8, natural_order(624)), 1},
                        {mesh_like(12, 10, 1, 8, random_order(120, 2)), 6},
                        {arrow(36), 4},
                        {arrow(68), 1},
                        {arrow(132), 1},
                        {arrow(262), 1},
                        {broom(), 1.5}};
  for (const Case& c : cases)
    for (const bool exact : {false, true}) {
      if (exact && c.data.rows() > 130) continue;
      const BlockCsr<Host> A(c.data);
      const BlockCsr<Device> D(c.data);
      const ParIluOptions options{
          .steps = 2, .sweeps = 2, .fill = c.fill, .exact_thresholds = exact, .synchronous = true};
      ParIlu<Host> on_host(options);
      ParIlu<Device> on_device(options);
      on_host.setup(A);
      on_device.setup(D);
      EXPECT_EQ(data_of(on_host.factors()).column, data_of(on_device.factors()).column) << A.size();
      EXPECT_LE(relative(data_of(on_host.factors()).value, data_of(on_device.factors()).value), 10 * same) << A.size();
      for (std::size_t k = 0; k < 2; ++k) {
        const ParIlutStep &h = on_host.factors().steps()[k], &d = on_device.factors().steps()[k];
        EXPECT_EQ(h.candidates, d.candidates) << A.size();
        EXPECT_EQ(h.lower, d.lower) << A.size();
        EXPECT_EQ(h.upper, d.upper) << A.size();
        EXPECT_NEAR(h.residual, d.residual, 10 * same) << A.size();
        EXPECT_NEAR(h.threshold_L, d.threshold_L, 10 * same) << A.size();
      }
      const Numbers r = random_numbers(A.size(), 5), z = applied(on_device, r);
      EXPECT_LE(relative(z, applied(on_host, r)), 100 * same) << A.size();
      EXPECT_EQ(applied(on_device, r), z);  // what a solve leaves does not matter
    }
}

// As ParIluFactors::threshold_of.
double expected_threshold(const Numbers& values, std::int64_t most) {
  const auto n = static_cast<std::int64_t>(values.size());
  Numbers size(values.size());
  for (std::size_t k = 0; k < size.size(); ++k) size[k] = std::abs(values[k]);
  SampleSelect<Host> select;
  const Selection s = select.approximate(Array<double, Host>(size), n - most);
  if (static_cast<double>(n - s.below) <= 1.1 * static_cast<double>(most)) return s.value;
  const auto above = std::count_if(size.begin(), size.end(), [&](double v) { return v > s.value; });
  return 2 * above >= most ? std::nextafter(s.value, HUGE_VAL) : s.value;
}

// The counts of six workgroups a triangle meet in the one that arrives last; ties are counted in a second launch.
TEST(ParIlutOnDevice, ThresholdsAddUpTheCountsOfManyWorkgroups) {
  constexpr int n = 5 * 16 * 256 + 77;
  const TriangularRows none{{0, 0}, {}};
  parilu::ScalarStep step(1, none, none);
  for (const std::string kind : {"random", "ties", "sorted"}) {
    Numbers lower = random_numbers(n, 3), upper = random_numbers(n, 4);
    for (double& v : lower) v = kind == "ties" ? std::round(9 * v) / 9 : std::abs(v);
    if (kind == "sorted") std::sort(lower.begin(), lower.end());  // a workgroup counts in some of the buckets
    const Array<double, Device> L(lower), U(upper);
    parilu::FactorsView f;
    f.lower.value = L.data();
    f.upper.value = U.data();
    for (const std::int64_t most : {n / 5, n / 2, 9 * n / 10}) {
      parilu::find_thresholds(f, {n, n, most, n - most}, step);
      const parilu::Seen seen = step.seen.to_vector()[0];
      EXPECT_EQ(seen.threshold[0], expected_threshold(lower, most)) << kind << " " << most;
      EXPECT_EQ(seen.threshold[1], expected_threshold(upper, n - most)) << kind << " " << most;
    }
  }
}

// Where the grown pattern needs its memory, and at the end.
TEST(ParIlutOnDevice, TheHostLooksTwiceInAStepOfScalars) {
  const BlockCsr<Device> A(anisotropic({.m = 12}));
  ParIlu<Device> M({.steps = 2, .from_previous = true});
  M.setup(A);
  M.update(A);  // memory of its last size
  const Ledger before = ledger();
  M.update(A);
  EXPECT_LE(ledger().synchronisations - before.synchronisations, 2);
  EXPECT_LE(ledger().scalars_to_host - before.scalars_to_host, 40);
  EXPECT_EQ(ledger().copies_to_host, before.copies_to_host);
  EXPECT_EQ(ledger().copies_to_device, before.copies_to_device);
  EXPECT_LE(ledger().launches - before.launches, 22);
}

}  // namespace
}  // namespace weir::test::parilut_spaces_test
