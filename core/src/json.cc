#include "pumice/json.h"

#include <utility>

namespace pumice {

Json object_of(std::initializer_list<JsonMember> members) {
  Json object = Json::object();
  for (const JsonMember& member : members) object[member.name] = std::move(member.value);
  return object;
}

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace pumice
