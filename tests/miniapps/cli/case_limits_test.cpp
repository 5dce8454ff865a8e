// Cases that are too large: refused at the start with the code of a usage error, quickly, and before anything is
// written.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::case_limits_test {
namespace {

using testing::Finished;
using testing::write_file;

const std::string cavity = testing::cavity_12x12 + "[time]\nend = 0.05\ndt = 0.01\n";
const std::string centreline = "from = [0.5, 0.0]\nto = [0.5, 1.0]\nfields = [\"u\"]\n";

class Inputs : public testing::ProgramTest {
 protected:
  Inputs() : ProgramTest(WEIR_PROGRAM) {}
  Finished weir(const std::string& text, std::vector<std::string> more = {"info"}) const {
    write_file(folder / "case.toml", text);
    more.insert(more.begin() + 1, "case.toml");
    return ProgramTest::weir(more);
  }
  void expect_refused(const std::string& text, const std::string& words) const {
    for (const auto& verb : {std::vector<std::string>{"info"}, {"run", "-o", "out"}}) {
      const Finished f = weir(text, verb);
      EXPECT_EQ(f.code, 2) << verb[0] << ": " << f.out << f.err;
      EXPECT_NE(f.err.find("case.toml:"), std::string::npos) << f.err;
      EXPECT_NE(f.err.find(words), std::string::npos) << f.err;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  }
  std::string input(const std::string& name) const { return WEIR_INPUTS "/" + name; }
};

TEST_F(Inputs, NamesThatNoFileCanHaveAreRefusedAtTheStart) {
  for (const std::string& name : {std::string(300, 'A'), std::string("\\u0000"), std::string("a\\nb"),
                                  std::string(".."), std::string("../x"), std::string("")})
    expect_refused(cavity + "[[probe]]\nname = \"" + name + "\"\npoints = 5\n" + centreline,
                   "it is used as a file name");
  const Finished f = ProgramTest::weir({"run", (folder / std::string(230, 'c')) + ".toml"});
  EXPECT_EQ(f.code, 2);
}

TEST_F(Inputs, DeterministicRefusesWhatDependsOnTimingAndSaysWhatToChoose) {
  const auto run = [&](const std::string& directory, const std::vector<std::string>& more) {
    std::vector<std::string> all{"run",
                                 input("compressible/study/cylinder.toml"),
                                 "-o",
                                 directory,
                                 "--deterministic",
                                 "--steps",
                                 "1",
                                 "--set",
                                 "mesh.generator.around=24",
                                 "--set",
                                 "mesh.generator.outward=12",
                                 "--set",
                                 "output.report=false",
                                 "--space",
                                 "host"};
    all.insert(all.end(), more.begin(), more.end());
    return ProgramTest::weir(all);
  };
  const Finished f = run("free", {"--threads", "2"});
  EXPECT_EQ(f.code, 2) << f.out;
  EXPECT_NE(f.err.find("async_block_ilu0 depends on timing"), std::string::npos) << f.err;
  EXPECT_NE(f.err.find("asynchrony = \"prescribed\""), std::string::npos) << f.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "free"));
  EXPECT_EQ(run("alone", {"--threads", "1"}).code, 0);
  EXPECT_EQ(run("prescribed", {"--threads", "2", "--set",
                               "linear.flow.preconditioner={type=\"async_block_ilu0\",asynchrony=\"prescribed\"}"})
                .code,
            0);
}

