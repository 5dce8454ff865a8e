// A matrix of ours as a plugin sees it: the arrays that it is held in where the plugin takes that format, else one conversion
// whenever it is prepared.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/plugin/weir_plugin.h"

namespace weir {

template <class Space>
class PluginMatrix {
 public:
  PluginMatrix(std::string plugin, unsigned formats) : plugin_(std::move(plugin)), formats_(formats) {}
  // True where the pattern, or where it lies, is another one. Error(usage) where the plugin takes no format that this has.
  bool take(const Matrix<Space>& A);
  void set_rank(int rank, int ranks);
  const weir_matrix& seen() const { return seen_; }
  std::int64_t bytes() const { return copy_ ? copy_->bytes() + 4 * copy_->blocks() + 16 * copy_->rows() : 0; }

 private:
  bool take_stencil(const Matrix<Space>& A);
  void take_rows(const BlockCsr<Space>& A);
  const BlockCsr<Space>& converted(const Matrix<Space>& A);
  void take_knowledge(const Matrix<Space>& A);

  std::string plugin_;
  unsigned formats_;
  weir_matrix seen_{};
  std::shared_ptr<BlockPattern<Space>> pattern_;  // kept, so that its address names it
  std::vector<std::int64_t> row_start_;           // of what was converted
  std::vector<int> column_;
  std::optional<BlockCsr<Space>> copy_;
  std::vector<double> centre_;
  std::vector<std::int32_t> line_;
};

}  // namespace weir
