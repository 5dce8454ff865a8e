// Matrices of weir.h as block rows: read and checked, transposed, and distributed over ranks.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/c/weir.h"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::c {

[[noreturn]] inline void refuse(const std::string& message) { throw Error(Exit::usage, message); }

// Block rows first[r] .. first[r + 1] - 1 belong to rank r.
struct RowParts {
  RowParts() = default;  // no rows
  // Collective. rows: of this rank.
  RowParts(const Communicator& of, std::int64_t rows);

  bool is_alone() const { return first.size() == 2; }
  int begin() const { return first[at_rank()]; }
  int end() const { return first[at_rank() + 1]; }
  int all() const { return first.back(); }
  std::size_t owner(int row) const;
  std::size_t at_rank() const { return static_cast<std::size_t>(ranks->rank()); }

  const Communicator* ranks = nullptr;
  std::vector<int> first{0, 0};
};

// Error(usage) for a struct that is not as weir.h says, whatever its arrays hold.
void check_shape(const weir_csr& A);
// This rank's rows, copied and checked, with columns of the whole matrix. Error(usage) names the first row that is not
// as weir.h says, Error(not_finite) the first value that is NaN or infinite.
BlockCsrData read(const weir_csr& A, const RowParts& parts);
// `blocks` blocks of the size and layout of A, copied in the order of BlockCsrData.
std::vector<double> read_values(const weir_csr& A, std::int64_t blocks, const double* value);
// Error(usage) unless the arrays can be used as they are.
void check_lent(const weir_csr& A, const RowParts& parts);
// Sets the properties of the whole matrix from the flags or, where no rank gives them, from the entries. Collective.
void find_facts(std::uint32_t flags, const RowParts& parts, BlockCsrData& A);
// Collective.
BlockCsrData transposed(const BlockCsrData& A, const RowParts& parts);

// A matrix of the caller's in a space.
template <class Space>
class OwnMatrix {
 public:
  virtual ~OwnMatrix() = default;
  virtual const Matrix<Space>& matrix() const = 0;
  virtual void update(const std::vector<double>& values) = 0;
  virtual BlockCsrData entries() const = 0;                   // of this rank
  virtual std::unique_ptr<OwnMatrix> transposed() const = 0;  // collective
};

template <class Space>
class Rows final : public OwnMatrix<Space> {
 public:
  // Collective. parts.ranks must outlive this. lent: arrays of the caller in the space, of which no copy is kept; else
  // null.
  Rows(BlockCsrData A, const RowParts& parts, const weir_csr* lent = nullptr);
  const Matrix<Space>& matrix() const override;
  void update(const std::vector<double>& values) override;  // of the lent arrays: no effect
  BlockCsrData entries() const override;
  std::unique_ptr<OwnMatrix<Space>> transposed() const override;

 private:
  BlockCsrData A_;  // on one rank: empty
  RowParts parts_;
  bool is_lent_;
  std::unique_ptr<BlockCsr<Space>> own_;
  std::unique_ptr<DistributedMatrix<Space>> spread_;  // null on one rank
};

}  // namespace weir::c
