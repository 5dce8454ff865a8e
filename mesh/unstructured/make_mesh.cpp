#include "mesh/unstructured/make_mesh.hpp"

#include <cmath>

#include "mesh/generate/generators.hpp"
#include "mesh/read/read_mesh.hpp"
#include "mesh/read/text.hpp"

namespace weir {
namespace {

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
    made.name = find_file(t, "file", "mesh file");
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
