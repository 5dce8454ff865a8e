// `weir bench gpu-model`: times that the model predicts from counts of the interpreter (README.md).
#pragma once
#include <string>
#include <vector>

#include "tests/gpu_model/model.hpp"

namespace weir::gpu {

struct SuiteOptions {
  std::string device;               // empty: H200, of a report the measured one
  std::vector<std::string> files;   // none: the works of works.toml, and the published ones with the model's error
  std::string minus;                // counts to take away: a run of fewer steps
  double per = 1;                   // of how many steps or iterations: times are of one
  std::vector<double> extrapolate;  // sizes of the first file, of the second, and the wanted one
  double chain_power = 1;           // longest chains grow with size^chain_power
  std::string json_path, csv_path;  // empty: none
};
int gpu_model(const SuiteOptions& options);
int gpu_report(const SuiteOptions& options);  // files: the folder that tests/gpu/go.sh has filled

// A piece of work with counts in the folder counts/.
struct Work {
  std::string name, title, source, timed;  // timed: its arguments of gpu_work
  double published = 0;                    // seconds; 0: none
  double measured = 0, bytes = 0;          // seconds on an H100 (docs/results/gpu_h100.csv), least bytes; 0: unknown
  std::string device;                      // of `published`
  double per = 1;
  Counts counts;
};
std::vector<Work> read_works();

// How far the model is from what is published: the middle ratio and the factor that holds all rows but a tenth.
struct ModelError {
  double middle = 1, least = 1, most = 1;
  int rows = 0;
};
ModelError error_of(std::vector<double> predicted_over_published);

}  // namespace weir::gpu
