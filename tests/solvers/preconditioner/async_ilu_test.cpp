// async_ilu0 and async_block_ilu0: fixed points, convergence to the exact factors in every order, prescribed
// asynchrony.
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"

#include <omp.h>

#include "base/error.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/ilu_factors.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test::async_ilu_test {
namespace {

template <class Space>
class AsyncIluOf : public ::testing::Test {};
TYPED_TEST_SUITE(AsyncIluOf, Spaces, SpaceName);

std::vector<std::vector<int>> orders(int nx, int ny) {
  return {natural_order(nx * ny), random_order(nx * ny, 3), diagonal_order(nx, ny)};
}

BlockCsrData twin(const BlockCsrData& A, bool scalar) { return scalar ? as_scalars(A) : A; }

TYPED_TEST(AsyncIluOf, ExactFactorsAreAFixedPointOfBothSweeps) {
  for (const bool scalar : {false, true})
    for (const int B : {1, 3, 4, 8}) {
      const BlockCsrData data = mesh_like(6, 5, B, 3, random_order(30, 7));
      const TextbookIlu0 textbook(twin(data, scalar));
      const BlockCsr<TypeParam> A(data);
      AsyncIlu<TypeParam> M({.scalar = scalar, .diagnostics = true});
      M.setup(A);
      set_values(M.factors(), twin(data, scalar), textbook.factors.value);
      M.factors().sweep(A, 1);
      EXPECT_LE(relative(values_of(M.factors(), twin(data, scalar)), textbook.factors.value), same) << "n = " << B;
    }
}

// A triangular system of l levels is solved by l sweeps in any order (theorem 3), and so are the factors' equations,
// one level each for L and U.
TYPED_TEST(AsyncIluOf, SweepsConvergeToTheExactFactorsAndSolutionsInEveryOrder) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  for (const bool scalar : {false, true})
    for (const auto& order : orders(6, 5)) {
      const BlockCsrData data = mesh_like(6, 5, 3, 5, order);
      const TextbookIlu0 textbook(twin(data, scalar));
      const BlockCsr<TypeParam> A(data);
      AsyncIlu<TypeParam> M({.scalar = scalar, .build_sweeps = 180, .apply_sweeps = 90, .chunk = 2});
      M.setup(A);
      EXPECT_LE(relative(values_of(M.factors(), twin(data, scalar)), textbook.factors.value), same) << scalar;
      const Numbers r = random_numbers(A.size(), 5);
      EXPECT_LE(relative(applied(M, r), textbook.solve(r)), same) << scalar;
    }
  omp_set_num_threads(threads);
}

TEST(AsyncIluOnHost, OneThreadIsTheSequentialAlgorithm) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  for (const bool scalar : {false, true})
    for (const int B : {1, 2, 4, 5, 6, 7}) {
      const BlockCsrData data = mesh_like(7, 6, B, 9, diagonal_order(7, 6));
      const TextbookIlu0 textbook(twin(data, scalar));
      const BlockCsr<Host> A(data);
      AsyncIlu<Host> M({.scalar = scalar});
      M.setup(A);
      EXPECT_LE(relative(values_of(M.factors(), twin(data, scalar)), textbook.factors.value), same) << "n = " << B;
      const Numbers r = random_numbers(A.size(), 5);
      EXPECT_LE(relative(applied(M, r), textbook.solve(r)), same) << "n = " << B;
    }
  omp_set_num_threads(threads);
}

