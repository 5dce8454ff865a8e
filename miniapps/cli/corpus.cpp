// weir corpus: sequences of captured systems as a benchmark of solvers. postproc/report/corpus.py does the work
// in a child process, which calls this program for each case.

#include <CLI/CLI.hpp>
#include <filesystem>

#include "miniapps/cli/verbs.hpp"
#include "postproc/report/python.hpp"

namespace weir {

void add_corpus(CLI::App& app, int& code) {
  struct Arguments {
    std::string what, tier = "small", solvers, output;
    std::vector<std::string> places;
    int seed = 0, jobs = 0, repeat = 3;
  };
  CLI::App* verb = app.add_subcommand(
      "corpus", "build a corpus of linear systems from all flows, rank solvers on it, merge the results of rankings");
  const auto a = std::make_shared<Arguments>();
  verb->add_option("WHAT", a->what, "build, run or merge")->required()->check(CLI::IsMember({"build", "run", "merge"}));
  verb->add_option("DIR", a->places, "folder of the corpus; merge: folders or CSV files of results")->required();
  verb->add_option("--tier", a->tier, "build: tiny, small or medium, or a list of cases (TOML)")->capture_default_str();
  verb->add_option("--seed", a->seed, "build: seed of a held-out tier with other parameters; 0: those of the list")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--jobs", a->jobs, "build: number of cases at a time; 0: one per core")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--solvers", a->solvers, "run: TOML file with a table [NAME] per solver, as for weir replay")
      ->type_name("FILE");
  verb->add_option("--repeat", a->repeat, "run: number of solves per system and solver")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("-o,--output", a->output, "run, merge: folder of the results; completed sequences are not repeated")
      ->type_name("DIR");
  verb->callback([a, &code] {
    const auto script = find_script("corpus.py");
    if (!script) throw Error(Exit::internal, "postproc/report/corpus.py is missing");
    const auto python = find_python("numpy");
    if (!python) throw Error(Exit::internal, "no python3 with numpy: apt-get install python3-numpy");
    std::vector<std::string> command{*python, *script, std::filesystem::read_symlink("/proc/self/exe"), a->what};
    const std::pair<const char*, std::string> options[] = {
        {"--tier", a->tier},       {"--seed", std::to_string(a->seed)},     {"--jobs", std::to_string(a->jobs)},
        {"--solvers", a->solvers}, {"--repeat", std::to_string(a->repeat)}, {"--output", a->output}};
    for (const auto& [name, value] : options) command.insert(command.end(), {name, value});
    command.insert(command.end(), a->places.begin(), a->places.end());
    code = run_child(command);
    if (code < 0) throw Error(Exit::internal, "postproc/report/corpus.py failed");
  });
}

}  // namespace weir