TEST_F(Inputs, WhatGrowsWithAKeyHasABoundOrAnEstimate) {
  expect_refused(cavity + "[[probe]]\nname = \"p\"\npoints = 50000000\n" + centreline, "points");
  const std::string beat = input("immersed/left_ventricle_beat.toml");
  for (const char* radius : {"2147483648.0", "1e308"}) {
    const Finished f = ProgramTest::weir({"info", beat, "--set", std::string("body.radius=") + radius});
    EXPECT_EQ(f.code, 2) << f.out << f.err;
    EXPECT_NE(f.err.find("too many elements; the spacing must be at least"), std::string::npos) << f.err;
  }
  const Finished box = ProgramTest::weir(
      {"info", input("compressible/sod.toml"), "--set", "mesh.generator.cells=[16000,16000]"});  // 128 GB to be built
  EXPECT_EQ(box.code, 7) << box.out << box.err;
  for (const char* endless : {"cells=5000,wall_faces=2000000000", "wake_length=0.6,wake_size=1e-12",
                              "trailing_edge=\"open\",trailing_spacing=1e-12,cells=5000"}) {
    const std::string generator = std::string("mesh.generator={type=\"naca0012\",") + endless + "}";
    const Finished naca = ProgramTest::weir({"info", input("compressible/naca0012_laminar.toml"), "--set", generator});
    EXPECT_TRUE(naca.code == 2 || naca.code == 7) << endless << naca.code << naca.out << naca.err;
  }
}

TEST_F(Inputs, CellsThatNoComputationCanUseAreRefused) {
  for (const char* key : {"length = [1e-300, 1.0]", "length = [1e300, 1.0]", "origin = [1e17, 0.0]"}) {
    std::string text = cavity;
    expect_refused(text.insert(text.find("[flow]"), std::string(key) + "\n"), "case.toml:");
  }
  // Each count of cells on either side was tried before, each with all cells.
  std::string text = cavity;
  text.replace(text.find("[12, 12]"), 8,
               "[200000, 4]\nstretching = [{ type = \"refined\", from = 0.4, to = 0.6, width = 1e-5 }]");
  EXPECT_EQ(weir(text).code, 0);
}

TEST_F(Inputs, DevicesAreNoFiles) {
  EXPECT_EQ(ProgramTest::weir({"info", "/dev/zero"}).code, 2);
  expect_refused("[case]\nminiapp = \"compressible\"\n[mesh]\nfile = \"/dev/zero\"\n[flow]\nmach = 0.3\n",
                 "case.toml:4");
  expect_refused(cavity + "[[probe]]\nname = \"p\"\npoints = 5\n" + centreline +
                     "reference = { file = \"/dev/zero\", column = \"u\" }\n",
                 "a device");
}

// The time of a case grows with its length, not with the square; a mistake after its keys took a parse for each line.
TEST_F(Inputs, ManyKeysAndAMistakeBehindThemTakeTimeInProportion) {
  const auto seconds = [&](int keys, const std::string& end, int code) {
    std::string text = cavity;
    for (int i = 0; i < keys; ++i) text += "[check.q" + std::to_string(i) + "]\nvalue = 1.0\ntolerance = 1.0\n";
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(weir(text + end).code, code);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double few = seconds(500, "", 0), many = seconds(8000, "", 0), mistake = seconds(8000, "[zz]\na = [}\n", 2);
  EXPECT_LT(many, 60 * few);
  EXPECT_LT(mistake, 60 * many);
}

// At the start, in the log, in events.jsonl and in `weir info`.
TEST_F(Inputs, BadPhysicsIsWarnedOf) {
  const Finished transonic = ProgramTest::weir(
      {"info", input("compressible/sod.toml"), "--set", "numerics.limiter=none", "--set", "flow.initial=freestream"});
  EXPECT_NE(transonic.out.find("warning    Mach 0.845"), std::string::npos) << transonic.out << transonic.err;
  EXPECT_EQ(ProgramTest::weir({"info", input("compressible/sod.toml")}).out.find("warning"), std::string::npos);

  const std::string gap = testing::cylinder_in_a_stream(16, 16) + testing::no_report;
  EXPECT_EQ(weir(gap).out.find("warning"), std::string::npos);
  const Finished info = weir(gap, {"info", "--set", "body.position=[0.0,-1.45]"});
  EXPECT_NE(info.out.find("the gap between the body and y_min"), std::string::npos) << info.out << info.err;
  const Finished run = weir(gap, {"run", "-o", "gap", "--steps", "1", "--set", "body.position=[0.0,-1.45]"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("the gap between the body and y_min"), std::string::npos) << run.out;
  const std::string events = testing::read_file(folder / "gap/events.jsonl");
  EXPECT_NE(events.find("\"warning\""), std::string::npos) << events;
}

}  // namespace
}  // namespace weir::case_limits_test
