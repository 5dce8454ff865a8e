// A body force given by a formula, on the faces of each component; evaluated on the host, once or in every step.
#pragma once
#include <vector>

#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"

namespace weir {

template <class Space>
class ForceField {
 public:
  // The case must outlive this.
  ForceField(const IncompressibleCase& c, const Layout& layout);
  void set_time(double t);
  // rhs += dt V f on the unknowns of a component.
  void add_to(int component, const Metrics& m, double dt, View<double> rhs) const;

 private:
  void evaluate(int component, double t);

  const IncompressibleCase& c_;
  Layout layout_;
  std::vector<double> host_;
  Array<double, Space> force_[3];  // empty if the component has no formula
};

}  // namespace weir
