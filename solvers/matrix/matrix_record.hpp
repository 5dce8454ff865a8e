// A matrix as named arrays on the host, and back bit for bit: to be kept in a file. What stays while values change stands
// apart, so that a sequence of systems can share it. Of the matrix-free ones the separable operators are held by their 1D
// arrays.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/matrix/matrix.hpp"

namespace weir {

struct NamedNumbers {
  std::vector<std::pair<std::string, std::vector<double>>> doubles;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> integers;

  void add(const std::string& name, std::vector<double> values) { doubles.emplace_back(name, std::move(values)); }
  void add(const std::string& name, std::vector<std::int64_t> values) {
    integers.emplace_back(name, std::move(values));
  }
  // Error(usage) where the name is missing, or the size is not the one expected (-1: any).
  const std::vector<double>& numbers(const std::string& name, std::int64_t size = -1) const;
  const std::vector<std::int64_t>& whole(const std::string& name, std::int64_t size = -1) const;
};

struct MatrixRecord {
  std::string kind;      // "block_csr", "rounded_csr", "block_stencil", "banded", "separable"
  NamedNumbers pattern;  // what new values leave as it is
  NamedNumbers values;
};

// Nothing where the matrix is of another kind.
template <class Space>
std::optional<MatrixRecord> record_matrix(const Matrix<Space>& A);

// Error(usage) where the record does not fit together.
template <class Space>
std::unique_ptr<Matrix<Space>> rebuild_matrix(const MatrixRecord& record);

// New values into a matrix that was rebuilt from a record of the same pattern.
template <class Space>
void restore_values(const NamedNumbers& values, Matrix<Space>& A);

}  // namespace weir
