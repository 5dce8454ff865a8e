#include "postproc/run/provenance.hpp"

#include <fmt/format.h>

#include "postproc/run/machine.hpp"

namespace weir {

std::string version_text(const Build& build) {
  std::string libraries;
  for (const auto& [name, version] : build.libraries)
    libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", name, version);
  return fmt::format(
      "weir {}\ncommit     {}\ncompiler   {}\nflags      {}\ndevice     {}\nlibraries  {}\nprocessor  {}",
      weir_version(), build.commit, build.compiler, build.flags, device_text(), libraries, processor_name());
}

}  // namespace weir
