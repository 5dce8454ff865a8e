// The flow on the region of a rank (cut_part.hpp), for what reaches further than a layer of ghosts: rows of the
// interpolation, the pressure's extension, forces. One rank alone: the flow itself.
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

  // From the owners' values, sides and ghosts next to them included: `own` must have them. All ranks call.
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
  Halo<Space> all_, pressure_;  // of a message's fields; of one
  bool is_current_ = false;
};

}  // namespace weir
