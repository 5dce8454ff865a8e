#include "mesh/unstructured/make_mesh.hpp"

#include "base/error.hpp"
#include "base/find_file.hpp"
#include "mesh/generate/generators.hpp"
#include "mesh/read/read_mesh.hpp"
#include "mesh/read/text.hpp"

namespace weir {
namespace {

constexpr Option periodic_keys[] = {
    {"first", Option::text, Option::required, "first marker of the pair"},
    {"second", Option::text, Option::required,
     "second marker of the pair; the translation moves the faces of the first marker onto its faces"},
    {"translation", Option::numbers, "depends on the markers: determined from their faces",
     "vector [dx, dy] from the marker `first` to the marker `second`", "(-inf, inf)", "length"}};

constexpr Option mesh_keys[] = {
    {"file", Option::text, "",
     "path of an SU2 (.su2) or Gmsh (.msh 2.2 or 4.1, text) file, relative to the case file or the current folder"},
    {"generator", Option::table, "", "mesh generator (alternative to file)", "", "", "", generator_options},
    {"periodic", Option::tables, "", "pairs of periodic markers of a mesh file", "", "", "",
     [] { return Options(periodic_keys); }}};

std::vector<PeriodicPair> read_periodic(const Table& t) {
  std::vector<PeriodicPair> pairs;
  for (const Table& one : t.tables("periodic")) {
    PeriodicPair pair{one.get<std::string>("first"), one.get<std::string>("second"), {}};
    if (one.has("translation")) {
      const auto v = one.get<std::vector<double>>("translation");
      if (v.size() != 2) one.fail("translation", "'translation' must be two numbers, from `first` to `second`");
      pair.translation = {v[0], v[1]};
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

Options mesh_options() { return mesh_keys; }

UnstructuredMesh make_mesh(const Table& options, MeshOrigin* origin) {
  const Table t = options.described_by(mesh_keys);
  const bool has_file = t.has("file"), has_generator = t.has("generator");
  if (has_file && has_generator) t.fail("generator", "'file' and 'generator' are alternatives: give one of them");
  if (!has_file && !has_generator)
    t.fail("file", "[mesh] requires file = \"x.su2\" (or .msh), or generator = { type = \"naca0012\" }");
  MeshOrigin made;
  MeshDescription description;
  if (has_file) {
    made.name = find_file(t, "file", "mesh file");
    description = read_description(made.name);
    description.periodic = read_periodic(t);
  } else {
    const Table generator = t.table("generator");
    description = read_generator(generator);
    made.name = "generator " + generator.get<std::string>("type");
  }
  made.periodic = description.periodic;
  made.grid = description.grid;
  try {
    UnstructuredMesh mesh = build_mesh(std::move(description), &made.repairs);
    if (origin) *origin = std::move(made);
    return mesh;
  } catch (const Error& error) {
    if (has_file || error.code() != Exit::usage) throw;
    t.fail("generator", error.what());  // errors in files already have their line
  }
}

}  // namespace weir
