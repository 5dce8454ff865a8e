#include "miniapps/driver/lagged_preconditioner.hpp"

#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

constexpr const char* matrix_name = "refresh_matrix";

}  // namespace

template <class Space>
void keep_copy(View<const double> from, Array<double, Space>& to) {
  if (to.size() < from.size()) to = Array<double, Space>(from.size());
  assign<Space>(from, to.view().part(0, from.size()));
}

template <class Space>
void LaggedPreconditioner<Space>::follow(const LinearSolver<Space>& solver, View<const double> values) {
  if (solver.refresh_policy().is_always() || solver.refresh_policy().age() > 0) return;
  keep_copy(values, kept_);
}

template <class Space>
void LaggedPreconditioner<Space>::save(const LinearSolver<Space>& solver, CheckpointState& state) {
  if (solver.refresh_policy().is_always() || kept_.size() == 0) return;
  on_host_ = kept_.to_vector();
  state.add(matrix_name, on_host_);
}

template <class Space>
void LaggedPreconditioner<Space>::load(const Checkpoint& from, LinearSolver<Space>& solver, const Matrix<Space>& A,
                                       View<double> values) {
  if (solver.refresh_policy().is_always() || !from.find(matrix_name)) return;
  kept_ = Array<double, Space>(from.doubles(matrix_name, values.size()));
  assign<Space>(kept_.view(), values);
  solver.resume(A);
}

template <class Space>
void LaggedPreconditioner<Space>::report(Run& run, const std::string& system, const LinearSolver<Space>& solver) const {
  if (!solver.refresh_policy().is_always()) report_lag(run, system, solver.refresh_policy());
}

template void keep_copy(View<const double>, Array<double, Host>&);
template void keep_copy(View<const double>, Array<double, Device>&);
template class LaggedPreconditioner<Host>;
template class LaggedPreconditioner<Device>;

}  // namespace weir
