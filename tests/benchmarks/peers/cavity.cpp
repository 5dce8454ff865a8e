#include "tests/benchmarks/peers/cavity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/benchmarks/peers/programs.hpp"
#include "tests/benchmarks/peers/settings.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

struct Grid {
  int n = 128, nz = 1;
  double dt = 0.0025;
  int our_steps = 400, their_steps = 40;
};

// Pressure to 1e-6, or to 0.05 of its start but in the last correction, as in OpenFOAM's tutorial of the cavity.
struct PressureSolver {
  const char *name, *entries;
};
constexpr PressureSolver pressure_solvers[] = {
    {"GAMG GaussSeidel", "solver GAMG; smoother GaussSeidel;"},
    {"GAMG DICGaussSeidel", "solver GAMG; smoother DICGaussSeidel;"},
    {"PCG DIC", "solver PCG; preconditioner DIC;"},
    {"PCG FDIC", "solver PCG; preconditioner FDIC;"},
    {"PCG GAMG",
     "solver PCG; preconditioner { preconditioner GAMG; smoother DICGaussSeidel; tolerance 1e-6; relTol 0.05; }"}};

std::string foam_header(const char* kind, const char* object) {
  return fmt::format("FoamFile {{ version 2.0; format ascii; class {}; object {}; }}\n", kind, object);
}

void write_control(const fs::path& dir, double dt, int steps) {
  write_file(
      dir / "system/controlDict",
      foam_header("dictionary", "controlDict") +
          fmt::format("application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime {}; deltaT {};\n"
                      "writeControl timeStep; writeInterval 1000000; runTimeModifiable false; timePrecision 10;\n",
                      dt * steps, dt));
}

void write_foam_case(const fs::path& dir, const Grid& g, const PressureSolver& pressure) {
  const bool flat = g.nz == 1;
  const char* const z = flat ? "0.1" : "1";
  write_file(
      dir / "system/blockMeshDict",
      foam_header("dictionary", "blockMeshDict") +
          fmt::format(
              "scale 1; vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 {0}) (1 0 {0}) (1 1 {0}) (0 1 {0}));\n"
              "blocks (hex (0 1 2 3 4 5 6 7) ({1} {1} {2}) simpleGrading (1 1 1)); edges ();\n"
              "boundary (lid {{ type wall; faces ((3 7 6 2)); }} walls {{ type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 "
              "0)); }} sides {{ type {3}; faces ((0 3 2 1) (4 5 6 7)); }}); mergePatchPairs ();\n",
              z, g.n, g.nz, flat ? "empty" : "wall"));
  write_file(
      dir / "system/fvSchemes",
      foam_header("dictionary", "fvSchemes") +
          "ddtSchemes { default Euler; } gradSchemes { default Gauss linear; } divSchemes { default none; div(phi,U) "
          "Gauss "
          "linear; }\nlaplacianSchemes { default Gauss linear orthogonal; } interpolationSchemes { default linear; } "
          "snGradSchemes { default orthogonal; }\n");
  write_file(dir / "system/fvSolution",
             foam_header("dictionary", "fvSolution") +
                 fmt::format("solvers {{ p {{ {} tolerance 1e-06; relTol 0.05; }} pFinal {{ $p; relTol 0; }}\n"
                             "U {{ solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; }} }}\n"
                             "PISO {{ nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }}\n",
                             pressure.entries));
  write_file(dir / "constant/transportProperties", foam_header("dictionary", "transportProperties") + "nu 0.001;\n");
  write_file(
      dir / "0/U",
      foam_header("volVectorField", "U") +
          fmt::format("dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0);\nboundaryField {{ lid {{ type "
                      "fixedValue; value uniform (1 0 0); }} walls {{ type noSlip; }} sides {{ type {}; }} }}\n",
                      flat ? "empty" : "noSlip"));
  write_file(dir / "0/p",
             foam_header("volScalarField", "p") +
                 fmt::format("dimensions [0 2 -2 0 0 0 0]; internalField uniform 0;\nboundaryField {{ lid {{ type "
                             "zeroGradient; }} walls {{ type zeroGradient; }} sides {{ type {}; }} }}\n",
                             flat ? "empty" : "zeroGradient"));
}

