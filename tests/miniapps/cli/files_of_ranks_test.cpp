// The files that many ranks write are those of one rank, bit for bit: the same state, written by any number of ranks.
#include <cstring>

#include "postproc/run/checkpoint.hpp"
#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::files_of_ranks_test {
namespace {

namespace fs = std::filesystem;

using testing::Finished;
using testing::read_file;
using testing::write_file;

constexpr const char* more_output = R"([output]
report = false
diagnostics_every = 1
fields_format = "both"
[checkpoint]
every = 3
)";

// Patches, scalars, profiles and surfaces.
const std::string box = R"toml([case]
miniapp = "incompressible"
[grid]
cells = [10, 12, 16]
length = [2.0, 1.0, 1.0]
[flow]
viscosity = 0.05
initial = "formula"
initial_velocity = ["y*(1 - y)", 0.0, "0.1*x"]
[temperature]
diffusivity = 0.04
initial = "z"
expansion = 1.0
gravity = [0.0, -2.0, 0.5]
[scalar.salt]
diffusivity = 0.01
initial = "x*y"
[boundary]
x_min = { type = "inlet", velocity = "y*z", temperature = "1 + t", scalar.salt = "z" }
x_max = [
  { type = "outlet", range = [[0.0, 0.7], [0.0, 1.0]] },
  { type = "wall", range = [[0.7, 1.0], [0.0, 1.0]], heat_flux = "z" },
]
y_min = { type = "wall", temperature = "x" }
y_max = { type = "wall", velocity = [0.5, 0.0, 0.3] }
z_min = { type = "wall" }
z_max = { type = "slip" }
[time]
end = 0.2
dt = 0.02
[[surface]]
name = "floor"
side = "y_min"
[[surface]]
name = "front"
side = "z_min"
[[surface]]
name = "inlet"
side = "x_min"
[[probe]]
name = "diagonal"
from = [0.1, 0.0, 0.2]
to = [1.9, 1.0, 0.9]
points = 23
fields = ["u", "v", "w", "p", "T"]
)toml" + std::string(more_output);

const std::string body = testing::cylinder_in_a_stream(28, 32, testing::swings) + more_output;
const std::string coupled =
    testing::channel_10x17("scheme = \"artificial_compressibility\"\n") +
    "[pseudo_time]\ntolerance = 0.0\nmax_steps = 2\n[linear.flow]\npreconditioner = { type = \"block_jacobi\" }\n" +
    more_output;

class FilesOfRanks : public testing::OverRanks {
 protected:
  // All files of a folder of two runs.
  void expect_same_files(const std::string& a, const std::string& b, const std::string& in) const {
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder / (a + "/" + in))) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(read_file(entry.path()) == read_file(folder / (b + "/" + in + "/" + name)))
          << b << "/" << in << "/" << name;
      ++files;
    }
    EXPECT_GT(files, 0) << a << "/" << in;
  }
  void expect_same_checkpoint(const std::string& a, const std::string& b) const {
    const std::string file = "checkpoints/step_00000003.h5";
    const Checkpoint one = read_checkpoint(folder / (a + "/" + file)),
                     other = read_checkpoint(folder / (b + "/" + file));
    EXPECT_EQ(one.header.step, other.header.step);
    EXPECT_EQ(one.header.time, other.header.time);
    ASSERT_EQ(one.arrays.size(), other.arrays.size());
    for (std::size_t k = 0; k < one.arrays.size(); ++k) {
      const auto& [name, values] = one.arrays[k];
      EXPECT_EQ(name, other.arrays[k].first);
      ASSERT_EQ(values.size(), other.arrays[k].second.size()) << name;
      EXPECT_EQ(std::memcmp(values.data(), other.arrays[k].second.data(), values.size() * sizeof(double)), 0) << name;
    }
  }
  void restart(int ranks, const std::string& name, std::vector<std::string> more) const {
    more.insert(more.begin(), {"restart", "flow/checkpoints/step_00000003.h5", "-o", name, "--steps", "3"});
    const Finished f = weir(ranks, more);
    ASSERT_EQ(f.code, 0) << f.out << f.err;
  }
  // One rank takes three steps. Every number of ranks reads this state and writes it.
  void expect_same_files_on_every_number_of_ranks(const std::string& text, const std::vector<std::string>& folders,
                                                  const std::vector<std::string>& spaces = {"host"},
                                                  bool has_partition = true) const {
    write_file(folder / "flow.toml", text);
    run(1, "flow", "flow.toml", {"--steps", "3", "--space", "host"});
    restart(1, "one", {"--space", "host"});
    for (const std::string& space : spaces)
      for (const int ranks : {2, 3, 4}) {
        const std::string name = space + std::to_string(ranks);
        std::vector<std::string> more{"--space", space};
        if (has_partition && ranks == 4) more.insert(more.end(), {"--set", "ranks.partition=\"blocks\""});
        restart(ranks, name, more);
        for (const std::string& in : folders) expect_same_files("one", name, in);
        expect_same_checkpoint("one", name);
        EXPECT_EQ(state_hash(name), state_hash("flow"));
      }
  }
};

