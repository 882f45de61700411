# The libraries Pumice stands on, as targets:
#
#   nlohmann_json::nlohmann_json   JSON; the only one that public headers show
#   pumice_fmt                     fmt, headers only
#   pumice_cli11, pumice_spdlog    command line and logs of the native program, headers only
#   pumice_yaml_cpp, pumice_cctz   built from source into the cache folder, natively and for wasm alike, so that both read
#                                  a manifest and a time zone with the very same code
#   pumice_catch2                  the same for the tests
#
# Sources are looked for in the cache folder (scripts/setup.sh puts them there) and fetched by pinned tag otherwise.
include(FetchContent)

set(PUMICE_YAML_CPP_VERSION 0.8.0)
set(PUMICE_CCTZ_VERSION 2.4)
set(PUMICE_CATCH2_VERSION 3.7.1)

# _pumice_fetch(<name> <repository> <tag> <result>): the source folder of a fetched library.
function(_pumice_fetch name repository tag result)
  if(NOT PUMICE_FETCH)
    message(FATAL_ERROR "${name} was not found and PUMICE_FETCH is off: run scripts/setup.sh, or install ${name}")
  endif()
  message(STATUS "Pumice: ${name} ${tag} is not in ${PUMICE_CACHE} (scripts/setup.sh puts it there): fetching it")
  # The subfolder does not exist: the sources are wanted, not the library's own targets.
  FetchContent_Declare(
    ${name}
    GIT_REPOSITORY ${repository}
    GIT_TAG ${tag}
    GIT_SHALLOW ON
    SOURCE_SUBDIR pumice-takes-sources-only)
  FetchContent_MakeAvailable(${name})
  string(TOLOWER ${name} lower)
  set(${result} "${${lower}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()

# _pumice_source(<name> <version> <repository> <tag> <result>): cache folder first, then fetch.
function(_pumice_source name version repository tag result)
  set(folder "${PUMICE_CACHE}/src/${name}-${version}")
  if(NOT IS_DIRECTORY "${folder}")
    _pumice_fetch(${name} ${repository} ${tag} folder)
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# _pumice_library(<name> <version> <source folder>): the imported target pumice_<name>, a static library built once for this
# compiler and these flags by the small project in dependencies/. Its key covers all that its machine code depends on.
function(_pumice_library name version source)
  string(REPLACE - _ target "pumice_${name}")
  set(recipe "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/dependencies")
  file(READ "${recipe}/CMakeLists.txt" recipe_text)
  if(EMSCRIPTEN)
    file(READ "${recipe}/small_streams.h" streams_text)
    string(APPEND recipe_text "${streams_text}")
  endif()
  set(flags "${CMAKE_CXX_FLAGS}")
  if(name STREQUAL "catch2")
    # The test runner is not what the sanitizers are to look at, and takes a minute to compile with them.
    string(REGEX REPLACE "-f(no-)?sanitize[^ ]*" "" flags "${flags}")
  endif()
  string(STRIP "${flags}" flags)
  string(
    SHA256
    key
    "${CMAKE_CXX_COMPILER}|${CMAKE_CXX_COMPILER_ID}|${CMAKE_CXX_COMPILER_VERSION}|${flags}|${CMAKE_SYSTEM_PROCESSOR}|${recipe_text}"
  )
  string(SUBSTRING ${key} 0 12 key)
  string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_CXX_COMPILER_ID}" world)
  set(folder "${PUMICE_CACHE}/lib/${name}-${version}-${world}-${key}")
  file(MAKE_DIRECTORY "${PUMICE_CACHE}/lib")
  if(NOT EXISTS "${PUMICE_CACHE}/lib")
    set(folder "${CMAKE_BINARY_DIR}/lib/${name}-${version}")
  endif()

  set(toolchain "${CMAKE_TOOLCHAIN_FILE}")
  if(toolchain)
    cmake_path(ABSOLUTE_PATH toolchain BASE_DIRECTORY "${CMAKE_SOURCE_DIR}")
  endif()

  set(library "${folder}/lib${target}.a")
  if(NOT EXISTS "${library}")
    file(LOCK "${folder}.lock" GUARD FUNCTION TIMEOUT 1200)
  endif()
  if(NOT EXISTS "${library}")
    message(STATUS "Pumice: building ${name} ${version} (${world}) once into ${folder}")
    string(TIMESTAMP started %s)
    set(log "${folder}/build.log")
    file(MAKE_DIRECTORY "${folder}")
    execute_process(
      COMMAND
        ${CMAKE_COMMAND} -S "${recipe}" -B "${folder}/build" -G "${CMAKE_GENERATOR}" -DCMAKE_BUILD_TYPE=Release
        "-DCMAKE_TOOLCHAIN_FILE=${toolchain}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
        "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}"
        "-DPUMICE_DEPENDENCY=${name}" "-DPUMICE_DEPENDENCY_SOURCE=${source}"
      OUTPUT_FILE "${log}" ERROR_FILE "${log}" RESULT_VARIABLE failed)
    if(NOT failed)
      execute_process(COMMAND ${CMAKE_COMMAND} --build "${folder}/build" --parallel OUTPUT_FILE "${folder}/compile.log"
                      ERROR_FILE "${folder}/compile.log" RESULT_VARIABLE failed)
      set(log "${folder}/compile.log")
    endif()
    if(failed)
      message(FATAL_ERROR "Pumice: ${name} ${version} could not be built; the log is ${log}")
    endif()
    # Renaming last makes the library appear whole or not at all.
    file(RENAME "${folder}/build/lib${target}.a" "${library}")
    file(REMOVE_RECURSE "${folder}/build")
    string(TIMESTAMP ended %s)
    math(EXPR seconds "${ended} - ${started}")
    message(STATUS "Pumice: ${name} built in ${seconds} s")
  endif()

  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${library}")
  set_property(GLOBAL PROPERTY ${target}_library "${library}")
