#include "base/print.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.hpp"

namespace weir {

int code_after_output(int code) {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  if (is_flushed && !std::ferror(stdout)) return code;
  const std::string reason = errno ? std::string(": ") + std::strerror(errno) : "";
  put(stderr, "weir: cannot write standard output" + reason + "\n");
  return code == 0 ? static_cast<int>(Exit::file_io) : code;
}

void open_standard_streams() {
  for (const int refused : {SIGPIPE, SIGXFSZ}) std::signal(refused, SIG_IGN);
  for (int stream = 0; stream <= 2; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY) != stream) _exit(static_cast<int>(Exit::file_io));
  }
}

}  // namespace weir
