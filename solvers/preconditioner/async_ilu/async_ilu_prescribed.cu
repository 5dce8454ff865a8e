// Sweeps of prescribed asynchrony: a loop over the lanes for every step of the schedule. Each row is in two slots.
#include "solvers/device/for_each.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu_rows.hpp"

namespace weir::async_ilu {
namespace {

struct Prescribed {
  AsyncSchedule schedule;
  int sweep, step, row;  // row: the reader's place in the order of the loop
  double *L, *U, *inverse, *vector;
  std::int64_t slot_L, slot_U, slot_inverse, slot_vector;  // sizes of a slot
  int n;
  bool backward;

  WEIR_HD int mine() const { return sweep & 1; }
  WEIR_HD int seen_of(std::int64_t k) const { return schedule.slot(sweep, step, row, static_cast<int>(k)); }
  WEIR_HD void copy(const double* from, int count, double* to) const {
    for (int e = 0; e < count; ++e) to[e] = from[e];
  }
  WEIR_HD void load_L(std::int64_t e, double* block) const {  // of this row: just stored
    copy(L + mine() * slot_L + e * n * n, n * n, block);
  }
  WEIR_HD void load_U(std::int64_t e, int k, double* block) const {
    copy(U + seen_of(k) * slot_U + e * n * n, n * n, block);
  }
  WEIR_HD void load_inverse(std::int64_t k, double* block) const {
    copy(inverse + seen_of(k) * slot_inverse + k * n * n, n * n, block);
  }
  WEIR_HD void store_L(std::int64_t e, const double* block) const {
    copy(block, n * n, L + mine() * slot_L + e * n * n);
  }
  WEIR_HD void store_U(std::int64_t e, const double* block) const {
    copy(block, n * n, U + mine() * slot_U + e * n * n);
  }
  WEIR_HD void store_inverse(std::int64_t i, const double* block) const {
    copy(block, n * n, inverse + mine() * slot_inverse + i * n * n);
  }
  WEIR_HD void load_vector(std::int64_t k, double* x) const {
    copy(vector + seen_of(backward ? schedule.rows - 1 - k : k) * slot_vector + k * n, n, x);
  }
  WEIR_HD void store_vector(std::int64_t i, const double* x) const {
    copy(x, n, vector + mine() * slot_vector + i * n);
  }
};

template <class Space>
void build_step(const AsyncView& f, const Prescribed& at) {
  for_each<Space>(at.schedule.lanes, [=] WEIR_HD(int lane) {
    Prescribed mine = at;
    mine.row = at.schedule.row(at.step, lane);
    if (mine.row >= f.rows) return;
    if (f.n == 1)
      sweep_row<1>(f, mine, mine.row);
    else
      sweep_row<largest_block>(f, mine, mine.row);
  });
}

// right: r forward, y backward.
template <class Space>
void solve_step(const AsyncView& f, const Prescribed& at, const double* right) {
  for_each<Space>(at.schedule.lanes, [=] WEIR_HD(int lane) {
    Prescribed mine = at;
    mine.row = at.schedule.row(at.step, lane);
    if (mine.row >= f.rows) return;
    if (at.backward)
      backward_row<largest_block>(f, mine, f.rows - 1 - mine.row, right);
    else
      forward_row<largest_block>(f, mine, mine.row, right);
  });
}

template <class Space>
void clear(double* x, int size) {
  for_each<Space>(size, [=] WEIR_HD(int i) { x[i] = 0; });
}
template <class Space>
void copy_scaled(const double* x, const double* scale, double* z, int size) {
  for_each<Space>(size, [=] WEIR_HD(int i) { z[i] = scale ? x[i] * scale[i] : x[i]; });
}

}  // namespace

template <class Space>
void sweep_prescribed(const AsyncView& f, const AsyncSchedule& schedule, std::int64_t lowers, std::int64_t uppers,
                      int sweeps) {
  const std::int64_t nn = std::int64_t{f.n} * f.n;
  Prescribed at{schedule, 0, 0, 0, f.L, f.U, f.inverse, nullptr, lowers * nn, uppers * nn, f.rows * nn, 0, f.n, false};
  for (at.sweep = 0; at.sweep < sweeps; ++at.sweep)
    for (at.step = 0; at.step < schedule.steps(); ++at.step) build_step<Space>(f, at);
}

template <class Space>
void solve_prescribed(const AsyncView& f, const AsyncSchedule& schedule, int sweeps, const double* r, double* y,
                      double* work, double* z) {
  const int size = f.rows * f.n, last = (sweeps - 1) & 1;
  Prescribed at{schedule, 0, 0, 0, nullptr, nullptr, nullptr, y, 0, 0, 0, size, f.n, false};
  clear<Space>(y + size, size);
  for (at.sweep = 0; at.sweep < sweeps; ++at.sweep)
    for (at.step = 0; at.step < schedule.steps(); ++at.step) solve_step<Space>(f, at, r);
  at.vector = work;
  at.backward = true;
  clear<Space>(work + size, size);
  for (at.sweep = 0; at.sweep < sweeps; ++at.sweep)
    for (at.step = 0; at.step < schedule.steps(); ++at.step) solve_step<Space>(f, at, y + std::int64_t{last} * size);
  copy_scaled<Space>(work + std::int64_t{last} * size, f.scale, z, size);
}

template void sweep_prescribed<Host>(const AsyncView&, const AsyncSchedule&, std::int64_t, std::int64_t, int);
template void sweep_prescribed<Device>(const AsyncView&, const AsyncSchedule&, std::int64_t, std::int64_t, int);
template void solve_prescribed<Host>(const AsyncView&, const AsyncSchedule&, int, const double*, double*, double*,
                                     double*);
template void solve_prescribed<Device>(const AsyncView&, const AsyncSchedule&, int, const double*, double*, double*,
                                       double*);

}  // namespace weir::async_ilu