// Both spaces run the same code.
TEST(AsyncIluObserved, RowsAreMeasuredAlikeInBothSpaces) {
  for (const bool scalar : {false, true})
    for (const int B : {1, 4, 5}) {
      const BlockCsrData data = mesh_like(6, 5, B, 3, random_order(30, 7));
      const BlockCsr<Host> A(data);
      const BlockCsr<Device> D(data);
      AsyncIlu<Host> host({.scalar = scalar, .scaling = B == 4});
      AsyncIlu<Device> device({.scalar = scalar, .scaling = B == 4});
      host.setup(A);
      device.setup(D);
      Numbers factors = values_of(host.factors(), twin(data, scalar));
      for (std::size_t e = 0; e < factors.size(); e += 3) factors[e] *= 1.01;  // off their fixed point
      set_values(host.factors(), twin(data, scalar), factors);
      set_values(device.factors(), twin(data, scalar), factors);
      const FactorObservation h = host.observe(), d = device.observe();
      ASSERT_EQ(h.fixed_point.size(), 30U);
      EXPECT_GT(max_norm(h.fixed_point), 1e-3);
      EXPECT_LE(relative(h.fixed_point, d.fixed_point), same) << B << scalar;
      EXPECT_LE(relative(h.dominance_L, d.dominance_L), same) << B << scalar;
      EXPECT_LE(relative(h.dominance_U, d.dominance_U), same) << B << scalar;
      EXPECT_TRUE(d.stale_reads.empty());
    }
}

TEST(AsyncIluObserved, ReadsOfThreadsAreCountedAndOneThreadReadsNothingStale) {
  const int threads = omp_get_max_threads();
  const BlockCsr<Host> A(mesh_like(40, 30, 3, 5, diagonal_order(40, 30)));
  for (const bool scalar : {false, true})
    for (const int sweeps : {1, 3}) {
      AsyncIlu<Host> M({.scalar = scalar, .apply_sweeps = sweeps, .chunk = 8});
      omp_set_num_threads(1);
      M.setup(A);
      EXPECT_EQ(M.observe().stale_reads, Numbers(1200, 0.0)) << sweeps;
      omp_set_num_threads(3);
      for (const double part : M.observe().stale_reads) {
        EXPECT_GE(part, 0);
        EXPECT_LE(part, 1);
      }
    }
  omp_set_num_threads(threads);
}

TYPED_TEST(AsyncIluOf, PrescribedWithOneLaneAndNoDelayIsTheSequentialAlgorithm) {
  for (const bool scalar : {false, true}) {
    const BlockCsrData data = mesh_like(7, 6, 4, 9, random_order(42, 2));
    const TextbookIlu0 textbook(twin(data, scalar));
    const BlockCsr<TypeParam> A(data);
    AsyncIlu<TypeParam> M({.scalar = scalar, .chunk = 4, .prescribed = true, .delay = 0, .lanes = 1});
    M.setup(A);
    EXPECT_LE(relative(values_of(M.factors(), twin(data, scalar)), textbook.factors.value), same);
    const Numbers r = random_numbers(A.size(), 5);
    EXPECT_LE(relative(applied(M, r), textbook.solve(r)), same);
  }
}

template <class Space>
std::pair<Numbers, Numbers> prescribed(const BlockCsrData& data, const AsyncIluOptions& options, const Numbers& r) {
  const BlockCsr<Space> A(data);
  AsyncIlu<Space> M(options);
  M.setup(A);
  return {values_of(M.factors(), twin(data, options.scalar)), applied(M, r)};
}

TEST(AsyncIluPrescribed, RepeatsBitForBitOverFiveRunsAndAcrossSpaces) {
  const BlockCsrData data = mesh_like(9, 8, 4, 11, diagonal_order(9, 8));
  const Numbers r = random_numbers(4 * 72, 5);
  for (const bool scalar : {false, true})
    for (const bool scaling : {false, true}) {
      AsyncIluOptions options{.scalar = scalar, .build_sweeps = 2, .apply_sweeps = 3, .chunk = 3, .scaling = scaling};
      options.prescribed = true;
      options.delay = 5;
      options.lanes = 6;
      const auto first = prescribed<Host>(data, options, r);
      for (int run = 1; run < 5; ++run) EXPECT_EQ(prescribed<Host>(data, options, r), first);
      for (int run = 0; run < 5; ++run) EXPECT_EQ(prescribed<Device>(data, options, r), first);
      options.seed = 2;
      EXPECT_NE(prescribed<Host>(data, options, r), first) << "the seed has no effect";
    }
}

