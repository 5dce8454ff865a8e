// Figs. 10 and 13: quality and peers of ParILUT.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "solvers/preconditioner/block_ilu0.hpp"
#include "solvers/preconditioner/parilu.hpp"
#include "tests/benchmarks/anzt/anzt.hpp"
#include "tests/benchmarks/anzt/ilut_peer.hpp"
#include "tests/benchmarks/anzt/problems.hpp"
#include "tests/benchmarks/anzt/sheet.hpp"

namespace weir::bench {

std::string csv_path(const std::string& folder, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(Exit::file_io, folder + ": " + error.message());
  return folder + "/" + name + ".csv";
}

namespace {

// Iterations, or the reason why there is no number.
std::string iterations(const BlockCsr<Host>& A, const Preconditioner<Host>& M) {
  const SolveResult r = gmres(A, M);
  return r.converged() ? number(r.iterations) : to_string(r.reason);
}
std::string iterations(const BlockCsr<Host>& A, const ParIluOptions& options) {
  ParIlu<Host> M(options);
  M.setup(A);
  return iterations(A, M);
}

// A peer's factors.
class PeerPreconditioner : public Preconditioner<Host> {
 public:
  explicit PeerPreconditioner(const IlutPeer& peer) : peer_(peer) {}
  SetupInfo setup(const Matrix<Host>&) override { return {}; }
  void apply(View<const double> r, View<double> z) const override { peer_.apply(r.data(), z.data()); }
  bool is_symmetric() const override { return false; }
  std::string describe() const override { return peer_.name; }

 private:
  const IlutPeer& peer_;
};

}  // namespace

int anzt_gmres(const AnztOptions& o) {
  const OneThread one;  // asynchronous sweeps repeat on one thread
  std::printf("GMRES iterations to 1e-10 against ParILUT steps (Anzt et al. 2019, Fig. 10); one thread\n");
  Table table(
      {"problem        ", "rows  ", "fill", "steps", "ILU(0)", "exact thresholds", "approximate", "synchronous sweeps"},
      csv_path(o.folder, "anzt_gmres"));
  for (const AniProblem& p : ani_problems(o.quick, 2)) {
    const BlockCsr<Host> A(p.data);
    BlockIlu0<Host> ilu0({});
    ilu0.setup(A);
    const std::string reference = iterations(A, ilu0);
    for (const double fill : {1.0, 2.0})
      for (const int steps : o.quick ? std::vector<int>{0, 2} : std::vector<int>{0, 1, 2, 3, 4, 5, 8, 10})
        table.row({p.name, number(A.rows(), "%.0f"), number(fill), number(steps), reference,
                   iterations(A, {.steps = steps, .fill = fill, .exact_thresholds = true}),
                   iterations(A, {.steps = steps, .fill = fill}),
                   iterations(A, {.steps = steps, .fill = fill, .synchronous = true})});
  }
  return 0;
}

int anzt_peers(const AnztOptions& o) {
  const OneThread one;
  const double triad = triad_bytes_per_second(1, true);
  std::printf(
      "ParILUT beside other ILUTs at equal fill, processor time of one core (Anzt et al. 2019, Fig. 13)\n"
      "ours: everything that an update does, the triangular solves' preparation included, steps = fill\n"
      "MB: A in and the factors out once, the least that any of them moves; triad %.1f GB/s; work by stages: "
      "anzt-stages\n",
      1e-9 * triad);
  Table table({"problem        ", "fill", "method                    ", "ordering ms", "factorisation ms", "nnz/nnz(A)",
               "iterations", "ours / factorisation", "ours / both", "MB", "GB/s", "of triad"},
              csv_path(o.folder, "anzt_peers"));
  for (const AniProblem& p : ani_problems(o.quick, 3)) {
    const BlockCsr<Host> A(p.data);
    const auto nnz = static_cast<double>(A.blocks());
    // A row's last cells: what the factors of so many entries move at least, and how fast.
    const auto with_rates = [&](std::vector<std::string> row, std::int64_t entries, double seconds) {
      const double bytes = 12 * (nnz + static_cast<double>(entries));
      for (const double rate : {1e-6 * bytes, 1e-9 * bytes / seconds, bytes / seconds / triad})
        row.push_back(number(rate, "%.3g"));
      table.row(row);
    };
    const bool solved = A.rows() < 100000;  // GMRES on the largest takes minutes
    for (const int fill : {1, 2}) {
      ParIlu<Host> M({.steps = fill, .fill = static_cast<double>(fill)});
      SetupInfo info = M.setup(A);
      const double ours = best_processor_seconds([&] { info = M.update(A); }, 3, 0.1);
      with_rates({p.name, number(fill), "ParILUT", "0", number(1e3 * ours),
                  number(static_cast<double>(info.nnz) / nnz, "%.3f"), solved ? iterations(A, M) : "", "", ""},
                 info.nnz, ours);
      constexpr double tolerance = 1e-4;
      for (const IlutPeer& peer : {eigen_ilut(p.data, fill, tolerance), superlu_ilut(p.data, fill, tolerance, true),
                                   superlu_ilut(p.data, fill, tolerance, false)})
        if (!peer.name.empty())
          with_rates({p.name, number(fill), peer.name, number(1e3 * peer.analysis), number(1e3 * peer.factorisation),
                      number(static_cast<double>(peer.nnz) / nnz, "%.3f"),
                      solved ? iterations(A, PeerPreconditioner(peer)) : "", number(ours / peer.factorisation, "%.2f"),
                      number(ours / (peer.analysis + peer.factorisation), "%.2f")},
                     peer.nnz, peer.analysis + peer.factorisation);
    }
  }
  return 0;
}

}  // namespace weir::bench
