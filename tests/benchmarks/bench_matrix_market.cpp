// How fast a Matrix Market file is read, and in how much memory: `bench_matrix_market [ENTRIES [FOLDER]]` writes a
// matrix of five diagonals with 50 million entries (values of 6 digits, then of 17; by rows, then by columns), reads it
// on one core and removes it. "busy": processor time, where others use the machine.
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "solvers/matrix/io/matrix_market.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// Entries (i, i + offset); the roles of row and column exchanged where the file goes by columns.
void write_file(const std::string& path, int rows, int digits, bool by_columns) {
  constexpr int offsets[] = {-1000, -1, 0, 1, 1000};
  std::int64_t count = 0;
  for (const int o : offsets) count += rows - std::abs(o);
  std::ofstream file(path, std::ios::binary);
  file << "%%MatrixMarket matrix coordinate real general\n" << rows << ' ' << rows << ' ' << count << '\n';
  std::mt19937_64 generator(1);
  std::string block;
  for (int i = 0; i < rows; ++i) {
    for (const int o : offsets) {
      const int j = i + o;
      if (j < 0 || j >= rows) continue;
      char line[96], *end = line + sizeof line;
      char* p = std::to_chars(line, end, (by_columns ? j : i) + 1).ptr;
      *p++ = ' ';
      p = std::to_chars(p, end, (by_columns ? i : j) + 1).ptr;
      *p++ = ' ';
      const double value = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
      p = std::to_chars(p, end, value, std::chars_format::general, digits).ptr;
      *p++ = '\n';
      block.append(line, p);
    }
    if (block.size() > (1u << 22) || i + 1 == rows) {
      file << block;
      block.clear();
    }
  }
}

double peak_mb() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  const double entries = argc > 1 ? std::atof(argv[1]) : 50e6;
  const std::string path = (std::filesystem::path(argc > 2 ? argv[2] : ".") / "bench_matrix_market.mtx").string();
  std::printf("%-7s %-8s %9s %9s %9s %9s %9s %11s %11s %14s\n", "digits", "sorted", "entries", "file MB", "read s",
              "busy s", "MB/s", "matrix MB", "peak MB", "of it mapped");
  for (const int digits : {6, 17})
    for (const bool by_columns : {false, true}) {
      write_file(path, static_cast<int>(entries / 5), digits, by_columns);
      const double mb = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
      const auto start = Clock::now();
      const std::clock_t processor = std::clock();
      const weir::BlockCsrData d = weir::read_matrix_market(path);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      const double busy = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
      const double matrix =
          (static_cast<double>(d.value.size()) * 12 + static_cast<double>(d.row_start.size()) * 8) / 1e6;
      std::printf("%-7d %-8s %8.1fM %9.0f %9.2f %9.2f %9.0f %11.0f %11.0f %14.0f\n", digits,
                  by_columns ? "columns" : "rows", static_cast<double>(d.value.size()) / 1e6, mb, seconds, busy,
                  mb / seconds, matrix, peak_mb(), mb);
      std::fflush(stdout);
    }
  std::filesystem::remove(path);
}
