#include "pumice/model/object.h"

namespace pumice {

std::string_view to_string(ObjectType type) noexcept {
  switch (type) {
    case ObjectType::ConfigMap: return "ConfigMap";
    case ObjectType::Secret: return "Secret";
    case ObjectType::Service: return "Service";
    case ObjectType::NetworkPolicy: return "NetworkPolicy";
    case ObjectType::PersistentVolumeClaim: return "PersistentVolumeClaim";
  }
  return "";
}

}  // namespace pumice
