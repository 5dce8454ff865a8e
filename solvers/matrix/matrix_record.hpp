// A matrix as named host arrays, restored bit for bit, for files. The pattern is separate from the values, so that
// systems of a sequence can share it. Separable operators are stored as their 1D arrays.
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
  // Throws Error(usage) if the name is missing or the size differs (-1: any size).
  const std::vector<double>& numbers(const std::string& name, std::int64_t size = -1) const;
  const std::vector<std::int64_t>& whole(const std::string& name, std::int64_t size = -1) const;
};

struct MatrixRecord {
  std::string kind;      // "block_csr", "rounded_csr", "block_stencil", "banded", "separable"
  NamedNumbers pattern;  // unchanged by new values
  NamedNumbers values;
};

// Empty for other kinds of matrix.
template <class Space>
std::optional<MatrixRecord> record_matrix(const Matrix<Space>& A);

// Throws Error(usage) if the record is inconsistent.
template <class Space>
std::unique_ptr<Matrix<Space>> rebuild_matrix(const MatrixRecord& record);

// Sets new values in a matrix that was restored from a record of the same pattern.
template <class Space>
void restore_values(const NamedNumbers& values, Matrix<Space>& A);

}  // namespace weir
