// weir list, explain, reference and completion; what is mistyped; an effective configuration that is run again.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program_test.hpp"

namespace weir::explain_test {
namespace {

using testing::Finished;
using testing::read_file;
namespace fs = std::filesystem;

class Explain : public testing::ProgramTest {
 protected:
  Explain() : ProgramTest(WEIR_PROGRAM) {}
};

TEST_F(Explain, ExplainsAKeyByItsPathByAPatternAndByItsNameAlone) {
  const Finished f = weir({"explain", "linear.pressure.preconditioner.type"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_TRUE(f.out.find("fast_poisson") != f.out.npos) << f.out;
  EXPECT_TRUE(weir({"explain", "boundary.*.type"}).out.find("farfield") != f.out.npos);
  EXPECT_TRUE(weir({"explain", "time.cfl"}).out.find("(0, inf)") != f.out.npos);
  EXPECT_TRUE(weir({"explain", "linear.flow.preconditioner.smoother.sweeps"}).out.find("of sgs") != f.out.npos);
  EXPECT_TRUE(weir({"explain", "slip_wall"}).out.find("one of `weir list boundaries`") != f.out.npos);
  EXPECT_TRUE(weir({"explain", "steady_tolerance"}).out.find("time.steady_tolerance") != f.out.npos);
  EXPECT_TRUE(weir({"explain", "pseudo_time"}).out.find("cfl_max") != f.out.npos);
}

// A study prints its runs, a case its sizes and the candidates of its [shadow], [relay] and [select].
TEST_F(Explain, InfoTakesEveryCaseStudyAndMapOfTheStudies) {
  for (const auto& file : fs::directory_iterator(WEIR_INPUTS "/study")) {
    const Finished f = weir({"info", file.path().string()});
    EXPECT_EQ(f.code, 0) << file.path() << f.err;
    const std::string text = read_file(file.path().string());
    const bool is_study = text.find("[study]") != text.npos, is_map = text.find("[map]") != text.npos;
    for (const char* words : {is_study ? "\nruns " : "\nmemory ", is_map     ? "weir map "
                                                                  : is_study ? "weir ab "
                                                                             : "cells "})
      EXPECT_NE(f.out.find(words), std::string::npos) << file.path() << words << f.out;
    for (const char* table : {"[shadow]", "[select]"})
      if (!is_study && text.find(table) != text.npos) {
        EXPECT_NE(f.out.find("\n" + std::string(table).substr(1, 6)), std::string::npos) << file.path() << f.out;
      }
  }
  const Finished map = weir({"info", WEIR_INPUTS "/study/map_cavity.toml"});
  EXPECT_NE(map.out.find("\nruns            12: 200 steps each\n"), std::string::npos) << map.out;
  const Finished run = weir({"run", WEIR_INPUTS "/study/map_cavity.toml"});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("weir map"), std::string::npos) << run.err;
}

TEST_F(Explain, NamesTheNearestKeyOptionVerbAndList) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& meant) {
    const Finished f = weir(words);
    EXPECT_EQ(f.code, 2);
    EXPECT_TRUE(f.err.find("did you mean '" + meant + "'") != f.err.npos) << f.err;
  };
  refused({"explain", "time.clf"}, "time.cfl");
  refused({"explain", "linear.pressure.tolerence"}, "linear.pressure.tolerance");
  refused({"list", "precondtioners"}, "preconditioners");
  refused({"run", "x.toml", "--stpes", "3"}, "--steps");
  refused({"rnu", "x.toml"}, "run");
}

TEST_F(Explain, ListsAllThatItCanList) {
  const Finished all = weir({"list"});
  ASSERT_EQ(all.code, 0) << all.err;
  std::stringstream lines(all.out);
  for (std::string line; std::getline(lines, line);) {
    const Finished f = weir({"list", line.substr(0, line.find(' '))});
    EXPECT_EQ(f.code, 0) << line << f.err;
    EXPECT_FALSE(f.out.empty()) << line;
  }
  EXPECT_TRUE(weir({"list", "boundaries"}).out.find("outlet") != all.out.npos);
  const Finished libraries = weir({"list", "libraries"});
  EXPECT_TRUE(libraries.out.find("cuDSS") != all.out.npos) << libraries.out;
  if (const std::string version = weir({"--version"}).out; version.find("hypre") == version.npos) {
    EXPECT_TRUE(libraries.out.find("Debian package libhypre-dev") != all.out.npos) << libraries.out;
    EXPECT_TRUE(all.out.find("missing in this build: ") != all.out.npos) << all.out;
  }
  EXPECT_TRUE(weir({"list", "cases"}).out.find("cavity_re1000.toml") != all.out.npos);
}

TEST_F(Explain, CompletesVerbsOptionsAndListsInBash) {
  testing::write_file(
      folder / "words.sh",
      "source <(" WEIR_PROGRAM
      " completion bash)\nfor w in 'weir li' 'weir run --overw' 'weir list bound' 'weir explain time.cf'; "
      "do COMP_WORDS=($w); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weir; echo ${COMPREPLY[@]}; done\n");
  const Finished f = testing::run({"/bin/bash", folder / "words.sh"}, folder / "");
  EXPECT_EQ(f.out, "list\n--overwrite\nboundaries\ntime.cfl\n") << f.err;
}

// The pages are committed: `weir reference` writes them again.
TEST_F(Explain, TheReferencePagesAreUpToDate) {
  ASSERT_EQ(weir({"reference", "-o", "pages"}).code, 0);
  for (const auto& file : fs::directory_iterator(folder / "pages")) {
    const std::string name = file.path().filename().string();
    EXPECT_TRUE(read_file(file.path().string()) == read_file(std::string(WEIR_SOURCE) + "/docs/reference/" + name))
        << "docs/reference/" << name << " is stale: run `weir reference`";
  }
}

TEST_F(Explain, AQuietRunSaysNothingButWhatIsWrong) {
  const std::string cavity = WEIR_SOURCE "/inputs/incompressible/cavity_re100.toml";
  const std::vector<std::string> quiet = {"run", cavity, "-q", "--steps", "1", "--set", "output.report=false"};
  Finished f = weir(quiet);
  EXPECT_EQ(f.code, 0);
  EXPECT_EQ(f.out + f.err, "");
  f = weir(quiet);
  EXPECT_EQ(f.code, 2);
  EXPECT_TRUE(f.err.find("--overwrite") != f.err.npos) << f.err;
}

// Cases whose first steps are cheap.
class EffectiveConfiguration : public Explain, public ::testing::WithParamInterface<std::string> {};

TEST_P(EffectiveConfiguration, RunsToTheSameState) {
  const std::string source = WEIR_SOURCE "/inputs/" + GetParam();
  const auto run = [&](const std::string& file, const std::string& directory) {
    const Finished f =
        weir({"run", file, "-o", directory, "--steps", "2", "--deterministic", "--set", "output.report=false"});
    EXPECT_EQ(f.code, 0) << f.err;
    return state_hash(directory);
  };
  const std::string first = run(source, "first");
  EXPECT_EQ(run("first/config.effective.toml", "second"), first);
  std::string page = read_file(WEIR_SOURCE "/docs/reference/results.md");
  for (char& c : page)
    if (c == '`' || c == ',') c = ' ';
  for (const char* file : {"/history.csv", "/solves.csv"}) {
    const std::string text = read_file(folder / ("first" + std::string(file)));
    std::istringstream columns(text.substr(0, text.find('\n')));
    for (std::string name; std::getline(columns, name, ',');) {
      if (name.ends_with("_wall")) name.replace(name.size() - 4, 4, "NAME");  // the wall's name in these cases
      EXPECT_NE(page.find(" " + name + " "), page.npos) << name << " of " << file << " is not in the reference";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, EffectiveConfiguration,
                         ::testing::Values("incompressible/cavity_re100.toml", "incompressible/taylor_green_2d.toml",
                                           "incompressible/cavity_re1000_coupled.toml", "incompressible/womersley.toml",
                                           "incompressible/channel_retau180_komega.toml", "immersed/cylinder_re40.toml",
                                           "immersed/sphere_stl_re100.toml", "compressible/sod.toml",
                                           "compressible/naca0012_inviscid.toml", "compressible/wedge.toml",
                                           "compressible/ringleb.toml", "study/cavity_pressure.toml"),
                         [](const auto& info) {
                           std::string name = fs::path(info.param).stem().string();
                           return name;
                         });

}  // namespace
}  // namespace weir::explain_test
