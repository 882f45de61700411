# Finds an Emscripten that is new enough and hands over to its own toolchain file: first PUMICE_EMSCRIPTEN (its root folder),
# then an `emcc` on PATH, then the one that scripts/setup.sh unpacked into the cache folder.
#
# CMake reads this file again for every compiler check; the environment variable carries the answer there.
set(_pumice_emscripten_version 3.1.69)

if(NOT "$ENV{PUMICE_EMSCRIPTEN}" STREQUAL "")
  set(_pumice_emscripten "$ENV{PUMICE_EMSCRIPTEN}")
else()
  set(_pumice_emscripten "")
  find_program(_pumice_emcc emcc NO_CACHE)
  if(_pumice_emcc)
    execute_process(COMMAND "${_pumice_emcc}" --version OUTPUT_VARIABLE _pumice_text ERROR_QUIET)
    cmake_path(GET _pumice_emcc PARENT_PATH _pumice_bin)
    find_program(_pumice_em_config em-config HINTS "${_pumice_bin}" NO_CACHE)
    if(_pumice_text MATCHES "\\) ([0-9]+\\.[0-9]+\\.[0-9]+)"
       AND CMAKE_MATCH_1 VERSION_GREATER_EQUAL _pumice_emscripten_version
       AND _pumice_em_config)
      execute_process(COMMAND "${_pumice_em_config}" EMSCRIPTEN_ROOT OUTPUT_VARIABLE _pumice_emscripten
                      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
  if(NOT _pumice_emscripten)
    if(NOT "$ENV{PUMICE_CACHE}" STREQUAL "")
      set(_pumice_cache "$ENV{PUMICE_CACHE}")
    elseif(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
      set(_pumice_cache "$ENV{XDG_CACHE_HOME}/pumice")
    else()
      set(_pumice_cache "$ENV{HOME}/.cache/pumice")
    endif()
    set(_pumice_emscripten "${_pumice_cache}/emscripten-${_pumice_emscripten_version}/usr/share/emscripten")
    if(NOT EXISTS "${_pumice_emscripten}")
      # An emsdk keeps the same compiler in another place.
      set(_pumice_emscripten "${_pumice_cache}/emsdk-${_pumice_emscripten_version}/upstream/emscripten")
    endif()
  endif()
  set(ENV{PUMICE_EMSCRIPTEN} "${_pumice_emscripten}")
endif()

set(_pumice_toolchain "${_pumice_emscripten}/cmake/Modules/Platform/Emscripten.cmake")
if(NOT EXISTS "${_pumice_toolchain}")
  message(FATAL_ERROR "no Emscripten >= ${_pumice_emscripten_version} on PATH or in the cache folder: run scripts/setup.sh")
endif()
include("${_pumice_toolchain}")
