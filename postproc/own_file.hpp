#pragma once
#include <string>

namespace weir {

// A file or folder that the program reads at run time, by its path in the source tree ("postproc/report/report.py"): in
// ../share/weir beside the program's folder, as it is installed (wherever that was moved to), else in the source tree. Whether
// it is there is the caller's to ask.
std::string own_file(const std::string& path);

}  // namespace weir
