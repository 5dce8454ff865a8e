// Capsules: what triggers them, that they hold every bit, and that a damaged one is refused with the name of the
// damage.
#include "miniapps/study/capture/capsule.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "miniapps/study/capture/capture_rules.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/io/petsc_binary.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::capsule_test {
namespace {

using testing::ScratchFolder;
namespace fs = std::filesystem;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "not refused";
}

CaptureRules rules(const std::string& when) { return CaptureRules(read_case_text("when = \"" + when + "\"", "case")); }

SolveResult result_of(int iterations, Reason reason = Reason::converged, double seconds = 0) {
  SolveResult r;
  r.iterations = iterations;
  r.reason = reason;
  r.solve_seconds = seconds;
  return r;
}

TEST(CaptureRules, EachOneIsMetByItsOwnKindOfSolveAlone) {
  const SolveResult usual = result_of(10, Reason::converged, 1e-3);
  EXPECT_EQ(rules("steps:100,200").met(200, usual), "steps:100,200");
  EXPECT_EQ(rules("steps:100,200").met(150, usual), "");
  EXPECT_EQ(rules("every:50").met(150, usual), "every:50");
  EXPECT_EQ(rules("every:50").met(151, usual), "");
  EXPECT_EQ(rules("every:50").met(0, usual), "") << "before the first step";
  EXPECT_EQ(rules("iterations>9").met(1, usual), "iterations>9");
  EXPECT_EQ(rules("iterations>10").met(1, usual), "");
  EXPECT_EQ(rules("time>0.5 ms").met(1, usual), "time>0.5 ms");
  EXPECT_EQ(rules("time>0.002s").met(1, usual), "");
  for (const Reason reason : {Reason::stagnated, Reason::not_finite, Reason::max_iterations, Reason::breakdown}) {
    const SolveResult failed = result_of(10, reason);
    EXPECT_EQ(rules("stagnation").met(1, failed).empty(), reason != Reason::stagnated);
    EXPECT_EQ(rules("not_finite").met(1, failed).empty(), reason != Reason::not_finite);
    EXPECT_EQ(rules("failure").met(1, failed), "failure");
  }
  EXPECT_EQ(rules("failure | stagnation|not_finite").met(1, usual), "");
  EXPECT_EQ(rules("every:7 | iterations>5").met(1, usual), "iterations>5");
  EXPECT_TRUE(rules("").empty());
}

TEST(CaptureRules, WhatIsNoRuleIsRefusedWithItsPlace) {
  for (const char* when :
       {"sometimes", "every:0", "every:x", "steps:1,,2", "iterations>many", "time>5", "time>ms", "failure |"})
    EXPECT_EQ(refusal([&] { rules(when); }).substr(0, 7), "case:1:") << when;
}

// A matrix of each kind, its values anything but round, and vectors with what floating point has to offer.
template <class Space>
std::unique_ptr<Matrix<Space>> sample_matrix(const std::string& kind) {
  const auto value = [](std::size_t i) { return std::sin(1.0 + static_cast<double>(i)) / 3; };
  if (kind == "block_csr") {
    BlockCsrData d;
    d.block = 2;
    d.row_start = {0, 2, 3, 5};
    d.column = {0, 2, 1, 0, 2};
    for (std::size_t i = 0; i < 20; ++i) d.value.push_back(value(i));
    auto A = std::make_unique<BlockCsr<Space>>(d);
    A->set_lines({{0, 2}});
    return A;
  }
  if (kind == "separable") {
    SeparableOperator op;
    for (std::size_t d = 0; d < 3; ++d)
      op.direction[d] =
          cell_centred_direction({0, 0.1 + 0.01 * static_cast<double>(d), 0.3, 0.7}, EndCondition::neumann,
                                 d == 0 ? EndCondition::dirichlet : EndCondition::neumann);
    op.shift = 1.0 / 3;
    return std::make_unique<SeparableStencil<Space>>(op);
  }
  const Extents cells{4, 3, 2};
  auto banded = std::make_unique<Banded<Space>>(cells, Periodic{true, false, false});
  std::unique_ptr<BlockStencil<Space>> A;
  if (kind == "banded") {
    banded->set_remainder({{3, 17}, {0, 2, 3}, {5, 9, 1}, {0.1, -0.2, 0.3}});
    A = std::move(banded);
  } else {
    A = std::make_unique<BlockStencil<Space>>(cells, 3, Periodic{false, false, true});
  }
  std::vector<double> entries(static_cast<std::size_t>(A->values().size()));
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = value(i);
  A->upload(entries);
  return A;
}

