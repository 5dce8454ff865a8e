// Lines times eigenvectors: modes = Q^T x and x = Q modes. If the line is symmetric, the even and the odd part of x
// have separate modes: two products of half the size, half the operations:
//  modes = [Qe^T (x + mirror x) , Qo^T (x - mirror x)] ,
//  x = a + b, mirror x = a - b with a = Qe modes_e, b = Qo modes_o.
#include <algorithm>

#include "solvers/device/gemm.hpp"
#include "solvers/preconditioner/fast_poisson/line_transform.hpp"

namespace weir {
namespace {

constexpr int lines_a_block = 64;

class MatrixTransform final : public LineTransform {
 public:
  explicit MatrixTransform(const Modes& modes)
      : modes_(modes), n_(modes.n), even_(modes.even_size()), odd_(modes.odd_size()) {}

  int block() const override { return lines_a_block; }
  std::int64_t scratch() const override { return std::int64_t{lines_a_block} * n_; }

  void forward(const Lines& l, double* scratch) const override {
    double *e = scratch, *o = scratch + std::ptrdiff_t{even_} * l.count;
    if (l.step == 1) {
      fold_rows(l, e, o);
      gemm_host(even_, l.count, even_, {modes_.even_transposed.data(), even_}, {e, even_}, {l.out, l.next});
      gemm_host(odd_, l.count, odd_, {modes_.odd_transposed.data(), odd_}, {o, odd_}, {l.out + even_, l.next});
    } else {
      fold_columns(l, e, o);
      gemm_host(l.count, even_, even_, {e, l.count}, {modes_.even.data(), even_}, {l.out, l.step});
      gemm_host(l.count, odd_, odd_, {o, l.count}, {modes_.odd.data(), odd_}, {l.out + even_ * l.step, l.step});
    }
  }

  void inverse(const Lines& l, double* scratch) const override {
    double *a = scratch, *b = scratch + std::ptrdiff_t{even_} * l.count;
    if (l.step == 1) {
      gemm_host(even_, l.count, even_, {modes_.even.data(), even_}, {l.in, l.next}, {a, even_});
      gemm_host(odd_, l.count, odd_, {modes_.odd.data(), odd_}, {l.in + even_, l.next}, {b, odd_});
      unfold_rows(l, a, b);
    } else {
      gemm_host(l.count, even_, even_, {l.in, l.step}, {modes_.even_transposed.data(), even_}, {a, l.count});
      gemm_host(l.count, odd_, odd_, {l.in + even_ * l.step, l.step}, {modes_.odd_transposed.data(), odd_},
                {b, l.count});
      unfold_columns(l, a, b);
    }
  }

 private:
  void fold_rows(const Lines& l, double* e, double* o) const {
    for (int r = 0; r < l.count; ++r) {
      const double* x = l.in + r * l.next;
      double *er = e + std::ptrdiff_t{r} * even_, *orow = o + std::ptrdiff_t{r} * odd_;
      for (int i = 0; i < odd_; ++i) {
        er[i] = x[i] + x[n_ - 1 - i];
        orow[i] = x[i] - x[n_ - 1 - i];
      }
      for (int i = odd_; i < even_; ++i) er[i] = x[i];  // the middle; the whole line if not symmetric
    }
  }
  void unfold_rows(const Lines& l, const double* a, const double* b) const {
    for (int r = 0; r < l.count; ++r) {
      double* x = l.out + r * l.next;
      const double *ar = a + std::ptrdiff_t{r} * even_, *br = b + std::ptrdiff_t{r} * odd_;
      for (int i = 0; i < odd_; ++i) {
        x[i] = ar[i] + br[i];
        x[n_ - 1 - i] = ar[i] - br[i];
      }
      for (int i = odd_; i < even_; ++i) x[i] = ar[i];
    }
  }
  void fold_columns(const Lines& l, double* e, double* o) const {
    const int w = l.count;
    for (int i = 0; i < odd_; ++i) {
      const double *x = l.in + i * l.step, *y = l.in + (n_ - 1 - i) * l.step;
      double *ei = e + std::ptrdiff_t{i} * w, *oi = o + std::ptrdiff_t{i} * w;
#pragma omp simd
      for (int c = 0; c < w; ++c) {
        const double p = x[c], q = y[c];
        ei[c] = p + q;
        oi[c] = p - q;
      }
    }
    for (int i = odd_; i < even_; ++i) std::copy_n(l.in + i * l.step, w, e + std::ptrdiff_t{i} * w);
  }
  void unfold_columns(const Lines& l, const double* a, const double* b) const {
    const int w = l.count;
    for (int i = 0; i < odd_; ++i) {
      double *x = l.out + i * l.step, *y = l.out + (n_ - 1 - i) * l.step;
      const double *ai = a + std::ptrdiff_t{i} * w, *bi = b + std::ptrdiff_t{i} * w;
#pragma omp simd
      for (int c = 0; c < w; ++c) {
        const double p = ai[c], q = bi[c];
        x[c] = p + q;
        y[c] = p - q;
      }
    }
    for (int i = odd_; i < even_; ++i) std::copy_n(a + std::ptrdiff_t{i} * w, w, l.out + i * l.step);
  }

  const Modes& modes_;
  int n_, even_, odd_;
};

}  // namespace

std::unique_ptr<LineTransform> make_matrix_transform(const Modes& modes) {
  return std::make_unique<MatrixTransform>(modes);
}

// Estimate: 50 Gflop/s, and the folding.
double matrix_transform_cost(int n, ModeBasis basis) {
  return basis == ModeBasis::symmetric ? 0.02 * n + 0.5 : 0.04 * n + 0.3;
}

}  // namespace weir
