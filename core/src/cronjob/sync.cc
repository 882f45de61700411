// The three controllers share their parts; each has its own order of them.
#include "pumice/cronjob/sync.h"

#include <algorithm>
#include <array>

#include "civil.h"
#include "cron/go_text.h"

namespace pumice::cronjob {
namespace {

bool has_uid(const std::vector<Reference>& active, std::string_view uid) {
  return std::any_of(active.begin(), active.end(), [&](const Reference& one) { return one.uid == uid; });
}

/// Looks for UIDs in a list, one near the other as a rule: both lists are in the order of creation.
template <class List, class UidOf>
class Finder {
 public:
  Finder(const List& list, UidOf uid_of) : list_(list), uid_of_(uid_of) {}
  bool has(std::string_view uid) {
    const std::size_t size = list_.size();
    for (std::size_t tried = 0; tried < size; ++tried) {
      if (at_ >= size) at_ = 0;
      if (uid_of_(list_[at_++]) == uid) return true;
    }
    return false;
  }

 private:
  const List& list_;
  UidOf uid_of_;
  std::size_t at_ = 0;
};

/// `Thu, 19 May 2016 10:00:00 +0000`, Go's RFC1123Z.
std::string rfc1123(Time time) {
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::int64_t day = floor_div(time.ns, kSecond.ns * kDaySeconds);
  const std::string iso = to_rfc3339(time);
  const CivilDate date = date_of(day);
  std::string text(kDays.substr(3 * std::size_t{weekday_of(day)}, 3));
  text.append(", ").append(iso, 8, 2).append(" ").append(kMonths.substr(3 * std::size_t{date.month - 1}, 3));
  return text.append(" ").append(iso, 0, 4).append(" ").append(iso, 11, 8).append(" +0000");
}

constexpr std::string_view kTooClose = "time difference between two schedules is less than 1 second";
constexpr std::string_view kTooManyMissed =
    "too many missed start time (> 100). Set or decrease .spec.startingDeadlineSeconds or check clock skew";

class Sync {
 public:
  Sync(const SyncInput& in, Server& server, ScheduleMemo& memo, SyncOutput& out)
      : in_(in), server_(server), memo_(memo), out_(out), object_(in.cronjob) {}

  void run() {
    switch (in_.profile) {
      case Profile::V2: return run_v2();
      case Profile::Legacy: return run_legacy();
      case Profile::Volcano: return run_volcano();
    }
  }

 private:
  // A function that returns false has nothing to go on with: an answer is missing, or the look is over.

  [[nodiscard]] bool quirk(Quirk quirk) const { return in_.quirks.has(quirk); }
  [[nodiscard]] bool is_volcano() const { return in_.profile == Profile::Volcano; }
  [[nodiscard]] bool is_legacy() const { return in_.profile == Profile::Legacy; }
  [[nodiscard]] const Spec& spec() const { return *object_->spec; }
  [[nodiscard]] const std::string& ns() const { return object_->meta->ns; }

  /// The status that is looked at: the cached one, the copy that was changed, or the live one.
  [[nodiscard]] const Status& status() const { return live_ ? *live_ : own(); }
  [[nodiscard]] const Status& own() const { return copy_ ? *copy_ : in_.cronjob->status; }
  Status& change() {
    dirty_ = true;
    if (live_) return *live_;
    if (!copy_) copy_ = in_.cronjob->status;
    return *copy_;
  }
  void remove(std::string_view uid) {
    std::erase_if(change().active, [&](const Reference& one) { return one.uid == uid; });
  }

  const Reply* ask(Effect effect) {
    out_.effects.push_back(std::move(effect));
    const Reply* reply = server_.answer(out_.effects.back());
    out_.waiting = reply == nullptr;
    return reply;
  }
  void event(EventCode code, std::string subject = {}, std::string detail = {}, std::string detail2 = {}) {
    out_.effects.emplace_back(EmitEvent{{code, std::move(subject), std::move(detail), std::move(detail2)}});
  }
  [[nodiscard]] std::string error_of(const Reply& reply, std::string_view name) const {
    return reply.message.empty() ? api_error(reply.code, name, in_.profile) : reply.message;
  }
  /// Ends the look. In Legacy there are no errors: the next look comes anyway.
  bool stop(Verdict verdict, std::string error = {}) {
    out_.verdict = verdict;
    if (!is_legacy()) out_.error = std::move(error);
    return false;
  }
  bool stop_until_next(Verdict verdict) {
    if (!is_legacy()) {
      out_.requeue_after = delay(*memo_.clockwork(), DueQuestion::of(*object_, status(), in_.now, in_.quirks));
    }
    return stop(verdict);
  }

