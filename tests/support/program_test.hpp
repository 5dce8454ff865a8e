// Shared by end-to-end tests: a folder of the test's own, the program that runs in it, and what the program wrote
// there.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::testing {

class ProgramTest : public ::testing::Test {
 protected:
  using Row = std::map<std::string, std::string>;  // column -> cell

  explicit ProgramTest(std::string program);  // its path
  Finished weir(const std::vector<std::string>& arguments, long file_limit = -1) const;
  Process start(const std::vector<std::string>& arguments) const;
  // Until the run has written N steps; a failure of the test where it ends before.
  void wait_for_steps(Process& process, const std::string& directory, int steps) const;

  nlohmann::json json(const std::string& path) const;          // null where there is no such file
  nlohmann::json summary(const std::string& directory) const;  // its run.json
  std::string state_hash(const std::string& directory) const;
  // Lines of a CSV file without quoted commas, its titles the first; and what is below them, by title.
  std::vector<std::vector<std::string>> cells(const std::string& path) const;
  std::vector<Row> rows(const std::string& path) const;
  // A CSV file without its last column (the wall clock), or its first `columns`.
  std::string csv(const std::string& path, std::size_t columns = 0) const;

  ScratchFolder folder;

 private:
  std::vector<std::string> command(std::vector<std::string> arguments) const;
  std::string program_;
};

}  // namespace weir::testing
