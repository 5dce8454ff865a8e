// A user's solver in Python: a separate process with the plugin interface. The matrix, r and z are in shared memory;
// a call sends one byte and receives one. A crash of the process does not affect this one.
#pragma once
#include "solvers/plugin/weir_plugin.h"

namespace weir {

// Options of create: the lines "python = PATH", "module = PATH", then the options of the module.
const weir_plugin_description& python_plugin(bool keeps_symmetry, bool varies);

}  // namespace weir
