#include "mesh/read/read_mesh.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "mesh/read/text.hpp"

namespace weir {
namespace {

std::string content_of(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw Error(Exit::file_io, path + ": a folder, not a mesh file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Exit::file_io, path + ": cannot open the mesh file");
  constexpr std::size_t chunk = std::size_t{1} << 20;
  std::string text;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error) text.reserve(size + chunk);
  while (file) {
    const std::size_t old = text.size();
    text.resize(old + chunk);
    file.read(text.data() + old, chunk);
    text.resize(old + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(Exit::file_io, path + ": cannot read the mesh file");
  return text;
}

}  // namespace

MeshDescription parse_description(std::string_view text, const std::string& name) {
  MeshText first(text, name, '%');
  if (!first.next()) throw Error(Exit::usage, name + ": the file is empty");
  if (first.line().front() == '$') return parse_gmsh(text, name);
  if (first.line().find('=') != std::string_view::npos) return parse_su2(text, name);
  first.fail("neither an SU2 mesh (NDIME= 2) nor a Gmsh mesh ($MeshFormat): found " + MeshText::quoted(first.line()));
}

MeshDescription read_description(const std::string& path) { return parse_description(content_of(path), path); }

UnstructuredMesh read_mesh(const std::string& path, const std::vector<PeriodicPair>& periodic, MeshRepairs* repairs) {
  MeshDescription description = read_description(path);
  description.periodic = periodic;
  return build_mesh(std::move(description), repairs);
}

void require_conditions(const UnstructuredMesh& mesh, const std::string& mesh_name, const Table& boundary,
                        const std::vector<PeriodicPair>& periodic) {
  std::vector<std::string> markers;
  for (const Patch& p : mesh.patches) markers.push_back(p.name);
  for (const PeriodicPair& p : periodic) markers.insert(markers.end(), {p.first, p.second});
  const std::vector<std::string> conditions = boundary.keys();
  const auto holds = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
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
