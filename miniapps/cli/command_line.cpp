#include "miniapps/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/colour.hpp"
#include "base/nearest.hpp"
#include "base/print.hpp"
#include "miniapps/cli/lists.hpp"
#include "miniapps/cli/start.hpp"
#include "miniapps/cli/verbs.hpp"
#include "postproc/own_file.hpp"

namespace weir {
namespace {

std::string in_quotes(const std::string& words) {  // as TOML takes them
  std::string text = "\"";
  for (const char c : words) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text + "\"";
}

// Keys with an option of their own: those of [device], and [select] decisions.
struct KeyArguments {
  std::string space, decisions;
  int threads = -1;
  bool deterministic = false;
  std::int64_t seed = -1;

  void add_to(std::vector<std::string>& overrides) const {
    if (!space.empty()) overrides.push_back("device.space=\"" + space + "\"");
    if (threads >= 0) overrides.push_back(fmt::format("device.threads={}", threads));
    if (deterministic) overrides.push_back("device.deterministic=true");
    if (seed >= 0) overrides.push_back(fmt::format("device.seed={}", seed));
    if (!decisions.empty())  // a restart may start in another folder
      overrides.push_back("select.decisions=" + in_quotes(std::filesystem::absolute(decisions).string()));
  }
};

void add_overrides(CLI::App& verb, std::vector<std::string>& overrides, std::vector<std::string>& unset) {
  verb.add_option("--set", overrides,
                  "override a key of the case: key.path=value, with the value as in TOML (repeatable)")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--unset", unset, "remove a key or table from the case, before --set (repeatable)")
      ->option_text("KEY")
      ->allow_extra_args(false);
}

// The cases of Weir are found from any folder: inputs/incompressible/cavity_re1000.toml.
std::string case_path(const std::string& path) {
  std::error_code error;
  const bool is_ours = path.starts_with("inputs/") && !std::filesystem::exists(path, error);
  const std::string own = is_ours ? own_file(path) : path;
  return std::filesystem::exists(own, error) ? own : path;
}

// CLI11 ranges accept NaN.
const CLI::Validator not_nan(
    [](const std::string& text) { return std::isnan(std::strtod(text.c_str(), nullptr)) ? "not a number" : ""; }, "");

void add_run_options(CLI::App& verb, RunArguments& a, KeyArguments& d, const std::string& default_directory) {
  verb.add_option("-o,--output", a.directory, "run directory; default: " + default_directory)->type_name("DIR");
  add_overrides(verb, a.overrides, a.unset);
  verb.add_option("--space", d.space, "memory space of the computation (default: that of the case, or auto)")
      ->check(CLI::IsMember({"host", "device", "auto"}));
  verb.add_option("--threads", d.threads, "number of host threads; 0: one per core")->check(CLI::NonNegativeNumber);
  verb.add_option("--steps", a.steps, "stop after step N of the run, counted from its start before any restart")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--wall-limit", a.wall_limit, "wall-clock limit; the run stops with a checkpoint")
      ->type_name("SECONDS")
      ->check(not_nan)
      ->check(CLI::NonNegativeNumber);
  verb.add_flag("--deterministic", d.deterministic,
                "require bit-identical results for any number of threads; stop if that is impossible");
  verb.add_option("--seed", d.seed, "seed of all random numbers")->type_name("N")->check(CLI::NonNegativeNumber);
  verb.add_option("--decisions", d.decisions,
                  "repeat the solver switches in decisions.csv of an earlier [select] run, without races")
      ->type_name("FILE");
  verb.add_flag("-q,--quiet", a.quiet, "print errors only, on standard error");
  verb.add_flag("--overwrite", a.overwrite, "overwrite an existing run in the run directory");
}

void add_solve_options(CLI::App& verb, SolveArguments& s) {
  verb.add_option("MATRIX", s.matrix,
                  "captured system (solved from its initial guess) or folder of captured systems; Matrix Market file "
                  "(coordinate, optionally gzipped); banded:ROWS[:HALF], a generated matrix with 2 HALF + 1 diagonals; "
                  "augment:N:B1=FIRST.mtx:B2=SECOND.mtx, blocks of N unknowns from two matrices")
      ->required();
  verb.add_option("--rhs", s.rhs,
                  "right-hand side: ones, row-sums (the solution is all ones) or a Matrix Market file; default: that "
                  "of the captured system, or ones")
      ->type_name("RHS");
  verb.add_option("--solver", s.solvers,
                  "solver (repeatable; default: a list of solvers): METHOD, METHOD+PRECONDITIONER, a TOML file with "
                  "the keys of [linear.SYSTEM], a solver of another library (\"petsc:-ksp_type gmres -pc_type ilu\", "
                  "hypre:cg+boomeramg, eigen:bicgstab+ilut, eigen:sparse_lu) or a plugin (gmres+plugin:./libmine.so, "
                  "plugin:./libmine.so)")
      ->type_name("SOLVER");
  verb.add_option("--block", s.block, "unknowns per block row (0: detect)")->check(CLI::Range(0, 64));
  verb.add_option("--tolerance", s.tolerance, "relative tolerance: |b - A x| / |b|")
      ->capture_default_str()
      ->check(not_nan)
      ->check(CLI::PositiveNumber);
  verb.add_option("--max-iterations", s.max_iterations,
                  "iteration limit per solve; with --extended, of all corrections together")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  verb.add_option("--solution", s.solution, "output file for the solution of the last solver (Matrix Market)")
      ->type_name("FILE");
  verb.add_flag("--extended", s.extended,
                "iterative refinement with x in double-double precision, for tolerances below double precision");
  verb.add_option("--space", s.space, "memory space of the computation")
      ->capture_default_str()
      ->check(CLI::IsMember({"host", "device"}));
}

void add_replay_options(CLI::App& verb, ReplayArguments& r) {
  verb.add_option("CAPSULE", r.capsules,
                  "captured systems: files in capsules/ of a run directory ([capture] writes them), the run directory, "
                  "or a folder written by weir import or another code")
      ->required();
  verb.add_option("--solvers", r.solvers,
                  "TOML file with a table [NAME] per solver and the keys of [shadow.NAME]; default: the recorded "
                  "reference solver, which must repeat its iteration counts (exit code 5 otherwise). With -o DIR: a "
                  "study as by [shadow] whose reference solver is [linear.SYSTEM] of FILE (default: the recorded one)")
      ->type_name("FILE");
  verb.add_option("--repeat", r.repeat, "number of solves per system and solver; the times are medians")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  verb.add_option("--export", r.export_format,
                  "export the systems instead of solving them: Matrix Market (with -o also ginkgo.json for Ginkgo's "
                  "benchmarks), PETSc binary, or IJ files of hypre in folders ls_00000 (with -o also hypredrive.yml)")
      ->check(CLI::IsMember({"mtx", "petsc", "hypre"}));
  verb.add_option("-o,--output", r.output,
                  "folder of the exported files (default: that of the captured systems), or run directory of the study")
      ->type_name("DIR");
  verb.add_flag("--warm", r.warm, "study: start each system from the reference solver's solution of the previous one");
  verb.add_option("--system", r.system, "study: use the captured systems of this name")->type_name("NAME");
  verb.add_option("--threads", r.threads, "study: number of host threads")->type_name("N")->check(CLI::PositiveNumber);
  verb.add_flag("--overwrite", r.overwrite, "study: overwrite an existing run in the run directory");
  verb.add_option("--space", r.space, "memory space of the computation; default: that of the run")
      ->check(CLI::IsMember({"host", "device"}));
}

void add_import_options(CLI::App& verb, ImportArguments& i) {
  verb.add_option("MATRIX", i.matrices,
                  "matrices in the order of the sequence, in Matrix Market (coordinate) or PETSc binary format (which "
                  "may also hold b and x0); a matrix that never changes is given once")
      ->required();
  verb.add_option("--rhs", i.rhs, "right-hand sides, Matrix Market or PETSc binary")->type_name("FILE...");
  verb.add_option("--guess", i.guess, "initial guesses; default: zeros")->type_name("FILE...");
  verb.add_option("--system", i.system, "name of the system")->capture_default_str()->type_name("NAME");
  verb.add_option("--block", i.block, "unknowns per block row (0: detect)")->check(CLI::Range(0, 64));
  verb.add_option("-o,--output", i.output, "new folder for the captured systems")->required()->type_name("DIR");
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string help_of_all(const CLI::App& app) {
  std::string text = app.get_description() + "\n";
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    text += "\n" + verb->help("weir");
  return text;
}

// CLI11 reports unknown verbs and options as unexpected arguments.
void refuse_unknown_words(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::vector<std::string> verbs = names_of(app);
  if (std::ranges::find(verbs, argv[1]) == verbs.end()) {
    const std::string near = nearest(argv[1], verbs);
    throw Error(Exit::usage, fmt::format("unknown verb '{}'{} (there are: {})", argv[1],
                                         near.empty() ? "" : "; did you mean '" + near + "'?", fmt::join(verbs, ", ")));
  }
  const std::vector<std::string> options = options_of(*app.get_subcommand(argv[1]));
  for (int i = 2; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (word.starts_with("--") && std::ranges::find(options, word) == options.end())
      throw Error(Exit::usage, "unknown option '" + word + "'" + did_you_mean(word, options));
  }
}

int parse_and_run(const Program& program, int argc, char** argv) {
  CLI::App app("Weir: implicit flow solvers and a sparse solver layer, on CPUs and GPUs.", "weir");
  app.set_version_flag("--version", [&] { return version_text(program.build); });
  app.require_subcommand(1);
  std::string codes;
  for (const ExitCode& e : exit_codes()) codes += fmt::format("{} {} |{}", e.code, e.meaning, e.code == 4 ? "\n" : " ");
  app.footer("Exit codes: " + codes + "128+n signal n");
  int code = 0;
  RunArguments a;
  for (int i = 0; i < argc; ++i) a.command_line += (i > 0 ? " " : "") + std::string(argv[i]);
  KeyArguments d;

  CLI::App* run = app.add_subcommand("run", "run a case");
  run->add_option("CASE", a.source, "case file (TOML)")->required()->transform(case_path);
  add_run_options(*run, a, d, "weir-runs/CASE");
  run->callback([&] {
    d.add_to(a.overrides);
    code = run_case(program, a);
  });

  CLI::App* restart = app.add_subcommand("restart", "continue a run from a checkpoint, which contains its case");
  restart->add_option("CHECKPOINT", a.source, "file in checkpoints/, or run directory (newest checkpoint)")->required();
  add_run_options(*restart, a, d, "the run directory of the checkpoint");
  restart->callback([&] {
    d.add_to(a.overrides);
    code = restart_case(program, a);
  });

  CLI::App* info = app.add_subcommand(
      "info", "dry run of a case or study: sizes, memory estimate, solvers, number of runs; nothing is allocated");
  info->add_option("CASE", a.source, "case or study file (TOML)")->required()->transform(case_path);
  add_overrides(*info, a.overrides, a.unset);
  info->callback([&] { code = show_info(program, a); });

  MeshArguments m;
  CLI::App* mesh =
      app.add_subcommand("mesh", "write the unstructured mesh of a case for ParaView, with orderings and lines");
  mesh->add_option("CASE", m.case_path, "case file (TOML)")->required()->transform(case_path);
  mesh->add_option("-o,--output", m.output, "mesh file: .vtu with fields, or .su2 without")
      ->type_name("FILE")
      ->capture_default_str();
  mesh->add_option("--parts", m.parts, "number of parts of the partition")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_overrides(*mesh, m.overrides, m.unset);
  mesh->callback([&] { code = write_mesh(m); });

  ReplayArguments r;
  r.command_line = a.command_line;
  CLI::App* replay = app.add_subcommand("replay", "solve captured systems of a run again, or export them");
  add_replay_options(*replay, r);
  replay->callback([&] { code = replay_capsules(program, r); });

  ImportArguments i;
  CLI::App* importer = app.add_subcommand("import", "convert matrix files of another code to captured systems");
  add_import_options(*importer, i);
  importer->callback([&] { code = import_systems(i); });

  SolveArguments s;
  CLI::App* solve = app.add_subcommand("solve", "solve a matrix or a captured system with one or several solvers");
  add_solve_options(*solve, s);
  solve->callback([&] { code = solve_system(s); });

  std::string what, folder = "docs/reference";
  CLI::App* doctor = app.add_subcommand("doctor", "diagnose a matrix and suggest solvers");
  doctor->add_option("MATRIX", what, "matrix or captured system, as for weir solve")->required();
  doctor->callback([&] { code = examine_matrix(what); });

  CLI::App* ab =
      app.add_subcommand("ab", "compare configurations by paired whole runs: cases x configurations x repeats");
  ab->add_option("STUDY", what, "study file (TOML)")->required()->transform(case_path);
  ab->add_option("-o,--output", a.directory, "folder of the study; completed runs are not repeated")
      ->required()
      ->type_name("DIR");
  std::string budget;
  const auto add_budget = [&](CLI::App* verb) {
    verb->add_option("--budget", budget,
                     "time limit of a run: 12x (times the baseline) or 60s; a run that it stops counts as slower. "
                     "Default: that of the study")
        ->type_name("BUDGET");
  };
  add_budget(ab);
  ab->callback([&] { code = run_ab(program, what, a.directory, budget); });

  CLI::App* report = app.add_subcommand("report", "write report.html of a run, a study or a map");
  report->add_option("DIR", a.source, "run directory or folder of a study")->required();
  bool with_png = false;
  report->add_flag("--png", with_png, "write the plots also as PNG, in DIR/plots (needs matplotlib)");
  report->callback([&] { code = write_report(a.source, with_png); });

  CLI::App* bench =
      app.add_subcommand("bench", "run kernel benchmarks and compare them with the measured memory bandwidth");
  bench->prefix_command()->set_help_flag();
  bench->callback([&] { start_benchmarks(argv); });

  CLI::App* map = app.add_subcommand(
      "map", "compare solvers over a grid of two parameters of a case and show the fastest in each cell");
  map->add_option("STUDY", what, "study file (TOML): as for weir ab, with a table [map]")
      ->required()
      ->transform(case_path);
  map->add_option("-o,--output", a.directory, "folder of the study; completed runs are not repeated")
      ->required()
      ->type_name("DIR");
  add_budget(map);
  map->callback([&] { code = run_map(program, what, a.directory, budget); });

  add_corpus(app, code);

  CLI::App* begin = app.add_subcommand("new", "write a starter plugin: source, CMakeLists.txt and a case");
  begin->add_option("WHAT", what, "plugin")->required()->check(CLI::IsMember({"plugin"}));
  begin->add_option("DIR", a.directory, "new folder")->required();
  begin->callback([&] { code = write_new(what, a.directory); });

  CLI::App* list =
      app.add_subcommand("list", "list the available cases, methods, preconditioners, boundary types, ...");
  list->add_option("WHAT", what, "name of a list; default: the names of all lists");
  list->callback([&] { code = list_what(program, what); });

  CLI::App* explain = app.add_subcommand("explain", "describe a key of the case file");
  explain->add_option("KEY", what, "key, for example time.cfl, linear.pressure, boundary.*.type, cfl")->required();
  explain->callback([&] { code = explain_key(program, what); });

  CLI::App* reference =
      app.add_subcommand("reference", "write the reference pages and the JSON schema of the case file");
  reference->add_option("-o,--output", folder, "folder of the pages")->type_name("DIR")->capture_default_str();
  reference->callback([&] { code = write_reference(program, folder, help_of_all(app)); });

  CLI::App* completion = app.add_subcommand("completion", "print shell completion: source <(weir completion bash)");
  completion->add_option("SHELL", what, "bash")->required()->check(CLI::IsMember({"bash"}));
  completion->callback([&] {
    std::vector<std::pair<std::string, std::string>> words;
    for (const std::string& verb : names_of(app))
      words.emplace_back(verb, fmt::format("{}", fmt::join(options_of(*app.get_subcommand(verb)), " ")));
    say("{}", completion_script(program, words));
  });

  if (argc < 2) {
    say(stderr, "{}", app.help());
    return static_cast<int>(Exit::usage);
  }
  refuse_unknown_words(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(Exit::usage);  // prints help, version or the error
  }
  return code;
}  // namespace

}  // namespace

int run_command_line(const Program& program, int argc, char** argv) {
  return code_of([&] { return code_after_output(parse_and_run(program, argc, argv)); });
}

int code_of(const std::function<int()>& f) {
  try {
    return f();
  } catch (const Error& e) {
    say(stderr, "{} {}\n", coloured("weir:", Colour::red, stderr), e.what());
    return static_cast<int>(e.code());
  } catch (const std::bad_alloc&) {
    say(stderr, "weir: out of memory\n");
    return static_cast<int>(Exit::out_of_memory);
  } catch (const std::exception& e) {
    say(stderr, "weir: internal error: {}\n", e.what());
    return static_cast<int>(Exit::internal);
  }
}

}  // namespace weir
