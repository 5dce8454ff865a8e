// Every key that a reader looks up is described, and every key that is described is looked up by a reader; each case
// that comes with weir says the same as its effective configuration.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/table_node.hpp"
#include "base/table_option.hpp"
#include "inputs/case.hpp"
#include "mesh/read/read_mesh.hpp"
#include "mesh/unstructured/make_mesh.hpp"
#include "miniapps/cli/schema.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/study/ab/ab_study.hpp"
#include "miniapps/study/map/map_study.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::keys_test {
namespace {

namespace fs = std::filesystem;

Program program() {
  return {.miniapps = {
              {"incompressible", run_incompressible, info_incompressible, incompressible_keys, incompressible_results},
              {"compressible", run_compressible, info_compressible, compressible_keys, compressible_results},
              {"immersed", run_immersed, info_immersed, immersed_keys, immersed_results}}};
}

const Schema& schema() {
  static const Schema all(program());
  return all;
}

// As `weir info` reads it.
void read(const Table& config) {
  const Run run({}, config);
  const auto name = config.table("case").get<std::string>("miniapp");
  std::ostringstream out;
  for (const Miniapp& m : program().miniapps)
    if (m.name == name) m.info(config, 1, out);
  config.refuse_unknown();
}

void collect(const TableNode& n, const std::string& path, std::set<std::string>& asked) {
  for (const auto& item : n.items) collect(*item, path, asked);
  for (const std::string& key : n.asked) asked.insert(path.empty() ? key : path + "." + key);
  for (const auto& [key, child] : n.entries) collect(*child, path.empty() ? key : path + "." + key, asked);
}

// [shadow.NAME], [relay.NAME] and [select.NAME] have the keys of [linear.SYSTEM], the smoother and the inner of a
// preconditioner are preconditioners.
std::string without_nesting(std::string path) {
  for (const char* inner : {".smoother.", ".inner."})
    for (auto at = path.find(inner); at != std::string::npos; at = path.find(inner))
      path.replace(at, strlen(inner), ".");
  return path;
}

bool is_described(const std::string& asked) {
  const std::string path = without_nesting(asked);
  for (const DescribedTable& t : schema().tables()) {
    for (const Option& o : t.keys)
      if (schema().is_at(DescribedKey{&t, &o}, path)) return true;
    if (schema().is_above(t, path)) return true;
  }
  for (const std::string table : {"shadow.", "relay.", "select."})
    if (path.starts_with(table)) return is_described("linear." + path.substr(table.size()));
  return false;
}

std::string candidates(const std::string& table) {
  return "[" + table + "]\nsystem = \"pressure\"\nsolvers = [\"a\", \"b\"]\n[" + table + ".a]\nmethod = \"gmres\"\n[" +
         table + ".b]\nlike_leader = true\n";
}

// Small cases whose words are changed one after the other.
const std::vector<std::string> small_cases = {R"(
[case]
miniapp = "incompressible"
[grid]
cells = [8, 8, 8]
stretching = [{ type = "tanh" }, { type = "refined", from = 0.4, to = 0.6, width = 0.1 }]
[flow]
viscosity = 0.01
body_force = { direction = [1.0, 0.0, 0.0], amplitude = 1.0, angular_frequency = 1.0 }
[boundary]
x_min = { type = "inlet", velocity = [1.0, 0.0, 0.0], modulation = { amplitude = 0.1 }, temperature = 1.0, scalar = { salt = 1.0 } }
x_max = { type = "outlet" }
y_min = { type = "wall", scalar_flux = { salt = 1.0 } }
y_max = { type = "wall" }
z_min = { type = "periodic" }
z_max = { type = "periodic" }
[time]
end = 1.0
cfl = 0.5
[check]
rate = { value = 0.0, tolerance = 1.0 }
[[probe]]
name = "u"
from = [0.5, 0.0, 0.5]
to = [0.5, 1.0, 0.5]
points = 9
fields = ["u"]
reference = { file = "plane_poiseuille.csv", coordinate = "y", column = "u" }
[temperature]
diffusivity = 0.1
[scalar.salt]
diffusivity = 0.1
[[surface]]
name = "bottom"
side = "y_min"
[[history_reference]]
quantity = "kinetic_energy"
reference = { file = "tgv3d_Re1600_spectral512.csv", coordinate = "t", column = "Ek" }
[observe]
system = "pressure"
[shadow]
system = "pressure"
solvers = ["a", "b"]
[shadow.a]
method = "cg"
preconditioner = { type = "multigrid" }
[shadow.b]
like_leader = true
)" + candidates("relay") + candidates("select"),
                                              R"(
[case]
miniapp = "incompressible"
[grid]
cells = [8, 8]
[flow]
scheme = "artificial_compressibility"
viscosity = 0.01
body_force = [1.0, 0.0]
initial = "turbulent_channel"
[boundary]
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "wall" }
y_max = { type = "wall" }
[time]
end = 1.0
dt = 0.1
)",
                                              R"(
