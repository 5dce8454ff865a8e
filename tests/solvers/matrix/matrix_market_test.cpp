// Matrix Market files: what is read, what is refused and with which words, and that damage does no harm.
#include "solvers/matrix/io/matrix_market.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "base/error.hpp"
#include "solvers/diagnosis/diagnosis.hpp"
#include "tests/mesh/mutate.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/systems/block_matrices.hpp"

namespace weir::test::matrix_market_test {
namespace {

const std::string small =
    "%%MatrixMarket matrix coordinate real general\n% a comment\n3 3 5\n1 1 4.0\n2 2 5e0\n3 3 +6\n\n3 1 -1.5\n1 3 2\n";

TEST(MatrixMarket, EntriesComeSortedByRows) {
  const BlockCsrData d = parse_matrix_market(small, "small.mtx");
  EXPECT_EQ(d.block, 1);
  EXPECT_EQ(d.row_start, (std::vector<std::int64_t>{0, 2, 3, 5}));
  EXPECT_EQ(d.column, (std::vector<int>{0, 2, 1, 0, 2}));
  EXPECT_EQ(d.value, (std::vector<double>{4, 2, 5, -1.5, 6}));
  EXPECT_FALSE(d.symmetric);
}

TEST(MatrixMarket, SymmetricSkewAndPatternFilesAreMirrored) {
  const BlockCsrData s =
      parse_matrix_market("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n", "s");
  EXPECT_TRUE(s.symmetric);
  EXPECT_EQ(s.value, (std::vector<double>{2, -1, -1, 2}));
  const BlockCsrData k =
      parse_matrix_market("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", "k");
  EXPECT_EQ(k.value, (std::vector<double>{-3, 3}));
  const BlockCsrData p =
      parse_matrix_market("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n", "p");
  EXPECT_EQ(p.value, (std::vector<double>{1, 1}));
}

TEST(MatrixMarket, BlocksAreFoundOrCutAsAskedAndComeBackFromAFile) {
  const ::weir::testing::ScratchFolder folder;
  for (const int B : {1, 2, 4, 5}) {
    const BlockCsrData d = random_blocks(20, B, 3);
    write_matrix_market(folder / "a.mtx", d);
    const BlockCsrData detected = read_matrix_market(folder / "a.mtx");
    EXPECT_EQ(detected.block, B);
    EXPECT_EQ(detected.row_start, d.row_start);
    EXPECT_EQ(detected.column, d.column);
    EXPECT_EQ(detected.value, d.value);
    EXPECT_EQ(dense(read_matrix_market(folder / "a.mtx", 1)).a, dense(d).a);
  }
}

// strtod is the oracle: the short ones take a short cut, the others do not.
TEST(MatrixMarket, NumbersAreRoundedCorrectly) {
  std::mt19937_64 generator(5);
  std::string text;
  std::vector<double> expected;
  const auto add = [&](const std::string& number) {
    text += number + "\n";
    expected.push_back(std::strtod(number.c_str(), nullptr));
  };
  for (const char* odd : {"-0", "+.5", "5.", "-.25e+2", "9007199254740993", "9007199254740993e1", "1e22", "1e23",
                          "123456789012345678901234567890", "4.9e-324", "2.2250738585072011e-308", "1e-400", "0.1e-5",
                          "00000000000000000000000000001.5", "8.98846567431158e307"})
    add(odd);
  char buffer[64];
  for (int k = 0; k < 20000; ++k) {
    double value;
    do {
      const std::uint64_t bits = generator();
      std::memcpy(&value, &bits, sizeof value);
    } while (!std::isfinite(value));
    std::snprintf(buffer, sizeof buffer, "%.*g", 1 + k % 17, value);
    add(buffer);
    std::snprintf(buffer, sizeof buffer, "%.*f", k % 17, std::ldexp(static_cast<double>(generator()), -60));
    add(buffer);
  }
  const std::vector<double> got = parse_vector_market(
      "%%MatrixMarket matrix array real general\n" + std::to_string(expected.size()) + " 1\n" + text, "numbers",
      static_cast<std::int64_t>(expected.size()));
  for (std::size_t k = 0; k < expected.size(); ++k)
    ASSERT_EQ(std::memcmp(&got[k], &expected[k], sizeof(double)), 0) << k << ": " << got[k] << ", " << expected[k];
}

TEST(MatrixMarket, VectorsAreReadAsArraysAndAsCoordinates) {
  const ::weir::testing::ScratchFolder folder;
  const std::vector<double> v = {1.0 / 3, -2e-300, 5};
  write_vector_market(folder / "b.mtx", v);
  EXPECT_EQ(read_vector_market(folder / "b.mtx", 3), v);
  EXPECT_EQ(parse_vector_market("%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 7\n", "b", 3),
            (std::vector<double>{0, 7, 0}));
}

void expect_refused(const std::string& text, const std::string& part) {
  try {
    parse_matrix_market(text, "a.mtx");
    ADD_FAILURE() << "accepted: " << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    EXPECT_EQ(e.code(), Exit::usage);
  }
}

TEST(MatrixMarket, FaultsAreNamedWithTheirLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  expect_refused("3 3 1\n1 1 1\n", "a.mtx:1: not a Matrix Market file");
  expect_refused("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "field 'complex'");
  expect_refused("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "symmetry 'hermitian'");
  expect_refused(head + "2 3 1\n1 1 1\n", "a.mtx:2: the matrix is not square");
  expect_refused(head + "2 2 2\n1 1 1\n", "truncated");
  expect_refused(head + "2 2 4000000000\n1 1 1\n", "truncated");
  expect_refused(head + "2000000000 2000000000 1\n1 1 1\n", "rows are empty");
  expect_refused(head + "2 2 1\n1 3 1\n", "a.mtx:3: column 3 is not in 1 .. 2");
  expect_refused(head + "2 2 1\n0 1 1\n", "a.mtx:3: row 0 is not in 1 .. 2");
  expect_refused(head + "2 2 1\n1 1 one\n", "a.mtx:3: expected a value, found 'one'");
  expect_refused(head + "2 2 1\n1 1 1.5x\n", "a.mtx:3: expected a value, found '1.5x'");
  expect_refused(head + "2 2 1\n1 1\n", "a.mtx:4: truncated");
  expect_refused(head + "2 2 1\n1e0 1 1\n", "expected a row number");
  expect_refused(head + "2 2 1\n1 99999999999999999999 1\n", "expected a column number");
  expect_refused(head + "2 2 1\n1 -1 1\n", "column -1 is not in");
  expect_refused("", "not a Matrix Market file");
  expect_refused("%%MatrixMarket matrix coordinate real general", "truncated");
  expect_refused(head + "2 2 1\n1 1 1e999\n", "not a finite number");
  expect_refused(head + "2 2 2\n1 1 1\n1 1 2\n", "duplicate entry (1, 1)");
  expect_refused(head + "2 2 1\n1 1 1\n2 2 1\n", "a.mtx:4: more entries than the 1");
  expect_refused("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "lower triangle");
  expect_refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 7\n2 1 1\n",
                 "must not contain diagonal entries");
  const auto expect_refused_vector = [](const std::string& text, const std::string& part) {
    try {
      parse_vector_market(text, "b.mtx", 3);
      ADD_FAILURE() << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expect_refused_vector(head + "3 1 3\n1 1 1\n2 1 1\n1 1 5\n", "b.mtx:5: duplicate entry (1, 1)");
  expect_refused_vector(head + "3 1 -1\n", "b.mtx:2: the number of entries cannot be negative");
}

TEST(MatrixMarket, TheDoctorReadsWhatIsRefused) {
  MarketFaults faults;
  const BlockCsrData d = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real general\n3 3 7\n3 3 1\n1 1 1\n2 2 nan\n1 3 2\n1 1 4\n1 1 5\n3 1 inf\n",
      "faults", 1, &faults);
  EXPECT_EQ(faults.repeated, 2);
  EXPECT_EQ(faults.repeated_row, 0);
  EXPECT_EQ(faults.repeated_column, 0);
  EXPECT_EQ(faults.not_finite, 2);
  EXPECT_EQ(faults.not_finite_row, 1);
  EXPECT_EQ(d.row_start, (std::vector<std::int64_t>{0, 2, 3, 5}));
  EXPECT_EQ(d.column, (std::vector<int>{0, 2, 1, 0, 2}));
  EXPECT_EQ(d.value[0], 10);
}

// Read or refused, nothing else; under ASan a wrong access ends the test. WEIR_FUZZ=100000 asks for more.
TEST(MatrixMarket, DamagedFilesAreReadOrRefused) {
  Mutator mutator({small, "%%MatrixMarket matrix array real general\n3 1\n1e-3\n-2.5\n+7\n",
                   "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 5\n1 1\n2 2\n3 3\n4 4\n4 1\n"});
  const char* asked = std::getenv("WEIR_FUZZ");
  const unsigned long count = asked ? std::strtoul(asked, nullptr, 10) : 5000;
  for (unsigned long k = 0; k < count; ++k) {
    const std::string text = mutator.text(k);
    try {
      const BlockCsrData d = parse_matrix_market(text, "damaged");
      ASSERT_EQ(d.value.size(), d.column.size() * static_cast<std::size_t>(d.block * d.block)) << text;
      ASSERT_LT(d.rows(), 100000) << text;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), Exit::usage) << e.what();
    }
    try {  // as the doctor reads it
      MarketFaults faults;
      const BlockCsrData d = parse_matrix_market(text, "damaged", 1, &faults);
      const Diagnosis found = diagnose(d);
      ASSERT_EQ(found.not_finite > 0, faults.not_finite > 0) << text;
      ASSERT_GE(found.irreducible_blocks, found.components) << text;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), Exit::usage) << e.what();
    }
    try {
      ASSERT_EQ(parse_vector_market(text, "damaged", 3).size(), 3u);
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), Exit::usage) << e.what();
    }
  }
}

}  // namespace
}  // namespace weir::test::matrix_market_test
