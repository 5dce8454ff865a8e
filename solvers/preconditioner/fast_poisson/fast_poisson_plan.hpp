// What fast_poisson does in which direction, and the interface behind which a space does it.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "solvers/device/space.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson_modes.hpp"

namespace weir {

struct FastPoissonPlan {
  std::array<SeparableDirection, 3> direction;  // as arranged()
  Extents extents;
  std::array<Modes, 3> modes;  // of the tridiagonal direction: empty
  int tridiagonal = -1;        // 1, 2, or -1: none
  double shift = 0, scale = 1;
  bool singular = false;

  bool transforms(int d) const { return d != tridiagonal && modes[static_cast<std::size_t>(d)].n > 1; }
  double norm() const;  // product of those of the modes
  // Of one solution. Main memory is passed once for the transforms along x and y together, once for those along z, each way,
  // and once for the solve between them, reading and writing a value each time; the eigenvectors are read once, each
  // way. A line of n values takes 2.5 n log2 n operations by a fast transform, 2 n^2 by eigenvectors (half of them where
  // they are symmetric), 16 n as a tridiagonal system; a value 4 where all directions are transformed.
  Work work() const;
  std::string describe() const;
};

// Direction d of A; x and y change places where x is a line alone, so that it is solved as one tridiagonal system.
const SeparableDirection& arranged(const SeparableOperator& A, int d);

// Throws std::invalid_argument where shift or scale is below 0, or both are 0.
void check_signs(const SeparableOperator& A);

// The choice, by estimated cost. may_use_fast: else eigenvectors only. least_lines: a tridiagonal direction must leave
// so many lines to solve side by side.
FastPoissonPlan make_fast_poisson_plan(const SeparableOperator& A, const FastPoissonOptions& options, bool may_use_fast,
                                       std::int64_t least_lines);

template <class Space>
class FastPoissonSweep {
 public:
  virtual ~FastPoissonSweep() = default;
  virtual void solve(const FastPoissonPlan& plan, View<const double> r, View<double> z) const = 0;
  // Along x alone, without Modes::norm; `from` and `to` are two arrays.
  virtual void transform_x(const FastPoissonPlan& plan, bool inverse, const double* from, double* to) const = 0;
  virtual std::int64_t bytes() const = 0;
};
template <class Space>
std::unique_ptr<FastPoissonSweep<Space>> make_fast_poisson_sweep(const FastPoissonPlan& plan);
// What the space does best, for make_fast_poisson_plan.
template <class Space>
FastPoissonPlan choose_fast_poisson_plan(const SeparableOperator& A, const FastPoissonOptions& options);

}  // namespace weir
