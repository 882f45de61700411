#include "pumice/cronjob/timeline.h"

#include <algorithm>
#include <array>
#include <deque>

#include "pumice/cronjob/controller.h"
#include "stable_order.h"

namespace pumice::cronjob {
namespace {

constexpr Time kNever{INT64_MAX};

/// What `activeDeadlineSeconds` and its like say; absent if they say nothing usable.
std::optional<Duration> seconds_in(const Json& spec, const char* name) {
  if (!spec.is_object()) return std::nullopt;
  const auto found = spec.find(name);
  if (found == spec.end() || !found->is_number_integer()) return std::nullopt;
  constexpr std::int64_t kMax = INT32_MAX;
  return seconds(std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kMax));
}

class Simulation {
 public:
  Simulation(CronJob cronjob, const std::vector<ChildJobPtr>& jobs, const TimelineOptions& options)
      : options_(options),
        cluster_(options.profile, options.quirks, prepared(std::move(cronjob), options), jobs),
        now_(options.from),
        reached_(std::max(options.from + Duration{-1}, earliest())) {
    take_spec();
    for (const Outage& outage : options.outages) {
      edges_.push_back({outage.from, false});
      edges_.push_back({outage.until, true});
    }
    sort_stably(edges_, [](const Edge& a, const Edge& b) { return a.at < b.at; });
    edits_ = options.edits;
    sort_stably(edits_, [](const Edit& a, const Edit& b) { return a.at < b.at; });
    troubles_ = options.troubles;
    sort_stably(troubles_, [](const Trouble& a, const Trouble& b) { return a.at < b.at; });
    for (const ChildJobPtr& job : cluster_.jobs()) {
      if (job->finish == Finish::Running) plan_end(*job, job->creation.value_or(now_));
    }
  }

  Timeline run() {
    controller_.emplace(options_.profile, options_.quirks, now_, options_.zones);
    while (out_.stopped.empty()) {
      const Time next = next_time();
      if (next > options_.until) break;
      take_slots(next);
      now_ = std::max(now_, next);
      cluster_.now = now_;
      end_jobs();
      edit();
      pass_edges();
      look();
    }
    if (out_.stopped.empty()) take_slots(options_.until);
    for (const Waiting& waiting : waiting_) {
      out_.entries.push_back(
          {waiting.run, options_.until, waiting.other, Outcome::Open, waiting.obstacle, Cause::None});
    }
    out_.cronjob = cluster_.cronjob();
    out_.jobs = cluster_.jobs();
    return std::move(out_);
  }

 private:
  struct Edge {
    Time at;
    bool up;
  };
  struct Ending {
    Time at;
    std::string name;
    std::string uid;
    Time run;
    Finish finish;  ///< Running: the job is removed (its TTL is over)
  };
  struct Waiting {
    Time run;
    Cause obstacle;
    Time other{};
  };

  static CronJobPtr prepared(CronJob cronjob, const TimelineOptions& options) {
    ObjectMeta meta = *cronjob.meta;
    if (meta.creation == Time{}) meta.creation = options.from;
    if (meta.uid.empty()) meta.uid = "cronjob-1";
    cronjob.meta = std::make_shared<const ObjectMeta>(std::move(meta));
    return std::make_shared<const CronJob>(std::move(cronjob));
  }
  [[nodiscard]] const CronJob& object() const { return *cluster_.cronjob(); }
  [[nodiscard]] Time earliest() const { return object().status.last_schedule.value_or(object().meta->creation); }

  void take_spec() {
    const Spec& spec = *object().spec;
    deadline_ = seconds_in(spec.job_spec, "activeDeadlineSeconds");
    ttl_ = seconds_in(spec.job_spec, "ttlSecondsAfterFinished");
    slots_.read(object().spec, options_.profile, options_.zones);
  }

  [[nodiscard]] Time next_time() const {
    Time next = kNever;
    if (controller_) next = controller_->next_deadline().value_or(kNever);
    if (!endings_.empty()) next = std::min(next, endings_.front().at);
    if (edit_ < edits_.size()) next = std::min(next, edits_[edit_].at);
    if (edge_ < edges_.size()) next = std::min(next, edges_[edge_].at);
    return next;
  }

  /// Runs that come due up to `until`; what is in force now stands in their way.
  void take_slots(Time until) {
    Clockwork* clockwork = slots_.clockwork();
    if (clockwork == nullptr) return;
    const Cause cause = !controller_ ? Cause::Outage : object().spec->suspend ? Cause::Suspended : Cause::None;
    for (auto next = clockwork->next(reached_); next && *next <= until; next = clockwork->next(reached_)) {
      reached_ = *next;
      waiting_.push_back({*next, cause});
      if (waiting_.size() + out_.entries.size() <= kEntriesMax) continue;
      out_.stopped = "more than " + std::to_string(kEntriesMax) + " runs";
      return;
    }
  }

  // -- Jobs.

