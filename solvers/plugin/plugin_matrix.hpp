// A matrix in the form of the plugin interface: its own arrays if supported, else converted.
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
  // True if the pattern or its address has changed. Throws Error(usage) if the plugin supports no available format.
  bool take(const Matrix<Space>& A);
  void set_rank(int rank, int ranks);
  const weir_matrix& seen() const { return seen_; }
  std::int64_t bytes() const { return converted_.bytes(); }

 private:
  void take_stencil(const BlockStencil<Space>& A, bool upper_only);
  void take_rows(const BlockCsr<Space>& A);
  const BlockCsr<Space>& converted(const Matrix<Space>& A);
  void take_knowledge(const Matrix<Space>& A);

  std::string plugin_;
  unsigned formats_;
  weir_matrix seen_{};
  std::shared_ptr<BlockPattern<Space>> pattern_;  // kept, so that its address identifies it
  ConvertedRows<Space> converted_;
  std::vector<double> centre_;
  std::vector<std::int32_t> line_;
};

}  // namespace weir
