// Time per system and kernel.
//   { SpaceTimer<Space> timer(run.timings().at("momentum", "rhs")); momentum_rhs(...); }
// Run::solve adds the solves. Regions must not nest: their seconds would count twice.
#pragma once
#include <map>
#include <string>

#include "solvers/device/space_timer.hpp"

namespace weir {

class Timings {
 public:
  Timings() = default;
  ~Timings() { backend::complete_timers(); }
  Timings(const Timings& o) : seconds_(o.all()) {}
  Timings& operator=(const Timings& o) {
    seconds_ = std::map(o.all());  // all() has completed the timers of both
    return *this;
  }

  // The reference stays valid, and so do the names, which profilers use.
  NamedSeconds at(const std::string& system, const std::string& kernel) {
    const auto of_system = seconds_.try_emplace(system).first;
    const auto of_kernel = of_system->second.try_emplace(kernel, 0.0).first;
    return {of_kernel->second, of_system->first.c_str(), of_kernel->first.c_str()};
  }
  double total() const {
    double sum = 0;
    for (const auto& [system, kernels] : all())
      for (const auto& [kernel, s] : kernels) sum += s;
    return sum;
  }
  const std::map<std::string, std::map<std::string, double>>& all() const {
    backend::complete_timers();
    return seconds_;
  }

 private:
  std::map<std::string, std::map<std::string, double>> seconds_;
};

}  // namespace weir