Capsule sample(const std::string& kind) {
  Capsule c;
  c.origin.system = "pressure";
  c.origin.step = 7;
  c.origin.cfl = std::numeric_limits<double>::quiet_NaN();
  c.origin.state_hash = 0xfedcba9876543210u;
  c.origin.config = "[case]\n";
  c.reference.name = "cg";
  c.reference.options = "method = \"cg\"\n";
  c.reference.age = 3;
  c.reference.lifetime = {1, 2, 3, 4, 5};
  c.reference.result = result_of(12, Reason::stagnated, 0.25);
  c.A = *record_matrix(*sample_matrix<Host>(kind));
  c.b.resize(static_cast<std::size_t>(rebuild_matrix<Host>(c.A)->size()), 0.1);
  c.x0 = c.b;
  c.b[0] = std::numeric_limits<double>::quiet_NaN();
  c.b[1] = -0.0;
  c.x0[1] = std::numeric_limits<double>::denorm_min();
  c.x = c.b;
  c.origin.nonlinear_residual = 0.1;
  c.variables = {"p"};
  c.places = {1, 2, 3};
  c.state = {{"u", {1.5, 2.5}}};
  return c;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_same(const NamedNumbers& a, const NamedNumbers& b) {
  EXPECT_EQ(a.integers, b.integers);
  ASSERT_EQ(a.doubles.size(), b.doubles.size());
  for (std::size_t i = 0; i < a.doubles.size(); ++i) {
    EXPECT_EQ(a.doubles[i].first, b.doubles[i].first);
    EXPECT_TRUE(same_bits(a.doubles[i].second, b.doubles[i].second)) << a.doubles[i].first;
  }
}

const char* const kinds[] = {"block_csr", "block_stencil", "banded", "separable"};

template <class Space>
void expect_same_products(const std::string& kind) {
  const auto A = sample_matrix<Space>(kind);
  const MatrixRecord record = *record_matrix(*A);
  EXPECT_EQ(record.kind, kind);
  const auto again = rebuild_matrix<Space>(record);
  Array<double, Space> x(A->size()), y(A->size()), z(A->size());
  std::vector<double> values;
  for (int i = 0; i < A->size(); ++i) values.push_back(std::cos(i));
  x.upload(values);
  A->apply(x, y);
  again->apply(x, z);
  EXPECT_TRUE(same_bits(y.to_vector(), z.to_vector())) << kind;
  expect_same(record.values, record_matrix(*again)->values);
  expect_same(record.pattern, record_matrix(*again)->pattern);
}

TEST(MatrixRecord, GivesEveryMatrixBackInBothSpaces) {
  for (const char* kind : kinds) {
    expect_same_products<Host>(kind);
    expect_same_products<Device>(kind);
  }
}

TEST(Capsule, GivesBackEveryBitAndSharesThePattern) {
  if (!capsules_available()) GTEST_SKIP();
  for (const char* kind : kinds) {
    const ScratchFolder folder;
    Capsule c = sample(kind);
    write_capsule(folder.path(), c);
    c.origin.solve = 1;
    c.A.values.doubles[0].second[0] += 1;  // another system of the same pattern
    write_capsule(folder.path(), c);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 3);
    const Capsule d = read_capsule(folder / "pressure_00000007_1.h5");
    EXPECT_TRUE(is_capsule(d.path));
    EXPECT_FALSE(is_capsule(folder / pattern_name(c)));
    EXPECT_EQ(d.A.kind, c.A.kind);
    expect_same(d.A.pattern, c.A.pattern);
    expect_same(d.A.values, c.A.values);
    EXPECT_TRUE(same_bits(d.b, c.b));
    EXPECT_TRUE(same_bits(d.x0, c.x0));
    EXPECT_TRUE(same_bits(d.x, c.x));
    EXPECT_EQ(d.origin.nonlinear_residual, 0.1);
    EXPECT_TRUE(same_bits({d.origin.cfl}, {c.origin.cfl}));
    EXPECT_EQ(d.state, c.state);
    EXPECT_EQ(d.places, c.places);
    EXPECT_EQ(d.variables, c.variables);
    EXPECT_EQ(d.origin.state_hash, c.origin.state_hash);
    EXPECT_EQ(d.reference.options, c.reference.options);
    EXPECT_EQ(d.reference.lifetime, c.reference.lifetime);
    EXPECT_EQ(d.reference.result->iterations, 12);
    EXPECT_EQ(d.reference.result->reason, Reason::stagnated);
    EXPECT_EQ(d.reference.result->solve_seconds, 0.25);
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put_bytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

TEST(Capsule, AlteredInAnyByteIsRefused) {
  if (!capsules_available()) GTEST_SKIP();
  const ScratchFolder folder;
  const Capsule c = sample("banded");
  write_capsule(folder.path(), c);
  const std::string capsule = folder / capsule_name(c.origin);
  for (const std::string& file : {capsule, folder / pattern_name(c)}) {
    const std::string whole = bytes_of(file);
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    // A stride that is prime to every structure in the file; the first bytes, which say what it is, all of them.
    for (std::size_t i = 0; i < whole.size(); i += i < 100 ? 1 : 61) {
      stream.seekp(static_cast<std::streamoff>(i)).put(static_cast<char>(whole[i] ^ 0x10)).flush();
      ASSERT_NE(refusal([&] { read_capsule(capsule); }), "not refused") << file << " byte " << i;
      stream.seekp(static_cast<std::streamoff>(i)).put(whole[i]).flush();
    }
  }
  EXPECT_EQ(refusal([&] { read_capsule(capsule); }), "not refused");
}

TEST(Capsule, TellsWhichPartIsDamagedAndWhatIsMissing) {
  if (!capsules_available()) GTEST_SKIP();
  const ScratchFolder folder;
  const Capsule c = sample("block_csr");
  write_capsule(folder.path(), c);
  const std::string file = folder / capsule_name(c.origin), whole = bytes_of(file);
  std::string altered = whole;
  const std::string x0(reinterpret_cast<const char*>(c.x0.data()), 8 * c.x0.size());
  altered[whole.find(x0) + 5] ^= 1;
  put_bytes(file, altered);
  EXPECT_EQ(refusal([&] { read_capsule(file); }), file + ": is damaged: its part 'doubles/x0' does not match its hash");
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{600}}) {
    put_bytes(file, whole.substr(0, size));
    EXPECT_NE(refusal([&] { read_capsule(file); }).find("is truncated: " + std::to_string(size) + " of "),
              std::string::npos);
  }
  put_bytes(file, whole + "x");
  EXPECT_EQ(refusal([&] { read_capsule(file); }), file + ": is damaged: 1 bytes follow its end");
  put_bytes(file, "hello");
  EXPECT_EQ(refusal([&] { read_capsule(file); }), file + ": is not a capsule of weir");
  put_bytes(file, whole);
  fs::remove(folder / pattern_name(c));
  EXPECT_EQ(refusal([&] { read_capsule(file); }),
            file + ": its pattern " + pattern_name(c) + " is missing in the same folder");
  Capsule other = sample("separable");
  write_capsule(folder.path(), other);
  fs::rename(folder / pattern_name(other), folder / pattern_name(c));
  write_capsule(folder.path(), c);
  EXPECT_NE(refusal([&] { read_capsule(file); }).find("differs from the pattern of"), std::string::npos);
}

