#include "solvers/preconditioner/parilu/parilu.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/preconditioner/parilu/parilu_factors.hpp"

namespace weir {
namespace {

template <class Space>
const BlockCsr<Space>& block_csr(const Matrix<Space>& A, bool asynchronous_solves) {
  const auto* csr = dynamic_cast<const BlockCsr<Space>*>(&A);
  if (!csr) refuse_matrix("parilu (or parilut)", "a block CSR matrix", A);
  constexpr int most_asynchronous = 8;
  if (asynchronous_solves && csr->block() > most_asynchronous)
    throw Error(Exit::usage,
                "parilu, parilut: solves = \"asynchronous\" takes blocks of at most 8 unknowns, this "
                "matrix has " +
                    std::to_string(csr->block()) + "; solves = \"exact\" takes all");
  return *csr;
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
ParIlu<Space>::ParIlu(const ParIluOptions& options) : options_(options) {}
template <class Space>
ParIlu<Space>::~ParIlu() = default;

template <class Space>
SetupInfo ParIlu<Space>::setup(const Matrix<Space>& A) {
  A_ = &block_csr(A, options_.asynchronous_solves);
  factors_.reset();
  SetupInfo info;
  {
    const ScopedTimer timer(info.seconds);
    factors_ = std::make_unique<ParIluFactors<Space>>(*A_, options_);
  }
  factors_->build(*A_, true, info);
  return info;
}

template <class Space>
SetupInfo ParIlu<Space>::update(const Matrix<Space>& A) {
  if (!factors_ || !factors_->fits(block_csr(A, options_.asynchronous_solves))) return setup(A);
  A_ = &block_csr(A, options_.asynchronous_solves);
  SetupInfo info;
  factors_->build(*A_, false, info);
  return info;
}

template <class Space>
void ParIlu<Space>::apply(View<const double> r, View<double> z) const {
  factors_->solve(r.data(), z.data());
}

template <class Space>
Work ParIlu<Space>::apply_work() const {
  return factors_ ? factors_->solve_work() : Work{};
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
const std::vector<ParIlutStep>& ParIlu<Space>::steps() const {
  return factors_->steps();
}
template <class Space>
ParIluTimes ParIlu<Space>::times() const {
  return factors_->times();
}
template <class Space>
BlockCsrData ParIlu<Space>::factors() const {
  return factors_->to_data();
}
template <class Space>
void ParIlu<Space>::set_factors(const std::vector<double>& values) {
  factors_->from_values(values);
}
template <class Space>
void ParIlu<Space>::sweep() {
  factors_->sweeps(*A_, 1);
}

template <class Space>
std::string report_of_steps(const Preconditioner<Space>& M) {
  const auto* parilu = dynamic_cast<const ParIlu<Space>*>(&M);
  if (!parilu || parilu->steps().empty()) return "";
  std::string text = "step  candidates  blocks in L  blocks in U  |A - L U| before  threshold L  threshold U";
  char line[200];
  int k = 0;
  for (const ParIlutStep& s : parilu->steps()) {
    char residual[32] = "not measured";
    if (s.residual >= 0) std::snprintf(residual, sizeof residual, "%.2e", s.residual);
    std::snprintf(line, sizeof line, "\n%4d %11lld %12lld %12lld %17s %12.2e %12.2e", ++k,
                  static_cast<long long>(s.candidates), static_cast<long long>(s.lower),
                  static_cast<long long>(s.upper), residual, s.threshold_L, s.threshold_U);
    text += line;
  }
  text += "\nmilliseconds:";
  for (int stage = 0; stage < parilu_stages; ++stage) {
    if (parilu->times()[static_cast<std::size_t>(stage)] == 0) continue;
    std::snprintf(line, sizeof line, " %s %.3g", to_string(static_cast<ParIluStage>(stage)),
                  1e3 * parilu->times()[static_cast<std::size_t>(stage)]);
    text += line;
  }
  return text + "\n";
}

namespace {

int at_least(const Table& t, const char* key, int least, int fallback) {
  const int value = t.get(key, fallback);
  if (value < least) t.fail(key, std::string("must be at least ") + std::to_string(least));
  return value;
}

ParIluOptions read_options(const Table& t, bool thresholds) {
  ParIluOptions o;
  o.thresholds = thresholds;
  o.sweeps = at_least(t, "sweeps", 1, thresholds ? o.sweeps : 5);
  o.synchronous = t.choice("schedule", {"asynchronous", "synchronous"}, "asynchronous") == "synchronous";
  o.asynchronous_solves = t.choice("solves", {"exact", "asynchronous"}, "exact") == "asynchronous";
  if (o.asynchronous_solves) o.apply_sweeps = at_least(t, "apply_sweeps", 1, o.apply_sweeps);
  o.from_previous = t.choice("initial", {"matrix", "previous"}, "matrix") == "previous";
  o.diagnostics = t.get("diagnostics", false);
  if (!thresholds) return o;
  o.steps = at_least(t, "steps", 0, o.steps);
  if (o.from_previous) o.update_steps = at_least(t, "update_steps", 0, o.update_steps);
  o.fill = t.get("fill", o.fill);
  if (!(o.fill > 0 && o.fill <= 1000)) t.fail("fill", "must be above 0 and at most 1000, in units of A's entries");
  o.exact_thresholds = t.choice("thresholds", {"approximate", "exact"}, "approximate") == "exact";
  return o;
}

}  // namespace

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_parilu(const Table& options) {
  return std::make_unique<ParIlu<Space>>(read_options(options, false));
}
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_parilut(const Table& options) {
  return std::make_unique<ParIlu<Space>>(read_options(options, true));
}

template class ParIlu<Host>;
template class ParIlu<Device>;
template std::string report_of_steps<Host>(const Preconditioner<Host>&);
template std::string report_of_steps<Device>(const Preconditioner<Device>&);
template std::unique_ptr<Preconditioner<Host>> make_parilu<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_parilu<Device>(const Table&);
template std::unique_ptr<Preconditioner<Host>> make_parilut<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_parilut<Device>(const Table&);

}  // namespace weir
