// Values of A into the order of the colours, and D factorised where it lies.
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"

namespace weir::multicolor {
namespace {

// The largest entry of the row's blocks: what a stored block is divided by. 1 where the row has none.
template <class T>
WEIR_HD double row_scale(const MulticolorView<T>& m, const double* value, int p) {
  const std::int64_t nn = std::int64_t{m.n} * m.n;
  double largest = 0;
  for (int part = 0; part < 2; ++part) {
    const std::int64_t* range = part == 0 ? m.start : m.later;
    for (std::int64_t e = range[p]; e < range[p + 1]; ++e)
      for (std::int64_t k = 0; k < nn; ++k) {
        const double a = value[m.source[e] * nn + k], size = a < 0 ? -a : a;
        largest = size > largest ? size : largest;
      }
  }
  return largest > 0 ? largest : 1;
}

template <class Space, class T>
void copy_off_diagonals(const MulticolorView<T>& m, const double* value) {
  for_each<Space>(m.rows, [=] WEIR_HD(int p) {
    const int n = m.n;
    const std::int64_t nn = std::int64_t{n} * n;
    double inverse = 1;
    if (m.scale) {
      m.scale[p] = row_scale(m, value, p);
      inverse = 1 / m.scale[p];
    }
    for (int part = 0; part < 2; ++part) {
      const std::int64_t* range = part == 0 ? m.start : m.later;
      for (std::int64_t e = range[p]; e < range[p + 1]; ++e) {
        const double* from = value + m.source[e] * nn;
        T* to = m.off + e * nn;
        for (int v = 0; v < n; ++v)
          for (int u = 0; u < n; ++u) to[v * n + u] = static_cast<T>(from[u * n + v] * inverse);
      }
    }
  });
}

template <class Space, class T>
void copy_diagonals(const MulticolorView<T>& m, const BlockCsrView& A) {
  for_each<Space>(m.rows, [=] WEIR_HD(int p) {
    const int n = m.n;
    const std::int64_t nn = std::int64_t{n} * n;
    const double* from = A.value.data() + A.diagonal[m.row[p]] * nn;
    double* to = m.diagonal + p * nn;
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) to[v * n + u] = from[u * n + v];
  });
}

// The smallest row whose D or O is not finite once D is factorised, or rows.
template <class Space, class T>
int first_bad_row(const MulticolorView<T>& m) {
  const double last = max_abs<Space>(m.rows, [=] WEIR_HD(int p) {
    const std::int64_t nn = std::int64_t{m.n} * m.n;
    double sum = 0;
    for (std::int64_t k = p * nn; k < (p + 1) * nn; ++k) sum += 0 * m.diagonal[k];
    for (int part = 0; part < 2; ++part) {
      const std::int64_t* range = part == 0 ? m.start : m.later;
      for (std::int64_t k = range[p] * nn; k < range[p + 1] * nn; ++k) sum += 0 * static_cast<double>(m.off[k]);
    }
    return sum == 0 ? 0.0 : static_cast<double>(m.rows - m.row[p]);
  });
  return m.rows - static_cast<int>(last);
}

}  // namespace

template <class Space, class T>
int factorise(const MulticolorView<T>& m, const BlockCsrView& A) {
  copy_off_diagonals<Space>(m, A.value.data());
  copy_diagonals<Space>(m, A);
  int bad = m.rows;
  if constexpr (std::is_same_v<Space, Host>)
    bad = host::invert_diagonals(m.rows, m.n, m.row, m.diagonal);
  else
    device::factorise_diagonals(m.rows, m.n, m.diagonal);
  const int not_finite = first_bad_row<Space>(m);
  bad = not_finite < bad ? not_finite : bad;
  return bad < m.rows ? bad : -1;
}

template int factorise<Host, double>(const MulticolorView<double>&, const BlockCsrView&);
template int factorise<Host, float>(const MulticolorView<float>&, const BlockCsrView&);
template int factorise<Host, Bfloat16>(const MulticolorView<Bfloat16>&, const BlockCsrView&);
template int factorise<Device, double>(const MulticolorView<double>&, const BlockCsrView&);
template int factorise<Device, float>(const MulticolorView<float>&, const BlockCsrView&);
template int factorise<Device, Bfloat16>(const MulticolorView<Bfloat16>&, const BlockCsrView&);

}  // namespace weir::multicolor
