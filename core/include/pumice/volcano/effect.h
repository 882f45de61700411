// What the controller asks the API server to do, and how the answers come home.
//
// Effects of one batch may be carried out in any order or in parallel; the controller asks for the next batch only when
// every answer of the last one has come in. Names of created objects are derived from the job, so doing one twice is
// harmless.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/model/job.h"
#include "pumice/model/object.h"
#include "pumice/model/pod.h"

namespace pumice::volcano {

struct CreatePod {
  PodPtr pod;  ///< without uid and resourceVersion
};
struct MarkPod {  ///< sets the annotation `volcano.sh/controller-out-of-sync` (spec 1.9)
  std::string ns;
  std::string name;
};
struct DeletePod {
  std::string ns;
  std::string name;
};
struct CreatePodGroup {
  PodGroup group;
};
struct UpdatePodGroup {
  PodGroup group;
};
struct DeletePodGroup {
  std::string ns;
  std::string name;
};
/// ConfigMaps, Secrets, Services, NetworkPolicies and claims (spec 8.2).
struct CreateObject {
  ApiObject object;
};
struct UpdateObject {
  ApiObject object;
};
struct DeleteObject {
  ObjectName id;
};
/// Writes spec and metadata, not the status: generated claim names, the mark of forwarded jobs (spec 8.1, 8.2.2).
struct UpdateJob {
  std::shared_ptr<const Job> job;
};
struct UpdateJobStatus {
  std::string ns;
  std::string name;
  JobStatus status;
  std::uint64_t resource_version = 0;  ///< of the job it was made from: another one is a conflict; 0: it is not asked
};
struct DeleteCommand {
  std::string ns;
  std::string name;
};
/// Reads a pod whose deletion failed, past all caches (spec 10.6).
struct ReadPod {
  std::string ns;
  std::string name;
};
struct EmitEvent {  ///< a Kubernetes Event on the Job (spec 1.14); never answered
  std::string ns;
  std::string job;
  bool warning = false;
  std::string reason;
  std::string message;
};
using EffectBody =
    std::variant<CreatePod, MarkPod, DeletePod, ReadPod, CreatePodGroup, UpdatePodGroup, DeletePodGroup, CreateObject,
                 UpdateObject, DeleteObject, UpdateJob, UpdateJobStatus, DeleteCommand, EmitEvent>;

using EffectId = std::uint64_t;
struct Effect {
  EffectId id = 0;  ///< 0 for effects that are not answered
  EffectBody body;
};
/// `CreatePod`, `DeletePod` …
[[nodiscard]] std::string_view effect_name(const EffectBody& body) noexcept;

enum class ResultCode : std::uint8_t { Ok, NotFound, AlreadyExists, Conflict, Forbidden, Timeout, Other };
[[nodiscard]] std::string_view to_string(ResultCode code) noexcept;

/// The answer to one effect. `pod` is set after a successful CreatePod or ReadPod, `job` after UpdateJob and
/// UpdateJobStatus: what the server holds.
struct EffectResult {
  EffectId id = 0;
  ResultCode code = ResultCode::Ok;
  PodPtr pod;
  std::shared_ptr<const Job> job;
  std::string message;  ///< the API server's own words, if it has any
};

}  // namespace pumice::volcano
