// The flow in the whole box as rank 0 reads it for output: values in its memory, or those of all ranks, of which it
// holds a few pages at a time.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "base/at.hpp"
#include "miniapps/structured/layout.hpp"
#include "solvers/parallel/paged_array.hpp"

namespace weir {

// A view of a padded field.
class WholeField {
 public:
  WholeField(const PagedArray& values, const Layout& l)
      : values_(&values), origin_(l.origin()), stride_y_(l.stride(1)), stride_z_(l.stride(2)) {}
  double operator()(int i, int j, int k) const {
    return (*values_)[static_cast<std::size_t>(origin_ + i + j * stride_y_ + k * stride_z_)];
  }

 private:
  const PagedArray* values_;
  int origin_, stride_y_, stride_z_;
};

// The members have the names of those of Flow.
class WholeFlow {
 public:
  explicit WholeFlow(const Layout& l) : layout(l) {}
  // more: padded fields in addition to those of the flow. Refers to the values.
  WholeFlow(const Flow<Host>& flow, const std::vector<std::span<const double>>& more = {}) : layout(flow.layout) {
    for_arrays(flow, more, [&](std::span<const double> values) { arrays.emplace_back(values); });
    count(flow);
  }
  // f(values) for each array in the order of `arrays`.
  template <class F>
  static void for_arrays(const Flow<Host>& flow, const std::vector<std::span<const double>>& more, const F& f) {
    const auto add = [&](const Array<double, Host>& a) {
      f(std::span<const double>(a.data(), static_cast<std::size_t>(a.size())));
    };
    for (int c = 0; c < flow.layout.dim; ++c) add(flow.velocity[c]);
    add(flow.p);
    for (const auto& s : flow.scalars) add(s);
    for (const auto& values : more) f(values);
    if (flow.divergence) f(std::span(flow.divergence, at(flow.layout.cells().count())));
  }
  void count(const Flow<Host>& flow) { scalar_count_ = flow.scalars.size(); }

  std::size_t scalars() const { return scalar_count_; }
  WholeField component(int c) const { return field(at(c)); }
  WholeField pressure() const { return field(at(layout.dim)); }
  WholeField scalar(std::size_t s) const { return field(at(layout.dim) + 1 + s); }
  WholeField more(std::size_t m) const { return field(at(layout.dim) + 1 + scalar_count_ + m); }
  double divergence(int i, int j, int k) const { return arrays.back()[at(layout.cells().index(i, j, k))]; }

  Layout layout;
  std::vector<PagedArray> arrays;  // velocity, pressure, scalars, `more`, and the divergence if it is not staggered

 private:
  WholeField field(std::size_t array) const { return {arrays[array], layout}; }
  std::size_t scalar_count_ = 0;
};

}  // namespace weir
