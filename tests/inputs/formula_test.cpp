#include "inputs/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "inputs/case.hpp"

namespace weir::test::formula_test {
namespace {

std::vector<Formula> read(const std::string& value, const char* variables = "xyzt") {
  return read_formulas(read_case_text("[flow]\nf = " + value + "\n", "case.toml").table("flow"), "f", variables);
}

std::string refusal(const std::string& value, const char* variables = "xyzt") {
  try {
    read(value, variables);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "accepted";
}

TEST(Formulas, NumbersAndFormulasMixInAnArray) {
  const auto f = read("[1, \"2*x + y^2 - z*t\", 0.5]");
  ASSERT_EQ(f.size(), 3u);
  EXPECT_TRUE(f[0].is_constant());
  EXPECT_DOUBLE_EQ(f[0].at({9, 9, 9}, 9), 1);
  EXPECT_DOUBLE_EQ(f[1].at({1, 3, 2}, 0.5), 2 + 9 - 1);
  EXPECT_DOUBLE_EQ(f[2].at({9, 9, 9}, 9), 0.5);
}

TEST(Formulas, KnowWhetherTheyChangeInTime) {
  EXPECT_TRUE(read("\"x + 0*t\"")[0].depends_on_time());
  EXPECT_FALSE(read("\"x*tan(y)\"")[0].depends_on_time());  // a t in a name is none
  EXPECT_FALSE(read("3.0")[0].depends_on_time());
}

TEST(Formulas, HaveTheUsualFunctions) {
  EXPECT_DOUBLE_EQ(read("\"sin(pi/2) + exp(0) + sqrt(4) + abs(-1) + max(1, 2)\"")[0].at({}, 0), 7);
  EXPECT_DOUBLE_EQ(read("\"x < 0.5 ? 1 : 2\"")[0].at({0.4, 0, 0}, 0), 1);
  EXPECT_DOUBLE_EQ(read("\"ln(x) + tanh(x)\"")[0].at({2, 0, 0}, 0), std::log(2.0) + std::tanh(2.0));
  EXPECT_DOUBLE_EQ(read("\"-x^2\"")[0].at({3, 0, 0}, 0), -9);
}

TEST(Formulas, ANegativeIsTheFormulaTimesMinusOne) {
  const auto f = read("[\"x\", 2]");
  EXPECT_DOUBLE_EQ((-f[0]).at({3, 0, 0}, 0), -3);
  EXPECT_DOUBLE_EQ((-f[1]).at({3, 0, 0}, 0), -2);
}

TEST(Formulas, AnUnknownNameIsToldWithLineAndColumn) {
  const std::string words = refusal("[0, \"1 + q*y\"]", "xyt");
  EXPECT_EQ(words.find("case.toml:2:14: formula \"1 + q*y\": unknown name 'q'; expected x, y, t, pi"), 0u) << words;
  EXPECT_NE(refusal("\"z\"", "xyt").find("unknown name 'z'"), std::string::npos);
  EXPECT_NE(refusal("\"x + t\"", "xy").find("unknown name 't'; expected x, y, pi"), std::string::npos);
}

TEST(Formulas, AValueThatIsNoNumberIsToldWithItsPlace) {
  const auto f = read("[\"sqrt(x)\"]", "xy");
  EXPECT_EQ(f[0].at({4, 0, 0}, 0), 2);
  try {
    f[0].at({-1, 2, 0}, 0);
    ADD_FAILURE() << "a number";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("formula \"sqrt(x)\" is not a number at x = -1, y = 2"), std::string::npos)
        << e.what();
  }
}

TEST(Formulas, WhatIsNoExpressionIsRefused) {
  for (const char* bad :
       {"\"1 +\"", "\"(x\"", "\"\"", "\"x = 2\"", "\"1, 2\"", "\"sin(x, y)\"", "\"2 x\"", "true", "[[1]]"})
    EXPECT_EQ(refusal(bad).find("case.toml:2"), 0u) << bad << ": " << refusal(bad);
  EXPECT_EQ(refusal("\"x <= 1 ? x == 2 : x != 3\""), "accepted");
}

}  // namespace
}  // namespace weir::test::formula_test
