#include "solvers/preconditioner/fast_poisson/fast_poisson_plan.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solvers/preconditioner/fast_poisson/line_transform.hpp"

namespace weir {
namespace {

struct Choice {
  ModeBasis basis = ModeBasis::single;
  double cost = 0;  // ns a value
};

Choice choose_basis(const SeparableDirection& d, const FastPoissonOptions& options, bool may_use_fast) {
  if (d.size() == 1) return {};
  const ModeBasis matrix = eigenvector_basis(d), fast = trigonometric_basis(d);
  const Choice by_matrix{matrix, matrix_transform_cost(d.size(), matrix)};
  if (!may_use_fast || !has_fast_transforms() || fast == ModeBasis::dense || options.transforms == "matrix")
    return by_matrix;
  const Choice by_transform{fast, fast_transform_cost(d.size(), fast)};
  return options.transforms == "fast" || by_transform.cost < by_matrix.cost ? by_transform : by_matrix;
}

}  // namespace

const SeparableDirection& arranged(const SeparableOperator& A, int d) {
  const auto& a = A.direction;
  const bool alone = a[1].size() == 1 && a[2].size() == 1;
  return a[static_cast<std::size_t>(alone && d < 2 ? 1 - d : d)];
}

void check_signs(const SeparableOperator& A) {
  if (!(A.shift >= 0 && A.scale >= 0 && A.shift + A.scale > 0))
    throw std::invalid_argument("fast_poisson needs shift >= 0 and scale >= 0, not both 0");
}

double FastPoissonPlan::norm() const {
  double f = 1;
  for (int d = 0; d < 3; ++d)
    if (d != tridiagonal) f *= modes[static_cast<std::size_t>(d)].norm;
  return f;
}

Work FastPoissonPlan::work() const {
  const std::int64_t count = extents.count();
  const int passes = 1 + 2 * (transforms(0) || transforms(1)) + 2 * transforms(2);
  double flops = static_cast<double>(count) * (tridiagonal >= 0 ? 16 : 4);
  std::int64_t tables = tridiagonal >= 0 ? 4 * direction[static_cast<std::size_t>(tridiagonal)].size() : 0;
  for (int d = 0; d < 3; ++d) {
    if (!transforms(d)) continue;
    const Modes& m = modes[static_cast<std::size_t>(d)];
    const bool matrix = m.basis == ModeBasis::dense || m.basis == ModeBasis::symmetric;
    const double a_value = m.basis == ModeBasis::dense ? 2.0 * m.n : matrix ? 1.0 * m.n : 2.5 * std::log2(m.n);
    flops += 2 * a_value * static_cast<double>(count);
    tables += m.n + static_cast<std::int64_t>(2 * (m.even.size() + m.odd.size()));
  }
  return {8 * (2 * passes * count + tables), std::llround(flops)};
}

std::string FastPoissonPlan::describe() const {
  std::string text;
  for (int d = 0; d < 3; ++d) {
    const auto& m = modes[static_cast<std::size_t>(d)];
    if (d != tridiagonal && m.n == 1) continue;
    text += text.empty() ? "" : ", ";
    text += std::string(1, static_cast<char>('x' + d)) + " " + (d == tridiagonal ? "tridiagonal" : to_string(m.basis));
  }
  return text.empty() ? "one unknown" : text;
}

FastPoissonPlan make_fast_poisson_plan(const SeparableOperator& A, const FastPoissonOptions& options, bool may_use_fast,
                                       std::int64_t least_lines) {
  FastPoissonPlan plan;
  for (int d = 0; d < 3; ++d) plan.direction[static_cast<std::size_t>(d)] = arranged(A, d);
  const auto& direction = plan.direction;
  plan.extents = {direction[0].size(), direction[1].size(), direction[2].size()};
  plan.shift = A.shift;
  plan.scale = A.scale;
  plan.singular = A.has_constant_null_space();

  std::array<Choice, 3> choice;
  for (std::size_t d = 0; d < 3; ++d) choice[d] = choose_basis(direction[d], options, may_use_fast);
  // The dearest of y and z stays tridiagonal; z where they are equal, for its lines lie side by side over whole planes.
  double dearest = 0;
  for (int d : {1, 2}) {
    const auto s = static_cast<std::size_t>(d);
    const bool asked = options.tridiagonal == (d == 1 ? "y" : "z");
    const bool allowed =
        asked || (options.tridiagonal == "auto" && plan.extents.count() / direction[s].size() >= least_lines);
    if (!allowed || direction[s].periodic || direction[s].size() == 1 || choice[s].cost < dearest) continue;
    dearest = choice[s].cost;
    plan.tridiagonal = d;
  }
  for (std::size_t d = 0; d < 3; ++d)
    if (static_cast<int>(d) != plan.tridiagonal) plan.modes[d] = make_modes(direction[d], choice[d].basis);
  return plan;
}

}  // namespace weir
