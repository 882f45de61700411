// Steps: one event, then controller and cluster in turn until both are quiet.
#include <algorithm>
#include <limits>

#include "pumice/simulation/simulation.h"
#include "sources.h"

namespace pumice {

using namespace volcano;

std::string_view to_string(StepSource source) noexcept {
  switch (source) {
    case StepSource::User: return "user";
    case StepSource::Cluster: return "cluster";
    case StepSource::Timer: return "timer";
    case StepSource::Clock: return "clock";
    case StepSource::Fault: return "fault";
  }
  return "";
}

Time Simulation::now() const noexcept { return now_; }
const SimulationOptions& Simulation::options() const noexcept { return options_; }
const Controller& Simulation::controller() const noexcept { return controller_; }
const Cluster& Simulation::cluster() const noexcept { return cluster_; }
const SideControllers& Simulation::side() const noexcept { return side_; }
const std::vector<std::string>& Simulation::jobs() const noexcept { return jobs_; }
bool Simulation::is_in_manifests(const std::string& job_key) const { return sources_->by_key.contains(job_key); }

bool Simulation::has_several_namespaces() const noexcept { return sources_->namespaces.size() > 1; }

std::string Simulation::name_of(const std::string& job_key) const {
  return has_several_namespaces() ? job_key : job_key.substr(job_key.find('/') + 1);
}

bool Simulation::all_ended() const {
  return kube_.all_ended() && std::all_of(cluster_.jobs().begin(), cluster_.jobs().end(), [](const auto& job) {
           const JobPhase phase = job.second->status.phase.code;
           return is_final(phase) || phase == JobPhase::Aborted;
         });
}

bool Simulation::all_succeeded() const {
  const auto& flows = side_.flows();
  const auto& kube_jobs = kube_.jobs();
  const bool kube_succeeded = std::all_of(kube_jobs.begin(), kube_jobs.end(), [this](const std::string& key) {
    const kubejob::JobPtr job = kube_.last_job(key);
    return job && job->status.finished() != nullptr && job->status.finished()->type == "Complete";
  });
  return kube_succeeded &&
         std::all_of(jobs_.begin(), jobs_.end(),
                     [this](const std::string& key) {
                       const JobPtr job = cluster_.last_job(key);
                       return job && job->status.phase.code == JobPhase::Completed;
                     }) &&
         std::all_of(flows.begin(), flows.end(), [](const auto& flow) {
           return jobflow::phase_from(flow.second->status.phase) == jobflow::Phase::Succeed;
         });
}

/// A job that a flow made joins those that events, palette and views are about.
void Simulation::note_job(const Job& job) {
  std::string key = job.key();
  if (sources_->by_key.contains(key)) return;
  std::vector<std::string>& same_name = made_by_flows_[job.meta.name];
  if (std::find(same_name.begin(), same_name.end(), key) != same_name.end()) return;
  same_name.push_back(key);
  jobs_.push_back(std::move(key));
}

StepRecord Simulation::begin(StepSource source) {
  StepRecord step;
  step.index = ++steps_;
  step.time = now_;
  step.elapsed = now_ - options_.start;
  step.source = source;
  return step;
}

/// Nothing but what lies in the API server outlives a crash.
void Simulation::stop_controller(std::optional<Duration> down_for, std::int64_t unanswered) {
  controller_ = Controller(options_.controller);
  wire_.disconnect(down_for ? std::optional(now_ + *down_for) : std::nullopt, unanswered);
}

/// Carries out what the controller asks for, until it asks for nothing more; false if it died of it.
bool Simulation::carry_effects(Output& output) {
  while (!output.effects.empty()) {
    EffectResults results;
    for (const Effect& effect : output.effects) {
      if (effect.id == 0) {
        (void)cluster_.execute(effect, now_);
        continue;
      }
      const Wire::Verdict verdict = wire_.judge(effect);
      EffectResult result;
      if (verdict.carried_out) result = *cluster_.execute(effect, now_);
      if (verdict.code) {
        wire_.note_failure(effect, *verdict.code, verdict.carried_out, {});
        result = {};
        result.code = *verdict.code;
      } else if (result.code == ResultCode::Conflict || !result.message.empty()) {
        wire_.note_failure(effect, result.code, false, result.message);
      }
      result.id = effect.id;
      results.results.push_back(std::move(result));
      if (verdict.carried_out && wire_.count_effect()) {
        stop_controller(wire_.down_for(), static_cast<std::int64_t>(results.results.size()));
        return false;
      }
    }
    output.effects.clear();
    if (controller_.waiting_for_results()) controller_.step({now_, std::move(results)}, output);
  }
  return true;
}

/// Runs until nothing is left to do at this instant. Notifications are delivered before the next request is taken,
/// which is the order of spec appendix B: each write is notified at once.
void Simulation::finish(StepRecord& step) {
  std::map<std::string, JobPtr> touched;  // as each job was before the step; null if it did not exist
  std::map<std::string, std::int32_t> phase_changes;
  std::string endless;
  Output output;
  std::size_t notices = 0;
  const std::map<std::string, jobflow::FlowPtr> flows = side_.flows();
  std::vector<SideRecord> side;
  std::int32_t side_rounds = 0;
  const auto keep_side = [&] {
    step.side_total += static_cast<std::int64_t>(side.size());
    for (SideRecord& record : side) {
      record.before = static_cast<std::int64_t>(step.records.size());
      if (step.side.size() < kStepRecordsMax) step.side.push_back(std::move(record));
    }
    side.clear();
  };
  const auto keep_records = [&] {
    step.records_total += static_cast<std::int64_t>(output.trace.size());
    for (Record& record : output.trace) {
      // Half of the room is for what the controller does: a step may begin with a hundred thousand notifications.
      const bool is_notice = std::holds_alternative<ObserveRecord>(record);
      if (is_notice && ++notices > kStepRecordsMax / 2) continue;
      if (step.records.size() < kStepRecordsMax) step.records.push_back(std::move(record));
    }
    output.trace.clear();
  };
  const auto note = [&](const Observation& notification) {
    if (const auto* added = std::get_if<JobAdded>(&notification)) touched.emplace(added->job->key(), nullptr);
    if (const auto* deleted = std::get_if<JobDeleted>(&notification))
      touched.emplace(deleted->job->key(), deleted->job);
    const auto* updated = std::get_if<JobUpdated>(&notification);
    if (updated == nullptr) return;
    touched.emplace(updated->before->key(), updated->before);
    if (updated->before->status.phase == updated->after->status.phase ||
        ++phase_changes[updated->after->key()] <= kPhaseChangesMax)
      return;
    endless = "the phase of " + name_of(updated->after->key()) +
              " changes for ever without time passing: " + std::string(updated->before->status.phase.text()) + ", " +
              std::string(updated->after->status.phase.text()) + ", …; the step ends here";
  };
  for (;;) {
    while (auto notification = cluster_.take_notification()) {
      note(*notification);
      if (const auto* added = std::get_if<JobAdded>(&*notification)) note_job(*added->job);
      side_.observe(*notification, side);
      keep_side();
      wire_.send(std::move(*notification), now_);
    }
    if (wire_.up_at() && *wire_.up_at() <= now_) wire_.connect(cluster_.list());
    while (auto notification = wire_.take()) {
      controller_.step({now_, std::move(*notification)}, output);
      keep_records();
    }
    if (!endless.empty()) break;
    if (!controller_.has_work()) {
      // The other controllers take turns with it; it comes first wherever both have something to do.
      if (!side_.has_work()) break;
      side_.work(cluster_, now_, side);
      keep_side();
      if (++side_rounds > kSideRoundsMax)
        endless = "jobs are created and deleted for ever without time passing; the step ends here";
      continue;
    }
    controller_.step({now_, Work{}}, output);
    if (!carry_effects(output)) output.effects.clear();
    keep_records();
  }
  if (!endless.empty()) step.refused = endless;
  cluster_.settle(now_);
  if (!kube_.jobs().empty()) kube_.run(now_, step.kube);
  if (step.refused.empty()) step.refused = step.kube.endless;

  step.faults = wire_.take_log();

  for (const auto& [key, before] : touched) {
    const JobPtr job = cluster_.last_job(key);
    const JobStatus was = before ? before->status : JobStatus{};
    const JobStatus& is = job->status;
    const bool gone = !cluster_.jobs().contains(key);
    if (before && was == is && !gone) continue;
    step.changes.push_back({key, was.phase, is.phase, was.retry_count, is.retry_count, was.version, is.version, gone});
  }
  for (const auto& [key, flow] : side_.flows()) {
    const auto before = flows.find(key);
    std::string was = before == flows.end() ? std::string() : before->second->status.phase;
    if (was != flow->status.phase) step.flows.push_back({key, std::move(was), flow->status.phase});
  }
}

StepRecord Simulation::start() {
  StepRecord step = begin(StepSource::User);
  for (const auto& [name, queue] : sources_->queues) cluster_.set_queue(name, queue);
  for (const auto& [name, value] : sources_->priority_classes) cluster_.create_priority_class(name, value);
  for (const auto& [ns, pods] : sources_->quotas) cluster_.set_quota(ns, pods);
  for (const SimulationSources::Entry& entry : sources_->jobs) cluster_.submit_job(entry.job, now_);
  for (const SimulationSources::Template& entry : sources_->templates) side_.create(entry.made, now_);
  for (const SimulationSources::Flow& entry : sources_->flows) side_.create(entry.flow, now_);
  for (const SimulationSources::KubeJob& entry : sources_->kube_jobs) (void)kube_.create_job(entry.job, now_);
  side_.deliver(step.side);
  step.side_total = static_cast<std::int64_t>(step.side.size());
  finish(step);
  return step;
}

Time end_of_time(Time start) noexcept { return start + Duration{std::numeric_limits<std::int64_t>::max()}; }

std::string end_of_time_text(Time start) {
  const Time end = end_of_time(start);
  const Time whole{end.ns - (end.ns % kSecond.ns + kSecond.ns) % kSecond.ns};
  return "the end of time that can be simulated, " + to_rfc3339(whole);
}

std::optional<Time> Simulation::next_timer() const noexcept {
  const auto deadline = controller_.next_deadline();
  return deadline && is_reachable(*deadline) ? deadline : std::nullopt;
}

std::optional<Time> Simulation::next_due() const noexcept {
  std::optional<Time> next = cluster_.next_due();
  for (const auto& due : {wire_.next_due(), next_timer(), side_.next_deadline(), kube_.next_due()})
    if (due && (!next || *due < *next)) next = due;
  return next && is_reachable(*next) ? next : std::nullopt;
}

bool Simulation::ends_with_time() const noexcept {
  return !next_due() && (cluster_.next_due() || wire_.next_due() || controller_.next_deadline() ||
                         side_.next_deadline() || kube_.next_due());
}

std::string Simulation::nothing_next() const {
  if (!ends_with_time()) return "nothing more happens by itself";
  return "what comes next lies behind " + end_of_time_text(options_.start);
}

/// The delayed action, or what a controller of batch/v1 Jobs waits for, that comes first.
std::optional<Time> Simulation::next_delayed() const {
  const auto volcano = next_timer();
  const auto kube = kube_.next_timer();
  if (!kube || !is_reachable(*kube)) return volcano;
  return volcano ? std::min(*volcano, *kube) : kube;
}

std::string Simulation::no_timer_next() const {
  if (!controller_.next_deadline() && !kube_.next_timer()) return "no delayed action is pending";
  return "the next delayed action is due behind " + end_of_time_text(options_.start);
}

/// At the same instant the cluster acts before faults end, and these before the controller's timers: one fixed order
/// of those possible.
std::optional<StepRecord> Simulation::next() {
  const auto due = next_due();
  if (!due) return std::nullopt;
  now_ = std::max(now_, *due);
  const auto cluster_due = cluster_.next_due();
  if (cluster_due && *cluster_due <= now_) {
    StepRecord step = begin(StepSource::Cluster);
    step.action = cluster_.act(now_);
    finish(step);
    return step;
  }
  if (const auto action = kube_.next_action(); action && *action <= now_) {
    StepRecord step = begin(StepSource::Cluster);
    step.kube_action = kube_.act(now_);
    finish(step);
    return step;
  }
  if (wire_.next_due() && *wire_.next_due() <= now_) {
    StepRecord step = begin(StepSource::Fault);
    wire_.end_due(now_);
    finish(step);
    return step;
  }
  StepRecord step = begin(StepSource::Timer);
  if (const auto timer = next_timer(); !timer || *timer > now_) {
    side_.advance(now_);
    finish(step);
    return step;
  }
  Output output;
  controller_.step({now_, Tick{}}, output);
  finish(step);
  return step;
}

}  // namespace pumice
