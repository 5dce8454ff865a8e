// A solver that goes on from its saved state gives the bits of one that was never stopped: each registered
// preconditioner and method, with each policy of renewal. Where the state is left out, those that make use of the past
// must give others: else nothing is tested here.
#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/registry.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"

namespace weir::test::restart_test {
namespace {

template <class Space>
class RestartOf : public ::testing::Test {};
TYPED_TEST_SUITE(RestartOf, Spaces, SpaceName);

constexpr int systems = 7, stop = 4;

// Systems of one pattern whose couplings change order, so that what is chosen by the first is not what the last would
// choose.
template <class Space>
BlockCsrData system(int k, bool symmetric) {
  constexpr int rows = std::is_same_v<Space, Device> ? 40 : 60;  // a launch of the emulator is dear
  static const BlockCsrData base[] = {random_blocks(rows, 2, 5), random_blocks(rows, 2, 5, true)};
  BlockCsrData A = base[symmetric ? 1 : 0];
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e) {
      const int j = A.column[at(e)];
      const double factor = i == j ? 1.5 : 1 + 0.9 * std::sin(1.0 + k * (std::min(i, j) + 3) + 7 * std::max(i, j));
      for (int v = 0; v < 4; ++v) A.value[at(4 * e + v)] *= factor;
    }
  return A;
}

enum class Changes { matrix, right_hand_side };

template <class Space>
class Sequence {
 public:
  Sequence(const std::string& text, bool symmetric, Changes changes = Changes::matrix)
      : symmetric_(symmetric),
        changes_(changes),
        A_(system<Space>(0, symmetric)),
        solver_(read_case_text(text, "case.toml")) {}

  // The solutions of systems first .. end - 1, one after the other, with the iterations that they took.
  std::vector<double> solve(int first, int end) {
    std::vector<double> all;
    for (int k = first; k < end; ++k) {
      const bool is_other = changes_ == Changes::matrix;
      const std::vector<double> values = system<Space>(is_other ? k : 0, symmetric_).value;
      A_.update(values);
      if (!solver_.is_set_up())
        solver_.setup(A_);
      else if (is_other)
        solver_.update(A_);
      const Array<double, Space> b(random_numbers(A_.size(), is_other ? 11 : 11 + static_cast<unsigned>(k)));
      Array<double, Space> x(Numbers(at(A_.size())));
      const SolveResult result = solver_.solve(A_, b, x);
      if (solver_.refresh_policy().age() == 0) made_from_ = values;
      const std::vector<double> solution = x.to_vector();
      all.insert(all.end(), solution.begin(), solution.end());
      all.push_back(result.iterations);
    }
    return all;
  }
  std::vector<double> state() {
    Archive a;
    solver_.save(a);
    return a.numbers();
  }
  void go_on_from(Sequence& before) {
    ASSERT_TRUE(solver_.load(Archive(before.state())));
    if (solver_.refresh_policy().is_always()) return;
    made_from_ = before.made_from_;
    A_.update(made_from_);
    solver_.resume(A_);
  }
  LinearSolver<Space>& solver() { return solver_; }

