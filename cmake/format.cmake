# Targets `format` and `format-check`, and a test that fails when a source is not formatted.
add_custom_target(format COMMAND ${CMAKE_SOURCE_DIR}/scripts/format VERBATIM)
add_custom_target(format-check COMMAND ${CMAKE_SOURCE_DIR}/scripts/format --check VERBATIM)
add_test(NAME format COMMAND ${CMAKE_SOURCE_DIR}/scripts/format --check)
set_tests_properties(format PROPERTIES SKIP_RETURN_CODE 77)
