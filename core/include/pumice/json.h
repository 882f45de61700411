// The one JSON type of the core: objects keep their keys sorted, so the same value always prints as the same bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pumice {
using Json = nlohmann::json;

struct JsonMember {
  const char* name;
  mutable Json value;
};
/// An object of these members. The library's own lists make several copies of every value; this one takes them.
[[nodiscard]] Json object_of(std::initializer_list<JsonMember> members);

/// A member; null if it is absent or `parent` is no object.
[[nodiscard]] const Json& member_of(const Json& parent, const char* name) noexcept;

/// Where a text stops being JSON: the byte, counted from 1. Precondition: it is none.
[[nodiscard]] std::int64_t json_fault(std::string_view text);

/// In one line; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string to_text(const Json& json);
}  // namespace pumice
