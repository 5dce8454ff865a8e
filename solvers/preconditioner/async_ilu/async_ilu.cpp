#include "solvers/preconditioner/async_ilu/async_ilu.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu_factors.hpp"
#include "solvers/registry.hpp"

namespace weir {

using async_ilu::AsyncPattern;
using async_ilu::AsyncView;

namespace {

constexpr int largest_async_block = 8;

template <class Space>
const BlockCsr<Space>& block_csr(const Matrix<Space>& A) {
  const auto* csr = dynamic_cast<const BlockCsr<Space>*>(&A);
  if (!csr) refuse_matrix("async_block_ilu0", A);
  return *csr;
}

}  // namespace

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
      lower_start_(p.lower_start),
      upper_start_(p.upper_start),
      lower_source_(p.lower_source),
      diagonal_source_(p.diagonal_source),
      upper_source_(p.upper_source),
      lower_products_(p.lower_products),
      diagonal_products_(p.diagonal_products),
      upper_products_(p.upper_products),
      lower_column_(p.lower_column),
      upper_column_(p.upper_column),
      replaced_(std::vector<int>(at(p.rows), 0)),
      product_(p.product) {
  const int slots = options.prescribed ? 2 : 1;
  const std::int64_t bb = std::int64_t{b_} * b_;
  L_ = Array<double, Space>(slots * lower_column_.size() * bb);
  U_ = Array<double, Space>(slots * upper_column_.size() * bb);
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
          {lower_start_.data(), lower_column_.data(), lower_source_.data(), lower_products_.data()},
          {nullptr, nullptr, diagonal_source_.data(), diagonal_products_.data()},
          {upper_start_.data(), upper_column_.data(), upper_source_.data(), upper_products_.data()},
          product_.data(),
          L_.data() + slot * lower_column_.size() * bb,
          U_.data() + slot * upper_column_.size() * bb,
          inverse_.data() + slot * work_rows_ * bb,
          A ? A->view().value.data() : nullptr,
          scale_.size() ? scale_.data() : nullptr,
          replaced_.data()};
}

// The model's guess is the same to the last bit in both spaces; the free one's is the fastest.
template <class Space>
void AsyncFactors<Space>::guess(const AsyncView& f) {
  if constexpr (std::is_same_v<Space, Host>)
    if (!options_.prescribed) return async_ilu::guess_host(f);
  async_ilu::guess<Space>(f);
}

// The initial guess, where the first sweep reads it.
template <class Space>
void AsyncFactors<Space>::start(const BlockCsr<Space>& A, bool first) {
  const int slot = options_.prescribed ? 1 : 0;
  if (options_.scaling) {
    AsyncView f = view(&A, slot);
    f.scale = nullptr;
    async_ilu::find_scale<Space>(f, scale_.data());
  }
  const bool sequential = std::is_same_v<Space, Host> && !options_.prescribed && !async_ilu::needs_guess();
  slot_ = sequential && !options_.diagnostics ? slot : slot_;
  if (sequential && !options_.diagnostics) return;  // nobody reads a guess
  if (first || !options_.from_previous)
    guess(view(&A, slot));
  else if (slot_ != slot)
    async_ilu::copy_factors<Space>(view(&A, slot_), view(&A, slot), lower_column_.size(), upper_column_.size());
  slot_ = slot;
}

template <class Space>
void AsyncFactors<Space>::sweep(const BlockCsr<Space>& A, int sweeps) {
  if (options_.prescribed) {
    if (slot_ == 0)
      async_ilu::copy_factors<Space>(view(&A, 0), view(&A, 1), lower_column_.size(), upper_column_.size());
    async_ilu::sweep_prescribed<Space>(view(&A, 0), schedule_, lower_column_.size(), upper_column_.size(), sweeps);
    slot_ = (sweeps - 1) & 1;
  } else if constexpr (std::is_same_v<Space, Host>) {
    async_ilu::sweep_host(view(&A, 0), sweeps, options_.chunk);
  } else {
    async_ilu::sweep_device(view(&A, 0), sweeps);
  }
}