  [[nodiscard]] bool is_finished(const ChildJob& job) const {
    if (job.finish == Finish::Aborted) return is_volcano() && !quirk(Quirk::AbortedActive);
    return job.finish != Finish::Running && (is_volcano() || job.finish != Finish::Terminated);
  }
  [[nodiscard]] bool is_own(const ChildJob& job) const {
    return job.controller && job.controller->uid == object_->meta->uid;
  }

  // -- Parts: jobs.

  /// Spec 7.2. Absent: not answered yet.
  std::optional<bool> delete_job(const std::string& ns, const std::string& name, const std::string& uid) {
    const Reply* reply = ask(DeleteJob{ns, name});
    if (reply == nullptr) return std::nullopt;
    if (reply->code != ReplyCode::Ok) {
      event(EventCode::FailedDelete, name, error_of(*reply, name));
      return false;
    }
    remove(uid);
    event(EventCode::SuccessfulDelete, name);
    return true;
  }

  /// Spec 7.1; Volcano 3.1.
  bool clean_up(std::optional<std::int32_t> limit, bool successful) {
    if (!limit) return true;
    const auto counts = [&](const ChildJobPtr& job) {
      if (job->finish == Finish::Complete) return successful;
      if (!is_finished(*job) || successful) return false;
      return job->finish != Finish::Terminated || !quirk(Quirk::TerminatedKept);
    };
    const auto size = std::count_if(in_.jobs.begin(), in_.jobs.end(), counts);
    if (size <= *limit) return true;
    std::vector<const ChildJob*> oldest;
    for (const ChildJobPtr& job : in_.jobs) {
      if (counts(job)) oldest.push_back(job.get());
    }
    const bool by_creation = is_volcano();
    std::sort(oldest.begin(), oldest.end(), [by_creation](const ChildJob* a, const ChildJob* b) {
      const std::optional<Time>& first = by_creation ? a->creation : a->start;
      const std::optional<Time>& second = by_creation ? b->creation : b->start;
      if (first.has_value() != second.has_value()) return first.has_value();
      return first != second ? *first < *second : a->name < b->name;
    });
    oldest.resize(static_cast<std::size_t>(size - std::max(*limit, 0)));
    for (const ChildJob* job : oldest) {
      if (!delete_job(job->ns, job->name, job->uid)) return false;
    }
    return true;
  }

  /// Spec 4 steps 2 and 3; Volcano 3.1.
  void note_finished(const ChildJob& job, bool in_list) {
    if (in_list) {
      remove(job.uid);
      event(EventCode::SawCompletedJob, job.name, job.finish == Finish::Complete ? "Complete" : "Failed");
    }
    if (is_legacy() || job.finish != Finish::Complete) return;
    const std::optional<Time>& last = status().last_successful;
    if (!last || (job.completion && *job.completion > *last)) change().last_successful = job.completion;
  }

  /// Spec 4 step 1 and 10 step 1; Volcano 3.2.
  bool meet_orphan(const ChildJob& job) {
    if (!is_legacy()) {
      const Reply* reply = ask(ReadCronJob{});
      if (reply == nullptr) return false;
      if (reply->code != ReplyCode::Ok) return stop(Verdict::ReadFailed, error_of(*reply, object_->meta->name));
      if (reply->cronjob && has_uid(reply->cronjob->status.active, job.uid)) {
        live_object_ = reply->cronjob;
        object_ = live_object_.get();
        live_ = object_->status;
        return true;
      }
    }
    event(EventCode::UnexpectedJob, job.name, job.uid);
    if (!quirk(Quirk::OrphansIgnored)) take_in(job);
    return true;
  }

  void take_in(const ChildJob& job) {
    change().active.push_back(
        {.ns = job.ns, .name = job.name, .uid = job.uid, .resource_version = job.resource_version});
  }

