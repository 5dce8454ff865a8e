// The small levels of a cycle on Device, in one launch: a block does the steps one after the other, and a barrier stands where the launches
// of a step each would wait for each other. From `small_level` unknowns on a step fills more than a block.
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {

inline constexpr int small_level = 4096;

// A step of a cycle, by its name in multigrid_kernels.hpp. level: whose u, g, w it is about; restriction and prolongation are between
// that and the next. a, b: omega, or old and fresh.
template <class T>
struct CycleStep {
  enum Kind : int {
    clear,
    residual,
    relax,
    relax_from_zero,
    jacobi,
    chebyshev,
    restrict_planes,
    restrict_layers,
    prolong,
    solve
  };
  Kind kind = clear;
  int level = 0, colour = 0;
  T a = 0, b = 0;
};

template <class T>
struct LevelAndExchange {
  LevelView<T> view;
  ExchangeView<T> exchange;  // with the next coarser level
};
template <class T>
struct CoarseSolve {  // SolveCoarsest
  const int* places = nullptr;
  const T* inverse = nullptr;
};

// One launch, all in device memory. levels[CycleStep::level]; widest: unknowns of the largest level.
template <class T>
void run_in_one_block(const Array<LevelAndExchange<T>, Device>& levels, const Array<CycleStep<T>, Device>& steps,
                      const CoarseSolve<T>& coarsest, int widest);

}  // namespace weir::multigrid
