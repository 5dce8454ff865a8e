#include "tests/support/program_test.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace weir::testing {

ProgramTest::ProgramTest(std::string program) : program_(std::move(program)) {}

std::vector<std::string> ProgramTest::command(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), program_);
  return arguments;
}

Finished ProgramTest::weir(const std::vector<std::string>& arguments, long file_limit) const {
  return run(command(arguments), folder.path(), file_limit);
}

Process ProgramTest::start(const std::vector<std::string>& arguments) const {
  return Process(command(arguments), folder.path());
}

// The bound on the tries is for a broken program only.
void ProgramTest::wait_for_steps(Process& process, const std::string& directory, int steps) const {
  for (int tries = 0; tries < 60000 && process.is_running(); ++tries) {
    if (lines_of(folder / (directory + "/history.csv")) > steps) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  FAIL() << "the run ended early";
}

nlohmann::json ProgramTest::json(const std::string& path) const {
  const std::string text = read_file(folder / path);
  return text.empty() ? nlohmann::json() : nlohmann::json::parse(text);
}

nlohmann::json ProgramTest::summary(const std::string& directory) const { return json(directory + "/run.json"); }

std::string ProgramTest::state_hash(const std::string& directory) const {
  return summary(directory).at("state_hash").get<std::string>();
}

std::vector<std::vector<std::string>> ProgramTest::cells(const std::string& path) const {
  std::vector<std::vector<std::string>> lines;
  std::stringstream text(read_file(folder / path));
  for (std::string line; std::getline(text, line);) {
    lines.emplace_back(1);
    for (const char c : line) {
      if (c == ',')
        lines.back().emplace_back();
      else
        lines.back().back().push_back(c);
    }
  }
  return lines;
}

std::vector<ProgramTest::Row> ProgramTest::rows(const std::string& path) const {
  const auto lines = cells(path);
  std::vector<Row> rows;
  for (std::size_t l = 1; l < lines.size(); ++l) {
    rows.emplace_back();
    for (std::size_t c = 0; c < lines[0].size(); ++c) rows.back()[lines[0][c]] = lines[l].at(c);
  }
  return rows;
}

std::string ProgramTest::csv(const std::string& path, std::size_t columns) const {
  std::string out;
  for (const auto& line : cells(path)) {
    for (std::size_t c = 0; c < (columns == 0 ? line.size() - 1 : columns); ++c) out += line.at(c) + ',';
    out += '\n';
  }
  return out;
}

}  // namespace weir::testing
