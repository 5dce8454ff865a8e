#include <gtest/gtest.h>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "postproc/fields/field_schedule.hpp"

namespace weir::field_schedule_test {
namespace {

FieldSchedule schedule(const std::string& text) { return FieldSchedule(read_case_text(text, "case.toml")); }

TEST(FieldSchedule, CountsStepsOrTimeOrBoth) {
  EXPECT_EQ(schedule("").text(), "the last state");
  EXPECT_EQ(schedule("fields_every_steps = 100").text(), "every 100 steps, the last state");
  const FieldSchedule both = schedule("fields_every_steps = 3\nfields_every_time = 0.5");
  EXPECT_EQ(both.text(), "every 3 steps, every 0.5 time units, the last state");
  EXPECT_TRUE(both.is_due(3, 0.3, 0.1));
  EXPECT_FALSE(both.is_due(4, 0.4, 0.1));
  EXPECT_TRUE(both.is_due(5, 0.5, 0.1));
}

TEST(FieldSchedule, TakesAnIntegerOfTheOlderNameAsStepsAndAnyOtherNumberAsTime) {
  EXPECT_EQ(schedule("fields_every = 2").text(), "every 2 steps, the last state");
  EXPECT_EQ(schedule("fields_every = 2.0").text(), "every 2 time units, the last state");
  EXPECT_EQ(schedule("fields_every = 0.5").text(), "every 0.5 time units, the last state");
  EXPECT_THROW(schedule("fields_every = 2\nfields_every_time = 1.0"), Error);
  EXPECT_THROW(schedule("fields_every_steps = -1"), Error);
}

}  // namespace
}  // namespace weir::field_schedule_test
