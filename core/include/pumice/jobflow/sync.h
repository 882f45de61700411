// One round of a controller on a JobFlow or a JobTemplate (spec/volcano-jobflow.md 4, 5 and 6).
//
// Effects are data. Those that upstream waits for are put to a `Server`, one after the other: it answers at once (the
// simulated cluster), or not yet; then the round stops, and is taken again from the start with the answers so far,
// which leads to the same place, as nothing but the input and the answers decides.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/jobflow/model.h"
#include "pumice/jobflow/profile.h"
#include "pumice/volcano/effect.h"

namespace pumice::jobflow {

struct CreateJob {
  JobPtr job;  ///< without uid and resourceVersion
};
/// In the background, which is what the API server does where nothing else is asked for.
struct DeleteJob {
  std::string ns;
  std::string name;
};
struct WriteFlowStatus {
  std::string ns;
  std::string name;
  FlowStatus status;
  std::uint64_t resource_version = 0;  ///< of the object that was looked at: a newer one is not overwritten
};
struct WriteTemplateStatus {
  std::string ns;
  std::string name;
  std::vector<std::string> jobs;
  std::uint64_t resource_version = 0;
};
/// On the object that is looked at, from component `vc-controller-manager`. Not answered.
struct EmitEvent {
  bool warning = false;
  std::string reason;
  std::string message;

  friend bool operator==(const EmitEvent&, const EmitEvent&) = default;
};
using Effect = std::variant<CreateJob, DeleteJob, WriteFlowStatus, WriteTemplateStatus, EmitEvent>;
/// `CreateJob`, `DeleteJob` …
[[nodiscard]] std::string_view effect_name(const Effect& effect) noexcept;

using volcano::ResultCode;
struct Reply {
  ResultCode code = ResultCode::Ok;
  std::string message{};  ///< of an error; made up from the code where it is empty
};

class Server {
 public:
  /// The answer, valid until the next call; null if it is not there yet.
  virtual const Reply* answer(const Effect& effect) = 0;

 protected:
  ~Server() = default;
};

/// What the caches hold.
using Jobs = std::map<std::string, JobPtr>;            ///< by `namespace/name`
using Templates = std::map<std::string, TemplatePtr>;  ///< likewise

/// The jobs of a namespace that bear a mark with this value, by name. Upstream's order is unspecified.
[[nodiscard]] std::vector<JobPtr> jobs_marked(const Jobs& jobs, std::string_view ns, const char* mark_name,
                                              std::string_view value);

/// The status lists as they follow from the jobs; `phase` stays (4.2).
[[nodiscard]] FlowStatus status_of(const FlowStatus& before, const std::vector<JobPtr>& jobs, Time now);

/// Why a phase moved or stayed.
enum class PhaseReason : std::uint8_t {
  None,
  JobRuns,        ///< a job runs or has completed, and none has failed
  JobFailed,      ///< the first of `failedJobs`
  JobTerminated,  ///< the first of `terminatedJobs`
  JobAborted,     ///< only without the quirk that lets the flow wait
  AllCompleted,
  NothingRuns,  ///< stays Pending
  Unfinished,   ///< stays Running: fewer jobs are completed than the flow has steps
  NoSteps,
};
struct Decision {
  Phase phase = Phase::None;
  PhaseReason reason = PhaseReason::None;
  std::string job;              ///< the one that decided, if it was one
  bool counts_success = false;  ///< `volcano_jobflow_succeed_phase_count` rises
  bool counts_failure = false;  ///< `volcano_jobflow_failed_phase_count` rises
};
/// The phase that follows (5). Precondition: `phase` is empty, Pending, Running or Succeed.
[[nodiscard]] Decision decide(Phase phase, const FlowStatus& lists, const FlowSpec& spec, Quirks quirks);

/// What became of a step when jobs were deployed (4.1).
enum class StepState : std::uint8_t {
  Exists,  ///< a job of its name is there
  Created,
  CreatedFirst,  ///< somebody else was quicker: counts as success, without an event
  Waits,         ///< for `target`, which is missing or in `target_phase`
  Blocked,       ///< the round ended here with an error
  NotReached,    ///< the round had ended before
  Ended,         ///< the flow has succeeded and creates nothing (only without the quirk)
};
[[nodiscard]] std::string_view to_string(StepState state) noexcept;
struct StepLook {
  std::string step;
  StepState state = StepState::NotReached;
  std::string target{};        ///< Waits: the first target that is not satisfied
  std::string target_phase{};  ///< empty: its job does not exist, or has no phase yet
  bool target_exists = false;
  bool foreign = false;  ///< Exists: the job is not the flow's own

  friend bool operator==(const StepLook&, const StepLook&) = default;
};

/// How a round ended.
enum class Verdict : std::uint8_t {
  Synced,       ///< jobs were deployed, the status was written
  JobsDeleted,  ///< the flow has succeeded, and its jobs go
  NothingToDo,  ///< Failed and Terminating: nothing at all happens
  NoFlow,       ///< it is not in the cache
  Failed,       ///< `error` says why
};
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

struct FlowInput {
  Time now;
  Quirks quirks = Quirks::upstream();
  const JobFlow* flow = nullptr;
  const Jobs* jobs = nullptr;
  const Templates* templates = nullptr;
};
struct FlowOutput {
  std::vector<Effect> effects;  ///< in order
  bool waiting = false;         ///< the last effect is not answered yet: nothing else here counts
  Verdict verdict = Verdict::NothingToDo;
  std::vector<StepLook> steps;
  std::vector<std::string> deleted;  ///< jobs
  std::string error;                 ///< empty: none
  Decision decision;
  std::optional<FlowStatus> after;  ///< the status that was written, or was to be
};
/// Takes the round. `output` is cleared first.
void sync_flow(const FlowInput& input, Server& server, FlowOutput& output);

struct TemplateOutput {
  std::vector<Effect> effects;
  bool waiting = false;
  bool written = false;
  std::vector<std::string> jobs;  ///< made from the template
  std::string error;
};
/// Writes the names of the jobs made from a template into its status; an old list is not cleared (6).
void sync_template(const JobTemplate& made, const Jobs& jobs, Quirks quirks, Server& server, TemplateOutput& output);

}  // namespace pumice::jobflow
