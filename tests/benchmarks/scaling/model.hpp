// Cost of an iteration over GPUs: memory traffic, launches, halos and sums, from a few figures of the machine and of
// the method. Liu, Seo & Mittal 2013 give enough figures of theirs to see how far it carries: keeneland() and
// paper_points().
//   t = cells / P * bytes / bandwidth + fixed  +  halos * t_halo  +  sums * t_sum
//   halo by pairs:  phases * (message latency) + plane / network          naive: nodes * (the same)
//   sum by a tree:  2 ceil(log2 nodes) * hop                              naive: (nodes - 1) * hop
// Several GPUs of a node share its link; the planes between them do not use it.
#pragma once
#include <string>
#include <vector>

namespace weir::bench {

struct MachineFigures {
  std::string name;
  double seconds_a_cell = 0;  // where the method's traffic was measured as such; 0: by bytes and bandwidth
  double bandwidth = 0;       // of a GPU's memory, bytes a second
  double fixed = 0;           // of an iteration: launches, and what else does not shrink with the cells
  double latency = 0;         // of a halo message
  double network = 0;         // bytes a second of a node
  double hop = 0;             // of one number from node to node, in a tree
  double naive_message = 0;   // of a plane, one rank after the other
  double naive_hop = 0;       // of one number to every other node
  int gpus_a_node = 1;
};

struct MethodFigures {
  std::string name;
  double bytes = 0;  // of an unknown and iteration
  int halos = 0, sums = 0;
};

struct Workload {
  std::string name;
  long nx = 0, ny = 0, nz = 0;  // slabs across z
  double cells() const { return static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz); }
};

struct IterationTime {
  double compute = 0, halo = 0, sum = 0;  // seconds
  double total() const { return compute + halo + sum; }
  double communication() const { return (halo + sum) / total(); }
};

IterationTime predict(const MachineFigures& machine, const MethodFigures& method, const Workload& work, int gpus,
                      bool optimised_halo, bool optimised_sums);

// The paper's machine: two of its statements for 192 GPUs give seconds_a_cell and fixed, those of sec. III-C the rest.
MachineFigures keeneland();
MethodFigures paper_bicgstab();  // 2 halos and 4 sums an iteration: its own ratios of communication say so

// Statements of the paper about 6 to 192 GPUs.
struct PaperPoint {
  std::string what;
  Workload work;
  int gpus;
  bool halo, sums;       // optimised
  double milliseconds;   // of an iteration; 0: unknown
  double communication;  // share of MPI; 0: unknown
  bool calibrates;       // was used for the figures above: no check
};
std::vector<PaperPoint> paper_points();

// Today's machine, by its data sheet: 8 GPUs a node, a link of 400 Gbit/s for each.
MachineFigures today();
std::vector<MethodFigures> our_methods();

}  // namespace weir::bench
