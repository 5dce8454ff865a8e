# The public headers, and those that they include, below include/weir: `#include <weir/solvers/linear_solver.hpp>`. In the source
# tree they name each other from its root, "base/error.hpp", a name that another library may have too: installed, they say
# "weir/base/error.hpp".
set(headers inputs/case.hpp solvers/studied_solver.hpp solvers/registry.hpp solvers/diagnosis/failed_solve.hpp
  solvers/matrix/facts.hpp solvers/matrix/block/block_csr.hpp solvers/matrix/block/block_stencil.hpp
  solvers/matrix/stencil/banded.hpp solvers/matrix/stencil/separable_stencil.hpp solvers/matrix/io/generate.hpp
  solvers/matrix/io/matrix_market.hpp solvers/matrix/io/petsc_binary.hpp solvers/device/vector_ops.hpp
  solvers/device/ledger.hpp solvers/device/space_timer.hpp solvers/distributed/distributed_matrix.hpp
  mesh/graph/colouring.hpp mesh/graph/orderings.hpp mesh/graph/graph_tools.hpp)
if(NOT TOML)
  list(REMOVE_ITEM headers inputs/case.hpp)
endif()
set(done "")
while(headers)
  list(POP_FRONT headers header)
  list(APPEND done ${header})
  string(REGEX REPLACE "^backend/" "solvers/device/${DEVICE}/backend/" path ${header})
  file(READ ${SOURCE}/${path} text)
  string(REGEX REPLACE "#include \"(base|solvers|mesh/graph|inputs|backend)/" "#include \"weir/\\1/" text "${text}")
  string(REGEX MATCHALL "#include \"weir/[^\"]*" included "${text}")
  list(TRANSFORM included REPLACE "#include \"weir/" "")
  list(APPEND headers ${included})
  list(REMOVE_DUPLICATES headers)
  list(REMOVE_ITEM headers ${done})
  file(CONFIGURE OUTPUT ${ASIDE}/weir/${header} CONTENT "${text}" @ONLY)  # written where it has changed
endwhile()
file(INSTALL ${ASIDE}/weir DESTINATION ${CMAKE_INSTALL_PREFIX}/include)
