// Libraries that only some runs need, and that cost every start if they were linked (PETSc and hypre: 45 ms and 20 MB):
// their adapters are shared objects of their own beside the program, loaded when first named.
#pragma once
#include <string>

namespace weir {

// Whether NAME.so lies beside the program. Loads nothing.
bool has_plugin(const std::string& name);
// A function of NAME.so, which stays loaded. Error(usage) that says where it was looked for, or what the loader says.
void* plugin_function(const std::string& name, const char* function);

}  // namespace weir
