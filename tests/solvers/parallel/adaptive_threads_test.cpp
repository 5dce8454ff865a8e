#include "solvers/parallel/adaptive_threads.hpp"

#include <gtest/gtest.h>

namespace weir::adaptive_threads_test {
namespace {

TEST(AdaptiveThreads, KeepsAllOnAQuietMachine) {
  AdaptiveThreads a(8, 0);
  for (int look = 1; look < 100; ++look) EXPECT_EQ(a.next(0.1 * look, 0.001 * look), 8);  // 1 % of a core
}

TEST(AdaptiveThreads, GivesUpOneForEachCoreThatAnotherProgramShares) {
  AdaptiveThreads a(8, 0);
  EXPECT_EQ(a.next(1, 0.5), 7);       // one of ours waits half of the time
  EXPECT_EQ(a.next(2, 0.5 + 1), 5);   // two do
  EXPECT_EQ(a.next(3, 1.5 + 20), 1);  // one is left whatever happens
  EXPECT_EQ(a.next(4, 22.5), 1);
}

TEST(AdaptiveThreads, TriesAllAgainLaterAndLaterWhileItDoesNotHelp) {
  AdaptiveThreads a(2, 0);
  double waited = 0;
  int trials = 0, threads = 2;
  for (double now = 0.1; now < 100; now += 0.1) {
    waited += threads == 2 ? 0.1 : 0.06;  // next to a program on each core
    const int before = threads;
    threads = a.next(now, waited);
    trials += threads > before;
  }
  EXPECT_GE(trials, 5);
  EXPECT_LE(trials, 10);
  for (double now = 100; threads == 1 && now < 120; now += 0.1) threads = a.next(now, waited);  // the others have ended
  EXPECT_EQ(threads, 2);
}

TEST(AdaptiveThreads, TheTimeWithoutACoreNeverFalls) {
  const double first = seconds_without_core();
  EXPECT_GE(first, 0);
  EXPECT_GE(seconds_without_core(), first);
}

}  // namespace
}  // namespace weir::adaptive_threads_test
