#pragma once
#include <string>

namespace weir {

// Path of a file or folder that the program reads at run time, by its path in the source tree
// ("postproc/report/report.py"): in ../share/weir relative to the program's folder where it is installed, otherwise in
// the source tree, also where the source tree was moved with its build folder. The caller checks whether it exists.
std::string own_file(const std::string& path);

}  // namespace weir
