#include "solvers/preconditioner/parilu/parilu.hpp"

#include <cstdio>

#include "base/at.hpp"
#include "base/error.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

template <class Space>
const BlockCsr<Space>& block_csr(const Matrix<Space>& A, bool asynchronous_solves) {
  const auto& csr = taken_as<BlockCsr<Space>>(A, "parilut");
  if (asynchronous_solves && csr.block() > async_ilu::largest_block)
    throw Error(
        Exit::usage,
        "parilu, parilut: solves = \"asynchronous\" requires blocks of at most 8 unknowns, but this matrix has " +
            std::to_string(csr.block()) + "; solves = \"exact\" accepts any");
  return csr;
}

std::string short_number(double x) {
  std::string text = std::to_string(x);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text + "0" : text;
}

}  // namespace

const char* to_string(ParIluStage stage) {
  constexpr const char* names[parilu_stages] = {"candidates", "residual", "add",  "sweeps", "select",
                                                "remove",     "solves",   "grow", "keep"};
  return names[static_cast<int>(stage)];
}

template <class Space>
SetupInfo ParIlu<Space>::do_setup(const Matrix<Space>& A) {
  A_ = &block_csr(A, options_.asynchronous_solves);
  factors_.reset();
  factors_ = std::make_unique<ParIluFactors<Space>>(*A_, options_);
  return factors_->build(*A_, true, [this] { this->stop_if_asked(); });
}

template <class Space>
SetupInfo ParIlu<Space>::do_update(const Matrix<Space>& A) {
  if (!factors_ || !factors_->fits(block_csr(A, options_.asynchronous_solves))) return do_setup(A);
  A_ = &block_csr(A, options_.asynchronous_solves);
  return factors_->build(*A_, false, [this] { this->stop_if_asked(); });
}

template <class Space>
void ParIlu<Space>::restore(const Matrix<Space>& A, Archive& from) {
  if (!options_.from_previous) return void(do_setup(A));
  A_ = &block_csr(A, options_.asynchronous_solves);
  factors_.reset();
  factors_ = std::make_unique<ParIluFactors<Space>>(*A_, options_);
  factors_->state(from);
}

template <class Space>
std::string ParIlu<Space>::describe() const {
  std::string text = options_.thresholds ? "ParILUT, " : "ParILU, ";
  if (options_.thresholds)
    text += std::to_string(options_.steps) + " steps to fill " + short_number(options_.fill) + ", " +
            (options_.exact_thresholds ? "exact" : "approximate") + " thresholds, ";
  text += std::to_string(options_.sweeps) + (options_.synchronous ? " synchronous" : " asynchronous") + " sweeps";
  text += options_.asynchronous_solves ? ", " + std::to_string(options_.apply_sweeps) + " asynchronous solve sweeps"
                                       : ", exact solves";
  if (options_.from_previous)
    text += ", from the previous factors" +
            (options_.thresholds ? " with " + std::to_string(options_.update_steps) + " steps" : "");
  return text;
}

template <class Space>
std::string ParIlu<Space>::report() const {
  if (!factors_ || factors_->steps().empty()) return "";
  std::string text = "step  candidates  blocks in L  blocks in U  |A - L U| before  threshold L  threshold U";
  char line[200];
  int k = 0;
  for (const ParIlutStep& s : factors_->steps()) {
    char residual[32] = "not measured";
    if (s.residual >= 0) std::snprintf(residual, sizeof residual, "%.2e", s.residual);
    std::snprintf(line, sizeof line, "\n%4d %11lld %12lld %12lld %17s %12.2e %12.2e", ++k,
                  static_cast<long long>(s.candidates), static_cast<long long>(s.lower),
                  static_cast<long long>(s.upper), residual, s.threshold_L, s.threshold_U);
    text += line;
  }
  text += "\nmilliseconds:";
  for (int stage = 0; stage < parilu_stages; ++stage) {
    const double seconds = factors_->times()[stage];
    if (seconds == 0) continue;
    std::snprintf(line, sizeof line, " %s %.3g", to_string(static_cast<ParIluStage>(stage)), 1e3 * seconds);
    text += line;
  }
  return text + "\n";
}

