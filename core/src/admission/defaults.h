// What the API server and Volcano's webhook fill into objects (spec/volcano-admission.md 2, spec/volcano-cronjob.md 1,
// spec/k8s-job.md 2.1, spec/k8s-cronjob.md 2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pumice/admission/review.h"
#include "pumice/json.h"

namespace pumice::admission {

/// Fills values into an object and keeps the patch that does the same.
class Defaulter {
 public:
  explicit Defaulter(Json& object) : object_(object) {}

  /// `field` as in `spec.tasks[0].minAvailable`; maps on the way to it are made where they are missing. Nothing happens
  /// if something on the way is of another type.
  void set(std::string_view field, Json value, std::string_view why);
  /// The same if the member is absent or null.
  void set_absent(std::string_view field, Json value, std::string_view why);
  [[nodiscard]] const Json* find(std::string_view field) const;

  [[nodiscard]] std::vector<Default>& defaults() noexcept { return defaults_; }
  [[nodiscard]] Json take_patch() { return std::move(patch_); }

 private:
  Json& object_;
  std::vector<Default> defaults_;
  Json patch_ = Json::array();
};

/// All defaults of an object whose types are right.
void apply_defaults(Defaulter& out, Kind kind, const Options& options);

/// The patch of Volcano's webhook for Jobs, operation by operation as it writes them; null if it has none.
[[nodiscard]] Json upstream_patch(const Json& object, const Json& defaulted);

/// What the API server adds to a Job that is created, for its selector: labels of the template, and the selector
/// itself.
void generate_selector(Json& job);

}  // namespace pumice::admission
