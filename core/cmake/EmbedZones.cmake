# cmake -DZIC=… -DSOURCE=tzdata.zi -DOUTPUT=zones_data.cc -P EmbedZones.cmake
#
# Compiles the time zone database and writes it as C++, packed so that it compresses well (a third of what the compiled
# files come to): core/src/zones/zones_data.h says how. Zones that are the same under several names share their data.
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

# take(<digits> <result>): the next hexadecimal digits of `hex` as text.
macro(take digits result)
  string(SUBSTRING "${hex}" ${at} ${digits} ${result})
  math(EXPR at "${at} + ${digits}")
endmacro()

# take_number(<digits> <result>): the same as an unsigned number.
macro(take_number digits result)
  take(${digits} taken)
  math(EXPR ${result} "0x${taken}")
endmacro()

# take_header(): the counts of a header. What follows it has times of `time_digits` each.
macro(take_header time_digits)
  math(EXPR at "${at} + 40")
  foreach(count utc standard leaps changes types letters)
    take_number(8 ${count})
  endforeach()
  math(EXPR body "${changes} * (${time_digits} + 2) + ${types} * 12 + ${letters} * 2 + ${leaps} * (${time_digits} + 8)
                  + ${standard} * 2 + ${utc} * 2")
endmacro()

# number_of(<list> <value> <result>): the place of a text in a list that grows as needed.
macro(number_of list value result)
  if(NOT DEFINED "${list}_${value}")
    list(LENGTH ${list} length)
    set("${list}_${value}" ${length})
    list(APPEND ${list} "${value}")
  endif()
  set(${result} ${${list}_${value}})
endmacro()

# text_of(<hexadecimal digits> <result>)
function(text_of digits result)
  set(text "")
  string(REGEX MATCHALL ".." bytes "${digits}")
  foreach(byte IN LISTS bytes)
    math(EXPR code "0x${byte}")
    string(ASCII ${code} letter)
    string(APPEND text "${letter}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# pack_changes(): instants as local days and times of day on the clocks before the change.
macro(pack_changes)
  set(instants "")
  set(i 0)
  while(i LESS changes)
    take(4 sign)
    take_number(12 instant)
    if(NOT sign STREQUAL "0000")
      math(EXPR instant "${instant} - (1 << 48)")
    endif()
    list(APPEND instants ${instant})
    math(EXPR i "${i} + 1")
  endwhile()
  set(kinds "")
  set(i 0)
  while(i LESS changes)
    take_number(2 kind)
    list(APPEND kinds ${kind})
    string(APPEND change_types "${kind},")
    math(EXPR i "${i} + 1")
  endwhile()
endmacro()

# pack_types(): offsets, and abbreviations with the word on summer time.
macro(pack_types)
  math(EXPR letters_at "${at} + ${types} * 12")
  set(i 0)
  while(i LESS types)
    take_number(8 offset)
    take_number(2 dst)
    take_number(2 letter)
    if(offset GREATER 2147483647)
      math(EXPR offset "${offset} - (1 << 32)")
    endif()
    set(offset_${i} ${offset})
    math(EXPR begin "${letters_at} + ${letter} * 2")
    math(EXPR rest "(${letters} - ${letter}) * 2")
    string(SUBSTRING "${hex}" ${begin} ${rest} rest)
    string(REGEX MATCH "^(([1-9a-f].)*)00" word "${rest}")
    number_of(words "${CMAKE_MATCH_1}" word)
    math(EXPR word "${word} * 2 + ${dst}")
    string(APPEND type_offsets "${offset},")
    string(APPEND type_words "${word},")
    math(EXPR i "${i} + 1")
  endwhile()
endmacro()

macro(pack_instants)
  set(before ${offset_0})
  set(last ${first_day})
  foreach(instant kind IN ZIP_LISTS instants kinds)
    math(EXPR local "${instant} + ${before} - ${first_day} * 86400")
    math(EXPR days "${local} / 86400 - (${last} - ${first_day})")
    math(EXPR time "${local} % 86400")
    math(EXPR last "${last} + ${days}")
    if(local LESS 0 OR days LESS 0 OR days GREATER 65535)
      message(FATAL_ERROR "a change of ${name} does not fit the packed form")
    endif()
    number_of(times "${time}" time)
    string(APPEND change_days "${days},")
    string(APPEND change_times "${time},")
    set(before ${offset_${kind}})
  endforeach()
endmacro()

file(GLOB_RECURSE names RELATIVE "${compiled}" "${compiled}/*")
list(SORT names COMPARE STRING CASE SENSITIVE)

set(first_day -50000) # no zone changes before 1833
foreach(name IN LISTS names)
  file(READ "${compiled}/${name}" hex HEX)
  string(SHA256 id "${hex}")
  if(NOT DEFINED number_${id})
    list(LENGTH shapes number_${id})
    set(at 0)
    take_header(8)
    math(EXPR at "${at} + ${body}")
    take_header(16)
    pack_changes()
    pack_types()
    pack_instants()
    math(EXPR at "${at} + ${letters} * 2 + ${leaps} * 24 + ${standard} * 2 + ${utc} * 2 + 2")
    string(SUBSTRING "${hex}" ${at} -1 footer)
    string(REGEX REPLACE "0a$" "" footer "${footer}")
    number_of(footers "${footer}" footer)
    list(APPEND shapes "{${changes},${types},${footer}}")
  endif()
  string(APPEND numbers "${number_${id}},")
endforeach()
file(REMOVE_RECURSE "${compiled}")

foreach(list words footers)
  set(${list}_text "")
  foreach(digits IN LISTS ${list})
    text_of("${digits}" text)
    string(APPEND ${list}_text "\"${text}\\n\"\n")
  endforeach()
endforeach()
list(JOIN names "\\n\"\n\"" names)
list(JOIN shapes "," shapes)
list(JOIN times "," times)
foreach(list numbers shapes change_days change_times change_types type_offsets type_words times)
  string(REGEX REPLACE "([^{}]*,[^{}]*,[^{}]*,[^{}]*,[^{}]*,[^{}]*,[^{}]*,[^{}]*,)" "\\1\n" ${list} "${${list}}")
endforeach()
file(
  WRITE "${OUTPUT}"
  "// Generated from ${release} of the time zone database by EmbedZones.cmake.
#include \"zones/zones_data.h\"

namespace pumice::zones {

const std::string_view kRelease = \"${release}\";
const std::string_view kNames = \"${names}\\n\";

namespace {
const std::uint16_t kNumberItems[] = {${numbers}};
const ZoneShape kShapeItems[] = {${shapes}};
const std::uint16_t kChangeDayItems[] = {${change_days}};
const std::uint8_t kChangeTimeItems[] = {${change_times}};
const std::uint8_t kChangeTypeItems[] = {${change_types}};
const std::int32_t kTimeItems[] = {${times}};
const std::int32_t kTypeOffsetItems[] = {${type_offsets}};
const std::uint16_t kTypeWordItems[] = {${type_words}};
}  // namespace

const std::int32_t kFirstDay = ${first_day};
const std::span<const std::uint16_t> kNumbers{kNumberItems};
const std::span<const ZoneShape> kShapes{kShapeItems};
const std::span<const std::uint16_t> kChangeDays{kChangeDayItems};
const std::span<const std::uint8_t> kChangeTimes{kChangeTimeItems};
const std::span<const std::uint8_t> kChangeTypes{kChangeTypeItems};
const std::span<const std::int32_t> kTimes{kTimeItems};
const std::span<const std::int32_t> kTypeOffsets{kTypeOffsetItems};
const std::span<const std::uint16_t> kTypeWords{kTypeWordItems};
const std::string_view kWords = ${words_text};
const std::string_view kFooters = ${footers_text};

}  // namespace pumice::zones
")
