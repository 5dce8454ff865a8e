#include "base/error.hpp"
#include "solvers/device/gemm.hpp"
#include "solvers/device/none/backend/dialect.hpp"
#include "solvers/device/none/backend/runtime.hpp"

namespace weir {

void backend::no_device() { throw Error(Exit::no_device, why_no_device()); }

std::string backend::why_no_device() {
  return "this build computes on the host only; for a device use ./weir build default (emulated) or ./weir build cuda "
         "(GPU)";
}

void gemm_device(const GemmBatch&) { backend::no_device(); }
void gemm_device_plain(const GemmBatch&) { backend::no_device(); }

// Referenced by kernels; a compiler that does not optimise keeps these references.
uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace simt {

bool fibers_running = false;
void* shared_array(const void*, std::size_t, std::size_t, const char*) { backend::no_device(); }
void* dynamic_shared() { backend::no_device(); }
void block_barrier(const Where&) { backend::no_device(); }
void grid_barrier(const Where&) { backend::no_device(); }
std::uint64_t warp_collective(unsigned, Collective, std::uint64_t, int, const Where&) { backend::no_device(); }
int lane() { backend::no_device(); }
void fence() { backend::no_device(); }
void next_turn(bool) { backend::no_device(); }

}  // namespace simt

}  // namespace weir
