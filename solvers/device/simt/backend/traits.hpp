// Properties of the backend for code outside of the device layer.
#pragma once

namespace weir::backend {

// Kernels run on after their launch returns: a clock read between two launches measures nothing.
inline constexpr bool asynchronous = false;

}  // namespace weir::backend
