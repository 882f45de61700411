// A CronJob over virtual time, on a small cluster: which runs start, and what becomes of the others.
//
// Controller (controller.h) and API server (cluster.h) on one clock. Caches show at once what was written; jobs run for
// a given time; the controller may be down for a while and then finds everything as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/cronjob/cluster.h"
#include "pumice/json.h"

namespace pumice::cronjob {

/// The controller is down from `from` on, and up again at `until`. Equal times are a restart.
struct Outage {
  Time from;
  Time until;
};

/// How long a job runs and how it ends.
struct JobPlan {
  Duration run{10 * kSecond.ns};
  Finish finish = Finish::Complete;
};

/// Somebody changes the spec.
struct Edit {
  Time at;
  std::shared_ptr<const Spec> spec;
};

/// Requests fail from `at` on (`RequestFailure::times` ends it).
struct Trouble {
  Time at;
  RequestFailure failure;
};

struct TimelineOptions {
  Profile profile = Profile::V2;
  Quirks quirks = Quirks::of(Profile::V2);
  Time from;   ///< the controller starts here, unless an outage covers it
  Time until;  ///< the last instant that is looked at
  /// Of the first jobs, one by one, and `plan` of all others. `activeDeadlineSeconds` and `ttlSecondsAfterFinished` of
  /// the job template hold besides.
  std::vector<JobPlan> plans;
  JobPlan plan;
  std::vector<Outage> outages;
  std::vector<Edit> edits;
  std::vector<Trouble> troubles;
  cron::ZoneSource zones;
};

enum class Outcome : std::uint8_t {
  Started,
  Skipped,   ///< not started because the CronJob says so: suspended, or Forbid
  Missed,    ///< not started for another reason
  Replaced,  ///< its job was deleted for a newer run
  Open,      ///< due at the end, and not started yet
};
/// `started`, `skipped` …
[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

/// What stood in a run's way, and what decided that it never starts.
enum class Cause : std::uint8_t {
  None,
  Outage,     ///< the controller was down
  JobActive,  ///< Forbid, and a job was active
  Suspended,
  NewerRun,     ///< only the latest missed run is made up for
  Deadline,     ///< the starting deadline had passed
  Estimate,     ///< the estimate of missed runs found none (6.1 P-2)
  TooMany,      ///< Legacy: more than 100 missed
  Unreadable,   ///< schedule or zone cannot be read, or no run can be told
  Failure,      ///< a request failed
  BeforeStart,  ///< the run lies before the simulation
  Edited,       ///< the schedule was changed to one that has this time in the past
};
/// `outage`, `job-active` …; empty for None.
[[nodiscard]] std::string_view to_string(Cause cause) noexcept;

struct Entry {
  Time run;      ///< nominal time
  Time at;       ///< when it started, was replaced, or was lost for certain
  Time other{};  ///< JobActive: the run whose job was active; NewerRun, Replaced: the newer run; else 0
  Outcome outcome = Outcome::Started;
  Cause obstacle = Cause::None;  ///< what kept it from starting in time
  Cause decided = Cause::None;   ///< Skipped and Missed: what decided it

  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Note {
  Time at;
  Event event;
};

struct Timeline {
  std::vector<Entry> entries;  ///< in the order in which things were decided
  std::vector<Note> notes;     ///< Events that warn, and JobAlreadyActive; the first `kNotesMax`
  std::int64_t looks = 0;
  CronJobPtr cronjob;             ///< as it is at the end
  std::vector<ChildJobPtr> jobs;  ///< those that exist at the end
  std::string stopped;            ///< why it ended before its time; empty if it did not
};
inline constexpr std::int64_t kLooksMax = 20'000'000;
inline constexpr std::size_t kNotesMax = 10'000;
inline constexpr std::size_t kEntriesMax = 2'000'000;
inline constexpr std::size_t kJobsMax = 10'000;  ///< at one time

/// An empty creation time becomes `from`, an empty UID is made up. `jobs` are those that exist at the start.
[[nodiscard]] Timeline simulate(CronJob cronjob, const std::vector<ChildJobPtr>& jobs, const TimelineOptions& options);

/// True if a run started later than the controller's own pace explains: a second, in Legacy ten.
[[nodiscard]] bool is_late(const Entry& entry, Profile profile) noexcept;
/// What happened, in a few words: `started 3m0.1s late: the controller was down`.
[[nodiscard]] std::string sentence_of(const Entry& entry, Profile profile);
/// {run, outcome, at, reason, obstacle?, decidedBy?, other?, job?}
[[nodiscard]] Json entry_json(const Entry& entry, const CronJob& cronjob, Profile profile, Quirks quirks);
[[nodiscard]] Json note_json(const Note& note, Profile profile);

/// A run that two timelines treat differently; null where one does not know it.
struct Difference {
  Time run;
  const Entry* first = nullptr;
  const Entry* second = nullptr;
};
/// Starts count as equal if both are in time, or less than ten seconds apart. The timelines must outlive the answer.
[[nodiscard]] std::vector<Difference> compare(const Timeline& first, Profile first_profile, const Timeline& second,
                                              Profile second_profile);

}  // namespace pumice::cronjob
