#include "solvers/preconditioner/async_ilu/async_ilu.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/registry.hpp"

namespace weir {

using async_ilu::AsyncPattern;
using async_ilu::AsyncView;

template <class Space>
AsyncFactors<Space>::AsyncFactors(const BlockCsr<Space>& A, const AsyncIluOptions& options)
    : AsyncFactors(AsyncPattern(A, options.scalar), A, options) {}

template <class Space>
AsyncFactors<Space>::AsyncFactors(const AsyncPattern& p, const BlockCsr<Space>& A, const AsyncIluOptions& options)
    : options_(options),
      rows_(A.rows()),
      n_(A.block()),
      size_(A.size()),
      work_rows_(p.rows),
      b_(p.n),
      blocks_(A.blocks()),
      lower_(p.lower),
      diagonal_(p.diagonal),
      upper_(p.upper),
      product_(p.product),
      replaced_(std::vector<int>(at(p.rows), 0)) {
  const int slots = options.prescribed ? 2 : 1;
  const std::int64_t bb = std::int64_t{b_} * b_;
  L_ = Array<double, Space>(slots * lower_.count() * bb);
  U_ = Array<double, Space>(slots * upper_.count() * bb);
  inverse_ = Array<double, Space>(slots * work_rows_ * bb);
  y_ = Array<double, Space>(std::int64_t{slots} * size_);
  if (options.prescribed) z_ = Array<double, Space>(std::int64_t{slots} * size_);
  if (options.scaling) scale_ = Array<double, Space>(size_);
  const int chunk = std::max(1, std::min(options.chunk, rows_)) * (options.scalar ? n_ : 1);
  options_.chunk = chunk;
  schedule_ = {work_rows_, chunk, std::max(1, options.lanes), std::max(0, options.delay), options.seed};
}

template <class Space>
AsyncView AsyncFactors<Space>::view(const BlockCsr<Space>* A, int slot) {
  const std::int64_t bb = std::int64_t{b_} * b_;
  return {work_rows_,
          b_,
          lower_.view(),
          diagonal_.view(),
          upper_.view(),
          product_.data(),
          L_.data() + slot * lower_.count() * bb,
          U_.data() + slot * upper_.count() * bb,
          inverse_.data() + slot * work_rows_ * bb,
          A ? A->view().value.data() : nullptr,
          scale_.size() ? scale_.data() : nullptr,
          replaced_.data()};
}

// Puts the initial guess where the first sweep reads it.
template <class Space>
void AsyncFactors<Space>::start(const BlockCsr<Space>& A, bool first) {
  const int slot = options_.prescribed ? 1 : 0;
  if (options_.scaling) {
    AsyncView f = view(&A, slot);
    f.scale = nullptr;
    async_ilu::find_scale<Space>(f, scale_.data());
  }
  const bool sequential = std::is_same_v<Space, Host> && !options_.prescribed && !async_ilu::needs_guess();
  if (sequential && !options_.diagnostics) {  // a sequential sweep reads no guess
    slot_ = slot;
    return;
  }
  if (first || !options_.from_previous)
    async_ilu::guess<Space>(view(&A, slot));
  else if (slot_ != slot)
    async_ilu::copy_factors<Space>(view(&A, slot_), view(&A, slot), lower_.count(), upper_.count());
  slot_ = slot;
}

template <class Space>
void AsyncFactors<Space>::sweep(const BlockCsr<Space>& A, int sweeps) {
  if (options_.prescribed) {
    if (slot_ == 0) async_ilu::copy_factors<Space>(view(&A, 0), view(&A, 1), lower_.count(), upper_.count());
    async_ilu::sweep_prescribed<Space>(view(&A, 0), schedule_, lower_.count(), upper_.count(), sweeps);
    slot_ = (sweeps - 1) & 1;
  } else if constexpr (std::is_same_v<Space, Host>) {
    async_ilu::sweep_host(view(&A, 0), sweeps, options_.chunk);
  } else {
    async_ilu::sweep_device(view(&A, 0), sweeps);
  }
}

template <class Space>
SetupInfo AsyncFactors<Space>::build(const BlockCsr<Space>& A, bool first) {
  SetupInfo info;
  start(A, first);
  const auto residual = [](const FactorObservation& o) {
    return std::accumulate(o.fixed_point.begin(), o.fixed_point.end(), 0.0);
  };
  double before = 0;
  if (options_.diagnostics) before = timed(info.diagnostics_seconds, [&] { return residual(measured(A)); });
  sweep(A, options_.build_sweeps);
  info.replaced_blocks = async_ilu::count_replaced<Space>(view(&A, slot_));
  info.nnz = (lower_.count() + upper_.count() + work_rows_) * b_ * b_;
  info.bytes = bytes();
  if (!options_.diagnostics) return info;
  const FactorObservation now = timed(info.diagnostics_seconds, [&] { return measured(A); });
  info.fixed_point_residual = before > 0 ? residual(now) / before : residual(now);
  info.dominance_L = *std::ranges::max_element(now.dominance_L);
  info.dominance_U = *std::ranges::max_element(now.dominance_U);
  return info;
}

template <class Space>
void AsyncFactors<Space>::solve(const double* r, double* z) {
  const AsyncView f = view(nullptr, slot_);
  if (options_.prescribed)
    async_ilu::solve_prescribed<Space>(f, schedule_, options_.apply_sweeps, r, y_.data(), z_.data(), z);
  else if constexpr (std::is_same_v<Space, Host>)
    async_ilu::solve_host(f, options_.apply_sweeps, options_.chunk, r, y_.data(), z);
  else
    async_ilu::solve_device(f, options_.apply_sweeps, r, y_.data(), z);
}

template <class Space>
std::int64_t AsyncFactors<Space>::bytes() const {
  const std::int64_t doubles = L_.size() + U_.size() + inverse_.size() + scale_.size() + y_.size() + z_.size();
  return lower_.bytes() + diagonal_.bytes() + upper_.bytes() + 8 * (product_.size() + doubles) + 4 * replaced_.size();
}

template <class Space>
void AsyncFactors<Space>::state(Archive& a) {
  a.number("slot", slot_);
  a.require(slot_ == 0 || (slot_ == 1 && options_.prescribed), "slot");
  for (auto* values : {&L_, &U_, &inverse_, &scale_}) a.array("factors", *values, values->size());
}

template <class Space>
void AsyncIlu<Space>::make_factors(const Matrix<Space>& A) {
  A_ = &taken_as<BlockCsr<Space>>(A, "async_block_ilu0");
  if (A_->block() > async_ilu::largest_block && !options_.scalar)
    throw Error(Exit::usage, "async_block_ilu0: blocks may have at most 8 unknowns, but this matrix has " +
                                 std::to_string(A_->block()) + "; async_ilu0 accepts any block size");
  factors_.reset();
  factors_ = std::make_unique<AsyncFactors<Space>>(*A_, options_);
}

template <class Space>
SetupInfo AsyncIlu<Space>::do_setup(const Matrix<Space>& A) {
  make_factors(A);
  return factors_->build(*A_, true);
}

template <class Space>
void AsyncIlu<Space>::restore(const Matrix<Space>& A, Archive& from) {
  if (!options_.from_previous) return void(do_setup(A));
  make_factors(A);
  factors_->state(from);
}

template <class Space>
SetupInfo AsyncIlu<Space>::do_update(const Matrix<Space>& matrix) {
  const auto& A = taken_as<BlockCsr<Space>>(matrix, "async_block_ilu0");
  if (!factors_ || !factors_->fits(A)) return do_setup(A);
  A_ = &A;
  return factors_->build(A, false);
}

template <class Space>
std::string AsyncIlu<Space>::describe() const {
  std::string text = options_.scalar ? "asynchronous ILU(0), " : "asynchronous block ILU(0), ";
  text += std::to_string(options_.build_sweeps) + " build and " + std::to_string(options_.apply_sweeps) +
          " apply sweeps, block size " + std::to_string(options_.chunk);
  if (options_.prescribed)
    text += ", prescribed: seed " + std::to_string(options_.seed) + ", delay " + std::to_string(options_.delay) + ", " +
            std::to_string(options_.lanes) + " virtual threads";
  if (options_.scaling) text += ", scaled";
  if (options_.from_previous) text += ", from the previous factors";
  return text;
}

namespace {

constexpr Option prescribed_keys[] = {
    {"type", Option::text, "prescribed",
     "asynchrony of the threads; free: that of the running threads; prescribed: a model, whose results are bitwise "
     "reproducible for a given seed",
     "free | prescribed"},
    {"seed", Option::integer, "1", "seed of the random numbers of prescribed asynchrony"},
    {"delay", Option::integer, "8", "largest number of steps until other rows see a new value", "[0, inf)"},
    {"lanes", Option::integer, "16", "number of virtual threads", "[1, inf)"}};
constexpr Option async_ilu_keys[] = {
    {"build_sweeps", Option::integer, "1", "number of fixed-point sweeps per factorisation", "[1, inf)"},
    {"apply_sweeps", Option::integer, "1", "number of Jacobi sweeps per triangular solve", "[1, inf)"},
    {"chunk", Option::integer, "384", "number of block rows that a thread fetches from the work queue at once",
     "[1, inf)", "block rows"},
    {"initial", Option::text, "matrix",
     "initial guess of the factors; matrix: the entries of A; previous: the factors of the last update",
     "matrix | previous"},
    {"scaling", Option::boolean, "false",
     "switch for symmetric scaling: factorisation of S A S, which has unit diagonal entries"},
    {"diagnostics", Option::boolean, "false",
     "switch for measuring the fixed-point residual and the diagonal dominance of L and U at each set-up (outside of "
     "its measured time)"},
    {"asynchrony", Option::table, "\"free\"",
     "asynchrony of the threads: \"free\", \"prescribed\", or a table with the parameters of the prescribed model", "",
     "", "", [] { return Options(prescribed_keys); }}};

AsyncIluOptions read_options(const Table& options, bool scalar) {
  const Table t = options.described_by(async_ilu_keys);
  AsyncIluOptions o;
  o.scalar = scalar;
  read_keys(t, "build_sweeps", o.build_sweeps, "apply_sweeps", o.apply_sweeps, "chunk", o.chunk);
  read_keys(t, "scaling", o.scaling, "diagnostics", o.diagnostics);
  o.from_previous = t.get<std::string>("initial") == "previous";
  if (!t.is_table("asynchrony")) {
    o.prescribed = t.choice("asynchrony", {"free", "prescribed"}, "free") == "prescribed";
    return o;
  }
  const Table model = t.table("asynchrony");
  o.prescribed = model.get<std::string>("type") == "prescribed";
  o.seed = static_cast<std::uint64_t>(model.get<std::int64_t>("seed"));
  read_keys(model, "delay", o.delay, "lanes", o.lanes);
  return o;
}

template <class Space, bool scalar>
std::unique_ptr<Preconditioner<Space>> make_async_ilu(const Table& options) {
  return std::make_unique<AsyncIlu<Space>>(read_options(options, scalar));
}

// The factors and the diagonal once more, the products of an entry, of which blocks of 13 neighbours have few.
double async_ilu_bytes(const Table&, const MatrixSize& A) {
  return 8 * A.entries(A.blocks + A.rows) + 32 * A.blocks + 8 * A.unknowns();
}

}  // namespace

constexpr PreconditionerDescription preconditioner::async_ilu0{
    .name = "async_ilu0",
    .meaning = "scalar ILU(0) with factors and triangular solves by asynchronous sweeps",
    .citation = "Chow & Patel 2015; Kashi & Nadarajah 2020",
    .options = async_ilu_keys,
    .matrices = on_block_csr,
    .over_ranks = 0,
    .update_cost = 2,
    .divides_by = DividesBy::pivots,
    .bytes = async_ilu_bytes,
    .make_host = make_async_ilu<Host, true>,
    .make_device = make_async_ilu<Device, true>};
constexpr PreconditionerDescription preconditioner::async_block_ilu0{
    .name = "async_block_ilu0",
    .meaning = "block ILU(0) with factors and triangular solves by asynchronous sweeps",
    .citation = "Kashi & Nadarajah 2020",
    .options = async_ilu_keys,
    .matrices = on_block_csr,
    .over_ranks = 0,
    .update_cost = 2,
    .divides_by = DividesBy::pivots,
    .tried_with = "fgmres",
    .bytes = async_ilu_bytes,
    .make_host = make_async_ilu<Host, false>,
    .make_device = make_async_ilu<Device, false>};

template class AsyncFactors<Host>;
template class AsyncFactors<Device>;
template class AsyncIlu<Host>;
template class AsyncIlu<Device>;

}  // namespace weir
