#include "tests/benchmarks/lab/busy.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "tests/benchmarks/lab/child_run.hpp"

namespace weir::bench {
namespace {

class BusyPrograms {
 public:
  explicit BusyPrograms(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child < 0) throw Error(Exit::internal, "no process could be started");
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // should we be killed
        for (volatile bool goes_on = true; goes_on;) {
        }
      }
      running_.push_back(child);
    }
  }
  ~BusyPrograms() {
    for (const pid_t child : running_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  BusyPrograms(const BusyPrograms&) = delete;
  BusyPrograms& operator=(const BusyPrograms&) = delete;

 private:
  std::vector<pid_t> running_;
};

// Wall and processor seconds of the whole program.
struct Cost {
  double wall = 0, processor = 0;
};

Cost cost_of(const std::vector<std::string>& command, int programs, const std::string& log) {
  const BusyPrograms others(programs);
  ChildSignals signals;
  const auto start = std::chrono::steady_clock::now();
  const Child child = signals.run(command, log);
  if (signals.caught()) throw Error(Exit::usage, "stopped by a signal");
  if (child.exit_code != 0)
    throw Error(Exit::solver_failed, fmt::format("weir run ends with code {}; see {}", child.exit_code, log));
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), child.processor_seconds};
}

// Time with `threads` (0: any number up to the cores) next to `programs` other programs, over the time alone.
double fair(int threads, int programs, int cores) {
  const auto share = [&](int p) { return std::max(1.0, static_cast<double>(p + programs) / cores); };
  if (threads > 0) return share(threads);
  double best = share(cores);  // all cores' speed is 1
  for (int p = 1; p < cores; ++p) best = std::min(best, share(p) * cores / p);
  return best;
}

}  // namespace

int busy_machine(const LabOptions& o) {
  std::filesystem::create_directories(o.folder);
  const int cores = static_cast<int>(std::thread::hardware_concurrency()), rounds = o.quick ? 1 : 3;
  const std::vector<int> others = o.quick ? std::vector{0, 1} : std::vector{0, 1, 2, 4, 6};
  std::ofstream csv(o.folder + "/busy.csv");
  csv << "threads,programs,wall_s,processor_s,over_alone,over_fair_share\n";
  fmt::print("1500 steps of cavity_re1000 next to other programs on {} cores; median of {}\n", cores, rounds);
  fmt::print("{:>8} {:>9} {:>9} {:>12} {:>11} {:>16}\n", "threads", "programs", "wall, s", "processor, s", "over alone",
             "over fair share");
  for (const int threads : {1, cores, 0}) {
    double alone = 0;
    for (const int programs : others) {
      std::vector<double> wall, processor;
      for (int round = 0; round < rounds; ++round) {
        std::vector<std::string> command{
            (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "weir").string(),
            "run",
            inputs_folder() + "incompressible/cavity_re1000.toml",
            "-o",
            o.folder + "/busy",
            "--overwrite"};
        if (threads > 0) command.insert(command.end(), {"--threads", std::to_string(threads)});
        command.insert(command.end(), {"--steps", o.quick ? "2" : "1500"});
        const Cost cost = cost_of(command, programs, o.folder + "/busy.txt");
        wall.push_back(cost.wall);
        processor.push_back(cost.processor);
      }
      const double w = median_of(wall), p = median_of(processor);
      if (programs == 0) alone = w;
      const std::string name = threads > 0 ? std::to_string(threads) : "adapting";
      fmt::print("{:>8} {:>9} {:>9.2f} {:>12.2f} {:>11.2f} {:>16.2f}\n", name, programs, w, p, w / alone,
                 w / alone / fair(threads, programs, cores));
      csv << fmt::format("{},{},{:.3f},{:.3f},{:.3f},{:.3f}\n", name, programs, w, p, w / alone,
                         w / alone / fair(threads, programs, cores));
      std::fflush(stdout);
      csv.flush();
    }
  }
  if (!csv) throw Error(Exit::usage, o.folder + "/busy.csv: cannot be written");
  return 0;
}

}  // namespace weir::bench
