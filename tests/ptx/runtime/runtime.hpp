// Shared by the files of the CUDA runtime.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <vector>

#include "tests/ptx/parse/program.hpp"
#include "tests/ptx/runtime/streams.hpp"

namespace weir::ptx {

std::recursive_mutex& runtime_lock();
using Guard = std::lock_guard<std::recursive_mutex>;

cudaError_t result(int error);  // remembers it for cudaGetLastError
int last_error();
void forget_last_error();

Stream* stream_of(cudaStream_t stream);

const std::vector<std::unique_ptr<Module>>& modules();
Function* kernel_of(const void* host_function);  // parsed; nullptr: not registered
void write_statistics();                         // as the process ends
void begin_counting();                           // from nothing

}  // namespace weir::ptx
