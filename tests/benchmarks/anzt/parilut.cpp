// Figs. 10 and 13: quality and peers of ParILUT.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"
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

// MB, Mflop, GB/s and the fraction of the triad of a product with A and an application of M, of which GMRES does one
// each an iteration.
std::vector<std::string> rates(const BlockCsr<Host>& A, const Preconditioner<Host>& M, double triad) {
  Array<double, Host> x(A.size()), y(A.size()), z(A.size());
  for (int i = 0; i < A.size(); ++i) x.view()[i] = 1 + i % 7;
  const double seconds = best_processor_seconds(
      [&] {
        A.apply(x, y);
        M.apply(y, z);
      },
      3, 0.02);
  Work work = A.apply_work();
  work += M.apply_work();
  const auto bytes = static_cast<double>(work.bytes), flops = static_cast<double>(work.flops);
  return {number(1e-6 * bytes), number(1e-6 * flops), number(1e-9 * bytes / seconds, "%.3g"),
          number(bytes / seconds / triad, "%.2f")};
}

// A peer's factors.
class PeerPreconditioner : public Preconditioner<Host> {
 public:
  explicit PeerPreconditioner(const IlutPeer& peer) : peer_(peer) {}
  SetupInfo do_setup(const Matrix<Host>&) override { return {}; }
  void apply(View<const double> r, View<double> z) const override { peer_.apply(r.data(), z.data()); }
  bool is_symmetric() const override { return false; }
  std::string describe() const override { return peer_.name; }

 private:
  const IlutPeer& peer_;
};

}  // namespace

int anzt_gmres(const AnztOptions& o) {
  const OneThread one;  // asynchronous sweeps repeat on one thread
  const double triad = triad_bytes_per_second(1, true);
  std::printf(
      "GMRES iterations to 1e-10 against ParILUT steps (Anzt et al. 2019, Fig. 10); one thread\n"
      "MB and on: a product and an application of the approximate thresholds' factors, as an iteration does one each,\n"
      "processor time; triad %.1f GB/s\n",
      1e-9 * triad);
  Table table({"problem        ", "rows  ", "fill", "steps", "ILU(0)", "exact thresholds", "approximate",
               "synchronous sweeps", "MB", "Mflop", "GB/s", "of triad"},
              csv_path(o.folder, "anzt_gmres"));
  for (const AniProblem& p : ani_problems(o.quick, 2)) {
    const BlockCsr<Host> A(p.data);
    BlockIlu0<Host> ilu0({});
    ilu0.setup(A);
    const std::string reference = iterations(A, ilu0);
    for (const double fill : {1.0, 2.0})
      for (const int steps : o.quick ? std::vector<int>{0, 2} : std::vector<int>{0, 1, 2, 3, 4, 5, 8, 10}) {
        ParIlu<Host> M({.steps = steps, .fill = fill});
        M.setup(A);
        std::vector<std::string> row = {
            p.name,           number(A.rows(), "%.0f"),
            number(fill),     number(steps),
            reference,        iterations(A, {.steps = steps, .fill = fill, .exact_thresholds = true}),
            iterations(A, M), iterations(A, {.steps = steps, .fill = fill, .synchronous = true})};
        for (const std::string& rate : rates(A, M, triad)) row.push_back(rate);
        table.row(row);
      }
  }
  return 0;
}

int anzt_peers(const AnztOptions& o) {
  const OneThread one;
  const double triad = triad_bytes_per_second(1, true);
  std::printf(
      "ParILUT compared with other ILUTs at equal fill, processor time of one core (Anzt et al. 2019, Fig. 13)\n"
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
    // Last cells of a row: least bytes of factors with this many entries, and their rate.
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