  static bool ends_later(const Ending& a, const Ending& b) { return a.at > b.at; }
  void push(Ending ending) {
    endings_.push_back(std::move(ending));
    std::push_heap(endings_.begin(), endings_.end(), ends_later);
  }

  void plan_end(const ChildJob& job, Time run) {
    JobPlan plan = planned_ < options_.plans.size() ? options_.plans[planned_] : options_.plan;
    ++planned_;
    const bool too_long = deadline_ && options_.profile != Profile::Volcano && *deadline_ < plan.run;
    if (too_long) plan = {*deadline_, Finish::Failed};
    push({job.start.value_or(now_) + plan.run, job.name, job.uid, run, plan.finish});
  }

  void end_jobs() {
    while (!endings_.empty() && endings_.front().at <= now_) {
      std::pop_heap(endings_.begin(), endings_.end(), ends_later);
      const Ending ending = std::move(endings_.back());
      endings_.pop_back();
      end(ending);
    }
  }

  void end(const Ending& ending) {
    const auto& jobs = cluster_.jobs();
    const auto found =
        std::find_if(jobs.begin(), jobs.end(), [&](const ChildJobPtr& job) { return job->uid == ending.uid; });
    if (found == jobs.end()) return;  // deleted in between
    if (ending.finish == Finish::Running) {
      const ChildJobPtr job = *found;
      cluster_.remove(job->ns, job->name);
    } else {
      auto job = std::make_shared<ChildJob>(**found);
      job->finish = ending.finish;
      job->completion = now_;
      cluster_.put(std::move(job));
      if (ttl_) push({now_ + *ttl_, ending.name, ending.uid, ending.run, Finish::Running});
    }
    if (controller_) controller_->observe(now_);
  }

  // -- People and the machine.

  void edit() {
    for (; edit_ < edits_.size() && edits_[edit_].at <= now_; ++edit_) {
      const CronJobPtr before = cluster_.cronjob();
      auto after = std::make_shared<CronJob>(*before);
      after->spec = edits_[edit_].spec;
      const bool other_times =
          before->spec->schedule != after->spec->schedule || before->spec->time_zone != after->spec->time_zone;
      cluster_.set_cronjob(after);
      take_spec();
      if (other_times) recount();
      if (!controller_) continue;
      std::vector<Effect> effects;
      controller_->observe_update(now_, *before, *after, effects);
      note(effects);
    }
  }

  /// A new schedule has its own runs: those between the last one that started and now lie in the past already.
  void recount() {
    waiting_.clear();
    reached_ = std::max(options_.from + Duration{-1}, earliest());
    take_slots(now_);
    for (Waiting& waiting : waiting_) waiting.obstacle = Cause::Edited;
  }

  void pass_edges() {
    for (; edge_ < edges_.size() && edges_[edge_].at <= now_; ++edge_) {
      down_ += edges_[edge_].up ? -1 : 1;
      if (down_ > 0) {
        controller_.reset();
        blame(Cause::Outage);
      }
      if (down_ <= 0) controller_.emplace(options_.profile, options_.quirks, now_, options_.zones);
    }
  }

  // -- The controller.

  void look() {
    constexpr int kLooksAtOnceMax = 1000;
    for (int looks = 0; controller_ && out_.stopped.empty(); ++looks) {
      const auto due = controller_->next_deadline();
      if (!due || *due > now_) return;
      if (looks == kLooksAtOnceMax) {
        out_.stopped = "the controller does not come to rest";
        return;
      }
      look_once();
    }
  }

  void look_once() {
    while (trouble_ < troubles_.size() && troubles_[trouble_].at <= now_) {
      cluster_.failures.push_back(troubles_[trouble_++].failure);
    }
    if (++out_.looks > kLooksMax) {
      out_.stopped = "more than " + std::to_string(kLooksMax) + " looks";
      return;
    }
    // The server replaces these while the controller still looks at them.
    const CronJobPtr cronjob = cluster_.cronjob();
    cache_ = cluster_.jobs();
    SyncInput input;
    input.now = now_;
    input.cronjob = cronjob.get();
    input.jobs = cache_;
    input.other_jobs = cluster_.other_jobs();
    controller_->work(input, cluster_, output_);
    take_verdict();
    note(output_.effects);
    if (cluster_.cronjob_changed || cluster_.jobs_changed) controller_->observe(now_);
    cluster_.cronjob_changed = cluster_.jobs_changed = false;
    if (cluster_.jobs().size() > kJobsMax) {
      out_.stopped = "more than " + std::to_string(kJobsMax) + " jobs at one time";
    }
  }

