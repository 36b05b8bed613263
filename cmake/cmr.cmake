# What every target of this project shares, and the three functions that declare targets.

add_library(cmr_options INTERFACE)
target_include_directories(cmr_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(cmr_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-psabi)
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
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMR_CCACHE})
endif()

# cmr_module(NAME SOURCES … USES …): one folder of src/ as a static library. USES lists the modules and packages it may
# include; a wrong arrow shows as a missing header or a link error.
function(cmr_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(cmr_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(cmr_${name} PUBLIC cmr_options ${ARG_USES})
endfunction()

# cmr_test(NAME SOURCES … USES … [LABELS …]): one GoogleTest program per module, one ctest entry.
function(cmr_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE cmr_options ${ARG_USES} GTest::gmock GTest::gtest_main)
  # What is tested is optimised; the checks are not, which builds faster.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" ENVIRONMENT "CMR_BIN=${CMAKE_BINARY_DIR}/bin")
endfunction()