[case]
miniapp = "immersed"
[grid]
cells = [24, 24, 24]
length = [4.0, 4.0, 4.0]
origin = [-2.0, -2.0, -2.0]
[flow]
viscosity = 0.01
initial = "uniform"
initial_velocity = [1.0, 0.0, 0.0]
[boundary]
x_min = { type = "inlet", velocity = [1.0, 0.0, 0.0], scalar = { salt = 0.0, dye = 0.0 } }
x_max = { type = "outlet" }
y_min = { type = "slip" }
y_max = { type = "slip" }
z_min = { type = "slip" }
z_max = { type = "slip" }
[time]
end = 1.0
dt = 0.1
[body]
control_volume = [-1.5, -1.5, -1.5, 1.5, 1.5, 1.5]
motion = { type = "rotation", rate = 10.0, pivot = [0.0, 0.0, 0.0] }
scalar = { salt = 1.0 }
scalar_flux = { dye = 1.0 }
[scalar.salt]
diffusivity = 0.1
[scalar.dye]
diffusivity = 0.1
)",
                                              R"(
[case]
miniapp = "compressible"
[mesh]
generator = { type = "box", cells = [8, 8], jitter = 0.1 }
[ordering]
[flow]
mach = 2.0
reynolds = 100.0
turbulence = "sst"
initial = { type = "oblique_shock", wedge_angle = 5.0 }
[boundary]
x_min = { type = "supersonic_inflow" }
x_max = { type = "supersonic_outflow" }
y_min = { type = "isothermal_wall", temperature = 1.0 }
y_max = { type = "pressure_outlet" }
[numerics]
[time]
end = 1.0
dt = 0.1
[linear.flow]
preconditioner = { type = "aggregation" }
[[point]]
name = "middle"
at = [0.5, 0.5]
field = "mach"
[[surface]]
name = "wall"
marker = "y_min"
reference = { file = "plane_poiseuille.csv", coordinate = "y", column = "u" }
)"};

