# The core is a function of its input: no clock, no randomness of the library's, no threads, no environment, no files, no
# logging. cmake -DCORE=core -P purity.cmake names every line that mentions one of them.
cmake_policy(VERSION 3.25)

set(forbidden
    "<iostream>" "<fstream>" "<thread>" "<mutex>" "<future>" "<condition_variable>" "<filesystem>" "<format>" "<random>"
    "<ctime>" "system_clock" "steady_clock" "high_resolution_clock" "getenv" "setlocale" "std::locale" "std::shuffle"
    "fopen" "std::time" "printf" "std::cout" "std::cerr" "std::clog")

# What stands here is allowed where it stands: the last words of a broken invariant; a number with the fewest digits.
set(allowed "src/check.cc:printf" "src/yaml/scalar.cc:printf")

file(GLOB_RECURSE files RELATIVE "${CORE}" "${CORE}/include/*.h" "${CORE}/src/*.h" "${CORE}/src/*.cc")
set(found 0)
foreach(file IN LISTS files)
  file(READ "${CORE}/${file}" text)
  # Semicolons and brackets mean something to CMake's lists.
  string(REGEX REPLACE "[][;]" " " text "${text}")
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  foreach(word IN LISTS forbidden)
    string(FIND "${text}" "${word}" position)
    if(position EQUAL -1 OR "${file}:${word}" IN_LIST allowed)
      continue()
    endif()
    set(number 0)
    foreach(line IN LISTS lines)
      math(EXPR number "${number} + 1")
      string(FIND "${line}" "${word}" position)
      if(NOT position EQUAL -1)
        message("core/${file}:${number}: `${word}` has no place in the core")
        math(EXPR found "${found} + 1")
      endif()
    endforeach()
  endforeach()
endforeach()
if(found GREATER 0)
  message(FATAL_ERROR "${found} lines break the purity of the core")
endif()
