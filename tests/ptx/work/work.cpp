// What the device model predicts, each counted by the interpreter: one piece of work between cudaProfilerStart and -Stop.
//
//   WEIR_PTX_STATS=FILE ptx_work NAME SIZE [BLOCK [ITERATIONS]]     without a name: the names
#include <cuda_profiler_api.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"
#include "tests/support/systems/anisotropic.hpp"
#include "tests/support/systems/block_systems.hpp"
#include "tests/support/systems/tetrahedral.hpp"

namespace weir {
namespace {

using Vector = Array<double, Device>;

struct Size {
  int n = 0, block = 1, iterations = 1;
};

template <class F>
void counted(const F& f) {
  cudaProfilerStart();
  f();
  cudaProfilerStop();
}

Vector numbers(std::int64_t size) {
  std::vector<double> v(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<double>(k * 7919 % 1000) / 1000 - 0.4995;
  return Vector(v);
}

void multicolor(const Size& s) {
  const BlockCsr<Device> A(test::tetrahedral_system(s.n, s.block));
  Multicolor<Device, float> M({.sweeps = 1});
  M.setup(A);
  const Vector b = numbers(A.size());
  Vector x = numbers(A.size());
  counted([&] { M.sweep(b, x); });
}

void block_ilu(const Size& s, const std::string& part) {
  const test::BlockSystem system = test::random_system({s.n, s.n, s.n}, s.block, 1);
  BlockStencil<Device> A({s.n, s.n, s.n}, s.block);
  A.upload(system.values);
  const Vector b(system.b);
  Vector x(b.size()), r(b.size());
  BlockIlu0<Device> M({});
  if (part == "residual") return counted([&] { A.residual(b, b, r); });
  M.setup(A);
  if (part == "factor") return counted([&] { M.update(A); });
  counted([&] { M.apply(b, x); });
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
  counted([&] { M.apply(b, x); });
}

void fast_poisson(const Size& s) {
  const SeparableStencil<Device> A(neumann(s.n));
  FastPoisson<Device> M;
  M.setup(A);
  const Vector b = numbers(A.size());
  Vector x(A.size());
  counted([&] { M.apply(b, x); });
}

void bicgstab(const Size& s) {
  Banded<Device> A(Extents{s.n, s.n, s.n});
  A.upload(test::random_system({s.n, s.n, s.n}, 1, 1).values);
  const auto krylov = make_krylov<Device>("bicgstab", {.tolerance = 0, .max_iterations = s.iterations});
  const auto M = make_preconditioner<Device>("jacobi", Table());
  M->setup(A);
  const Vector b = numbers(A.size());
  Vector x(std::vector<double>(static_cast<std::size_t>(A.size())));
  counted([&] { krylov->solve(A, *M, b, x); });
}

void parilut_step(const Size& s) {
  const BlockCsr<Device> A(test::anisotropic({.m = s.n}));
  ParIlu<Device> M({.steps = 1, .update_steps = 1, .from_previous = true});
  M.setup(A);
  counted([&] { M.update(A); });
}

void csr_product(const Size& s) {
  const BlockCsr<Device> A(test::tetrahedral_system(s.n, s.block));
  const Vector x = numbers(A.size());
  Vector y(A.size());
  counted([&] { A.apply(x, y); });
}

const std::map<std::string, std::function<void(Size)>> works = {
    {"multicolor", [](Size s) { multicolor(s); }},
    {"ilu-factor", [](Size s) { block_ilu(s, "factor"); }},
    {"ilu-solve", [](Size s) { block_ilu(s, "solve"); }},
    {"ilu-residual", [](Size s) { block_ilu(s, "residual"); }},
    {"v-cycle", v_cycle},
    {"fast-poisson", fast_poisson},
    {"bicgstab", bicgstab},
    {"parilut-step", parilut_step},
    {"csr-product", csr_product},
};

}  // namespace
}  // namespace weir

int main(int count, char** arguments) {
  const auto found = count > 2 ? weir::works.find(arguments[1]) : weir::works.end();
  if (found == weir::works.end()) {
    std::printf("ptx_work NAME SIZE [BLOCK [ITERATIONS]], NAME one of:\n");
    for (const auto& [name, work] : weir::works) std::printf("  %s\n", name.c_str());
    return 2;
  }
  const auto number = [&](int k) { return count > k ? std::atoi(arguments[k]) : 1; };
  found->second({number(2), number(3), number(4)});
}
