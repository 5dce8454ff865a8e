// Cosine, sine and Fourier transforms of real lines by FFTW's complex transform, which is vectorised where its real
// ones are not (16384 lines of 128: 1.2 ms against 7 ms and more, without the passes here). The transforms are linear
// over the reals: two neighbouring lines a, b form one complex line a + i b, and a block of lines is stored value by
// value, [n][lines]. With the complex spectrum V and
//  s_k = V_k + V_{n-k} ,  d_k = -i (V_k - V_{n-k})
// every mode is a real combination  X_k = a_k s_k + b_k d_k :
//  cosine (Makhoul 1980): V of the values in the order 0, 2, 4, ..., 5, 3, 1;  X_k = Re exp(-i pi k / 2n) V_k
//  sine:    the cosine transform of (-1)^i x_i
//  fourier: Hartley's transform, Re V - Im V
//  mixed:   the odd modes of the cosine transform of 2n values, the line and minus its mirror image
//  sine_I:  V of the odd extension to 2 (n + 1) values;  X_k = i V_{k+1}
// Plans use FFTW_ESTIMATE: measured plans differ from run to run, and with them the bits of the result.
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "solvers/device/simd.hpp"
#include "solvers/preconditioner/fast_poisson/line_transform.hpp"

namespace weir {
namespace {

constexpr int width = 16;  // lines per block: 8 complex ones

typedef double Vector __attribute__((vector_size(simd_doubles * 8)));
typedef double Unaligned __attribute__((vector_size(simd_doubles * 8), aligned(8), may_alias));
using Places = std::make_integer_sequence<int, simd_doubles>;

Vector load(const double* p) { return *reinterpret_cast<const Unaligned*>(p); }
void store(double* p, Vector v) { *reinterpret_cast<Unaligned*>(p) = v; }

template <int... e>
Vector swap_pairs(Vector z, std::integer_sequence<int, e...>) {
  return __builtin_shufflevector(z, z, (e ^ 1)...);
}

// -i z for the complex numbers in a vector: (im, -re).
struct Turn {
  Turn() {
    for (int i = 0; i < simd_doubles; ++i) sign[i] = i % 2 == 0 ? 1 : -1;
  }
  Vector operator()(Vector z) const { return swap_pairs(z, Places()) * sign; }
  Vector sign;
};

struct Pair {  // modes x and y (possibly equal) from the spectrum at k and q = length - k (mod length)
  int k, q, x, y;
  double a, b, aq, bq;  // X_x = a s + b d,  X_y = aq s + bq d
  double e, f, g, h;    // s = e X_x + f X_y,  d = g X_x + h X_y, over 2
};

class FastTransform final : public LineTransform {
 public:
  explicit FastTransform(const Modes& modes);
  ~FastTransform() override {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
  }
  FastTransform(const FastTransform&) = delete;
  FastTransform& operator=(const FastTransform&) = delete;

  int block() const override { return width; }
  std::int64_t scratch() const override { return std::int64_t{2} * length_ * width; }
  void forward(const Lines& l, double* scratch) const override;
  void inverse(const Lines& l, double* scratch) const override;

 private:
  void place_values();
  void pair_cosines(bool only_odd);
  void pair_hartley();
  void pair_sines_I();
  void transform(fftw_plan plan, double* from, double* to) const {
    fftw_execute_dft(plan, reinterpret_cast<fftw_complex*>(from), reinterpret_cast<fftw_complex*>(to));
  }
  void extend(double* x) const;                                        // the mirrored half and the blank rows
  void combine(const double* V, double* X, std::ptrdiff_t ld) const;   // modes from the spectrum
  void separate(const double* X, std::ptrdiff_t ld, double* V) const;  // and back
  static bool is_full(const Lines& l) { return l.next == 1 && l.count == width; }

