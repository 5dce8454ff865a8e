// Bugs of host code.
#include "tests/ptx/selftest/bugs.hpp"

namespace {

__global__ void fill(int* x, int v) { x[threadIdx.x] = v; }
__global__ void add_block(int* x) { atomicAdd(x, 1); }

}  // namespace

const std::map<std::string, Bug> bugs_of_hosts = {
    {"host_reads_device", [](Buffers& b) { b.expected = {b.ints[3]}; }},
    {"two_streams",
     [](Buffers& b) {
       cudaStream_t stream;
       cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
       fill<<<1, 128, 0, stream>>>(b.ints, 5);
       fill<<<1, 128>>>(b.ints, 6);
       b.expected = std::vector<int>(32, 6);
     }},
    {"two_streams_and_event",
     [](Buffers& b) {
       cudaStream_t stream;
       cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
       cudaEvent_t event;
       cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
       fill<<<1, 128, 0, stream>>>(b.ints, 5);
       cudaEventRecord(event, stream);
       cudaStreamWaitEvent(nullptr, event, 0);
       fill<<<1, 128>>>(b.ints, 6);
       b.expected = std::vector<int>(32, 6);
     }},
    {"changed_under_copy",
     [](Buffers& b) {
       int* host = nullptr;
       cudaMallocHost(reinterpret_cast<void**>(&host), 512);
       for (int k = 0; k < 128; ++k) host[k] = 1;
       cudaMemcpyAsync(b.ints, host, 512, cudaMemcpyHostToDevice, nullptr);
       for (int k = 0; k < 128; ++k) host[k] = 2;
       b.expected = std::vector<int>(32, 1);
     }},
    {"copy_past_the_end",
     [](Buffers& b) {
       static int host[(1 << 18) + 1];
       cudaMemcpy(host, b.ints, (1 << 20) + 4, cudaMemcpyDeviceToHost);
     }},
    {"copy_wrong_way",
     [](Buffers& b) {
       int host[4];
       cudaMemcpy(host, b.ints, 16, cudaMemcpyHostToDevice);
     }},
    {"too_large_cooperative_grid",
     [](Buffers& b) {
       void* arguments[] = {&b.ints};
       cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&add_block), 132 * 32 + 1, 32, arguments, 0, nullptr);
     }},
    {"freed_twice",
     [](Buffers& b) {
       cudaFree(b.thousand);
       cudaFree(b.thousand);
     }},
};
