#include "pumice/json.h"

#include <utility>

namespace pumice {

Json object_of(std::initializer_list<JsonMember> members) {
  Json object = Json::object();
  for (const JsonMember& member : members) object[member.name] = std::move(member.value);
  return object;
}

const Json& member_of(const Json& parent, const char* name) noexcept {
  static const Json kNull;
  if (!parent.is_object()) return kNull;
  const auto found = parent.find(name);
  return found == parent.end() ? kNull : *found;
}

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace pumice