  ModeBasis basis_;
  int n_, length_;                                 // length of a line; of the complex transform
  std::vector<int> row_, mirror_, natural_;        // places of value i and of minus value i; 0, 1, 2, ...
  std::vector<double> sign_, plus_;                // its sign; 1, 1, 1, ...
  std::vector<int> blank_value_, blank_spectrum_;  // rows that are zero
  std::vector<Pair> pair_;
  fftw_plan forward_ = nullptr, backward_ = nullptr;
};

bool is_mixed(ModeBasis b) { return b == ModeBasis::mixed_low || b == ModeBasis::mixed_high; }

FastTransform::FastTransform(const Modes& modes) : basis_(modes.basis), n_(modes.n), length_(modes.n) {
  if (is_mixed(basis_)) length_ = 2 * n_;
  if (basis_ == ModeBasis::sine_I) length_ = 2 * (n_ + 1);
  place_values();
  if (basis_ == ModeBasis::fourier)
    pair_hartley();
  else if (basis_ == ModeBasis::sine_I)
    pair_sines_I();
  else
    pair_cosines(is_mixed(basis_));
  auto* a = fftw_alloc_complex(static_cast<std::size_t>(scratch() / 2));
  auto* b = a + std::ptrdiff_t{length_} * (width / 2);
  const auto plan = [&](int direction) {
    return fftw_plan_many_dft(1, &length_, width / 2, a, nullptr, width / 2, 1, b, nullptr, width / 2, 1, direction,
                              FFTW_ESTIMATE);
  };
  forward_ = plan(FFTW_FORWARD);
  backward_ = plan(FFTW_BACKWARD);
  fftw_free(a);
}

void FastTransform::place_values() {
  const auto makhoul = [&](int i) { return i % 2 == 0 ? i / 2 : length_ - (i + 1) / 2; };
  for (int i = 0; i < n_; ++i) {
    natural_.push_back(i);
    plus_.push_back(1);
    sign_.push_back(basis_ == ModeBasis::sine && i % 2 == 1 ? -1 : 1);
    switch (basis_) {
      case ModeBasis::fourier:
        row_.push_back(i);
        break;
      case ModeBasis::sine_I:
        row_.push_back(i + 1);
        mirror_.push_back(length_ - 1 - i);
        break;
      case ModeBasis::mixed_low:
        row_.push_back(makhoul(i));
        mirror_.push_back(makhoul(length_ - 1 - i));
        break;
      case ModeBasis::mixed_high:  // from the other end
        row_.push_back(makhoul(n_ - 1 - i));
        mirror_.push_back(makhoul(n_ + i));
        break;
      default:
        row_.push_back(makhoul(i));
        break;
    }
  }
}

void FastTransform::pair_cosines(bool only_odd) {
  const int first = only_odd ? 1 : 0, stride = only_odd ? 2 : 1;
  const auto mode = [&](int k) { return only_odd ? (k - 1) / 2 : k; };
  for (int k = first; k <= length_ / 2; k += stride) {
    const int q = k == 0 ? 0 : length_ - k;
    const double angle = 0.5 * std::numbers::pi * k / length_, c = std::cos(angle), s = std::sin(angle);
    if (k == 0)
      pair_.push_back({0, 0, 0, 0, 0.5, 0, 0.5, 0, 1, 0, 0, 0});
    else
      pair_.push_back({k, q, mode(k), mode(q), 0.5 * c, 0.5 * s, 0.5 * s, -0.5 * c, c, s, s, -c});
  }
  for (int k = 0; only_odd && k < length_; k += 2) blank_spectrum_.push_back(k);
}

void FastTransform::pair_hartley() {
  pair_.push_back({0, 0, 0, 0, 0.5, 0, 0.5, 0, 1, 0, 0, 0});
  for (int k = 1; k <= n_ / 2; ++k) pair_.push_back({k, n_ - k, k, n_ - k, 0.5, -0.5, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5});
}

void FastTransform::pair_sines_I() {
  for (int k = 1; k <= n_; ++k) pair_.push_back({k, length_ - k, k - 1, k - 1, 0, -0.5, 0, -0.5, 0, 0, -1, 0});
  blank_value_ = blank_spectrum_ = {0, n_ + 1};
}

template <int S, int... e>
void exchange_two(Vector& v, Vector& w, std::integer_sequence<int, e...>) {
  const Vector a = v, b = w;
  v = __builtin_shufflevector(a, b, (e & S ? simd_doubles + e - S : e)...);
  w = __builtin_shufflevector(a, b, (e & S ? simd_doubles + e : e + S)...);
}

// Transposes a square of vectors by exchanging off-diagonal blocks: halves, quarters, ... single values.
template <int S>
void exchange(Vector (&v)[simd_doubles]) {
  for (int i = 0; i < simd_doubles; ++i)
    if (!(i & S)) exchange_two<S>(v[i], v[i + S], Places());
  if constexpr (S > 1) exchange<S / 2>(v);
}

// Placement of lines in the rows of a buffer: value i of the line in row[i], times sign[i].
struct Placement {
  const std::vector<int>& row;
  const std::vector<double>& sign;
  int size() const { return static_cast<int>(row.size()); }
  std::ptrdiff_t offset(int i) const { return std::ptrdiff_t{row[i]} * width; }
  double s(int i) const { return sign[i]; }
};

void gather_rows(const Lines& l, const Placement& p, double* buffer) {
  int i = 0;
  for (; l.count == width && i + simd_doubles <= p.size(); i += simd_doubles)
    for (int c = 0; c < width; c += simd_doubles) {
      Vector v[simd_doubles];
      for (int k = 0; k < simd_doubles; ++k) v[k] = load(l.in + i + (c + k) * l.next);
      exchange<simd_doubles / 2>(v);
      for (int k = 0; k < simd_doubles; ++k) store(buffer + p.offset(i + k) + c, p.s(i + k) * v[k]);
    }
  for (; i < p.size(); ++i)
    for (int c = 0; c < width; ++c) buffer[p.offset(i) + c] = c < l.count ? p.s(i) * l.in[i + c * l.next] : 0;
}

void scatter_rows(const double* buffer, const Placement& p, const Lines& l) {
  int i = 0;
  for (; l.count == width && i + simd_doubles <= p.size(); i += simd_doubles)
    for (int c = 0; c < width; c += simd_doubles) {
      Vector v[simd_doubles];
      for (int k = 0; k < simd_doubles; ++k) v[k] = p.s(i + k) * load(buffer + p.offset(i + k) + c);
      exchange<simd_doubles / 2>(v);
      for (int k = 0; k < simd_doubles; ++k) store(l.out + i + (c + k) * l.next, v[k]);
    }
  for (; i < p.size(); ++i)
    for (int c = 0; c < l.count; ++c) l.out[i + c * l.next] = p.s(i) * buffer[p.offset(i) + c];
}

void gather(const Lines& l, const Placement& p, double* buffer) {
  if (l.next != 1) return gather_rows(l, p, buffer);
  for (int i = 0; i < p.size(); ++i) {
    double* to = buffer + p.offset(i);
    const double *from = l.in + i * l.step, s = p.s(i);
    if (l.count == width)
      for (int c = 0; c < width; c += simd_doubles) store(to + c, s * load(from + c));
    else
      for (int c = 0; c < width; ++c) to[c] = c < l.count ? s * from[c] : 0;
  }
}

void scatter(const double* buffer, const Placement& p, const Lines& l) {
  if (l.next != 1) return scatter_rows(buffer, p, l);
  for (int i = 0; i < p.size(); ++i) {
    const double *from = buffer + p.offset(i), s = p.s(i);
    double* to = l.out + i * l.step;
    if (l.count == width)
      for (int c = 0; c < width; c += simd_doubles) store(to + c, s * load(from + c));
    else
      for (int c = 0; c < l.count; ++c) to[c] = s * from[c];
  }
}

void clear(const std::vector<int>& rows, double* buffer) {
  for (const int r : rows) std::fill_n(buffer + std::ptrdiff_t{r} * width, width, 0.0);
}

void FastTransform::extend(double* x) const {
  for (std::size_t i = 0; i < mirror_.size(); ++i)
    for (int c = 0; c < width; c += simd_doubles)
      store(x + std::ptrdiff_t{mirror_[i]} * width + c, -load(x + std::ptrdiff_t{row_[i]} * width + c));
  clear(blank_value_, x);
}

void FastTransform::combine(const double* V, double* X, std::ptrdiff_t ld) const {
  const Turn turn;
  for (const Pair& p : pair_)
    for (int c = 0; c < width; c += simd_doubles) {
      const Vector v = load(V + std::ptrdiff_t{p.k} * width + c), u = load(V + std::ptrdiff_t{p.q} * width + c);
      const Vector s = v + u, d = turn(v - u);
      store(X + p.y * ld + c, p.aq * s + p.bq * d);
      store(X + p.x * ld + c, p.a * s + p.b * d);  // last: it may be y
    }
}

void FastTransform::separate(const double* X, std::ptrdiff_t ld, double* V) const {
  const Turn turn;
  for (const Pair& p : pair_)
    for (int c = 0; c < width; c += simd_doubles) {
      const Vector x = load(X + p.x * ld + c), y = load(X + p.y * ld + c);
      const Vector s = p.e * x + p.f * y, d = turn(p.g * x + p.h * y);  // V_k - V_q = i (g x + h y) 2 = -2 d
      store(V + std::ptrdiff_t{p.q} * width + c, s + d);
      store(V + std::ptrdiff_t{p.k} * width + c, s - d);
    }
  clear(blank_spectrum_, V);
}

void FastTransform::forward(const Lines& l, double* scratch) const {
  double *x = scratch, *V = scratch + std::ptrdiff_t{length_} * width;
  gather(l, {row_, sign_}, x);
  extend(x);
  transform(forward_, x, V);
  if (is_full(l)) return combine(V, l.out, l.step);
  combine(V, x, width);
  scatter(x, {natural_, plus_}, l);
}

void FastTransform::inverse(const Lines& l, double* scratch) const {
  double *V = scratch, *x = scratch + std::ptrdiff_t{length_} * width;
  if (is_full(l)) {
    separate(l.in, l.step, V);
  } else {
    gather(l, {natural_, plus_}, x);
    separate(x, width, V);
  }
  transform(backward_, V, x);
  scatter(x, {row_, sign_}, l);
}

}  // namespace

std::unique_ptr<LineTransform> make_fast_transform(const Modes& modes) {
  return std::make_unique<FastTransform>(modes);
}
bool has_fast_transforms() { return true; }

// About 0.1 ns per value and factor 2 of the length; large prime factors cost their size; two passes.
double fast_transform_cost(int n, ModeBasis basis) {
  int length = basis == ModeBasis::sine_I ? 2 * (n + 1) : is_mixed(basis) ? 2 * n : n;
  const double values = length;
  double factors = 0;
  for (int p = 2; length > 1; ++p)
    for (; length % p == 0; length /= p) factors += p <= 5 ? std::log2(p) : p;
  return 1.0 + 0.1 * factors * values / n;
}

}  // namespace weir
