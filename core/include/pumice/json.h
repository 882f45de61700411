// The one JSON type of the core: objects keep their keys sorted, so the same value always prints as the same bytes.
#pragma once

#include <initializer_list>
#include <string>

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

/// In one line; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string to_text(const Json& json);
}  // namespace pumice
