// An error in one block row. A preconditioner on a rank counts the rows of that rank; the caller that knows the whole
// matrix renames the row (DistributedMatrix::row_name).
#pragma once
#include <string>
#include <utility>

#include "base/error.hpp"

namespace weir {

class RowError : public Error {
 public:
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
