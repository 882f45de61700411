#include "pumice/kubejob/model.h"

#include <algorithm>

#include "pumice/kubejob/names.h"

namespace pumice::kubejob {

bool LabelSelector::is_usable() const noexcept {
  return std::all_of(match_expressions.begin(), match_expressions.end(), [](const SelectorRequirement& r) {
    if (r.op == "In" || r.op == "NotIn") return !r.values.empty();
    return (r.op == "Exists" || r.op == "DoesNotExist") && r.values.empty();
  });
}

bool LabelSelector::matches(const StringMap& labels) const {
  if (!is_usable()) return false;
  for (const auto& [key, value] : match_labels) {
    const auto label = labels.find(key);
    if (label == labels.end() || label->second != value) return false;
  }
  for (const SelectorRequirement& requirement : match_expressions) {
    const auto label = labels.find(requirement.key);
    const bool exists = label != labels.end();
    const bool listed = exists && std::find(requirement.values.begin(), requirement.values.end(), label->second) !=
                                      requirement.values.end();
    if (requirement.op == "In" && !listed) return false;
    if (requirement.op == "NotIn" && listed) return false;
    if (requirement.op == "Exists" && !exists) return false;
    if (requirement.op == "DoesNotExist" && exists) return false;
  }
  return true;
}

std::string LabelSelector::text() const {
  std::string out;
  const auto part = [&out](const std::string& text) {
    if (!out.empty()) out += ',';
    out += text;
  };
  for (const auto& [key, value] : match_labels) part(key + "=" + value);
  for (const SelectorRequirement& requirement : match_expressions) {
    if (requirement.op == "Exists") {
      part(requirement.key);
    } else if (requirement.op == "DoesNotExist") {
      part("!" + requirement.key);
    } else {
      std::string values;
      for (const std::string& value : requirement.values) values += (values.empty() ? "" : ",") + value;
      part(requirement.key + (requirement.op == "In" ? " in (" : " notin (") + values + ")");
    }
  }
  return out;
}

const Condition* JobStatus::find_true(std::string_view type) const noexcept {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [type](const Condition& c) { return c.type == type && c.is_true(); });
  return found == conditions.end() ? nullptr : &*found;
}

const Condition* JobStatus::finished() const noexcept {
  const auto found = std::find_if(conditions.begin(), conditions.end(), [](const Condition& c) {
    return (c.type == "Complete" || c.type == "Failed") && c.is_true();
  });
  return found == conditions.end() ? nullptr : &*found;
}

const OwnerReference* controller_of(const ObjectMeta& meta) noexcept {
  const auto found = std::find_if(meta.owners.begin(), meta.owners.end(),
                                  [](const OwnerReference& owner) { return owner.controller; });
  return found == meta.owners.end() ? nullptr : &*found;
}

const OwnerReference* Pod::controller() const noexcept { return controller_of(meta); }

const PodCondition* Pod::condition(std::string_view type) const noexcept {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(), [type](const PodCondition& c) { return c.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool Pod::is_tracked() const noexcept {
  return std::find(finalizers.begin(), finalizers.end(), kTrackingFinalizer) != finalizers.end();
}

}  // namespace pumice::kubejob
