#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "postproc/run/directory/run_directory.hpp"
#include "postproc/run/write_aside.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::run_directory_test {
namespace {

using testing::read_file;
using testing::ScratchFolder;
using testing::write_file;
namespace fs = std::filesystem;
using New = RunDirectory::New;
using Continued = RunDirectory::Continued;

template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "";
}

TEST(RunDirectory, HasOneOwnerAtATimeAndNamesHim) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  std::optional<RunDirectory> first;
  first.emplace(run, New{});
  const std::string in_use = "process " + std::to_string(getpid()) + " on ";
  EXPECT_NE(refusal([&] { RunDirectory(run, Continued{0}); }).find(in_use), std::string::npos);
  EXPECT_NE(refusal([&] { RunDirectory(run, New{true}); }).find(in_use), std::string::npos);
  first.reset();
  EXPECT_NE(refusal([&] { RunDirectory(run, New{}); }).find("already holds a run"), std::string::npos);
  EXPECT_EQ(refusal([&] { RunDirectory(run, New{true}); }), "");
}

TEST(RunDirectory, OverwriteRemovesWhatTheRunWroteAndNothingElse) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  {
    const RunDirectory directory(run, New{});
    write_text_aside(run + "/vtk/a_00000001.vtr", "ours");
    write_text_aside(run + "/probes/line.csv", "ours");
    write_text_aside(run + "/plots/u.png", "ours");
  }
  write_file(run + "/vtk/my.pvsm", "mine");
  const RunDirectory again(run, New{true});
  EXPECT_FALSE(fs::exists(run + "/vtk/a_00000001.vtr"));
  EXPECT_FALSE(fs::exists(run + "/probes"));
  EXPECT_FALSE(fs::exists(run + "/plots"));
  EXPECT_EQ(read_file(run + "/vtk/my.pvsm"), "mine");
}

// A link is the user's, and so is its target.
TEST(RunDirectory, OverwriteLeavesLinksAndWhatLiesBehindThem) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  {
    const RunDirectory directory(run, New{});
    write_text_aside(run + "/vtk/a_00000001.vtr", "ours");
  }
  fs::remove_all(run + "/vtk");
  fs::create_directories(folder / "scratch");
  fs::create_directories(folder / "other");
  write_file(folder / "scratch/a_00000001.vtr", "mine");
  write_file(folder / "other/step_00000001.h5", "another run's");
  fs::create_directory_symlink("../scratch", run + "/vtk");
  fs::create_directory_symlink("../other", run + "/checkpoints");
  // A file of the new run could have the name of one that is there.
  for (const char* full : {"checkpoints", "vtk"}) {
    EXPECT_NE(
        refusal([&] { RunDirectory(run, New{true}); }).find(std::string(full) + " is a link to a folder with files"),
        std::string::npos);
    for (const char* file : {"scratch/a_00000001.vtr", "other/step_00000001.h5"})
      EXPECT_TRUE(!fs::exists(folder / file) || read_file(folder / file) != "ours") << file;
    fs::remove(folder / (full == std::string("vtk") ? "scratch/a_00000001.vtr" : "other/step_00000001.h5"));
  }
  const RunDirectory again(run, New{true});
  EXPECT_TRUE(fs::is_symlink(run + "/vtk"));
  EXPECT_TRUE(fs::is_symlink(run + "/checkpoints"));
}

TEST(RunDirectory, AMovedDirectoryIsNotMadeAgain) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  const RunDirectory directory(run, New{});
  write_text_aside(run + "/history.csv", "1");
  fs::rename(run, folder / "elsewhere");
  for (const char* file : {"/run.json", "/vtk/a_00000001.vtr"}) try {
      write_text_aside(run + file, "2");
      ADD_FAILURE() << file;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::file_io);
      EXPECT_NE(std::string(e.what()).find("was moved, removed"), std::string::npos) << e.what();
    }
  EXPECT_FALSE(fs::exists(run));
  EXPECT_EQ(read_file(folder / "elsewhere/history.csv"), "1");
}

TEST(RunDirectory, AFolderOfSomebodyElseIsNoRunWhateverItHolds) {
  const ScratchFolder folder;
  fs::create_directories(folder / "ml/checkpoints");
  write_file(folder / "ml/run.json", "{}");
  write_file(folder / "ml/checkpoints/model.pt", "w");
  EXPECT_NE(refusal([&] { RunDirectory(folder / "ml", New{true}); }).find("is not a run directory"), std::string::npos);
  write_file(folder / "ml/manifest.txt", "theirs");
  EXPECT_NE(refusal([&] { RunDirectory(folder / "ml", New{true}); }).find("is not a run directory"), std::string::npos);
  EXPECT_EQ(read_file(folder / "ml/manifest.txt"), "theirs");
  EXPECT_EQ(read_file(folder / "ml/checkpoints/model.pt"), "w");
}

TEST(RunDirectory, AnAlteredManifestDoesNotReachBeyondItsDirectory) {
  const ScratchFolder folder;
  write_file(folder / "precious", "mine");
  { const RunDirectory directory(folder / "run", New{}); }
  write_file(folder / "run/manifest.txt", "weir-run 1\nfile ../precious\nfile " + (folder / "precious") + "\n");
  const RunDirectory again(folder / "run", New{true});
  EXPECT_EQ(read_file(folder / "precious"), "mine");
}

