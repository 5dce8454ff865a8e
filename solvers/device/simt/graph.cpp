#include "solvers/device/simt/backend/graph.hpp"

#include <string>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/device/simt/backend/runtime.hpp"

namespace weir::backend {

void Graph::launch() const {
  const std::int64_t before = ledger().launches;
  for (const auto& run : work_) run();
  ledger().launches = before + 1;
}

void refuse_recording(const char* what) {
  if (simt::recording)
    throw Error(Exit::internal, std::string(what) + " is not allowed while work is recorded as a graph");
}

}  // namespace weir::backend