template <class Space>
void AsyncFactors<Space>::build(const BlockCsr<Space>& A, bool first, SetupInfo& info) {
  start(A, first);
  const double before =
      options_.diagnostics
          ? timed(info.diagnostics_seconds, [&] { return async_ilu::fixed_point_residual<Space>(view(&A, slot_)); })
          : 0;
  sweep(A, options_.build_sweeps);
  info.replaced_blocks = async_ilu::count_replaced<Space>(view(&A, slot_));
  info.nnz = (lower_column_.size() + upper_column_.size() + work_rows_) * b_ * b_;
  info.bytes = bytes();
  if (!options_.diagnostics) return;
  const ScopedTimer timer(info.diagnostics_seconds);
  const AsyncView f = view(&A, slot_);
  const double after = async_ilu::fixed_point_residual<Space>(f);
  info.fixed_point_residual = before > 0 ? after / before : after;
  info.dominance_L = async_ilu::dominance_of_L<Space>(f);
  info.dominance_U = async_ilu::dominance_of_U<Space>(f);
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
  const std::int64_t offsets = lower_start_.size() + upper_start_.size() + lower_source_.size() +
                               diagonal_source_.size() + upper_source_.size() + lower_products_.size() +
                               diagonal_products_.size() + upper_products_.size() + product_.size();
  const std::int64_t doubles = L_.size() + U_.size() + inverse_.size() + scale_.size() + y_.size() + z_.size();
  return 8 * (offsets + doubles) + 4 * (lower_column_.size() + upper_column_.size() + replaced_.size());
}

// Row by row as in A: lower entries, the diagonal one (inverted back), upper ones; each block row by row.
template <class Space>
std::vector<double> AsyncFactors<Space>::to_values() const {
  const std::vector<double> L = L_.to_vector(), U = U_.to_vector(), inverse = inverse_.to_vector();
  const std::vector<std::int64_t> lower = lower_start_.to_vector(), upper = upper_start_.to_vector();
  const std::int64_t bb = std::int64_t{b_} * b_;
  std::vector<double> values, block(at(bb));
  const auto add = [&](const std::vector<double>& from, std::int64_t e, bool inverted) {
    std::copy_n(from.begin() + e * bb, bb, block.begin());
    if (inverted) lanes::invert(lanes::RuntimeBlock(b_), block.data());
    for (int u = 0; u < b_; ++u)
      for (int v = 0; v < b_; ++v) values.push_back(block[at(v * b_ + u)]);
  };
  for (int i = 0; i < work_rows_; ++i) {
    for (std::int64_t e = lower[at(i)]; e < lower[at(i) + 1]; ++e) add(L, slot_ * lower_column_.size() + e, false);
    add(inverse, std::int64_t{slot_} * work_rows_ + i, true);
    for (std::int64_t e = upper[at(i)]; e < upper[at(i) + 1]; ++e) add(U, slot_ * upper_column_.size() + e, false);
  }
  return values;
}

template <class Space>
void AsyncFactors<Space>::from_values(const std::vector<double>& values) {
  std::vector<double> L = L_.to_vector(), U = U_.to_vector(), inverse = inverse_.to_vector();
  const std::vector<std::int64_t> lower = lower_start_.to_vector(), upper = upper_start_.to_vector();
  const std::int64_t bb = std::int64_t{b_} * b_;
  auto from = values.begin();
  const auto take = [&](std::vector<double>& to, std::int64_t e, bool invert) {
    for (int u = 0; u < b_; ++u)
      for (int v = 0; v < b_; ++v) to[at(e * bb + v * b_ + u)] = *from++;
    if (invert) lanes::invert(lanes::RuntimeBlock(b_), to.data() + e * bb);
  };
  for (int i = 0; i < work_rows_; ++i) {
    for (std::int64_t e = lower[at(i)]; e < lower[at(i) + 1]; ++e) take(L, slot_ * lower_column_.size() + e, false);
    take(inverse, std::int64_t{slot_} * work_rows_ + i, true);
    for (std::int64_t e = upper[at(i)]; e < upper[at(i) + 1]; ++e) take(U, slot_ * upper_column_.size() + e, false);
  }
  L_.upload(L);
  U_.upload(U);
  inverse_.upload(inverse);
}

template <class Space>
void AsyncFactors<Space>::state(Archive& a) {
  a.number("slot", slot_);
  a.require(slot_ == 0 || (slot_ == 1 && options_.prescribed), "slot");
  for (auto* values : {&L_, &U_, &inverse_, &scale_}) a.array("factors", *values, values->size());
}

template <class Space>
AsyncIlu<Space>::AsyncIlu(const AsyncIluOptions& options)
    : Preconditioner<Space>({.is_constant = false, .repeats = options.prescribed, .remembers = options.from_previous}),
      options_(options) {}
template <class Space>
AsyncIlu<Space>::~AsyncIlu() = default;

template <class Space>
SetupInfo AsyncIlu<Space>::do_setup(const Matrix<Space>& A) {
  make_factors(A);
  SetupInfo info;
  factors_->build(*A_, true, info);
  return info;
}

template <class Space>
void AsyncIlu<Space>::make_factors(const Matrix<Space>& A) {
  A_ = &block_csr(A);
  if (A_->block() > largest_async_block && !options_.scalar)
    throw Error(Exit::usage, "async_block_ilu0: blocks of at most 8 unknowns, this matrix has " +
                                 std::to_string(A_->block()) + "; async_ilu0 takes any");
  factors_.reset();
  factors_ = std::make_unique<AsyncFactors<Space>>(*A_, options_);
}

