// [mesh]: a file or a generator.
#pragma once
#include <string>
#include <vector>

#include "base/table.hpp"
#include "mesh/unstructured/build_mesh.hpp"

namespace weir {

struct MeshOrigin {
  std::string name;  // the file's path, or "generator naca0012"
  std::vector<PeriodicPair> periodic;
  MeshRepairs repairs;
  std::array<int, 2> grid{0, 0};  // see MeshDescription::grid
};

Options mesh_options();

// Invalid options and faults of the file: exit code 2 with file and line; unreadable files: 6.
UnstructuredMesh make_mesh(const Table& mesh_table, MeshOrigin* origin = nullptr);

}  // namespace weir
