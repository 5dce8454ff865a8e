// Device work that turns out not to be wanted while it waits in its queue.
#pragma once

namespace weir {

namespace detail {
const double*& skip_flag();  // of the SkipWhere that lives; null: nothing is skipped
}

// While one lives, loops and reductions of Device that begin when *flag (device memory) is not 0 do nothing: no index runs, and no
// sum is left. Kernels of launch() and zeros run all the same. The loop that sets the flag ends as it began.
class SkipWhere {
 public:
  explicit SkipWhere(const double* flag) : outer_(detail::skip_flag()) { detail::skip_flag() = flag; }
  ~SkipWhere() { detail::skip_flag() = outer_; }
  SkipWhere(const SkipWhere&) = delete;
  SkipWhere& operator=(const SkipWhere&) = delete;

 private:
  const double* outer_;
};

}  // namespace weir
