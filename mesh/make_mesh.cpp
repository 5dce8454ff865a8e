#include "mesh/make_mesh.hpp"

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "mesh/generate/read_generator.hpp"
#include "mesh/read/read_mesh.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// Beside the case file, or in the current folder.
std::string find_file(const Table& t, const std::string& name) {
  const std::string place = t.where("file");  // "folder/case.toml:12"; not a path where --set gave it
  const std::string case_file = place.substr(0, place.rfind(':'));
  const fs::path beside = fs::path(case_file).parent_path() / name;
  std::error_code ignored;
  if (fs::exists(beside, ignored)) return beside.string();
  if (fs::exists(name, ignored)) return name;
  const std::string both = beside.string() == name ? "" : ", nor '" + beside.string() + "' beside the case file";
  throw Error(Exit::file_io, place + ": there is no mesh file '" + name + "' in the current folder" + both);
}

std::vector<PeriodicPair> read_periodic(const Table& t) {
  std::vector<PeriodicPair> pairs;
  for (const Table& one : t.tables("periodic")) {
    PeriodicPair pair{one.get<std::string>("first"), one.get<std::string>("second"), {}};
    if (one.has("translation")) {
      const auto v = one.get<std::vector<double>>("translation");
      if (v.size() != 2 || !std::isfinite(v[0]) || !std::isfinite(v[1]))
        one.fail("translation", "'translation' must be two numbers, from `first` to `second`");
      pair.translation = {v[0], v[1]};
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

UnstructuredMesh make_mesh(const Table& t, MeshOrigin* origin) {
  const bool has_file = t.has("file"), has_generator = t.has("generator");
  if (has_file && has_generator) t.fail("generator", "a mesh has a file or a generator: give one of them");
  if (!has_file && !has_generator)
    t.fail("file", "[mesh] needs file = \"x.su2\" (or .msh), or generator = { type = \"naca0012\" }");
  MeshOrigin made;
  MeshDescription description;
  if (has_file) {
    made.name = find_file(t, t.get<std::string>("file"));
    description = read_description(made.name);
    description.periodic = read_periodic(t);
  } else {
    const Table generator = t.table("generator");
    description = read_generator(generator);
    made.name = "generator " + generator.get<std::string>("type");
  }
  made.periodic = description.periodic;
  UnstructuredMesh mesh = build_mesh(std::move(description), &made.repairs);
  if (origin) *origin = std::move(made);
  return mesh;
}

}  // namespace weir
