// Does the lab tell the truth? A/A repeats on real solves, inside real runs of each flow code:
//   weir bench lab-cavity | lab-aerofoil | lab-cylinder | lab [-o DIR]
// A repeat is four whole runs in random order: with shadow solves at every step, with shadow solves at every tenth, and
// two without. In the first the reference solver's doubles take part, a third solver made like the reference solver
// ("twin"), and one that is made 5 % slower. Of 100 repeats it prints in how many the reference solver against itself,
// and its twin, showed no effect, in how many the 5 % were found, and the reference solver's own solve times with and
// without shadows. DIR/lab_NAME.csv: a row a repeat.
#pragma once
#include <string>

namespace weir::bench {

struct LabOptions {
  std::string folder;
  bool quick = false;  // two repeats of eight steps
};

int lab_cavity(const LabOptions& options);
int lab_aerofoil(const LabOptions& options);
int lab_cylinder(const LabOptions& options);

}  // namespace weir::bench
