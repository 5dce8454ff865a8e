// ptx_bugs NAME: runs one bug and tells how it came out. Exit code: 0 nothing found, 1 an error of CUDA, 2 wrong
// numbers.
#include <cstdio>

#include "tests/ptx/selftest/bugs.hpp"

int main(int count, char** arguments) {
  for (const auto* bugs : {&bugs_in_kernels, &bugs_of_hosts, &waiting_protocols, &counted_kernels})
    for (const auto& [name, bug] : *bugs) {
      if (count != 2) {
        std::printf("%s\n", name.c_str());
        continue;
      }
      if (name != arguments[1]) continue;
      Buffers b{};
      cudaMalloc(reinterpret_cast<void**>(&b.ints), 1 << 20);
      cudaMalloc(reinterpret_cast<void**>(&b.thousand), 1000 * sizeof(double));
      cudaMemset(b.ints, 0, 1 << 20);
      cudaDeviceSynchronize();
      b.doubles = reinterpret_cast<double*>(b.ints);
      bug(b);
      const cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
      std::vector<int> out(32);
      cudaMemcpy(out.data(), b.ints, sizeof(int) * out.size(), cudaMemcpyDeviceToHost);
      out.resize(b.expected.size());
      const bool wrong = out != b.expected;
      std::printf("%s, then %s, numbers %s\n", cudaGetErrorString(launched), cudaGetErrorString(ran),
                  wrong ? "wrong" : "right");
      return launched || ran ? 1 : wrong ? 2 : 0;
    }
  return count == 2 ? 3 : 0;
}
