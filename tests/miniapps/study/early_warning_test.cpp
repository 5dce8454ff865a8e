#include "miniapps/study/recorder/early_warning.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weir::early_warning_test {
namespace {

TEST(TheEarlyWarning, StandsWhereOneApplicationMakesTheResidualLarger) {
  EarlyWarning w;
  EXPECT_FALSE(w.look(0.5));
  EXPECT_TRUE(w.look(3.0));
  EXPECT_TRUE(w.look(std::nan("")));
}

TEST(TheEarlyWarning, StandsWhereTheProbeDoublesUpToNextToNoHelp) {
  EarlyWarning w;
  EXPECT_FALSE(w.look(0.2));
  EXPECT_FALSE(w.look(0.5));  // it still helps
  EXPECT_TRUE(w.look(1.1));
  EXPECT_FALSE(w.look(1.2));  // bad for a while, and nothing has happened
}

TEST(TheEarlyWarning, StandsWhereTheLastSolveTookNearlyAllItsIterations) {
  EarlyWarning w(100);
  w.look(0.95);
  w.took(85);
  EXPECT_TRUE(w.look(0.95));
  w.took(50);
  EXPECT_FALSE(w.look(0.95));
  w.took(85);
  EXPECT_FALSE(w.look(0.7));
}

TEST(TheEarlyWarning, IsJudgedByHitsAndMisses) {
  WarningScore s;
  for (int i = 0; i < 3; ++i) s.add(true, true);
  s.add(true, false);
  s.add(false, true);
  s.add(false, false);
  EXPECT_DOUBLE_EQ(s.precision(), 0.75);
  EXPECT_DOUBLE_EQ(s.recall(), 0.75);
  EXPECT_EQ(s.solves(), 6);
}

}  // namespace
}  // namespace weir::early_warning_test
