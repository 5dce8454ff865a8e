#include "solvers/preconditioner/multigrid/multigrid_host.hpp"

#include <algorithm>

#include "solvers/preconditioner/multigrid/multigrid_own_rows.hpp"

namespace weir::multigrid {
namespace {

// Nonzero part of u before half a sweep: nothing, the other colour, everything.
enum class Guess { none, opposite, full };

// Stencil of a half row: pointers and coefficients.
template <class T>
struct HalfRow {
  T *u, *g;
  const T *west, *east, *south, *north, *below, *above;
  const T *x_low, *x_up, *x_diagonal;
  T y_low, y_up, z_low, z_up, diagonal;
  int n;
};

// A missing neighbour has coupling 0; its pointer is the opposite half of the row itself, which is never older than the
// current sweep.
template <class T>
[[gnu::always_inline]] inline HalfRow<T> half_row(const LevelView<T>& L, int q, int j, int k) {
  const auto at = [&](int half, int row, int plane) { return L.u + L.place(half, row, plane); };
  const T* opposite = at(1 - q, j, k);
  HalfRow<T> h;
  h.u = at(q, j, k);
  h.g = L.g + L.place(q, j, k);
  h.west = q == 0 ? opposite - 1 : opposite;
  h.east = q == 0 ? opposite : opposite + 1;
  h.south = j > 0 ? at(q, j - 1, k) : L.Y.periodic ? at(q, L.Y.n - 1, k) : opposite;
  h.north = j + 1 < L.Y.n ? at(q, j + 1, k) : L.Y.periodic ? at(q, 0, k) : opposite;
  h.below = k > 0 ? at(q, j, k - 1) : L.Z.periodic ? at(q, j, L.Z.n - 1) : opposite;
  h.above = k + 1 < L.Z.n ? at(q, j, k + 1) : L.Z.periodic ? at(q, j, 0) : opposite;
  h.x_low = L.X.low + q * L.pitch;
  h.x_up = L.X.up + q * L.pitch;
  h.x_diagonal = L.X.diagonal + q * L.pitch;
  h.y_low = L.Y.low[j];
  h.y_up = L.Y.up[j];
  h.z_low = L.Z.low[k];
  h.z_up = L.Z.up[k];
  h.diagonal = L.shift + L.Y.diagonal[j] + L.Z.diagonal[k];
  h.n = (L.X.n + 1 - q) / 2;
  return h;
}

template <class T>
inline T neighbours(const HalfRow<T>& h, int m) {
  return h.x_low[m] * h.west[m] + h.x_up[m] * h.east[m] + h.y_low * h.south[m] + h.y_up * h.north[m] +
         h.z_low * h.below[m] + h.z_up * h.above[m];
}

// Sets i = -1 and i = n of a row in halves.
template <class T>
void close_row(T* even, int pitch, int n, bool periodic) {
  T* odd = even + pitch;
  T* end = n % 2 ? odd : even;  // named pointer: g++ 12 with -fsanitize=undefined miscompiles (c ? a : b)[i]
  const T first = periodic ? even[0] : 0, last = !periodic ? 0 : n % 2 ? even[n / 2] : odd[n / 2 - 1];
  odd[-1] = last;
  end[n / 2] = first;
}

template <Guess guess, class T>
void relax_half(const LevelView<T>& L, int q, int j, int k, T omega) {
  const HalfRow<T> h = half_row(L, q, j, k);
#pragma omp simd
  for (int m = 0; m < h.n; ++m) {
    const T d = h.x_diagonal[m] + h.diagonal;
    if constexpr (guess == Guess::none)
      h.u[m] = omega * h.g[m] / d;
    else if constexpr (guess == Guess::opposite)
      h.u[m] = omega * (h.g[m] + neighbours(h, m)) / d;
    else
      h.u[m] += omega * ((h.g[m] + neighbours(h, m)) / d - h.u[m]);
  }
  if (L.X.periodic) close_row(L.u + L.place(0, j, k), L.pitch, L.X.n, true);
}

template <class T>
void residual_half(const LevelView<T>& L, int q, int j, int k, T* out) {
  const HalfRow<T> h = half_row(L, q, j, k);
#pragma omp simd
  for (int m = 0; m < h.n; ++m) out[m] = h.g[m] + neighbours(h, m) - (h.x_diagonal[m] + h.diagonal) * h.u[m];
}

template <class T>
void relax_plane(const LevelView<T>& L, int colour, int k, T omega, Guess guess) {
  for (int j = 0; j < L.Y.n; ++j) {
    const int q = (colour + j + k) & 1;
    if (guess == Guess::none)
      relax_half<Guess::none>(L, q, j, k, omega);
    else if (guess == Guess::opposite)
      relax_half<Guess::opposite>(L, q, j, k, omega);
    else
      relax_half<Guess::full>(L, q, j, k, omega);
  }
}

// The unknown i of a row in halves; i = -1 and i = n are valid.
template <class P>
auto& at(P* even, int pitch, int i) {
  return even[(i & 1) * pitch + (i >> 1)];
}

// out = R (even | odd) in natural order, for rows that are zero except in half q.
template <class T>
void restrict_row(const RowExchange<T>& x, const T* even, int pitch, int q, T* out) {
  for (const auto& run : x.runs) {
    const T *a = &at(even, pitch, run.fine), *b = &at(even, pitch, run.fine + 1);  // a, b, a, b, ...
    T* c = out + run.coarse;
    const T *w0 = &x.restriction[0][run.coarse], *w1 = &x.restriction[1][run.coarse],
            *w2 = &x.restriction[2][run.coarse], *w3 = &x.restriction[3][run.coarse];
    if (run.pairs) {
      const bool is_first = run.fine % 2 == q;
      const T *left = is_first ? a : b - 1, *wl = is_first ? w1 : w0, *wr = is_first ? w3 : w2;
#pragma omp simd
      for (int t = 0; t < run.count; ++t) c[t] = wl[t] * left[t] + wr[t] * left[t + 1];
      continue;
    }
    const int half = run.count / 2;
#pragma omp simd
    for (int t = 0; t < half; ++t) {
      c[2 * t] = w1[2 * t] * a[t];
      c[2 * t + 1] = w1[2 * t + 1] * b[t];
    }
    if (run.count % 2) c[run.count - 1] = w1[run.count - 1] * a[half];
    c[0] += w0[0] * b[-1];
    c[run.count - 1] += w2[run.count - 1] * at(even, pitch, run.fine + run.count);
  }
}

// (even | odd) += P e; e[-1] and e[coarse] are valid.
template <class T>
void prolong_row(const RowExchange<T>& x, const T* e, T* even, int pitch) {
  for (const auto& run : x.runs) {
    T *a = &at(even, pitch, run.fine), *b = &at(even, pitch, run.fine + 1);
    const T* c = e + run.coarse;
    if (run.pairs) {
      const T *ap = &x.left_parent[run.coarse], *ao = &x.left_other[run.coarse], *bp = &x.right_parent[run.coarse],
              *bo = &x.right_other[run.coarse];
#pragma omp simd
      for (int t = 0; t < run.count; ++t) {
        a[t] += ap[t] * c[t] + ao[t] * c[t - 1];
        b[t] += bp[t] * c[t] + bo[t] * c[t + 1];
      }
      continue;
    }
    const T* p = &x.left_parent[run.coarse];
    const int half = run.count / 2;
#pragma omp simd
    for (int t = 0; t < half; ++t) {
      a[t] += p[2 * t] * c[2 * t];
      b[t] += p[2 * t + 1] * c[2 * t + 1];
    }
    if (run.count % 2) a[half] += p[run.count - 1] * c[run.count - 1];
  }
}

template <class T>
int row_scratch(const LevelView<T>& fine) {
  return 4 * fine.pitch;
}
template <class T>
int coarse_pitch(const LevelView<T>& coarse) {
  return 2 * coarse.pitch;
}  // >= nx + 3

// planes[k] = residual of one colour of plane k (the other is zero), restricted in x and y.
template <class T>
void restrict_plane(const HostPass<T>& pass, int colour, int k, T* scratch) {
  const LevelView<T>& L = pass.fine;
  const TransferView<T>& Y = pass.exchange.Y;
  const int nx = pass.coarse.X.n, pitch = coarse_pitch(pass.coarse);
  T* rows = scratch + row_scratch(L);
  std::fill(scratch, rows, T(0));
  for (int j = 0; j < L.Y.n; ++j) {
    const int q = (colour + j + k) & 1;
    T* even = scratch + 2 * q * L.pitch;  // rows that are nonzero in half q only
    residual_half(L, q, j, k, even + q * L.pitch);
    close_row(even, L.pitch, L.X.n, L.X.periodic);
    restrict_row(*pass.row, even, L.pitch, q, rows + j * pitch);
  }
  for (int J = 0; J < Y.coarse; ++J) {
    T* out = pass.exchange.planes + (static_cast<std::int64_t>(k) * Y.coarse + J) * nx;
    const T* w = Y.restriction + 4 * J;
    const T *r0 = rows + Y.slot(J, 0) * pitch, *r1 = rows + Y.slot(J, 1) * pitch, *r2 = rows + Y.slot(J, 2) * pitch,
            *r3 = rows + Y.slot(J, 3) * pitch;
#pragma omp simd
    for (int I = 0; I < nx; ++I) out[I] = w[0] * r0[I] + w[1] * r1[I] + w[2] * r2[I] + w[3] * r3[I];
  }
}

// Coarse g of plane K from the restricted planes.
template <class T>
void gather_plane(const HostPass<T>& pass, int K) {
  const LevelView<T>& C = pass.coarse;
  const TransferView<T>& Z = pass.exchange.Z;
  const T* w = Z.restriction + 4 * K;
  for (int J = 0; J < C.Y.n; ++J) {
    const auto row = [&](int s) {
      return pass.exchange.planes + (static_cast<std::int64_t>(Z.slot(K, s)) * C.Y.n + J) * C.X.n;
    };
    const T *r0 = row(0), *r1 = row(1), *r2 = row(2), *r3 = row(3);
    for (int q = 0; q < 2; ++q) {
      T* g = C.g + C.place(q, J, K);
      const int n = (C.X.n + 1 - q) / 2;
#pragma omp simd
      for (int m = 0; m < n; ++m) {
        const int I = 2 * m + q;
        g[m] = w[0] * r0[I] + w[1] * r1[I] + w[2] * r2[I] + w[3] * r3[I];
      }
    }
  }
}

// Coarse correction at fine plane k in natural order, row J at e + J pitch, with i = -1 and i = nx.
template <class T>
void interpolate_planes(const HostPass<T>& pass, int k, T* e) {
  const LevelView<T>& C = pass.coarse;
  const TransferView<T>& Z = pass.exchange.Z;
  const int pitch = coarse_pitch(C), nx = C.X.n, half = nx / 2;
  const T wp = Z.weight_parent[k], wo = Z.weight_other[k];
  for (int J = 0; J < C.Y.n; ++J) {
    const T *p = C.u + C.place(0, J, Z.parent[k]), *o = C.u + C.place(0, J, Z.other[k]);
    T* row = e + J * pitch;
#pragma omp simd
    for (int m = 0; m < half; ++m) {
      row[2 * m] = wp * p[m] + wo * o[m];
      row[2 * m + 1] = wp * p[C.pitch + m] + wo * o[C.pitch + m];
    }
    if (nx % 2) row[nx - 1] = wp * p[half] + wo * o[half];
    row[-1] = C.X.periodic ? row[nx - 1] : 0;
    row[nx] = C.X.periodic ? row[0] : 0;
  }
}

template <class T>
void correct_plane(const HostPass<T>& pass, int k, T* scratch) {
  const LevelView<T>& L = pass.fine;
  const TransferView<T>& Y = pass.exchange.Y;
  const int pitch = coarse_pitch(pass.coarse), nx = pass.coarse.X.n;
  T *row = scratch + 1, *plane = row + pitch;
  interpolate_planes(pass, k, plane);
  for (int j = 0; j < L.Y.n; ++j) {
    const T *p = plane + Y.parent[j] * pitch, *o = plane + Y.other[j] * pitch;
    const T wp = Y.weight_parent[j], wo = Y.weight_other[j];
    if (wo != 0 || wp != 1) {
#pragma omp simd
      for (int I = -1; I <= nx; ++I) row[I] = wp * p[I] + wo * o[I];
      p = row;
    }
    T* even = L.u + L.place(0, j, k);
    prolong_row(*pass.row, p, even, L.pitch);
    if (L.X.periodic) close_row(even, L.pitch, L.X.n, true);
  }
}

template <class T>
int team_size(const HostPass<T>& pass) {
  constexpr int grain = 1 << 15;
  return std::clamp(std::min(omp_get_max_threads(), pass.workspace.threads), 1, 1 + pass.fine.count() / grain);
}

}  // namespace

template <class T>
RowExchange<T> make_row_exchange(const LineTransfer& t) {
  RowExchange<T> x;
  const auto n = static_cast<std::size_t>(t.coarse());
  for (int s = 0; s < 4; ++s)
    for (std::size_t I = 0; I < n; ++I)
      x.restriction[s].push_back(static_cast<T>(t.restriction[4 * I + static_cast<std::size_t>(s)]));
  for (int I = 0; I < t.coarse(); ++I) {
    if (t.first[I] == t.first[I + 1]) {  // its fine unknowns belong to another rank
      for (auto* weights : {&x.left_parent, &x.left_other, &x.right_parent, &x.right_other}) weights->push_back(0);
      continue;
    }
    const auto a = static_cast<std::size_t>(t.first[I]), b = static_cast<std::size_t>(t.first[I + 1]) - 1;
    x.left_parent.push_back(static_cast<T>(t.weight_parent[a]));
    x.left_other.push_back(static_cast<T>(t.weight_other[a]));
    x.right_parent.push_back(static_cast<T>(t.weight_parent[b]));
    x.right_other.push_back(static_cast<T>(t.weight_other[b]));
    const bool pair = b > a;
    if (x.runs.empty() || x.runs.back().pairs != pair) x.runs.push_back({t.first[I], I, 0, pair});
    ++x.runs.back().count;
  }
  return x;
}

template <class T>
std::int64_t scratch_size(const LevelView<T>& fine, const LevelView<T>& coarse) {
  const std::int64_t rows = std::max(fine.Y.n, coarse.Y.n + 1);
  return row_scratch(fine) + (rows + 1) * coarse_pitch(coarse) + 64;
}

template <class T>
double load_own(const LevelView<T>& L, const double* r, double factor) {
  double peak = 0;
#pragma omp parallel for schedule(static) reduction(max : peak) if (L.own.count() > 1 << 15)
  for (int k = L.own_k; k < L.own_k + L.own.nz; ++k) peak = std::max(peak, load_plane(L, k, r, factor));
  return peak;
}

template <class T>
double descend(const HostPass<T>& pass, const double* r, double factor) {
  const LevelView<T>& L = pass.fine;
  const int halves = 2 * pass.sweeps, threads = team_size(pass);
  double* const peaks = pass.workspace.peaks;
  const auto scratch = [&](int t) { return pass.workspace.data + t * pass.workspace.stride; };
  const auto stage = [&](int s, int k, int t) {
    if (s == 0 && r) peaks[t * 8] = std::max(peaks[t * 8], load_plane(L, k, r, factor));
    if (s == halves) return restrict_plane(pass, pass.first_colour, k, scratch(t));
    relax_plane(L, (pass.first_colour + s) % 2, k, pass.omega[s],
                s == 0   ? Guess::none
                : s == 1 ? Guess::opposite
                         : Guess::full);
  };
  for (int t = 0; t < threads; ++t) peaks[t * 8] = 0;
  run_stages(L.Z.n, L.Z.periodic, halves + 1, threads, stage, pass.coarse.Z.n,
             [&](int K, int) { gather_plane(pass, K); });
  double peak = 0;
  for (int t = 0; t < threads; ++t) peak = std::max(peak, peaks[t * 8]);
  return peak;
}

template <class T>
void ascend(const HostPass<T>& pass, const Output& out) {
  const LevelView<T>& L = pass.fine;
  const int halves = 2 * pass.sweeps;
  const auto stage = [&](int s, int k, int t) {
    if (s == 0) return correct_plane(pass, k, pass.workspace.data + t * pass.workspace.stride);
    relax_plane(L, (pass.first_colour + s + 1) % 2, k, pass.omega[s - 1], Guess::full);
    if (s == halves && out.z && k >= L.own_k && k < L.own_k + L.own.nz)
      for (int j = L.own_j; j < L.own_j + L.own.ny; ++j) store_row(L, j, k, out);
  };
  run_stages(L.Z.n, L.Z.periodic, halves + 1, team_size(pass), stage, 0, [](int, int) {});
}

#define WEIR_INSTANTIATE(T)                                                        \
  template RowExchange<T> make_row_exchange<T>(const LineTransfer&);               \
  template std::int64_t scratch_size<T>(const LevelView<T>&, const LevelView<T>&); \
  template double load_own<T>(const LevelView<T>&, const double*, double);         \
  template double descend<T>(const HostPass<T>&, const double*, double);           \
  template void ascend<T>(const HostPass<T>&, const Output&)
WEIR_INSTANTIATE(float);
WEIR_INSTANTIATE(double);
#undef WEIR_INSTANTIATE

}  // namespace weir::multigrid
