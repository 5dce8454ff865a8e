# What `weir --version` and run.json tell of the build. provenance.cpp is written in two steps: here, once all libraries are
# found, and by commit.cmake at build time, after a commit and where a library of ours has changed (the tree may be dirty
# then). So one small source is compiled, and a build tree that is up to date has nothing to do.
get_property(libraries GLOBAL PROPERTY weir_libraries)
list(SORT libraries CASE INSENSITIVE)
list(JOIN libraries "\n    " WEIR_LIBRARIES)
set(WEIR_FLAGS ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE} ${weir_compile})
list(JOIN WEIR_FLAGS " " WEIR_FLAGS)
if(WEIR_DEVICE STREQUAL "cuda")
  string(APPEND WEIR_COMPILER_TEXT " and nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
set(WEIR_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}${WEIR_COMPILER_TEXT}")
set(WEIR_COMMIT "@WEIR_COMMIT@")  # of the second step
configure_file(cmake/provenance.cpp.in ${CMAKE_BINARY_DIR}/provenance.cpp.in @ONLY)
