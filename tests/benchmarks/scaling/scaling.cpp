#include "tests/benchmarks/scaling/scaling.hpp"

#include <cmath>
#include <cstdio>

#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/krylov/krylov.hpp"
#include "tests/benchmarks/scaling/model.hpp"
#include "tests/benchmarks/scaling/table_of_ranks.hpp"

namespace weir::bench {
namespace {

SeparableOperator poisson(std::array<int, 3> n) {
  SeparableOperator op;
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> faces;
    for (int i = 0; i <= n[d]; ++i) faces.push_back(static_cast<double>(i) / n[d]);
    op.direction[d] = cell_centred_direction(faces, EndCondition::dirichlet, EndCondition::neumann);
  }
  return op;
}

struct Measured {
  SolveResult result;
  double iteration = 0;  // seconds
};

// A smooth right-hand side, the same on every number of ranks. tolerance < 0: a fixed number of iterations.
Measured run(Communicator& ranks, std::array<int, 3> n, const char* method, bool optimised, double tolerance,
             int iterations) {
  const SeparableOperator op = poisson(n);
  const BlockPartition partition(n, ranks.size(), Cutting::slabs);
  ranks.use(optimised ? Reduction::allreduce : Reduction::gather);
  DistributedStencil<Host> A(ranks, op, cuts_of(partition),
                             {optimised ? HaloStrategy::persistent : HaloStrategy::naive, DevicePath::probe});
  std::vector<double> b;
  const RankBox box = A.box();
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j)
      for (int i = box.low[0]; i < box.high[0]; ++i)
        b.push_back(std::sin(0.1 * i) * std::cos(0.07 * j) + std::sin(0.05 * k) + 1e-3 * ((i * 7 + j * 3 + k) % 11));
  const Array<double, Host> B(b);
  KrylovOptions options;
  options.tolerance = tolerance > 0 ? tolerance : 1e-14;
  options.norm = Norm::max;
  options.max_iterations = iterations;
  auto krylov = make_krylov<Host>(method, options);
  auto M = make_preconditioner<Host>("jacobi", Table());
  M->setup(A);
  Measured best;
  best.iteration = 1e300;
  for (int repeat = 0; repeat < 3; ++repeat) {
    Array<double, Host> x(static_cast<std::int64_t>(b.size()));
    ranks.barrier();
    const SolveResult r = krylov->solve(A, *M, B, x);
    const double s = ranks.max(r.solve_seconds) / std::max(1, r.iterations);
    if (s < best.iteration) best = {r, s};
  }
  ranks.use(Reduction::allreduce);
  return best;
}

// Floating-point operations of an unknown and iteration: products 13 each, jacobi 1, updates and dot products 2 each.
double flops_of(const std::string& method) { return method == "cg" ? 13 + 1 + 10 : 2 * (13 + 1) + 22; }

void measured_rows(Communicator& ranks, const ScalingOptions& o) {
  TableOfRanks table(o.folder + "/scaling.csv",
                     "ranks,nx,ny,nz,method,version,tolerance,iterations,iteration_ms,halo_ms,reduce_ms,gflops",
                     ranks.size());
  struct Size {
    std::array<int, 3> n;
    bool weak;
  };
  const int base = o.quick ? 16 : 64;
  std::vector<Size> sizes = {{{base, base, base}, false}, {{2 * base, 2 * base, 2 * base}, false}};
  sizes.push_back({{base, base, base * ranks.size()}, true});
  const auto row = [&](const Size& s, const char* method, bool optimised, double tolerance) {
    const Measured m = run(ranks, s.n, method, optimised, tolerance, tolerance > 0 ? 2000 : 40);
    const double cells = static_cast<double>(s.n[0]) * s.n[1] * s.n[2], n = std::max(1, m.result.iterations);
    const double halo = std::max(0.0, ranks.max(m.result.halo_seconds)) / n,
                 reduce = std::max(0.0, ranks.max(m.result.reduce_seconds)) / n;
    char text[256];
    std::snprintf(text, sizeof text, "%d,%d,%d,%d,%s,%s,%g,%d,%.4f,%.4f,%.4f,%.4f", ranks.size(), s.n[0], s.n[1],
                  s.n[2], method, optimised ? "optimised" : "naive", tolerance, m.result.iterations, 1e3 * m.iteration,
                  1e3 * halo, 1e3 * reduce, 1e-9 * cells * flops_of(method) / m.iteration);
    table.row(text);
    if (ranks.is_root())
      std::printf(
          "  %3d x %3d x %4d %s  %-9s %-10s tol %-6g %4d it %9.3f ms per iteration, halo %7.3f, sums+updates %7.3f\n",
          s.n[0], s.n[1], s.n[2], s.weak ? "weak  " : "strong", method, optimised ? "optimised" : "naive", tolerance,
          m.result.iterations, 1e3 * m.iteration, 1e3 * halo, 1e3 * reduce);
  };
  for (const Size& s : sizes)
    for (const char* method : {"cg", "bicgstab"})
      for (const bool optimised : {false, true}) row(s, method, optimised, -1);
  for (const double tolerance : {5e-2, 5e-3, 5e-4}) row(sizes[0], "bicgstab", true, tolerance);
  if (ranks.is_root()) table.write();
}

