# Libraries whose solvers are compared with ours: WEIR_HAS_PETSC, WEIR_HAS_HYPRE, WEIR_HAS_EIGEN, WEIR_HAS_SUITESPARSE,
# WEIR_HAS_AMGCL, WEIR_HAS_GINKGO, WEIR_HAS_CUDSS, WEIR_HAS_AMGX. The system's are taken where no folder is named:
#   -DPETSC_DIR=... [-DPETSC_ARCH=...]   an installed PETSc, or its source folder and the build in it; of the same MPI
#   -DHYPRE_DIR=...  -DSUITESPARSE_DIR=...   folders with include/ and lib/
#   -DCUDSS_DIR=...  -DAMGX_DIR=...   the same, for CUDA builds
#   -DGINKGO_DIR=...   an installed Ginkgo, or its build folder
#   -DAMGCL_DIR=...   the folder that holds amgcl/amg.hpp
# A named folder without the library is an error. What is chosen is printed (weir_uses), and stands in run.json's build record.
find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS CXX)
find_package(Eigen3 QUIET)
foreach(folder PETSC_DIR PETSC_ARCH HYPRE_DIR SUITESPARSE_DIR AMGCL_DIR GINKGO_DIR CUDSS_DIR AMGX_DIR)
  set(${folder} "" CACHE STRING "Another ${folder} than the system's (cmake/peers.cmake)")
endforeach()

# weir_find_peer(NAME folder library header suffixes...): NAME_LIBRARY and NAME_INCLUDE_DIR, in the folder alone where one is
# named; looked for again where another is.
function(weir_find_peer name folder library header)
  if(NOT "${folder}" STREQUAL "${WEIR_${name}_FOUND_IN}")
    unset(${name}_LIBRARY CACHE)
    unset(${name}_INCLUDE_DIR CACHE)
    set(WEIR_${name}_FOUND_IN "${folder}" CACHE INTERNAL "")
  endif()
  set(where "")
  if(folder)
    set(where PATHS ${folder} NO_DEFAULT_PATH)
  endif()
  if(library)
    find_library(${name}_LIBRARY ${library} ${where} PATH_SUFFIXES lib lib64)
  endif()
  find_path(${name}_INCLUDE_DIR ${header} ${where} PATH_SUFFIXES include ${ARGN})
  if(folder AND NOT (${name}_INCLUDE_DIR AND (NOT library OR ${name}_LIBRARY)))
    message(FATAL_ERROR "${folder} holds no ${name} (looked for include/${header} and the library '${library}' in lib)")
  endif()
endfunction()
weir_find_peer(HYPRE "${HYPRE_DIR}" HYPRE HYPRE.h hypre)
weir_find_peer(CHOLMOD "${SUITESPARSE_DIR}" cholmod cholmod.h suitesparse include/suitesparse)
weir_find_peer(UMFPACK "${SUITESPARSE_DIR}" umfpack umfpack.h suitesparse include/suitesparse)
weir_find_peer(AMGCL "${AMGCL_DIR}" "" amgcl/amg.hpp)
if(WEIR_DEVICE STREQUAL "cuda")
  weir_find_peer(CUDSS "${CUDSS_DIR}" cudss cudss.h)
  weir_find_peer(AMGX "${AMGX_DIR}" amgxsh amgx_c.h)
endif()

# By Ginkgo's own package file, of the named folder alone.
if(NOT "${GINKGO_DIR}" STREQUAL "${WEIR_GINKGO_FOUND_IN}")
  unset(Ginkgo_DIR CACHE)
  set(WEIR_GINKGO_FOUND_IN "${GINKGO_DIR}" CACHE INTERNAL "")
endif()
if(GINKGO_DIR)
  find_package(Ginkgo REQUIRED PATHS ${GINKGO_DIR} NO_DEFAULT_PATH)
else()
  find_package(Ginkgo QUIET)
endif()

# By PETSc's own pkg-config file, of the named folder alone.
if(PkgConfig_FOUND)
  if(NOT "${PETSC_DIR}/${PETSC_ARCH}" STREQUAL "${WEIR_PETSC_FOUND_IN}")
    unset(__pkg_config_checked_PETSC CACHE)
    set(WEIR_PETSC_FOUND_IN "${PETSC_DIR}/${PETSC_ARCH}" CACHE INTERNAL "")
  endif()
  if(PETSC_DIR)
    set(weir_petsc_file ${PETSC_DIR}/${PETSC_ARCH}/lib/pkgconfig/PETSc.pc)
    if(NOT EXISTS ${weir_petsc_file})
      message(FATAL_ERROR "${weir_petsc_file} is missing: PETSC_DIR and PETSC_ARCH name no built PETSc")
    endif()
    set(ENV{PKG_CONFIG_PATH} "${PETSC_DIR}/${PETSC_ARCH}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  endif()
  pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
  if(PETSC_FOUND)  # Debian's file also has the flags that its package was built with, which spoil precompiled headers
    set_target_properties(PkgConfig::PETSC PROPERTIES INTERFACE_COMPILE_OPTIONS "" INTERFACE_COMPILE_DEFINITIONS "")
  endif()
endif()

# weir_has(NAME conditions...): WEIR_HAS_NAME where the option WEIR_NAME is on and all conditions hold. Not under a sanitizer:
# MPI leaks, Eigen's ILUT reads a state that nobody has set, and neither is ours to mend.
function(weir_has name)
  set(has ON)
  foreach(condition WEIR_${name} ${ARGN})
    if(NOT ${condition} OR WEIR_SANITIZE)
      set(has OFF)
    endif()
  endforeach()
  set(WEIR_HAS_${name} ${has} PARENT_SCOPE)
endfunction()
weir_has(PETSC WEIR_MPI PETSC_FOUND MPI_CXX_FOUND)
weir_has(HYPRE WEIR_MPI HYPRE_LIBRARY HYPRE_INCLUDE_DIR MPI_CXX_FOUND)
weir_has(EIGEN Eigen3_FOUND)
weir_has(SUITESPARSE CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR UMFPACK_LIBRARY UMFPACK_INCLUDE_DIR)
weir_has(AMGCL AMGCL_INCLUDE_DIR)
weir_has(GINKGO Ginkgo_FOUND)
weir_has(CUDSS CUDSS_LIBRARY CUDSS_INCLUDE_DIR)
weir_has(AMGX AMGX_LIBRARY AMGX_INCLUDE_DIR)
