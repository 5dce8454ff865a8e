// Plugins in runs: they lead, stand in studies, are captured with their hash; each of their mistakes ends the run with
// its exit code and a message that names library and call.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/solvers/plugin/built_plugin.hpp"
#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir {
namespace {

using testing::build_plugin;
using testing::build_probe;
using testing::Finished;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

const std::string cavity = testing::cavity_12x12 + "[time]\nend = 1.0\ndt = 0.01\n[checkpoint]\nevery = 2\n";
const std::string pressure_by_sgs = R"([linear.pressure]
method = "cg"
preconditioner = { type = "sgs" }
)";
const std::string aerofoil = R"([case]
miniapp = "compressible"
[mesh]
generator = { type = "naca0012", layers = 0, far_field = 20.0, refinement = 0.25 }
[flow]
mach = 0.5
angle_of_attack = 1.25
[boundary]
wall = { type = "slip_wall" }
farfield = { type = "farfield" }
[linear.flow]
method = "gmres"
preconditioner = { type = "sgs" }
)" + testing::no_report;

// Of what did not return; the others would meet it on a busy machine.
std::vector<std::string> limit_of(const std::string& words) {
  return words.starts_with("wall limit") ? std::vector<std::string>{"--wall-limit", "3"} : std::vector<std::string>{};
}

class PluginRun : public testing::ProgramTest {
 protected:
  PluginRun() : ProgramTest(WEIR_PROGRAM) { fs::create_directories(folder / "cases"); }
  // The case lies in cases/, and so do the libraries that it names.
  Finished run(const std::string& text, const std::string& directory, const std::vector<std::string>& settings = {},
               const std::vector<std::string>& more = {}) const {
    write_file(folder / "cases/case.toml", text);
    std::vector<std::string> all{"run", "cases/case.toml", "-o", directory,    "--steps",
                                 "4",   "--threads",       "1",  "--overwrite"};
    for (const std::string& s : settings) all.insert(all.end(), {"--set", s});
    all.insert(all.end(), more.begin(), more.end());
    return weir(all);
  }
  static std::string with(std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return text;
  }
  void expect_equal_iterations(const std::string& text, const std::string& system) {
    fs::copy_file(build_plugin(folder, "sgs", "inputs/plugins/sgs/sgs.cpp"), folder / "cases/libsgs.so");
    ASSERT_EQ(run(text, "own").code, 0);
    const Finished f = run(with(text, "type = \"sgs\"", "type = \"plugin\", library = \"libsgs.so\""), "plugin");
    ASSERT_EQ(f.code, 0) << f.err;
    int solves = 0;
    const std::vector<Row> own = rows("own/solves.csv"), plugin = rows("plugin/solves.csv");
    ASSERT_EQ(own.size(), plugin.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].at("system") != system) continue;
      ++solves;
      EXPECT_EQ(own[i].at("iterations"), plugin[i].at("iterations")) << "solve " << i;
      EXPECT_NE(plugin[i].at("solver").find("+plugin:libsgs"), std::string::npos);
    }
    EXPECT_GE(solves, 4);
  }
};

TEST_F(PluginRun, TheExampleLeadsACavityAsOurOwnDoes) { expect_equal_iterations(cavity + pressure_by_sgs, "pressure"); }

TEST_F(PluginRun, TheExampleLeadsAnAerofoilAsOurOwnDoes) { expect_equal_iterations(aerofoil, "flow"); }

