// The structure of one document as a flat list of events. The only door to yaml-cpp: no other file includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/problem.h"

namespace pumice::yaml {

struct Event {
  enum class Kind : std::uint8_t { Scalar, Alias, ListStart, ListEnd, MapStart, MapEnd };

  Kind kind = Kind::Scalar;
  bool plain = true;       ///< scalars only: neither quoted nor a block scalar
  bool untyped = false;    ///< scalars only: the tag is `!`, which makes a string of everything but `<<`
  bool absent = false;     ///< scalars only: nothing stands there, as behind the colon of `key:`
  std::size_t begin = 0;   ///< first byte in the text: of a value's anchor or tag, if it has one
  std::size_t end = 0;     ///< byte behind the last one; `begin` if not known
  std::size_t anchor = 0;  ///< anchor this value defines or, for an alias, repeats; 0 for none
  std::string tag;         ///< explicit tag in its long form, empty without one
  std::string text;        ///< scalars only
};

struct EventList {
  std::vector<Event> events;  ///< the one value of the document: starts and ends are balanced if there is no problem
  std::optional<Problem> problem;
};

/// Reads the one document that `text` holds. The text must have passed the precheck, which bounds its nesting: yaml-cpp
/// recurses. Offsets in the answer count from the beginning of `text`.
[[nodiscard]] EventList read_events(std::string_view text);

}  // namespace pumice::yaml
