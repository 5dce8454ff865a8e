#include "miniapps/driver/value_range.hpp"

#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

bool is_finite(double v) { return v - v == 0; }

// v - v is zero for finite v and NaN otherwise, so one sum checks all values.
struct Extremes {
  double least, most, doubt;
};

template <class Value>
Extremes extremes_of(int from, int to, const Value value) {
  double least = value(from), most = least, doubt = 0;
#pragma omp simd reduction(min : least) reduction(max : most) reduction(+ : doubt)
  for (int i = from; i < to; ++i) {
    const double v = value(i);
    least = v < least ? v : least;
    most = v > most ? v : most;
    doubt += v - v;
  }
  return {least, most, doubt};
}

template <class Value>
ValueRange range_on_host(int n, const Value& value) {
  if (n == 0) return {};
  const int chunks = detail::reduction_chunks(n);
  double* part = detail::reduction_scratch(3 * static_cast<std::int64_t>(chunks));
  detail::for_chunks<true>(n, [&](int c) {
    const Extremes x = extremes_of(c * detail::reduction_chunk, detail::chunk_end(c, n), value);
    part[3 * c] = x.least;
    part[3 * c + 1] = x.most;
    part[3 * c + 2] = x.doubt;
  });
  ValueRange r{part[0], part[1], true};
  double doubt = 0;
  for (int c = 0; c < chunks; ++c) {
    r.least = part[3 * c] < r.least ? part[3 * c] : r.least;
    r.most = part[3 * c + 1] > r.most ? part[3 * c + 1] : r.most;
    doubt += part[3 * c + 2];
  }
  r.all_finite = doubt == 0;
  return r;
}

template <class Value>
ValueRange range_on_device(int n, const Value& value) {
  if (n == 0) return {};
  const Extrema seen = device_extrema(n, value);
  if (!is_finite(seen.least) || !is_finite(seen.most)) return {.all_finite = false};
  return {seen.least, seen.most, true};
}

template <class Space, class Value>
ValueRange range(int n, const Value& value) {
  if constexpr (std::is_same_v<Space, Host>)
    return range_on_host(n, value);
  else
    return range_on_device(n, value);
}

struct Contiguous {  // contiguous loads need no gather
  const double* v;
  WEIR_HD double operator()(int i) const { return v[i]; }
};

struct Strided {
  const double* v;
  int first, stride;
  WEIR_HD double operator()(int i) const { return v[first + stride * i]; }
};

struct Pressure {
  const double* U;
  double gamma_minus_1;
  int stride;
  WEIR_HD double operator()(int i) const {
    const double* u = U + stride * i;
    return gamma_minus_1 * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0]);
  }
};

}  // namespace

template <class Space>
ValueRange range_of(View<const double> values, int first, int stride) {
  if (stride == 1) return range<Space>(static_cast<int>(values.size()) - first, Contiguous{values.data() + first});
  const int n = static_cast<int>((values.size() - first + stride - 1) / stride);
  return range<Space>(n, Strided{values.data(), first, stride});
}

template <class Space>
ValueRange range_of_pressure(View<const double> U, double gamma, int stride) {
  return range<Space>(static_cast<int>(U.size() / stride), Pressure{U.data(), gamma - 1, stride});
}

template ValueRange range_of<Host>(View<const double>, int, int);
template ValueRange range_of<Device>(View<const double>, int, int);
template ValueRange range_of_pressure<Host>(View<const double>, double, int);
template ValueRange range_of_pressure<Device>(View<const double>, double, int);

}  // namespace weir