TEST_F(PluginRun, EveryMistakeEndsTheRunWithItsCodeAndTheNameOfTheCall) {
  build_probe(folder, "probe");
  const std::string plugin =
      with(cavity + pressure_by_sgs, "type = \"sgs\"", "type = \"plugin\", library = \"../libprobe.so\", fault = N");
  struct Mistake {
    const char *fault, *words;
    int code;
  };
  const Mistake all[] = {{"1", "libprobe.so: create: returned error 7", 2},
                         {"2", "libprobe.so: setup: returned error 1: no pivot", 3},
                         {"3", "libprobe.so: setup: threw an exception: too small a world", 3},
                         {"4", "libprobe.so: apply: returned error 5", 3},
                         {"5", "libprobe.so: apply: threw an exception: out of luck", 3},
                         {"6", "libprobe.so: apply: NaN or Inf in 1 of 144 values", 3},
                         {"7", "libprobe.so: apply crashed (SIGSEGV)", 3},
                         {"8", "libprobe.so: apply crashed (SIGABRT)", 3},
                         {"9", "libprobe.so: apply crashed (SIGABRT)", 3},
                         {"10", "wall limit: libprobe.so: apply did not return", 9},
                         {"11", "libprobe.so: setup crashed (SIGSEGV)", 3},
                         {"12", "libprobe.so: setup: wrote into the matrix, which it must only read", 3},
                         {"13", "libprobe.so: apply: wrote into the matrix or the vector, which it must only read", 3},
                         {"14", "libprobe.so: apply: wrote into the matrix or the vector, which it must only read", 3},
                         {"15", "libprobe.so: setup: changed the rounding mode", 3},
                         {"16", "libprobe.so: apply: changed the floating-point exceptions that raise signals", 3},
                         {"17", "libprobe.so: apply ended the process", 3},
                         {"18", "libprobe.so: apply ended the process", 3},
                         {"19", "libprobe.so: apply ended the process", 3},
                         {"20", "libprobe.so: apply ended the process", 3}};
  for (const Mistake& m : all) {
    const Finished f = run(with(plugin, "= N", "= " + std::string(m.fault)), "out", {}, limit_of(m.words));
    EXPECT_EQ(f.code, m.code) << m.words << f.out << f.err;
    EXPECT_NE((f.out + f.err).find(m.words), std::string::npos) << m.words << "\n" << f.out << f.err;
    if (m.code == 2) continue;  // no run has begun
    const auto told = nlohmann::json::parse(read_file(folder / "out/run.json"));
    EXPECT_EQ(told["status"], "failed") << m.words;
    EXPECT_EQ(told["exit_code"], m.code) << m.words;
    const std::string why = told["reason"];
    EXPECT_NE(why.find(m.words), std::string::npos) << why;
  }
  const Finished missing = run(with(with(plugin, "= N", "= 0"), "../libprobe.so", "libnone.so"), "out");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("cases/case.toml:"), std::string::npos) << missing.err;
  EXPECT_NE(missing.err.find("there is no library 'libnone.so'"), std::string::npos) << missing.err;
  const Finished device = run(with(plugin, "= N", "= 0"), "out", {}, {"--space", "device"});
  EXPECT_EQ(device.code, 2);
  EXPECT_NE(device.err.find("supports host memory only, but this run uses the device"), std::string::npos)
      << device.err;
}

// After a crash the last checkpoint is whole. The library's name is no text of JSON.
TEST_F(PluginRun, ACrashLeavesWhatTheRunHadOnTheDiskAndSaysInRunJsonWhatHappened) {
  fs::rename(build_probe(folder, "probe"), folder / "a\"\xc3\xa9.so");
  ASSERT_EQ(run(cavity + pressure_by_sgs, "out").code, 0);
  const Finished crash =
      weir({"restart", "out", "--set",
            "linear.pressure.preconditioner={ type = \"plugin\", library = 'a\"\xc3\xa9.so', fault = 7 }"});
  EXPECT_EQ(crash.code, 3) << crash.err;
  const auto told = nlohmann::json::parse(read_file(folder / "out/run.json"));
  EXPECT_EQ(told["exit_code"], 3);
  EXPECT_EQ(told["steps"], 4) << "those of the checkpoint";
  EXPECT_NE(
      std::string(told["reason"]).find("a???.so: apply crashed (SIGSEGV); the other entries describe out/checkpoints/"),
      std::string::npos)
      << told["reason"];
  EXPECT_EQ(weir({"restart", "out", "--steps", "6"}).code, 0);
}

TEST_F(PluginRun, TakesPartInShadowsRelaysAndPairedRuns) {
  build_plugin(folder, "sgs", "inputs/plugins/sgs/sgs.cpp");
  const std::string mine = "method = \"cg\"\npreconditioner = { type = \"plugin\", library = \"../libsgs.so\" }\n";
  const std::string study =
      cavity + pressure_by_sgs + "[shadow]\nsystem = \"pressure\"\nsolvers = [\"mine\"]\nevery = 2\n[shadow.mine]\n" +
      mine +
      "[relay]\nsystem = \"pressure\"\nsolvers = [\"mine\"]\nevery = 2\nsteps = 2\nmost_steps = 2\nbudget = "
      "1e9\nlimit = 1e9\n[relay.mine]\n" +
      mine;
  const Finished f = run(study, "out");
  ASSERT_EQ(f.code, 0) << f.err;
  for (const char* file : {"out/shadow.csv", "out/relay.csv"})
    EXPECT_NE(read_file(folder / file).find("mine"), std::string::npos) << file;
  EXPECT_NE(f.out.find("cg+plugin:libsgs"), std::string::npos) << f.out;

  write_file(folder / "study.toml", R"([study]
cases = ["cases/case.toml"]
configurations = ["own", "mine"]
repeats = 1
report = false
[configuration.own]
set = ["shadow.every=0", "relay.every=0", "time.end=0.04"]
[configuration.mine]
set = ["shadow.every=0", "relay.every=0", "time.end=0.04",
       "linear.pressure.preconditioner={ type = \"plugin\", library = \"libsgs.so\" }"]
)");
  const Finished ab = weir({"ab", "study.toml", "-o", "ab"});
  EXPECT_EQ(ab.code, 0) << ab.out << ab.err;
}

