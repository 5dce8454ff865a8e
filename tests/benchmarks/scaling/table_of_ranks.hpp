// A CSV table to which runs on different numbers of ranks add their rows.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace weir::bench {

class TableOfRanks {
 public:
  // Keeps the rows of other numbers of ranks, which stand in the first column. ranks < 0: a new table.
  TableOfRanks(const std::string& path, const std::string& header, int ranks) : path_(path) {
    std::ifstream before(path);
    std::string line;
    std::getline(before, line);
    rows_.push_back(header);
    const std::string mine = std::to_string(ranks) + ",";
    while (ranks >= 0 && line == header && std::getline(before, line)) {
      if (!line.starts_with(mine)) rows_.push_back(line);
      line = header;
    }
  }
  void row(const std::string& text) { rows_.push_back(text); }
  void write() const {
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
    std::ofstream out(path_);
    for (const auto& row : rows_) out << row << "\n";
  }

 private:
  std::string path_;
  std::vector<std::string> rows_;
};

}  // namespace weir::bench
