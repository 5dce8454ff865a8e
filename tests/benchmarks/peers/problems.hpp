// The systems that Weir and its peers are measured on, as plain numbers: their assembly is not timed.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"
#include "tests/support/systems/block_systems.hpp"

namespace weir::bench {

// -div(a grad p) = b by cell-centred finite volumes on a box, rows multiplied by volumes.
struct SevenPoint {
  std::array<int, 3> cells{};
  std::array<std::vector<double>, 3> faces;  // n + 1 of each direction
  bool separable = false;                    // a = 1, Neumann all round: what a rediscretisation may use
  std::array<std::array<EndCondition, 2>, 3> ends{};
  bool singular = false;
  std::vector<double> values;  // a cell's own, then west, east, south, north, below, above; 0 where there is none
  std::vector<double> bands;   // the same in Banded's order
  std::vector<double> b;
  double tolerance = 0;  // of |b - A x| / |b|
};
SevenPoint poisson(int n, double stretching);               // Neumann all round, to 1e-8
SevenPoint pressure_about(const std::string& body, int n);  // "sphere", uniform; "cylinder", stretched; to 1e-6
BlockCsrData to_csr(const SevenPoint& p);

double relative_residual(const SevenPoint& p, const std::vector<double>& x);  // |b - A x| / |b|, by plain loops
double relative_residual(const BlockCsrData& A, const std::vector<double>& b, const std::vector<double>& x);

// Input of a peer: one of these.
struct PeerProblem {
  const SevenPoint* seven = nullptr;
  const test::BlockSystem* blocks = nullptr;
  const BlockCsrData* csr = nullptr;
  const std::vector<double>* b = nullptr;  // of csr
};

}  // namespace weir::bench
