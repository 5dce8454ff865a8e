// Plugins built out of tree: every format of a matrix, in both spaces, is our matrix; the example is our own sgs.
#include "backend/traits.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/solvers/plugin/built_plugin.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/operators.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test {
namespace {

using testing::build_plugin;
using testing::build_probe;
using testing::ProbeOf;

Table table(const std::string& library, const std::string& more = "") {
  return read_case_text("type = \"plugin\"\nlibrary = \"" + library + "\"\n" + more, "plugin.toml");
}

template <class Space>
Numbers product(const Matrix<Space>& A, const Numbers& x) {
  const Array<double, Space> X(x);
  Array<double, Space> Y(X.size());
  A.apply(X, Y);
  return Y.to_vector();
}

template <class Space>
std::string refusal(const Matrix<Space>& A, const Table& options) {
  try {
    make_preconditioner<Space>(options)->setup(A);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

template <class Space>
class Plugins : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::is_same_v<Space, Device> && backend::asynchronous) GTEST_SKIP() << "the tests' plugins run on the host";
  }
  // The probe writes A r.
  void expect_same_matrix(const Matrix<Space>& A, const std::string& library, const std::string& what) {
    const Numbers x = random_numbers(A.size(), 3);
    const auto M = make_preconditioner<Space>(table(library));
    M->setup(A);
    EXPECT_LE(relative(applied<Space>(*M, x), product(A, x)), 1e-13) << what;
    M->update(A);
    EXPECT_LE(relative(applied<Space>(*M, x), product(A, x)), 1e-13) << what << ", updated";
  }
  // And the new values of the same pattern, which the rows that it has already hold.
  template <class M, class Values>
  void expect_same_after_update(M& A, const std::string& library, const Values& take_values) {
    const Numbers x = random_numbers(A.size(), 3);
    const auto P = make_preconditioner<Space>(table(library));
    take_values(A, 5);
    P->setup(A);
    take_values(A, 6);
    const Ledger before = ledger();
    P->update(A);
    EXPECT_EQ(ledger().host_allocations, before.host_allocations) << library;
    EXPECT_EQ(ledger().device_allocations, before.device_allocations) << library;
    EXPECT_LE(relative(applied<Space>(*P, x), product(A, x)), 1e-13) << library;
  }
  std::string probe(const std::string& formats) {
    return build_probe(folder, "probe_" + formats, {.formats = formats, .spaces = "WEIR_HOST|WEIR_DEVICE"});
  }
  testing::ScratchFolder folder;
};
TYPED_TEST_SUITE(Plugins, Spaces, SpaceName);

template <class Space>
Banded<Space> bands(Extents cells, Periodic periodic, bool symmetric) {
  Banded<Space> A(cells, periodic);
  Numbers values(static_cast<std::size_t>(A.entries()));
  const BlockStencilView v = A.stencil().on(values.data());
  for (int c = 0; c < A.rows(); ++c)
    for (int s = v.first; s < v.first + v.slots; ++s)
      if (v.neighbour(c, s) >= 0) v.entry(c, s, 0, 0) = s == slot::delta ? 8 : -1 - 0.1 * (symmetric ? 0 : s + c % 3);
  A.upload(values);
  A.set_symmetric(symmetric);
  return A;
}

