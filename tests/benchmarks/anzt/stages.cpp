// Figs. 11 and 12: where the time of ParILUT goes, and how much of the machine each stage uses. Bytes are what a stage
// must move at least if its caches hold what it reads again: each array in once and out once. A row of U that several
// rows name counts once, though it is read, mostly out of a cache, each time; flops are two for each entry that is
// read.
#include <algorithm>
#include <cstdio>

#include "solvers/preconditioner/parilu/parilu.hpp"
#include "tests/benchmarks/anzt/anzt.hpp"
#include "tests/benchmarks/anzt/problems.hpp"
#include "tests/benchmarks/anzt/sheet.hpp"
#include "tests/support/systems/ilu_factors.hpp"

namespace weir::bench {
namespace {

using Columns = std::vector<std::vector<int>>;  // of each row, ascending

struct Pattern {
  Columns lower, upper;

  double entries() const { return size(lower) + size(upper); }
  double rows() const { return static_cast<double>(lower.size()); }
  // Entries of U that the rows of L lead to.
  double products() const {
    double sum = 0;
    for (const std::vector<int>& row : lower)
      for (const int k : row) sum += static_cast<double>(upper[static_cast<std::size_t>(k)].size());
    return sum;
  }

 private:
  static double size(const Columns& c) {
    double sum = 0;
    for (const std::vector<int>& row : c) sum += static_cast<double>(row.size());
    return sum;
  }
};

Pattern pattern_of(const BlockCsrData& factors) {
  Pattern p;
  for (std::size_t i = 0; i + 1 < factors.row_start.size(); ++i) {
    p.lower.emplace_back();
    p.upper.emplace_back();
    for (auto e = factors.row_start[i]; e < factors.row_start[i + 1]; ++e) {
      const int j = factors.column[static_cast<std::size_t>(e)], row = static_cast<int>(i);
      if (j != row) (j < row ? p.lower : p.upper).back().push_back(j);
    }
  }
  return p;
}

// S u F, F = (pattern of A - L U) \ S.
Pattern grown(const Pattern& S, const Pattern& A) {
  Pattern out = S;
  std::vector<int> seen(S.lower.size(), -1);
  for (std::size_t i = 0; i < S.lower.size(); ++i) {
    const int row = static_cast<int>(i);
    seen[i] = row;
    for (const Columns* c : {&S.lower, &S.upper})
      for (const int j : (*c)[i]) seen[static_cast<std::size_t>(j)] = row;
    const auto offer = [&](const std::vector<int>& columns) {
      for (const int j : columns)
        if (std::exchange(seen[static_cast<std::size_t>(j)], row) != row)
          (j < row ? out.lower : out.upper)[i].push_back(j);
    };
    offer(A.lower[i]);
    offer(A.upper[i]);
    for (const int k : S.lower[i]) offer(S.upper[static_cast<std::size_t>(k)]);
  }
  return out;
}

struct StageWork {
  double bytes, flops;
};

// S: before the step; P: with its candidates; K: what is kept.
StageWork work_of(ParIluStage stage, double nnz, const Pattern& S, const Pattern& P, const Pattern& K, bool exact) {
  const double rows = S.rows(), s = S.entries(), p = P.entries(), k = K.entries(), f = p - s, starts = 16 * rows;
  const auto sweep = [&](const Pattern& q) {
    return StageWork{12 * nnz + 12 * q.entries() + starts + 16 * rows, 2 * q.products() + q.entries() / 2};
  };
  switch (stage) {
    case ParIluStage::candidates:
      return {4 * (nnz + s + f) + 2 * starts, 0};
    case ParIluStage::residual:
      return {12 * (nnz + s + f) + 2 * starts, 2 * S.products()};
    case ParIluStage::add:
      return {12 * (s + f + p) + 3 * starts, f / 2};
    case ParIluStage::sweeps:
      return sweep(P);
    case ParIluStage::select:
      return {(exact ? 26 : 24) * p, p};
    case ParIluStage::remove:
      return {20 * p + 12 * k + 2 * starts, 0};
    case ParIluStage::solves:
      return {24 * k + 2 * starts + 16 * rows, k / 2};
    case ParIluStage::grow:
      return {4 * (nnz + s + p) + 2 * starts, 0};
    default: {  // keep
      const StageWork last = sweep(K);
      return {last.bytes + 12 * p + starts, last.flops};
    }
  }
}

constexpr int steps = 5;

// Rows of one setting: the last step's stages, each at its fastest.
void add_rows(Table& table, const AniProblem& p, double fill, bool exact, bool alone, double triad, bool quick) {
  const BlockCsr<Host> A(p.data);
  const ParIluOptions options{.steps = steps, .fill = fill, .exact_thresholds = exact, .diagnostics = !alone};
  ParIluOptions before = options;
  before.steps = steps - 1;
  ParIlu<Host> M(options), shorter(before);
  shorter.setup(A);
  M.setup(A);
  const Pattern S = pattern_of(test::data_of(shorter.factors())), P = grown(S, pattern_of(p.data)),
                K = pattern_of(test::data_of(M.factors()));
  ParIluTimes best;
  best.fill(1e30);
  for (int q = 0; q < (quick ? 1 : 5); ++q) {
    M.update(A);
    ParIluTimes now = M.factors().steps().back().seconds;
    const auto solves = static_cast<std::size_t>(ParIluStage::solves);
    now[solves] = M.factors().times()[solves];
    for (std::size_t k = 0; k < now.size(); ++k) best[k] = std::min(best[k], now[k]);
  }
  double all = 0;
  for (const double s : best) all += s;
  for (int k = 0; k < parilu_stages; ++k) {
    const auto stage = static_cast<ParIluStage>(k);
    const double s = best[static_cast<std::size_t>(k)];
    if (s <= 0) continue;
    StageWork w = work_of(stage, static_cast<double>(A.blocks()), S, P, K, exact);
    if (stage == ParIluStage::sweeps && !alone) {  // two sweeps, on P and on K
      const StageWork second = work_of(stage, static_cast<double>(A.blocks()), S, K, K, exact);
      w = {w.bytes + second.bytes, w.flops + second.flops};
    }
    table.row({p.name, number(fill), exact ? "exact" : "approximate", alone ? "one pass" : "separate", to_string(stage),
               number(1e3 * s), number(100 * s / all, "%.0f"), number(1e-6 * w.bytes, "%.2f"),
               number(1e-6 * w.flops, "%.2f"), number(1e-9 * w.bytes / s, "%.2f"), number(w.bytes / s / triad, "%.2f"),
               number(1e-9 * w.flops / s, "%.2f")});
  }
}

}  // namespace

int anzt_stages(const AnztOptions& o) {
  const OneThread one;
  const double triad = triad_bytes_per_second(1);
  std::printf(
      "Where the time of a step of ParILUT goes, the last of %d (Anzt et al. 2019, Figs. 11 and 12); one thread, triad "
      "%.1f "
      "GB/s\nseparate: the paper's stages; one pass: what a thread does alone, with the same result\n",
      steps, 1e-9 * triad);
  Table table({"problem        ", "fill", "thresholds ", "form    ", "stage     ", "ms    ", "%", "MB", "Mflop", "GB/s",
               "of triad", "Gflop/s"},
              csv_path(o.folder, "anzt_stages"));
  for (const AniProblem& p : ani_problems(o.quick, 3))
    for (const double fill : {1.0, 2.0})
      for (const bool exact : {true, false})
        for (const bool alone : {false, true}) add_rows(table, p, fill, exact, alone, triad, o.quick);
  return 0;
}

}  // namespace weir::bench
