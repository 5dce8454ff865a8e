# Flags that every target shares, and two helpers: weir_library and weir_test.
#
# A .cu file holds device code (kernels, or loops over a Space). With WEIR_DEVICE=cuda nvcc compiles it; with simt the host
# compiler does, as C++. A .cpp file never does.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# A part of the last bits: what is inlined where depends on the batches. State hashes hold for this number.
set(WEIR_BATCH 12 CACHE STRING "Sources of a library that are compiled as one; 1: each alone, to find missing #includes")
option(WEIR_ONLY_CHECK "This tree is compiled to be checked, not to be fast: several sources at a time, hardly optimised" OFF)
if(WEIR_SANITIZE)
  set(WEIR_ONLY_CHECK ON)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=gold weir_gold)  # part of binutils; large programs with -g1 link in two thirds of the time
  if(weir_gold)
    add_link_options(-fuse-ld=gold)
  endif()
  set(CMAKE_CXX_FLAGS_RELEASE "-Og")  # instrumented code compiles a quarter faster than with -O1
elseif(WEIR_ONLY_CHECK)
  set(CMAKE_OPTIMIZE_DEPENDENCIES ON)  # `device_code` builds no library without device code that no program links
  set(CMAKE_CXX_FLAGS_RELEASE "-O0")
  set(CMAKE_CUDA_FLAGS_RELEASE "-O0")
else()
  set(CMAKE_CXX_FLAGS_RELEASE "-O3")
endif()

# weir_uses(name version [where]): a library that this build uses; run.json names it.
function(weir_uses name version)
  message(STATUS "Uses ${name} ${version} ${ARGN}")
  set_property(GLOBAL APPEND PROPERTY weir_libraries "{\"${name}\", \"${version}\"},")
endfunction()
# weir_uses_header(name header pattern): the same, the version read from the header's `#define`s that match.
function(weir_uses_header name header pattern)
  file(STRINGS ${header} lines REGEX "#define +${pattern}")
  string(REGEX MATCHALL "[0-9][0-9.]*" version "${lines}")
  list(JOIN version "." version)
  weir_uses(${name} "${version}" ${header})
endfunction()

# A compiler cache, where there is one: the host files of a second build tree (cuda beside default) come from it.
find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEIR_CCACHE})
endif()

add_library(weir_flags INTERFACE)
# BUILD_INTERFACE: not of an installed Weir (cmake/install.cmake).
target_include_directories(weir_flags INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR};${CMAKE_SOURCE_DIR}/solvers/device/${WEIR_DEVICE}>")
find_package(OpenMP REQUIRED COMPONENTS CXX)
target_link_libraries(weir_flags INTERFACE OpenMP::OpenMP_CXX)

set(weir_warnings -Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND weir_warnings -Wno-restrict)  # GCC 12 warns of "text" + std::string without cause (PR 105651)
else()
  list(APPEND weir_warnings -Wno-deprecated-declarations)  # std::stable_sort of GCC 12's library uses what it deprecates
endif()
set(weir_compile -fno-math-errno -fno-trapping-math)  # lets loops with sqrt and selects vectorise; results stay IEEE
if(WEIR_NATIVE)
  list(APPEND weir_compile -march=native)
endif()
if(WEIR_SHARED)  # libweir.so is made of the archives
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  list(APPEND weir_compile -fno-semantic-interposition)
endif()
if(WEIR_ONLY_CHECK)
  # Unrolled block products, compiled again in every place they are inlined into, take half of some files' compile time. (The
  # standard library and intrinsics write __always_inline__.)
  list(APPEND weir_compile -Dalways_inline=unused)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND weir_compile --param=ggc-min-heapsize=524288)  # KB: no collection of garbage below
endif()
# The host's kernels over blocks are compiled for each size up to WEIR_FIXED_BLOCKS, and for WEIR_ROWS_AT_ONCE rows of larger
# ones. A checked tree has the same code with fewer of each; the race build, which is about device code, none.
set(fixed_blocks 8)
set(rows_at_once 32)
if(WEIR_ONLY_CHECK)
  set(fixed_blocks 5)
  set(rows_at_once 8)
endif()
if(WEIR_SANITIZE STREQUAL "race")
  set(fixed_blocks 0)
endif()
target_compile_definitions(weir_flags INTERFACE
  "$<BUILD_INTERFACE:WEIR_FIXED_BLOCKS=${fixed_blocks};WEIR_ROWS_AT_ONCE=${rows_at_once}>")
