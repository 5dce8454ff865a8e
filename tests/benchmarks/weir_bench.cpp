// Suites of `weir bench`: one program per suite.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "solvers/parallel/communicator.hpp"

#include "tests/benchmarks/anzt/anzt.hpp"
#include "tests/benchmarks/block_jacobi.hpp"
#include "tests/benchmarks/kernels.hpp"
#include "tests/benchmarks/lab/aa.hpp"
#include "tests/benchmarks/lab/busy.hpp"
#include "tests/benchmarks/lab/leader.hpp"
#include "tests/benchmarks/lab/relay_aa.hpp"
#include "tests/benchmarks/lab/select_cases.hpp"
#include "tests/benchmarks/liu/liu.hpp"
#include "tests/benchmarks/luo/luo.hpp"
#include "tests/benchmarks/many.hpp"
#include "tests/benchmarks/multicolor.hpp"
#include "tests/benchmarks/orderings.hpp"
#include "tests/benchmarks/peers/suite.hpp"
#include "tests/benchmarks/scaling/scaling.hpp"
#include "tests/gpu_model/suite.hpp"

namespace weir {
namespace {

struct SuiteOptions {
  bench::Report report;               // --json
  std::string folder = "weir-bench";  // where suites that draw put their tables and plots
  bool quick = false;                 // small sizes: shows that the suite works, measures little
  gpu::SuiteOptions gpu;              // gpu-model alone
  bench::PeersOptions peers;          // peers alone
};

int gpu_model(const SuiteOptions& o) {
  gpu::SuiteOptions options = o.gpu;
  options.json_path = o.report.path;
  return gpu::gpu_model(options);
}

struct Suite {
  std::string name;
  std::function<int(const SuiteOptions& options)> run;
};

bench::LuoOptions luo(const SuiteOptions& o) { return {o.folder, o.quick}; }
bench::AnztOptions anzt(const SuiteOptions& o) { return {o.folder, o.quick}; }

bench::LiuOptions liu(const SuiteOptions& o) { return {o.folder, o.quick}; }

std::vector<Suite> benchmark_suites(const std::shared_ptr<Communicator>& ranks) {
  return {
      {"kernels", [](const SuiteOptions& o) { return bench::bench_kernels(o.report); }},
      {"orderings", [](const SuiteOptions& o) { return bench::bench_orderings(o.report); }},
      {"many", [](const SuiteOptions& o) { return bench::bench_many(o.report, o.quick); }},
      {"halo",
       [ranks](const SuiteOptions& o) {
         return bench::bench_halo(*ranks, {o.folder, o.quick});
       }},
      {"scaling",
       [ranks](const SuiteOptions& o) {
         return bench::bench_scaling(*ranks, {o.folder, o.quick});
       }},
      {"block-jacobi",
       [](const SuiteOptions& o) { return bench::bench_block_jacobi(o.folder + "/block_jacobi.csv", o.quick); }},
      {"zubair", [](const SuiteOptions& o) { return bench::bench_multicolor(o.folder + "/zubair.csv", o.quick); }},
      {"zubair-984k",
       [](const SuiteOptions& o) { return bench::bench_multicolor_984k(o.folder + "/zubair_984k.csv", o.quick); }},
      {"gpu-model", gpu_model},
      {"gpu-report", [](const SuiteOptions& o) { return gpu::gpu_report(o.gpu); }},
      {"luo-table1", [](const SuiteOptions& o) { return bench::luo_table1(luo(o)); }},
      {"luo-tables", [](const SuiteOptions& o) { return bench::luo_tables(luo(o)); }},
      {"luo-fig8", [](const SuiteOptions& o) { return bench::luo_fig8(luo(o)); }},
      {"luo-fig9", [](const SuiteOptions& o) { return bench::luo_fig9(luo(o)); }},
      {"luo-fig10", [](const SuiteOptions& o) { return bench::luo_fig10(luo(o)); }},
      {"anzt-select", [](const SuiteOptions& o) { return bench::anzt_select(anzt(o)); }},
      {"anzt-gmres", [](const SuiteOptions& o) { return bench::anzt_gmres(anzt(o)); }},
      {"anzt-stages", [](const SuiteOptions& o) { return bench::anzt_stages(anzt(o)); }},
      {"anzt-peers", [](const SuiteOptions& o) { return bench::anzt_peers(anzt(o)); }},
      {"liu-iterations", [](const SuiteOptions& o) { return bench::liu_iterations(liu(o)); }},
      {"liu-systems", [](const SuiteOptions& o) { return bench::liu_systems(liu(o)); }},
      {"lab-cavity",
       [](const SuiteOptions& o) {
         return bench::lab_cavity({o.folder, o.quick});
       }},
      {"lab-aerofoil",
       [](const SuiteOptions& o) {
         return bench::lab_aerofoil({o.folder, o.quick});
       }},
      {"lab-cylinder",
       [](const SuiteOptions& o) {
         return bench::lab_cylinder({o.folder, o.quick});
       }},
      {"lab-leader-cavity",
       [](const SuiteOptions& o) {
         return bench::lab_leader_cavity({o.folder, o.quick});
       }},
      {"lab-leader-aerofoil",
       [](const SuiteOptions& o) {
         return bench::lab_leader_aerofoil({o.folder, o.quick});
       }},
      {"relay-cavity",
       [](const SuiteOptions& o) {
         return bench::relay_cavity({o.folder, o.quick});
       }},
      {"relay-aerofoil",
       [](const SuiteOptions& o) {
         return bench::relay_aerofoil({o.folder, o.quick});
       }},
      {"relay-cylinder",
       [](const SuiteOptions& o) {
         return bench::relay_cylinder({o.folder, o.quick});
       }},
      {"peers",
       [](const SuiteOptions& o) {
         bench::PeersOptions options = o.peers;
         options.folder = o.folder;
         options.quick = o.quick;
         options.build = this_build();
         return bench::bench_peers(options);
       }},
      {"busy",
       [](const SuiteOptions& o) {
         return bench::busy_machine({o.folder, o.quick});
       }},
      {"select",
       [](const SuiteOptions& o) {
         return bench::select_cases({o.folder, o.quick});
       }},
  };
}

// Several suites into one name: results.json becomes results_kernels.json, results_orderings.json.
std::string suite_path(const std::string& json_path, const std::string& suite, bool is_only_one) {
  if (json_path.empty() || is_only_one) return json_path;
  const std::filesystem::path path(json_path);
  return (path.parent_path() / (path.stem().string() + "_" + suite + path.extension().string())).string();
}

int run_benchmarks(const std::vector<Suite>& suites, const std::string& wanted, const SuiteOptions& options) {
  std::vector<std::string> known;
  int code = 0;
  bool found = false;
  bench::Report report = options.report;
  if (!report.path.empty()) report.about = bench::about_this(this_build());
  for (const auto& s : suites) {
    known.push_back(s.name);
    if (wanted.empty() && s.name == "gpu-report") continue;  // it reads a folder that has to be named
    if (!wanted.empty() && s.name != wanted && !s.name.starts_with(wanted + "-")) continue;  // luo: all of luo-...
    found = true;
    SuiteOptions of_suite = options;
    of_suite.report = {suite_path(report.path, s.name, !wanted.empty()), report.about};
    if (const int one = s.run(of_suite); one != 0) code = one;
  }
  if (!found) throw Error(Exit::usage, "no benchmark suite '" + wanted + "'" + did_you_mean(wanted, known));
  return code;
}

int parse_and_run(int argc, char** argv) {
  const std::shared_ptr<Communicator> ranks = make_world();
  ranks->silence_others();
  std::string suite;
  SuiteOptions options;
  CLI::App app("kernel and method benchmarks, compared with what the machine can do", "weir bench");
  app.add_option("SUITE", suite, "one suite only, or a family: luo, anzt");
  app.add_option(
         "--json", options.report.path,
         "write the results with machine, build and spread to a file as well (one per suite): kernels, orderings, "
         "gpu-model")
      ->type_name("FILE");
  app.add_option("-o,--output", options.folder, "folder of tables and plots; default: weir-bench")->type_name("DIR");
  app.add_flag("--quick", options.quick, "small sizes: a smoke test, no measurement");
  gpu::SuiteOptions& model = options.gpu;
  const char* const group =
      "gpu-model: times on a GPU, predicted from counts of tests/ptx; gpu-report: a page of measured ones";
  app.add_option(
         "FILES", model.files,
         "gpu-model: counts (WEIR_PTX_STATS), default: the works of tests/gpu_model; gpu-report: the folder that "
         "tests/gpu/go.sh has filled")
      ->group(group);
  app.add_option("--device", model.device,
                 "device of tests/gpu_model/devices, or a file; default: H200, of gpu-report the measured one")
      ->group(group);
  app.add_option("--minus", model.minus, "counts to take away: a run of fewer steps")->type_name("FILE")->group(group);
  app.add_option("--per", model.per, "number of steps that the times are divided by")->group(group);
  app.add_option("--extrapolate", model.extrapolate, "sizes of the first file, of the second and the wanted one")
      ->expected(3)
      ->group(group);
  app.add_option("--chain-power", model.chain_power, "longest chains go with size^this: 1/3 for hyperplanes of a cube")
      ->group(group);
  app.add_option("--csv", model.csv_path, "the table of kernels")->type_name("FILE")->group(group);
  const char* const peers = "peers: Weir compared with hypre, PETSc and OpenFOAM";
  app.add_option("--case", options.peers.cases, "these cases alone")->group(peers);
  app.add_option("--rounds", options.peers.rounds, "default: 7")->check(CLI::Range(1, 100))->group(peers);
  app.add_flag("--search", options.peers.search, "search the peers' settings again")->group(peers);
  try {
    app.parse(argc, argv);
    if (!model.files.empty() && suite != "gpu-model" && suite != "gpu-report")
      throw Error(Exit::usage, "FILES are for the suites gpu-model and gpu-report, not '" + suite + "'");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(Exit::usage);
  }
  return run_benchmarks(benchmark_suites(ranks), suite, options);
}

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  try {
    return weir::parse_and_run(argc, argv);
  } catch (const weir::Error& e) {
    fmt::print(stderr, "weir bench: {}\n", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    fmt::print(stderr, "weir bench: internal error: {}\n", e.what());
    return static_cast<int>(weir::Exit::internal);
  }
}
