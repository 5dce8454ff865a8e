// Passes over a basis on the host (basis_host.cpp).
#pragma once
#include <cstdint>

namespace weir::basis_host {

template <class T>
struct HostBasis {
  const T* v;
  std::int64_t n, stride;
};
std::int64_t chunks_of(std::int64_t n);  // number of rows of `partial`; a row has at most count + 1 values
template <class T>
void project(const HostBasis<T>& V, const double* w, int count, double* partial, double* h);
template <class T>
double subtract(const HostBasis<T>& V, const double* h, double* w, int count, double* partial, double* left);
template <class T>
void combine(const HostBasis<T>& V, const double* y, int count, double* x);

}  // namespace weir::basis_host
