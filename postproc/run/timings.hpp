// Where the time goes, per system and kernel.
//   { ScopedTimer timer(run.timings().at("momentum", "rhs")); momentum_rhs(...); }
// Solves are added by Run::solve: time everything else. Regions must not nest, or their seconds count twice.
#pragma once
#include <map>
#include <string>

namespace weir {

class Timings {
 public:
  double& at(const std::string& system, const std::string& kernel) { return seconds_[system][kernel]; }  // stays valid
  double total() const {
    double sum = 0;
    for (const auto& [system, kernels] : seconds_)
      for (const auto& [kernel, s] : kernels) sum += s;
    return sum;
  }
  const std::map<std::string, std::map<std::string, double>>& all() const { return seconds_; }

 private:
  std::map<std::string, std::map<std::string, double>> seconds_;
};

}  // namespace weir
