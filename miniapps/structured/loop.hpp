// What the time loops of the schemes share: records of solves, checkpoints, the place where a flow went wrong.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "miniapps/structured/case.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "postproc/run/hash.hpp"
#include "postproc/run/run.hpp"
#include "solvers/device/array.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

template <class Space>
using NamedArrays = std::vector<std::pair<std::string, Array<double, Space>*>>;

// `record` names step, system, solver and unknowns; negative seconds were not measured.
void record_solve(Run& run, SolveRecord record, const SolveResult& result, double setup_seconds);

// "pressure: max_iterations at step 3", "NaN or Inf in the pressure solve of step 3".
std::string failed_solve_text(const std::string& system, Reason reason, std::int64_t step);
// "NaN or Inf at step 3: first in u of cell (1, 2, 0)"; empty where all is finite.
std::string where_not_finite(const Flow<Host>& fields, std::int64_t step);

// [output] diagnostics_every.
int read_diagnostics_every(const Table& config);

std::uint64_t hash_of_flow(const Flow<Host>& flow);

// The fields in host memory: themselves, or a copy kept for the purpose.
template <class Space>
class OnHost {
 public:
  const Flow<Host>& of(const Flow<Space>& flow) {
    if constexpr (std::is_same_v<Space, Host>) {
      return flow;
    } else {
      if (!copy_) copy_ = std::make_unique<Flow<Host>>(flow.layout);
      for (int c = 0; c < flow.layout.dim; ++c) copy(copy_->velocity[c], flow.velocity[c]);
      copy(copy_->p, flow.p);
      return *copy_;
    }
  }

 private:
  std::unique_ptr<Flow<Host>> copy_;
};

template <class Space>
void save_checkpoint(Run& run, CheckpointState state, const NamedArrays<Space>& arrays) {
  std::vector<std::vector<double>> copies;
  copies.reserve(arrays.size());
  for (const auto& [name, array] : arrays) {
    if constexpr (std::is_same_v<Space, Host>)
      state.add(name, std::span<const double>(array->data(), static_cast<std::size_t>(array->size())));
    else
      state.add(name, std::span<const double>(copies.emplace_back(array->to_vector())));
  }
  run.checkpoint(std::move(state));
}

template <class Space>
void load_arrays(const Checkpoint& from, const NamedArrays<Space>& arrays) {
  for (const auto& [name, array] : arrays) array->upload(from.doubles(name, array->size()));
}

}  // namespace weir
