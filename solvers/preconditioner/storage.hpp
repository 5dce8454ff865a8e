// What a preconditioner's numbers are stored as, told by those that may store less than doubles; any other stores doubles.
#pragma once
#include <vector>

#include "solvers/matrix/stored_as.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

class TellsStorage {
 public:
  virtual ~TellsStorage() = default;
  virtual StoredAs storage() const = 0;                                 // of most of its numbers
  virtual std::vector<StoredAs> storage_of_rows() const { return {}; }  // of each block row; empty: all alike
};

template <class Space>
StoredAs storage_of(const Preconditioner<Space>& M) {
  const auto* tells = dynamic_cast<const TellsStorage*>(&M);
  return tells ? tells->storage() : StoredAs::float64;
}
template <class Space>
std::vector<StoredAs> storage_of_rows(const Preconditioner<Space>& M, int rows) {
  const auto* tells = dynamic_cast<const TellsStorage*>(&M);
  std::vector<StoredAs> of_rows = tells ? tells->storage_of_rows() : std::vector<StoredAs>();
  if (of_rows.empty()) of_rows.assign(static_cast<std::size_t>(rows), storage_of(M));
  return of_rows;
}

}  // namespace weir