// New values come without an allocation. A direction of two cells that is periodic: both neighbours are one block.
TYPED_TEST(Plugins, SeeTheMatrixAndItsNewValuesInEveryFormatThatTheyTake) {
  const std::string csr = this->probe("WEIR_CSR"), blocks = this->probe("WEIR_BLOCK_CSR"),
                    diagonals = this->probe("WEIR_DIAGONALS");
  for (const int B : {1, 3}) {
    const BlockCsr<TypeParam> A(random_blocks(30, B, 5));
    this->expect_same_matrix(A, csr, "rows");
    this->expect_same_matrix(A, blocks, "block rows");
    EXPECT_NE(refusal<TypeParam>(A, table(diagonals)).find("supports diagonals only"), std::string::npos);
  }
  for (const bool symmetric : {false, true})
    for (const Extents cells : {Extents{5, 4, 1}, Extents{4, 3, 3}}) {
      const auto A = bands<TypeParam>(cells, {.y = true}, symmetric);
      for (const std::string& library : {csr, blocks, diagonals}) this->expect_same_matrix(A, library, library);
    }
  const SeparableStencil<TypeParam> A(box({5, 4, 3}, EndCondition::dirichlet, true));
  this->expect_same_matrix(A, csr, "separable");

  const auto upload = [](auto& B, unsigned seed) { B.upload(random_numbers(static_cast<int>(B.entries()), seed)); };
  const auto constant = [](auto& B, int seed) { B.upload(Numbers(B.entries(), 1.0 / seed)); };
  const auto update = [](auto& B, unsigned seed) {
    B.update(random_numbers(static_cast<int>(B.to_values().size()), seed));
  };
  for (const std::string& library : {csr, blocks, diagonals}) {
    for (const int B : {1, 3})
      for (const Extents cells : {Extents{2, 5, 1}, Extents{3, 2, 4}}) {
        BlockStencil<TypeParam> stencil(cells, B, {.x = true, .y = true});
        this->expect_same_after_update(stencil, library, upload);
      }
    auto symmetric = bands<TypeParam>({4, 3, 2}, {.y = true}, true);
    this->expect_same_after_update(symmetric, library, constant);
  }
  BlockCsr<TypeParam> rows(random_blocks(30, 3, 5));
  this->expect_same_after_update(rows, csr, update);
}

// The result there of a solver without the null space, 1e7 times the rest with pyamg, would spoil every dot
// product.
TYPED_TEST(Plugins, LeaveNoConstantInWhatTheyWriteForASingularMatrix) {
  const std::string library = this->probe("WEIR_CSR");
  const auto constant_of = [&](EndCondition end) {
    const SeparableStencil<TypeParam> A(box({6, 5, 1}, end, true));
    const auto M = make_preconditioner<TypeParam>(table(library, "constant = 1e7"));
    M->setup(A);
    const Numbers x = random_numbers(A.size(), 3);
    const Numbers z = applied<TypeParam>(*M, x), wanted = product<TypeParam>(A, x);
    EXPECT_LE(relative(minus(z, Numbers(z.size(), z[0] - wanted[0])), wanted), 1e-7);
    return z[0] - wanted[0];
  };
  EXPECT_NEAR(constant_of(EndCondition::neumann), 0, 1e-7);
  EXPECT_NEAR(constant_of(EndCondition::dirichlet), 1e7, 1e-7);
}

TYPED_TEST(Plugins, AreRefusedInASpaceThatTheyDoNotTake) {
  const std::string other = std::is_same_v<TypeParam, Host> ? "WEIR_DEVICE" : "WEIR_HOST";
  const std::string library = build_probe(this->folder, other, {.spaces = other});
  const BlockCsr<TypeParam> A(random_blocks(5, 1, 5));
  EXPECT_NE(refusal<TypeParam>(A, table(library)).find("memory only"), std::string::npos);
}

class HostPlugins : public Plugins<Host> {};

TEST_F(HostPlugins, TheExampleIsOurOwnSymmetricGaussSeidel) {
  const std::string library = build_plugin(folder, "sgs", "inputs/plugins/sgs/sgs.cpp");
  for (const int B : {1, 2, 4, 5, 9}) {
    const BlockCsr<Host> A(random_blocks(60, B, 7));
    const auto own = make_preconditioner<Host>("sgs", Table()), M = make_preconditioner<Host>(table(library));
    own->setup(A);
    M->setup(A);
    const Numbers r = random_numbers(60 * B, 3);
    EXPECT_LE(relative(applied<Host>(*M, r), applied<Host>(*own, r)), same) << B;
  }
}

TEST_F(HostPlugins, TheExampleInCIsOurBlockJacobi) {
  const std::string library = build_plugin(folder, "jacobi", "inputs/plugins/block_jacobi/block_jacobi.c");
  for (const int B : {1, 4, 5, 6}) {
    const BlockCsr<Host> A(random_blocks(60, B, 7));
    const auto own = make_preconditioner<Host>("block_jacobi", Table()), M = make_preconditioner<Host>(table(library));
    own->setup(A);
    EXPECT_EQ(M->setup(A).bytes, 8 * 60 * B * B);
    const Numbers r = random_numbers(60 * B, 3);
    EXPECT_LE(relative(applied<Host>(*M, r), applied<Host>(*own, r)), same) << B;
    BlockStencil<Host> stencil({5, 4, 3}, B);  // whose diagonals it takes
    stencil.upload(random_numbers(static_cast<int>(stencil.entries()), 7));
    own->setup(stencil);
    M->setup(stencil);
    EXPECT_LE(relative(applied<Host>(*M, r), applied<Host>(*own, r)), 100 * same) << B;  // no dominant diagonal
  }
}

