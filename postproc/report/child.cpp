#include "postproc/report/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.hpp"

extern char** environ;

namespace weir {
namespace {

// The signal handler uses only the two ends of a pipe, into which it writes the signals' numbers. poll() wakes then,
// whenever the signal came: waiting for the child alone could miss one that comes just before.
int heard[2] = {-1, -1};

extern "C" void pass_into_pipe(int number) {
  const int error = errno;
  const char byte = static_cast<char>(number);
  (void)!write(heard[1], &byte, 1);
  errno = error;
}

constexpr int listened_to[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
struct sigaction before[4];

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

pid_t start(std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  for (auto& a : command) argv.push_back(a.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (!log.empty()) {
    posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw Error(Exit::internal, "cannot start " + command[0] + ": " + std::strerror(error));
  return pid;
}

bool ended(pid_t pid, Child& child) {
  int status = 0;
  rusage used{};
  const pid_t found = wait4(pid, &status, WNOHANG, &used);
  if (found < 0 && errno != EINTR)
    throw Error(Exit::internal, std::string("waiting for a child process failed: ") + std::strerror(errno));
  if (found <= 0) return false;
  child.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  child.processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  child.peak_bytes = 1024 * static_cast<std::int64_t>(used.ru_maxrss);
  return true;
}

}  // namespace

ChildSignals::ChildSignals() {
  if (pipe2(heard, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(Exit::internal, std::string("cannot create a pipe: ") + std::strerror(errno));
  struct sigaction action {};
  action.sa_handler = pass_into_pipe;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < 4; ++i) {
    sigaction(listened_to[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN || listened_to[i] == SIGCHLD) sigaction(listened_to[i], &action, nullptr);
  }
}

ChildSignals::~ChildSignals() {
  for (std::size_t i = 0; i < 4; ++i) sigaction(listened_to[i], &before[i], nullptr);
  for (int& end : heard) {
    close(end);
    end = -1;
  }
}

void ChildSignals::hear(int timeout_ms) {
  pollfd waiting{heard[0], POLLIN, 0};
  if (poll(&waiting, 1, timeout_ms) <= 0) return;
  for (char number = 0; read(heard[0], &number, 1) == 1;) {
    if (number == SIGCHLD) continue;
    caught_ = number;
    for (const pid_t group : running_)
      if (group > 0) kill(-group, caught_);
  }
}

int ChildSignals::caught() {
  hear(0);
  return caught_;
}

Child ChildSignals::run(std::vector<std::string> command, const std::string& log) {
  return run_together({{std::move(command), log}}, 1)[0];
}

std::vector<Child> ChildSignals::run_together(std::vector<ChildCommand> commands, std::size_t awaited) {
  std::vector<Child> children(commands.size());
  for (ChildCommand& c : commands) running_.push_back(start(c.words, c.log));
  std::size_t left = commands.size(), awaited_left = awaited;
  for (;;) {
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if (running_[i] == 0 || !ended(running_[i], children[i])) continue;
      running_[i] = 0;
      --left;
      if (i >= awaited || --awaited_left > 0) continue;
      for (const pid_t group : running_)
        if (group > 0) kill(-group, SIGTERM);
    }
    if (left == 0) break;
    hear(-1);
  }
  running_.clear();
  return children;
}

}  // namespace weir
