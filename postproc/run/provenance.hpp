// Source, compiler and libraries of a program, for `weir --version` and run.json.
#pragma once
#include <map>
#include <string>

namespace weir {

struct Build {
  std::string commit;           // "9959faa0c1d2-dirty": with changes that are not committed; "unknown" without git
  std::string compiler, flags;  // "GNU 12.2.0", "-O3 -march=native ..."
  std::map<std::string, std::string> libraries;  // name: version
};
Build this_build();  // of the program, in a source that is made at build time (cmake/provenance.cmake)

std::string version_text(const Build& build);  // what `weir --version` prints

}  // namespace weir
