// Cosine, sine and Fourier transforms of real lines through FFTW's complex transform, which uses vector registers where
// its real ones do not (16384 lines of 128: 1.2 ms against 7 ms and more, before the passes here). These transforms are
// linear over the reals, so two neighbouring lines a, b travel as one complex line a + i b, and a block of lines is
// stored value by value: [n][lines]. With the lines' complex spectrum V and
//   s_k = V_k + V_{n-k} ,  d_k = -i (V_k - V_{n-k})
// every mode is a real combination  X_k = a_k s_k + b_k d_k :
//   cosine (Makhoul 1980): V of the values in the order 0, 2, 4, ..., 5, 3, 1;  X_k = Re exp(-i pi k / 2n) V_k
//   sine:    the cosine transform of (-1)^i x_i
//   fourier: Hartley's transform, Re V - Im V
//   sine_I:  V of the odd extension to 2 (n + 1) values;  X_k = i V_{k+1}
// Plans are made with FFTW_ESTIMATE: measured plans differ from run to run, and so would the bits of the result.
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "solvers/device/simd.hpp"
#include "solvers/preconditioner/line_transform.hpp"

namespace weir {
namespace {

constexpr int width = 16;  // lines a block: 8 complex ones

typedef double Vector __attribute__((vector_size(simd_doubles * 8)));
typedef double Unaligned __attribute__((vector_size(simd_doubles * 8), aligned(8), may_alias));
typedef long long Index __attribute__((vector_size(simd_doubles * 8)));

Vector load(const double* p) { return *reinterpret_cast<const Unaligned*>(p); }
void store(double* p, Vector v) { *reinterpret_cast<Unaligned*>(p) = v; }

// -i z for the complex numbers in a vector: (im, -re).
struct Turn {
  Turn() {
    for (int i = 0; i < simd_doubles; ++i) {
      swap[i] = i ^ 1;
      sign[i] = i % 2 == 0 ? 1 : -1;
    }
  }
  Vector operator()(Vector z) const { return __builtin_shuffle(z, swap) * sign; }
  Index swap;
  Vector sign;
};

struct Weights {        // of one pair of modes k, q = n - k (mod n)
  double a, b, aq, bq;  // X_k = a s + b d,  X_q = aq s + bq d
  double e, f, g, h;    // s = e X_k + f X_q,  d = g X_k + h X_q
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
  void transform(fftw_plan plan, double* from, double* to) const {
    fftw_execute_dft(plan, reinterpret_cast<fftw_complex*>(from), reinterpret_cast<fftw_complex*>(to));
  }
  void gather(const Lines& l, bool permuted, double* buffer) const;         // from the lines to [row][width]
  void scatter(const double* buffer, bool permuted, const Lines& l) const;  // and back
  void combine(const double* V, double* X, std::ptrdiff_t ld) const;        // X_k from V
  void separate(const double* X, std::ptrdiff_t ld, double* V) const;       // and back
  void odd_extension(const Lines& l, double* scratch) const;
  static bool is_full(const Lines& l) { return l.next == 1 && l.count == width; }

