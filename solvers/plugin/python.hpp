// A solver of the user's in Python: a process of its own behind the plugins' interface. The matrix, r and z lie in memory that both
// processes see; a call is a byte there and a byte back. So whatever goes on in it leaves this process alone.
#pragma once
#include "solvers/plugin/weir_plugin.h"

namespace weir {

// create's options: the lines "python = PATH", "module = PATH", then those of the module's own.
const weir_plugin_description& python_plugin(bool keeps_symmetry, bool varies);

}  // namespace weir
