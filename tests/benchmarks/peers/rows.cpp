#include "tests/benchmarks/peers/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/error.hpp"
#include "tests/benchmarks/peers/settings.hpp"

namespace weir::bench {
namespace {

using Json = nlohmann::json;

Json as_json(const PeerRow::Side& s) {
  return {{"solver", s.solver},
          {"library", s.library},
          {"times", s.times},
          {"iterations", s.iterations},
          {"residual", s.residual},
          {"mb", s.megabytes},
          {"faults_first", s.faults_first},
          {"faults_later", s.faults_later}};
}

struct Range {
  double median = 0, least = 0, greatest = 0;
};
Range range_of(const std::vector<double>& v) {
  if (v.empty()) return {};
  return {median_of(v), *std::ranges::min_element(v), *std::ranges::max_element(v)};
}

std::vector<double> times(const Json& row, const char* side) {
  return row.at(side).at("times").get<std::vector<double>>();
}
std::string word(const Json& of, const char* key) { return of.at(key).get<std::string>(); }

Range ratio_of(const Json& row) {
  const std::vector<double> ours = times(row, "ours"), theirs = times(row, "peer");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < theirs.size(); ++i) ratios.push_back(theirs[i] / ours[i]);
  return range_of(ratios);
}

std::string text(const Range& r) { return fmt::format("{:.3g} ({:.3g} to {:.3g})", r.median, r.least, r.greatest); }

// The ratio carries the words by which ./weir lint finds it in the CSV.
std::string line_of(const Json& row) {
  const Json &ours = row.at("ours"), &peer = row.at("peer");
  const std::string unit = word(row, "unit");
  std::string line = fmt::format("| {}, {} | {} {} | {} |", word(row, "title"), word(row, "work"),
                                 text(range_of(times(row, "ours"))), unit, word(ours, "solver"));
  if (times(row, "peer").empty()) return line + " none here | | | |";
  const Range ratio = ratio_of(row);
  return line +
         fmt::format(" {} {} | {}: `{}` | **{:.3g}** ({:.3g} to {:.3g}) <!-- peers: {} {} {} --> | {}, load {:.0f} |",
                     text(range_of(times(row, "peer"))), unit, word(peer, "library"), word(peer, "solver"),
                     ratio.median, ratio.least, ratio.greatest, word(row, "case"), word(row, "work"),
                     word(ours, "solver"), word(row, "date").substr(0, 10), row.at("load").get<double>());
}

std::string csv_of(const Json& row) {
  const auto numbers = [](const Range& x) {
    return fmt::format("{:.4g},{:.4g},{:.4g}", x.median, x.least, x.greatest);
  };
  const auto side = [&](const char* key) {
    const Json& s = row.at(key);
    return fmt::format("\"{}\",{},{},{},{:.2e},{:.1f},{},{}", word(s, "solver"), word(s, "library"),
                       numbers(range_of(times(row, key))), s.at("iterations").get<int>(),
                       s.at("residual").get<double>(), s.at("mb").get<double>(),
                       s.at("faults_first").get<std::int64_t>(), s.at("faults_later").get<std::int64_t>());
  };
  return fmt::format("{},{},{},{},{},{},{},{},{:.1f}", word(row, "case"), word(row, "work"), word(row, "unit"),
                     side("ours"), side("peer"), numbers(ratio_of(row)), times(row, "ours").size(),
                     word(row, "date").substr(0, 10), row.at("load").get<double>());
}

std::string header() {
  std::string text = "case,work,unit";
  for (const char* side : {"ours", "peer"})
    for (const char* what : {"", "_library", "_median", "_min", "_max", "_iterations", "_residual", "_mb",
                             "_faults_first", "_faults_later"})
      text += fmt::format(",{}{}", side, what);
  return text + ",ratio_median,ratio_min,ratio_max,rounds,date,load\n";
}

std::string page_of(const Json& about, const Json& rows) {
  std::string page = fmt::format(
      "# Weir compared with its peers\n\nWritten by `./weir bench peers -o docs/results`; `--case NAME` measures and "
      "replaces one "
      "case. {}, one thread,\nprocessor time. [How it is measured](performance.md#headline); peers.json has every "
      "round and the build.\n\n"
      "| work | Weir: median (least to greatest) | solver | peer | its best settings | times faster | measured |\n"
      "|---|---|---|---|---|---|---|\n",
      word(about.at("machine"), "processor"));
  for (const Json& row : rows) page += line_of(row) + "\n";
  page +=
      "\nMemory (growth from before the set-up to the peak) and pages mapped by set-up and first solve, by later "
      "solves:\n\n"
      "| work | Weir: MB, pages | peer: MB, pages |\n|---|---|---|\n";
  const auto cost = [](const Json& s) {
    if (s.at("mb") == 0) return std::string("not known");
    if (s.at("faults_first") == 0) return fmt::format("{:.0f}, whole program", s.at("mb").get<double>());
    return fmt::format("{:.0f}; {}, {}", s.at("mb").get<double>(), s.at("faults_first").get<std::int64_t>(),
                       s.at("faults_later").get<std::int64_t>());
  };
  for (const Json& row : rows)
    if ((row.at("ours").at("faults_first") > 0 && word(row, "work") != "first") ||
        (word(row, "work") == "run" && row.at("ours").at("mb") > 0))
      page += fmt::format("| {}, {} | {} | {} |\n", word(row, "title"), word(row.at("ours"), "solver"),
                          cost(row.at("ours")), cost(row.at("peer")));
  return page;
}

void save(const std::string& path, const std::string& words) {
  std::ofstream file(path);
  file << words;
  if (!file.flush()) throw Error(Exit::usage, path + ": cannot be written");
}

}  // namespace

PeerRows::PeerRows(const std::string& stem, const Json& about) : stem_(stem), about_(about) {
  if (std::ifstream file(stem + ".json"); file) rows_ = Json::parse(file).at("rows");
  fmt::print("one thread, processor time, medians (least to greatest)\n");
}

void PeerRows::add(const PeerRow& r) {
  double load[3] = {};
  if (getloadavg(load, 3) < 1) load[0] = -1;
  const Json row = {{"case", r.name},
                    {"title", r.title},
                    {"work", r.work},
                    {"unit", r.unit},
                    {"ours", as_json(r.ours)},
                    {"peer", as_json(r.peer)},
                    {"date", about_.at("date")},
                    {"load", load[0]}};
  const auto is_same = [&](const Json& other) {
    return other.at("case") == r.name && other.at("work") == r.work && other.at("ours").at("solver") == r.ours.solver;
  };
  if (const auto old = std::ranges::find_if(rows_, is_same); old != rows_.end())
    *old = row;
  else
    rows_.push_back(row);
  fmt::print("{}\n", line_of(row));
  std::fflush(stdout);
  Json all = about_;
  all["suite"] = "peers";
  all["rows"] = rows_;
  std::string csv = header();
  for (const Json& one : rows_) csv += csv_of(one) + "\n";
  save(stem_ + ".json", all.dump(1) + "\n");
  save(stem_ + ".csv", csv);
  save(stem_ + ".md", page_of(about_, rows_));
}

}  // namespace weir::bench
