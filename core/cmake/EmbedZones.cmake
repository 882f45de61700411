# cmake -DZIC=… -DSOURCE=tzdata.zi -DOUTPUT=zones_data.cc -P EmbedZones.cmake
#
# Compiles the time zone database and writes it as C++: the different TZif files one after the other as one array of bytes,
# and a sorted list of names saying where in it each zone lies. Zones that are the same under several names share their bytes.
cmake_policy(VERSION 3.25)

set(compiled "${OUTPUT}.zoneinfo")
file(REMOVE_RECURSE "${compiled}")
# "slim": transitions that a rule can compute are left to the rule.
execute_process(COMMAND "${ZIC}" -b slim -d "${compiled}" "${SOURCE}" RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  message(FATAL_ERROR "zic could not compile ${SOURCE}:\n${errors}")
endif()

file(STRINGS "${SOURCE}" release LIMIT_COUNT 1)
if(NOT release MATCHES "^# version (.+)$")
  message(FATAL_ERROR "the first line of ${SOURCE} does not name a release")
endif()
set(release "${CMAKE_MATCH_1}")

file(GLOB_RECURSE names RELATIVE "${compiled}" "${compiled}/*")
list(SORT names COMPARE STRING CASE SENSITIVE)

set(offset 0)
set(bytes "")
set(entries "")
foreach(name IN LISTS names)
  file(READ "${compiled}/${name}" hex HEX)
  string(SHA256 id "${hex}")
  if(NOT DEFINED at_${id})
    set(at_${id} ${offset})
    string(LENGTH "${hex}" digits)
    math(EXPR size_${id} "${digits} / 2")
    math(EXPR offset "${offset} + ${size_${id}}")
    string(APPEND bytes "${hex}")
  endif()
  string(APPEND entries "    {\"${name}\", ${at_${id}}, ${size_${id}}},\n")
endforeach()
file(REMOVE_RECURSE "${compiled}")

string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(
  WRITE "${OUTPUT}"
  "// Generated from ${release} of the time zone database by EmbedZones.cmake.
#include \"zones/zones_data.h\"

namespace pumice::zones {

const std::string_view kRelease = \"${release}\";

namespace {
const unsigned char kBytes[] = {
${bytes}
};

const Zone kEntries[] = {
${entries}};
}  // namespace

const std::span<const unsigned char> kData{kBytes};
const std::span<const Zone> kZones{kEntries};

}  // namespace pumice::zones
")
