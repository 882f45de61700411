// The record every step leaves: what was seen, decided and done, and why. Sentences are derived from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/kubejob/effect.h"
#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

/// What became of a notification (spec 3.3, 3.4).
enum class ObserveOutcome : std::uint8_t {
  Queued,               ///< the job is due at once
  Batched,              ///< the job is due after the batch period
  OrphanQueued,         ///< only the orphan worker has to look
  SameResourceVersion,  ///< nothing changed
  JobUnknown,           ///< the controller reference leads to no job
  JobFinished,          ///< the job is finished: nothing but finalizers is left to do
  NobodyMatches,        ///< a pod without controller that no job selects
};
[[nodiscard]] std::string_view to_string(ObserveOutcome outcome) noexcept;

enum class Seen : std::uint8_t { JobAdded, JobUpdated, JobDeleted, PodAdded, PodUpdated, PodDeleted };
[[nodiscard]] std::string_view to_string(Seen seen) noexcept;

struct ObserveRecord {
  Seen seen = Seen::JobAdded;
  std::string ns;
  std::string name;
  ObserveOutcome outcome = ObserveOutcome::Queued;
  std::vector<std::string> jobs;  ///< keys that were enqueued
  Duration delay;                 ///< of the last of them
};

enum class SyncOutcome : std::uint8_t {
  Synced,
  BadKey,          ///< SY-1
  StaleCache,      ///< SY-2
  JobNotCached,    ///< SY-3
  ManagedByOther,  ///< SY-4
  Finished,        ///< SY-5
  FinishWritten,   ///< SY-6: the finish is written, the cache does not show it
  UnknownMode,     ///< SY-7
  Failed,          ///< an error: tried again at `retry_at`
};
[[nodiscard]] std::string_view to_string(SyncOutcome outcome) noexcept;

/// What the manage step did, or why it did not run (spec 6.2, 7).
enum class ManageStep : std::uint8_t {
  NotReached,
  ConditionMet,       ///< a condition was found: active pods are deleted instead
  ExpectationsUnmet,  ///< creations or deletions that were asked for are not seen yet
  JobDeleting,
  Suspended,            ///< all active pods removed
  Removed,              ///< too many active pods, or pods without use
  Enough,               ///< as many as wanted
  WaitsForTerminating,  ///< terminating pods keep their places
  BackingOff,           ///< a failed pod is not replaced yet
  Created,
  NothingPending,  ///< no index is left to start
};
[[nodiscard]] std::string_view to_string(ManageStep step) noexcept;

/// One failed pod that a sync found new, and whether it uses up a retry.
struct FailureNote {
  std::string pod;
  std::int32_t index = -1;
  FailureMatch match;
};
inline constexpr std::size_t kTraceNotesMax = 1000;

/// Failures and what they leave.
struct Budget {
  std::int64_t failures = 0;  ///< counted so far
  std::int64_t limit = 0;     ///< backoffLimit
  std::int64_t restarts = 0;  ///< with restartPolicy OnFailure: container restarts
  bool counts_restarts = false;
  std::int64_t retries_left = 0;   ///< failures that may still follow
  std::optional<Time> next_retry;  ///< when a failed pod may be replaced, if it must wait
};

struct SyncRecord {
  std::string key;
  Time at;
  SyncOutcome outcome = SyncOutcome::Synced;
  bool expectations_satisfied = true;
  std::int64_t adopted = 0;
  std::int64_t released = 0;
  // What was found (spec 6, SY-11 … SY-13).
  std::int64_t active = 0;
  std::int64_t ready = 0;
  std::int64_t terminating = 0;
  std::int64_t new_succeeded = 0;
  std::int64_t new_failed = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::vector<FailureNote> failures;  ///< of the new ones, at most `kTraceNotesMax`
  Budget budget;
  // What was decided.
  std::optional<Condition> condition;  ///< the one that was found
  std::int32_t condition_check = 0;    ///< which line of spec 6.1 found it
  bool condition_withheld = false;     ///< not all active pods could be deleted, or expectations are unmet
  ManageStep manage = ManageStep::NotReached;
  std::int64_t wanted = 0;
  std::int64_t pending = 0;  ///< terminating pods that keep their places
  std::int64_t created = 0;
  std::int64_t removed = 0;
  std::vector<std::int32_t> indexes;  ///< of the created pods
  std::int64_t finalizers_removed = 0;
  bool uncounted_full = false;         ///< 500 pods registered: the rest waits for the next sync
  bool waits_for_terminating = false;  ///< a final condition is held back
  std::string new_succeeded_indexes;
  std::string new_failed_indexes;
  // How it ended.
  std::vector<Effect> effects;  ///< at most `kTraceNotesMax`, see `effects_total`
  std::int64_t effects_total = 0;
  JobStatus before;
  JobStatus after;
  std::string error;
  std::optional<Time> retry_at;    ///< after an error
  std::optional<Time> requeue_at;  ///< the earliest instant at which the key is due again
};

/// One key of the orphan worker (spec 12).
struct OrphanRecord {
  std::string ns;
  std::string what;  ///< name of the pod, or text of the selector
  std::int64_t looked_at = 0;
  std::int64_t removed = 0;  ///< finalizers
  std::string error;
  std::optional<Time> retry_at;
};

/// One key of the TTL controller (spec 13).
enum class TtlOutcome : std::uint8_t { JobNotCached, NotEligible, TooEarly, Gone, Deleted, Failed };
[[nodiscard]] std::string_view to_string(TtlOutcome outcome) noexcept;
struct TtlRecord {
  std::string key;
  TtlOutcome outcome = TtlOutcome::NotEligible;
  bool finished_in_future = false;
  std::string error;
  std::optional<Time> next;  ///< when it is looked at again
};

using Record = std::variant<ObserveRecord, SyncRecord, OrphanRecord, TtlRecord>;

/// What happened and why, in one plain sentence.
[[nodiscard]] std::string sentence(const Record& record);
[[nodiscard]] std::string sentence(const SyncRecord& record);

}  // namespace pumice::kubejob
