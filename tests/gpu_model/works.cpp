// The works of works.toml, with their counts.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "postproc/own_file.hpp"
#include "tests/gpu_model/suite.hpp"

namespace weir::gpu {
namespace {

struct Measured {
  double seconds = 0, bytes = 0;
};

// The file's columns: work, seconds before and after a change, least and most, bytes. A work that the change did not
// touch may have the first alone.
std::map<std::string, Measured> read_measured(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw Error(Exit::usage, path.string() + ": cannot be read");
  std::map<std::string, Measured> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string cell[6];
    for (std::string& c : cell) std::getline(cells, c, ',');
    const std::string& seconds = cell[2].empty() ? cell[1] : cell[2];
    out[cell[0]] = {std::stod(seconds), cell[5].empty() ? 0 : std::stod(cell[5])};
  }
  return out;
}

}  // namespace

std::vector<Work> read_works() {
  const std::filesystem::path folder = own_file("tests/gpu_model");
  const Table t = read_case((folder / "works.toml").string());
  const auto measured = read_measured(folder.parent_path().parent_path() / "docs/results/gpu_h100.csv");
  std::vector<Work> works;
  for (const Table& w : t.tables("work")) {
    Work work;
    work.name = w.get<std::string>("name");
    work.title = w.get<std::string>("title");
    work.timed = w.get<std::string>("timed", "");
    work.source = w.get<std::string>("source", "");
    work.published = 1e-3 * w.get<double>("published_ms", 0.0);
    work.bytes = 1e6 * w.get<double>("least_MB", 0.0);
    const bool is_older = w.get<bool>("measured_is_older", false);
    if (const auto m = measured.find(work.timed); m != measured.end()) {
      work.measured = is_older ? 0 : m->second.seconds;
      if (work.bytes == 0) work.bytes = m->second.bytes;
    }
    work.device = w.get<std::string>("device", "H200");
    work.per = w.get<double>("per", 1.0);
    const auto counts = [&](const char* file, const char* minus, const std::string& fallback) {
      const auto path = [&](const std::string& name) { return (folder / "counts" / name).string(); };
      const Counts all = read_counts(path(w.get<std::string>(file, fallback)));
      return w.has(minus) ? less(all, read_counts(path(w.get<std::string>(minus)))) : all;
    };
    work.counts = counts("counts", "minus", work.name + ".tsv");
    if (w.has("extrapolate")) {  // `counts` is of the second size
      const std::vector<double> s = w.get<std::vector<double>>("extrapolate");
      if (s.size() != 3) w.fail("extrapolate", "expected three sizes");
      const Counts smaller = counts("smaller", "smaller_minus", "");
      work.counts = extrapolated(smaller, work.counts, {s[0], s[1], s[2], w.get<double>("chain_power", 1.0)});
      work.title += ", extrapolated";
    }
    works.push_back(work);
  }
  t.refuse_unknown();
  return works;
}

ModelError error_of(std::vector<double> ratios) {
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  return {ratios[ratios.size() / 2], ratios.front(), ratios.back(), static_cast<int>(ratios.size())};
}

}  // namespace weir::gpu