template <class Space>
void AsyncIlu<Space>::save(Archive& to) {
  if (options_.from_previous && factors_) factors_->state(to);
}
template <class Space>
void AsyncIlu<Space>::restore(const Matrix<Space>& A, Archive& from) {
  if (!options_.from_previous) return void(do_setup(A));
  make_factors(A);
  factors_->state(from);
}

template <class Space>
SetupInfo AsyncIlu<Space>::do_update(const Matrix<Space>& A) {
  if (!factors_ || !factors_->fits(block_csr(A))) return do_setup(A);
  A_ = &block_csr(A);
  SetupInfo info;
  factors_->build(*A_, false, info);
  return info;
}

template <class Space>
void AsyncIlu<Space>::apply(View<const double> r, View<double> z) const {
  factors_->solve(r.data(), z.data());
}

template <class Space>
Work AsyncIlu<Space>::apply_work() const {
  return factors_ && !options_.prescribed ? factors_->solve_work() : Work{};
}
template <class Space>
Work AsyncIlu<Space>::update_work() const {
  return factors_ && !options_.prescribed ? factors_->build_work() : Work{};
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

template <class Space>
FactorObservation AsyncIlu<Space>::observe() const {
  return factors_->observe(*A_);
}

template <class Space>
std::vector<double> AsyncIlu<Space>::factors() const {
  return factors_->to_values();
}
template <class Space>
void AsyncIlu<Space>::set_factors(const std::vector<double>& values) {
  factors_->from_values(values);
}
template <class Space>
void AsyncIlu<Space>::sweep() {
  factors_->sweep(*A_, 1);
}

namespace {

constexpr Option prescribed_keys[] = {
    {"type", Option::text, "prescribed", "threads as they come, or a model that repeats bit for bit",
     "free | prescribed"},
    {"seed", Option::integer, "1", "of the model (async_ilu_factors.hpp)"},
    {"delay", Option::integer, "8", "steps after which a value is seen, at most", "[0, inf)"},
    {"lanes", Option::integer, "16", "virtual threads", "[1, inf)"}};
constexpr Option async_ilu_keys[] = {
    {"build_sweeps", Option::integer, "1", "of the factorisation", "[1, inf)"},
    {"apply_sweeps", Option::integer, "1", "of each of the two triangular solves", "[1, inf)"},
    {"chunk", Option::integer, "384", "that a thread draws at a time", "[1, inf)", "block rows"},
    {"initial", Option::text, "matrix", "factors to begin with: the entries of A, or those of the last update",
     "matrix | previous"},
    {"scaling", Option::boolean, "false", "factorise S A S with unit diagonal entries instead"},
    {"diagnostics", Option::boolean, "false",
     "measure the fixed-point residual and the dominance of L and U at each setup, apart from its time"},
    {"asynchrony", Option::table, "\"free\"", "\"free\", \"prescribed\", or a table of the model", "", "", "",
     [] { return Options(prescribed_keys); }}};

AsyncIluOptions read_options(const Table& options, bool scalar) {
  const Table t = options.described_by(async_ilu_keys);
  AsyncIluOptions o;
  o.scalar = scalar;
  o.build_sweeps = t.get<int>("build_sweeps");
  o.apply_sweeps = t.get<int>("apply_sweeps");
  o.chunk = t.get<int>("chunk");
  o.from_previous = t.get<std::string>("initial") == "previous";
  o.scaling = t.get<bool>("scaling");
  o.diagnostics = t.get<bool>("diagnostics");
  if (!t.is_table("asynchrony")) {
    o.prescribed = t.choice("asynchrony", {"free", "prescribed"}, "free") == "prescribed";
    return o;
  }
  const Table model = t.table("asynchrony");
  o.prescribed = model.get<std::string>("type") == "prescribed";
  o.seed = static_cast<std::uint64_t>(model.get<std::int64_t>("seed"));
  o.delay = model.get<int>("delay");
  o.lanes = model.get<int>("lanes");
  return o;
}

template <class Space, bool scalar>
std::unique_ptr<Preconditioner<Space>> make_async_ilu(const Table& options) {
  return std::make_unique<AsyncIlu<Space>>(read_options(options, scalar));
}

// The factors and the diagonal once more, the products that go into an entry, of which blocks of 13 neighbours have few.
double async_ilu_bytes(const Table&, const MatrixSize& A) {
  return 8 * A.entries(A.blocks + A.rows) + 32 * A.blocks + 8 * A.unknowns();
}

}  // namespace

constexpr PreconditionerDescription preconditioner::async_ilu0{
    .name = "async_ilu0",
    .meaning = "asynchronous sweeps for scalar ILU(0) factors and triangular solves",
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
    .meaning = "asynchronous sweeps for block ILU(0) factors and triangular solves",
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
