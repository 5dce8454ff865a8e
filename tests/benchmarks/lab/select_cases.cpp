#include "tests/benchmarks/lab/select_cases.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/benchmarks/lab/child_run.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

constexpr int rounds = 3;

struct Solver {
  const char *name, *options;  // of [linear.SYSTEM], in one line
};
struct Case {
  const char *name, *path, *system;
  std::vector<std::string> set;
  const char* stop;             // keys of [linear.SYSTEM] that end a solve
  std::vector<Solver> solvers;  // the first is the default
};

constexpr Solver multigrid{"cg+multigrid", "method = \"cg\", preconditioner = { type = \"multigrid\" }"};
constexpr Solver cg_jacobi{"cg+jacobi", "method = \"cg\", preconditioner = { type = \"jacobi\" }"};
constexpr Solver cg_ilu{"cg+ilu", "method = \"cg\", preconditioner = { type = \"block_ilu0\" }"};
constexpr Solver direct{"fast_poisson", "method = \"fast_poisson\""};
constexpr Solver gmres_ilu{"gmres+ilu", "method = \"gmres\", preconditioner = { type = \"block_ilu0\" }"};
constexpr Solver bicgstab_ilu{"bicgstab+ilu", "method = \"bicgstab\", preconditioner = { type = \"block_ilu0\" }"};
constexpr Solver gmres_jacobi{"gmres+jacobi", "method = \"gmres\", preconditioner = { type = \"block_jacobi\" }"};
constexpr Solver bicgstab_jacobi{"bicgstab+jacobi", "method = \"bicgstab\", preconditioner = { type = \"jacobi\" }"};
constexpr Solver colours{"gmres+multicolor", "method = \"gmres\", preconditioner = { type = \"multicolor\" }"};
constexpr Solver lines{"gmres+line", "method = \"gmres\", preconditioner = { type = \"line\" }"};

constexpr const char* settled = ", tolerance = 1e-8, relative = false";
constexpr const char* absolute = ", tolerance = 1e-6, relative = false";

std::vector<Case> all_cases() {
  return {
      {"vortex",
       "compressible/isentropic_vortex.toml",
       "flow",
       {"mesh.generator.cells=[40, 40]", "time.end=400.0"},
       "",
       {gmres_ilu, gmres_jacobi, bicgstab_ilu}},
      {"sod",
       "compressible/sod.toml",
       "flow",
       {"mesh.generator.cells=[400, 4]", "time.dt=0.000125"},
       "",
       {gmres_ilu, gmres_jacobi, colours}},
      {"cylinder",
       "compressible/cylinder_inviscid.toml",
       "flow",
       {"mesh.generator.around=192", "mesh.generator.outward=96", "pseudo_time.cfl_start=5.0",
        "pseudo_time.cfl_max=40.0", "pseudo_time.max_steps=1000"},
       "",
       {gmres_ilu, gmres_jacobi, colours}},
      {"aerofoil", "study/aerofoil_marched.toml", "flow", {}, ", tolerance = 0.1", {bicgstab_ilu, gmres_ilu, lines}},
      {"cavity",
       "incompressible/cavity_re1000.toml",
       "pressure",
       {"grid.cells=[64, 64]", "time.end=120.0", "-time.steady_tolerance"},
       "",
       {multigrid, direct, cg_jacobi}},
      {"cavity100",
       "incompressible/cavity_re100.toml",
       "pressure",
       {"grid.cells=[64, 64]", "time.end=100.0", "-time.steady_tolerance"},
       absolute,
       {direct, cg_jacobi, multigrid}},
      {"channel",
       "incompressible/developing_channel.toml",
       "pressure",
       {"grid.cells=[96, 24]", "time.end=1200.0", "-time.steady_tolerance"},
       absolute,
       {multigrid, direct, cg_jacobi}},
      {"vortices",
       "incompressible/taylor_green_2d_coupled.toml",
       "flow",
       {"grid.cells=[32, 32]", "time.end=20.0"},
       "",
       {gmres_ilu, bicgstab_ilu, gmres_jacobi}},
      {"cylinder40",
       "immersed/cylinder_re40.toml",
       "pressure",
       {"grid.cells=[96, 64]", "time.end=150.0", "-time.steady_tolerance"},
       ", tolerance = 1e-8, relative = false, norm = \"max\"",
       {multigrid, cg_ilu, cg_jacobi}},
      {"oscillating",
       "immersed/oscillating_inline_kc5.toml",
       "pressure",
       {"grid.cells=[132, 84]", "time.end=35.0"},
       ", tolerance = 1e-7, relative = false, norm = \"max\"",
       {cg_ilu, multigrid, cg_jacobi}},
      {"cylinder100",
       "immersed/cylinder_re100.toml",
       "advection_diffusion",
       {"time.end=15.0"},
       "",
       {bicgstab_jacobi, gmres_jacobi, bicgstab_ilu}},
      {"channel_cylinder",
       "immersed/dfg_2d1.toml",
       "pressure",
       {"time.end=8.0", "-time.steady_tolerance"},
       ", tolerance = 1e-11, relative = false, norm = \"max\"",
       {multigrid, cg_ilu, cg_jacobi}},
      // The best solver changes: multigrid while the momentum system takes many iterations, a cheaper one as the flow
      // settles.
      {"settling_cavity",
       "incompressible/cavity_re100.toml",
       "momentum",
       {"grid.cells=[128, 128]",
        "grid.stretching=[{ type = \"tanh\", factor = 1.5 }, { type = \"tanh\", factor = 1.5 }]", "flow.viscosity=0.3",
        "linear.pressure.method=fast_poisson", "time.dt=0.008", "time.end=44.0", "-time.steady_tolerance"},
       settled,
       {multigrid, cg_jacobi}},
      {"settling_channel",
       "incompressible/developing_channel.toml",
       "momentum",
       {"grid.cells=[96, 128]", "grid.stretching=[{ type = \"uniform\" }, { type = \"tanh\", factor = 1.8 }]",
        "flow.viscosity=0.3", "linear.pressure.method=fast_poisson", "-time.cfl", "time.dt=0.012", "time.end=72.0",
        "-time.steady_tolerance"},
       settled,
       {multigrid, cg_jacobi}}};
}

