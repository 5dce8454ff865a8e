// Do shadow solves cost the reference solver anything? Its own solves, in the same case with and without shadows:
//   weir bench `lab-leader-cavity` | `lab-leader-aerofoil` | `lab-leader` [-o DIR]
// For each of cavity and aerofoil, short whole runs in random order: without shadows twice, with shadows at every
// step and at every second. All solve the same systems to the last bit, so a run is compared with the one without
// shadows of its turn solve by solve: the median of the ratios is the turn's figure, and of all turns the median and
// its 95 % interval (compare_pairs) are printed; the second run without shadows is the noise. Two runs differ by some
// per cent by where their memory lies; so the solves right after the shadows of every second step are also compared
// with the others of their run. A case goes on for 80 s, 12 turns at least (--quick: two of eight steps, the aerofoil
// on a coarser mesh). DIR/lab_leader_NAME.csv: a row a turn.
#pragma once
#include "tests/benchmarks/lab/aa.hpp"

namespace weir::bench {

int lab_leader_cavity(const LabOptions& options);
int lab_leader_aerofoil(const LabOptions& options);

}  // namespace weir::bench
