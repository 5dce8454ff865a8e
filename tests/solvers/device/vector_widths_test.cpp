// Packs of two, four and eight doubles, each compiled for a processor with such registers, whatever this one has: one
// program a width. Where the processor lacks them the program is compiled and not run (77: skipped).
#include "solvers/device/pack.hpp"

#include <cstdio>

using namespace weir;

namespace {

bool processor_has_the_registers() {
  if (WIDTH == 8) return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (WIDTH == 4) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return true;
}

int wrong = 0;
void expect(double is, double wanted, const char* what, int place) {
  if (is == wanted) return;
  std::printf("%s: %d: %g, wanted %g\n", what, place, is, wanted);
  ++wrong;
}

}  // namespace

int main() {
  if (!processor_has_the_registers()) return 77;
  constexpr int records = 12;
  double from[4 * records], to[4 * records] = {};
  float rounded[4 * records] = {};
  for (int i = 0; i < 4 * records; ++i) from[i] = 100 + i;
  const int index[8] = {3, 1, 7, 0, 5, 2, 9, 11};
  Pack p[4];
  gather4(from, index, p);
  scatter4(p, to, index);
  scatter4(p, rounded, index);
  for (int k = 0; k < Pack::width; ++k)
    for (int c = 0; c < 4; ++c) {
      const int i = 4 * index[k] + c;
      expect(p[c].v[k], from[i], "gather4", i);
      expect(to[i], from[i], "scatter4", i);
      expect(rounded[i], from[i], "scatter4 to floats", i);
    }
  load4(from + 4, p);
  store4(p, to);
  for (int i = 0; i < 4 * Pack::width; ++i) expect(to[i], from[i + 4], "load4, store4", i);
  const Pack negative = select(p[0] < p[1], Pack(-2.0), Pack(1.0));
  if (!any_negative(negative) || any_negative(absolute(negative))) expect(1, 0, "select, absolute", 0);
  expect(Pack::width, WIDTH, "doubles a register", 0);
  return wrong ? 1 : 0;
}
