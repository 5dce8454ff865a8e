// Systems of other codes: what the writers for C, Fortran and Python dump, weir import, and studies on them.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "miniapps/study/capture/capsule.hpp"
#include "miniapps/study/capture/client_capture.hpp"
#include "solvers/matrix/matrix_record.hpp"
#include "tests/support/program_test.hpp"

namespace weir::import_test {
namespace {

using testing::Finished;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

const std::string clients = WEIR_CLIENTS, sources = WEIR_CLIENT_SOURCES;

class Import : public testing::ProgramTest {
 protected:
  Import() : ProgramTest(WEIR_PROGRAM) {}
  Finished sh(const std::string& command) const { return testing::run({"/bin/sh", "-c", command}, folder.path()); }
  void build_client() const {
    const Finished f =
        sh("cc -std=c99 -Wall -Wextra -Werror -pedantic -I" + clients + " " + sources + "/client.c -o client");
    ASSERT_EQ(f.code, 0) << f.err;
  }
  void dump(const std::string& to = "dump", const std::string& more = "0") const {
    if (!fs::exists(folder / "client")) build_client();
    const Finished f = sh("./client " + to + " " + more);
    ASSERT_EQ(f.code, 0) << f.out << f.err;
  }
  void expect_same_files(const std::string& a, const std::string& b) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder / a)) {
      const std::string name = entry.path().filename();
      EXPECT_EQ(read_file(folder / (a + "/" + name)), read_file(folder / (b + "/" + name))) << name;
      ++count;
    }
    EXPECT_EQ(count, 4U) << "one pattern, three systems";
  }
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& words) const {
    const Finished f = weir(arguments);
    EXPECT_EQ(f.code, code) << f.out << f.err;
    EXPECT_NE(f.err.find(words), std::string::npos) << words << "\n---\n" << f.err;
  }
};

