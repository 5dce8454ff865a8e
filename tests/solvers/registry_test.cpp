// Descriptions of the methods in the registry, compared with their behaviour.
#include "solvers/registry.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/table_option.hpp"
#include "inputs/case.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir::registry_test {
namespace {

void expect_described(std::string_view method, Options options) {
  for (const Option& o : options) {
    EXPECT_FALSE(o.meaning.empty()) << method << "." << o.name;
    if (o.inside) expect_described(method, o.inside());
    if (o.type == Option::table || o.type == Option::tables || o.is_required() || o.is_computed()) continue;
    Table t;
    t.node()->set(o.name, default_of(o));  // throws where the default is of another type
    EXPECT_NO_THROW(check_value(t, o, *t.node()->find(o.name))) << method << "." << o.name;
  }
}

template <class List>
void expect_names_apart(const List& list) {
  for (const auto* a : list)
    for (const auto* b : list) EXPECT_TRUE(a == b || a->name != b->name) << a->name;
}

TEST(Registry, SaysWhatEveryMethodAndItsKeysMean) {
  expect_described("linear", linear_solver_options());
  for (const auto* d : preconditioners()) {
    EXPECT_FALSE(d->meaning.empty()) << d->name;
    EXPECT_NE(d->matrices & on_any_matrix, 0u) << d->name;
    EXPECT_EQ(d->over_ranks & ~d->matrices, 0u) << d->name;
    expect_described(d->name, d->options);
    EXPECT_EQ(find_preconditioner(d->name), d);
    for (const std::string& method : words_of(d->tried_with)) EXPECT_TRUE(find_krylov(method)) << d->name;
  }
  for (const auto* d : krylov_methods()) {
    EXPECT_FALSE(d->meaning.empty() || d->citation.empty()) << d->name;
    expect_described(d->name, d->options);
    EXPECT_EQ(find_krylov(d->name), d);
    EXPECT_FALSE(find_preconditioner(d->name)) << "a method and a preconditioner of one name";
  }
  expect_names_apart(preconditioners());
  expect_names_apart(krylov_methods());
}

// A key that is read without a description throws; one that is described but unknown to the reader is refused.
TEST(Registry, MakesEveryMethodFromNothingAndFromAllItsDefaults) {
  for (const auto* d : preconditioners()) {
    if (!is_made_of_defaults(*d)) continue;
    const auto host = d->make_host(Table());
    EXPECT_EQ(host->traits().repeats, d->make_device(Table())->traits().repeats);
    Table given;
    for (const Option& o : d->options)
      if (o.type != Option::table && !o.is_computed()) given.node()->set(o.name, default_of(o));
    EXPECT_EQ(d->make_host(given)->describe(), host->describe()) << d->name;
    EXPECT_GE(d->bytes(Table(), {.rows = 1000, .blocks = 5000, .block = 4}), 0) << d->name;
  }
  for (const auto* d : krylov_methods()) {
    const KrylovOptions options = read_krylov_options(Table(), {}, std::string(d->name));
    EXPECT_EQ(d->make_host(options)->name(), d->name);
    EXPECT_EQ(d->make_device(options)->name(), d->name);
    EXPECT_GT(d->vectors(options), 0) << d->name;
  }
}

TEST(Registry, DefaultsOfKrylovMethodsAreThoseOfTheirOptions) {
  const KrylovOptions plain;
  for (const auto* d : krylov_methods()) {
    const KrylovOptions o = read_krylov_options(Table(), {}, std::string(d->name));
    EXPECT_EQ(o.l, plain.l);
    EXPECT_EQ(o.s, plain.s);
    EXPECT_EQ(o.recycle, plain.recycle);
    EXPECT_EQ(o.inner, plain.inner);
    EXPECT_EQ(o.inner_matrix, plain.inner_matrix);
    EXPECT_EQ(o.inner_tolerance, plain.inner_tolerance);
    EXPECT_EQ(o.inner_iterations, plain.inner_iterations);
  }
}

// The matrices that it says it takes, by what it does with sparse rows of blocks.
TEST(Registry, TakesBlockCsrWhereItSaysSo) {
  BlockCsrData data;
  data.block = 2;
  data.row_start = {0, 2, 5, 7};
  data.column = {0, 1, 0, 1, 2, 1, 2};
  data.value.assign(28, 0.0);
  for (const std::size_t e : {0, 3, 6}) data.value[4 * e] = data.value[4 * e + 3] = 4;
  for (const std::size_t e : {1, 2, 4, 5}) data.value[4 * e] = data.value[4 * e + 3] = -1;
  data.symmetric = true;
  const BlockCsr<Host> A(data);
  for (const auto* d : preconditioners()) {
    if (!is_made_of_defaults(*d)) continue;
    const auto M = d->make_host(Table());
    if (d->matrices & on_block_csr)
      EXPECT_NO_THROW(M->setup(A)) << d->name;
    else
      EXPECT_ANY_THROW(M->setup(A)) << d->name;
  }
}

TEST(Registry, OlderNamesOfStorageStillCount) {
  for (const auto& [type, text] : {std::pair{"block_ilu0", "factors = 'float'"},
                                   {"line", "factors = 'single'"},
                                   {"multigrid", "precision = 'single'"},
                                   {"block_jacobi", "precision = 'float'"}}) {
    const Table t = read_case_text(text, "older.toml");
    EXPECT_EQ(make_preconditioner<Host>(type, t)->traits().storage, StoredAs::float32) << type;
    EXPECT_NE(t.effective().find("storage = \"float\""), std::string::npos) << t.effective();
    t.refuse_unknown();
  }
  const Table t = read_case_text("basis = 'float'\ninner_matrix = 'single'", "older.toml");
  const KrylovOptions o = read_krylov_options(t, {}, "refinement");
  EXPECT_EQ(o.basis, "float");
  EXPECT_EQ(o.inner_matrix, "float");
}

}  // namespace
}  // namespace weir::registry_test
