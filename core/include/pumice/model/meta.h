// Metadata every Kubernetes object carries, as far as the controllers read or write it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pumice/time.h"

namespace pumice {

using StringMap = std::map<std::string, std::string>;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct ObjectMeta {
  std::string ns;  ///< `metadata.namespace`
  std::string name;
  std::string uid;
  std::uint64_t resource_version = 0;  ///< set by the API server, rises with every write
  Time creation;                       ///< `metadata.creationTimestamp`
  std::optional<Time> deletion;        ///< `metadata.deletionTimestamp`: set while the object is being deleted
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owners;

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

}  // namespace pumice
