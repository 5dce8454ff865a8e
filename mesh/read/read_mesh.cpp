#include "mesh/read/read_mesh.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "mesh/read/text.hpp"

namespace weir {

MeshDescription parse_description(std::string_view text, const std::string& name) {
  MeshText first(text, name, '%');
  if (!first.next()) throw Error(Exit::usage, name + ": the file is empty");
  if (first.line().front() == '$') return parse_gmsh(text, name);
  if (first.line().find('=') != std::string_view::npos) return parse_su2(text, name);
  first.fail("neither an SU2 mesh (NDIME= 2) nor a Gmsh mesh ($MeshFormat): found " + MeshText::quoted(first.line()));
}

MeshDescription read_description(const std::string& path) {
  return parse_description(content_of(path, "mesh file"), path);
}

void require_conditions(const UnstructuredMesh& mesh, const std::string& mesh_name, const Table& boundary,
                        const std::vector<PeriodicPair>& periodic) {
  std::vector<std::string> markers;
  for (const Patch& p : mesh.patches) markers.push_back(p.name);
  for (const PeriodicPair& p : periodic) markers.insert(markers.end(), {p.first, p.second});
  const std::vector<std::string> conditions = boundary.keys();
  const auto holds = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const std::string& key : conditions)
    if (!holds(markers, key))
      boundary.fail(key, "there is no marker '" + key + "' in " + mesh_name + did_you_mean(key, markers));
  for (const std::string& marker : markers)
    if (!holds(conditions, marker))
      boundary.fail(marker,
                    "marker '" + marker + "' of " + mesh_name + " has no condition" + did_you_mean(marker, conditions));
}

}  // namespace weir