TEST_F(Import, TheWriterInCCompilesWithoutAWarningAndItsSystemsAreSolved) {
  dump();
  const Finished f = weir({"solve", "dump", "--solver", "gmres+block_ilu0"});
  EXPECT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_NE(f.out.find("system_00000002.weir: 40 rows, 232 entries in blocks of 2"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("all 3 systems"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("3/3"), std::string::npos) << f.out;
  const Finished r = weir({"replay", "dump", "--repeat", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("flow of dump (another code), step 3, solve 0, 40 unknowns in blocks of 2"), std::string::npos)
      << r.out;
  const Capsule c = read_capsule(folder / "dump/system_00000001.weir");
  EXPECT_EQ(c.b[3], 2.5);
  EXPECT_EQ(c.x0[3], 1.5);
  EXPECT_EQ(c.origin.time, 1.0);
  EXPECT_EQ(read_capsule(folder / "dump/system_00000000.weir").x0[3], 0.0) << "no guess is zeros";
}

TEST_F(Import, TheWritersInFortranAndPythonWriteTheSameBytes) {
  dump();
  if (sh("command -v gfortran").code == 0) {
    const std::string build = "cc -x c -std=c99 -DWEIR_CAPTURE_IMPLEMENTATION -c " + clients +
                              "/weir_capture.h -o capture.o && gfortran -Wall -Werror " + clients +
                              "/weir_capture.f90 " + sources + "/client.f90 capture.o -o client_f && ./client_f";
    const Finished f = sh(build);
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    expect_same_files("dump", "dump_f");
  }
  const Finished p = sh("PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 " + sources + "/client.py " + clients + " dump_p");
  if (p.code == 77) GTEST_SKIP() << "no numpy or scipy";
  ASSERT_EQ(p.code, 0) << p.err;
  expect_same_files("dump", "dump_p");
}

TEST_F(Import, ADumpIsContinuedOnDemandAndNeverOverwritten) {
  dump();
  EXPECT_EQ(sh("./client dump 0").code, 1);
  const std::string first = read_file(folder / "dump/system_00000000.weir");
  dump("dump", "1");
  EXPECT_EQ(captured_systems({folder / "dump"}).size(), 6U);
  EXPECT_EQ(read_file(folder / "dump/system_00000000.weir"), first);
}

TEST_F(Import, ColumnsMayStandInAnyOrder) {
  dump();
  dump("shuffled", "0 1");
  for (const char* name : {"dump", "shuffled"})
    ASSERT_EQ(weir({"replay", name, "--export", "mtx", "-o", std::string(name) + "_x"}).code, 0);
  EXPECT_EQ(read_file(folder / "dump_x/system_00000002.mtx"), read_file(folder / "shuffled_x/system_00000002.mtx"));
}

TEST_F(Import, ADumpThatIsTruncatedOrAlteredAnywhereIsRefusedByName) {
  dump();
  const std::string path = folder / "dump/system_00000001.weir", whole = read_file(path);
  const auto is_refused = [&](const std::string& content) {
    write_file(path, content);
    try {
      read_client_capture(path);
    } catch (const Error& e) {
      return e.code() == Exit::file_io && std::string(e.what()).find("system_00000001.weir") != std::string::npos;
    }
    return false;
  };
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 4);
    EXPECT_TRUE(is_refused(altered)) << at;
    EXPECT_TRUE(is_refused(whole.substr(0, at))) << at;
  }
  EXPECT_TRUE(is_refused(whole + "x"));
  EXPECT_FALSE(is_refused(whole));
  expect_refused({"replay", "dump/system_00000009.weir"}, 6, "system_00000009.weir");
  for (const auto& entry : fs::directory_iterator(folder / "dump"))
    if (is_pattern(entry.path())) fs::resize_file(entry.path(), fs::file_size(entry.path()) - 1);
  expect_refused({"replay", "dump"}, 6, "is truncated");
}

// ls_00000, ls_00001, ... as hypredrive counts a sequence.
TEST_F(Import, HypreReadsTheSystemsThatAreExportedForIt) {
  dump();
  ASSERT_EQ(weir({"replay", "dump", "--export", "hypre", "-o", "ls"}).code, 0);
  const Capsule c = read_capsule(folder / "dump/system_00000002.weir");
  const auto A = rebuild_matrix<Host>(c.A);
  const Array<double, Host> b(c.b);
  Array<double, Host> y(b.size());
  A->apply(b, y);
  std::istringstream file(read_file(folder / "ls/ls_00002/IJ.out.A.00000"));
  std::vector<double> from_file(c.b.size(), 0.0);
  std::size_t first = 0, last = 0, row = 0, column = 0;
  double value = 0;
  file >> row >> last >> first >> last;
  EXPECT_EQ(last, c.b.size() - 1);
  while (file >> row >> column >> value) from_file.at(row) += value * c.b.at(column);
  EXPECT_EQ(from_file, y.to_vector());

  if (sh("echo '#include <HYPRE_IJ_mv.h>' | mpicc -I/usr/include/hypre -x c -E - >out 2>&1").code != 0)
    GTEST_SKIP() << "no hypre";
  const Finished f = sh("mpicc -I/usr/include/hypre " + sources + "/hypre_read.c -lHYPRE -lm -o h && ./h ls/ls_00002");
  ASSERT_EQ(f.code, 0) << f.err;
  std::istringstream lines(f.out);
  std::vector<double> of_hypre;
  while (lines >> value) of_hypre.push_back(value);
  ASSERT_EQ(of_hypre.size(), from_file.size());
  for (std::size_t i = 0; i < of_hypre.size(); ++i) EXPECT_NEAR(of_hypre[i], from_file[i], 1e-13 * 300) << i;
}

// Next to the systems: what names them all to hypredrive and to Ginkgo's benchmarks, relative to the folder.
TEST_F(Import, AnExportedSequenceIsListedForHypredriveAndForGinkgo) {
  dump();
  ASSERT_EQ(weir({"replay", "dump", "--export", "hypre", "-o", "ls"}).code, 0);
  std::map<std::string, std::string> keys;
  std::istringstream yml(read_file(folder / "ls/hypredrive.yml"));
  for (std::string line, key; std::getline(yml, line); keys[key] = line.substr(line.find(':') + 1))
    key = line.substr(line.find_first_not_of(' '), line.find(':') - line.find_first_not_of(' '));
  EXPECT_EQ(keys["init_suffix"], " 0");
  EXPECT_EQ(keys["last_suffix"], " 2");
  for (const char* key : {"matrix_filename", "rhs_filename"})
    EXPECT_TRUE(fs::exists(folder / ("ls/" + keys["dirname"].substr(1) + "_00002/" + keys[key].substr(1) + ".00000")))
        << key;

  ASSERT_EQ(weir({"replay", "dump", "--export", "mtx", "-o", "mtx"}).code, 0);
  const Finished p = sh("cd mtx && /usr/bin/python3 " + sources + "/ginkgo_list.py");
  if (p.code == 77) GTEST_SKIP() << "no scipy";
  EXPECT_EQ(p.code, 0) << p.err;
  EXPECT_EQ(p.out, "system_00000000 40 232\nsystem_00000001 40 232\nsystem_00000002 40 232\n");
}

class ImportFiles : public Import {
 protected:
  void SetUp() override {
    if (!capsules_available()) GTEST_SKIP() << "built without HDF5";
    dump();
    ASSERT_EQ(weir({"replay", "dump", "--export", "mtx", "-o", "m"}).code, 0);
    ASSERT_EQ(weir({"replay", "dump", "--export", "petsc", "-o", "p"}).code, 0);
  }
  static std::string file(int k, const std::string& end) { return "m/system_0000000" + std::to_string(k) + end; }
};

TEST_F(ImportFiles, MatrixMarketAndPetscFilesComeBackBitForBit) {
  const Finished f =
      weir({"import", file(0, ".mtx"), file(1, ".mtx"), "--rhs", file(0, "_b.mtx"), file(1, "_b.mtx"), "--guess",
            file(0, "_x0.mtx"), file(1, "_x0.mtx"), "--system", "flow", "--block", "2", "-o", "a"});
  ASSERT_EQ(f.code, 0) << f.err;
  ASSERT_EQ(weir({"import", "p/system_00000000.petsc", "p/system_00000001.petsc", "--system", "flow", "-o", "b"}).code,
            0);
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(weir({"replay", name, "--export", "mtx", "-o", name}).code, 0);
    for (const char* end : {"_b.mtx", "_x0.mtx"})
      EXPECT_EQ(read_file(folder / (std::string(name) + "/flow_00000002_0" + end)), read_file(folder / file(1, end)));
  }
  EXPECT_EQ(read_file(folder / "a/flow_00000002_0.mtx"), read_file(folder / file(1, ".mtx")));
  const Capsule c = read_capsule(folder / "b/flow_00000002_0.h5");
  EXPECT_EQ(c.A.values.numbers("value"), read_capsule(folder / "a/flow_00000002_0.h5").A.values.numbers("value"));
}

