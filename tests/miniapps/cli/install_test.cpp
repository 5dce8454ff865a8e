// An installed Weir, moved to another folder: programs on its library, and its program, need nothing else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::install_test {
namespace {

using testing::Finished;
using testing::read_file;
namespace fs = std::filesystem;

class Installed : public ::testing::Test {
 protected:
  // To `from`; moved to `prefix`.
  void install(const std::string& component) const {
    expect({WEIR_CMAKE, "--install", WEIR_BUILD, "--prefix", folder / "from", "--component", component});
    fs::rename(folder / "from", prefix);
  }
  Finished expect(const std::vector<std::string>& command, int code = 0) const {
    Finished f = testing::run(command, folder.path());
    EXPECT_EQ(f.code, code) << command.front() << "\n" << f.out << f.err;
    return f;
  }
  // Output of the program, and its largest error.
  void expect_error(const std::vector<std::string>& command, double least, double most,
                    const std::string& words) const {
    const Finished f = expect(command);
    EXPECT_NE(f.out.find(words), std::string::npos) << words << "\n---\n" << f.out;
    const std::string key = "largest error ";
    ASSERT_NE(f.out.rfind(key), std::string::npos) << f.out;
    const double error = std::stod(f.out.substr(f.out.rfind(key) + key.size()));
    EXPECT_GT(error, least) << f.out;
    EXPECT_LT(error, most) << f.out;
  }
  // 5-point Laplacian of 30 x 30 cells.
  void write_matrix() const {
    const int n = 30, size = n * n;
    std::ofstream file(folder / "poisson.mtx");
    file << "%%MatrixMarket matrix coordinate real symmetric\n"
         << size << " " << size << " " << size + 2 * n * (n - 1) << "\n";
    for (int c = 1; c <= size; ++c) {
      file << c << " " << c << " 4\n";
      if (c % n != 0) file << c + 1 << " " << c << " -1\n";
      if (c + n <= size) file << c + n << " " << c << " -1\n";
    }
  }
  testing::ScratchFolder folder;
  const std::string prefix = folder / "prefix";
};

TEST_F(Installed, ThePackageAloneBuildsTheExamplesWhichConvergeToTheirKnownSolutions) {
  install("library");
  expect({WEIR_CMAKE, "-S", prefix + "/share/weir/inputs/examples", "-B", folder / "build",
          "-DCMAKE_PREFIX_PATH=" + prefix, std::string("-DCMAKE_CXX_COMPILER=") + WEIR_CXX, "-DCMAKE_BUILD_TYPE=Debug",
          "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra -Werror"});
  expect({WEIR_CMAKE, "--build", folder / "build"});
  write_matrix();
  const std::string file = folder / "build/1_matrix_file", matrix = folder / "poisson.mtx";
  expect_error({file, matrix}, 0, 1e-8, "cg + block ILU(0)");
  expect_error({file, matrix, "method = \"gmres\"\npreconditioner = { type = \"multicolor\" }"}, 0, 1e-6, "gmres(30)");
  const Finished wrong = expect({file, matrix, "method = \"cg\"\npreconditioner = { type = \"jacobii\" }"}, 2);
  EXPECT_NE(wrong.err.find("options:2: unknown preconditioner 'jacobii'"), std::string::npos) << wrong.err;
  // Of the discretisation: a wrong operator has another one, a solve that stopped early a larger one.
  expect_error({folder / "build/2_matrix_free"}, 9e-7, 1e-6, "256 x 256 cells: converged");
  expect_error({folder / "build/3_time_loop"}, 5e-6, 6e-6, "candidate");
  if (fs::exists(folder / "build/4_heat")) expect_error({folder / "build/4_heat"}, 1e-4, 5e-3, "cg + block ILU(0)");
  if (fs::exists(folder / "build/5_poisson")) expect({folder / "build/5_poisson"});
}

// CUDA's words, which an emulated device takes for itself, are the user's.
TEST_F(Installed, HeadersOfACpuBuildLeaveTheGlobalNamesToTheUser) {
  install("library");
  if (read_file(prefix + "/include/weir/backend/host_device.hpp").find("cuda_runtime") != std::string::npos)
    GTEST_SKIP() << "the headers of a GPU build include CUDA's own";
  std::string program;
  for (const auto& entry : fs::recursive_directory_iterator(prefix + "/include/weir"))
    if (entry.path().extension() == ".hpp")
      program += "#include <" + fs::relative(entry.path(), prefix + "/include").string() + ">\n";
  program += R"(
namespace mine {
int __global__ = 1, __device__ = 2, __host__ = 3, __forceinline__ = 4;
}
struct dim3 { char name[3]; };
struct uint3 { char name[3]; };
dim3 threadIdx, blockIdx, blockDim, gridDim;
int warpSize() { return 7; }
int atomicAdd(dim3) { return 8; }
int __syncthreads(dim3) { return 9; }
int main() {
  weir::Array<double, weir::Device> x(100);
  weir::fill<weir::Device>(2.0, x);
  weir::LinearSolver<weir::Device> solver(weir::read_case_text("method = \"cg\"", "options"));
  const int mine = warpSize() + atomicAdd(threadIdx) + __syncthreads(gridDim) + mine::__device__ + mine::__host__;
  return weir::dot<weir::Device>(x, x) == 400 && mine == 29 ? 0 : 1;
}
)";
  fs::create_directories(folder / "mine");
  testing::write_file(folder / "mine/main.cpp", program);
  testing::write_file(
      folder / "mine/CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES C CXX)\nfind_package(Weir REQUIRED)\n"
      "add_executable(mine main.cpp)\ntarget_link_libraries(mine PRIVATE Weir::solvers)\n");
  expect({WEIR_CMAKE, "-S", folder / "mine", "-B", folder / "build", "-DCMAKE_PREFIX_PATH=" + prefix,
          std::string("-DCMAKE_CXX_COMPILER=") + WEIR_CXX, "-DCMAKE_BUILD_TYPE=Debug"});
  expect({WEIR_CMAKE, "--build", folder / "build"});
  expect({folder / "build/mine"});
}

// Files that it reads at run time are its own, not those of the source tree: the example is edited to tell them apart.
TEST_F(Installed, TheProgramRunsACaseOfItsOwnAndWritesItsPageAndAPlugin) {
  install("program");
  const std::string weir = prefix + "/bin/weir";
  expect({weir, "run", "inputs/incompressible/cavity_re100.toml", "-o", "run", "--set", "grid.cells=[12,12]", "--unset",
          "check", "--steps", "3", "--threads", "1"});
  EXPECT_TRUE(fs::exists(folder / "run/report.html"));
  std::ofstream(prefix + "/share/weir/inputs/plugins/sgs/sgs.cpp", std::ios::app) << "// edited\n";
  expect({weir, "new", "plugin", "mine"});
  EXPECT_TRUE(read_file(folder / "mine/sgs.cpp").ends_with("// edited\n"));
  EXPECT_FALSE(read_file(folder / "mine/weir_plugin.h").empty());
  for (const char* header : {"weir_plugin.h", "weir_capture.h"})
    EXPECT_TRUE(fs::exists(prefix + "/include/weir/" + header)) << header;
}

}  // namespace
}  // namespace weir::install_test