  /// The list as Go walks over it. Where entries are removed in place under the walk, the rest moves up and the last
  /// one stays where it was, too (Volcano 8.5).
  class ListWalk {
   public:
    ListWalk(std::vector<Reference> list, bool in_place)
        : list_(std::move(list)), length_(list_.size()), in_place_(in_place) {}
    [[nodiscard]] std::size_t size() const { return list_.size(); }
    [[nodiscard]] const Reference& at(std::size_t i) const { return list_[i]; }
    void removed(const std::string& uid) {
      if (!in_place_) return;
      const auto end = list_.begin() + static_cast<std::ptrdiff_t>(length_);
      const auto found = std::find_if(list_.begin(), end, [&](const Reference& one) { return one.uid == uid; });
      if (found == end) return;
      std::copy(found + 1, end, found);
      --length_;
    }

   private:
    std::vector<Reference> list_;
    std::size_t length_;
    bool in_place_;
  };

  /// Entries of the list without a job (spec 4 step 4 and 10 step 2; Volcano 3.2).
  bool look_for_missing() {
    const auto uid_of = [](const ChildJobPtr& job) -> const std::string& { return job->uid; };
    Finder own_jobs(in_.jobs, uid_of);
    const auto& active = status().active;
    if (std::all_of(active.begin(), active.end(), [&](const Reference& one) { return own_jobs.has(one.uid); })) {
      return true;
    }
    ListWalk walk(active, is_volcano() && quirk(Quirk::SkippingRemoval));
    for (std::size_t i = 0; i < walk.size(); ++i) {
      const Reference reference = walk.at(i);
      if (own_jobs.has(reference.uid)) continue;
      bool gone = true;
      if (is_volcano()) {
        gone = is_stale(reference);
      } else if (!is_legacy()) {
        const Reply* reply = ask(ReadJob{reference.ns, reference.name});
        if (reply == nullptr) return false;
        gone = reply->code == ReplyCode::NotFound;
        if (!gone && reply->code != ReplyCode::Ok) {
          return stop(Verdict::ReadFailed, error_of(*reply, reference.name));
        }
      }
      if (!gone) continue;
      if (!is_volcano()) event(EventCode::MissingJob, reference.name, reference.uid);
      remove(reference.uid);
      walk.removed(reference.uid);
    }
    return true;
  }

  bool is_stale(const Reference& reference) {
    const auto is_named = [&](const ChildJobPtr& job) {
      return job->name == reference.name && job->ns == reference.ns;
    };
    for (const auto& list : {in_.jobs, in_.other_jobs}) {
      const auto found = std::find_if(list.begin(), list.end(), is_named);
      if (found == list.end()) continue;
      if ((*found)->uid == reference.uid) return false;
      event(EventCode::ChangedUid, reference.name, reference.uid, (*found)->uid);
      return true;
    }
    event(EventCode::MissingJob, reference.name, reference.uid);
    return true;
  }

  // -- Parts: the schedule.

  bool check_zone() {
    if (!spec().time_zone || memo_.zone_error().empty()) return true;
    event(EventCode::UnknownTimeZone, cron::quoted(*spec().time_zone), memo_.zone_error());
    return stop(Verdict::UnknownZone, is_volcano() && quirk(Quirk::EndlessRetries) ? memo_.zone_error() : "");
  }

  bool check_schedule() {
    if (!is_legacy() && spec().schedule.find("TZ") != std::string::npos) {
      event(EventCode::UnsupportedSchedule, cron::quoted(spec().schedule));
    }
    if (memo_.clockwork() != nullptr) return true;
    if (is_volcano()) return stop(Verdict::Unparseable, quirk(Quirk::EndlessRetries) ? memo_.error() : "");
    if (is_legacy()) {
      event(EventCode::FailedNeedsStart, {}, "unparseable schedule: " + spec().schedule + " : " + memo_.error());
    } else {
      event(EventCode::UnparseableSchedule, cron::quoted(spec().schedule), memo_.error());
    }
    return stop(Verdict::Unparseable);
  }

