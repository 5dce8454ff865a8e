// The levels of a multigrid method in one space and one precision, and the cycle over them.
#pragma once
#include <memory>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"
#include "solvers/preconditioner/multigrid/multigrid_host.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {

// Hides the precision.
template <class Space>
class CycleBase {
 public:
  virtual ~CycleBase() = default;
  virtual void update(double shift, double scale, bool singular) = 0;  // allocates nothing
  virtual void apply(View<const double> r, View<double> z) = 0;
  virtual double apply_dot(View<const double> r, View<double> z) = 0;  // the same; returns r.z
  virtual int levels() const = 0;
  virtual std::int64_t bytes() const = 0;
  virtual Work work() const = 0;  // of one application
};

template <class Space>
std::unique_ptr<CycleBase<Space>> make_cycle(const SeparableOperator& A, const MultigridOptions& options);

// A level's memory. Coefficients lie in one array: x low, up, diagonal in halves, y low, up, diagonal, z likewise.
template <class T, class Space>
struct Level {
  LevelView<T> view;
  ExchangeView<T> exchange;  // with the next coarser level
  RowExchange<T> row;        // Host only
  bool two_colours = true;   // no periodic direction of odd size
  Array<T, Space> values, coefficients, weights;
  Array<double, Space> masses;
  Array<int, Space> indices;
  std::vector<T> coefficients_on_host;
  std::int64_t bytes() const {
    return (values.size() + coefficients.size() + weights.size()) * static_cast<std::int64_t>(sizeof(T)) +
           8 * masses.size() + 4 * indices.size();
  }
};

template <class T, class Space>
Level<T, Space> make_level(const GridLevel& grid, bool fused);
template <class T, class Space>
void set_coefficients(const GridLevel& grid, double shift, double scale, Level<T, Space>& level);

}  // namespace weir::multigrid