// Words that must stand next to a changed word.
const std::vector<std::pair<std::string, std::vector<std::string>>> words = {
    {"body.type=ellipsoid", {"body.diameters=[1.0, 1.0, 0.5]"}},
    {"body.type=aerofoil", {}},
    {"body.type=box", {"body.lengths=[1.0, 1.0, 0.5]"}},
    {"body.type=sphere", {}},
    {"body.type=polygon", {"body.file=$/outline.txt", "body.scale=0.5"}},
    {"body.type=stl", {"body.file=" + std::string(WEIR_INPUTS) + "/immersed/sphere.stl", "body.scale=0.5"}},
    {"body.type=left_ventricle", {"body.radius=0.5", "body.length=0.8", "body.base_height=0.2"}},
    {"body.motion.type=translation", {"body.motion={ type = \"translation\", velocity = [1.0, 0.0] }"}},
    {"body.motion.type=oscillation",
     {"body.motion={ type = \"oscillation\", amplitude = [0.1, 0.0], frequency = 1.0 }"}},
    {"body.motion.type=deformation",
     {"body.motion={ type = \"deformation\", amplitude = [0.1, 0.0], frequency = 1.0 }"}},
    {"body.motion.type=table", {"body.motion={ type = \"table\", file = \"$/motion.csv\" }"}},
    {"boundary.y_min.type=farfield", {"boundary.y_min={ type = \"farfield\" }"}},
    {"heat_flux_wall", {"boundary.y_min={ type = \"heat_flux_wall\", heat_flux = 0.1 }"}},
    {"mass_flow_outlet", {"boundary.y_min={ type = \"mass_flow_outlet\", mass_flux = 0.1 }"}},
    {"total_pressure_inlet",
     {"boundary.y_min={ type = \"total_pressure_inlet\", total_pressure = 1.0, total_temperature = 1.0 }"}},
    {"flow.exact",
     {"flow.initial={ type = \"formula\", density = 1.0, velocity = [1.0, 0.0], pressure = 1.0 }",
      "flow.exact={ density = 1.0, velocity = [1.0, 0.0], pressure = 1.0 }"}},
    {"flow.initial=isentropic_vortex", {"flow.initial={ type = \"isentropic_vortex\" }"}},
    {"flow.initial=riemann",
     {"flow.initial={ type = \"riemann\", left = { density = 1.0, pressure = 1.0 }, right = { density = 0.1, pressure "
      "= 0.1 "
      "} }"}},
    {"mesh.generator.type=box",
     {"mesh.generator={ type = \"box\", y = { points = [0.0, 0.5, 1.0], cells = [4, 4] }, stretching = ["
      "{ type = \"tanh\" }, { type = \"refined\", from = 0.4, to = 0.6, width = 0.1 }], split = [{ side = \"x_min\", "
      "at "
      "= 0.5 }] }"}},
    {"sections", {"mesh.generator={ type = \"box\", x = { points = [0.0, 1.0], cells = [4], spacing = [0.1, 0.1] } }"}},
    {"mesh.generator.type=cylinder", {"mesh.generator={ type = \"cylinder\" }"}},
    {"mesh.generator.type=naca0012", {"mesh.generator={ type = \"naca0012\", fan = 20.0 }"}},
    {"mesh.generator.type=naca", {"mesh.generator={ type = \"naca\", profile = \"2412\", cells = 5000 }"}},
    {"mesh.generator.type=c_grid", {"mesh.generator={ type = \"c_grid\" }"}},
    {"mesh.generator.type=wedge", {"mesh.generator={ type = \"wedge\" }"}},
    {"mesh.file",
     {"mesh={ file = \"$/square.su2\", periodic = [{ first = \"a\", second = \"b\", translation = [1.0, 0.0] }] }"}},
    {"flow.initial_perturbation", {"flow.initial_perturbation=0.1"}},
    {"time.steady", {"time={ steady = true }"}},
    {"ordering.anisotropy", {"ordering.type=line_rcm"}},
    {"ordering.seed", {"ordering.type=random"}},
    {"multicolor", {"linear.flow.preconditioner={ type = \"additive_schwarz\", inner = { type = \"multicolor\" } }"}},
    {"asynchrony",
     {"linear.flow.method=fgmres",
      "linear.flow.preconditioner={ type = \"async_ilu0\", asynchrony = { type = \"prescribed\" } }"}},
    {"plugin", {"linear.flow.preconditioner={ type = \"plugin\", library = \"$/motion.csv\" }"}},
    {"python", {"linear.flow.preconditioner={ type = \"python\", module = \"$/motion.csv\", python = \"none\" }"}},
    {"previous", {"linear.flow.preconditioner={ type = \"parilut\", initial = \"previous\" }"}},
    {"eisenstat_walker", {"linear.flow.tolerance={ type = \"eisenstat_walker\" }"}},
    {"fields_every", {"output.fields_every=2"}}};

// Reads one variation; what is wrong with it may be said, what is wrong with a description may not.
void look_up(const std::string& text, const std::vector<std::string>& overrides, std::set<std::string>& asked) {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "motion.csv", "t,x\n0,0\n1,0\n");
  testing::write_file(folder / "outline.txt", "-1 -1\n1 -1\n0 1\n");
  std::ofstream(folder / "square.su2") << su2_text(
      make_mesh(read_case_text("generator = { type = \"box\", cells = [2, 2] }", "x")));
  std::vector<std::string> placed = overrides;
  for (std::string& one : placed)
    if (const auto at = one.find("$/"); at != one.npos) one.replace(at, 2, folder / "");
  const Table config = read_case_text(text, "small.toml", placed);
  try {
    read(config);
  } catch (const Error&) {
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << " of " << (overrides.empty() ? "" : overrides.back());
  }
  collect(*config.node(), "", asked);
}

