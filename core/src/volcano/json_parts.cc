#include "json_parts.h"

namespace pumice::volcano {
namespace {

Json& typed_in(Json& parent, const char* name, Json::value_t type) {
  if (!parent.is_object()) parent = Json::object();
  Json& member = parent[name];
  if (member.type() != type) member = Json(type);
  return member;
}

}  // namespace

Json& object_in(Json& parent, const char* name) { return typed_in(parent, name, Json::value_t::object); }
Json& list_in(Json& parent, const char* name) { return typed_in(parent, name, Json::value_t::array); }

std::string text_in(const Json& parent, const char* name) {
  const auto* text = member_of(parent, name).get_ptr<const std::string*>();
  return text ? *text : std::string();
}

void append_env(Json& container, const std::string& name, const std::string& value) {
  // An empty value is left out, as Kubernetes' own encoder does.
  Json entry = object_of({{"name", name}});
  if (!value.empty()) entry["value"] = value;
  list_in(container, "env").push_back(std::move(entry));
}

void append_mount(Json& container, const std::string& volume, const std::string& path) {
  list_in(container, "volumeMounts").push_back(object_of({{"mountPath", path}, {"name", volume}}));
}

void append_port(Json& container, std::string_view name, std::int64_t port) {
  const auto number = static_cast<std::int32_t>(port);
  Json& ports = list_in(container, "ports");
  for (const Json& known : ports)
    if (member_of(known, "containerPort") == number) return;
  ports.push_back(object_of({{"containerPort", number}, {"name", name}}));
}

}  // namespace pumice::volcano