namespace {

constexpr Option parilu_keys[] = {
    {"sweeps", Option::integer, "5", "number of fixed-point sweeps per factorisation", "[1, inf)"},
    {"schedule", Option::text, "asynchronous",
     "values that a sweep reads; asynchronous: the current values of other threads; synchronous: the values of the "
     "previous sweep (bitwise reproducible)",
     "asynchronous | synchronous"},
    {"solves", Option::text, "exact",
     "triangular solves; exact: by dependency levels; asynchronous: by sweeps (requires fgmres)",
     "exact | asynchronous"},
    {"apply_sweeps", Option::integer, "3", "number of sweeps per asynchronous triangular solve", "[1, inf)"},
    {"initial", Option::text, "matrix",
     "start of an update; matrix: the triangles of A; previous: the factors of the last update (parilut: with their "
     "pattern)",
     "matrix | previous"},
    {"diagnostics", Option::boolean, "false",
     "switch for measuring |A - L U| outside of the pattern at every step and at the end, at the cost of one more "
     "search for these entries"}};
constexpr Option parilut_keys[] = {
    {"sweeps", Option::integer, "1", "number of fixed-point sweeps after each change of the pattern", "[1, inf)"},
    parilu_keys[1],
    parilu_keys[2],
    parilu_keys[3],
    parilu_keys[4],
    parilu_keys[5],
    {"steps", Option::integer, "3",
     "number of steps per set-up, each of which adds candidate entries, sweeps, drops the smallest entries and sweeps "
     "again",
     "[0, inf)"},
    {"update_steps", Option::integer, "1",
     "number of steps per update that starts from the previous factors; 0: sweeps only", "[0, inf)"},
    {"fill", Option::number, "1.0", "number of entries kept in L and in U, relative to the triangles of A",
     "(0, 1000]"},
    {"thresholds", Option::text, "approximate",
     "selection of the drop thresholds by SampleSelect; approximate: stopped after one count; exact: exact selection",
     "approximate | exact"}};

ParIluOptions read_options(const Table& options, bool thresholds) {
  const Table t = options.described_by(thresholds ? Options(parilut_keys) : Options(parilu_keys));
  ParIluOptions o;
  o.thresholds = thresholds;
  read_keys(t, "sweeps", o.sweeps, "diagnostics", o.diagnostics);
  o.synchronous = t.get<std::string>("schedule") == "synchronous";
  o.asynchronous_solves = t.get<std::string>("solves") == "asynchronous";
  if (o.asynchronous_solves) o.apply_sweeps = t.get<int>("apply_sweeps");
  o.from_previous = t.get<std::string>("initial") == "previous";
  if (!thresholds) return o;
  read_keys(t, "steps", o.steps, "fill", o.fill);
  if (o.from_previous) o.update_steps = t.get<int>("update_steps");
  o.exact_thresholds = t.get<std::string>("thresholds") == "exact";
  return o;
}

template <class Space, bool thresholds>
std::unique_ptr<Preconditioner<Space>> make_parilu(const Table& options) {
  return std::make_unique<ParIlu<Space>>(read_options(options, thresholds));
}

// L and U, and the work space of a sweep or of a ParILUT step.
template <bool thresholds>
double parilu_bytes(const Table& options, const MatrixSize& A) {
  const double fill = thresholds ? read_options(options, true).fill : 1;
  return (thresholds ? 3 : 2) * (fill * (A.blocks - A.rows) * (8.0 * A.block * A.block + 4) + 8 * A.entries(A.rows));
}

}  // namespace

constexpr PreconditionerDescription preconditioner::parilu{
    .name = "parilu",
    .meaning = "incomplete factors on the pattern of A by fixed-point sweeps, which converge to ILU(0)",
    .citation = "Chow & Patel 2015",
    .options = parilu_keys,
    .matrices = on_block_csr,
    .over_ranks = 0,
    .update_cost = 11,
    .divides_by = DividesBy::pivots,
    .bytes = parilu_bytes<false>,
    .make_host = make_parilu<Host, false>,
    .make_device = make_parilu<Device, false>};
constexpr PreconditionerDescription preconditioner::parilut{
    .name = "parilut",
    .meaning = "incomplete factors by fixed-point sweeps on a pattern that is chosen by the size of the entries",
    .citation = "Anzt, Chow & Dongarra 2018; Anzt, Ribizel, Flegar, Chow & Dongarra 2019",
    .options = parilut_keys,
    .matrices = on_block_csr,
    .over_ranks = 0,
    .update_cost = 10,
    .divides_by = DividesBy::pivots,
    .tried_with = "gmres",
    .bytes = parilu_bytes<true>,
    .make_host = make_parilu<Host, true>,
    .make_device = make_parilu<Device, true>};

template class ParIlu<Host>;
template class ParIlu<Device>;

namespace {

// Checks a pattern from a file: rows in order, columns ascending on the right side of the diagonal.
void require_triangle(const Archive& a, const std::vector<std::int64_t>& start, const std::vector<int>& column,
                      bool is_lower) {
  bool good = start.front() == 0 && start.back() == std::ssize(column);
  for (std::size_t i = 0; good && i + 1 < start.size(); ++i) good = start[i] <= start[i + 1];
  for (std::size_t i = 0; good && i + 1 < start.size(); ++i) {
    const int row = static_cast<int>(i), first = is_lower ? 0 : row + 1,
              end = is_lower ? row : static_cast<int>(start.size()) - 1;
    for (std::int64_t e = start[i]; e < start[i + 1]; ++e) {
      const int j = column[e];
      good = good && j >= first && j < end && (e == start[i] || column[e - 1] < j);
    }
  }
  a.require(good, "pattern");
}

}  // namespace

template <class Space>
void ParIluFactors<Space>::state(Archive& a) {
  const std::int64_t nn = std::int64_t{n_} * n_;
  if (a.reads()) inverse_.reserve(rows_ * nn);
  for (auto* rows : {&lower_, &upper_}) {
    std::vector<std::int64_t> start;
    std::vector<int> column;
    if (!a.reads()) start = rows->start.to_vector(rows_ + 1), column = rows->column.to_vector(rows->count);
    a.list("row_start", start);
    a.list("column", column);
    a.require(std::ssize(start) == rows_ + 1, "row_start");
    require_triangle(a, start, column, rows == &lower_);
    if (a.reads()) {
      rows->reserve(std::ssize(column), n_);
      rows->start.assign(start);
      if (rows->count > 0) rows->column.upload(column);
    }
    a.array("values", rows->value, rows->count * nn);
  }
  a.array("inverse", inverse_, rows_ * nn);
  if (!a.reads()) return;
  new_pattern_ = true;
  if constexpr (std::is_same_v<Space, Device>)
    if (scalar_) scalar_->lengths = parilu::lengths_of(host_pattern(lower_), host_pattern(upper_));
  prepare_solves();
}

template void ParIluFactors<Host>::state(Archive&);
template void ParIluFactors<Device>::state(Archive&);

}  // namespace weir