 private:
  bool symmetric_;
  Changes changes_;
  BlockCsr<Space> A_;
  LinearSolver<Space> solver_;
  std::vector<double> made_from_;
};

template <class Space>
void expect_same_bits(const std::string& text, bool symmetric = false, bool must_differ_without = false,
                      Changes changes = Changes::matrix) {
  Sequence<Space> whole(text, symmetric, changes), before(text, symmetric, changes), after(text, symmetric, changes),
      without(text, symmetric, changes);
  const std::vector<double> first = whole.solve(0, stop), expected = whole.solve(stop, systems);
  ASSERT_EQ(before.solve(0, stop), first) << text << "\ndoes not repeat";
  after.go_on_from(before);
  EXPECT_EQ(after.solve(stop, systems), expected) << text;
  if (changes == Changes::matrix) {
    EXPECT_EQ(after.solver().refresh_policy().updates(), whole.solver().refresh_policy().updates()) << text;
  }
  if (must_differ_without) {
    EXPECT_TRUE(whole.solver().remembers()) << text;
    EXPECT_NE(without.solve(stop, systems), expected) << text << "\nwithout its state";
  }
}

// Settings with which a method repeats bitwise.
std::string repeatable(std::string_view type) {
  if (type.starts_with("async")) return ", asynchrony = { type = 'prescribed', delay = 40, lanes = 60 }, chunk = 1";
  return type.starts_with("parilu") ? ", schedule = 'synchronous'" : "";
}
bool has(Options options, std::string_view key) {
  return std::any_of(options.begin(), options.end(), [&](const Option& o) { return o.name == key; });
}
std::string with(const std::string& preconditioner, const std::string& refresh = "always") {
  return "method = 'fgmres'\ntolerance = 1e-6\nrefresh = '" + refresh + "'\npreconditioner = " + preconditioner;
}

// A launch of the emulator is dear.
template <class Space>
std::vector<std::string> policies() {
  if (std::is_same_v<Space, Device>) return {"always", "every:3"};
  return {"always", "every:3", "adaptive", "adaptive:2"};
}

TYPED_TEST(RestartOf, EveryPreconditionerGivesTheBitsOfOneThatWasNotStopped) {
  for (const auto* d : preconditioners()) {
    if (!(d->matrices & on_block_csr) || !is_made_of_defaults(*d)) continue;
    const std::string type = "{ type = '" + std::string(d->name) + "'" + repeatable(d->name);
    const std::string slowly = d->name == "parilu" ? ", sweeps = 1" : "";  // so that the guess is not forgotten
    for (const std::string& refresh : policies<TypeParam>()) {
      expect_same_bits<TypeParam>(with(type + " }", refresh), false, d->name == "aggregation");
      if (has(d->options, "initial"))
        expect_same_bits<TypeParam>(with(type + slowly + ", initial = 'previous' }", refresh), false, true);
    }
  }
}

TYPED_TEST(RestartOf, PreconditionersWithinOthersKeepTheirState) {
  const std::string previous = "{ type = 'parilut', schedule = 'synchronous', initial = 'previous' }";
  for (const char* refresh : {"always", "every:3"}) {
    expect_same_bits<TypeParam>(with("{ type = 'additive_schwarz', inner = { type = 'aggregation' } }", refresh), false,
                                true);
    expect_same_bits<TypeParam>(with("{ type = 'additive_schwarz', inner = " + previous + " }", refresh), false, true);
    expect_same_bits<TypeParam>(with("{ type = 'aggregation', smoother = " + previous + " }", refresh), false, true);
    expect_same_bits<TypeParam>(with("{ type = 'aggregation', cycle = 'W', coarse_storage = 'float' }", refresh), false,
                                true);
  }
}

TYPED_TEST(RestartOf, EveryMethodGivesTheBitsOfOneThatWasNotStopped) {
  for (const auto* d : krylov_methods()) {
    if (d->name == "chebyshev") continue;  // takes no sparse rows
    const std::string method = "method = '" + std::string(d->name) + "'\npreconditioner = { type = 'jacobi' }\n";
    expect_same_bits<TypeParam>(method, true);
    expect_same_bits<TypeParam>(method + "refresh = 'every:3'", true);
    if (has(d->options, "recycle")) expect_same_bits<TypeParam>(method + "recycle = 3", true, true);
  }
  expect_same_bits<TypeParam>("method = 'refinement'\nrecycle = 2\npreconditioner = { type = 'jacobi' }", true, true);
}

// A restarted run sets up what one that was not stopped has long had: it must be known for the same matrix.
TYPED_TEST(RestartOf, EarlierSolutionsAreKept) {
  for (const Changes changes : {Changes::matrix, Changes::right_hand_side})
    for (const char* method : {"cg", "gmres"})
      for (const char* guess : {"extrapolation:2", "extrapolation:3", "projection:2", "projection:5"})
        expect_same_bits<TypeParam>("method = '" + std::string(method) + "'\ninitial_guess = '" + guess + "'", true,
                                    true, changes);
  expect_same_bits<TypeParam>("initial_guess = 'projection:3'\n" + with("{ type = 'aggregation' }", "every:3"), false,
                              true);
}

TEST(SolverState, OfAnotherTableIsNotTaken) {
  Sequence<Host> one("tolerance = 1e-5\nmethod = 'gmres'\nrecycle = 2", true),
      other("method = 'gmres'\nrecycle = 2", true);
  one.solve(0, 2);
  EXPECT_FALSE(other.solver().load(Archive(one.state())));
}

// Whatever a file holds in its place: an error that says so, and no access beyond.
TEST(SolverState, ThatHasBeenTamperedWithIsRefused) {
  for (const char* preconditioner :
       {"{ type = 'aggregation' }", "{ type = 'parilut', schedule = 'synchronous', initial = 'previous' }",
        "{ type = 'async_ilu0', asynchrony = 'prescribed', initial = 'previous' }"}) {
    Sequence<Host> good(with(preconditioner, "every:3"), false);
    good.solve(0, 2);
    const std::vector<double> state = good.state();
    for (std::size_t i = 0; i < state.size(); i += 1 + state.size() / 60)
      for (const double evil : {-1.0, 1e9, 1e300, 0.5, std::nan("")}) {
        std::vector<double> numbers = state;
        numbers[i] = evil;
        LinearSolver<Host> solver(read_case_text(with(preconditioner, "every:3"), "case.toml"));
        const BlockCsr<Host> A(system<Host>(1, false));
        try {
          if (solver.load(Archive(numbers))) solver.resume(A);
        } catch (const Error& e) {
          EXPECT_EQ(e.code(), Exit::file_io) << e.what();
        }
      }
  }
}

TEST(SolverState, OfEarlierSolutionsThatHasBeenTamperedWithIsRefused) {
  for (const char* text : {"method = 'cg'\ninitial_guess = 'projection:2'",
                           "method = 'gmres'\ninitial_guess = "
                           "'projection:2'",
                           "method = 'cg'\ninitial_guess = 'extrapolation:2'"}) {
    Sequence<Host> good(text, true);
    good.solve(0, 4);
    const std::vector<double> state = good.state();
    int refused = 0;
    for (std::size_t i = 0; i < state.size(); i += i < 100 ? 1 : state.size() / 60)
      for (const double evil : {-1.0, 1e9, 1e300, 0.5, std::nan("")}) {
        std::vector<double> numbers = state;
        numbers[i] = evil;
        Sequence<Host> other(text, true);
        try {
          if (other.solver().load(Archive(numbers))) other.solve(4, 5);
        } catch (const Error& e) {
          EXPECT_EQ(e.code(), Exit::file_io) << e.what();
          ++refused;
        }
      }
    EXPECT_GT(refused, 20) << text;
  }
}

}  // namespace
}  // namespace weir::test::restart_test
