// What the controllers ask the API server to do, and how the answers come home.
//
// Effects of one batch may be carried out in any order or in parallel; the controller asks for the next batch only when
// every answer of the last one has come in. Everything is safe to do twice but CreatePod, whose names the server makes
// up: that is what the expectations are for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

struct CreatePod {
  PodPtr pod;  ///< without name, uid and resourceVersion; `generate_name` is set
};
struct DeletePod {
  std::string ns;
  std::string name;
  std::string uid;  ///< for the reader only: upstream deletes by name
};
struct RemoveFinalizer {  ///< takes the tracking finalizer off a pod
  std::string ns;
  std::string name;
  std::string uid;  ///< precondition of the patch
};
struct AdoptPod {  ///< adds the controller reference and the tracking finalizer
  std::string ns;
  std::string name;
  std::string uid;
  OwnerReference owner;
};
struct ReleasePod {  ///< takes the controller reference and the tracking finalizer away
  std::string ns;
  std::string name;
  std::string uid;
  std::string owner_uid;
};
struct GetJob {  ///< a fresh read, past the cache
  std::string ns;
  std::string name;
};
struct UpdateJobStatus {
  std::string ns;
  std::string name;
  std::string uid;
  std::uint64_t resource_version = 0;  ///< Conflict if the stored job has another one
  JobStatus status;
};
struct DeleteJob {  ///< of the TTL controller: in the foreground
  std::string ns;
  std::string name;
  std::string uid;  ///< Conflict if the stored job has another one
};
struct EmitEvent {  ///< a Kubernetes Event on the Job; never answered
  std::string ns;
  std::string job;
  bool warning = false;
  std::string reason;
  std::string message;
};
using EffectBody = std::variant<CreatePod, DeletePod, RemoveFinalizer, AdoptPod, ReleasePod, GetJob, UpdateJobStatus,
                                DeleteJob, EmitEvent>;

using EffectId = std::uint64_t;
struct Effect {
  EffectId id = 0;  ///< 0 for effects that are not answered
  EffectBody body;
};
/// `CreatePod`, `DeletePod` …
[[nodiscard]] std::string_view effect_name(const EffectBody& body) noexcept;

enum class ResultCode : std::uint8_t {
  Ok,
  NotFound,
  AlreadyExists,
  Conflict,
  Forbidden,
  Invalid,
  Timeout,
  NamespaceTerminating,
  Other
};
[[nodiscard]] std::string_view to_string(ResultCode code) noexcept;
[[nodiscard]] std::optional<ResultCode> result_code_from(std::string_view text) noexcept;

/// The answer to one effect: `pod` after a successful CreatePod, `job` after GetJob and UpdateJobStatus, as stored.
struct EffectResult {
  EffectId id = 0;
  ResultCode code = ResultCode::Ok;
  std::string message;  ///< the server's own words, may be empty
  PodPtr pod;
  JobPtr job;

  [[nodiscard]] std::string error_text() const;
};

}  // namespace pumice::kubejob
