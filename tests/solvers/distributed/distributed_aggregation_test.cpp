// aggregation over ranks: its cycle against the textbook's with the same aggregates, iterations, and parts of any size.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/solvers/distributed/spread_rows.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/aggregation_cycle.hpp"

namespace weir::test::distributed_aggregation_test {
namespace {

template <class Space>
class DistributedAggregation : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedAggregation, Spaces, SpaceName);

// Aggregates within the parts, numbered part by part; parts becomes the rows of each rank on the coarse level.
aggregation::Aggregates of_parts(const BlockCsrData& A, int passes, Parts& parts) {
  aggregation::Aggregates all;
  all.of_row.resize(at(A.rows()));
  int first = 0;
  for (std::vector<int>& part : parts) {
    const aggregation::Aggregates own = find_aggregates(within(A, part), passes);
    for (std::size_t k = 0; k < part.size(); ++k) all.of_row[at(part[k])] = first + own.of_row[k];
    part.clear();
    for (int I = 0; I < own.count(); ++I) part.push_back(first + I);
    first += own.count();
  }
  all.start.resize(at(first) + 1);
  return all;
}

BlockCsrData sparse(const Dense& A, int B, const BlockCsrData& like) {
  BlockCsrData d;
  d.block = B;
  d.symmetric = like.symmetric;
  d.row_start = {0};
  for (int i = 0; i < A.n; i += B) {
    for (int j = 0; j < A.n; j += B) {
      Numbers block;
      for (int u = 0; u < B; ++u)
        for (int v = 0; v < B; ++v) block.push_back(A(i + u, j + v));
      if (norm(block) == 0 && i != j) continue;
      d.column.push_back(j / B);
      d.value.insert(d.value.end(), block.begin(), block.end());
    }
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return d;
}

// A grid whose values have no ties, so that round-off does not decide about aggregates.
BlockCsrData uneven_grid(int nx, int ny, int B, unsigned seed = 3) {
  BlockCsrData d = grid_system(nx, ny, B, {1, 6}, 4);
  const Numbers change = random_numbers(static_cast<int>(d.value.size()), seed);
  for (std::size_t k = 0; k < d.value.size(); ++k) d.value[k] *= 1 + 0.05 * change[k];
  return d;
}

Table table(const std::string& text) { return read_case_text(text, "test"); }

template <class Space, template <class> class MatrixOf>
Numbers applied_over_ranks(const Spread<Space, MatrixOf>& s, const std::string& text, const Numbers& r) {
  auto M = make_preconditioner<Space>("aggregation", table(text));
  M->setup(s.matrix);
  return applied<Space>(*M, s.mine(r));
}

double worst(const Numbers& a, const Numbers& b) {
  EXPECT_EQ(a.size(), b.size());
  return world().max(a.empty() ? 0 : max_difference(a, b));
}

const std::string jacobi = "smoother = { type = \"block_jacobi\" }\n";

TYPED_TEST(DistributedAggregation, TheCycleIsTheTextbooksWithAggregatesWithinRanks) {
  const std::string spread_then_solved = "gather_rows = 0\n", w = "cycle = \"W\"\n";
  for (const int B : {1, 3})
    for (const bool scattered : {false, true}) {
      const BlockCsrData A = uneven_grid(12, 8, B);
      const Parts parts =
          scattered ? parts_of(A.rows(), [](int i) { return i / 5 % world().size(); }) : slabs(A.rows());
      Spread<TypeParam> s(A, parts);
      const Numbers r = random_numbers(A.rows() * B, 3);
      for (const double diffusion : {1.0, 0.8}) {
        // Three levels: over ranks, over ranks, on every rank.
        Parts of_level = parts;
        std::vector<aggregation::Aggregates> levels{of_parts(A, 2, of_level)};
        const Dense C = coarse_matrix(dense(A), B, levels[0], diffusion);
        levels.push_back(of_parts(sparse(C, B, A), 2, of_level));
        const int coarsest = levels[1].count(), middle = levels[0].count();
        ASSERT_LT(coarsest, middle);
        const std::string kept = jacobi + "diffusion = " + std::to_string(diffusion) + "\n";
        const std::string three = kept + spread_then_solved + "coarse_rows = " + std::to_string(coarsest) + "\n";
        const auto compare = [&](const std::string& text, const CycleOptions& o, std::size_t used) {
          const Numbers z = textbook_cycle(dense(A), B, {levels.begin(), levels.begin() + at(used)}, o, r);
          EXPECT_LE(worst(applied_over_ranks(s, text, r), s.mine(z)), 1e4 * eps * max_norm(z)) << text << "n = " << B;
        };
        compare(three, {.diffusion = diffusion}, 2);
        compare(three + "pre = 2\npost = 2\nscaling = 1.2\n", {2, 2, 1.2, diffusion}, 2);
        compare(three + w, {.diffusion = diffusion, .w = true}, 2);
        // Two levels, the second solved on every rank.
        compare(kept + "coarse_rows = " + std::to_string(middle), {.diffusion = diffusion}, 1);
      }
    }
}

// The world, which counts exchanges.
class CountedRanks : public Communicator {
 public:
  int rank() const override { return world().rank(); }
  int size() const override { return world().size(); }
  std::vector<std::vector<int>> exchange(const std::vector<std::vector<int>>& to) const override {
    return world().exchange(to);
  }
  void gather_on_all(void* all, std::span<const int> counts, std::span<const int> begin) const override {
    ++gathers;
    gathered_bytes = begin.back() + counts.back();
    world().gather_on_all(all, counts, begin);
  }
  Awareness probe_device_buffer(double* buffer) const override { return world().probe_device_buffer(buffer); }
  std::unique_ptr<HaloTransport> transport(HaloStrategy strategy, const HaloLinks& links, const double* send,
                                           double* receive) const override {
    struct Counted : HaloTransport {
      void start() override {
        ++*starts;
        inner->start();
      }
      void finish() override { inner->finish(); }
      std::unique_ptr<HaloTransport> inner;
      int* starts;
    };
    auto counted = std::make_unique<Counted>();
    counted->inner = world().transport(strategy, links, send, receive);
    counted->starts = &exchanges;
    return counted;
  }
  mutable int exchanges = 0, gathers = 0, gathered_bytes = 0;

 protected:
  void sum_over_ranks(std::span<double> values, Reduction) const override { world().sum(values); }
  double max_over_ranks(double value) const override { return world().max(value); }
};

// With S levels over ranks: one exchange per visit of levels 1 .. S - 1, and one gathering per visit of level S - 1.
TYPED_TEST(DistributedAggregation, AVisitOfALevelIsOneExchange) {
  if (world().size() == 1) return;
  const BlockCsrData A = uneven_grid(20, 16, 2);
  const CountedRanks ranks;
  const Spread<TypeParam> s(A, slabs(A.rows()), ranks);
  const Array<double, TypeParam> r(s.mine(random_numbers(A.rows() * 2, 3)));
  Array<double, TypeParam> z(r.size());
  struct Counts {
    const char* text;
    int exchanges, gathers;
  };
  for (const Counts& c :
       {Counts{"gather_rows = 150", 0, 1}, Counts{"gather_rows = 50", 1, 1},
        Counts{"cycle = \"W\"\ngather_rows = 150", 0, 1}, Counts{"cycle = \"W\"\ngather_rows = 50", 2, 2}}) {
    auto M = make_preconditioner<TypeParam>("aggregation", table(c.text));
    M->setup(s.matrix);
    ranks.exchanges = ranks.gathers = 0;
    M->apply(r, z);
    EXPECT_EQ(ranks.exchanges, c.exchanges) << c.text;
    EXPECT_EQ(ranks.gathers, c.gathers) << c.text;
    EXPECT_LE(ranks.gathered_bytes, std::stoi(std::string(c.text).substr(std::string(c.text).rfind(' '))) * 2 * 8);
  }
}

int iterations(const std::string& method, const Matrix<Host>& A, const Numbers& b, const std::string& text) {
  LinearSolver<Host> solver(table("method = \"" + method + "\"\ntolerance = 1e-8\nmax_iterations = 400\n" +
                                  "[preconditioner]\ntype = \"aggregation\"\n" + text));
  if (A.ranks()) solver.precondition_each_rank();
  solver.setup(A);
  const Array<double, Host> B(b);
  Array<double, Host> X(A.size());
  const SolveResult result = solver.solve(A, B, X);
  EXPECT_TRUE(result.converged()) << text;
  return result.iterations;
}

// Columns of cells along the strong couplings stay whole, as the lines of a mesh do. Aggregates of each rank alone, as
// in additive_schwarz, take more and more iterations.
TEST(AggregationOverRanks, TakesAboutTheIterationsOfOneRank) {
  const int nx = 48, ny = 40;
  const BlockCsrData A = grid_system(nx, ny, 2, {1, 20}, 3);
  const Parts parts = parts_of(A.rows(), [&](int i) { return i % nx * world().size() / nx; });
  const Spread<Host> s(A, parts);
  const BlockCsr<Host> alone(A);
  const Numbers b = random_numbers(A.rows() * 2, 5);
  for (const char* text : {"cycle = \"V\"", "cycle = \"W\"\ndiffusion = 0.8", "cycle = \"W\"\ngather_rows = 20"}) {
    const int one = iterations("bicgstab", alone, b, text), all = iterations("bicgstab", s.matrix, s.mine(b), text);
    EXPECT_LE(all, 1.1 * one + 1) << text;
  }
  const int one = iterations("fgmres", alone, b, "cycle = \"K\"");
  EXPECT_LE(iterations("fgmres", s.matrix, s.mine(b), "cycle = \"K\"\ngather_rows = 20"), 1.1 * one + 1);
}

// Every rank but the last has nothing, or one row; rows without couplings.
TYPED_TEST(DistributedAggregation, RanksMayHaveFewRowsOrNone) {
  const int last = world().size() - 1;
  const BlockCsrData grid = uneven_grid(9, 8, 2);
  BlockCsrData lonely;  // one row per rank; the middle one decoupled
  lonely.block = 1;
  lonely.row_start = {0};
  for (int i = 0; i <= last; ++i) {
    const bool is_decoupled = i == (last + 1) / 2;
    for (int j = std::max(0, i - 1); j <= std::min(last, i + 1); ++j) {
      if (j != i && (is_decoupled || j == (last + 1) / 2)) continue;
      lonely.column.push_back(j);
      lonely.value.push_back(i == j ? 3 + 0.1 * i : -1);
    }
    lonely.row_start.push_back(static_cast<std::int64_t>(lonely.column.size()));
  }
  struct Case {
    const BlockCsrData& A;
    Parts parts;
  };
  for (const Case& c : {Case{grid, parts_of(grid.rows(), [&](int) { return last; })},
                        Case{grid, parts_of(grid.rows(), [&](int i) { return std::min(i, last); })},
                        Case{lonely, parts_of(lonely.rows(), [](int i) { return i; })}}) {
    Spread<TypeParam> s(c.A, c.parts);
    Parts of_level = c.parts;
    const int B = c.A.block;
    const Numbers r = random_numbers(c.A.rows() * B, 3);
    const auto aggregates = of_parts(c.A, c.A.rows() > 20 ? 2 : 0, of_level);
    for (const char* smoother : {"", "smoother = { type = \"block_jacobi\" }\n"}) {
      const std::string text =
          std::string(smoother) + "coarse_rows = " + std::to_string(std::max(20, aggregates.count()));
      const Numbers z = applied_over_ranks(s, text, r);
      if (*smoother) {
        const Numbers expected = textbook_cycle(dense(c.A), B, {aggregates}, {}, r);
        EXPECT_LE(worst(z, s.mine(expected)), 1e4 * eps * max_norm(expected));
      } else if (c.A.rows() <= 20) {
        const Numbers exact = dense_solve(dense(c.A), r);
        EXPECT_LE(worst(z, s.mine(exact)), 1e4 * eps * max_norm(exact));
      }
    }
  }
}

TYPED_TEST(DistributedAggregation, UpdateEqualsAFreshSetupAndAllocatesNothing) {
  const BlockCsrData old = uneven_grid(14, 12, 3), now = [&] {
    BlockCsrData A = old;
    for (double& v : A.value) v *= 1.5;  // the same aggregates
    return A;
  }();
  const Parts parts = slabs(old.rows());
  const Numbers r = random_numbers(old.rows() * 3, 1);
  for (const char* text : {"gather_rows = 20", "cycle = \"W\"\ndiffusion = 0.8\ngather_rows = 20",
                           "cycle = \"K\"\npre = 1\ncoarse_storage = \"float\""}) {
    Spread<TypeParam> s(old, parts), fresh(now, parts);
    auto M = make_preconditioner<TypeParam>("aggregation", table(text));
    M->setup(s.matrix);
    applied<TypeParam>(*M, s.mine(r));
    s.update(now, parts);
    const Array<double, TypeParam> R(s.mine(r));
    Array<double, TypeParam> Z(R.size());
    const Ledger before = ledger();
    M->update(s.matrix);
    M->apply(R, Z);
    EXPECT_EQ(ledger().host_allocations, before.host_allocations);
    EXPECT_EQ(ledger().device_allocations, before.device_allocations);
    EXPECT_EQ(Z.to_vector(), applied_over_ranks(fresh, text, r)) << text;
  }
}

TYPED_TEST(DistributedAggregation, FloatsAreThoseOfDoublesToTheirPrecision) {
  const BlockCsrData A = uneven_grid(14, 12, 4);
  const Numbers r = random_numbers(A.rows() * 4, 1);
  Spread<TypeParam> doubles(A, slabs(A.rows()));
  Spread<TypeParam, RoundedCsr> floats(A, slabs(A.rows()));
  const std::string text = jacobi + "cycle = \"W\"\ndiffusion = 0.8\ngather_rows = 20\n";
  const Numbers z = applied_over_ranks(doubles, text, r);
  const double size = world().max(z.empty() ? 0 : max_norm(z));
  EXPECT_LE(worst(applied_over_ranks(floats, text, r), z), 1e-5 * size);
  EXPECT_LE(worst(applied_over_ranks(floats, text + "coarse_storage = \"float\"", r), z), 1e-5 * size);
}

// Constants are the null space: the cycle solves the singular system as the coarsest level of one rank does.
TEST(AggregationOverRanks, SolvesASingularSystem) {
  BlockCsrData A = grid_system(20, 18, 1, {1, 3});
  A.constant_null_space = true;
  for (int i = 0; i < A.rows(); ++i) {
    double sum = 0;
    std::int64_t diagonal = 0;
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e) {
      if (A.column[at(e)] == i)
        diagonal = e;
      else
        sum += A.value[at(e)];
    }
    A.value[at(diagonal)] = -sum;
  }
  const Spread<Host> s(A, parts_of(A.rows(), [](int i) { return i % 20 * world().size() / 20; }));
  const BlockCsr<Host> alone(A);
  Numbers b = random_numbers(A.rows(), 5);
  const double mean = std::accumulate(b.begin(), b.end(), 0.0) / static_cast<double>(b.size());
  for (double& v : b) v -= mean;
  const std::string text = "pre = 1\ngather_rows = 50";
  const int one = iterations("cg", alone, b, text);
  EXPECT_LE(iterations("cg", s.matrix, s.mine(b), text), 1.2 * one + 1);
}

TEST(AggregationOverRanks, ARowThatCannotBeInvertedIsRefusedByAllRanks) {
  BlockCsrData A = uneven_grid(10, 16, 2);
  const int row = A.rows() - 1;  // of the last rank
  for (auto v = A.row_start[at(row)] * 4; v < A.row_start[at(row) + 1] * 4; ++v) A.value[at(v)] = 0;
  const Spread<Host> s(A, slabs(A.rows()));
  auto M = make_preconditioner<Host>("aggregation", table(jacobi + "gather_rows = 10"));
  try {
    M->setup(s.matrix);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weir::test::distributed_aggregation_test
