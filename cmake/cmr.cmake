# What every target of this project shares, and the functions that declare targets.

add_library(cmr_options INTERFACE)
target_compile_options(cmr_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-psabi)
# Every module may become part of libcmr, which shows nothing but its C interface.
target_compile_options(cmr_options INTERFACE -fPIC -fvisibility=hidden)
if(CMR_SANITIZE)
  target_compile_options(cmr_options INTERFACE -fsanitize=${CMR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(cmr_options INTERFACE -fsanitize=${CMR_SANITIZE})
endif()
find_program(CMR_MOLD mold)
if(CMR_MOLD)
  target_link_options(cmr_options INTERFACE -fuse-ld=mold)
endif()
find_program(CMR_CCACHE ccache)
if(CMR_CCACHE)
  # What ccache asks for before it works with precompiled headers. Paths are relative, and the folder does not count, so that
  # another checkout of the same sources compiles nothing.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CMR_CCACHE})
  target_compile_options(cmr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

# For code that waits for files and people more than they for it: it compiles faster.
set(CMR_LIGHTLY_OPTIMISED $<$<CONFIG:Release>:-O1>)
set(CMR_UNOPTIMISED $<$<CONFIG:Release>:-O0>)
if(CMR_SANITIZE)
  set(CMR_UNOPTIMISED -O0)
endif()

# Headers that most sources include, parsed once. Sources still include what they use: clang-tidy and the presets `dev` and
# `fuzz` do without.
set(CMR_COMMON_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory>
  <numeric> <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

# cmr_precompiled(NAME HEADERS … USES …): a set of parsed headers for `target_precompile_headers(TARGET REUSE_FROM NAME)`.
function(cmr_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;USES" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
  target_link_libraries(${name} PRIVATE cmr_options ${ARG_USES})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# cmr_headers(NAME TARGET SCOPE): lets a target include the folder src/NAME as "NAME/…", and no other folder of src/.
function(cmr_headers name target scope)
  set(root ${CMAKE_BINARY_DIR}/headers/${name})
  if(NOT EXISTS ${root}/${name})
    file(MAKE_DIRECTORY ${root})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)
  endif()
  target_include_directories(${target} ${scope} ${root})
endfunction()

# cmr_module(NAME SOURCES … USES … [PRECOMPILED …]): the folder src/NAME as a static library. USES lists the modules and
# packages that it may include: any other folder of src/ is out of sight, so a wrong arrow does not compile.
function(cmr_module name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;USES" ${ARGN})
  add_library(cmr_${name} STATIC ${ARG_SOURCES})
  cmr_headers(${name} cmr_${name} PUBLIC)
  target_link_libraries(cmr_${name} PUBLIC cmr_options ${ARG_USES})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED cmr_common_headers)
  endif()
  target_precompile_headers(cmr_${name} REUSE_FROM ${ARG_PRECOMPILED})
endfunction()

# cmr_compile_together(TARGET): several sources at a time, which saves parsing the same headers. For targets of many small
# sources; not where tools look at one source at a time, which is where nothing is precompiled either.
set(CMR_JOINS_SOURCES OFF)
if((CMAKE_BUILD_TYPE STREQUAL "Release" OR CMR_SANITIZE) AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(CMR_JOINS_SOURCES ON)
endif()
function(cmr_compile_together target)
  if(CMR_JOINS_SOURCES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# cmr_compile_together_by_folder(TARGET FOLDER …): the same for a library of which libcmr takes only what it needs, so that only
# sources may be joined which are needed together or not at all: those of each of these folders.
function(cmr_compile_together_by_folder target)
  if(NOT CMR_JOINS_SOURCES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(folder IN LISTS ARGN)
    set(joined 0)
    foreach(source IN LISTS sources)
      if(source MATCHES "^${folder}/")
        math(EXPR part "${joined} / 6")
        math(EXPR joined "${joined} + 1")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
      endif()
    endforeach()
  endforeach()
endfunction()

# cmr_test(NAME SOURCES … USES … [LABELS …] [PRECOMPILED …] [UNOPTIMISED] [TOGETHER]): one GoogleTest program per module, one
# ctest entry. For each label L a target tests_L builds all programs that have it. UNOPTIMISED is for tests that compute
# little: they compile faster. So do those whose helpers have names of their own, TOGETHER.
function(cmr_test name)
  cmake_parse_arguments(ARG "UNOPTIMISED;TOGETHER" "PRECOMPILED" "SOURCES;USES;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  if(ARG_TOGETHER)
    cmr_compile_together(test_${name})
  endif()
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE cmr_options ${ARG_USES} GTest::gmock GTest::gtest_main)
  # What is tested is optimised; the checks are not, which builds faster.
  if(ARG_UNOPTIMISED)
    target_compile_options(test_${name} PRIVATE ${CMR_UNOPTIMISED})
    set(ARG_PRECOMPILED cmr_unoptimised_test_headers)
  else()
    target_compile_options(test_${name} PRIVATE ${CMR_LIGHTLY_OPTIMISED})
  endif()
  # From the top of the build, where ccache may make __FILE__ relative to.
  add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1 WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED cmr_test_headers)
  endif()
  target_precompile_headers(test_${name} REUSE_FROM ${ARG_PRECOMPILED})
  foreach(label IN LISTS ARG_LABELS)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} test_${name})
  endforeach()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" ENVIRONMENT "CMR_BIN=${CMAKE_BINARY_DIR}/bin")
endfunction()
