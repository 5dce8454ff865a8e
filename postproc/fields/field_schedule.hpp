// When fields are written, from [output]: every so many steps, every so much time, or both; the last state in any case.
#pragma once
#include <cstdint>
#include <string>

#include "base/table.hpp"

namespace weir {

class FieldSchedule {
 public:
  FieldSchedule() = default;
  explicit FieldSchedule(const Table& output);
  bool is_due(std::int64_t step, double time, double dt) const;
  std::string text() const;  // "every 100 steps"

 private:
  std::int64_t steps_ = 0;  // 0: not by steps
  double time_ = 0;
};

Options field_schedule_options();

}  // namespace weir
