// What the log and run.json say about the build and the machine.
#pragma once
#include <cstdint>
#include <string>

namespace weir {

std::string weir_version();  // "0.1.0"
std::string build_text();    // "g++ 12.2.0, device cuda, fmt 9.1.0, HDF5"
std::string processor_name();
bool has_gpu_backend();  // this build's Device is a GPU, not the emulator
bool is_gpu_present();
std::string device_text();   // the GPU's name, or that it is emulated
std::int64_t free_memory();  // bytes that the machine, or the container's limit, still has
void return_freed_memory();  // what this process has freed goes back to the system
std::int64_t peak_memory();  // bytes of this process so far (VmHWM)

// "12.3 MB", "1.2 GB";  "12.3 s", "3m20s", "2h05m".
std::string bytes_text(std::int64_t bytes);
std::string duration_text(double seconds);

}  // namespace weir
