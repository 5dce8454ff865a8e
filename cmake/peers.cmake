# Libraries whose solvers are compared with ours: WEIR_HAS_PETSC, WEIR_HAS_HYPRE, WEIR_HAS_EIGEN.
find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS CXX)
find_package(Eigen3 QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
endif()
find_library(HYPRE_LIBRARY HYPRE)
find_path(HYPRE_INCLUDE_DIR HYPRE.h PATH_SUFFIXES hypre)

set(WEIR_HAS_PETSC OFF)
set(WEIR_HAS_HYPRE OFF)
set(WEIR_HAS_EIGEN OFF)
# Not under a sanitizer: MPI leaks, and what these libraries do is not ours to check.
if(WEIR_MPI AND WEIR_PETSC AND PETSC_FOUND AND MPI_CXX_FOUND AND NOT WEIR_SANITIZE)
  set(WEIR_HAS_PETSC ON)
endif()
if(WEIR_MPI AND WEIR_HYPRE AND HYPRE_LIBRARY AND HYPRE_INCLUDE_DIR AND MPI_CXX_FOUND AND NOT WEIR_SANITIZE)
  set(WEIR_HAS_HYPRE ON)
endif()
# The race build looks at device code.
if(WEIR_EIGEN AND Eigen3_FOUND AND NOT WEIR_SANITIZE STREQUAL "race")
  set(WEIR_HAS_EIGEN ON)
endif()