if(WEIR_SANITIZE STREQUAL "address")
  # What ASan sees itself is left out of UBSan, and accesses are checked by calls: files compile three times faster. Reports
  # name functions; for lines too, which cost a sixth of the compile time, configure with -DCMAKE_CXX_FLAGS=-g1.
  list(APPEND weir_compile -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr
    -fno-sanitize-recover=all --param=asan-instrumentation-with-call-threshold=0 -fno-omit-frame-pointer)
  target_compile_definitions(weir_flags INTERFACE _GLIBCXX_ASSERTIONS)  # an index past a vector's size is one past its memory
  target_link_options(weir_flags INTERFACE -fsanitize=address,undefined)
endif()
# The race build: g++ calls a hook before each access, and the hooks are ours (solvers/device/simt/tsan_hooks.cpp), so the
# sanitizer's library is not linked. The emulator itself is a shared library without hooks.
set(weir_checked "")
if(WEIR_SANITIZE STREQUAL "race")
  set(weir_checked weir_checked)
  add_library(weir_checked INTERFACE)
  target_compile_options(weir_checked INTERFACE -g1 -fsanitize=thread --param=tsan-distinguish-volatile=1
    --param=tsan-instrument-func-entry-exit=0)
  target_link_libraries(weir_checked INTERFACE weir_device)
