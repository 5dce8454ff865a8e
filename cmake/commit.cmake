# cmake -DSOURCE=folder -DIN=provenance.cpp.in -DOUT=provenance.cpp -P commit.cmake; OUT stays as it is where nothing changed.
find_package(Git QUIET)
set(WEIR_COMMIT "")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} --no-optional-locks describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE WEIR_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT WEIR_COMMIT)
  set(WEIR_COMMIT unknown)
endif()
configure_file(${IN} ${OUT} @ONLY)