void compare_with_paper(const ScalingOptions& o) {
  const MachineFigures machine = keeneland();
  TableOfRanks table(
      o.folder + "/model_paper.csv",
      "gpus,what,cells,paper_ms,model_ms,error_percent,paper_communication,model_communication,calibrates", -1);
  std::printf("\nthe model compared with the paper (%s)\n  %-34s %-12s %5s %9s %9s %8s %14s\n", machine.name.c_str(),
              "statement", "cells", "GPUs", "paper ms", "model ms", "off by", "communication");
  for (const PaperPoint& p : paper_points()) {
    const IterationTime t = predict(machine, paper_bicgstab(), p.work, p.gpus, p.halo, p.sums);
    const double ms = 1e3 * t.total(), error = 100 * (ms / p.milliseconds - 1);
    std::printf("  %-34s %-12s %5d %9.2f %9.2f %7.0f%% %5.0f%% / %3.0f%% %s\n", p.what.c_str(), p.work.name.c_str(),
                p.gpus, p.milliseconds, ms, error, 100 * p.communication, 100 * t.communication(),
                p.calibrates ? "(calibrates)" : "");
    char text[256];
    std::snprintf(text, sizeof text, "%d,\"%s\",%s,%.3f,%.3f,%.1f,%.3f,%.3f,%d", p.gpus, p.what.c_str(),
                  p.work.name.c_str(), p.milliseconds, ms, error, p.communication, t.communication(), p.calibrates);
    table.row(text);
  }
  table.write();
}

void project(const ScalingOptions& o) {
  TableOfRanks table(o.folder + "/model_projection.csv", "gpus,machine,method,cells,version,iteration_ms,communication",
                     -1);
  std::printf("\nprojection: %s\n", today().name.c_str());
  const auto row = [&](const MachineFigures& m, const MethodFigures& method, const Workload& w, int gpus,
                       bool optimised) {
    const IterationTime t = predict(m, method, w, gpus, optimised, optimised);
    char text[256];
    std::snprintf(text, sizeof text, "%d,\"%s\",\"%s\",%s,%s,%.5f,%.4f", gpus, m.name.c_str(), method.name.c_str(),
                  w.name.c_str(), optimised ? "optimised" : "naive", 1e3 * t.total(), t.communication());
    table.row(text);
    return t;
  };
  const std::vector<Workload> ours = {{"256^3", 256, 256, 256}, {"512^3", 512, 512, 512}, {"1024^3", 1024, 1024, 1024}};
  for (const auto& method : our_methods())
    for (const auto& w : ours) {
      std::printf("  %-20s %-8s", method.name.c_str(), w.name.c_str());
      for (int gpus = 1; gpus <= 512 && gpus <= w.nz; gpus *= 2) {
        row(today(), method, w, gpus, false);
        const IterationTime t = row(today(), method, w, gpus, true);
        if (gpus == 1 || gpus == 8 || gpus == 64 || gpus == 512)
          std::printf("  %4d GPUs %8.3f ms (%2.0f%% comm.)", gpus, 1e3 * t.total(), 100 * t.communication());
      }
      std::printf("\n");
    }
  const Workload paper[] = {{"128^3", 128, 128, 128}, {"256^3", 256, 256, 256}, {"256^2 x 512", 256, 256, 512}};
  for (const auto& w : paper)
    for (int gpus = 6; gpus <= 384; gpus *= 2)
      for (const bool optimised : {false, true}) row(keeneland(), paper_bicgstab(), w, gpus, optimised);
  table.write();
}

}  // namespace

int bench_scaling(Communicator& ranks, const ScalingOptions& o) {
  if (ranks.is_root()) std::printf("iterations on %d ranks (%s)\n", ranks.size(), mpi_library().c_str());
  measured_rows(ranks, o);
  if (!ranks.is_root()) return 0;
  compare_with_paper(o);
  project(o);
  std::printf("written: %s/scaling.csv, model_paper.csv, model_projection.csv\n", o.folder.c_str());
  return 0;
}

}  // namespace weir::bench