// PETSc's format, by its description: big-endian throughout.
template <class T>
T big_endian(const std::string& bytes, std::size_t& at) {
  std::string turned = bytes.substr(at, sizeof(T));
  std::reverse(turned.begin(), turned.end());
  T value;
  std::memcpy(&value, turned.data(), sizeof(T));
  at += sizeof(T);
  return value;
}

TEST(PetscBinary, ReadsBackByItsDescription) {
  const ScratchFolder folder;
  const BlockCsrData A{2, {0, 1, 3}, {0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0.1}};
  const std::vector<double> b{0.1, -0.2, 0.3, 1e300};
  write_petsc_binary(folder / "a.petsc", A, {b});
  const std::string bytes = bytes_of(folder / "a.petsc");
  std::size_t at = 0;
  const auto next = [&] { return big_endian<std::int32_t>(bytes, at); };
  for (const int expected : {1211216, 4, 4, 12}) EXPECT_EQ(next(), expected);
  for (const int expected : {2, 2, 4, 4}) EXPECT_EQ(next(), expected) << "entries of a row";
  for (const int expected : {0, 1, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3}) EXPECT_EQ(next(), expected) << "columns";
  for (const double expected : {1., 2., 3., 4., 5., 6., 9., 10., 7., 8., 11., 0.1})
    EXPECT_EQ(big_endian<double>(bytes, at), expected);
  EXPECT_EQ(next(), 1211214);
  EXPECT_EQ(next(), 4);
  for (const double expected : b) EXPECT_EQ(big_endian<double>(bytes, at), expected);
  EXPECT_EQ(at, bytes.size());
}

}  // namespace
}  // namespace weir::capsule_test
