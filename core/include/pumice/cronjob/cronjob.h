// CronJobs and the jobs they start, as far as the CronJob controllers look at them (spec/k8s-cronjob.md 2,
// spec/volcano-cronjob.md 1).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/json.h"
#include "pumice/model/meta.h"
#include "pumice/model/reader.h"
#include "pumice/quirk.h"
#include "pumice/zone.h"

namespace pumice::cronjob {

/// Which controller is imitated.
enum class Profile : std::uint8_t {
  V2,      ///< `cronjob`: Kubernetes since 1.21 (spec/k8s-cronjob.md)
  Legacy,  ///< `cronjob-legacy`: before, looking at everything every ten seconds (spec/k8s-cronjob.md 10)
  Volcano  ///< `volcano-cronjob` (spec/volcano-cronjob.md)
};
/// `cronjob`, `cronjob-legacy`, `volcano-cronjob`.
[[nodiscard]] std::string_view to_string(Profile profile) noexcept;
[[nodiscard]] std::optional<Profile> profile_from(std::string_view text) noexcept;
/// `cronjob, cronjob-legacy, volcano-cronjob`, for messages.
[[nodiscard]] std::string profile_names();

/// Behaviour that surprises and that a fix would change. All of a profile's are on unless they are switched off.
enum class Quirk : std::uint8_t {
  MissedEstimate,        ///< missed runs are estimated from the first gap; the latest may not be found (6.1 P-2)
  LastRunLost,           ///< a run with no other within five years behind it is not started (6.1 P-2a)
  EveryBelowDeadline,    ///< `@every` with a shorter starting deadline never starts (6.1 P-4)
  HundredMissed,         ///< more than 100 missed runs: nothing is started any more (10, step 6)
  SilentDeadline,        ///< runs lost to the starting deadline leave no event (4 N-3)
  DeadlineOverflow,      ///< a deadline of more than 292 years overflows, as nanoseconds do in 64 bits
  ForbidPostpones,       ///< a forbidden run stays due and starts when the running job ends (4 step 13; Volcano 8.3)
  OldTimer,              ///< a changed schedule leaves the old wake-up in the queue (3)
  StaleCopy,             ///< after a live read the copy from before is written (4 N-2; Volcano 8.6)
  OrphansIgnored,        ///< an unfinished job that is not in the list is told of and not taken in (4 step 1)
  SharedMinuteName,      ///< two runs within a minute have the same name (8)
  ExistingJobRefused,    ///< a job that already exists is an error and never comes into the list (10)
  StatusLostOnError,     ///< an error leaves the status unwritten (Volcano 8.1)
  StatusFailureIgnored,  ///< a failed write of the status is not repeated (Volcano 8.1)
  TerminatedKept,        ///< Terminated jobs are never cleaned up (Volcano 8.2)
  AbortedActive,         ///< Aborted jobs count as running (Volcano 8.2)
  ConflictNamespace,     ///< a job that already exists is looked up without its namespace (Volcano 8.4)
  SkippingRemoval,       ///< removing entries while walking over them skips some (Volcano 8.5)
  EndlessRetries,        ///< a schedule or zone that cannot be read is tried for ever (Volcano 8.7)
  ForeignJobRepeats,     ///< a foreign job with the run's name is met again at every look (Volcano 8.8)
};
inline constexpr std::size_t kQuirkCount = static_cast<std::size_t>(Quirk::ForeignJobRepeats) + 1;

class Quirks : public QuirkSet<Quirk> {
 public:
  constexpr Quirks() = default;
  constexpr Quirks(QuirkSet<Quirk> set) noexcept : QuirkSet(set) {}  // NOLINT(google-explicit-constructor)
  /// All that `profile` has.
  [[nodiscard]] static Quirks of(Profile profile) noexcept;
};

/// Descriptions and names, in the order of the enumeration.
[[nodiscard]] std::span<const QuirkInfo> quirk_table() noexcept;
[[nodiscard]] std::span<const std::string_view> quirk_names() noexcept;
/// `missed-estimate`, `old-timer` …
[[nodiscard]] std::string_view to_string(Quirk quirk) noexcept;
[[nodiscard]] std::optional<Quirk> quirk_from(std::string_view text) noexcept;

/// Anything but the three words counts as Allow (Volcano 1).
enum class ConcurrencyPolicy : std::uint8_t { Allow, Forbid, Replace };

struct Spec {
  std::string schedule;
  std::optional<std::string> time_zone;
  std::optional<std::int64_t> starting_deadline_seconds;
  std::string policy_text;  ///< `concurrencyPolicy` as written
  ConcurrencyPolicy policy = ConcurrencyPolicy::Allow;
  bool suspend = false;
  std::optional<std::int32_t> successful_limit;
  std::optional<std::int32_t> failed_limit;
  StringMap labels;       ///< of `jobTemplate.metadata`
  StringMap annotations;  ///< the same
  Json job_spec;          ///< `jobTemplate.spec`, untouched; null if absent

