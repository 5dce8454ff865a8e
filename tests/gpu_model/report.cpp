// `weir bench gpu-report DIR`: the files that tests/gpu/go.sh has left, as a page; measured times next to the model's
// predictions.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "tests/gpu_model/suite.hpp"

namespace weir::gpu {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// The last line of a file may be cut off: it is left out.
std::vector<json> lines_of(const fs::path& path) {
  std::vector<json> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    json j = json::parse(line, nullptr, false);
    if (j.is_object()) out.push_back(std::move(j));
  }
  return out;
}

double number_of(const json& j, const char* key) {
  const auto at = j.find(key);
  return at != j.end() && at->is_number() ? at->get<double>() : 0;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return "unknown";
  const std::size_t from = text.find_first_not_of(" :\t", at + key.size());
  std::string found = text.substr(from, text.find_first_of("\n|", from) - from);
  while (found.ends_with(' ')) found.pop_back();
  return found;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::string milliseconds(double seconds) { return fmt::format("{:.4g}", 1e3 * seconds); }

// A process that failed and passed when it was repeated has failed.
void print_tests(const std::vector<json>& results) {
  std::set<std::string> failed;
  int suites = 0, single = 0, repeats = 0;
  std::map<std::string, std::pair<int, int>> of_tool;  // passed, failed
  bool ended = false;
  for (const json& r : results) {
    const std::string filter = r.value("filter", ""), with = r.value("with", "");
    const int rc = r.value("rc", -1);
    if (filter == "end") {
      ended = true;
      continue;
    }
    if (with.starts_with("compute-sanitizer")) {
      const std::string tool = with.substr(with.find(' ') + 1);
      ++(rc == 0 ? of_tool[tool].first : of_tool[tool].second);
    } else if (with == "sync" || filter == "check" || filter.starts_with("gpu_work")) {
      if (rc != 0 && with != "sync") failed.insert(fmt::format("{} exit code {}", filter, rc));
      continue;
    } else if (filter.ends_with(".*")) {
      ++suites;
    } else if (filter.find('*') != std::string::npos) {
      ++repeats;
    } else {
      ++single;
    }
    if (rc != 0) failed.insert(filter + (with.empty() ? "" : " (" + with + ")") + fmt::format(" exit code {}", rc));
  }
  fmt::print("## Tests\n{} suites, each in a process of its own; {} tests again one by one; {} repetitions.\n", suites,
             single, repeats);
  for (const auto& [tool, count] : of_tool)
    fmt::print("{}: {} passed, {} failed or were out of time (exit code 124).\n", tool, count.first, count.second);
  if (!ended) fmt::print("**The run was cut off**: what follows is what it had written.\n");
  if (failed.empty()) {
    fmt::print("No process failed.\n");
  } else {
    fmt::print("Failed:\n");
    for (const std::string& f : failed) fmt::print("- {}\n", f);
  }
}

struct Row {
  std::string work;
  double seconds, least, most, bytes, predicted;
};

void print_works(const std::vector<Row>& rows, const std::string& device) {
  double triad = 0;
  for (const Row& r : rows)
    if (r.work.starts_with("triad")) triad = std::max(triad, r.bytes > 1e9 ? r.bytes / r.seconds : 0);
  fmt::print(
      "\n## Pieces of work\nMedian of 15 batches, alone on the card. Bytes are those that must move at least; the "
      "triad reaches "
      "{:.0f} GB/s.\n\n| work | ms | least to most | GB/s | of the triad | predicted for {} | measured / predicted |\n"
      "|---|---|---|---|---|---|---|\n",
      1e-9 * triad, device);
  for (const Row& r : rows) {
    const double rate = r.bytes / r.seconds;
    fmt::print("| {} | {} | {} to {} | {} | {} | {} | {} |\n", r.work, milliseconds(r.seconds), milliseconds(r.least),
               milliseconds(r.most), r.bytes > 0 ? fmt::format("{:.0f}", 1e-9 * rate) : "",
               r.bytes > 0 && triad > 0 ? fmt::format("{:.2f}", rate / triad) : "",
               r.predicted > 0 ? milliseconds(r.predicted) : "",
               r.predicted > 0 ? fmt::format("{:.2f}", r.seconds / r.predicted) : "");
  }
}

// Of the time loop, without output.
double milliseconds_per_step(const json& run) {
  double seconds = number_of(run, "loop_seconds");
  const json timings = run.value("timings", json::object()), output = timings.value("output", json::object());
  for (const auto& [name, value] : output.items()) seconds -= number_of(output, name.c_str());
  return 1e3 * seconds / std::max(1, run.value("steps", 1));
}

void print_flows(const std::vector<json>& flows) {
  if (flows.empty()) return;
  fmt::print(
      "\n## Flows\nOn the device, and on all cores of the host of the same machine; without output and start.\n\n"
      "| flow | cells | steps | device, ms per step | host, ms per step | host / device "
      "|\n|---|---|---|---|---|---|\n");
  std::vector<std::string> names;
  std::map<std::string, std::map<std::string, json>> of;
  for (const json& f : flows) {
    const std::string name = f.value("flow", "");
    if (!of.count(name)) names.push_back(name);
    of[name][f.value("space", "")] = f;
  }
  for (const std::string& name : names) {
    const auto milliseconds_of = [&](const char* space) {
      const auto at = of[name].find(space);
      return at != of[name].end() && at->second.value("rc", 1) == 0 ? milliseconds_per_step(at->second["run"]) : 0;
    };
    const auto shown = [](double ms) { return ms > 0 ? fmt::format("{:.3g}", ms) : std::string("-"); };
    const json& run = of[name].begin()->second["run"];
    const double device = milliseconds_of("device"), host = milliseconds_of("host");
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", name, run.value("cells", 0), run.value("steps", 0), shown(device),
               shown(host), device > 0 && host > 0 ? fmt::format("{:.1f}", host / device) : "");
  }
}

