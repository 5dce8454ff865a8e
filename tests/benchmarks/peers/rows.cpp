#include "tests/benchmarks/peers/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "tests/benchmarks/peers/settings.hpp"

namespace weir::bench {
namespace {

struct Range {
  double median = 0, least = 0, greatest = 0;
};
Range range_of(const std::vector<double>& v) {
  if (v.empty()) return {};
  return {median_of(v), *std::ranges::min_element(v), *std::ranges::max_element(v)};
}

Range ratio_of(const PeerRow& r) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < r.peer_times.size(); ++i) ratios.push_back(r.peer_times[i] / r.our_times[i]);
  return range_of(ratios);
}

std::string text(const Range& r) { return fmt::format("{:.3g} ({:.3g} to {:.3g})", r.median, r.least, r.greatest); }

std::string line_of(const PeerRow& r) {
  const std::string ours =
      fmt::format("| {}, {} | {} | {} {} |", r.title, r.work, r.ours, text(range_of(r.our_times)), r.unit);
  if (r.peer_times.empty()) return ours + " none here | |";
  return ours + fmt::format(" {} {} {} | **{:.3g}** ({:.3g} to {:.3g}) |", r.peer_library, text(range_of(r.peer_times)),
                            r.unit, ratio_of(r).median, ratio_of(r).least, ratio_of(r).greatest);
}

std::string quoted(const std::string& s) { return "\"" + s + "\""; }

std::string csv_of(const PeerRow& r) {
  const auto numbers = [](const Range& x) {
    return fmt::format("{:.4g},{:.4g},{:.4g}", x.median, x.least, x.greatest);
  };
  const auto side = [](const PeerRow::Side& s) {
    return fmt::format("{},{:.2e},{:.0f},{},{}", s.iterations, s.residual, s.megabytes, s.faults_first, s.faults_later);
  };
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", r.name, r.work, quoted(r.ours), r.unit, r.peer_library,
                     quoted(r.peer), r.our_times.size(), numbers(range_of(r.our_times)),
                     numbers(range_of(r.peer_times)), numbers(ratio_of(r)), side(r.our_side), side(r.peer_side));
}

constexpr const char* header =
    "case,work,ours,unit,library,peer,rounds,ours_median,ours_min,ours_max,peer_median,peer_min,peer_max,ratio_median,"
    "ratio_min,"
    "ratio_max,ours_iterations,ours_residual,ours_mb,ours_faults_first,ours_faults_later,peer_iterations,peer_residual,"
    "peer_mb,"
    "peer_faults_first,peer_faults_later";

void save(const std::string& path, const std::string& words) {
  std::ofstream file(path);
  file << words;
  if (!file.flush()) throw Error(Exit::usage, path + ": cannot be written");
}

}  // namespace

PeerRows::PeerRows(const std::string& stem, const nlohmann::json& about, double load)
    : stem_(stem), about_(about), load_(load) {
  const auto& machine = about.at("machine");
  fmt::print(
      "{}, triad {:.1f} GB/s on one core, load {:.1f} at the start; one thread, processor time, medians (least to "
      "greatest)\n",
      machine.at("processor").get<std::string>(),
      1e-9 * machine.at("triad_bytes_per_second").at("one_thread").get<double>(), load);
}

void PeerRows::add(const PeerRow& row) {
  rows_.push_back(row);
  fmt::print("{}\n", line_of(row));
  std::fflush(stdout);
}

void PeerRows::write() const {
  std::string md = "| work | Weir | best peer | times faster |\n|---|---|---|---|\n", csv = std::string(header) + "\n";
  nlohmann::json rows = nlohmann::json::array();
  for (const PeerRow& r : rows_) {
    md += line_of(r) + "\n";
    csv += csv_of(r) + "\n";
    const auto side = [](const std::string& solver, const std::vector<double>& times, const PeerRow::Side& s) {
      return nlohmann::json{{"solver", solver},
                            {"times", times},
                            {"iterations", s.iterations},
                            {"residual", s.residual},
                            {"mb", s.megabytes},
                            {"faults_first", s.faults_first},
                            {"faults_later", s.faults_later}};
    };
    rows.push_back({{"case", r.name},
                    {"title", r.title},
                    {"work", r.work},
                    {"unit", r.unit},
                    {"ours", side(r.ours, r.our_times, r.our_side)},
                    {"peer", side(r.peer, r.peer_times, r.peer_side)},
                    {"library", r.peer_library}});
  }
  nlohmann::json all = about_;
  all["suite"] = "peers";
  all["load"] = load_;
  all["rows"] = rows;
  save(stem_ + ".md", md);
  save(stem_ + ".csv", csv);
  save(stem_ + ".json", all.dump(1) + "\n");
}

}  // namespace weir::bench
