// Which action a request leads to, and why (spec/volcano-job.md 5).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pumice/model/job.h"
#include "pumice/volcano/profile.h"
#include "pumice/volcano/request.h"

namespace pumice::volcano {

/// Why the decision fell where it did.
enum class DecisionSource : std::uint8_t {
  Command,        ///< the request carries an action (step 1)
  InternalEvent,  ///< OutOfSync, CommandIssued, PodRunning (step 2)
  OtherJobUid,    ///< the request belongs to an earlier job of the same name (step 3)
  StaleVersion,   ///< the request is older than the job's version (step 4)
  TaskPolicy,     ///< a policy of the request's task matched (step 5)
  JobPolicy,      ///< a policy of the job matched (step 6)
  NoMatch,        ///< no policy matched (step 8)
};
[[nodiscard]] std::string_view to_string(DecisionSource source) noexcept;

/// Why one policy did or did not decide.
enum class RuleReason : std::uint8_t {
  MatchedEvent,        ///< its events hold the request's event
  MatchedAnyEvent,     ///< its events hold `*`
  MatchedExitCode,     ///< its exit code equals the request's
  EventDiffers,        ///< it names events, but not this one, and has no exit code
  ExitCodeDiffers,     ///< it has only an exit code, another one
  NeitherMatches,      ///< it has events and an exit code, neither fits
  NeedsTimeout,        ///< its events fit, but PodPending counts only with `timeout` (spec 2.1)
  NoEventInRequest,    ///< it names events, the request has none: only an exit code could match
  HasNoCondition,      ///< neither events nor exit code: can never match
  NotAFailure,         ///< its exit code fits, but counts for PodFailed alone (a quirk that is off)
  BehindEarlierMatch,  ///< an earlier policy of the same list decided
  HiddenByTask,        ///< a job-level policy, but a policy of the task decided
  NotConsulted,        ///< policies were not looked at: `Decision::source` says why
};
/// The stable code: `MatchedEvent` …
[[nodiscard]] std::string_view to_string(RuleReason reason) noexcept;
[[nodiscard]] constexpr bool is_match(RuleReason reason) noexcept { return reason <= RuleReason::MatchedExitCode; }

/// A policy by its place: `task < 0` is the job's own list.
struct RuleRef {
  std::int32_t task = -1;
  std::int32_t index = -1;

  [[nodiscard]] bool exists() const noexcept { return index >= 0; }
  /// `spec.policies[0]`, `spec.tasks[1].policies[0]`; empty if there is none.
  [[nodiscard]] std::string path() const;
  friend bool operator==(const RuleRef&, const RuleRef&) = default;
};

struct Considered {
  RuleRef rule;
  RuleReason reason = RuleReason::NotConsulted;

  friend bool operator==(const Considered&, const Considered&) = default;
};

/// The answer. `action_text` points into the request or the policy table, so it lives as long as both do.
struct Decision {
  Action action = Action::SyncJob;
  std::string_view action_text;  ///< the user's own word if `action` is `Other`
  Duration delay;                ///< zero: at once; a negative one counts as "not zero" (spec 5)
  DecisionSource source = DecisionSource::NoMatch;
  RuleRef rule;  ///< the policy that decided, if one did
};

/// The policies of one job version, compiled once: for each list and each event the first policy that matches by event,
/// and for each exit code the first policy that names it. Deciding is then a few table look-ups and never allocates.
class PolicyTable {
 public:
  /// The table of a job without tasks and policies.
  PolicyTable() : PolicyTable(std::make_shared<const JobSpec>()) {}
  /// `spec` must not be null; it is kept alive, since the table points into it.
  explicit PolicyTable(std::shared_ptr<const JobSpec> spec);

  [[nodiscard]] const JobSpec& spec() const noexcept { return *spec_; }
  /// Index of the first task of that name, or -1.
  [[nodiscard]] std::int32_t task_index(std::string_view name) const noexcept;

 private:
  friend Decision decide(const PolicyTable&, std::string_view, std::int32_t, const Request&, Quirks) noexcept;
  struct List {
    std::array<std::int32_t, kEventCount> first_by_event{};  ///< kNone if no policy of the list matches the event
    std::vector<std::pair<std::int32_t, std::int32_t>>
        exit_codes;                 ///< (code, first policy with it), sorted, codes unique
    bool has_other_events = false;  ///< some policy names an event outside the vocabulary
  };
  static constexpr std::int32_t kNone = -1;

  static List compile(const std::vector<LifecyclePolicy>& policies);
  static std::int32_t first_match(const List& list, const std::vector<LifecyclePolicy>& policies,
                                  const Request& request, Quirks quirks) noexcept;

  std::shared_ptr<const JobSpec> spec_;
  List job_list_;
  std::vector<List> task_lists_;
  std::vector<std::pair<std::string_view, std::int32_t>>
      names_;  ///< sorted, names unique; points into the spec's tasks
};

/// Decides without a record. `job_uid` and `job_version` are those of the cached job (`metadata.uid`,
/// `status.version`).
[[nodiscard]] Decision decide(const PolicyTable& table, std::string_view job_uid, std::int32_t job_version,
                              const Request& request, Quirks quirks = kVolcanoQuirks) noexcept;

/// Every candidate in the order in which the controller looks: the list of the request's task, then the job's list,
/// each with the reason why it did or did not decide. Written as a plain transcription of the specification,
/// independent of the compiled tables; a test holds both together.
[[nodiscard]] std::vector<Considered> consider(const PolicyTable& table, std::string_view job_uid,
                                               std::int32_t job_version, const Request& request,
                                               Quirks quirks = kVolcanoQuirks);

}  // namespace pumice::volcano
