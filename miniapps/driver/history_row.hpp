// A row of history.csv whose values are set by the names of their columns: row["lift"] = 0.3.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "postproc/run/records.hpp"

namespace weir {

class HistoryRow {
 public:
  // columns: RunHeader::history
  explicit HistoryRow(const std::vector<std::string>& columns) : columns_(columns) {
    record.values.resize(columns.size());
  }
  Measure& operator[](std::string_view name) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] == name) return record.values[i];
    throw Error(Exit::internal, "history.csv has no column " + std::string(name));
  }

  bool has(std::string_view name) const { return std::ranges::find(columns_, name) != columns_.end(); }

  StepRecord record;

 private:
  const std::vector<std::string>& columns_;
};

}  // namespace weir
