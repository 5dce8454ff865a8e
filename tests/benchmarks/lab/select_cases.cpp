#include "tests/benchmarks/lab/select_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.hpp"
#include "tests/benchmarks/lab/child_run.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

constexpr int rounds = 3;
constexpr double most = 1.5;  // times the default's

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
       {"mesh.generator.cells=[40, 40]", "time.end=140.0"},
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
       {"time.end=3.0", "-time.steady_tolerance"},
       ", tolerance = 1e-11, relative = false, norm = \"max\"",
       {multigrid, cg_ilu, cg_jacobi}},
      // The best solver changes: multigrid while the momentum system takes many iterations, a cheaper one as the flow settles.
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

struct Outcome {
  double seconds = 0;
  bool is_cut = false;
  std::string told;  // by [select]
};

class Runs {
 public:
  Runs(const LabOptions& options, ChildSignals& signals) : options_(options), signals_(signals) {}

  // solver: its number, or -1: [select].
  Outcome operator()(const Case& c, int solver, double most_seconds) {
    const std::string run = (fs::absolute(options_.folder) / "select_run").string();
    std::vector<std::string> command{"/bin/sh", "-c", "ulimit -t $0; exec \"$@\"",
                                     fmt::format("{}", std::ceil(std::max(1.0, most_seconds)))};
    const auto add = [&](const std::vector<std::string>& words) {
      command.insert(command.end(), words.begin(), words.end());
    };
    add({(fs::read_symlink("/proc/self/exe").parent_path() / "weir").string(), "run", inputs_folder() + c.path, "-o",
         run, "--overwrite", "--threads", "1"});
    if (options_.quick) add({"--steps", "4"});
    for (const std::string& one : c.set)  // "-KEY": is unset
      one[0] == '-' ? add({"--unset", one.substr(1)}) : add({"--set", one});
    add({"--set", "output.report=false", "--set", "output.fields_every=0", "--set",
         fmt::format("linear.{}={{ {}{} }}", c.system, c.solvers[at(std::max(solver, 0))].options, c.stop)});
    if (solver < 0) {
      std::string names;
      for (std::size_t i = 1; i < c.solvers.size(); ++i) names += fmt::format("\"s{}\", ", i);
      add({"--set", fmt::format("select.system={}", c.system), "--set", "select.solvers=[" + names + "]"});
      for (std::size_t i = 1; i < c.solvers.size(); ++i)
        add({"--set", fmt::format("select.s{}={{ {} }}", i, c.solvers[i].options)});
    }
    const Child child = signals_.run(command, run + ".txt");
    Outcome o{child.processor_seconds, child.exit_code == 128 + SIGXCPU || child.exit_code == 128 + SIGKILL, ""};
    if (signals_.caught() || o.is_cut) return o;
    if (child.exit_code == static_cast<int>(Exit::solver_failed)) o.is_cut = true;  // it never comes to the end
    if (!o.is_cut && child.exit_code != 0 && child.exit_code != static_cast<int>(Exit::check_failed))
      throw Error(Exit::internal, fmt::format("{}: exit code {}: {}.txt", c.name, child.exit_code, run));
    if (solver < 0 && !o.is_cut) {
      std::ifstream file(run + "/run.json");
      const auto s = nlohmann::json::parse(file)["select"];
      std::string leader = s["leader"];
      leader = c.solvers[leader == "default" ? 0 : static_cast<std::size_t>(std::stoi(leader.substr(1)))].name;
      o.told =
          fmt::format("{} changes; {} races; {} at the end", s["changes"].get<int>(), s["races"].get<int>(), leader);
    }
    return o;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const LabOptions& options_;
  ChildSignals& signals_;
};

struct Costs {
  std::vector<double> seconds;
  bool is_cut = false;
  std::string told;
  double median() const { return median_of(seconds); }
};

// A row of the table; the costs are those of the solvers and, last, of [select].
nlohmann::ordered_json tell(const Case& c, const std::vector<Costs>& costs) {
  const std::size_t n = c.solvers.size();
  std::size_t best = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!costs[i].is_cut && costs[i].median() < costs[best].median()) best = i;
  std::string others;
  for (std::size_t i = 1; i < n; ++i)
    others += fmt::format("{}{} {}{:.2f}", i > 1 ? ", " : "", c.solvers[i].name, costs[i].is_cut ? "> " : "",
                          costs[i].median() / costs[0].median());
  const double own = costs[n].median(), to_default = own / costs[0].median(), to_best = own / costs[best].median();
  fmt::print("| {} | {} | {} {:.2f} s | {} | {:.3f} | {:.3f} | {} |\n", c.name, c.system, c.solvers[0].name,
             costs[0].median(), others, to_default, to_best, costs[n].told);
  nlohmann::ordered_json row{
      {"case", c.name}, {"over_default", to_default}, {"over_best", to_best}, {"told", costs[n].told}};
  for (std::size_t i = 0; i < n; ++i)
    row["seconds"][c.solvers[i].name] = {{"median", costs[i].median()}, {"is_more", costs[i].is_cut}};
  row["seconds"]["select"] = own;
  return row;
}

}  // namespace

int select_cases(const LabOptions& options) {
  fs::create_directories(options.folder);
  std::ofstream csv(options.folder + "/select.csv");
  csv << "round,case,solver,processor_seconds,is_more,told\n";
  const std::vector<Case> cases = all_cases();
  std::map<std::string, std::vector<Costs>> all;
  std::mt19937_64 random(1);
  ChildSignals signals;
  Runs run(options, signals);
  for (int round = 0; round < (options.quick ? 1 : rounds); ++round) {
    for (const Case& c : cases) {
      const int n = static_cast<int>(c.solvers.size());
      std::vector<Costs>& costs = all[c.name];
      costs.resize(static_cast<std::size_t>(n) + 1);
      std::vector<int> order;
      for (int i = round == 0 ? 1 : 0; i <= n; ++i) order.push_back(i);
      std::shuffle(order.begin(), order.end(), random);
      if (round == 0) order.insert(order.begin(), 0);  // its time is the others' limit
      for (const int i : order) {
        Costs& own = costs[static_cast<std::size_t>(i)];
        if (own.is_cut) continue;
        const double limit = costs[0].seconds.empty() ? 600 : most * costs[0].seconds[0];
        const Outcome o = run(c, i == n ? -1 : i, limit);
        if (signals.caught()) return 128 + signals.caught();
        own.seconds.push_back(o.seconds);
        own.is_cut = o.is_cut;
        own.told = o.told;
        csv << fmt::format("{},{},{},{:.4f},{},{}\n", round + 1, c.name,
                           i == n ? "select" : c.solvers[static_cast<std::size_t>(i)].name, o.seconds, o.is_cut, o.told)
            << std::flush;
      }
    }
  }
  fmt::print(
      "| case | system | default | others, over the default | [select] over the default | over the best | told |\n"
      "|---|---|---|---|---|---|---|\n");
  nlohmann::ordered_json rows;
  for (const Case& c : cases) rows.push_back(tell(c, all[c.name]));
  std::ofstream(options.folder + "/select.json") << rows.dump(1) << "\n";
  return 0;
}

}  // namespace weir::bench
