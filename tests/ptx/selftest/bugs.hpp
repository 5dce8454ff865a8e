// Programs with one bug each, for the interpreter to find. A bug submits its work and says which 32 numbers it expects.
#pragma once
#include <map>
#include <string>
#include <vector>

struct Buffers {
  int* ints;                       // 1 MB, zero
  double* doubles;                 // the same memory
  double* thousand;                // 1000 numbers
  std::vector<int> expected = {};  // what the first ints must be; empty: nothing is compared
};
using Bug = void (*)(Buffers& buffers);
extern const std::map<std::string, Bug> bugs_in_kernels, bugs_of_hosts, waiting_protocols, counted_kernels;
