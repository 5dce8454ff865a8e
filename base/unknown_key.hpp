// Error for a key of a case that is not read (Table::refuse_unknown).
#pragma once
#include <string>

#include "base/error.hpp"

namespace weir {

class UnknownKey : public Error {
 public:
  UnknownKey(std::string path, const std::string& what) : Error(Exit::usage, what), path_(std::move(path)) {}
  const std::string& path() const { return path_; }  // "linear.pressure.tol"

 private:
  std::string path_;
};

}  // namespace weir
