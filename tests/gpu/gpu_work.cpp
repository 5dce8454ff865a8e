// The works that the device model predicts, one per process: timed on a GPU, or counted by the interpreter of
// tests/ptx.
//
//   WEIR_WORK_SECONDS=1 gpu_work NAME SIZE [BLOCK [ITERATIONS]]     a JSON line; without a name: the names
//   WEIR_PTX_STATS=FILE gpu_work NAME SIZE [BLOCK [ITERATIONS]]     counts between cudaProfilerStart and -Stop
#include <cuda_profiler_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "solvers/device/asynchronous/recorded_work.hpp"
#include "solvers/device/triad.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"
#include "tests/gpu/gpu_work_kernels.hpp"
#include "tests/support/systems/anisotropic.hpp"
#include "tests/support/systems/block_systems.hpp"
#include "tests/support/systems/body_poisson.hpp"
#include "tests/support/systems/tetrahedral.hpp"

namespace weir {
namespace {

using Vector = Array<double, Device>;

struct Size {
  int n = 0, block = 1, iterations = 1;
};

// Under the interpreter f runs once, between cudaProfilerStart and -Stop. With WEIR_WORK_SECONDS set it is timed as
// well: seconds of one call, of `per` parts each; batches of some 4 ms, each waited for once.
struct Measured {
  double bytes = 0;  // that must be moved at least; 0: not stated
  double per = 1;
};
std::string title;

struct Times {
  double least, middle, most;
};

template <class F>
Times times(const F& f) {
  using Clock = std::chrono::steady_clock;
  const auto batch = [&](int calls) {
    const auto start = Clock::now();
    for (int k = 0; k < calls; ++k) f();
    backend::synchronise();
    return std::chrono::duration<double>(Clock::now() - start).count() / calls;
  };
  batch(1);
  const double once = batch(1);
  const int calls = std::clamp(static_cast<int>(4e-3 / once), 1, 4000);
  batch(calls);
  std::vector<double> seconds;
  for (int k = 0; k < 15; ++k) seconds.push_back(batch(calls));
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2], seconds.back()};
}

void print(const char* unit, const Times& t, const Measured& m) {
  std::printf(R"({"work": "%s", "unit": "%s", "seconds": %.6g, "least": %.6g, "most": %.6g, "bytes": %.6g})"
              "\n",
              title.c_str(), unit, t.middle / m.per, t.least / m.per, t.most / m.per, m.bytes);
  std::fflush(stdout);
}

template <class F>
void counted(const F& f, const Measured& m = {}) {
  if (std::getenv("WEIR_WORK_SECONDS")) print("s", times(f), m);
  cudaProfilerStart();
  f();
  cudaProfilerStop();
}

double bytes_of(const Work& w) { return static_cast<double>(w.bytes); }

