# cmake --install build --prefix P [--component library|program]
#   library  Weir::solvers for other programs: archives, headers under include/weir, the package that find_package(Weir) reads
#   program  weir, what it reads at run time under share/weir (postproc/own_file.hpp), the headers of plugins and captures
# P may be moved afterwards.
if(WEIR_SANITIZE OR weir_only_device_code)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries weir_flags weir_base weir_device weir_parallel weir_graph weir_solvers)
if(TARGET weir_inputs)
  list(APPEND libraries weir_inputs)
endif()
add_library(weir_package INTERFACE)  # all of them, by one name
target_link_libraries(weir_package INTERFACE ${libraries})
add_library(Weir::solvers ALIAS weir_package)
foreach(library ${libraries})
  string(REPLACE weir_ "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
set_target_properties(weir_solvers PROPERTIES EXPORT_NAME methods)
set_target_properties(weir_package PROPERTIES EXPORT_NAME solvers)
target_compile_features(weir_package INTERFACE cxx_std_20)
target_include_directories(weir_package INTERFACE $<INSTALL_INTERFACE:include>)

# What the archives link, as the package has to find it again.
set(WEIR_PACKAGES "")
set(all "")
foreach(library ${libraries})
  get_target_property(linked ${library} INTERFACE_LINK_LIBRARIES)
  list(APPEND all ${linked})
endforeach()
foreach(package "OpenMP COMPONENTS CXX" fmt "Boost COMPONENTS context" ZLIB "MPI COMPONENTS C" CUDAToolkit)
  string(REGEX MATCH "^[A-Za-z]+" name ${package})
  string(REPLACE CUDAToolkit CUDA name ${name})
  if("${all}" MATCHES "${name}::")
    string(APPEND WEIR_PACKAGES "find_dependency(${package})\n")
  endif()
endforeach()
if(WEIR_REGIONS STREQUAL "caliper")
  string(APPEND WEIR_PACKAGES "find_dependency(caliper)\n")
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Weir)
configure_file(${CMAKE_CURRENT_LIST_DIR}/WeirConfig.cmake.in ${CMAKE_BINARY_DIR}/WeirConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/WeirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS ${libraries} weir_package EXPORT Weir COMPONENT library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT Weir NAMESPACE Weir:: FILE WeirTargets.cmake DESTINATION ${package_folder} COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/WeirConfig.cmake ${CMAKE_BINARY_DIR}/WeirConfigVersion.cmake DESTINATION ${package_folder}
  COMPONENT library)
install(CODE "set(SOURCE [[${CMAKE_SOURCE_DIR}]])\nset(DEVICE ${WEIR_DEVICE})\nset(TOML $<TARGET_EXISTS:weir_inputs>)\nset(ASIDE [[${CMAKE_BINARY_DIR}/install]])"
  COMPONENT library)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake COMPONENT library)
install(DIRECTORY inputs/examples DESTINATION share/weir/inputs COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/weir COMPONENT library)

# The C interface: libweir.so, its header, its Fortran module as source, and what pkg-config reads.
if(TARGET weir_shared)
  set_target_properties(weir_shared PROPERTIES EXPORT_NAME weir INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(weir_shared INTERFACE $<INSTALL_INTERFACE:include>)
  add_library(Weir::weir ALIAS weir_shared)
  install(TARGETS weir_shared EXPORT Weir LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
  install(FILES solvers/c/weir.h solvers/c/weir.f90 DESTINATION include/weir COMPONENT library)
  file(RELATIVE_PATH WEIR_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/weir.pc.in ${CMAKE_BINARY_DIR}/weir.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
  # The Python package, with what its links name.
  install(DIRECTORY python DESTINATION share/weir COMPONENT library
    PATTERN build EXCLUDE PATTERN *.egg-info EXCLUDE PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY postproc/report/plots DESTINATION share/weir/postproc/report COMPONENT library PATTERN __pycache__ EXCLUDE)
  install(FILES inputs/clients/weir_capture.py DESTINATION share/weir/inputs/clients COMPONENT library)
endif()

if(TARGET weir)
  set_target_properties(weir PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)  # of libraries that lie where no loader looks
  install(TARGETS weir RUNTIME DESTINATION bin COMPONENT program)
  foreach(plugin weir_petsc weir_hypre weir_suitesparse weir_ginkgo)
    if(TARGET ${plugin})
      set_target_properties(${plugin} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
      install(TARGETS ${plugin} LIBRARY DESTINATION bin COMPONENT program)
    endif()
  endforeach()
  install(DIRECTORY inputs DESTINATION share/weir COMPONENT program
    PATTERN __pycache__ EXCLUDE REGEX "/inputs/(CMakeLists.txt|case.[ch]pp|formula.*[.][ch]pp|examples)$" EXCLUDE)
  # The Python package: its links lead to the report's plots and to inputs/clients there too.
  install(DIRECTORY python DESTINATION share/weir COMPONENT program
    PATTERN build EXCLUDE PATTERN *.egg-info EXCLUDE PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY postproc/reference postproc/report DESTINATION share/weir/postproc COMPONENT program
    PATTERN __pycache__ EXCLUDE PATTERN *.?pp EXCLUDE)
  install(FILES solvers/plugin/weir_plugin.h DESTINATION share/weir/solvers/plugin COMPONENT program)
  install(FILES solvers/plugin/weir_plugin.h inputs/clients/weir_capture.h DESTINATION include/weir COMPONENT program)
endif()
