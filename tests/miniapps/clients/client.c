/* A code that dumps its time loop: client FOLDER APPEND SHUFFLED. */
#define WEIR_CAPTURE_IMPLEMENTATION
#include "weir_capture.h"

enum { rows = 20, block = 2, area = block * block };

int main(int argc, char **argv) {
  int32_t start[rows + 1], column[3 * rows];
  double values[3 * rows * area], rhs[rows * block], guess[rows * block];
  const int append = argc > 2 && argv[2][0] == '1', shuffled = argc > 3;
  int i, j, k, step, e = 0, failed;
  weir_capture *c = weir_capture_open(argc > 1 ? argv[1] : "dump", "flow", append);
  for (i = 0; i < rows; ++i) {
    start[i] = e;
    if (shuffled) column[e++] = i;
    if (i > 0) column[e++] = i - 1;
    if (!shuffled) column[e++] = i;
    if (i + 1 < rows) column[e++] = i + 1;
  }
  start[rows] = e;
  weir_capture_pattern(c, rows, block, start, column, 0);
  for (step = 1; step <= 3; ++step) {
    for (i = 0; i < rows; ++i)
      for (j = start[i]; j < start[i + 1]; ++j)
        for (k = 0; k < area; ++k)
          values[j * area + k] = column[j] != i ? -0.25 * step : k % (block + 1) == 0 ? 8 + 0.125 * i : 0.5;
    for (i = 0; i < rows * block; ++i) rhs[i] = 1 + 0.5 * i, guess[i] = 0.25 * i * step;
    weir_capture_system(c, values, rhs, step == 1 ? NULL : guess, step, 0.5 * step);
  }
  failed = weir_capture_failed(c);
  if (failed) puts(weir_capture_error(c));
  weir_capture_close(c);
  return failed;
}
