// Preloaded into a program under attack: the FAIL_AT-th call of FAIL_CALL on a file whose path holds FAIL_IN fails with
// FAIL_ERRNO, or is short (FAIL_ERRNO=0: half of a write); and all later ones, with FAIL_ON.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// True where this call is the one; errno is set then.
bool is_hit(const char* call, const char* path) {
  static int calls = 0;
  if (std::strcmp(call, setting("FAIL_CALL")) != 0 || !std::strstr(path, setting("FAIL_IN"))) return false;
  const int first = std::atoi(setting("FAIL_AT"));
  if (++calls != first && (calls < first || !*setting("FAIL_ON"))) return false;
  errno = std::atoi(setting("FAIL_ERRNO"));
  return true;
}

bool is_hit(const char* call, int file) {
  char link[32], path[4096] = {};
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return readlink(link, path, sizeof path - 1) > 0 && is_hit(call, path);
}

}  // namespace

#define NEXT(call) reinterpret_cast<decltype(&call)>(dlsym(RTLD_NEXT, #call))

extern "C" {
ssize_t write(int file, const void* data, size_t bytes) {
  const bool hit = is_hit("write", file);
  return hit && errno ? -1 : NEXT(write)(file, data, hit ? (bytes + 1) / 2 : bytes);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t at) {
  const bool hit = is_hit("pwrite", file);
  return hit && errno ? -1 : NEXT(pwrite64)(file, data, hit ? (bytes + 1) / 2 : bytes, at);
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) { return pwrite64(file, data, bytes, at); }
int fsync(int file) { return is_hit("fsync", file) ? -1 : NEXT(fsync)(file); }
int close(int file) {
  const bool hit = is_hit("close", file);
  const int error = errno, status = NEXT(close)(file);
  if (hit) errno = error;
  return hit ? -1 : status;
}
int rename(const char* from, const char* to) noexcept { return is_hit("rename", to) ? -1 : NEXT(rename)(from, to); }
int mkdir(const char* path, mode_t mode) noexcept { return is_hit("mkdir", path) ? -1 : NEXT(mkdir)(path, mode); }
int unlink(const char* path) noexcept { return is_hit("unlink", path) ? -1 : NEXT(unlink)(path); }
int ftruncate64(int file, off64_t size) noexcept {
  return is_hit("ftruncate", file) ? -1 : NEXT(ftruncate64)(file, size);
}
}
