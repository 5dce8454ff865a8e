// Linear solvers in checkpoints: the state on which their next solves depend (LinearSolver::save), one rank after the
// other. Solvers without such state are skipped.
//   require_promises(run, solver);                     // at the start
//   save_solver(ranks, "flow", solver, state);
//   note = load_solver(ranks, "flow", solver, from);   // before set-up; why the state could not be restored, or empty
#pragma once
#include <string>
#include <type_traits>

#include "postproc/run/run.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// Error(usage) if the solver cannot be saved in checkpoints or contradicts --deterministic.
template <class Space>
void require_promises(const Run& run, LinearSolver<Space>& solver) {
  if (checkpoints_available()) {
    Archive nothing;
    solver.preconditioner().save(nothing);
  }
  const bool alone = std::is_same_v<Space, Host> && run.threads() == 1;
  if (!run.is_deterministic() || alone || solver.preconditioner().traits().repeats) return;
  throw Error(Exit::usage, "--deterministic ([device] deterministic): " + solver.name() +
                               " depends on timing, because its threads do not wait for each other; choose asynchrony "
                               "= \"prescribed\" (async_ilu0, async_block_ilu0), schedule = \"synchronous\" with "
                               "solves = \"exact\" (parilu, parilut), or --space host --threads 1");
}

// All ranks call.
template <class Space>
void save_solver(const Communicator& ranks, const std::string& name, LinearSolver<Space>& solver,
                 CheckpointState& state) {
  if (!solver.remembers()) return;
  Archive mine;
  solver.save(mine);
  std::vector<double> sizes(static_cast<std::size_t>(ranks.size()), 0.0);
  sizes[static_cast<std::size_t>(ranks.rank())] = static_cast<double>(mine.numbers().size());
  if (ranks.size() > 1) ranks.sum(sizes);
  double before = 0, all = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    if (r < ranks.rank()) before += sizes[static_cast<std::size_t>(r)];
    all += sizes[static_cast<std::size_t>(r)];
  }
  state.keep("solver_" + name + "_sizes", std::move(sizes));
  const Spread* spread = nullptr;
  if (ranks.size() > 1)
    spread = &state.kept_spreads.emplace_back(ranks, static_cast<std::size_t>(all), static_cast<std::size_t>(before),
                                              mine.numbers().size());
  state.keep("solver_" + name, mine.numbers(), spread);
}

template <class Space>
std::string load_solver(const Communicator& ranks, const std::string& name, LinearSolver<Space>& solver,
                        const Checkpoint& from) {
  if (!solver.remembers()) return "";
  const std::string intro = "the solver of '" + name + "' starts without its earlier state: ";
  const std::vector<double>* sizes = from.find("solver_" + name + "_sizes");
  if (!sizes || !from.has("solver_" + name)) return intro + "the checkpoint does not contain it";
  if (static_cast<int>(sizes->size()) != ranks.size())
    return intro + "the checkpoint was written by " + std::to_string(sizes->size()) + " ranks";
  std::size_t before = 0, all = 0;
  for (std::size_t r = 0; r < sizes->size(); ++r) {
    const double size = (*sizes)[r];
    if (!(size >= 0 && size <= 1e15))
      throw Error(Exit::file_io, from.path + ": its 'solver_" + name + "_sizes' are inconsistent");
    if (static_cast<int>(r) < ranks.rank()) before += static_cast<std::size_t>(size);
    all += static_cast<std::size_t>(size);
  }
  const auto mine = static_cast<std::size_t>((*sizes)[static_cast<std::size_t>(ranks.rank())]);
  const Spread spread(ranks, all, before, mine);
  std::vector<double> numbers = from.part("solver_" + name, ranks.size() > 1 ? &spread : nullptr, mine);
  bool is_of_this = false;
  all_or_none(ranks, [&] { is_of_this = solver.load(Archive(std::move(numbers))); });
  if (is_of_this) return "";
  return intro + "[linear." + name + "] has changed";
}

}  // namespace weir
