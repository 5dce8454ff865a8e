#include "tests/benchmarks/peers/aerofoil.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "postproc/own_file.hpp"
#include "tests/benchmarks/peers/programs.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

// FVENS's own case has CFL numbers of 200 to 1000 in its first-order phase and 500 to 5000 in the second.
struct Settings {
  const char *name, *petsc;
  int cfl_start, cfl_max;
};
constexpr const char* fgmres = "-ksp_type fgmres\n-ksp_rtol 1e-1\n-ksp_max_it 30";
constexpr const char* gmres =
    "-ksp_type gmres\n-ksp_pc_side right\n-ksp_gmres_restart 60\n-ksp_rtol 1e-1\n-ksp_max_it 60";
constexpr Settings settings[] = {{"fgmres 0.1, CFL 500 to 5000", fgmres, 500, 5000},
                                 {"gmres 0.1, CFL 500 to 5000", gmres, 500, 5000},
                                 {"gmres 0.1, CFL 500 to 20000", gmres, 500, 20000},
                                 {"gmres 0.1, CFL 1000 to 100000", gmres, 1000, 100000}};

void write_fvens_case(const fs::path& dir, const fs::path& mesh, const Settings& s) {
  write_file(dir / "petsc.txt",
             std::string("-mesh_reorder rcm\n-mat_type baij\n-pc_type bjacobi\n-sub_pc_type ilu\n") + s.petsc + "\n");
  const auto named = [&](const char* file) { return (dir / file).string(); };
  write_file(dir / "case.ctrl",
             fmt::format("io {{ mesh_file \"{}\" solution_output_file \"{}\" log_file_prefix \"{}\" "
                         "convergence_history_required false }}\n",
                         mesh.string(), named("flow.vtu"), named("log")) +
                 "flow_conditions { flow_type navierstokes adiabatic_index 1.4 angle_of_attack 0.0\n"
                 "freestream_Mach_number 0.5 freestream_Reynolds_number 5000.0 freestream_temperature 288.15\n"
                 "Prandtl_number 0.72 use_constant_viscosity false }\n"
                 "bc { bc0 { type inflowoutflow marker 4 } bc1 { type adiabaticwall marker 2 boundary_values 0.0 }\n" +
                 fmt::format("listof_output_wall_boundaries 2 surface_output_file_prefix \"{}\" }}\n", named("wall")) +
                 "time { simulation_type steady }\n"
                 "spatial_discretization { inviscid_flux Roe gradient_method leastsquares limiter none "
                 "limiter_parameter 20.0 }\n" +
                 fmt::format("pseudotime {{ pseudotime_stepping_type implicit\n"
                             "main {{ cfl_min {} cfl_max {} tolerance 1e-6 max_timesteps 300 }}\n"
                             "initialization {{ cfl_min 200.0 cfl_max 1000.0 tolerance 1e-1 max_timesteps 50 }}\n"
                             "nonlinear_update_scheme full }}\nJacobian_inviscid_flux consistent\n",
                             s.cfl_start, s.cfl_max));
}

// A child's peak begins with what we hold when it is forked (the triad's arrays): what is not above that is not known,
// 0.
double megabytes_of(const Child& child) {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  return child.peak_bytes > 1024 * std::int64_t{own.ru_maxrss} ? static_cast<double>(child.peak_bytes) / 1e6 : 0;
}

// The shipped case's solvers on FVENS's mesh: its pseudo_time and linear tables as they are.
void write_our_case(const fs::path& path, const fs::path& mesh) {
  std::ifstream file(own_file("inputs/compressible/naca0012_laminar.toml"));
  std::stringstream text;
  text << file.rdbuf();
  const std::string shipped = text.str();
  const auto from = shipped.find("[pseudo_time]"), to = shipped.find("[check]");
  if (from == std::string::npos || to == std::string::npos)
    throw Error(Exit::internal, "inputs/compressible/naca0012_laminar.toml: [pseudo_time] to [check] expected");
  write_file(path, fmt::format("[case]\nminiapp = \"compressible\"\ntitle = \"laminar NACA0012 on FVENS's mesh\"\n"
                               "[mesh]\nfile = \"{}\"\n[flow]\nmach = 0.5\nreynolds = 5000.0\n[boundary]\n"
                               "2 = {{ type = \"adiabatic_wall\" }}\n4 = {{ type = \"farfield\" }}\n{}",
                               mesh.string(), shipped.substr(from, to - from)));
}

}  // namespace

std::vector<std::string> aerofoil_cases() { return {"aerofoil_13k", "aerofoil_52k"}; }

void measure_aerofoil(PeerRows& rows, const std::string& name, int rounds) {
  const char* const given = std::getenv("FVENS_DIR");
  const fs::path fvens = given ? given : "", program = fvens / "build" / "fvens_steady";
  const bool is_large = name == "aerofoil_52k";
  const fs::path mesh =
      fvens / "testcases/visc-naca0012/grids" / (is_large ? "NACA0012_lam_hybrid_2.msh" : "NACA0012_lam_hybrid_1.msh");
  if (!given || !fs::exists(program) || !fs::exists(mesh)) {
    fmt::print("  {}: left out, FVENS_DIR names no folder with build/fvens_steady and testcases/\n", name);
    return;
  }
  const fs::path work = fs::temp_directory_path() / fmt::format("weir_{}_{}", name, getpid());
  write_our_case(work / "aerofoil.toml", mesh);
  const auto ours = [&] {
    return run_program({weir_program(), "run", (work / "aerofoil.toml").string(), "-o", (work / "out").string(),
                        "--overwrite", "--threads", "1", "--set", "pseudo_time.coarse_meshes=0"},
                       work / "weir.txt");
  };
  setenv("OMP_NUM_THREADS", "1", 1);
  const auto theirs = [&] {
    return run_program(
        {program.string(), (work / "fvens/case.ctrl").string(), "-options_file", (work / "fvens/petsc.txt").string()},
        work / "fvens.txt");
  };
  const Settings* best = nullptr;
  double least = 0;
  for (const Settings& s : settings) {
    write_fvens_case(work / "fvens", mesh, s);
    double seconds = 0;
    try {
      seconds = theirs().processor_seconds;
    } catch (const Error&) {  // it ends so where it does not converge
      fmt::print("  FVENS, {}: fails\n", s.name);
      continue;
    }
    fmt::print("  FVENS, {}: {:.3g} s\n", s.name, seconds);
    if (!best || seconds < least) {
      best = &s;
      least = seconds;
    }
  }
  if (!best)
    throw Error(Exit::solver_failed, "FVENS converges with none of its settings; see " + (work / "fvens.txt").string());
  write_fvens_case(work / "fvens", mesh, *best);
  PeerRow row;
  row.name = name;
  row.title = fmt::format("laminar NACA0012, {} cells, six decades", is_large ? "52,624" : "13,156");
  row.work = "run";
  row.unit = "s";
  row.ours = {.solver = "compressible", .library = "Weir", .times = {}};
  row.peer = {.solver = best->name, .library = "FVENS", .times = {}};
  for (int round = 0; round < rounds; ++round) {
    const Child we = ours(), they = theirs();
    row.ours.times.push_back(we.processor_seconds);
    row.peer.times.push_back(they.processor_seconds);
    row.ours.megabytes = megabytes_of(we);
    row.peer.megabytes = megabytes_of(they);
  }
  rows.add(row);
  fs::remove_all(work);
}

}  // namespace weir::bench
