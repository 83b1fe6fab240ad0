# deepinfer_layer(<name> [DEPENDS layer…] [LIBRARIES target…] [TEST_LIBRARIES target…]
#                 [WITHOUT regex…])
#
# One static library from the folder's *.cpp and one test program from its *_test.cpp. A layer sees
# the headers of all folders (one include root) but links only what DEPENDS names, so a call into a
# layer above does not link; tests/layers.cmake also refuses the include itself. WITHOUT leaves out
# files whose path matches: what this build cannot compile.
function(deepinfer_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES;TEST_LIBRARIES;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(regex IN LISTS ARG_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "${regex}")
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM ARG_DEPENDS PREPEND deepinfer_)

  add_library(deepinfer_${name} STATIC ${sources})
  target_include_directories(deepinfer_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(deepinfer_${name} PUBLIC deepinfer_flags ${ARG_DEPENDS}
    PRIVATE ${ARG_LIBRARIES})

  if(DEEPINFER_UNITY_TESTS)
    set(CMAKE_UNITY_BUILD ON) # until the end of this function
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
  endif()
  if(DEEPINFER_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE deepinfer_${name} ${ARG_TEST_LIBRARIES}
      deepinfer_test_flags GTest::gtest_main)
    gtest_discover_tests(${name}_test
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS fast TIMEOUT 300)
  endif()
endfunction()
