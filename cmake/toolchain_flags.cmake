# Flags every target shares. A target of their own rather than CMAKE_CXX_FLAGS, so that a layer that
# forgets to link it does not compile.
add_library(deepinfer_flags INTERFACE)
target_compile_options(deepinfer_flags INTERFACE -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees an overlap in every inlined `"literal" + std::string` (GCC bug 105651).
  target_compile_options(deepinfer_flags INTERFACE -Wno-restrict)
endif()
if(DEEPINFER_WERROR)
  target_compile_options(deepinfer_flags INTERFACE -Werror)
endif()
# The order of every floating-point operation is part of the contract ("same bits"): the compiler
# may not fuse a multiply and an add that the source keeps apart.
target_compile_options(deepinfer_flags INTERFACE -ffp-contract=off)
if(DEEPINFER_SANITIZE)
  target_compile_options(deepinfer_flags INTERFACE
    -fsanitize=${DEEPINFER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(deepinfer_flags INTERFACE -fsanitize=${DEEPINFER_SANITIZE})
endif()
if(DEEPINFER_FUZZ)
  # libFuzzer steers by the branches it sees taken, in the libraries as well as in its own targets.
  target_compile_options(deepinfer_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(DEEPINFER_CCACHE ccache)
if(DEEPINFER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DEEPINFER_CCACHE})
endif()

# Test code is compiled more often than it is run: -O1 takes two thirds of the time of -O3.
add_library(deepinfer_test_flags INTERFACE)
target_compile_options(deepinfer_test_flags INTERFACE $<$<CONFIG:Release>:-O1>)
