// Fuzz target of the files that a run reads in addition to meshes and surfaces (tests/mesh/fuzz_readers.cpp): damaged
// case files through all that `weir info` does, damaged checkpoints and capsules whose seals hold, because a seal can
// be forged. Each is read or refused with a code of its own: no other exception, no signal, no more than a few
// gigabytes, seconds.
//   fuzz_inputs [cases|checkpoints|capsules] [--count 300] [--first 0]
// A finding tells its number, which makes the same file on every machine.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "inputs/case.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/study/capture/capsule.hpp"
#include "postproc/run/checkpoint.hpp"
#include "postproc/run/run.hpp"
#include "postproc/run/seal.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "tests/mesh/mutate.hpp"

namespace weir::test {
namespace {

constexpr unsigned seconds_to_hang = 60;
char now[64] = "";  // what is being read, for the handler of signals

void tell_signal(int signal) {
  char text[128];
  const int n = std::snprintf(text, sizeof text, "%s: signal %d\n", now, signal);
  if (write(STDOUT_FILENO, text, static_cast<std::size_t>(n)) < 0) _exit(2);
  _exit(1);
}

struct Tally {
  int read = 0, refused = 0, findings = 0;
};

// Error and bad_alloc are answers; nothing else is.
template <class Reading>
void attempt(Tally& tally, const Reading& reading) {
  alarm(seconds_to_hang);
  try {
    reading();
    ++tally.read;
  } catch (const Error& e) {
    ++tally.refused;
    if (e.code() != Exit::internal) return;
    std::printf("%s: an internal error: %s\n", now, e.what());
    ++tally.findings;
  } catch (const std::bad_alloc&) {
    ++tally.refused;
  } catch (const std::exception& e) {
    std::printf("%s: an exception of another type: %s\n", now, e.what());
    ++tally.findings;
  }
}

// The cases, small.
std::vector<std::string> case_seeds() {
  std::vector<std::string> seeds;
  for (const char* name : {"incompressible/taylor_green_2d", "incompressible/taylor_green_2d_coupled",
                           "incompressible/cavity_re100", "compressible/sod", "compressible/wedge", "immersed/dfg_2d1",
                           "immersed/oscillating_inline_kc5", "study/cavity_pressure"})
    seeds.push_back(content_of(std::string(WEIR_INPUTS) + "/" + name + ".toml", "case"));
  return seeds;
}

// Texts that people and other programs write in place of a value.
const std::vector<std::string>& values() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> v;
    std::istringstream words(
        "0 -1 1 1e308 -1e308 nan inf -inf 1e-308 9223372036854775807 -9223372036854775808 2147483648 65536 1e19 -0.0 "
        "1e-320 3.5 true [] {} [[]] [1] [1,2,3,4] \"\" \"x\" \"a\\nb\" \"\\u0000\" \"/dev/zero\" \"..\" [nan,nan] "
        "[\"x\"] [0,0] [1e9,1e9] [1000000,1000000] [2147483647,2] [1,1] [3,3] {type=\"wall\"} {type=\"\"} 1979-05-27 "
        "[24,}56]");
    for (std::string w; words >> w;) v.push_back(w);
    return v;
  }();
  return list;
}

std::string with_another_value(std::string text, unsigned long number) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::vector<std::size_t> keys;
  for (std::size_t at = text.find(" = "); at != text.npos; at = text.find(" = ", at + 1)) keys.push_back(at + 3);
  const std::size_t at = keys[random() % keys.size()], end = std::min(text.find('\n', at), text.size());
  return text.replace(at, end - at, values()[random() % values().size()]);
}

void info(const std::string& text) {
  const Table config = read_case_text(text, "case.toml");
  const auto miniapp = config.table("case").get<std::string>("miniapp");
  const Run options_of_the_run({}, config);
  std::ostringstream out;
  if (miniapp == "incompressible") info_incompressible(config, 1, out);
  if (miniapp == "compressible") info_compressible(config, 1, out);
  if (miniapp == "immersed") info_immersed(config, 1, out);
  config.refuse_unknown();
}

void fuzz_case(unsigned long number, Tally& tally) {
  static const std::vector<std::string> seeds = case_seeds();
  static Mutator mutate(seeds);
  std::string text = number % 4 == 0 ? mutate.text(number) : seeds[number / 4 % seeds.size()];
  if (number % 4 != 0) text = with_another_value(text, number);
  if (number % 4 == 3) text = with_another_value(text, number + 1000003);
  attempt(tally, [&] { info(text); });
}