  void take_verdict() {
    switch (output_.verdict) {
      case Verdict::Started:
      case Verdict::Adopted: return started();
      case Verdict::NotDue:
        if (output_.due && output_.due->by_deadline) drop_until(output_.due->earliest);
        if (output_.due && output_.due->count > 0) blame(Cause::Estimate);
        return;
      case Verdict::AlreadyHandled:
        std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.run == *output_.due->run; });
        return;
      case Verdict::Forbidden: return forbidden();
      case Verdict::TooLate: return drop_until(*output_.due->run);
      case Verdict::Suspended: return blame(Cause::Suspended);
      case Verdict::TooManyMissed: return blame(Cause::TooMany);
      case Verdict::UnknownZone:
      case Verdict::Unparseable:
      case Verdict::NoRunInSight: return blame(Cause::Unreadable);
      case Verdict::ForeignJob:
      case Verdict::JobThereAlready:
      case Verdict::ReadFailed:
      case Verdict::ReplaceFailed:
      case Verdict::CreateFailed: return blame(Cause::Failure);
      case Verdict::Deleting: return;
    }
  }

  /// What nothing else stood in the way of, this does.
  void blame(Cause cause, Time other = {}) {
    for (auto waiting = waiting_.rbegin(); waiting != waiting_.rend() && waiting->obstacle == Cause::None; ++waiting) {
      waiting->obstacle = cause;
      waiting->other = other;
    }
  }

  void lose(const Waiting& waiting, Cause decided, Time newer = {}) {
    const bool wanted = waiting.obstacle == Cause::JobActive || waiting.obstacle == Cause::Suspended;
    const Time other = waiting.obstacle == Cause::JobActive ? waiting.other : newer;
    out_.entries.push_back(
        {waiting.run, now_, other, wanted ? Outcome::Skipped : Outcome::Missed, waiting.obstacle, decided});
  }
  void drop_until(Time last) {
    for (; !waiting_.empty() && waiting_.front().run <= last; waiting_.pop_front()) {
      lose(waiting_.front(), Cause::Deadline);
    }
  }

  /// The run of the oldest entry of the list.
  [[nodiscard]] Time active_run() const {
    const Status& status = object().status;
    if (status.active.empty()) return {};
    const std::string& uid = status.active.front().uid;
    const auto found =
        std::find_if(endings_.begin(), endings_.end(), [&](const Ending& ending) { return ending.uid == uid; });
    return found == endings_.end() ? Time{} : found->run;
  }

  void forbidden() {
    blame(Cause::JobActive, active_run());
    if (options_.quirks.has(Quirk::ForbidPostpones)) return;
    for (const Waiting& waiting : waiting_) lose(waiting, Cause::JobActive);
    waiting_.clear();
  }

  void started() {
    const Time run = *output_.due->run;
    for (; !waiting_.empty() && waiting_.front().run < run; waiting_.pop_front()) {
      lose(waiting_.front(), Cause::NewerRun, run);
    }
    for (const std::string& uid : output_.replaced) {
      const auto found =
          std::find_if(endings_.begin(), endings_.end(), [&](const Ending& ending) { return ending.uid == uid; });
      if (found != endings_.end()) out_.entries.push_back({found->run, now_, run, Outcome::Replaced});
    }
    Waiting waiting{run, run < options_.from ? Cause::BeforeStart : Cause::None};
    if (!waiting_.empty() && waiting_.front().run == run) {
      waiting = waiting_.front();
      waiting_.pop_front();
    }
    const Time other = waiting.obstacle == Cause::JobActive ? waiting.other : Time{};
    out_.entries.push_back({run, now_, other, Outcome::Started, waiting.obstacle});
    reached_ = std::max(reached_, run);
    if (output_.verdict == Verdict::Started) plan_end(*cluster_.jobs().back(), run);
  }

  void note(const std::vector<Effect>& effects) {
    for (const Effect& effect : effects) {
      const auto* emit = std::get_if<EmitEvent>(&effect);
      if (emit == nullptr || out_.notes.size() >= kNotesMax) continue;
      const EventCode code = emit->event.code;
      const bool usual = code == EventCode::SuccessfulCreate || code == EventCode::SuccessfulDelete ||
                         code == EventCode::SawCompletedJob;
      if (usual) continue;
      out_.notes.push_back({now_, emit->event});
    }
  }

  const TimelineOptions& options_;
  Cluster cluster_;
  Time now_;
  Time reached_;                          ///< runs up to here are known
  std::optional<Controller> controller_;  ///< empty while it is down
  ScheduleMemo slots_;
  std::deque<Waiting> waiting_;
  std::vector<Ending> endings_;  ///< a heap
  std::optional<Duration> deadline_;
  std::optional<Duration> ttl_;
  std::size_t planned_ = 0;
  std::vector<Edge> edges_;
  std::size_t edge_ = 0;
  int down_ = 0;
  std::vector<Edit> edits_;
  std::size_t edit_ = 0;
  std::vector<Trouble> troubles_;
  std::size_t trouble_ = 0;
  std::vector<ChildJobPtr> cache_;
  SyncOutput output_;
  Timeline out_;
};

}  // namespace

Timeline simulate(CronJob cronjob, const std::vector<ChildJobPtr>& jobs, const TimelineOptions& options) {
  return Simulation(std::move(cronjob), jobs, options).run();
}

}  // namespace pumice::cronjob
