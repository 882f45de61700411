// The record every step leaves: what was seen, asked, considered, decided and done. Explanations are derived from it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pumice/volcano/decide.h"
#include "pumice/volcano/effect.h"
#include "pumice/volcano/profile.h"
#include "pumice/volcano/request.h"
#include "pumice/volcano/transition.h"

namespace pumice::volcano {

enum class ObjectKind : std::uint8_t { Job, Pod, PodGroup, Command, Queue };
enum class ChangeKind : std::uint8_t { Added, Updated, Deleted };
[[nodiscard]] std::string_view to_string(ObjectKind kind) noexcept;
[[nodiscard]] std::string_view to_string(ChangeKind kind) noexcept;  ///< `added`, `updated`, `deleted`

/// What became of a notification (spec 3).
enum class ObserveOutcome : std::uint8_t {
  Queued,               ///< a request was added to the queue
  Merged,               ///< an equal request was already waiting (spec 4.2)
  CommandTaken,         ///< the command waits for the command worker
  SameResourceVersion,  ///< nothing changed
  NotOfAJob,            ///< the pod's controller is not a Volcano Job
  AnnotationMissing,    ///< `detail` names the annotation
  VersionUnreadable,    ///< `volcano.sh/job-version` is not a 32-bit decimal
  SpecAndPhaseSame,     ///< a job changed in metadata or counts only
  PhaseSame,            ///< a PodGroup changed, not in phase
  NoCallback,           ///< the controller does not react to this change of this kind
  NotForAJob,           ///< a command whose target is no Volcano Job
  Resynced,             ///< the pod was read again because its deletion failed, and the cache agrees now (spec 10.6)
  ResyncFailed,         ///< it was to be read again, in vain: later
};
[[nodiscard]] std::string_view to_string(ObserveOutcome outcome) noexcept;

/// One notification reaching the controller.
struct ObserveRecord {
  ObjectKind object = ObjectKind::Job;
  ChangeKind change = ChangeKind::Added;
  std::string ns;
  std::string name;
  ObserveOutcome outcome = ObserveOutcome::Queued;
  std::optional<Request> request;  ///< present for Queued and Merged
  std::string detail;              ///< annotation name, `Running -> Failed`, … ; may be empty
  // Pods only, for the explanation:
  PodPhase pod_phase = PodPhase::Unknown;  ///< as it is now; of a deleted pod, as it was last
  Event muted = Event::None;  ///< the event that was not raised because the pod is marked out-of-sync (spec 3.4, 3.5)
  std::int64_t task_restarts = 0;  ///< for TaskFailed: the sum that reached `maxRetry` (spec 10.4)
};

enum class TimerOp : std::uint8_t {
  Started,    ///< a delayed action is registered
  Ignored,    ///< same pod and action already registered: the old timer stays (spec 6.2)
  Replaced,   ///< another action for the same pod: overwritten, the old timer still runs unseen
  Cancelled,  ///< by a pod event (spec 6.3)
  Cleared,    ///< by the clean-up after an executed action (spec 6.5)
  Expired,    ///< its time has come
};
[[nodiscard]] std::string_view to_string(TimerOp op) noexcept;

/// A change in the registry of delayed actions.
struct TimerRecord {
  TimerOp op = TimerOp::Started;
  std::string job_key;
  std::string pod_name;
  ActionName action;
  EventName event;  ///< the event that armed it
  Duration delay;
  Time due;
  EventName because_of;      ///< Cancelled: the event that cancelled it
  RuleRef rule;              ///< the policy it came from
  bool stops_other = false;  ///< Replaced: the timer of the other action was stopped (a quirk that is off)
  bool earlier_pod = false;  ///< Ignored, Expired: armed by an earlier pod of that name (spec 12 no. 20 and 22)
};

/// How the processing of a request ended.
enum class ProcessOutcome : std::uint8_t {
  Executed,        ///< the operation ran to its end
  Delayed,         ///< only a delayed action was registered (or ignored): nothing else happens (spec 4.3 step 6)
  JobNotCached,    ///< dropped: no such job, or it is deleted
  JobDeleting,     ///< the job has a deletionTimestamp: nothing is done
  EmptyPartition,  ///< RestartPartition found no pod: nothing at all happens (spec 9.2)
  Requeued,        ///< an error: tried again later
  GaveUp,          ///< an error at the requeue limit: TerminateJob was executed instead (spec 4.4)
  Outdated,        ///< an expired action whose job or pod is another one by now: dropped (a quirk that is off)
};
[[nodiscard]] std::string_view to_string(ProcessOutcome outcome) noexcept;

/// What a sync found (spec 8). All zero for kills.
struct SyncFacts {
  bool short_path = false;         ///< the PodGroup is not ready: pods are neither created nor counted
  bool pod_group_missing = false;  ///< it was just created, or the lister has not seen it
  PodGroupPhase pod_group_phase = PodGroupPhase::None;
  std::int64_t created = 0;
  std::int64_t deleted = 0;        ///< scale-down and marked pods
  std::vector<std::string> taken;  ///< pods not created: another object has the name
  bool written = false;            ///< the status differed and was written
  bool recounted = false;          ///< pods were counted on the short path, too (a quirk that is off)
  std::vector<std::pair<std::string, std::vector<std::string>>> gated;  ///< task -> tasks it waits for (spec 8.6)
};

/// One request from taking it out of the queue to its end (or one expired delayed action).
struct ProcessRecord {
  Request request;
  Quirks quirks = kVolcanoQuirks;  ///< of the controller, for the explanation
  bool expired = false;  ///< runs because a delayed action expired: policies are not looked at again (spec 6.4)
  std::string job_key;
  ProcessOutcome outcome = ProcessOutcome::Executed;
  DecisionSource source = DecisionSource::NoMatch;
  ActionName action;
  Duration delay;
  RuleRef rule;
  Target target;
  std::vector<Considered> considered;
  std::shared_ptr<const JobSpec>
      spec;  ///< of the job as it was: gives the texts of the rules; null if the job is unknown
  Plan plan;
  bool empty_target = false;  ///< a targeted restart that found no pod and became a sync (a quirk that is off)
  bool sync_follows = false;  ///< Delayed: a sync was queued (a quirk that is off)
  bool last_retry = false;    ///< a whole-job kill that keeps ended pods because retries are used up (spec 9.2)
  TransitionReason reason = TransitionReason::None;
  SyncFacts sync;
  std::int64_t killed = 0;      ///< pods deleted by a kill
  std::int64_t kept = 0;        ///< ended pods that a whole-job kill left alone
  std::vector<Effect> effects;  ///< at most `kTraceEffectsMax`, see `effects_total`
  std::int64_t effects_total = 0;
  std::vector<TimerRecord> timers;
  JobStatus before;
  JobStatus after;
  std::string error;  ///< for Requeued and GaveUp
  std::optional<Time> retry_at;
};
inline constexpr std::size_t kTraceEffectsMax = 1000;

/// A command was consumed, or not (spec 3.2).
struct CommandRecord {
  Command command;
  bool consumed = true;  ///< false: someone else deleted it first, so it is never executed
  std::optional<Request> request;
  std::optional<Time> retry_at;    ///< its deletion failed otherwise: tried again then
  std::optional<EmitEvent> event;  ///< CommandIssued, if the job is known (spec 1.14)
};

using Record = std::variant<ObserveRecord, ProcessRecord, CommandRecord>;

}  // namespace pumice::volcano
