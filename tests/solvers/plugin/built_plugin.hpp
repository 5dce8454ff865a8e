// Plugins that a test builds, as a user would: one call of the compiler, out of tree.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::testing {

// The path of folder/libNAME.so from a source file of the repository.
inline std::string build_plugin(const ScratchFolder& folder, const std::string& name, const std::string& source,
                                const std::vector<std::string>& definitions = {}) {
  const std::string root = WEIR_SOURCE;
  std::vector<std::string> command{WEIR_CXX, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"};
  if (source.ends_with(".c"))
    command = {WEIR_CC, "-fopenmp", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"};
  for (const std::string& d : definitions) command.push_back("-D" + d);
  for (const char* word : {"-fPIC", "-shared", "-I"}) command.emplace_back(word);
  const std::string library = folder / ("lib" + name + ".so");
  command.insert(command.end(), {root + "/solvers/plugin", root + "/" + source, "-o", library});
  const Finished f = run(command, folder.path());
  EXPECT_EQ(f.code, 0) << f.err;
  return library;
}

// The tests' own plugin: tests/solvers/plugin/probe.cpp.
struct ProbeOf {
  std::string formats = "WEIR_CSR", spaces = "WEIR_HOST", abi = "WEIR_PLUGIN_ABI", entry = "weir_plugin",
              apply = "apply", solve = "nullptr";
};
inline std::string build_probe(const ScratchFolder& folder, const std::string& name, const ProbeOf& of = {}) {
  return build_plugin(folder, name, "tests/solvers/plugin/probe.cpp",
                      {"FORMATS=" + of.formats, "SPACES=" + of.spaces, "ABI=" + of.abi, "ENTRY=" + of.entry,
                       "APPLY=" + of.apply, "SOLVE=" + of.solve});
}

}  // namespace weir::testing