void write_our_case(const fs::path& path, const Grid& g) {
  const bool flat = g.nz == 1;
  std::string walls;
  for (const char* side : {"x_min", "x_max", "y_min"}) walls += fmt::format("{} = {{ type = \"wall\" }}\n", side);
  if (!flat) walls += "z_min = { type = \"wall\" }\nz_max = { type = \"wall\" }\n";
  write_file(
      path,
      fmt::format(
          "[case]\nminiapp = \"incompressible\"\ntitle = \"steps of the cavity\"\n[grid]\ncells = [{0}, {0}, {1}]\n"
          "length = [1.0, 1.0, {2}]\n[flow]\nviscosity = 0.001\n[boundary]\n{3}y_max = {{ type = \"wall\", velocity = "
          "[1.0, 0.0, 0.0] }}\n[time]\ndt = {4}\nend = 1000.0\n[output]\nlog_every = 1000000\nreport = false\n",
          g.n, g.nz, flat ? 0.1 : 1.0, walls, g.dt));
}

double seconds_of(const std::vector<std::string>& command, const fs::path& log) {
  return run_program(command, log).processor_seconds;
}

// Of one step.
double difference(const std::function<double(int)>& of_steps, int steps) {
  const double brief = of_steps(5);
  return (of_steps(5 + steps) - brief) / steps;
}

// "OpenFOAM 1912", from the log of a run.
std::string foam_version(const fs::path& log) {
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);)
    if (const auto at = line.find("OPENFOAM="); at != std::string::npos) {
      std::string word;
      std::istringstream(line.substr(at + 9)) >> word;
      return "OpenFOAM " + word;
    }
  return "OpenFOAM";
}

}  // namespace

std::vector<std::string> cavity_cases() { return {"cavity_2d", "cavity_3d"}; }

void measure_cavity(PeerRows& rows, const std::string& name, const CavityOptions& o) {
  Grid g = name == "cavity_2d" ? Grid{} : Grid{64, 64, 0.005, 40, 8};
  if (o.quick) g = {16, name == "cavity_2d" ? 1 : 16, 0.01, 4, 4};
  const fs::path work = fs::temp_directory_path() / fmt::format("weir_{}_{}", name, getpid()), foam = work / "foam";
  setenv("WM_PROJECT_DIR", "/usr/share/openfoam", 0);  // Debian's OpenFOAM needs the path of its etc/
  write_our_case(work / "cavity.toml", g);
  const std::string weir = weir_program();
  const auto ours = [&](int steps) {
    return seconds_of({weir, "run", (work / "cavity.toml").string(), "-o", (work / "out").string(), "--overwrite",
                       "--threads", "1", "--steps", std::to_string(steps)},
                      work / "weir.txt");
  };
  const auto theirs = [&](int steps) {
    write_control(foam, g.dt, steps);
    return seconds_of({"icoFoam", "-case", foam.string()}, work / "foam.txt");
  };
  PeerRow row;
  row.name = name;
  row.title = fmt::format("cavity, {}^{}", g.n, g.nz == 1 ? 2 : 3);
  row.work = "step";
  row.unit = "ms";
  row.ours.solver = "incompressible";
  row.ours.library = "Weir";
  if (is_on_path("icoFoam") && is_on_path("blockMesh")) {
    const PressureSolver* best = nullptr;
    double least = 0;
    for (const PressureSolver& p : pressure_solvers) {
      write_foam_case(foam, g, p);
      write_control(foam, g.dt, 1);
      if (&p == pressure_solvers) run_program({"blockMesh", "-case", foam.string()}, work / "blockMesh.txt");
      const double s = difference(theirs, g.their_steps);
      fmt::print("  icoFoam, {}: {:.3g} ms\n", p.name, 1e3 * s);
      if (!best || s < least) {
        best = &p;
        least = s;
      }
    }
    write_foam_case(foam, g, *best);
    row.peer.solver = std::string("icoFoam, p: ") + best->name;
    row.peer.library = foam_version(work / "foam.txt");
  }
  for (int round = 0; round < o.rounds; ++round) {
    row.ours.times.push_back(1e3 * difference(ours, g.our_steps));
    if (!row.peer.solver.empty()) row.peer.times.push_back(1e3 * difference(theirs, g.their_steps));
  }
  rows.add(row);
  fs::remove_all(work);
}

}  // namespace weir::bench
