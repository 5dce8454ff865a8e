#include "base/foreign/optional_library.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace weir {
namespace {

constexpr std::array<OptionalLibrary, 14> all = {{
    {"MPI", "libopenmpi-dev", "ranks (mpirun)"},
    {"HDF5", "libhdf5-dev", "checkpoints, captured systems"},
    {"muParser", "libmuparser-dev", "formulas in case files"},
    {"FFTW", "libfftw3-dev", "fast transforms of fast_poisson; without: dense ones"},
    {"METIS", "libmetis-dev", "nested dissection, partitions of meshes; without: level structures, strips"},
    {"zlib", "zlib1g-dev", "gzipped matrix files"},
    {"Eigen", "libeigen3-dev", "solvers eigen:..., direct solves of weir doctor"},
    {"PETSc", "petsc-dev", "solvers petsc:..."},
    {"hypre", "libhypre-dev", "solvers hypre:..."},
    {"SuiteSparse", "libsuitesparse-dev", "solvers suitesparse:..."},
    {"amgcl", "", "solvers amgcl:..."},
    {"Ginkgo", "", "solvers ginkgo:..."},
    {"cuDSS", "", "solvers cudss:... of CUDA builds"},
    {"AMGX", "", "solvers amgx:... of CUDA builds"},
}};

}  // namespace

std::span<const OptionalLibrary> optional_libraries() { return all; }

std::string brought_by(const OptionalLibrary& library) {
  if (library.package.empty()) return "no Debian package: docs/howto/solve_a_matrix_file.md";
  return "Debian package " + std::string(library.package);
}

std::string lacks(std::string_view name) {
  const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
  for (const OptionalLibrary& library : all)
    if (std::ranges::equal(library.name, name, same))
      return "this build lacks " + std::string(library.name) + " (" + brought_by(library) + ")";
  return "this build lacks " + std::string(name);
}

}  // namespace weir
