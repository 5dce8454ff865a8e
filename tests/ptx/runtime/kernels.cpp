// Registration of kernels by the code that nvcc generates, and their launch.
#include <cstring>
#include <map>

#include "tests/ptx/runtime/limits.hpp"
#include "tests/ptx/runtime/machine_code.hpp"
#include "tests/ptx/runtime/runtime.hpp"

namespace weir::ptx {
namespace {

struct Kernel {
  Module* module;
  std::string name;
  Function* function = nullptr;
  int dynamic_allowed = -1;  // bytes, once a program asked for more than the default
};
struct Modules : std::vector<std::unique_ptr<Module>> {
  ~Modules() { write_statistics(); }
};
Modules all_modules;
std::map<const void*, Kernel> kernels;

template <class T>
T at(const char* p, int offset) {
  T v;
  std::memcpy(&v, p + offset, sizeof v);
  return v;
}

// A fat binary: a header, then entries with headers of their own. Kind 1 is PTX.
std::string ptx_of(const char* binary) {
  constexpr u32 magic = 0xBA55ED50u;
  constexpr u64 compressed = 0x82000;
  if (at<u32>(binary, 0) != magic) unsupported("this form of a fat binary");
  std::string text;
  const char* entry = binary + at<u16>(binary, 6);
  for (const char* end = entry + at<u64>(binary, 8); entry < end;) {
    const u32 header = at<u32>(entry, 4);
    const u64 bytes = at<u64>(entry, 8);
    if (at<u16>(entry, 0) == 1) {
      if (at<u64>(entry, 40) & compressed) unsupported("compressed PTX: build with --compress-mode=none");
      text.assign(entry + header, strnlen(entry + header, bytes));
    }
    entry += header + bytes;
  }
  if (text.empty()) unsupported("no PTX in the fat binary: build for compute_90 (CMAKE_CUDA_ARCHITECTURES=90-virtual)");
  return text;
}

Kernel* find_kernel(const void* host_function) {
  const auto found = kernels.find(host_function);
  if (found == kernels.end()) return nullptr;
  Kernel& k = found->second;
  if (!k.function) {
    scan(*k.module);
    const auto f = k.module->functions.find(k.name);
    if (f == k.module->functions.end()) return nullptr;
    k.function = f->second.get();
    parse(*k.function);
    read_machine_instructions(*k.function);
  }
  return &k;
}

int launch(const void* host_function, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream,
           bool cooperative) {
  if (context_error()) return context_error();
  const Kernel* k = find_kernel(host_function);
  if (!k) return cudaErrorInvalidDeviceFunction;
  const Function& f = *k->function;
  auto request = std::make_shared<LaunchRequest>();
  *request = {k->function, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, static_cast<u32>(shared), cooperative,
              {}};
  if (const int error = check_launch(*request, k->dynamic_allowed)) return error;
  request->parameters.resize(static_cast<std::size_t>(f.param_bytes) + 16);
  for (std::size_t p = 0; p < f.params.size(); ++p)
    std::memcpy(request->parameters.data() + f.params[p].offset, arguments[p],
                static_cast<std::size_t>(f.params[p].size));
  submit(stream_of(stream), [request] {
    if (counting().on) count_waves(*request);
    if (options.verbose)
      std::fprintf(stderr, "ptx: run %s, %llu blocks of %llu\n", demangled(request->kernel->name).c_str(),
                   static_cast<unsigned long long>(request->grid.count()),
                   static_cast<unsigned long long>(request->block.count()));
    return run_launch(*request);
  });
  return cudaSuccess;
}

struct Configuration {  // of <<<...>>>, between its two calls
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<Configuration> configurations;

}  // namespace

const std::vector<std::unique_ptr<Module>>& modules() { return all_modules; }
Function* kernel_of(const void* host_function) {
  const Kernel* k = find_kernel(host_function);
  return k ? k->function : nullptr;
}

}  // namespace weir::ptx

using namespace weir::ptx;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const Guard guard(runtime_lock());
  struct Wrapper {
    int magic, version;
    const char* data;
    void* file;
  };
  auto module = std::make_unique<Module>();
  module->text = ptx_of(static_cast<const Wrapper*>(wrapper)->data);
  all_modules.push_back(std::move(module));
  return reinterpret_cast<void**>(all_modules.back().get());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterFunction(void** module, const char* host_function, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  const Guard guard(runtime_lock());
  kernels[host_function] = {reinterpret_cast<Module*>(module), name};
}
// A variable is a part of its module; by its name from the host (cudaMemcpyToSymbol) it is not reached.
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return cudaSuccess;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, struct CUstream_st* stream) {
  const Guard guard(runtime_lock());
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  const Guard guard(runtime_lock());
  const Configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
  const Guard guard(runtime_lock());
  return result(launch(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream, false));
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  const Guard guard(runtime_lock());
  return result(launch(kernel, grid, block, arguments, shared, stream, false));
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                        cudaStream_t stream) {
  const Guard guard(runtime_lock());
  return result(launch(kernel, grid, block, arguments, shared, stream, true));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  const Guard guard(runtime_lock());
  bool cooperative = false;
  for (unsigned k = 0; k < config->numAttrs; ++k) {
    const cudaLaunchAttribute& attribute = config->attrs[k];
    if (attribute.id == cudaLaunchAttributeCooperative)
      cooperative = attribute.val.cooperative;
    else
      unsupported("launch attribute " + std::to_string(static_cast<int>(attribute.id)));
  }
  return result(launch(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
                       cooperative));
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const Guard guard(runtime_lock());
  Kernel* k = find_kernel(kernel);
  if (!k) return result(cudaErrorInvalidDeviceFunction);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;  // the others are hints
  if (value + k->function->static_shared > shared_opt_in) return result(cudaErrorInvalidValue);
  k->dynamic_allowed = value;
  return cudaSuccess;
}
cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
  const Guard guard(runtime_lock());
  const Function* f = kernel_of(kernel);
  if (!f) return result(cudaErrorInvalidDeviceFunction);
  *name = f->name.c_str();
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int threads,
                                                                   std::size_t shared, unsigned) {
  const Guard guard(runtime_lock());
  Function* f = kernel_of(kernel);
  if (!f) return result(cudaErrorInvalidDeviceFunction);
  *blocks = blocks_per_multiprocessor(*f, threads, shared);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared, 0);
}

}  // extern "C"
