# The PJRT backend needs one C header, which `make pjrt` fetches together with the CPU plug-in. With
# it, everything is compiled and DEEPINFER_PJRT is defined; without it, src/backend/pjrt/ is left out
# except for its folder stablehlo/, which is text only.
set(DEEPINFER_PJRT_DIR ${PROJECT_SOURCE_DIR}/build/pjrt CACHE PATH
  "where include/pjrt_c_api.h and xla_cpu_pjrt.so are; `make pjrt` makes it")

# A glob that is looked at in every build: the header's coming and going configures anew.
file(GLOB DEEPINFER_PJRT_HEADER CONFIGURE_DEPENDS ${DEEPINFER_PJRT_DIR}/include/pjrt_c_api.h)
# ThreadSanitizer sees only half of what a plug-in does with its own threads, and reports races in
# every one of them: that build goes without.
if(DEEPINFER_PJRT_HEADER AND NOT DEEPINFER_SANITIZE MATCHES "thread")
  set(DEEPINFER_PJRT ON)
  set(DEEPINFER_WITHOUT_PJRT "")
else()
  set(DEEPINFER_PJRT OFF)
  set(DEEPINFER_WITHOUT_PJRT "/backend/pjrt/[^/]*$" "/backend/pjrt/client/")
endif()

# deepinfer_use_pjrt(<library> <test program>)
function(deepinfer_use_pjrt library test)
  if(NOT DEEPINFER_PJRT)
    return()
  endif()
  target_compile_definitions(${library} PUBLIC DEEPINFER_PJRT)
  target_include_directories(${library} SYSTEM PRIVATE ${DEEPINFER_PJRT_DIR}/include)
  target_link_libraries(${library} PRIVATE ${CMAKE_DL_LIBS})
  # The header names fields like their types, which g++ refuses in pedantic mode, even in a system
  # header.
  file(GLOB client_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/pjrt/client/*.cpp)
  set_source_files_properties(${client_sources} PROPERTIES COMPILE_OPTIONS -Wno-pedantic)
  if(NOT TARGET ${test})
    return()
  endif()
  # Plug-ins of our own for the tests: one that fails where it is told to, and one that is none.
  file(GLOB fake_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/fake_pjrt/*.cpp)
  list(FILTER fake_sources EXCLUDE REGEX "/no_plugin\\.cpp$")
  add_library(fake_pjrt_plugin MODULE ${fake_sources})
  add_library(no_pjrt_plugin MODULE ${PROJECT_SOURCE_DIR}/tests/support/fake_pjrt/no_plugin.cpp)
  target_include_directories(fake_pjrt_plugin PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(fake_pjrt_plugin SYSTEM PRIVATE ${DEEPINFER_PJRT_DIR}/include)
  target_link_libraries(fake_pjrt_plugin PRIVATE deepinfer_flags)
  target_link_libraries(no_pjrt_plugin PRIVATE deepinfer_flags)
  set_source_files_properties(${fake_sources} PROPERTIES COMPILE_OPTIONS -Wno-pedantic)

  target_compile_definitions(${test} PRIVATE
    DEEPINFER_PJRT_PLUGIN="${DEEPINFER_PJRT_DIR}/xla_cpu_pjrt.so"
    DEEPINFER_FAKE_PJRT_PLUGIN="$<TARGET_FILE:fake_pjrt_plugin>"
    DEEPINFER_NO_PJRT_PLUGIN="$<TARGET_FILE:no_pjrt_plugin>")
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${test} SYSTEM PRIVATE ${DEEPINFER_PJRT_DIR}/include)
  add_dependencies(${test} fake_pjrt_plugin no_pjrt_plugin)
endfunction()
