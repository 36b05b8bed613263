# What every target of this project shares, and the three functions that declare targets.

add_library(cmr_options INTERFACE)
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

# cmr_headers(NAME TARGET SCOPE): lets a target include the folder src/NAME as "NAME/…", and no other folder of src/.
function(cmr_headers name target scope)
  set(root ${CMAKE_BINARY_DIR}/headers/${name})
  if(NOT EXISTS ${root}/${name})
    file(MAKE_DIRECTORY ${root})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)
  endif()
  target_include_directories(${target} ${scope} ${root})
endfunction()

# cmr_module(NAME SOURCES … USES …): the folder src/NAME as a static library. USES lists the modules and packages that it
# may include: any other folder of src/ is out of sight, so a wrong arrow does not compile.
function(cmr_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(cmr_${name} STATIC ${ARG_SOURCES})
  cmr_headers(${name} cmr_${name} PUBLIC)
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
  # From the top of the build, where ccache may make __FILE__ relative to.
  add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1 WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" ENVIRONMENT "CMR_BIN=${CMAKE_BINARY_DIR}/bin")
endfunction()
