#include "solvers/plugin/python.hpp"

#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>

#include "solvers/plugin/python_driver.hpp"

// r, z: n values each; row_start: n + 1; value: one per entry, all of 8 bytes; column: 4 bytes.
struct weir_solver {
  int ask = -1, answer = -1, memory = -1;
  pid_t process = -1;
  std::int64_t n = 0, bytes = 0;
  char* shared = nullptr;
  std::string words;
};

namespace weir {
namespace python_process {

std::string line_of(const std::string& options, const std::string& key) {
  const std::size_t at = options.find(key + " = \""), begin = at + key.size() + 4;
  return at == std::string::npos ? "" : options.substr(begin, options.find('"', begin) - begin);
}

bool write_all(int to, const void* data, std::size_t bytes) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = send(to, p, bytes, MSG_NOSIGNAL);  // if the process has ended: an error instead of SIGPIPE
    if (n <= 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, bytes -= static_cast<std::size_t>(n);
  }
  return true;
}
bool has_ended(const weir_solver& s);

// False also if the process has ended, because a child of it may hold the pipe.
bool read_all(const weir_solver& s, void* data, std::size_t bytes) {
  char* p = static_cast<char*>(data);
  while (bytes > 0) {
    pollfd file{s.answer, POLLIN, 0};
    constexpr int milliseconds = 200;
    if (poll(&file, 1, milliseconds) == 0 && has_ended(s) && poll(&file, 1, 0) == 0) return false;
    if (file.revents == 0) continue;
    const ssize_t n = read(s.answer, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, bytes -= static_cast<std::size_t>(n);
  }
  return true;
}
bool write_number(int to, std::int64_t n) { return write_all(to, &n, sizeof n); }

int fail(weir_solver& s, const std::string& words) {
  s.words = words;
  return 1;
}

bool has_ended(const weir_solver& s) {
  siginfo_t info{};
  return s.process <= 0 ||
         (waitid(P_PID, static_cast<id_t>(s.process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0);
}

// Kills the process group and returns the status of the process.
int end_of(weir_solver& s) {
  int status = 0;
  if (s.process > 0) {
    kill(-s.process, SIGKILL);
    kill(s.process, SIGKILL);
    waitpid(s.process, &status, 0);
  }
  s.process = -1;
  return status;
}

// Reports why the process no longer answers. It may have closed its pipes and still run.
int tell_end(weir_solver& s) {
  for (int i = 0; i < 100 && !has_ended(s); ++i) poll(nullptr, 0, 10);
  if (!has_ended(s)) {
    end_of(s);
    return fail(s, "the Python process closed its pipes");
  }
  const int status = end_of(s);
  return fail(s, WIFSIGNALED(status) ? "the Python process was ended by " + std::string(strsignal(WTERMSIG(status)))
                                     : "the Python process has ended");
}

int answer_of(weir_solver& s) {
  unsigned char code = 0;
  if (!read_all(s, &code, 1)) return tell_end(s);
  if (code == 0) return 0;
  std::uint32_t length = 0;
  if (!read_all(s, &length, sizeof length)) return tell_end(s);
  std::string words(length, ' ');
  read_all(s, words.data(), length);
  return fail(s, words);
}

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void become_python(const char* python, const std::array<const char*, 9>& arguments) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // it ends with this process
  execvp(python, const_cast<char* const*>(arguments.data()));
  _exit(127);
}

int start(weir_solver& s, const std::string& python, const std::string& module) {
  std::array<int, 2> to{}, from{};
  s.memory = memfd_create("weir_python", 0);
  if (s.memory < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to.data()) != 0 ||
      pipe2(from.data(), O_CLOEXEC) != 0)
    return fail(s, std::string("cannot create pipes: ") + std::strerror(errno));
  s.ask = to[1], s.answer = from[0];
  const std::string ask = std::to_string(to[0]), answer = std::to_string(from[1]), memory = std::to_string(s.memory),
                    threads = std::to_string(omp_get_max_threads());
  const std::array<const char*, 9> arguments{python.c_str(), "-c",           python_driver,  ask.c_str(),
                                             answer.c_str(), memory.c_str(), module.c_str(), threads.c_str(),
                                             nullptr};
  s.process = fork();
  if (s.process == 0) {
    fcntl(to[0], F_SETFD, 0);
    fcntl(from[1], F_SETFD, 0);
    become_python(python.c_str(), arguments);
  }
  fcntl(s.memory, F_SETFD, FD_CLOEXEC);
  close(to[0]);
  close(from[1]);
  return s.process > 0 ? 0 : fail(s, "cannot start the Python process");
}

int create(const char* text, weir_solver** solver) {
  auto* s = *solver = new weir_solver;
  const std::string options = text, python = line_of(options, "python"), module = line_of(options, "module");
  std::size_t own = 0;
  for (int line = 0; line < 2; ++line) own = options.find('\n', own) + 1;
  if (start(*s, python, module)) return 1;
  const std::string rest = options.substr(own);
  write_number(s->ask, static_cast<std::int64_t>(rest.size()));
  write_all(s->ask, rest.data(), rest.size());
  return answer_of(*s);
}

void destroy(weir_solver* s) {
  for (const int file : {s->ask, s->answer, s->memory})
    if (file >= 0) close(file);
  end_of(*s);  // it may ignore the request
  if (s->shared) munmap(s->shared, static_cast<std::size_t>(s->bytes));
  delete s;
}

const char* error(weir_solver* s) { return s ? s->words.c_str() : ""; }

int setup(weir_solver* s, const weir_matrix* A) {
  const std::int64_t n = A->rows, entries = A->row_start[n], bytes = 8 * (3 * n + 1 + entries) + 4 * entries;
  if (bytes != s->bytes) {
    if (s->shared) munmap(s->shared, static_cast<std::size_t>(s->bytes));
    s->shared = nullptr;
    void* p = ftruncate(s->memory, bytes) == 0
                  ? mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, s->memory, 0)
                  : MAP_FAILED;
    if (p == MAP_FAILED) return fail(*s, "cannot allocate shared memory");
    s->shared = static_cast<char*>(p);
    s->bytes = bytes;
  }
  s->n = n;
  const auto count = static_cast<std::size_t>(entries), rows = static_cast<std::size_t>(n);
  char* to = s->shared + 16 * rows;
  std::memcpy(to, A->row_start, 8 * (rows + 1));
  std::memcpy(to += 8 * (rows + 1), A->value, 8 * count);
  std::memcpy(to + 8 * count, A->column, 4 * count);
  if (!write_all(s->ask, "s", 1) || !write_number(s->ask, n) || !write_number(s->ask, entries) ||
      !write_number(s->ask, A->symmetric))
    return tell_end(*s);
  return answer_of(*s);
}

int apply(weir_solver* s, const double* r, double* z) {
  const std::size_t bytes = 8 * static_cast<std::size_t>(s->n);
  std::memcpy(s->shared, r, bytes);
  if (!write_all(s->ask, "a", 1)) return tell_end(*s);
  if (const int code = answer_of(*s)) return code;
  std::memcpy(z, s->shared + bytes, bytes);
  return 0;
}

int64_t bytes_of(weir_solver* s) { return s->bytes; }

template <unsigned traits>
constexpr weir_plugin_description description{WEIR_PLUGIN_ABI, WEIR_CSR, WEIR_HOST, traits, "Python", create,  destroy,
                                              error,           setup,    nullptr,   apply,  nullptr,  bytes_of};

}  // namespace python_process

const weir_plugin_description& python_plugin(bool keeps_symmetry, bool varies) {
  using python_process::description;
  if (keeps_symmetry) return varies ? description<WEIR_KEEPS_SYMMETRY | WEIR_VARIES> : description<WEIR_KEEPS_SYMMETRY>;
  return varies ? description<WEIR_VARIES> : description<0>;
}

}  // namespace weir