TEST(RunDirectory, ADirectoryIsARunFromItsFirstFileOn) {
  const ScratchFolder folder;
  EXPECT_FALSE(RunDirectory::is_run(folder.path()));
  { const RunDirectory directory(folder / "run", New{}); }  // killed before config.effective.toml
  EXPECT_TRUE(RunDirectory::is_run(folder / "run"));
  fs::create_directories(folder / "sooner");
  write_file(folder / "sooner/manifest.txt", "");  // killed before its first line
  EXPECT_EQ(refusal([&] { RunDirectory(folder / "sooner", New{}); }), "");
}

TEST(RunDirectory, WhatAKilledProcessLeftHalfWrittenGoes) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  {
    const RunDirectory directory(run, New{});
    write_text_aside(run + "/vtk/a.pvd", "ours");
  }
  write_file(run + "/vtk/a.pvd.node7-4711.partial", "half");
  write_file(run + "/vtk/b.partial", "mine");
  const RunDirectory again(run, Continued{0});
  EXPECT_FALSE(fs::exists(run + "/vtk/a.pvd.node7-4711.partial"));
  EXPECT_TRUE(fs::exists(run + "/vtk/b.partial"));
}

TEST(RunDirectory, ARestartFromAnEarlierStepKeepsTheLaterOnesAside) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  {
    const RunDirectory directory(run, New{});
    write_text_aside(run + "/history.csv", "step,u\n1,5\n2,6\n");
    write_text_aside(run + "/vtk/a_00000001.vtr", "1");
    write_text_aside(run + "/vtk/a_00000002.vtr", "2");
    write_text_aside(run + "/vtk/a.pvd", "<DataSet file=\"a_00000001.vtr\"/>\n<DataSet file=\"a_00000002.vtr\"/>\n");
    write_text_aside(run + "/checkpoints/step_00000001.h5", "1");
    write_text_aside(run + "/checkpoints/step_00000002.h5", "2");
    write_text_aside(run + "/run.json", "{}");
    write_text_aside(run + "/config.effective.toml", "");
  }
  for (const std::string& aside : {run + "/superseded/1", run + "/superseded/1_2"}) {
    const RunDirectory directory(run, Continued{1});
    EXPECT_EQ(run + "/" + directory.superseded(), aside);
    EXPECT_EQ(read_file(run + "/history.csv"), "step,u\n1,5\n");
    EXPECT_EQ(read_file(aside + "/history.csv"), "step,u\n2,6\n");
    EXPECT_TRUE(fs::exists(run + "/vtk/a_00000001.vtr"));
    EXPECT_FALSE(fs::exists(run + "/vtk/a_00000002.vtr"));
    EXPECT_EQ(read_file(aside + "/vtk/a_00000002.vtr"), "2");
    EXPECT_EQ(read_file(aside + "/vtk/a.pvd"), "<DataSet file=\"a_00000002.vtr\"/>\n");
    EXPECT_EQ(read_file(aside + "/checkpoints/step_00000002.h5"), "2");
    EXPECT_FALSE(fs::exists(run + "/checkpoints/step_00000002.h5"));
    EXPECT_EQ(read_file(aside + "/run.json"), "{}");
    EXPECT_TRUE(fs::exists(run + "/config.effective.toml"));
    write_text_aside(run + "/history.csv", "step,u\n1,5\n2,6\n");  // the run goes on, and is restarted once more
    write_text_aside(run + "/vtk/a_00000002.vtr", "2");
    write_text_aside(run + "/vtk/a.pvd", "<DataSet file=\"a_00000001.vtr\"/>\n<DataSet file=\"a_00000002.vtr\"/>\n");
    write_text_aside(run + "/checkpoints/step_00000002.h5", "2");
    write_text_aside(run + "/run.json", "{}");
  }
  const RunDirectory last(run, Continued{2});
  EXPECT_EQ(last.superseded(), "");  // nothing is later: nothing moves
  EXPECT_EQ(read_file(run + "/history.csv"), "step,u\n1,5\n2,6\n");
}

TEST(RunDirectory, ARunOfAnOlderWeirGetsAManifestOfItsFiles) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  fs::create_directories(run + "/vtk");
  write_file(run + "/run.json", "{}");
  write_file(run + "/config.effective.toml", "");
  write_file(run + "/vtk/a_00000001.vtr", "1");
  write_file(run + "/vtk/my.pvsm", "mine");
  EXPECT_NE(refusal([&] { RunDirectory(run, New{true}); }).find("older version"), std::string::npos);
  { const RunDirectory directory(run, Continued{1}); }
  const RunDirectory again(run, New{true});
  EXPECT_FALSE(fs::exists(run + "/vtk/a_00000001.vtr"));
  EXPECT_EQ(read_file(run + "/vtk/my.pvsm"), "mine");
}

}  // namespace
}  // namespace weir::run_directory_test
