// The products of a matrix as passes of the same shape, with the sums computed in the same pass:
#pragma once
#include <type_traits>

#include "solvers/matrix/matrix.hpp"

namespace weir {

enum class Product { apply, apply_dot, apply_dots, residual, residual_dot };

constexpr bool is_residual(Product p) { return p == Product::residual || p == Product::residual_dot; }
constexpr bool has_sums(Product p) { return p != Product::apply && p != Product::residual; }

// f(std::integral_constant<Product, p>)
template <class F>
auto with_product(Product p, const F& f) {
  switch (p) {
    case Product::apply:
      return f(std::integral_constant<Product, Product::apply>());
    case Product::apply_dot:
      return f(std::integral_constant<Product, Product::apply_dot>());
    case Product::apply_dots:
      return f(std::integral_constant<Product, Product::apply_dots>());
    case Product::residual:
      return f(std::integral_constant<Product, Product::residual>());
    default:
      return f(std::integral_constant<Product, Product::residual_dot>());
  }
}

// Products of a matrix, derived from Base, by its member Pair product(Product, b, x, y) const. Derived::fuses(p): the
// pass computes the sums; otherwise Base makes another pass, with a different order of additions.
template <class Derived, class Base>
class FusedProducts : public Base {
 public:
  using Base::Base;
  void apply(View<const double> x, View<double> y) const override { run(Product::apply, {}, x, y); }
  double apply_dot(View<const double> x, View<double> y) const override {
    if constexpr (Derived::fuses(Product::apply_dot)) return run(Product::apply_dot, {}, x, y).a;
    return Base::apply_dot(x, y);
  }
  Pair apply_dots(View<const double> x, View<const double> w, View<double> y) const override {
    if constexpr (Derived::fuses(Product::apply_dots)) return run(Product::apply_dots, w, x, y);
    return Base::apply_dots(x, w, y);
  }
  void residual(View<const double> b, View<const double> x, View<double> r) const override {
    run(Product::residual, b, x, r);
  }
  double residual_dot(View<const double> b, View<const double> x, View<double> r) const override {
    if constexpr (Derived::fuses(Product::residual_dot)) return run(Product::residual_dot, b, x, r).a;
    return Base::residual_dot(b, x, r);
  }

 private:
  Pair run(Product p, View<const double> b, View<const double> x, View<double> y) const {
    return static_cast<const Derived&>(*this).product(p, b.data(), x.data(), y.data());
  }
};

}  // namespace weir
