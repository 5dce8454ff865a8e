#include "tests/support/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

namespace weir::testing {

Process::Process(const std::vector<std::string>& arguments, const std::string& folder, long file_limit)
    : folder_(folder) {
  std::vector<char*> argv;
  for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const std::string out = folder + "/stdout.txt", err = folder + "/stderr.txt";
  pid_ = fork();
  if (pid_ != 0) return;
  if (chdir(folder.c_str()) != 0) _exit(126);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
  if (file_limit >= 0) {
    const rlimit limit{static_cast<rlim_t>(file_limit), static_cast<rlim_t>(file_limit)};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);  // write() then fails with EFBIG
  }
  execv(argv[0], argv.data());
  _exit(127);
}

Process::~Process() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Process::send(int signal) const { kill(pid_, signal); }

bool Process::is_running() {
  if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
  return pid_ > 0;
}

Finished Process::wait() {
  if (pid_ > 0) waitpid(pid_, &status_, 0);
  pid_ = 0;
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), read_file(folder_ + "/stdout.txt"),
          read_file(folder_ + "/stderr.txt")};
}

Finished run(const std::vector<std::string>& arguments, const std::string& folder, long file_limit) {
  return Process(arguments, folder, file_limit).wait();
}

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

int lines_of(const std::string& path) {
  const std::string text = read_file(path);
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace weir::testing