std::string scratch() {
  static const std::string folder = [] {
    const auto path = std::filesystem::temp_directory_path() / ("weir_fuzz_inputs_" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    return path.string();
  }();
  return folder;
}

// Bytes of HDF5's own structures and of the values, under a new seal.
void fuzz_checkpoint(unsigned long number, Tally& tally) {
  static const std::string path = scratch() + "/step_00000005.h5";
  static const std::string good = [] {
    CheckpointState state;
    state.step = 5;
    const std::vector<double> u(100, 1.0);
    state.add("dt", 0.1);
    state.add("u", std::span<const double>(u));
    write_checkpoint(path, {"case", "incompressible", "[case]\nminiapp = \"incompressible\"\n", "0", 5, 0.5, 1}, state);
    return content_of(path, "checkpoint");
  }();
  constexpr std::size_t head = 512;
  std::mt19937 random(static_cast<unsigned>(number));
  std::string bytes = good;
  const std::size_t from = head + random() % (bytes.size() - head);
  constexpr std::array<int, 5> evil = {0, 255, 127, 128, 1};
  for (auto k = 1 + random() % 8; k > 0; --k)
    bytes[std::min(from + random() % 8, bytes.size() - 1)] =
        static_cast<char>(random() % 2 ? evil[random() % evil.size()] : static_cast<int>(random() % 256));
  std::ofstream(path, std::ios::binary) << bytes;
  seal_file(path, {"checkpoint", checkpoint_schema, false}, head, {});
  attempt(tally, [&] { read_checkpoint(path); });
}

Capsule sample(bool is_banded) {
  Capsule c;
  c.origin.system = "s";
  c.reference.result = SolveResult{};
  Archive lifetime;
  RefreshPolicy(Table(), "jacobi").state(lifetime);
  c.reference.lifetime = lifetime.numbers();
  if (is_banded) {
    c.A = *record_matrix<Host>(Banded<Host>({4, 3, 1}, {}));
    c.b.assign(12, 1.0);
  } else {
    BlockCsrData d;
    d.row_start = {0, 2, 4};
    d.column = {0, 1, 0, 1};
    d.value = {2, -1, -1, 2};
    c.A = *record_matrix<Host>(BlockCsr<Host>(d));
    c.b.assign(2, 1.0);
  }
  c.x0 = c.b;
  return c;
}

// Numbers and lengths in the arrays of a capsule and its pattern; the program writes them, so that each hash is right.
void fuzz_capsule(unsigned long number, Tally& tally) {
  std::mt19937 random(static_cast<unsigned>(number));
  Capsule c = sample(random() % 2);
  std::vector<std::vector<std::int64_t>*> integers;
  std::vector<std::vector<double>*> doubles = {&c.b, &c.x0, &c.reference.lifetime, &c.places};
  for (NamedNumbers* numbers : {&c.A.pattern, &c.A.values}) {
    for (auto& [name, values] : numbers->integers) integers.push_back(&values);
    for (auto& [name, values] : numbers->doubles) doubles.push_back(&values);
  }
  const auto damage = [&](auto& values, auto evil) {
    const auto kind = random() % 4;
    if (kind == 0) values.clear();
    if (kind == 1) values.push_back(evil);
    if (kind == 2 && !values.empty()) values[random() % values.size()] = evil;
    if (kind == 3) std::fill(values.begin(), values.end(), evil);
  };
  constexpr std::array<std::int64_t, 7> whole = {-1, 0, 1, 3, 1000000, std::int64_t{1} << 31, -(std::int64_t{1} << 62)};
  constexpr std::array<double, 7> real = {
      -1, 0, 3, 1e308, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e18};
  for (auto k = 1 + random() % 2; k > 0; --k) {
    if (random() % 3)
      damage(*integers[random() % integers.size()], whole[random() % whole.size()]);
    else
      damage(*doubles[random() % doubles.size()], real[random() % real.size()]);
  }
  const std::string folder = scratch() + "/capsules";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  attempt(tally, [&] {
    write_capsule(folder, c);
    const Capsule read = read_capsule(folder + "/" + capsule_name(c.origin));
    const auto A = rebuild_matrix<Host>(read.A);
    LinearSolver<Host> solver(Table(), "bicgstab", "jacobi", 1e-8);
    Array<double, Host> b(read.b), x(read.x0);
    if (A->size() != b.size()) return;
    if (read.reference.lifetime.empty())
      solver.setup(*A);
    else
      solver.setup(*A, Archive(read.reference.lifetime));
    solver.solve(*A, b, x);
  });
}

int run(int argc, char** argv) {
  unsigned long first = 0, count = 300;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (!arg.starts_with("--"))
      only = arg;
    else if (i + 1 < argc)
      (arg == "--first" ? first : count) = std::strtoul(argv[++i], nullptr, 10);
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM}) std::signal(signal, tell_signal);
  int findings = 0;
  struct Subject {
    const char* name;
    void (*fuzz)(unsigned long, Tally&);
  };
  for (const auto& [name, fuzz] :
       {Subject{"cases", fuzz_case}, {"checkpoints", fuzz_checkpoint}, {"capsules", fuzz_capsule}}) {
    if (!only.empty() && only != name) continue;
    if (fuzz != fuzz_case && !checkpoints_available()) continue;
    Tally tally;
    for (unsigned long number = first; number < first + count; ++number) {
      std::snprintf(now, sizeof now, "%s %lu", name, number);
      fuzz(number, tally);
    }
    alarm(0);
    std::printf("%s: %lu damaged, %d read, %d refused, %d findings\n", name, count, tally.read, tally.refused,
                tally.findings);
    findings += tally.findings;
  }
  std::filesystem::remove_all(scratch());
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weir::test

int main(int argc, char** argv) {
  constexpr rlim_t most = rlim_t{6} << 30;
  const rlimit memory{most, most};
  if (!std::getenv("ASAN_OPTIONS")) setrlimit(RLIMIT_AS, &memory);  // its shadow memory is larger
  return weir::test::run(argc, argv);
}
