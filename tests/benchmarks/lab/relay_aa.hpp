// Do branches tell the truth? As aa.hpp, of the closed loop:
//   weir bench relay-cavity | relay-aerofoil | relay-cylinder | relay [-o DIR]
// A repeat is a run that is branched before every step: the reference's two replicas, a twin and one made 5 % slower
// lead two steps each (aerofoil: four such branches). Of 100 repeats it prints in how many the reference's interval
// against itself holds 1 and in how many the 5 % were found, what branches cost, and whether every run ended in the
// state of one without branches, to the bit. DIR/relay_NAME.csv: a row a repeat.
#pragma once
#include "tests/benchmarks/lab/aa.hpp"

namespace weir::bench {

int relay_cavity(const LabOptions& options);
int relay_aerofoil(const LabOptions& options);
int relay_cylinder(const LabOptions& options);

}  // namespace weir::bench