// A round of a case: the default twice, [select] by each rule among all, the others. They run side by side on one core,
// so that a machine whose speed varies is equally fast for all of them. The others are stopped when those before have
// ended.
constexpr const char* rules[] = {"races", "tsallis_inf", "thompson", "probe"};
constexpr std::size_t first = 0, again = 1, selected = 2, others = selected + std::size(rules);

std::string name_of(const Case& c, std::size_t k) {
  if (k == again) return "again";
  if (k >= selected && k < others) return k == selected ? "select" : std::string("select ") + rules[k - selected];
  return c.solvers[k < others ? 0 : k - others + 1].name;
}

struct Outcome {
  double seconds = 0;
  bool is_cut = false;
  std::string told;  // by [select]
};

class Rounds {
 public:
  Rounds(const LabOptions& options, ChildSignals& signals) : options_(options), signals_(signals) {}

  // first, again, selected by each rule, then the other solvers. Empty: a signal came.
  std::vector<Outcome> operator()(const Case& c) {
    std::vector<ChildCommand> commands;
    for (std::size_t k = 0; k < others - 1 + c.solvers.size(); ++k)
      commands.push_back({command_of(c, k), folder_of(k) + ".txt"});
    const std::vector<Child> children = signals_.run_together(std::move(commands), others);
    if (signals_.caught()) return {};
    std::vector<Outcome> all;
    for (std::size_t k = 0; k < children.size(); ++k) {
      const int code = children[k].exit_code;
      // A solver that fails never comes to the end.
      all.push_back(
          {children[k].processor_seconds, code == 128 + SIGTERM || code == static_cast<int>(Exit::solver_failed), ""});
      if (!all[k].is_cut && code != 0 && code != static_cast<int>(Exit::check_failed))
        throw Error(Exit::internal, fmt::format("{}: exit code {}: {}.txt", c.name, code, folder_of(k)));
    }
    if (!all[selected].is_cut) all[selected].told = told_by_select(c);
    return all;
  }

 private:
  std::string folder_of(std::size_t k) const {
    return (fs::absolute(options_.folder) / fmt::format("select_run_{}", k)).string();
  }

  std::vector<std::string> command_of(const Case& c, std::size_t k) const {
    std::vector<std::string> command{(fs::read_symlink("/proc/self/exe").parent_path() / "weir").string(),
                                     "run",
                                     inputs_folder() + c.path,
                                     "-o",
                                     folder_of(k),
                                     "--overwrite",
                                     "--threads",
                                     "1"};
    const auto add = [&](const std::vector<std::string>& words) {
      command.insert(command.end(), words.begin(), words.end());
    };
    if (options_.quick) add({"--steps", "4"});
    for (const std::string& one : c.set)  // "-KEY": is unset
      one[0] == '-' ? add({"--unset", one.substr(1)}) : add({"--set", one});
    const Solver& solver = c.solvers[k < others ? 0 : k - others + 1];
    add({"--set", "output.report=false", "--set", "output.fields_every=0", "--set",
         fmt::format("linear.{}={{ {}{} }}", c.system, solver.options, c.stop)});
    if (k < selected || k >= others) return command;
    std::string names;
    for (std::size_t i = 1; i < c.solvers.size(); ++i) names += fmt::format("\"s{}\", ", i);
    add({"--set", fmt::format("select.system={}", c.system), "--set", "select.solvers=[" + names + "]", "--set",
         fmt::format("select.rule={}", rules[k - selected])});
    for (std::size_t i = 1; i < c.solvers.size(); ++i)
      add({"--set", fmt::format("select.s{}={{ {} }}", i, c.solvers[i].options)});
    return command;
  }

