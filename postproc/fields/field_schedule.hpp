// When fields are written, from [output]: at a number of steps, at a time interval, or both, and always the last state;
// and the file format.
#pragma once
#include <cstdint>
#include <string>

#include "base/table.hpp"

namespace weir {

enum class FieldFormat { xml, vtkhdf, both };

class FieldSchedule {
 public:
  FieldSchedule() = default;
  explicit FieldSchedule(const Table& output);
  bool is_due(std::int64_t step, double time, double dt) const;
  std::string text() const;  // "every 100 steps"
  FieldFormat format() const { return format_; }

 private:
  std::int64_t steps_ = 0;  // 0: not by steps
  double time_ = 0;
  FieldFormat format_ = FieldFormat::xml;
};

Options field_schedule_options();

}  // namespace weir