TEST_F(PluginRun, RacesInSelectAndIsDroppedWhereItFails) {
  build_plugin(folder, "sgs", "inputs/plugins/sgs/sgs.cpp");
  build_probe(folder, "probe");
  const std::string text =
      cavity + pressure_by_sgs +
      "[select]\nsystem = \"pressure\"\nsolvers = [\"mine\", \"bad\"]\nevery = 2\nbudget = 1e9\n" +
      "[select.mine]\nmethod = \"cg\"\npreconditioner = { type = \"plugin\", library = \"../libsgs.so\" }\n" +
      "[select.bad]\nmethod = \"gmres\"\npreconditioner = { type = \"plugin\", library = \"../libprobe.so\", fault = 4 "
      "}\n";
  write_file(folder / "cases/case.toml", text);
  const Finished f = weir({"run", "cases/case.toml", "-o", "out", "--steps", "20", "--threads", "1"});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  const std::string races = read_file(folder / "out/races.csv");
  EXPECT_NE(races.find("mine"), std::string::npos) << races;
  EXPECT_NE(races.find("bad"), std::string::npos) << races;
  EXPECT_EQ(read_file(folder / "out/decisions.csv").find("bad"), std::string::npos);
}

TEST_F(PluginRun, ACapturedSystemKnowsTheLibraryByItsHash) {
  build_plugin(folder, "sgs", "inputs/plugins/sgs/sgs.cpp");
  const std::string text =
      with(cavity + pressure_by_sgs, "type = \"sgs\"", "type = \"plugin\", library = \"../libsgs.so\"");
  ASSERT_EQ(run(text + "[capture]\nwhen = \"steps:2\"\nsystem = \"pressure\"\n", "out").code, 0);
  if (!fs::exists(folder / "out/capsules")) GTEST_SKIP() << "built without HDF5";
  const Finished again = weir({"replay", "out"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_NE(again.out.find("1 of 1 captured systems repeat"), std::string::npos) << again.out;
  build_plugin(folder, "sgs", "inputs/plugins/block_jacobi/block_jacobi.c");
  const Finished other = weir({"replay", "out"});
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_NE(other.err.find("differs from the recorded library"), std::string::npos) << other.err;
}

TEST_F(PluginRun, SolvesAMatrixByItselfAndUnderAMethod) {
  build_plugin(folder, "sgs", "inputs/plugins/sgs/sgs.cpp");
  build_probe(folder, "solver", {.apply = "nullptr", .solve = "solve"});
  const Finished f = weir({"solve", "banded:400:2", "--solver", "gmres+plugin:./libsgs.so", "--solver", "gmres+sgs",
                           "--solver", "plugin:./libsolver.so", "--tolerance", "1e-6"});
  EXPECT_EQ(f.code, 0) << f.out << f.err;
}

// It cannot be applied in any case.
TEST_F(PluginRun, AMethodThatFailsIsExaminedWithoutBeingApplied) {
  build_probe(folder, "solver", {.apply = "nullptr", .solve = "solve"});
  const Finished f = weir(
      {"solve", "banded:40:2", "--solver", "plugin:./libsolver.so", "--tolerance", "1e-12", "--max-iterations", "2"});
  EXPECT_EQ(f.code, 3) << f.out << f.err;
  EXPECT_EQ(f.err.find("crashed"), std::string::npos) << f.err;
}

TEST_F(PluginRun, ANewOneIsBuiltAndRuns) {
  ASSERT_EQ(weir({"new", "plugin", "mine"}).code, 0);
  EXPECT_EQ(weir({"new", "plugin", "mine"}).code, 2) << "nothing is overwritten";
  EXPECT_LE(testing::lines_of(folder / "mine/sgs.cpp"), 60);
  const auto build = [&](std::vector<std::string> words) {
    words.insert(words.begin(), WEIR_CMAKE);
    const Finished f = testing::run(words, folder.path());
    ASSERT_EQ(f.code, 0) << f.out << f.err;
  };
  build({"-S", "mine", "-B", "mine/build", std::string("-DCMAKE_CXX_COMPILER=") + WEIR_CXX});
  build({"--build", "mine/build"});
  const Finished f = weir({"run", "mine/cavity.toml", "-o", "out", "--steps", "5", "--set", "output.report=false"});
  EXPECT_EQ(f.code, 0) << f.out << f.err;
}

class PythonRun : public PluginRun {
 protected:
  void SetUp() override {
    if (testing::run({"/usr/bin/python3", "-c", "import scipy.sparse, tomllib"}, folder.path()).code != 0)
      GTEST_SKIP() << "no scipy";
  }
  std::string by_module(const std::string& text, const std::string& more = "") const {
    write_file(folder / "cases/mine.py", text);
    return with(cavity + pressure_by_sgs, "method = \"cg\"\npreconditioner = { type = \"sgs\" }",
                "method = \"gmres\"\npreconditioner = { type = \"python\", module = \"mine.py\"" + more + " }");
  }
};

TEST_F(PythonRun, AClassLeadsAndAFunctionOfTheMatrixDoesToo) {
  const std::string own = R"(
class Jacobi:
    def __init__(self, factor=1.0): self.factor = factor
    def setup(self, A): self.d = A.diagonal()
    def apply(self, r): return self.factor * r / self.d
)";
  ASSERT_EQ(run(with(cavity + pressure_by_sgs, "\"cg\"\npreconditioner = { type = \"sgs\"",
                     "\"gmres\"\npreconditioner = { type = \"jacobi\""),
                "own")
                .code,
            0);
  for (const std::string& text :
       {own, std::string("import scipy.sparse.linalg as la\ndef solver(A, factor):\n    d = A.diagonal()\n    "
                         "return la.LinearOperator(A.shape, lambda r: factor * r / d)\n")}) {
    const Finished f = run(by_module(text, ", factor = 1.0"), "out");
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    EXPECT_EQ(csv("own/solves.csv", 0).empty(), false);
    const auto ours = rows("own/solves.csv"), theirs = rows("out/solves.csv");
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(ours[i].at("iterations"), theirs[i].at("iterations")) << i;
  }
}

// pyamg estimates spectral radii from random vectors; numpy's libraries take all cores by default.
TEST_F(PythonRun, ItsRandomNumbersRepeatAndItTakesTheThreadsOfTheRun) {
  const std::string random = R"(
import numpy as np, os
assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
class Noisy:
    def setup(self, A): self.d = A.diagonal() * (1 + np.random.rand(A.shape[0]))
    def apply(self, r): return r / self.d
)";
  std::vector<std::string> hashes;
  for (int i = 0; i < 2; ++i) {
    const Finished f = run(by_module(random), "out");
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    hashes.push_back(state_hash("out"));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST_F(PythonRun, AnotherFileThanTheRecordedOneIsRefused) {
  const std::string jacobi =
      "class S:\n    def setup(self, A): self.d = A.diagonal()\n    def apply(self, r): return r / self.d\n";
  const Finished f = run(by_module(jacobi, ", module_hash = \"0123456789abcdef\""), "out");
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("mine.py differs from the recorded module"), std::string::npos) << f.err;
}

TEST_F(PythonRun, ItsMistakesAreNamedWithTheirLine) {
  const std::string head = "class S:\n    def setup(self, A): self.d = A.diagonal()\n    def apply(self, r):\n";
  const std::pair<std::string, std::string> mistakes[] = {
      {head + "        return r / self.e\n",
       "mine.py: apply: returned error 1: AttributeError: 'S' object has no attribute 'e' (mine.py:4)"},
      {head + "        return r[1:]\n", "mine.py: apply: returned error 1: ValueError"},
      {head + "        return r + float('nan')\n", "mine.py: apply: NaN or Inf in"},
      {head + "        return r * (1 + 1j)\n", "apply returned complex128 values, but z is real"},
      {head + "        return 1.0\n", "apply returned 1 values, but z has"},
      {"import os, signal, time\n" + head +
           "        if os.fork() == 0: time.sleep(600)\n        os.kill(os.getpid(), signal.SIGKILL)\n",
       "the Python process was ended by Killed"},
      {"import os\n" + head + "        os.abort()\n", "the Python process was ended by Aborted"},
      {"import nothing_here\n", "No module named 'nothing_here' (mine.py:1); the interpreter is /usr/bin/python3"},
      {"x = 1\n", "the module must have one class with setup(A) and apply(r)"},
      {"def solver(A): return 3\n", "solver(A) returned int, which is not callable and has no apply"},
      {"import time\n" + head + "        time.sleep(1000)\n", "wall limit: mine.py: apply did not return"}};
  for (const auto& [text, words] : mistakes) {
    const Finished f = run(by_module(text), "out", {}, limit_of(words));
    EXPECT_NE(f.code, 0) << words;
    EXPECT_NE((f.out + f.err).find(words), std::string::npos) << words << "\n" << f.out << f.err;
  }
}

}  // namespace
}  // namespace weir
