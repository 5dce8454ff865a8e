// The program under mpirun, more ranks than the machine may have cores.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/program_test.hpp"

namespace weir::testing {

class OverRanks : public ProgramTest {
 protected:
  OverRanks() : ProgramTest(WEIR_PROGRAM) {
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) setenv(name, "1", 1);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);        // other tests share the cores
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);  // needs a right that containers do not give
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);                    // MPI's own
    setenv("OMP_NUM_THREADS", "1", 1);
  }

  static std::vector<std::string> arguments(int ranks, const std::vector<std::string>& list,
                                            const std::string& program = WEIR_PROGRAM) {
    std::vector<std::string> all;
    if (ranks > 1) all = {WEIR_MPIEXEC, "--oversubscribe", "-n", std::to_string(ranks)};
    all.push_back(program);
    all.insert(all.end(), list.begin(), list.end());
    return all;
  }
  Finished weir(int ranks, const std::vector<std::string>& list) const {
    return testing::run(arguments(ranks, list), folder.path());
  }
  // Runs a case file of the folder, which must succeed; returns the log.
  std::string run(int ranks, const std::string& directory, const std::string& file,
                  std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", file, "-o", directory});
    const Finished f = weir(ranks, more);
    EXPECT_EQ(f.code, 0) << directory << "\n" << f.out << f.err;
    EXPECT_EQ(summary(directory)["ranks"], ranks);
    return f.out;
  }
  // Quantities of two runs; `size`: the quantity that tells how large they are, where it is not each itself.
  void expect_same(const std::string& a, const std::string& b, const std::vector<std::string>& names, double tolerance,
                   const std::string& size = "") const {
    const auto qa = summary(a)["quantities"], qb = summary(b)["quantities"];
    for (const std::string& name : names)
      EXPECT_NEAR(qa[name].get<double>(), qb[name].get<double>(),
                  tolerance * std::abs(qa[size.empty() ? name : size].get<double>()))
          << name << " of " << a << " and " << b;
  }
  // All ranks end with exit code 2, and one of them says why.
  void expect_refused_once(int ranks, const std::vector<std::string>& list, const std::string& words) const {
    const Finished f = weir(ranks, list);
    EXPECT_EQ(f.code, 2) << f.err;
    const auto first = f.err.find(words);
    ASSERT_NE(first, std::string::npos) << f.err;
    EXPECT_EQ(f.err.find(words, first + 1), std::string::npos) << f.err;
  }
  // Columns step, system, iterations of solves.csv.
  std::string iterations(const std::string& directory) const {
    std::string out;
    for (const auto& row : cells(directory + "/solves.csv"))
      if (row.size() > 4) out += row[0] + " " + row[1] + " " + row[3] + " " + row[4] + "\n";
    return out;
  }

  // The process of a rank whose working directory is ours; -1 where there is none yet.
  int pid_of_rank(int rank) const {
    namespace fs = std::filesystem;
    const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code error;
      if (fs::read_symlink(entry.path() / "cwd", error) != fs::canonical(folder.path())) continue;
      std::stringstream variables(read_file(entry.path() / "environ"));
      for (std::string v; std::getline(variables, v, '\0');)
        if (v == wanted) return std::stoi(name);
    }
    return -1;
  }

  // Starts the run `list` on three ranks, kills rank 1 once there is a checkpoint in that folder (which one may be
  // replaced at any moment by the next), and looks for the message that names it.
  void expect_end_when_rank_1_is_killed(const std::vector<std::string>& list, const std::string& checkpoints) const {
    Process job(arguments(3, list), folder.path());
    const auto has_checkpoint = [&] {
      std::error_code error;
      for (const auto& entry : std::filesystem::directory_iterator(folder / checkpoints, error))
        if (entry.path().extension() == ".h5") return true;
      return false;
    };
    for (int n = 0; n < 6000 && job.is_running() && !has_checkpoint(); ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(has_checkpoint());
    const int victim = pid_of_rank(1);
    ASSERT_GT(victim, 0);
    kill(victim, SIGKILL);
    const Finished f = job.wait();
    EXPECT_NE(f.code, 0);
    EXPECT_NE((f.out + f.err).find("rank 1"), std::string::npos) << f.err;
  }
};

}  // namespace weir::testing