Vector numbers(std::int64_t size) {
  std::vector<double> v(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<double>(k * 7919 % 1000) / 1000 - 0.4995;
  return Vector(v);
}

void multicolor(const Size& s, const std::string& part) {
  const BlockCsr<Device> A(test::tetrahedral_system(s.n, s.block));
  Multicolor<Device, float> M({.sweeps = 1});
  M.setup(A);
  if (part == "update") return counted([&] { M.update(A); }, {bytes_of(M.update_work())});
  const Vector b = numbers(A.size());
  Vector x = numbers(A.size());
  counted([&] { M.sweep(b, x); }, {bytes_of(M.apply_work())});
}

void block_ilu(const Size& s, const std::string& part) {
  const test::BlockSystem system = test::random_system({s.n, s.n, s.n}, s.block, 1);
  BlockStencil<Device> A({s.n, s.n, s.n}, s.block);
  A.upload(system.values);
  const Vector b(system.b);
  Vector x(b.size()), r(b.size());
  BlockIlu0<Device> M({});
  if (part == "residual") return counted([&] { A.residual(b, b, r); }, {bytes_of(A.apply_work())});
  M.setup(A);
  if (part == "factor") return counted([&] { M.update(A); }, {bytes_of(M.update_work())});
  counted([&] { M.apply(b, x); }, {bytes_of(M.apply_work())});
}

SeparableOperator neumann(int n) {
  SeparableOperator op;
  for (auto& d : op.direction) {
    std::vector<double> faces{0};
    for (int i = 0; i < n; ++i) faces.push_back(faces.back() + 1 + 0.01 * i);
    d = cell_centred_direction(faces, EndCondition::neumann, EndCondition::neumann);
  }
  return op;
}

void v_cycle(const Size& s) {
  const SeparableStencil<Device> A(neumann(s.n));
  Multigrid<Device> M({});
  M.setup(A);
  const Vector b = numbers(A.size());
  Vector x(A.size());
  counted([&] { M.apply(b, x); }, {bytes_of(M.apply_work())});
}

void fast_poisson(const Size& s) {
  const SeparableStencil<Device> A(neumann(s.n));
  FastPoisson<Device> M;
  M.setup(A);
  const Vector b = numbers(A.size());
  Vector x(A.size());
  counted([&] { M.apply(b, x); }, {bytes_of(M.apply_work())});
}

// An iteration of a Krylov method: the difference of solves of `added` more iterations, as a solve begins and ends with
// other work.
void iterations(const char* method, const Matrix<Device>& A, const Preconditioner<Device>& M, const Size& s,
                int added = 16) {
  const Vector b = numbers(A.size());
  Vector x(std::vector<double>(static_cast<std::size_t>(A.size())));
  const auto solve = [&](int count) {
    const auto krylov = make_krylov<Device>(method, {.tolerance = 0, .max_iterations = count});
    const auto f = [&] { krylov->solve(A, M, b, x); };
    if (std::getenv("WEIR_WORK_SECONDS")) return times(f);
    counted(f);
    return Times{};
  };
  const Times few = solve(s.iterations);
  if (!std::getenv("WEIR_WORK_SECONDS")) return;
  const Times more = solve(s.iterations + added);
  print("s", {more.least - few.most, more.middle - few.middle, more.most - few.least}, {0, static_cast<double>(added)});
}

// Its values that point out of the grid are NaN in random_system; those of a Banded have to be finite.
Banded<Device> random_bands(int n) {
  std::vector<double> values = test::random_system({n, n, n}, 1, 1).values;
  for (double& v : values)
    if (!std::isfinite(v)) v = 0;
  Banded<Device> A(Extents{n, n, n});
  A.upload(values);
  return A;
}

void bicgstab(const Size& s) {
  const Banded<Device> A = random_bands(s.n);
  const auto M = make_preconditioner<Device>("jacobi", Table());
  M->setup(A);
  iterations("bicgstab", A, *M, s);
}

void cg_multigrid(const Size& s) {
  const SeparableStencil<Device> A(neumann(s.n));
  Multigrid<Device> M({});
  M.setup(A);
  iterations("cg", A, M, s, 4);  // it converges to rounding in a dozen
}

// A momentum system: the diagonal weighs ten times a neighbour.
void chebyshev(const Size& s) {
  SeparableOperator op = neumann(s.n);
  op.shift = 1;
  op.scale = 0.1;
  const SeparableStencil<Device> A(op);
  const auto M = make_preconditioner<Device>("none", Table());
  M->setup(A);
  iterations("chebyshev", A, *M, s);
}

void banded_product(const Size& s) {
  const Banded<Device> A = random_bands(s.n);
  const Vector x = numbers(A.size());
  Vector y(A.size());
  counted([&] { A.apply(x, y); }, {bytes_of(A.apply_work())});
}

void banded_multigrid(const Size& s) {
  const auto A = test::pressure_matrix<Device>({.cells = {s.n, s.n, s.n}});
  const auto M = make_preconditioner<Device>("multigrid", Table());
  M->setup(A);
  const Vector b = numbers(A.size());
  Vector x(A.size());
  counted([&] { M->apply(b, x); }, {bytes_of(M->apply_work())});
}

void parilut(const Size& s, bool solve) {
  const BlockCsr<Device> A(test::anisotropic({.m = s.n}));
  ParIlu<Device> M({.steps = 1, .update_steps = 1, .from_previous = true});
  M.setup(A);
  if (!solve) return counted([&] { M.update(A); });
  const Vector b = numbers(A.size());
  Vector x(A.size());
  counted([&] { M.apply(b, x); }, {bytes_of(M.apply_work())});
}

// The compressible code's matrices: block CSR of a mesh.
void csr_ilu(const Size& s, const std::string& part) {
  const BlockCsr<Device> A(test::tetrahedral_system(s.n, s.block));
  const auto M = make_preconditioner<Device>("block_ilu0", Table());
  M->setup(A);
  if (part == "factor") return counted([&] { M->update(A); });
  const Vector b = numbers(A.size());
  Vector x(A.size());
  counted([&] { M->apply(b, x); }, {bytes_of(M->apply_work())});
}

void csr_product(const Size& s) {
  const BlockCsr<Device> A(test::tetrahedral_system(s.n, s.block));
  const Vector x = numbers(A.size());
  Vector y(A.size());
  counted([&] { A.apply(x, y); }, {bytes_of(A.apply_work())});
}

// n MiB in three arrays.
void triad(const Size& s) {
  Triad<Device> t(std::int64_t{s.n} << 20);
  counted([&] { t.run(); }, {static_cast<double>(t.bytes())});
}

void sum_of(const Size& s) {
  const Vector x = numbers(std::int64_t{s.n} << 17);
  counted([&] { gpu::sum_of_squares(x); }, {8.0 * static_cast<double>(x.size())});
}

void launches(const Size& s) {
  counted(
      [&] {
        for (int k = 0; k < s.n; ++k) gpu::launch_nothing();
      },
      {0, static_cast<double>(s.n)});
}

void graph_nodes(const Size& s) {
  RecordedWork<Device> work;
  counted(
      [&] {
        work.run([&] {
          for (int k = 0; k < s.n; ++k) gpu::launch_nothing();
        });
      },
      {0, static_cast<double>(s.n)});
}

// A graph of n nodes made once more.
void graph_making(const Size& s) {
  RecordedWork<Device> work;
  counted([&] {
    work.forget();
    work.run([&] {
      for (int k = 0; k < s.n; ++k) gpu::launch_nothing();
    });
  });
}

void synchronisation(const Size& s) {
  counted(
      [&] {
        for (int k = 0; k < s.n; ++k) {
          gpu::launch_nothing();
          backend::synchronise();
        }
      },
      {0, static_cast<double>(s.n)});
}

void small_copy(const Size& s) {
  Vector x(std::vector<double>(4));
  std::vector<double> host(4);
  counted(
      [&] {
        for (int k = 0; k < s.n; ++k) backend::copy_to_host(host.data(), x.data(), 32);
      },
      {0, static_cast<double>(s.n)});
}

// n MiB, pageable.
void upload(const Size& s) {
  const std::int64_t bytes = std::int64_t{s.n} << 20;
  Vector x(std::vector<double>(static_cast<std::size_t>(bytes / 8)));
  const std::vector<double> host(static_cast<std::size_t>(bytes / 8), 1.0);
  counted([&] { backend::copy_to_device(x.data(), host.data(), bytes); }, {static_cast<double>(bytes)});
}

const std::map<std::string, std::function<void(Size)>> works = {
    {"multicolor", [](Size s) { multicolor(s, "sweep"); }},
    {"multicolor-update", [](Size s) { multicolor(s, "update"); }},
    {"ilu-factor", [](Size s) { block_ilu(s, "factor"); }},
    {"ilu-solve", [](Size s) { block_ilu(s, "solve"); }},
    {"ilu-residual", [](Size s) { block_ilu(s, "residual"); }},
    {"v-cycle", v_cycle},
    {"fast-poisson", fast_poisson},
    {"bicgstab", bicgstab},
    {"cg-multigrid", cg_multigrid},
    {"chebyshev", chebyshev},
    {"banded-product", banded_product},
    {"banded-multigrid", banded_multigrid},
    {"parilut-step", [](Size s) { parilut(s, false); }},
    {"parilut-solve", [](Size s) { parilut(s, true); }},
    {"csr-product", csr_product},
    {"csr-ilu-factor", [](Size s) { csr_ilu(s, "factor"); }},
    {"csr-ilu-solve", [](Size s) { csr_ilu(s, "solve"); }},
    {"triad", triad},
    {"sum", sum_of},
    {"launch", launches},
    {"graph-node", graph_nodes},
    {"graph-making", graph_making},
    {"synchronisation", synchronisation},
    {"small-copy", small_copy},
    {"upload", upload},
};

}  // namespace
}  // namespace weir

int main(int count, char** arguments) {
  const auto found = count > 2 ? weir::works.find(arguments[1]) : weir::works.end();
  if (found == weir::works.end()) {
    std::printf("gpu_work NAME SIZE [BLOCK [ITERATIONS]], NAME one of:\n");
    for (const auto& [name, work] : weir::works) std::printf("  %s\n", name.c_str());
    return 2;
  }
  for (int k = 1; k < count; ++k) weir::title += (k > 1 ? " " : "") + std::string(arguments[k]);
  const auto number = [&](int k) { return count > k ? std::atoi(arguments[k]) : 1; };
  try {
    found->second({number(2), number(3), number(4)});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpu_work %s: %s\n", weir::title.c_str(), e.what());
    return 1;
  }
}