TEST_F(ImportFiles, OneMatrixServesAllRightHandSides) {
  ASSERT_EQ(weir({"import", file(0, ".mtx"), "--rhs", file(0, "_b.mtx"), file(1, "_b.mtx"), "-o", "a"}).code, 0);
  EXPECT_EQ(captured_systems({folder / "a"}).size(), 2U);
}

TEST_F(ImportFiles, WhatDoesNotFitIsToldAndLeavesNothing) {
  const std::string A = file(0, ".mtx"), b = file(0, "_b.mtx");
  expect_refused({"import", A, A, A, "--rhs", b, b, "-o", "a"}, 2, "3 matrices");
  expect_refused({"import", A, "-o", "a"}, 2, "missing right-hand sides");
  expect_refused({"import", A, "--rhs", "nothing.mtx", "-o", "a"}, 2, "nothing.mtx");
  expect_refused({"import", A, "--rhs", b, "--system", "a/b", "-o", "a"}, 2, "letters");
  expect_refused({"import", A, "--rhs", b, "--block", "3", "-o", "a"}, 2, "cut into blocks of 3");
  expect_refused({"import", "dump", "--rhs", b, "-o", "a"}, 2, "weir replay dump");
  expect_refused({"import", A, "--rhs", b, "-o", "m"}, 2, "already exists");
  write_file(folder / "short.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  expect_refused({"import", A, "--rhs", "short.mtx", "-o", "a"}, 2, "short.mtx:2: expected a vector of 40 values");
  write_file(folder / "nan.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 nan\n");
  expect_refused({"import", "nan.mtx", "--rhs", b, "-o", "a"}, 2, "nan.mtx:3: a value is not a finite number");
  write_file(folder / "empty.mtx", "");
  expect_refused({"import", "empty.mtx", "--rhs", b, "-o", "a"}, 2, "empty.mtx:1: not a Matrix Market file");
  std::string petsc = read_file(folder / "p/system_00000000.petsc");
  write_file(folder / "cut.petsc", petsc.substr(0, 900));
  expect_refused({"import", "cut.petsc", "-o", "a"}, 2, "cut.petsc: byte 16: truncated");
  expect_refused({"solve", "p/system_00000000.petsc"}, 2, "a PETSc binary file; weir import");
  write_file(folder / "little.petsc", std::string("\x50\x7b\x12\0", 4) + petsc.substr(4));
  expect_refused({"solve", "little.petsc"}, 2, "the file is little-endian");
  petsc.replace(petsc.size() - 16, 8, "\x7f\xf8\0\0\0\0\0\0", 8);  // NaN in x0
  write_file(folder / "nan.petsc", petsc);
  expect_refused({"import", "nan.petsc", "-o", "a"}, 2, "a finite number of the vector was expected");
  EXPECT_FALSE(fs::exists(folder / "a"));
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
}

const std::string study = R"([linear.flow]
method = "gmres"
tolerance = 1e-6
preconditioner = { type = "jacobi" }
[output]
report = false
[shadow]
solvers = ["ilu", "direct"]
[shadow.ilu]
method = "bicgstab"
preconditioner = { type = "block_ilu0" }
[shadow.direct]
method = "fast_poisson"
)";

