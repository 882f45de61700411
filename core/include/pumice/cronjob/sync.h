// One look at a CronJob: what the controllers do each time its key is worked on (spec/k8s-cronjob.md 4, 7, 8 and 10,
// spec/volcano-cronjob.md 3 and 6).
//
// Effects are data. Those that upstream waits for are put to a `Server`, one after the other: it answers at once (the
// simulated cluster), or not yet; then the look stops, and is taken again from the start with the answers so far, which
// leads to the same place, as nothing but the input and the answers decides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/cronjob/due.h"

namespace pumice::cronjob {

/// What a controller tells by an Event of Kubernetes. Names are those of the reasons of V2, where it has the event.
enum class EventCode : std::uint8_t {
  UnexpectedJob,
  SawCompletedJob,
  MissingJob,
  ChangedUid,  ///< Volcano: an entry of the list has another UID than the job
  UnknownTimeZone,
  UnparseableSchedule,
  InvalidSchedule,
  MissSchedule,
  JobAlreadyActive,
  ReplaceConcurrent,  ///< Volcano
  FailedGet,
  SuccessfulDelete,
  FailedDelete,
  SuccessfulCreate,
  FailedCreate,
  NamespaceTerminating,  ///< Volcano
  ForeignJob,            ///< Volcano
  UnsupportedSchedule,
  TooManyMissedTimes,
  FailedNeedsStart,            ///< Legacy
  UnParseableCronJobSchedule,  ///< of the update callback
};

/// An Event; its words are made when they are wanted.
struct Event {
  EventCode code = EventCode::SuccessfulCreate;
  std::string subject;    ///< a job's name, a zone, a schedule: what `$1` stands for
  std::string detail{};   ///< `$2`
  std::string detail2{};  ///< `$3`

  friend bool operator==(const Event&, const Event&) = default;
};
struct EventWords {
  bool warning = false;
  std::string_view reason;
  std::string message;
};
[[nodiscard]] EventWords words_of(const Event& event, Profile profile);

struct ReadCronJob {};
struct ReadJob {
  std::string ns;
  std::string name;
};
struct CreateJob {
  std::string name;
  Time run;  ///< `job_json` makes the object
};
struct DeleteJob {
  std::string ns;
  std::string name;
};
struct WriteStatus {
  Status status;
  std::uint64_t resource_version = 0;  ///< of the object that was changed: the server refuses to overwrite a newer one
};
/// Not answered.
struct EmitEvent {
  Event event;
};
using Effect = std::variant<ReadCronJob, ReadJob, CreateJob, DeleteJob, WriteStatus, EmitEvent>;
/// `ReadCronJob`, `ReadJob` …
[[nodiscard]] std::string_view effect_name(const Effect& effect) noexcept;

enum class ReplyCode : std::uint8_t { Ok, NotFound, AlreadyExists, NamespaceTerminating, Conflict, Other };
[[nodiscard]] std::string_view to_string(ReplyCode code) noexcept;
[[nodiscard]] std::optional<ReplyCode> reply_code_from(std::string_view text) noexcept;

struct Reply {
  ReplyCode code = ReplyCode::Ok;
  std::string message{};  ///< of an error; `not_found_text` and its like where it is empty
  ChildJobPtr job{};      ///< of ReadJob and CreateJob
  CronJobPtr cronjob{};   ///< of ReadCronJob, and of WriteStatus in Legacy: what the server has now
};

class Server {
 public:
  /// The answer, valid until the next call; null if it is not there yet.
  virtual const Reply* answer(const Effect& effect) = 0;

 protected:
  ~Server() = default;
};

/// How a look ended.
enum class Verdict : std::uint8_t {
  Started,
  Adopted,  ///< the job was there already and is in the list now
  NotDue,
  AlreadyHandled,  ///< the due run is the last one, or its job runs
  Forbidden,       ///< a job runs, and the policy is Forbid
  TooLate,         ///< behind the starting deadline
  Suspended,
  Deleting,
  UnknownZone,
  Unparseable,
  NoRunInSight,     ///< InvalidSchedule: no run can be told
  TooManyMissed,    ///< Legacy: more than 100
  ForeignJob,       ///< somebody else's job has the name
  JobThereAlready,  ///< the run's own job exists, and is in the list or over
  ReadFailed,
  ReplaceFailed,
  CreateFailed,
};
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

struct SyncInput {
  Profile profile = Profile::V2;
  Quirks quirks = Quirks::of(Profile::V2);
  Time now;
  const CronJob* cronjob = nullptr;
  /// Its jobs, in the order in which they are looked at (spec 4 outer step 2).
  std::span<const ChildJobPtr> jobs;
  /// Volcano: what the cache has besides, for entries of the list without an own job (Volcano 3.2).
  std::span<const ChildJobPtr> other_jobs;
  const cron::ZoneSource* zones = nullptr;
  class ScheduleMemo* memo = nullptr;  ///< kept between looks at the same CronJob
};

struct SyncOutput {
  std::vector<Effect> effects;  ///< in order
  bool waiting = false;         ///< the last effect is not answered yet: nothing else here counts
  Verdict verdict = Verdict::NotDue;
  std::optional<Due> due;  ///< once the schedule was looked at
  std::optional<Duration> requeue_after;
  std::string error;                  ///< empty: none
  std::optional<Status> after;        ///< the status, if it was to be written
  bool written = false;               ///< and the server took it
  std::vector<std::string> replaced;  ///< UIDs of jobs deleted by Replace
  /// A failed look is tried again, with growing pauses.
  [[nodiscard]] bool failed() const noexcept { return !error.empty(); }

  void clear();
};

/// A CronJob's effective schedule (spec 5.1), read once for a spec.
class ScheduleMemo {
 public:
  void read(const std::shared_ptr<const Spec>& spec, Profile profile, const cron::ZoneSource& zones);

  /// Null if the schedule cannot be read.
  [[nodiscard]] Clockwork* clockwork() noexcept { return clockwork_ ? &*clockwork_ : nullptr; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  /// What is wrong with `timeZone`; empty if nothing is.
  [[nodiscard]] const std::string& zone_error() const noexcept { return zone_error_; }
  /// The zone of `timeZone`, UTC without one: that of the annotation of jobs.
  [[nodiscard]] const Zone& zone() const noexcept { return zone_; }
  /// The text that was read: with `timeZone` in front, where it is used.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::shared_ptr<const Spec> spec_;
  std::optional<Clockwork> clockwork_;
  std::string text_;
  std::string error_;
  std::string zone_error_;
  Zone zone_;
};

/// What Kubernetes says of an object that is not there, or is there already.
[[nodiscard]] std::string api_error(ReplyCode code, std::string_view name, Profile profile);

/// Takes the look. `output` is cleared first.
void sync(const SyncInput& input, Server& server, SyncOutput& output);

}  // namespace pumice::cronjob