endfunction()

# _pumice_headers(<target> <header> <result>): a header-only library of the system, in a form a cross compiler can use too:
# the system's include folder itself would bring the native C library along, so the library's folder alone is linked.
function(_pumice_headers target header result)
  find_path(${target}_INCLUDE "${header}" PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(${target}_INCLUDE)
  set(${result} "" PARENT_SCOPE)
  if(${target}_INCLUDE)
    cmake_path(GET header PARENT_PATH folder)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include")
    file(CREATE_LINK "${${target}_INCLUDE}/${folder}" "${PROJECT_BINARY_DIR}/include/${folder}" SYMBOLIC)
    set(${result} "${PROJECT_BINARY_DIR}/include" PARENT_SCOPE)
  endif()
endfunction()

# --- JSON ------------------------------------------------------------------------------------------------------------------
if(NOT TARGET nlohmann_json::nlohmann_json AND NOT CMAKE_CROSSCOMPILING)
  find_package(nlohmann_json 3.10 QUIET)
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  set(_include "")
  if(CMAKE_CROSSCOMPILING)
    _pumice_headers(pumice_json nlohmann/json.hpp _include)
  endif()
  if(NOT _include)
    _pumice_fetch(nlohmann_json https://github.com/nlohmann/json.git v3.11.3 _source)
    set(_include "${_source}/include")
    set(PUMICE_JSON_HEADERS "${_include}")
  endif()
  add_library(nlohmann_json INTERFACE IMPORTED GLOBAL)
  add_library(nlohmann_json::nlohmann_json ALIAS nlohmann_json)
  target_include_directories(nlohmann_json SYSTEM INTERFACE "${_include}")
endif()

# --- header-only libraries -------------------------------------------------------------------------------------------------
# _pumice_header_library(<target> <header> <name> <repository> <tag>)
function(_pumice_header_library target header name repository tag)
  _pumice_headers(${target} ${header} include)
  if(NOT include)
    _pumice_fetch(${name} ${repository} ${tag} source)
    set(include "${source}/include")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${include}")
endfunction()

_pumice_header_library(pumice_fmt fmt/format.h fmt https://github.com/fmtlib/fmt.git 10.2.1)
# Numbers are never grouped by the rules of a country; and a locale is a fifth of a small WebAssembly module.
target_compile_definitions(pumice_fmt INTERFACE FMT_HEADER_ONLY $<$<BOOL:${EMSCRIPTEN}>:FMT_STATIC_THOUSANDS_SEPARATOR=','>
                           $<$<BOOL:${EMSCRIPTEN}>:FMT_REDUCE_INT_INSTANTIATIONS=1> $<$<BOOL:${EMSCRIPTEN}>:FMT_USE_DOUBLE=0>
                           $<$<BOOL:${EMSCRIPTEN}>:FMT_USE_LONG_DOUBLE=0>)

if(PUMICE_BUILD_HOST AND NOT CMAKE_CROSSCOMPILING)
  find_package(Threads REQUIRED)
  _pumice_header_library(pumice_cli11 CLI/CLI.hpp CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2)
  _pumice_header_library(pumice_spdlog spdlog/spdlog.h spdlog https://github.com/gabime/spdlog.git v1.14.1)
  target_compile_definitions(pumice_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
  target_link_libraries(pumice_spdlog INTERFACE pumice_fmt Threads::Threads)
endif()

# --- YAML ------------------------------------------------------------------------------------------------------------------
_pumice_source(yaml-cpp ${PUMICE_YAML_CPP_VERSION} https://github.com/jbeder/yaml-cpp.git ${PUMICE_YAML_CPP_VERSION} _source)
_pumice_library(yaml-cpp ${PUMICE_YAML_CPP_VERSION} "${_source}")
target_include_directories(pumice_yaml_cpp SYSTEM INTERFACE "${_source}/include")
target_compile_definitions(pumice_yaml_cpp INTERFACE YAML_CPP_STATIC_DEFINE)

# --- time zones ------------------------------------------------------------------------------------------------------------
_pumice_source(cctz ${PUMICE_CCTZ_VERSION} https://github.com/google/cctz.git v${PUMICE_CCTZ_VERSION} _source)
_pumice_library(cctz ${PUMICE_CCTZ_VERSION} "${_source}")
target_include_directories(pumice_cctz SYSTEM INTERFACE "${_source}/include")
# The library is built into a namespace of ours: the core replaces its zone loader, which must not reach another copy of it
# in the same program.
target_compile_definitions(pumice_cctz INTERFACE cctz=pumice_cctz cctz_extension=pumice_cctz_extension)

# --- tests -----------------------------------------------------------------------------------------------------------------
if(PUMICE_BUILD_TESTS)
  _pumice_source(catch2 ${PUMICE_CATCH2_VERSION} https://github.com/catchorg/Catch2.git v${PUMICE_CATCH2_VERSION} _source)
  _pumice_library(catch2 ${PUMICE_CATCH2_VERSION} "${_source}")
  configure_file("${_source}/src/catch2/catch_user_config.hpp.in" "${PROJECT_BINARY_DIR}/catch2/catch2/catch_user_config.hpp")
  target_include_directories(pumice_catch2 SYSTEM INTERFACE "${_source}/src" "${PROJECT_BINARY_DIR}/catch2")
  list(APPEND CMAKE_MODULE_PATH "${_source}/extras")
endif()