TEST(AsyncIluPrescribed, ConvergesToTheExactFactors) {
  const BlockCsrData data = mesh_like(6, 5, 4, 11, random_order(30, 2));
  AsyncIluOptions options{.build_sweeps = 60, .apply_sweeps = 31, .chunk = 2};
  options.prescribed = true;
  options.delay = 7;
  options.lanes = 5;
  const Numbers r = random_numbers(4 * 30, 5);
  const auto [factors, z] = prescribed<Host>(data, options, r);
  const TextbookIlu0 textbook(data);
  EXPECT_LE(relative(factors, textbook.factors.value), same);
  EXPECT_LE(relative(z, textbook.solve(r)), same);
}

// Replayed on a plain list of all writes in their order.
TEST(AsyncScheduleModel, ReadsWhatTheShiftSaysAndVisitsEveryRowOnceASweep) {
  for (const AsyncSchedule s :
       {AsyncSchedule{23, 3, 4, 6, 5}, AsyncSchedule{12, 5, 1, 3, 1}, AsyncSchedule{7, 2, 9, 0, 1}}) {
    std::vector<std::vector<int>> written(static_cast<std::size_t>(s.rows), {-1});  // step of each version, -1 first
    std::vector<int> visits(static_cast<std::size_t>(s.rows));
    for (int sweep = 0; sweep < 3; ++sweep)
      for (int step = 0; step < s.steps(); ++step) {
        const int j = sweep * s.steps() + step;
        std::vector<int> now;
        for (int lane = 0; lane < s.lanes; ++lane)
          if (const int i = s.row(step, lane); i < s.rows) now.push_back(i);
        for (const int i : now) {
          EXPECT_EQ(s.step_of(i), step);
          for (int k = 0; k < s.rows; ++k) {
            const int last = j - 1 - s.shift(j, i, k);
            int version = -1;  // the sweep whose value is seen
            for (const int w : written[static_cast<std::size_t>(k)])
              if (w >= 0 && w <= last) ++version;
            EXPECT_EQ(s.slot(sweep, step, i, k), version & 1);
            EXPECT_GE(version, sweep - 2);
          }
        }
        for (const int i : now) {
          written[static_cast<std::size_t>(i)].push_back(j);
          ++visits[static_cast<std::size_t>(i)];
        }
      }
    EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(s.rows), 3));
  }
}

TYPED_TEST(AsyncIluOf, ScalingGivesTheFactorsOfTheScaledMatrix) {
  const BlockCsrData data = mesh_like(6, 5, 4, 13, natural_order(30));
  BlockCsrData scaled = data;
  const auto diagonal = [&](int i) { return dense(data)(i, i); };
  Numbers s(120);
  for (int i = 0; i < 120; ++i) s[static_cast<std::size_t>(i)] = 1 / std::sqrt(diagonal(i));
  for (int i = 0; i < 30; ++i)
    for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      for (int q = 0; q < 16; ++q)
        scaled.value[static_cast<std::size_t>(e * 16 + q)] *=
            s[static_cast<std::size_t>(4 * i + q / 4)] *
            s[static_cast<std::size_t>(4 * data.column[static_cast<std::size_t>(e)] + q % 4)];
  const BlockCsr<TypeParam> A(data);
  AsyncIlu<TypeParam> M({.build_sweeps = 60, .apply_sweeps = 30, .scaling = true});
  M.setup(A);
  EXPECT_LE(relative(values_of(M.factors(), scaled), TextbookIlu0(scaled).factors.value), same);
  const Numbers r = random_numbers(120, 5);
  EXPECT_LE(relative(applied(M, r), TextbookIlu0(data).solve(r)), same);  // S (S A S)^-1 S: the same operator
}

