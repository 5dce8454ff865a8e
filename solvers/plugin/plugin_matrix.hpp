// A matrix of ours as a plugin sees it: the arrays that it is held in where the plugin takes that format, else converted
// whenever it is prepared.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "solvers/plugin/converted_rows.hpp"
#include "solvers/plugin/weir_plugin.h"

namespace weir {

template <class Space>
class PluginMatrix {
 public:
  PluginMatrix(std::string plugin, unsigned formats)
      : plugin_(std::move(plugin)), formats_(formats), converted_(!(formats & WEIR_BLOCK_CSR)) {}
  // True where the pattern, or where it lies, is another one. Error(usage) where the plugin takes no format that this has.
  bool take(const Matrix<Space>& A);
  void set_rank(int rank, int ranks);
  const weir_matrix& seen() const { return seen_; }
  std::int64_t bytes() const { return converted_.bytes(); }

 private:
  bool take_stencil(const Matrix<Space>& A);
  void take_rows(const BlockCsr<Space>& A);
  const BlockCsr<Space>& converted(const Matrix<Space>& A);
  void take_knowledge(const Matrix<Space>& A);

  std::string plugin_;
  unsigned formats_;
  weir_matrix seen_{};
  std::shared_ptr<BlockPattern<Space>> pattern_;  // kept, so that its address names it
  ConvertedRows<Space> converted_;
  std::vector<double> centre_;
  std::vector<std::int32_t> line_;
};

}  // namespace weir