endif()
if(WEIR_BATCH GREATER 1)
  list(APPEND weir_warnings -Wno-shadow)  # of other sources in a batch; elsewhere each is compiled alone
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 with -O3 warns of the standard's own strings where they come precompiled (PR 105651).
    list(APPEND weir_warnings -Wno-subobject-linkage -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
if(WEIR_SANITIZE)
  list(APPEND weir_warnings -Wno-maybe-uninitialized)  # GCC does not see through the instrumented code
endif()
if(WEIR_DEVICE STREQUAL "none")  # the other trees warn; here GCC warns of code that it drops, and of precompiled headers
  set(weir_warnings -w)
elseif(WEIR_WERROR)
  list(APPEND weir_warnings -Werror)
endif()
target_compile_options(weir_flags INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${weir_warnings};${weir_compile}>>")

if(WEIR_DEVICE STREQUAL "cuda")
  option(WEIR_PTX_QUICK "Device code is compiled with less effort: in two thirds of the time; not for counts of instructions" OFF)
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "GPU architectures")
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # the one that cuBLAS uses: a static one beside it would know other contexts
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(CUDAToolkit_VERSION VERSION_LESS 12.8)
    message(FATAL_ERROR "CUDA ${CUDAToolkit_VERSION} lacks the atomic loads and stores of device code: 12.8 or newer is needed "
      "(and for CUDA 13 a driver of 580 or newer)")
  endif()
  # CMake 3.25 does not know nvcc's C++20: asked for it, it silently adds no flag; not asked, it takes CMAKE_CXX_STANDARD,
  # with its REQUIRED, and stops.
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED OFF)
  set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -std=c++20 --extended-lambda --expt-relaxed-constexpr")
  set(weir_cuda -Xcompiler=-fopenmp,-Wall,-Wextra,-Wno-restrict)
  if(WEIR_NATIVE)
    list(APPEND weir_cuda -Xcompiler=-march=native)
  endif()
  if(WEIR_BATCH GREATER 1)
    list(APPEND weir_cuda -Xcompiler=-Wno-subobject-linkage)
  endif()
  if(WEIR_ONLY_CHECK AND NOT WEIR_PTX)
    set(weir_only_device_code ON)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
      list(APPEND weir_cuda --Ofast-compile=max)  # nvcc's -O0 is the host's alone
    endif()
  elseif(WEIR_PTX_QUICK AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
    # But for the solvers: some of their kernels spill registers then, and one fence is not needed any more.
    list(APPEND weir_cuda "$<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:NAME>,weir_solvers>>:--Ofast-compile=min>")
  endif()
  if(WEIR_WERROR)
    list(APPEND weir_cuda -Werror=all-warnings -Xcompiler=-Werror)
  endif()
  target_compile_options(weir_flags INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:${weir_cuda}>>")
  target_link_libraries(weir_flags INTERFACE CUDA::cudart)
endif()

function(weir_device_sources)
  foreach(source ${ARGN})
    if(source MATCHES "\\.cu$")
      if(WEIR_DEVICE STREQUAL "cuda")
        set_source_files_properties(${source} PROPERTIES LANGUAGE CUDA)
      else()
        # g++ does not know the suffix: say that it is C++.
        set_source_files_properties(${source} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
      endif()
    endif()
  endforeach()
endfunction()

# All that holds device code: what a build for CUDA is about. In a tree that is only checked, device code is compiled, and host
# code is read without an object of it: half of the time. The libraries of the device's own tests are whole, as these are
# linked.
add_custom_target(device_code)
function(weir_depends_on_device_code name)
  if("${ARGN}" MATCHES "\\.cu(;|$)")
    add_dependencies(device_code ${name})
  endif()
endfunction()

# weir_library(name sources...): a static library with the house's flags.
function(weir_library name)
  if(weir_only_device_code AND NOT name MATCHES "^weir_(base|device)$")
    add_library(${name} OBJECT ${ARGN})
    target_compile_options(${name} PRIVATE "$<IF:$<COMPILE_LANGUAGE:CUDA>,-Xcompiler=-fsyntax-only,-fsyntax-only>")
  else()
    add_library(${name} STATIC ${ARGN})
  endif()
  weir_depends_on_device_code(${name} ${ARGN})
  weir_device_sources(${ARGN})
  target_link_libraries(${name} PUBLIC weir_flags ${weir_checked})
  if(WEIR_BATCH GREATER 1)
    weir_read_once(${name})
    cmake_language(EVAL CODE "cmake_language(DEFER CALL weir_in_batches [[${name}]])")  # once its sources are all named
  endif()
endfunction()

# Several sources in one: what they share is read and compiled once. Neighbours in a list (twins, parts of one method)
# often have helpers of the same name, so batch b takes every n-th. Sources with options of their own stay alone, and
# those of weir_alone, for a "redefinition".
function(weir_alone)
  set_source_files_properties(${ARGN} PROPERTIES WEIR_ALONE ON)
endfunction()
function(weir_in_batches name)
  get_target_property(alone ${name} WEIR_ALONE)
  if(alone)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  get_target_property(light ${name} WEIR_LIGHT_CPP)
  set(left ${sources})
  foreach(suffix cpp cu)
    set(together "")
    foreach(source ${sources})
      get_filename_component(path ${source} ABSOLUTE)
      get_source_file_property(alone ${source} WEIR_ALONE)
      get_source_file_property(options ${source} COMPILE_OPTIONS)
      get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
      if(path MATCHES "\\.${suffix}$" AND NOT alone AND NOT definitions AND (NOT options OR options STREQUAL "-xc++"))
        list(APPEND together ${path})
        list(REMOVE_ITEM left ${source})
      endif()
    endforeach()
    list(LENGTH together count)
    set(batch ${WEIR_BATCH})
    if(name MATCHES "_test$" AND NOT WEIR_ONLY_CHECK)
      math(EXPR batch "2 * ${batch}")
    endif()
    math(EXPR batches "(${count} + ${batch} - 1) / ${batch}")
    set(b 0)
    foreach(source ${together})
      string(APPEND batch_${b} "#include \"${source}\"\n")
      math(EXPR b "(${b} + 1) % ${batches}")
    endforeach()
    set(written_as ${suffix})
    if(NOT WEIR_DEVICE STREQUAL "cuda")
      set(written_as cpp)
    endif()
    foreach(b RANGE ${batches})
      if(DEFINED batch_${b})
        set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_${suffix}_${b}.${written_as})
        file(CONFIGURE OUTPUT ${file} CONTENT "${batch_${b}}" @ONLY)
        list(APPEND left ${file})
        weir_device_sources(${file})
        if(light AND suffix STREQUAL "cpp")
          set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${weir_little_effort}")
        endif()
        unset(batch_${b})
      endif()
    endforeach()
  endforeach()
  set_property(TARGET ${name} PROPERTY SOURCES ${left})
endfunction()

# The standard headers are read once for all libraries, unless each source is compiled alone: a third of their compile time.
function(weir_read_once name)
  find_package(fmt REQUIRED)
  if(NOT TARGET weir_standard_headers)
    file(WRITE ${CMAKE_BINARY_DIR}/standard_headers.cpp "")
    add_library(weir_standard_headers OBJECT ${CMAKE_BINARY_DIR}/standard_headers.cpp)
    target_link_libraries(weir_standard_headers PRIVATE weir_flags fmt::fmt)
    if(weir_checked)
      target_compile_options(weir_standard_headers PRIVATE $<TARGET_PROPERTY:weir_checked,INTERFACE_COMPILE_OPTIONS>)
    endif()
    foreach(header algorithm array cmath cstdint filesystem fmt/format.h fstream functional map memory numeric optional random set
        span sstream string string_view unordered_map utility vector)
      target_precompile_headers(weir_standard_headers PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
    endforeach()
  endif()
  # A precompiled header is read where its definitions hold, also in a library that does not link fmt.
  target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  target_precompile_headers(${name} REUSE_FROM weir_standard_headers)
endfunction()

# What spends no time of a run (readers, records, command line) is compiled with less effort: in half the time.
set(weir_little_effort -Og -Wno-maybe-uninitialized)  # a false warning of std::regex with -Og
set(weir_light "")
if(NOT WEIR_ONLY_CHECK)
  set(weir_light "$<$<COMPILE_LANGUAGE:CXX>:${weir_little_effort}>")
endif()
set(weir_test_effort $<$<COMPILE_LANGUAGE:CXX>:-O0>)  # tests spend their time in the libraries
if(WEIR_SANITIZE)
  set(weir_test_effort "")
endif()
function(weir_lighten name)
  target_compile_options(${name} PRIVATE ${weir_light})
endfunction()
function(weir_lighten_cpp name)  # but for what holds loops over a space, which a .cu file does
  if(NOT WEIR_ONLY_CHECK)
    set_target_properties(${name} PROPERTIES WEIR_LIGHT_CPP ON)
  endif()
endfunction()

add_custom_target(ptx_check)  # what CI builds with the preset ptx: tests/ptx
# All programs whose tests have the label `unit`: what a sanitizer's tree is built for.
add_custom_target(unit_tests)

# Of the tests that are not typed by their space, those that need a device: left out where there is none.
set(weir_tests_of_a_device *Spaces.* *InBothSpaces* *AcrossSpaces* *OnDevice* *OnTheDevice* *OnADevice* *DeviceEqualsHost* *DeviceToo
  *DeviceTakes* *AndNotTheDevice* *IsTooLargeForTheMachine* *DevicesCaptures* BlockCsrByWarps.* Gemm.WritesNothing* *WhoseSolverRemembers
  *ARestartKnowsTheEarlier* *WhereTheRunDid* *SeesWhatIsNotFinite* *DoesNotRepeat*)
list(JOIN weir_tests_of_a_device ":" pattern)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/host_alone.cpp CONTENT "#include <cstdlib>
[[gnu::constructor(101)]] static void leave_out_tests_of_a_device() { setenv(\"GTEST_FILTER\", \"-${pattern}\", 0); }
")

# weir_test(name LIBRARIES a b SOURCES x.cpp y.cu): one GoogleTest program; its tests are ctest's, but under a sanitizer
# or on a GPU, where the program is one test, or so many as SHARDS says: there a program's start takes longer than most tests.
# NOT_SANITIZED: patterns of tests that run the code of other tests for longer; NOT_UNDER_RACE: that run no device code, or the
# kernels of other tests for longer; NOT_TORN: the same, of torn runs under tests/ptx. HOST_SOURCES: sources without device code,
# which the race build and tests/ptx leave out.
# Few programs of many sources compile in half the time, as sources come in batches: so each has a namespace of its file's name.
function(weir_test_program name)  # without tests of ctest, or a main function
  cmake_parse_arguments(arg "" "" "LIBRARIES;SHARDS;SOURCES;HOST_SOURCES;LABELS;NOT_SANITIZED;NOT_UNDER_RACE;NOT_TORN" ${ARGN})
  if(NOT WEIR_SANITIZE STREQUAL "race" AND NOT WEIR_PTX)
    list(APPEND arg_SOURCES ${arg_HOST_SOURCES})
  endif()
  add_executable(${name} ${arg_SOURCES})
  weir_depends_on_device_code(${name} ${arg_SOURCES})
  weir_device_sources(${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${weir_test_effort})
  target_compile_definitions(${name} PRIVATE WEIR_HOST_ALONE=$<STREQUAL:${WEIR_DEVICE},none>)
  if(WEIR_DEVICE STREQUAL "none")
    target_sources(${name} PRIVATE ${CMAKE_BINARY_DIR}/host_alone.cpp)
  endif()
  if(NOT TARGET weir_test_headers)  # every test reads these: once for all programs
    file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cpp "")
    add_library(weir_test_headers OBJECT ${CMAKE_BINARY_DIR}/test_headers.cpp)
    target_compile_options(weir_test_headers PRIVATE ${weir_test_effort})
    target_link_libraries(weir_test_headers PRIVATE weir_flags ${weir_checked} GTest::gtest)
    target_precompile_headers(weir_test_headers PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:<gtest/gtest.h$<ANGLE-R>>" "$<$<COMPILE_LANGUAGE:CXX>:<functional$<ANGLE-R>>")
  endif()
  target_precompile_headers(${name} REUSE_FROM weir_test_headers)
  target_link_libraries(${name} PRIVATE weir_flags ${weir_checked} ${arg_LIBRARIES} GTest::gtest)
  add_dependencies(unit_tests ${name})
  if(WEIR_BATCH GREATER 1)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL weir_in_batches [[${name}]])")
  endif()
endfunction()

function(weir_test name)
  weir_test_program(${name} ${ARGN})
  cmake_parse_arguments(arg "" "" "LIBRARIES;SHARDS;SOURCES;HOST_SOURCES;LABELS;NOT_SANITIZED;NOT_UNDER_RACE;NOT_TORN" ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  set(environment OMP_WAIT_POLICY=passive)  # more threads than cores, as some tests ask for, must not spin at each other
  if(WEIR_PTX)
    weir_ptx_tests(${name} ${arg_SHARDS} "${arg_LABELS}" ${arg_NOT_SANITIZED} ${arg_NOT_UNDER_RACE} */host.*)
  elseif(WEIR_SANITIZE OR NOT WEIR_DEVICE STREQUAL "simt")  # a GPU takes up to a second to make a context
    set(left_out "")
    if(WEIR_SANITIZE)
      set(left_out ${arg_NOT_SANITIZED})
    endif()
    if(WEIR_SANITIZE STREQUAL "race")
      list(APPEND left_out ${arg_NOT_UNDER_RACE} */host.* *OnHost.*)  # what is about the host runs no device code
    endif()
    if(WEIR_DEVICE STREQUAL "none")
      list(APPEND left_out ${weir_tests_of_a_device})
    endif()
    weir_shards(${name} ${name} ${arg_SHARDS} "" "${left_out}" "${arg_LABELS};unit" "${environment}")
  else()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${arg_LABELS};unit"
      ENVIRONMENT ${environment})
  endif()
endfunction()

# The test `name` of ctest, or name.0, name.1, ...: shards of `program`. chosen: patterns of its tests; empty: all.
function(weir_shards name program shards chosen left_out labels environment)
  list(JOIN chosen ":" chosen)
  list(JOIN left_out ":" left_out)
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    set(test ${name})
    if(shards GREATER 1)
      string(APPEND test .${index})
    endif()
    add_test(NAME ${test} COMMAND ${program} --gtest_filter=${chosen}-${left_out})
    set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 1800
      ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# A program's tests under tests/ptx, less the host's half of the typed ones: with convergent warps (`long`), and torn on weak
# memory by eight seeds. CI runs the programs of weir_ptx_gate with one seed, and convergent what is NOT_TORN (label ptx_gate); the
# other seeds are `long`. A program is few tests: each reads its PTX.
set(weir_ptx_gate device_arrays_test device_kernels_test solvers_test incompressible_test compressible_test immersed_test)
function(weir_ptx_tests name shards labels)
  list(APPEND labels ptx)
  if(name IN_LIST weir_ptx_gate)
    list(APPEND labels ptx_gate)
    add_dependencies(ptx_check ${name})
  endif()
  # A launch of more steps is endless: the largest takes some 1e6.
  set(environment LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/ptx WEIR_PTX_CACHE=${CMAKE_BINARY_DIR}/ptx/registers
    WEIR_PTX_STEPS=1e9 OMP_NUM_THREADS=1)
  weir_shards(ptx.${name} ${name} ${shards} "" "${ARGN}" "${labels};long" "${environment}")
  if(arg_NOT_TORN)  # of weir_test
    weir_shards(ptx.${name}.not_torn ${name} 1 "${arg_NOT_TORN}" "${ARGN}" "${labels}" "${environment}")
  endif()
  foreach(seed RANGE 1 8)
    if(seed EQUAL 2)
      list(APPEND labels long)
    endif()
    weir_shards(ptx.${name}.torn${seed} ${name} ${shards} "" "${ARGN};${arg_NOT_TORN}" "${labels}"
      "${environment};WEIR_PTX_ORDER=lanes;WEIR_PTX_WEAK=1;WEIR_PTX_REVERSE=1;WEIR_PTX_SEED=${seed}")
  endforeach()
endfunction()

# weir_flow_comparison(program sources...): tests that compare whole flows on several grids. Not under a sanitizer or tests/ptx,
# which have seen each of their steps in the program's other tests.
function(weir_flow_comparison name)
  if(NOT WEIR_SANITIZE AND NOT WEIR_PTX)
    target_sources(${name} PRIVATE ${ARGN})
  endif()
endfunction()