TEST_F(HostPlugins, AsTheMethodSolveByThemselves) {
  const std::string library =
      build_probe(folder, "jacobi", {.formats = "WEIR_BLOCK_CSR", .apply = "nullptr", .solve = "solve"});
  const BlockCsr<Host> A(random_blocks(60, 2, 7));
  const Table options = read_case_text("method = \"plugin:" + library + "\"\ntolerance = 1e-9", "case.toml");
  LinearSolver<Host> solver(options);
  EXPECT_EQ(solver.name(), "plugin:libjacobi");
  solver.setup(A);
  const Numbers b = random_numbers(120, 3);
  const Array<double, Host> B(b);
  Array<double, Host> X(120);
  const SolveResult result = solver.solve(A, B, X);
  EXPECT_TRUE(result.converged()) << to_string(result.reason);
  EXPECT_GT(result.iterations, 5);
  EXPECT_LE(norm(minus(product<Host>(A, X.to_vector()), b)), 1.1e-9 * norm(b));
  options.refuse_unknown();
  EXPECT_THROW(solver.precondition_each_rank(), Error);
  const Table under = read_case_text(
      "method = \"gmres\"\npreconditioner = { type = \"plugin\", library = \"" + library + "\" }", "case.toml");
  EXPECT_THROW(LinearSolver<Host>{under}, Error);
}

TEST_F(HostPlugins, MistakesOfTheirsAreNamedWithTheCall) {
  const BlockCsr<Host> A(random_blocks(20, 1, 5));
  const std::string library = build_probe(folder, "probe"), old = build_probe(folder, "old", {.abi = "0"}),
                    nameless = build_probe(folder, "nameless", {.entry = "something"});
  const std::pair<Table, const char*> refused[] = {
      {table(library, "fault = 1"), "libprobe.so: create: returned error 7"},
      {table(library, "fault = 2"), "libprobe.so: setup: returned error 1: no pivot in row 3 of 20"},
      {table(library, "fault = 3"), "libprobe.so: setup: threw an exception: too small a world"},
      {table(old), "libold.so: was built for version 0 of weir_plugin.h, this Weir has version 1"},
      {table(nameless), "libnameless.so: has no function weir_plugin()"},
      {table("missing.so"), "plugin.toml:2: there is no library 'missing.so'"},
      {table("plugin_test.toml"), "there is no library"}};
  for (const auto& [options, words] : refused)
    EXPECT_NE(refusal<Host>(A, options).find(words), std::string::npos) << refusal<Host>(A, options);
  const std::pair<const char*, const char*> failing[] = {
      {"fault = 4", "libprobe.so: apply: returned error 5"},
      {"fault = 5", "libprobe.so: apply: threw an exception: out of luck"},
      {"fault = 6", "libprobe.so: apply: NaN or Inf in 1 of 20 values of its result for a finite vector"}};
  for (const auto& [fault, words] : failing) {
    const auto M = make_preconditioner<Host>(table(library, fault));
    M->setup(A);
    const Numbers z = applied<Host>(*M, Numbers(20, 1.0));
    EXPECT_TRUE(std::isnan(z[1])) << fault;
    const Array<double, Host> r(Numbers(20, 1.0));
    EXPECT_NE(M->complaint(r).find(words), std::string::npos) << M->complaint(r);
  }
}

TEST_F(HostPlugins, AreKnownByTheHashOfTheirFile) {
  const std::string library = build_probe(folder, "probe");
  const Table options = table(library, "fault = 0\nname = \"x\"\n");
  make_preconditioner<Host>(options);
  options.refuse_unknown();
  const std::string recorded = options.given();
  EXPECT_NE(recorded.find("library_hash = \""), std::string::npos) << recorded;
  EXPECT_NO_THROW(make_preconditioner<Host>(read_case_text(recorded, "again.toml")));
  build_probe(folder, "probe", {.formats = "WEIR_BLOCK_CSR"});
  const BlockCsr<Host> A(random_blocks(20, 1, 5));
  EXPECT_NE(refusal<Host>(A, read_case_text(recorded, "again.toml")).find("differs from the recorded library"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::test
