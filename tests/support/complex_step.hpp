// Complex numbers that compare by their real part, for derivatives by the complex step f'(x) = Im f(x + i h) / h with
// h = 1e-30: no subtraction, hence exact to round-off (Squire & Trapp 1998).
#pragma once
#include <cmath>
#include <complex>

namespace weir::test {

struct Complex {
  std::complex<double> z;
  Complex() = default;
  Complex(double x) : z(x) {}
  Complex(std::complex<double> x) : z(x) {}

  friend Complex operator+(Complex a, Complex b) { return a.z + b.z; }
  friend Complex operator-(Complex a, Complex b) { return a.z - b.z; }
  friend Complex operator*(Complex a, Complex b) { return a.z * b.z; }
  friend Complex operator/(Complex a, Complex b) { return a.z / b.z; }
  friend Complex operator-(Complex a) { return -a.z; }
  friend bool operator<(Complex a, Complex b) { return a.z.real() < b.z.real(); }
  friend Complex square_root(Complex a) { return std::sqrt(a.z); }
  friend Complex power(Complex a, double e) { return std::pow(a.z, e); }
  friend Complex absolute(Complex a) { return a.z.real() < 0 ? -a.z : a.z; }
  friend Complex select(bool which, Complex yes, Complex no) { return which ? yes : no; }
};

inline constexpr double complex_step = 1e-30;
inline Complex stepped(double x) { return std::complex<double>(x, complex_step); }
inline double slope(const Complex& f) { return f.z.imag() / complex_step; }

}  // namespace weir::test
