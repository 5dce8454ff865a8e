#include "solvers/preconditioner/multigrid/multigrid_small.hpp"

#include <algorithm>

#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/multigrid/multigrid_kernels.hpp"

namespace weir::multigrid {
namespace {

__device__ int bits_of(int n) {  // 2^bits >= n
  int bits = 0;
  while (1 << bits < n) ++bits;
  return bits;
}

// Rows and planes of indices rounded up to powers of 2: divisions would cost more than the step.
template <class Step>
__device__ void in_block(const Step& step) {
  const Extents e = step.range();
  const int x = bits_of(e.nx), xy = x + bits_of(e.ny), last_i = (1 << x) - 1, last_row = (1 << xy) - 1;
  for (int q = static_cast<int>(threadIdx.x); q < e.nz << xy; q += static_cast<int>(blockDim.x))
    if (const int i = q & last_i, j = (q & last_row) >> x; i < e.nx && j < e.ny) step(i, j, q >> xy);
}

// Columns of one unknown: with two, 64 registers a thread are too few. With doubles they are anyway, and ptxas aims at them for 512
// threads too. Emulated, each thread is a fiber that switches at each barrier.
template <class T>
constexpr unsigned most_threads = backend::emulated ? 64
                                  : sizeof(T) == 4  ? 1024
                                                    : 384;

template <class T>
__global__ void __launch_bounds__(most_threads<T>)
    do_steps(const LevelAndExchange<T>* levels, const CycleStep<T>* steps, int count, CoarseSolve<T> coarsest) {
  CycleStep<T> following = steps[0];
  for (int s = 0; s < count; ++s) {
    const CycleStep<T> step = following;
    following = steps[s + 1 < count ? s + 1 : s];
    const LevelAndExchange<T>&fine = levels[step.level], &next = levels[step.level + 1];
    const LevelView<T>& L = fine.view;
    switch (step.kind) {
      case CycleStep<T>::clear:
        in_block(Clear<T>{L});
        break;
      case CycleStep<T>::residual:
        in_block(Residual<T, 1>{L});
        break;
      case CycleStep<T>::relax:
        in_block(RelaxColour<T, 1>{L, step.colour, step.a});
        break;
      case CycleStep<T>::relax_from_zero:
        in_block(RelaxColourFromZero<T, 1>{L, step.colour, step.a});
        break;
      case CycleStep<T>::jacobi:
        in_block(JacobiStep<T>{L, step.a});
        break;
      case CycleStep<T>::chebyshev:
        in_block(ChebyshevStep<T>{L, step.a, step.b});
        break;
      case CycleStep<T>::restrict_planes:
        in_block(RestrictPlanes<T, 1>{L, next.view, fine.exchange});
        break;
      case CycleStep<T>::restrict_layers:
        in_block(RestrictLayers<T>{L, next.view, fine.exchange});
        break;
      case CycleStep<T>::prolong:
        in_block(ProlongCorrect<T, 1>{L, next.view, fine.exchange});
        break;
      case CycleStep<T>::solve:
        in_block(SolveCoarsest<T>{L, coarsest.places, coarsest.inverse});
        break;
    }
    __syncthreads();
  }
}

}  // namespace

template <class T>
void run_in_one_block(const Array<LevelAndExchange<T>, Device>& levels, const Array<CycleStep<T>, Device>& steps,
                      const CoarseSolve<T>& coarsest, int widest) {
  const unsigned threads = std::min(most_threads<T>, (static_cast<unsigned>(widest) + 31) / 32 * 32);
  launch({.block = threads, .name = "small levels"}, do_steps<T>, levels.data(), steps.data(),
         static_cast<int>(steps.size()), coarsest);
}

template void run_in_one_block(const Array<LevelAndExchange<float>, Device>&, const Array<CycleStep<float>, Device>&,
                               const CoarseSolve<float>&, int);
template void run_in_one_block(const Array<LevelAndExchange<double>, Device>&, const Array<CycleStep<double>, Device>&,
                               const CoarseSolve<double>&, int);

}  // namespace weir::multigrid