// Kernels of one name in one piece of work together.
void print_profiles(const fs::path& path) {
  struct Kernel {
    double count = 0, ns = 0, instructions = 0, ipc = 0, bytes = 0, sectors = 0, warps = 0, registers = 0;
  };
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, Kernel> kernels;
  std::ifstream in(path);
  std::vector<std::string> header;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> f = fields_of(line);
    if (f.size() > 2 && f[1] == "ID") {
      header = f;
      continue;
    }
    if (f.size() != header.size() || f[1].empty()) continue;
    const auto of = [&](const char* name) {
      for (std::size_t k = 0; k < header.size(); ++k)
        if (header[k] == name) return f[k];
      return std::string();
    };
    const auto number = [&](const char* name) {
      std::string text = of(name);
      std::erase(text, ',');
      return text.empty() ? 0.0 : std::strtod(text.c_str(), nullptr);
    };
    const std::string full = of("Kernel Name");
    const std::pair key(f[0], full.substr(0, std::min<std::size_t>(full.find("(int"), 72)));
    if (!kernels.count(key)) order.push_back(key);
    Kernel& k = kernels[key];
    const double ns = number("gpu__time_duration.sum");
    ++k.count;
    k.ns += ns;
    k.instructions += number("sm__inst_executed.sum");
    k.ipc += ns * number("sm__inst_executed.avg.per_cycle_active");
    k.bytes += number("dram__bytes.sum");
    k.sectors += number("lts__t_sectors.sum");
    k.warps += ns * number("sm__warps_active.avg.pct_of_peak_sustained_active");
    k.registers = std::max(k.registers, number("launch__registers_per_thread"));
  }
  if (order.empty()) return;
  fmt::print(
      "\n## Profiles\nncu, kernels of more than a twentieth of their piece of work.\n\n| work | kernel | launches | us "
      "| "
      "instructions per cycle and SM | DRAM GB/s | L2 sectors, M | warps active | registers |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  std::map<std::string, double> total;
  for (const auto& [key, k] : kernels) total[key.first] += k.ns;
  for (const auto& key : order) {
    const Kernel& k = kernels[key];
    if (k.ns < 0.05 * total[key.first]) continue;
    std::string name = key.second;
    std::replace(name.begin(), name.end(), '|', '/');
    fmt::print("| {} | `{}` | {:g} | {:.4g} | {:.2f} | {:.0f} | {:.3g} | {:.0f} % | {:g} |\n", key.first, name, k.count,
               1e-3 * k.ns, k.ipc / k.ns, k.bytes / k.ns, 1e-6 * k.sectors, k.warps / k.ns, k.registers);
  }
}

}  // namespace

int gpu_report(const SuiteOptions& o) {
  if (o.files.size() != 1) throw Error(Exit::usage, "gpu-report: expected the folder that tests/gpu/go.sh has filled");
  const fs::path folder = o.files.front();
  const std::vector<json> results = lines_of(folder / "results.jsonl"), works = lines_of(folder / "work.jsonl");
  if (results.empty() && works.empty())
    throw Error(Exit::usage, folder.string() + ": expected results.jsonl or work.jsonl of tests/gpu/go.sh");
  const std::string machine = text_of(folder / "machine.txt"), check = text_of(folder / "check.txt"),
                    measured = after(check, "device:");
  std::string name = o.device.empty() ? "H200" : o.device;
  for (const std::string& known : known_devices()) {
    std::string upper = known;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    if (o.device.empty() && measured.find(upper) != std::string::npos) name = known;
  }
  const GpuDevice device = read_device(name);
  std::map<std::string, double> predicted;
  for (const Work& w : read_works())
    if (!w.timed.empty()) predicted[w.timed] = predict(w.counts, device).seconds / w.per;
  std::vector<Row> rows;
  for (const json& w : works) {
    const std::string work = w.value("work", "");
    rows.push_back({work, number_of(w, "seconds"), number_of(w, "least"), number_of(w, "most"), number_of(w, "bytes"),
                    predicted.count(work) ? predicted[work] : 0});
  }
  fmt::print("# Measured on {}\n{}; driver {}.\n\n", measured, machine.substr(0, machine.find('\n')),
             after(machine, "Driver Version:").substr(0, after(machine, "Driver Version:").find(' ')));
  print_tests(results);
  print_works(rows, device.name);
  print_flows(lines_of(folder / "flows.jsonl"));
  print_profiles(folder / "ncu.csv");
  if (!o.csv_path.empty()) {
    std::ofstream out(o.csv_path);
    out << "work,seconds,least,most,bytes,predicted_seconds\n";
    for (const Row& r : rows)
      out << fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", r.work, r.seconds, r.least, r.most, r.bytes,
                         r.predicted);
    if (!out) throw Error(Exit::usage, o.csv_path + ": cannot be written");
  }
  return 0;
}

}  // namespace weir::gpu