  Basis basis_;
  int n_, length_;             // values of a line; of the complex transform
  std::vector<int> row_;       // where value i of the line goes
  std::vector<double> sign_;   // and its sign
  std::vector<Weights> pair_;  // k = 0 .. n / 2
  fftw_plan forward_ = nullptr, backward_ = nullptr;
};

FastTransform::FastTransform(const Modes& modes)
    : basis_(modes.basis), n_(modes.n), length_(basis_ == Basis::sine_I ? 2 * (n_ + 1) : n_) {
  const bool cosines = basis_ == Basis::cosine || basis_ == Basis::sine;
  for (int i = 0; i < n_; ++i) {
    row_.push_back(!cosines ? i : i % 2 == 0 ? i / 2 : n_ - (i + 1) / 2);
    sign_.push_back(basis_ == Basis::sine && i % 2 == 1 ? -1 : 1);
  }
  for (int k = 0; k <= n_ / 2; ++k) {
    const double c = std::cos(0.5 * std::numbers::pi * k / n_), s = std::sin(0.5 * std::numbers::pi * k / n_);
    Weights w = cosines ? Weights{0.5 * c, 0.5 * s, 0.5 * s, -0.5 * c, c, s, s, -c}
                        : Weights{0.5, -0.5, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5};
    if (k == 0) w = {0.5, 0, 0.5, 0, cosines ? 1.0 : 0.5, cosines ? 0.0 : 0.5, 0, 0};  // its own partner
    pair_.push_back(w);
  }
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

void FastTransform::gather(const Lines& l, bool permuted, double* buffer) const {
  if (l.count < width) std::fill_n(buffer, std::ptrdiff_t{n_} * width, 0.0);
  for (int i = 0; i < n_; ++i) {
    const auto s = static_cast<std::size_t>(i);
    double* to = buffer + std::ptrdiff_t{permuted ? row_[s] : i} * width;
    const double* from = l.in + i * l.step;
    const double sign = permuted ? sign_[s] : 1;
    if (is_full(l)) {
      for (int c = 0; c < width; c += simd_doubles) store(to + c, sign * load(from + c));
    } else {
      for (int c = 0; c < l.count; ++c) to[c] = sign * from[c * l.next];
    }
  }
}

void FastTransform::scatter(const double* buffer, bool permuted, const Lines& l) const {
  for (int i = 0; i < n_; ++i) {
    const auto s = static_cast<std::size_t>(i);
    const double* from = buffer + std::ptrdiff_t{permuted ? row_[s] : i} * width;
    double* to = l.out + i * l.step;
    const double sign = permuted ? sign_[s] : 1;
    if (is_full(l)) {
      for (int c = 0; c < width; c += simd_doubles) store(to + c, sign * load(from + c));
    } else {
      for (int c = 0; c < l.count; ++c) to[c * l.next] = sign * from[c];
    }
  }
}

void FastTransform::combine(const double* V, double* X, std::ptrdiff_t ld) const {
  const Turn turn;
  for (int k = 0; k <= n_ / 2; ++k) {
    const Weights& w = pair_[static_cast<std::size_t>(k)];
    const int q = k == 0 ? 0 : n_ - k;
    for (int c = 0; c < width; c += simd_doubles) {
      const Vector v = load(V + std::ptrdiff_t{k} * width + c), u = load(V + std::ptrdiff_t{q} * width + c);
      const Vector s = v + u, d = turn(v - u);
      store(X + q * ld + c, w.aq * s + w.bq * d);
      store(X + k * ld + c, w.a * s + w.b * d);  // last: k may be q
    }
  }
}

void FastTransform::separate(const double* X, std::ptrdiff_t ld, double* V) const {
  const Turn turn;
  for (int k = 0; k <= n_ / 2; ++k) {
    const Weights& w = pair_[static_cast<std::size_t>(k)];
    const int q = k == 0 ? 0 : n_ - k;
    for (int c = 0; c < width; c += simd_doubles) {
      const Vector x = load(X + k * ld + c), y = load(X + q * ld + c);
      const Vector s = w.e * x + w.f * y, d = turn(w.g * x + w.h * y);  // V_k - V_q = i (g x + h y) = -turn(...)
      store(V + std::ptrdiff_t{q} * width + c, s + d);
      store(V + std::ptrdiff_t{k} * width + c, s - d);
    }
  }
}

// Its own inverse but for the factor 2 (n + 1).
void FastTransform::odd_extension(const Lines& l, double* scratch) const {
  double *x = scratch, *V = scratch + std::ptrdiff_t{length_} * width;
  gather(l, false, x + width);
  std::fill_n(x, width, 0.0);
  std::fill_n(x + std::ptrdiff_t{n_ + 1} * width, width, 0.0);
  for (int i = 1; i <= n_; ++i)
    for (int c = 0; c < width; c += simd_doubles)
      store(x + std::ptrdiff_t{length_ - i} * width + c, -load(x + std::ptrdiff_t{i} * width + c));
  transform(forward_, x, V);
  const Turn turn;
  for (int k = 0; k < n_; ++k)
    for (int c = 0; c < width; c += simd_doubles)
      store(x + std::ptrdiff_t{k} * width + c, -turn(load(V + std::ptrdiff_t{k + 1} * width + c)));
  scatter(x, false, l);
}

void FastTransform::forward(const Lines& l, double* scratch) const {
  if (basis_ == Basis::sine_I) return odd_extension(l, scratch);
  double *x = scratch, *V = scratch + std::ptrdiff_t{length_} * width;
  gather(l, true, x);
  transform(forward_, x, V);
  if (is_full(l)) return combine(V, l.out, l.step);
  combine(V, x, width);
  scatter(x, false, l);
}

void FastTransform::inverse(const Lines& l, double* scratch) const {
  if (basis_ == Basis::sine_I) return odd_extension(l, scratch);
  double *V = scratch, *x = scratch + std::ptrdiff_t{length_} * width;
  if (is_full(l)) {
    separate(l.in, l.step, V);
  } else {
    gather(l, false, x);
    separate(x, width, V);
  }
  transform(backward_, V, x);
  scatter(x, true, l);
}

}  // namespace

std::unique_ptr<LineTransform> make_fast_transform(const Modes& modes) {
  return std::make_unique<FastTransform>(modes);
}
bool has_fast_transforms() { return true; }

// About 0.1 ns a value and factor 2 of the length; large prime factors cost their size; two passes.
double fast_transform_cost(int n, Basis basis) {
  int length = basis == Basis::sine_I ? 2 * (n + 1) : n;
  const double values = length;
  double factors = 0;
  for (int p = 2; length > 1; ++p)
    for (; length % p == 0; length /= p) factors += p <= 5 ? std::log2(p) : p;
  return 1.0 + 0.1 * factors * values / n;
}

}  // namespace weir