  std::string told_by_select(const Case& c) const {
    std::ifstream file(folder_of(selected) + "/run.json");
    const auto s = nlohmann::json::parse(file)["select"];
    std::string leader = s["leader"];
    leader = c.solvers[leader == "default" ? 0 : static_cast<std::size_t>(std::stoi(leader.substr(1)))].name;
    return fmt::format("{} changes; {} races; {} at the end", s["changes"].get<int>(), s["races"].get<int>(), leader);
  }

  const LabOptions& options_;
  ChildSignals& signals_;
};

// Of all rounds, each over the mean of the default's two runs of the same round.
struct Costs {
  std::vector<double> ratios;
  bool is_cut = false;
  double median() const { return median_of(ratios); }
};
struct CaseCosts {
  std::vector<Costs> of;               // as above
  std::vector<double> seconds, noise;  // of the default; |log| of its second run over its first
  std::string told;

  void add(const std::vector<Outcome>& round) {
    of.resize(round.size());
    seconds.push_back(0.5 * (round[first].seconds + round[again].seconds));
    noise.push_back(std::abs(std::log(round[again].seconds / round[first].seconds)));
    for (std::size_t k = 0; k < round.size(); ++k) {
      of[k].ratios.push_back(round[k].seconds / seconds.back());
      of[k].is_cut |= round[k].is_cut;
    }
    told = round[selected].told;
  }
  // The best fixed solver's; 1: the default's.
  double best() const {
    double least = 1;
    for (std::size_t k = others; k < of.size(); ++k)
      if (!of[k].is_cut) least = std::min(least, of[k].median());
    return least;
  }
};

nlohmann::ordered_json tell(const Case& c, const CaseCosts& costs) {
  std::string other;
  for (std::size_t k = others; k < costs.of.size(); ++k)
    other += fmt::format("{}{} {}{:.2f}", k > others ? ", " : "", c.solvers[k - others + 1].name,
                         costs.of[k].is_cut ? "> " : "", costs.of[k].median());
  const double to_default = costs.of[selected].median(), to_best = to_default / costs.best();
  std::string by_rule;  // over the best fixed solver
  for (std::size_t k = selected + 1; k < others; ++k)
    by_rule += fmt::format("{}{:.2f} | ", costs.of[k].is_cut ? "> " : "", costs.of[k].median() / costs.best());
  fmt::print("| {} | {} {:.2f} s | {} | {:.3f} | {:.3f} | {}{:.1f} % | {} |\n", c.name, c.solvers[0].name,
             median_of(costs.seconds), other, to_default, to_best, by_rule, 100 * std::expm1(median_of(costs.noise)),
             costs.told);
  nlohmann::ordered_json row{{"case", c.name},
                             {"system", c.system},
                             {"default_seconds", median_of(costs.seconds)},
                             {"over_default", to_default},
                             {"over_best", to_best},
                             {"noise", std::expm1(median_of(costs.noise))},
                             {"told", costs.told}};
  for (std::size_t k = selected + 1; k < others; ++k)
    row["rules"][rules[k - selected]] = {{"over_default", costs.of[k].median()}, {"is_more", costs.of[k].is_cut}};
  for (std::size_t k = others; k < costs.of.size(); ++k)
    row["others"][c.solvers[k - others + 1].name] = {{"over_default", costs.of[k].median()},
                                                     {"is_more", costs.of[k].is_cut}};
  return row;
}

// All that is started from here on shares one core, in long turns: each turn begins with cold caches, and the kernel
// ends turns early for processes that read their processor time, as [select] does.
void share_one_core() {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    CPU_SET(core, &one);
    break;
  }
  sched_setaffinity(0, sizeof(one), &one);
  struct {
    std::uint32_t size = 48, policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t turn = 100'000'000, deadline = 0, period = 0;  // nanoseconds
  } attributes;
  syscall(SYS_sched_setattr, 0, &attributes, 0U);  // without effect before kernel 6.12
}

}  // namespace

int select_cases(const LabOptions& options) {
  fs::create_directories(options.folder);
  std::ofstream csv(options.folder + "/select.csv");
  csv << "round,case,solver,processor_seconds,is_more,told\n";
  const std::vector<Case> cases = all_cases();
  std::map<std::string, CaseCosts> all;
  ChildSignals signals;
  Rounds round_of(options, signals);
  share_one_core();
  for (int round = 0; round < (options.quick ? 1 : rounds); ++round)
    for (const Case& c : cases) {
      const std::vector<Outcome> costs = round_of(c);
      if (signals.caught()) return 128 + signals.caught();
      all[c.name].add(costs);
      for (std::size_t k = 0; k < costs.size(); ++k)
        csv << fmt::format("{},{},{},{:.4f},{},{}\n", round + 1, c.name, name_of(c, k), costs[k].seconds,
                           costs[k].is_cut, costs[k].told)
            << std::flush;
    }
  fmt::print(
      "| case | default | others, over the default | [select] over the default | over the best | Tsallis-INF | "
      "Thompson "
      "| probe | noise | last round |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  nlohmann::ordered_json rows;
  for (const Case& c : cases) rows.push_back(tell(c, all[c.name]));
  std::ofstream(options.folder + "/select.json") << rows.dump(1) << "\n";
  return 0;
}

}  // namespace weir::bench