TYPED_TEST(AsyncIluOf, UpdateEqualsAFreshSetup) {
  const BlockCsrData first = mesh_like(6, 5, 4, 1, natural_order(30)),
                     second = mesh_like(6, 5, 4, 2, natural_order(30));
  for (const bool previous : {false, true}) {  // converged, the guess does not matter
    BlockCsr<TypeParam> A(first);
    const AsyncIluOptions options{.build_sweeps = 60, .apply_sweeps = 30, .from_previous = previous};
    AsyncIlu<TypeParam> updated(options), fresh(options);
    updated.setup(A);
    A.update(second.value);
    updated.update(A);
    fresh.setup(A);
    EXPECT_LE(relative(values_of(updated.factors(), first), values_of(fresh.factors(), first)), same);
  }
}

TYPED_TEST(AsyncIluOf, MeasuresTheFactorsWhereAsked) {
  const BlockCsrData data = mesh_like(6, 5, 4, 17, natural_order(30));
  const BlockCsr<TypeParam> A(data);
  AsyncIlu<TypeParam> converged({.build_sweeps = 60, .diagnostics = true}), silent({});
  const SetupInfo info = converged.setup(A);
  EXPECT_LE(info.fixed_point_residual, 1e-12);
  EXPECT_GE(info.fixed_point_residual, 0);
  // Row sums of the textbook's L and U_ii^-1 U.
  const TextbookIlu0 textbook(data);
  double L = 0, U = 0;
  for (int i = 0; i < 30; ++i) {
    Numbers below(4), above(4);
    const auto row = textbook.row_of(i);
    for (const auto& [j, block] : row) {
      const Numbers b = j > i ? block_product(4, block_inverse(4, row.at(i)), block) : block;
      for (std::size_t q = 0; q < 16 && j != i; ++q) (j < i ? below : above)[q / 4] += std::abs(b[q]);
    }
    L = std::max(L, max_norm(below));
    U = std::max(U, max_norm(above));
  }
  EXPECT_NEAR(info.dominance_L, L, 1e-10 * L);
  EXPECT_NEAR(info.dominance_U, U, 1e-10 * U);
  EXPECT_EQ(silent.setup(A).fixed_point_residual, -1);
}

TYPED_TEST(AsyncIluOf, SingularDiagonalBlocksAreReplacedAndCounted) {
  const BlockCsr<TypeParam> A(mesh_like_with_two_singular_rows(4));
  AsyncIlu<TypeParam> M({.build_sweeps = 4});
  EXPECT_EQ(M.setup(A).replaced_blocks, 2);
  for (const double z : applied(M, random_numbers(120, 3))) EXPECT_TRUE(std::isfinite(z));
}

TYPED_TEST(AsyncIluOf, FaultsAreNamedByTheirRow) {
  AsyncIlu<TypeParam> M({});
  const std::string told = refusal(M, row_without_a_diagonal());
  EXPECT_NE(told.find("block row 1 has no diagonal block (the row is empty)"), std::string::npos) << told;
  EXPECT_NE(refusal(M, random_blocks(3, 9, 1)).find("at most 8 unknowns"), std::string::npos);
}

TYPED_TEST(AsyncIluOf, OnlyFlexibleMethodsTakeIt) {
  const BlockCsr<TypeParam> A(mesh_like(6, 5, 4, 21, natural_order(30)));
  const Numbers b = random_numbers(A.size(), 4);
  for (const char* type : {"async_ilu0", "async_block_ilu0"}) {
    Numbers x(b.size());
    KrylovOptions options;
    options.tolerance = 1e-10;
    EXPECT_TRUE(solve<TypeParam>("fgmres", type, A, b, x, options).converged()) << type;
    EXPECT_THROW(solve<TypeParam>("gmres", type, A, b, x, options), Error) << type;
  }
}

}  // namespace
}  // namespace weir::test::async_ilu_test
