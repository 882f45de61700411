// Objects that the controller makes beside pods and PodGroups: whole, as the API shows them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "pumice/model/shared_json.h"

namespace pumice {

enum class ObjectType : std::uint8_t { ConfigMap, Secret, Service, NetworkPolicy, PersistentVolumeClaim };
/// `ConfigMap`, …
[[nodiscard]] std::string_view to_string(ObjectType type) noexcept;

struct ObjectName {
  ObjectType type = ObjectType::ConfigMap;
  std::string ns;
  std::string name;

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

struct ApiObject {
  ObjectName id;
  SharedJson body;  ///< without uid and resourceVersion
};

using ObjectMap = std::map<ObjectName, SharedJson>;

}  // namespace pumice