  /// The run to start (spec 6.2 and 10 steps 5 to 7; Volcano 5.2); absent: none, and the look is over.
  std::optional<Time> due_run() {
    const DueQuestion question = DueQuestion::of(*object_, status(), in_.now, in_.quirks);
    Clockwork& clockwork = *memo_.clockwork();
    const Due due = is_legacy() ? unmet(clockwork, question) : most_recent(clockwork, question, true);
    out_.due = due;
    if (due.failed) {
      fail_to_tell();
      return std::nullopt;
    }
    const std::optional<std::int64_t>& deadline = spec().starting_deadline_seconds;
    if (!due.run || *due.run > in_.now) {
      if (due.by_deadline && !quirk(Quirk::SilentDeadline)) {
        const Due lost = most_recent(clockwork, question, false);
        if (lost.run) event(EventCode::MissSchedule, rfc1123(*lost.run));
      }
      stop_until_next(Verdict::NotDue);
      return std::nullopt;
    }
    if (due.missed == Missed::Many && !is_legacy()) event(EventCode::TooManyMissedTimes);
    if (!is_volcano() && deadline && deadline_behind(*due.run, *deadline, in_.quirks) < in_.now) {
      event(EventCode::MissSchedule, rfc1123(*due.run));
      stop_until_next(Verdict::TooLate);
      return std::nullopt;
    }
    return due.run;
  }

  void fail_to_tell() {
    if (is_legacy()) {
      event(EventCode::FailedNeedsStart, {}, std::string(kTooManyMissed));
      stop(Verdict::TooManyMissed);
      return;
    }
    event(EventCode::InvalidSchedule, spec().schedule, std::string(kTooClose));
    stop(Verdict::NoRunInSight, is_volcano() && quirk(Quirk::EndlessRetries) ? std::string(kTooClose) : "");
  }

  /// Spec 4 steps 9 to 16 and 10 steps 5 to 11; Volcano 3 steps 7 to 11.
  bool start_due_run() {
    const std::optional<Time> run = due_run();
    if (!run) return false;
    const std::string name = job_name(*object_, *run, in_.profile, in_.quirks);
    const auto& active = status().active;
    if (!is_legacy()) {
      const bool runs = std::any_of(active.begin(), active.end(),
                                    [&](const Reference& one) { return one.name == name && one.ns == ns(); });
      if (runs || status().last_schedule == run) return stop_until_next(Verdict::AlreadyHandled);
    }
    if (spec().policy == ConcurrencyPolicy::Forbid && !active.empty()) {
      if (!is_legacy()) event(EventCode::JobAlreadyActive);
      if (!quirk(Quirk::ForbidPostpones)) change().last_schedule = run;
      return stop_until_next(Verdict::Forbidden);
    }
    if (spec().policy == ConcurrencyPolicy::Replace && !replace()) return false;
    return create(name, *run);
  }

  bool replace() {
    if (status().active.empty()) return true;
    if (is_volcano()) event(EventCode::ReplaceConcurrent);
    ListWalk walk(status().active, is_volcano() && quirk(Quirk::SkippingRemoval));
    for (std::size_t i = 0; i < walk.size(); ++i) {
      const Reference reference = walk.at(i);
      const Reply* reply = ask(ReadJob{reference.ns, reference.name});
      if (reply == nullptr) return false;
      if (reply->code != ReplyCode::Ok) {
        std::string error = error_of(*reply, reference.name);
        event(EventCode::FailedGet, reference.name, error);
        return stop(Verdict::ReplaceFailed, std::move(error));
      }
      const std::string uid = reply->job ? reply->job->uid : reference.uid;
      const std::optional<bool> deleted = delete_job(reference.ns, reference.name, uid);
      if (!deleted) return false;
      if (!*deleted) {
        return stop(Verdict::ReplaceFailed, "could not replace job " + reference.ns + "/" + reference.name);
      }
      out_.replaced.push_back(uid);
      walk.removed(uid);
    }
    return true;
  }

  bool create(const std::string& name, Time run) {
    const Reply* reply = ask(CreateJob{name, run});
    if (reply == nullptr) return false;
    const std::string error = reply->code == ReplyCode::Ok ? std::string() : error_of(*reply, name);
    switch (reply->code) {
      case ReplyCode::Ok: return created(name, run, reply->job);
      case ReplyCode::NamespaceTerminating:
        if (is_volcano()) event(EventCode::NamespaceTerminating, ns());
        return stop(Verdict::CreateFailed, error);
      case ReplyCode::AlreadyExists:
        if (is_legacy() && quirk(Quirk::ExistingJobRefused)) break;
        return meet_existing(name, run);
      case ReplyCode::NotFound:
      case ReplyCode::Conflict:
      case ReplyCode::Other: break;
    }
    event(EventCode::FailedCreate, name, error);
    return stop(Verdict::CreateFailed, error);
  }

