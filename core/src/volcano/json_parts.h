// Small steps on the JSON of API objects. What a user wrote may have any type: what does not fit is replaced.
#pragma once

#include <string>
#include <string_view>

#include "pumice/json.h"

namespace pumice::volcano {

/// A member that is an object, or a list; made if it is not.
Json& object_in(Json& parent, const char* name);
Json& list_in(Json& parent, const char* name);
/// A member that is a text, else empty.
std::string text_in(const Json& parent, const char* name);

/// Calls `visit` for each container of a pod's spec; `list` is `containers` or `initContainers`.
template <class Visit>
void for_each_container(Json& pod_spec, const char* list, Visit visit) {
  const auto containers = pod_spec.find(list);
  if (containers == pod_spec.end() || !containers->is_array()) return;
  for (Json& container : *containers)
    if (container.is_object()) visit(container);
}
inline constexpr const char* kContainerLists[] = {"containers", "initContainers"};

void append_env(Json& container, const std::string& name, const std::string& value);
void append_mount(Json& container, const std::string& volume, const std::string& path);
/// Adds a container port unless that number is there already.
void append_port(Json& container, std::string_view name, std::int64_t port);

}  // namespace pumice::volcano
