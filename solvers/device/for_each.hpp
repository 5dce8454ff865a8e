// Independent loops, written once for both spaces. The body must not depend on the order of the indices, and what one
// index writes no other index may read or write.
//   for_each<Space>(n, [=] WEIR_HD (int i) { ... });
//   for_each<Space>(Extents{nx, ny, nz}, [=] WEIR_HD (int i, int j, int k) { ... });     i runs fastest
#pragma once
#include <cstdint>
#include <limits>

#include "backend/runtime.hpp"
#include "solvers/device/space.hpp"

namespace weir {

namespace detail {
[[noreturn]] void refuse_count(std::int64_t n);  // Error
}

// Loops count in int. A larger count is an error: cut to 32 bits it may be negative, and the loop would do nothing.
inline int loop_count(std::int64_t n) {
  if (n > std::numeric_limits<int>::max()) detail::refuse_count(n);
  return static_cast<int>(n);
}

// Below this many indices a second thread costs more than it saves.
inline constexpr int parallel_grain = 8192;

// f(i), i = 0 .. size - 1.
template <class Space, class F>
void for_each(std::int64_t size, const F& f) {
  const int n = loop_count(size);
  if constexpr (std::is_same_v<Space, Host>) {
#pragma omp parallel if (n > parallel_grain)
    {
      const F body = f;  // a copy per thread: through the reference every access becomes a gather, 5 times slower
#pragma omp for simd schedule(static)
      for (int i = 0; i < n; ++i) body(i);
    }
  } else {
    backend::run_loop(n, f);
  }
}

// f(i, j, k) for each cell.
template <class Space, class F>
void for_each(Extents e, const F& f) {
  if constexpr (std::is_same_v<Space, Host>) {
#pragma omp parallel if (e.count() > parallel_grain)
    {
      const F body = f;
#pragma omp for collapse(2) schedule(static)
      for (int k = 0; k < e.nz; ++k)
        for (int j = 0; j < e.ny; ++j) {
#pragma omp simd
          for (int i = 0; i < e.nx; ++i) body(i, j, k);
        }
    }
  } else {
    backend::run_loop_3d(e.nx, e.ny, e.nz, f);
  }
}

}  // namespace weir
