#include "postproc/run/machine.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>

#include "backend/runtime.hpp"

namespace weir {
namespace {

// The text after "name ... :" in a file of /proc; empty if there is none.
std::string proc_field(const char* file, std::string_view name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(name)) continue;
    const auto from = line.find_first_not_of(" \t", line.find(':') + 1);
    return from == std::string::npos ? "" : line.substr(from);
  }
  return "";
}

constexpr std::string_view backend_name = WEIR_DEVICE;

}  // namespace

std::string weir_version() { return WEIR_VERSION; }

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string processor_name() {
  const std::string name = proc_field("/proc/cpuinfo", "model name");
  return name.empty() ? "unknown processor" : name;
}

int most_threads() { return std::max(256, 4 * static_cast<int>(std::thread::hardware_concurrency())); }

bool has_gpu_backend() { return backend_name == "cuda"; }
bool has_device() { return backend::device_available(); }
bool is_gpu_present() { return has_gpu_backend() && backend::device_available(); }
std::string why_no_gpu() { return backend::why_no_device(); }
std::int64_t free_device_memory() {
  return has_gpu_backend() ? backend::free_memory() : std::min(backend::free_memory(), free_memory());
}
std::string device_text() { return backend::device_name(); }

// glibc keeps freed blocks of up to 32 MB once it has allocated one of that size.
void return_freed_memory() { malloc_trim(0); }

std::int64_t peak_memory() {
  const std::string text = proc_field("/proc/self/status", "VmHWM");  // in kB
  return text.empty() ? 0 : std::stoll(text) * 1024;
}

std::string bytes_text(std::int64_t bytes) {
  const auto b = static_cast<double>(bytes);
  if (b < 1e6) return fmt::format("{:.1f} kB", b / 1e3);
  return b < 1e9 ? fmt::format("{:.1f} MB", b / 1e6) : fmt::format("{:.2f} GB", b / 1e9);
}

std::string duration_text(double s) {
  const auto whole = static_cast<long long>(s + 0.5);
  if (s < 60) return fmt::format("{:.1f} s", s);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
}

}  // namespace weir