std::set<std::string> keys_looked_up() {
  std::set<std::string> asked;
  for (const std::string& text : small_cases) {
    look_up(text, {}, asked);
    for (const auto& [name, overrides] : words) {
      std::vector<std::string> all = overrides;
      if (name.starts_with("body.type=")) all.push_back(name);
      look_up(text, all, asked);
    }
    for (const DescribedTable& t : schema().tables())
      for (const char* system : {"flow", "pressure", "advection_diffusion"})
        if (t.path.starts_with("linear.SYSTEM") && !t.when.empty()) {
          const std::string linear = std::string("linear.") + system;
          const bool inside = t.path != "linear.SYSTEM";
          look_up(text, {linear + (inside ? ".preconditioner={ type = \"" : "={ method = \"") + t.when + "\" }"},
                  asked);
        }
  }
  return asked;
}

TEST(Keys, EveryKeyThatIsLookedUpIsDescribedAndEveryKeyThatIsDescribedIsLookedUp) {
  std::set<std::string> asked = keys_looked_up();
  for (const std::string& key : asked) EXPECT_TRUE(is_described(key)) << key << " has no description";
  for (const DescribedTable& t : schema().tables()) {
    if (t.path.starts_with("study") || t.path.starts_with("configuration")) continue;  // of weir ab: below
    if (t.path.starts_with("map")) continue;                                           // of weir map: ab_test
    for (const Option& o : t.keys) {
      if (o.name == "*" && t.path == "linear.SYSTEM.preconditioner") continue;  // a plugin's own
      const DescribedKey key{&t, &o};
      bool found = false;
      for (const std::string& path : asked) found = found || schema().is_at(key, without_nesting(path));
      EXPECT_TRUE(found) << key.path() << " (" << t.when << ") is described, and no reader asks for it";
    }
  }
}

TEST(Keys, DefaultsAreAllowedValues) {
  for (const DescribedTable& t : schema().tables())
    for (const Option& o : t.keys) {
      if (o.is_required() || o.is_computed() || o.type == Option::table || o.type == Option::tables) continue;
      const Table table = Table().described_by(t.keys);
      EXPECT_NO_THROW({
        if (!(o.type == Option::text && o.fallback.empty())) check_value(table, o, *default_of(o));
      }) << DescribedKey{&t, &o}.path();
    }
}

// The quantities of [check] in the cases that come with weir; a name with NAME or SCALAR stands for any.
TEST(Results, EveryQuantityThatACaseChecksIsListed) {
  const auto is_listed = [](const std::string& name) {
    for (const Quantity& q : schema().results().quantities) {
      const std::string pattern = std::regex_replace(std::string(q.name), std::regex("NAME|SCALAR"), ".+");
      if (std::regex_match(name, std::regex(pattern))) return true;
    }
    return false;
  };
  EXPECT_FALSE(is_listed("no_such_quantity"));
  for (const auto& file : fs::recursive_directory_iterator(WEIR_INPUTS)) {
    if (file.path().extension() != ".toml") continue;
    const Table config = read_case(file.path().string());
    if (!config.has("check")) continue;
    for (const std::string& name : config.table("check").keys()) EXPECT_TRUE(is_listed(name)) << file.path() << name;
  }
}

class Case : public ::testing::TestWithParam<std::string> {};

TEST_P(Case, IsWhatItsEffectiveConfigurationSays) {
  const Table config = read_case(GetParam());
  if (!config.has("case")) {
    if (config.has("map"))
      EXPECT_NO_THROW(read_map_study(GetParam()));
    else
      EXPECT_NO_THROW(read_ab_study(GetParam()));
    return;
  }
  ASSERT_NO_THROW(read(config));
  std::set<std::string> asked;
  collect(*config.node(), "", asked);
  for (const std::string& key : asked) EXPECT_TRUE(is_described(key)) << key << " has no description";
  const Table again = read_case_text(config.effective(), "/elsewhere/config.effective.toml");
  ASSERT_NO_THROW(read(again));
  EXPECT_EQ(again.effective(), config.effective());
}

std::vector<std::string> all_cases() {
  std::vector<std::string> paths;
  for (const auto& file : fs::recursive_directory_iterator(WEIR_INPUTS))
    if (file.path().extension() == ".toml" &&
        file.path().string().find("/plugins/") == std::string::npos)  // a library to build, a package to have
      paths.push_back(file.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Inputs, Case, ::testing::ValuesIn(all_cases()), [](const auto& info) {
  std::string name =
      fs::path(info.param).parent_path().filename().string() + "_" + fs::path(info.param).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace weir::keys_test