TEST_F(FilesOfRanks, OfABoxWithPatchesScalarsSurfacesAndAProfileAreThoseOfOneRank) {
  expect_same_files_on_every_number_of_ranks(box, {"vtk", "surface", "probes"}, {"host", "device"});
}

TEST_F(FilesOfRanks, OfAMovingBodyAreThoseOfOneRank) {
  expect_same_files_on_every_number_of_ranks(body, {"vtk"}, {"host", "device"});
}

TEST_F(FilesOfRanks, OfTheCoupledSchemeAreThoseOfOneRank) {
  expect_same_files_on_every_number_of_ranks(coupled, {"vtk"});
}

TEST_F(FilesOfRanks, OfACompressibleFlowAreThoseOfOneRank) {
  std::string text = testing::driven_channel;
  text.replace(text.find("report = false\n"), 15, "report = false\nfields_format = \"both\"\n");
  expect_same_files_on_every_number_of_ranks(text, {"vtk", "surface"}, {"host"}, false);
}

// With whole fields it needed 1.5 times the memory of one rank; without, 0.7 times.
TEST_F(FilesOfRanks, TheRootRankOfFourNeedsLessMemoryThanOneRankAlone) {
  write_file(folder / "cube.toml",
             "[case]\nminiapp = \"incompressible\"\n[grid]\ncells = [64, 64, 64]\n[flow]\nviscosity = "
             "0.01\n" +
                 testing::closed_box + "[time]\nend = 1.0\ndt = 0.01\n" + testing::no_report);
  for (const int ranks : {1, 4})
    run(ranks, "on" + std::to_string(ranks), "cube.toml", {"--steps", "1", "--space", "host"});
  const auto peak = [&](const char* directory) { return summary(directory)["memory"]["peak"].get<double>(); };
  EXPECT_LT(peak("on4"), 0.9 * peak("on1"));
}

// At whatever moment: the last checkpoint is whole, and the run continues from it.
TEST_F(FilesOfRanks, ARankThatIsKilledWhileFilesAreWrittenLosesNoCheckpoint) {
  write_file(folder / "flow.toml", box);
  for (const int victim : {0, 1, 2}) {
    const std::string name = "killed" + std::to_string(victim);
    testing::Process job(arguments(3, {"run", "flow.toml", "-o", name, "--set", "time.end=1000.0", "--set",
                                       "checkpoint.every=1", "--set", "output.fields_every_steps=1"}),
                         folder.path());
    const auto has_checkpoint = [&] { return !list_checkpoints(folder / (name + "/checkpoints")).empty(); };
    for (int n = 0; n < 6000 && job.is_running() && !has_checkpoint(); ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(37 * victim));
    const int process = pid_of_rank(victim);
    ASSERT_GT(process, 0);
    kill(process, SIGKILL);
    EXPECT_NE(job.wait().code, 0);
    const auto files = list_checkpoints(folder / (name + "/checkpoints"));
    ASSERT_FALSE(files.empty());
    for (const auto& [step, path] : files) EXPECT_NO_THROW(read_checkpoint(path)) << path;
    const std::string next = std::to_string(files.back().first + 1);
    const Finished again = weir(2, {"restart", name, "-o", name + "again", "--steps", next});
    EXPECT_EQ(again.code, 0) << again.out << again.err;
  }
}

}  // namespace
}  // namespace weir::files_of_ranks_test
