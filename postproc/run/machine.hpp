// The machine, for the log and run.json.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "base/files.hpp"

namespace weir {

std::string weir_version();  // "0.3.0"
std::string host_name();
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
std::string date_text();  // now, UTC: "2026-11-22T18:35:00Z"
std::string processor_name();
int most_threads();      // upper limit: the stacks of many more threads exhaust the memory
bool has_gpu_backend();  // this build's Device is a GPU, not the emulator
bool has_device();       // a usable GPU, or the emulator
bool is_gpu_present();
std::string why_no_gpu();           // the reason why there is no device
std::int64_t free_device_memory();  // of the emulator: the machine's
std::string device_text();          // the GPU's name, or that it is emulated
void return_freed_memory();         // returns memory that this process has freed to the system
std::int64_t peak_memory();         // bytes of this process so far (VmHWM)

// "12.3 MB", "1.2 GB";  "12.3 s", "3m20s", "2h05m".
std::string bytes_text(std::int64_t bytes);
std::string duration_text(double seconds);

}  // namespace weir