TEST_F(Import, AStudyOfASequenceHasTheFilesOfAShadowStudy) {
  dump();
  dump("dump", "1");
  write_file(folder / "s.toml", study);
  const Finished f = weir({"replay", "dump", "--solvers", "s.toml", "-o", "study", "--repeat", "1", "--threads", "1"});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_NE(f.out.find("flow, open loop, on the captured systems: 6 systems, each solved by 3 solvers in random order"),
            std::string::npos)
      << f.out;
  const std::string summary = read_file(folder / "study/shadow_summary.csv");
  EXPECT_NE(summary.find("\nilu,bicgstab+block_ilu0,6,"), std::string::npos) << summary;
  EXPECT_NE(summary.find("\ndirect,,0,,,,,,,,,left out"), std::string::npos) << summary;
  EXPECT_EQ(rows("study/shadow.csv").size(), 24U) << "six systems: in the run, reference, control, ilu";
  EXPECT_EQ(this->summary("study")["shadow"]["on"], "the captured systems");
  expect_refused({"replay", "dump", "--solvers", "s.toml", "-o", "study"}, 2, "study");
  expect_refused({"replay", "dump", "--warm"}, 2, "need a study");
  expect_refused({"replay", "dump", "--solvers", "s.toml", "-o", "x", "--system", "p"}, 2, "no captured system");
  write_file(folder / "s.toml", study + "restrat = 3\n");
  expect_refused({"replay", "dump", "--solvers", "s.toml", "-o", "x"}, 2, "s.toml:14: unknown key 'restrat'");
}

TEST_F(Import, AReferenceSolverThatFailsOrDoesNotFitIsTold) {
  dump();
  const auto with = [](const std::string& old, const std::string& other) {
    std::string text = study;
    return text.replace(text.find(old), old.size(), other);
  };
  write_file(folder / "s.toml", with("tolerance = 1e-6", "max_iterations = 1"));
  const Finished f = weir({"replay", "dump", "--solvers", "s.toml", "-o", "a", "--repeat", "1"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.out.find("3 solves did not converge"), std::string::npos) << f.out;
  write_file(folder / "s.toml", with("jacobi", "multigrid"));
  expect_refused({"replay", "dump", "--solvers", "s.toml", "-o", "b"}, 2, "multigrid supports stencil");
  EXPECT_EQ(summary("b")["exit_code"], 2);
}

TEST_F(Import, AWarmStartIsTheSolutionOfTheSystemBefore) {
  dump();
  write_file(folder / "s.toml", study);
  for (const char* name : {"cold", "warm"}) {
    std::vector<std::string> command{"replay", "dump", "--solvers", "s.toml", "-o", name, "--repeat", "1"};
    if (std::string(name) == "warm") command.push_back("--warm");
    ASSERT_EQ(weir(command).code, 0);
  }
  const auto cold = rows("cold/solves.csv"), warm = rows("warm/solves.csv");
  ASSERT_EQ(warm.size(), 3U);
  EXPECT_EQ(cold[0].at("r0"), warm[0].at("r0"));
  EXPECT_LT(std::stod(warm[2].at("r0")), 0.5 * std::stod(cold[2].at("r0"))) << "its own guess is far off";
}

}  // namespace
}  // namespace weir::import_test
