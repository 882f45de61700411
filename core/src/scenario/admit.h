// What a cluster says to the objects of a scenario.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pumice/admission/review.h"
#include "scenario/evaluate.h"

namespace pumice::scenario {

struct Admitted {
  std::string kind;
  std::string name;
  std::string file;
  Range range;
  admission::Review review;
};

/// Reviews of all objects that clusters review. Queues among the objects are those of the cluster; without one nothing
/// is known of queues. What is no YAML is left to others.
[[nodiscard]] std::vector<Admitted> admit(const std::vector<SourceText>& sources);

[[nodiscard]] std::vector<Mismatch> mismatches(const AdmissionWanted& wanted, const std::vector<Admitted>& objects);

/// True for objects that are looked at by admission alone.
[[nodiscard]] bool is_for_admission_only(std::string_view type_text) noexcept;

}  // namespace pumice::scenario
