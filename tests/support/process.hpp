// Runs a program as a user would, for end-to-end tests.
#pragma once
#include <string>
#include <vector>

namespace weir::testing {

struct Finished {
  int code = -1;  // exit code, or 128 + the signal that killed it
  std::string out, err;
};

// A child that is running; killed if it was not waited for for it.
class Process {
 public:
  // Starts in `folder`; its output goes to files there. file_limit: RLIMIT_FSIZE in bytes, which plays the full disk.
  Process(const std::vector<std::string>& arguments, const std::string& folder, long file_limit = -1);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  void send(int signal) const;
  bool is_running();
  Finished wait();

 private:
  std::string folder_;
  int pid_ = -1, status_ = 0;
};

Finished run(const std::vector<std::string>& arguments, const std::string& folder, long file_limit = -1);

std::string read_file(const std::string& path);  // empty where missing
void write_file(const std::string& path, const std::string& text);
int lines_of(const std::string& path);

}  // namespace weir::testing
