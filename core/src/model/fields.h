// Typed fields beyond those of FieldReader: times, durations, and texts that are one of a few words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/field_reader.h"
#include "pumice/time.h"

namespace pumice {

using Words = std::vector<std::string_view>;

/// The words of a vocabulary, `None` and `Other` excluded.
template <class Enum>
[[nodiscard]] Words vocabulary() {
  Words words;
  for (auto code = static_cast<unsigned>(Enum::None) + 1; code < static_cast<unsigned>(Enum::Other); ++code) {
    words.push_back(to_string(static_cast<Enum>(code)));
  }
  return words;
}

/// A user's text in backticks, cut where it grows too long for a message.
[[nodiscard]] std::string in_backticks(std::string_view text);

/// RFC 3339. The year 1 counts as absent: that is how "no time" is printed by some programs.
[[nodiscard]] std::optional<Time> read_time(FieldReader& reader, std::string_view name);

/// A Go duration as text.
[[nodiscard]] std::optional<Duration> read_duration(FieldReader& reader, std::string_view name);

/// `resourceVersion`, a decimal number as text; anything else is warned of and counts as 0, as absence does.
[[nodiscard]] std::uint64_t read_resource_version(FieldReader& reader);

/// Code, message and hint for a word that is not one of `known`; absent if it is, or if it is empty. `what` names the
/// kind of word: `event`; the code is made of it: `UnknownEvent`. File, place and field are left to the caller.
[[nodiscard]] std::optional<Diagnostic> unknown_word(std::string_view word, std::string_view what, const Words& known);

/// Warns of an unknown word at member `name`, or at the reader's own value if `name` is empty.
void check_word(FieldReader& reader, std::string_view name, std::string_view word, std::string_view what,
                const Words& known);

}  // namespace pumice