  bool created(const std::string& name, Time run, const ChildJobPtr& job) {
    if (is_volcano() && job && !is_own(*job)) {
      if (ask(DeleteJob{ns(), name}) == nullptr) return false;
      return stop(Verdict::CreateFailed, "created job missing owner reference");
    }
    event(EventCode::SuccessfulCreate, name, is_volcano() ? object_->key() : std::string());
    return list_run(job ? *job : ChildJob{.ns = ns(), .name = name}, run, Verdict::Started);
  }

  bool list_run(const ChildJob& job, Time run, Verdict verdict) {
    take_in(job);
    change().last_schedule = run;
    return stop_until_next(verdict);
  }

  /// A job of the run's name is there already (spec 4; Volcano 6.1).
  bool meet_existing(const std::string& name, Time run) {
    const bool nowhere = is_volcano() && quirk(Quirk::ConflictNamespace);
    const Reply* reply = ask(ReadJob{nowhere ? std::string() : ns(), name});
    if (reply == nullptr) return false;
    if (reply->code != ReplyCode::Ok || !reply->job) {
      const std::string error = error_of(*reply, name);
      const bool wrapped = is_volcano() && reply->code != ReplyCode::NotFound;
      return stop(Verdict::ReadFailed, wrapped ? "failed to fetch conflicting job: " + error : error);
    }
    const ChildJobPtr job = reply->job;
    if (!is_own(*job)) {
      if (!is_volcano()) return stop(Verdict::ForeignJob);
      event(EventCode::ForeignJob, name, job->controller ? job->controller->name : "none");
      if (!quirk(Quirk::ForeignJobRepeats)) change().last_schedule = run;
      return stop_until_next(Verdict::ForeignJob);
    }
    const bool listed = has_uid(status().active, job->uid);
    if (is_volcano() && (listed || is_finished(*job))) return stop_until_next(Verdict::JobThereAlready);
    if (listed) return stop(Verdict::JobThereAlready);
    return list_run(*job, run, Verdict::Adopted);
  }

  // -- The controllers.

  /// Writes the status, if there is a change; false if the answer is missing or the write failed, which `error` tells.
  bool write(std::string& error) {
    const bool stale = live_ && quirk(Quirk::StaleCopy) && !is_legacy();
    const Status& result = stale ? own() : status();
    out_.after = result;
    const Reply* reply = ask(WriteStatus{result, (stale ? in_.cronjob : object_)->resource_version});
    if (reply == nullptr) return false;
    if (reply->code != ReplyCode::Ok) {
      error = error_of(*reply, object_->meta->name);
      return false;
    }
    out_.written = true;
    if (is_legacy() && reply->cronjob) {
      live_object_ = reply->cronjob;
      object_ = live_object_.get();
      live_ = object_->status;
    }
    return true;
  }

  void run_v2() {
    if (!clean_up(spec().successful_limit, true) || !clean_up(spec().failed_limit, false)) return;
    (void)inner_v2();
    if (out_.waiting || !dirty_) return;
    std::string error;
    if (write(error) || out_.waiting) return;
    out_.requeue_after.reset();
    out_.error = std::move(error);
  }

  bool inner_v2() {
    if (!look_at_jobs() || !look_for_missing()) return false;
    if (object_->meta->deletion) return stop(Verdict::Deleting);
    if (!read_schedule() || !check_zone()) return false;
    if (spec().suspend) return stop(Verdict::Suspended);
    return check_schedule() && start_due_run();
  }

  /// Spec 4 steps 1 to 3, 10 step 1.
  bool look_at_jobs() {
    for (const ChildJobPtr& job : in_.jobs) {
      const bool in_list = has_uid_near(job->uid);
      if (is_finished(*job)) {
        note_finished(*job, in_list);
      } else if (!in_list && !meet_orphan(*job)) {
        return false;
      }
    }
    return true;
  }

