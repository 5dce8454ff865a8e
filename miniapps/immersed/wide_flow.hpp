// The flow on the region of a rank (cut_part.hpp), for operations that need more than one layer of ghosts: rows of the
// interpolation, extension of the pressure, forces. On one rank it is the flow itself.
#pragma once
#include <cstddef>
#include <memory>

#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/ranks.hpp"

namespace weir {

template <class Space>
class WideFlow {
 public:
  WideFlow(const FlowRanks& ranks, const Grid& grid, const Layout& region, std::size_t scalars);

  // Copies the values of the owner ranks, including sides and the ghosts next to them, which must be set in `own`.
  // Called by all ranks.
  void fetch(const Flow<Space>& own);
  void fetch_pressure(const Flow<Space>& own);
  bool is_current() const { return !wide_ || is_current_; }
  void forget() { is_current_ = false; }  // the flow has changed

  const Flow<Space>& of(const Flow<Space>& own) const { return wide_ ? *wide_ : own; }
  const Metrics& metrics(const Metrics& own) const { return wide_ ? metrics_->view() : own; }

 private:
  void fetch_one(const Layout& layout, const Array<double, Space>& own, Array<double, Space>& wide);

  std::unique_ptr<Flow<Space>> wide_;
  std::unique_ptr<MetricArrays<Space>> metrics_;
  Halo<Space> all_, pressure_;  // all_: fields exchanged in one message; pressure_: one field
  bool is_current_ = false;
};

}  // namespace weir
