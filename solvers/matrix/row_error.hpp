// An error that lies with one block row of a matrix. Over ranks a preconditioner counts its rank's rows: whoever knows the
// whole matrix names the row anew (DistributedMatrix::row_name).
#pragma once
#include <string>
#include <utility>

#include "base/error.hpp"

namespace weir {

class RowError : public Error {
 public:
  // The text: before + name + after.
  RowError(Exit code, std::string before, int row, const std::string& name, std::string after)
      : Error(code, before + name + after), row_(row), before_(std::move(before)), after_(std::move(after)) {}
  RowError(Exit code, std::string before, int row, std::string after)
      : RowError(code, std::move(before), row, "block row " + std::to_string(row), std::move(after)) {}

  int row() const { return row_; }
  Error with_name(const std::string& name) const { return {code(), before_ + name + after_}; }

 private:
  int row_;
  std::string before_, after_;
};

}  // namespace weir