  /// As `has_uid`, beginning behind the place of the last find.
  bool has_uid_near(std::string_view uid) {
    const auto& active = status().active;
    for (std::size_t tried = 0; tried < active.size(); ++tried) {
      if (near_ >= active.size()) near_ = 0;
      if (active[near_++].uid == uid) return true;
    }
    return false;
  }

  bool read_schedule() {
    memo_.read(object_->spec, in_.profile, *in_.zones);
    return true;
  }

  void run_legacy() {
    (void)sync_one();
    if (out_.waiting || (!spec().successful_limit && !spec().failed_limit)) return;
    if (!clean_up(spec().successful_limit, true) || !clean_up(spec().failed_limit, false)) return;
    std::string ignored;
    (void)write(ignored);
  }

  bool sync_one() {
    if (!look_at_jobs() || !look_for_missing()) return false;
    std::string error;
    if (!write(error)) return out_.waiting ? false : stop(Verdict::ReadFailed);
    if (object_->meta->deletion) return stop(Verdict::Deleting);
    if (spec().suspend) return stop(Verdict::Suspended);
    (void)read_schedule();
    if (!check_schedule()) return false;
    (void)start_due_run();
    const bool wants_write = out_.verdict == Verdict::Started || out_.verdict == Verdict::Adopted;
    if (out_.waiting || !wants_write) return false;
    return write(error);
  }

  void run_volcano() {
    if (object_->meta->deletion) {
      out_.verdict = Verdict::Deleting;
      return;
    }
    (void)inner_volcano();
    if (out_.waiting || !dirty_ || (out_.failed() && quirk(Quirk::StatusLostOnError))) return;
    std::string error;
    if (write(error) || out_.waiting) return;
    out_.requeue_after.reset();
    if (!quirk(Quirk::StatusFailureIgnored)) out_.error = std::move(error);
  }

  bool inner_volcano() {
    for (const ChildJobPtr& job : in_.jobs) {
      if (is_finished(*job)) note_finished(*job, has_uid_near(job->uid));
    }
    if (!clean_up(spec().successful_limit, true) || !clean_up(spec().failed_limit, false)) return false;
    for (const ChildJobPtr& job : in_.jobs) {
      if (!is_finished(*job) && !has_uid_near(job->uid) && !meet_orphan(*job)) return false;
    }
    if (!look_for_missing()) return false;
    if (live_ && quirk(Quirk::StaleCopy)) {
      live_.reset();
      object_ = in_.cronjob;
    }
    if (spec().suspend) return stop(Verdict::Suspended);
    return read_schedule() && check_zone() && check_schedule() && start_due_run();
  }

  const SyncInput& in_;
  Server& server_;
  ScheduleMemo& memo_;
  SyncOutput& out_;
  const CronJob* object_;
  CronJobPtr live_object_;
  std::optional<Status> copy_;
  std::optional<Status> live_;
  std::size_t near_ = 0;
  bool dirty_ = false;
};

}  // namespace

void SyncOutput::clear() {
  effects.clear();
  waiting = false;
  verdict = Verdict::NotDue;
  due.reset();
  requeue_after.reset();
  error.clear();
  after.reset();
  written = false;
  replaced.clear();
}

void ScheduleMemo::read(const std::shared_ptr<const Spec>& spec, Profile profile, const cron::ZoneSource& zones) {
  if (spec_ == spec) return;
  *this = {};
  spec_ = spec;
  text_ = spec->schedule;
  if (profile != Profile::Legacy && spec->time_zone) {
    auto zone = cron::load_zone(*spec->time_zone, zones, zone_error_);
    if (zone) {
      zone_ = *std::move(zone);
      text_ = cron::with_time_zone(*spec->time_zone, text_);
    }
  }
  auto schedule = cron::parse_schedule(text_, zones);
  if (schedule) {
    clockwork_.emplace(*std::move(schedule.value));
  } else {
    error_ = std::move(schedule.diagnostics.front().message);
  }
}

void sync(const SyncInput& input, Server& server, SyncOutput& output) {
  output.clear();
  ScheduleMemo memo;
  Sync(input, server, input.memo != nullptr ? *input.memo : memo, output).run();
}

}  // namespace pumice::cronjob