  friend bool operator==(const Spec&, const Spec&) = default;
};

/// An entry of `status.active`. An empty kind and version are those of the profile's jobs.
struct Reference {
  std::string ns;
  std::string name;
  std::string uid;
  std::uint64_t resource_version = 0;
  std::string kind;
  std::string api_version;

  friend bool operator==(const Reference&, const Reference&) = default;
};

struct Status {
  std::vector<Reference> active;
  std::optional<Time> last_schedule;    ///< nominal time of the last run, not the time of its start
  std::optional<Time> last_successful;  ///< latest completion seen

  friend bool operator==(const Status&, const Status&) = default;
};

/// Parts are shared and never changed in place, so that a copy is cheap.
struct CronJob {
  std::shared_ptr<const ObjectMeta> meta = std::make_shared<const ObjectMeta>();
  std::shared_ptr<const Spec> spec = std::make_shared<const Spec>();
  Status status;
  std::uint64_t resource_version = 0;

  [[nodiscard]] std::string key() const { return meta->ns + "/" + meta->name; }
};
using CronJobPtr = std::shared_ptr<const CronJob>;

/// How a job ended. batch/v1 knows the first three; Aborted is an end only where the quirk is off.
enum class Finish : std::uint8_t { Running, Complete, Failed, Terminated, Aborted };

/// A job as a CronJob controller sees it: batch/v1 or Volcano.
struct ChildJob {
  std::string ns;
  std::string name;
  std::string uid;
  std::uint64_t resource_version = 0;
  std::shared_ptr<const OwnerReference> controller;  ///< the owner that is its controller, or null
  std::optional<Time> creation;
  std::optional<Time> deletion;
  std::optional<Time> start;       ///< `status.startTime`
  std::optional<Time> completion;  ///< `status.completionTime`, of Volcano jobs the last change of phase
  Finish finish = Finish::Running;
};
using ChildJobPtr = std::shared_ptr<const ChildJob>;

/// True for `CronJob` of `batch/v1` (and its older versions) and of `batch.volcano.sh/v1alpha1`.
[[nodiscard]] bool is_cronjob(const ObjectHeader& header) noexcept;
/// The profile of a CronJob of that API version, where nobody says otherwise.
[[nodiscard]] Profile profile_of(std::string_view api_version) noexcept;

/// A CronJob. In manifest mode the defaults of the API server are filled in (spec 2) and what is odd is told.
[[nodiscard]] CronJob read_cronjob(FieldReader& object, ReadMode mode);
/// A job of either kind; its `apiVersion` decides, the profile where it has none.
[[nodiscard]] ChildJob read_child(FieldReader& object, Profile profile);

/// `status` in the form of the API; absent parts are left out.
[[nodiscard]] Json status_json(const Status& status, Profile profile);

/// Name of the job of a run (spec 8 and 10 step 10; Volcano 6).
[[nodiscard]] std::string job_name(const CronJob& cronjob, Time run, Profile profile, Quirks quirks);
/// The job that is created for a run, in the form of the API. `zone` is that of `timeZone`, UTC if it has none.
[[nodiscard]] Json job_json(const CronJob& cronjob, Time run, Profile profile, Quirks quirks, const Zone& zone);
/// The CronJob as its jobs' owner.
[[nodiscard]] OwnerReference owner_of(const CronJob& cronjob, Profile profile);

}  // namespace pumice::cronjob
