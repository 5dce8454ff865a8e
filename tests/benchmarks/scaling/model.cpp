#include "tests/benchmarks/scaling/model.hpp"

#include <algorithm>
#include <cmath>

namespace weir::bench {

IterationTime predict(const MachineFigures& m, const MethodFigures& method, const Workload& work, int gpus,
                      bool optimised_halo, bool optimised_sums) {
  const double cells = work.cells() / gpus;
  const double plane = 8.0 * static_cast<double>(work.nx) * static_cast<double>(work.ny);
  const double nodes = std::ceil(static_cast<double>(gpus) / m.gpus_a_node);
  IterationTime t;
  t.compute = m.fixed + (m.seconds_a_cell > 0 ? cells * m.seconds_a_cell : cells * method.bytes / m.bandwidth);
  if (nodes > 1 || gpus > 1) {
    const double naive = m.naive_message > 0 ? m.naive_message : m.latency + plane / m.network;
    t.halo = method.halos * (optimised_halo ? m.latency + plane / m.network : nodes * naive);
    const double steps = optimised_sums ? 2 * std::ceil(std::log2(std::max(2.0, nodes))) : std::max(1.0, nodes - 1);
    t.sum = method.sums * steps * (optimised_sums ? m.hop : m.naive_hop);
  }
  return t;
}

namespace {

const Workload small{"128^3", 128, 128, 128}, medium{"256^3", 256, 256, 256}, large{"256^2 x 512", 256, 256, 512};

}  // namespace

// Computation (total less 2 halos and 4 sums) on 192 GPUs: 0.66 ms for 128^3, 4.83 ms for 256^2 x 512, which gives the
// two constants of a line. Halos of 131, 524 kB: 428, 448 us; a sum up and down a tree of 64 nodes: 46.2 us; the naive
// halo of 16 nodes: 20.72 ms, the naive sum of 64: 350 us.
MachineFigures keeneland() {
  MachineFigures m;
  m.name = "Keeneland (M2090, FDR)";
  const double less = (1.7 - 2 * 0.428 - 4 * 0.0462) * 1e-3, more = (5.91 - 2 * 0.448 - 4 * 0.0462) * 1e-3;
  m.seconds_a_cell = (more - less) / ((large.cells() - small.cells()) / 192);
  m.fixed = less - m.seconds_a_cell * small.cells() / 192;
  const double planes[] = {8.0 * 128 * 128, 8.0 * 256 * 256};
  m.network = (planes[1] - planes[0]) / (448e-6 - 428e-6);
  m.latency = 428e-6 - planes[0] / m.network;
  m.hop = 46.2e-6 / 12;
  m.naive_message = 20.72e-3 / 16;
  m.naive_hop = 350e-6 / 63;
  m.gpus_a_node = 3;
  return m;
}

MethodFigures paper_bicgstab() { return {"GBCG", 0, 2, 4}; }

std::vector<PaperPoint> paper_points() {
  return {
      {"Fig. 7, naive", large, 24, false, false, 33, 0.545, false},
      {"Fig. 7, naive", large, 48, false, false, 47.79, 0.863, false},
      {"Fig. 7, halo by pairs", large, 192, true, false, 7.63, 0.301, false},
      {"Fig. 7, both", large, 192, true, true, 5.91, 0.183, true},
      {"Fig. 8, small", small, 192, true, true, 1.7, 0.612, true},
      {"Fig. 8, medium", medium, 192, true, true, 3.3, 0.321, false},
      {"Fig. 7, 1/21.8 of the rate at 192", large, 6, true, true, 5.91 * 21.8, 0, false},
      {"Fig. 10, 1/0.8 of the rate at 192", small, 12, true, true, 5.91 * 0.8, 0, false},
  };
}

MachineFigures today() {
  MachineFigures m;
  m.name = "8 x H200 a node, 400 Gbit/s a GPU (data sheet)";
  m.bandwidth = 0.85 * 4.8e12;  // of the data sheet's, what a triad reaches
  m.fixed = 12 * 3e-6;          // kernel launches
  m.latency = 12e-6;            // message, synchronisation and two small kernels
  m.network = 8 * 50e9 / 8;     // a plane leaves by one link
  m.hop = 3e-6;
  m.naive_hop = 3e-6;
  m.gpus_a_node = 8;
  return m;
}

// Bytes of an unknown: cg + jacobi on the stencil without storage, and bicgstab + jacobi on seven bands.
std::vector<MethodFigures> our_methods() {
  return {{"cg, stencil", 13 * 8.0, 1, 2}, {"bicgstab, 7 bands", (2 * 7 + 24) * 8.0, 2, 4}};
}

}  // namespace weir::bench
