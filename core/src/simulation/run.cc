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
  }
  return "";
}

Time Simulation::now() const noexcept { return now_; }
const SimulationOptions& Simulation::options() const noexcept { return options_; }
const Controller& Simulation::controller() const noexcept { return controller_; }
const Cluster& Simulation::cluster() const noexcept { return cluster_; }
const std::vector<std::string>& Simulation::jobs() const noexcept { return jobs_; }

bool Simulation::has_several_namespaces() const noexcept { return sources_->namespaces.size() > 1; }

std::string Simulation::name_of(const std::string& job_key) const {
  return has_several_namespaces() ? job_key : job_key.substr(job_key.find('/') + 1);
}

bool Simulation::all_ended() const {
  return std::all_of(cluster_.jobs().begin(), cluster_.jobs().end(), [](const auto& job) {
    const JobPhase phase = job.second->status.phase.code;
    return is_final(phase) || phase == JobPhase::Aborted;
  });
}

StepRecord Simulation::begin(StepSource source) {
  StepRecord step;
  step.index = ++steps_;
  step.time = now_;
  step.elapsed = now_ - options_.start;
  step.source = source;
  return step;
}

/// Runs until nothing is left to do at this instant. Notifications are delivered before the next request is taken,
/// which is the order of spec appendix B: each write is notified at once.
void Simulation::finish(StepRecord& step) {
  std::map<std::string, JobPtr> touched;  // as each job was before the step; null if it did not exist
  std::map<std::string, std::int32_t> phase_changes;
  std::string endless;
  Output output;
  std::size_t notices = 0;
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
  for (;;) {
    while (auto notification = cluster_.take_notification()) {
      if (const auto* added = std::get_if<JobAdded>(&*notification)) touched.emplace(added->job->key(), nullptr);
      const auto* updated = std::get_if<JobUpdated>(&*notification);
      if (updated) touched.emplace(updated->before->key(), updated->before);
      if (updated && updated->before->status.phase != updated->after->status.phase &&
          ++phase_changes[updated->after->key()] > kPhaseChangesMax) {
        endless = "the phase of " + name_of(updated->after->key()) +
                  " changes for ever without time passing: " + std::string(updated->before->status.phase.text()) +
                  ", " + std::string(updated->after->status.phase.text()) + ", …; the step ends here";
      }
      controller_.step({now_, std::move(*notification)}, output);
      keep_records();
    }
    if (!controller_.has_work() || !endless.empty()) break;
    controller_.step({now_, Work{}}, output);
    while (!output.effects.empty()) {
      EffectResults results;
      for (const Effect& effect : output.effects)
        if (auto result = cluster_.execute(effect, now_)) results.results.push_back(std::move(*result));
      output.effects.clear();
      if (controller_.waiting_for_results()) controller_.step({now_, std::move(results)}, output);
    }
    keep_records();
  }
  if (!endless.empty()) step.refused = endless;
  cluster_.settle(now_);

  for (const auto& [key, before] : touched) {
    const JobStatus was = before ? before->status : JobStatus{};
    const JobStatus& is = cluster_.jobs().at(key)->status;
    if (before && was == is) continue;
    step.changes.push_back({key, was.phase, is.phase, was.retry_count, is.retry_count, was.version, is.version});
  }
}

StepRecord Simulation::start() {
  StepRecord step = begin(StepSource::User);
  for (const SimulationSources::Entry& entry : sources_->jobs) {
    cluster_.create_queue(entry.job.spec->queue);
    for (const VolumeSpec& volume : entry.job.spec->volumes)
      if (!volume.volume_claim_name.empty())
        cluster_.create_object({{ObjectType::PersistentVolumeClaim, entry.job.meta.ns, volume.volume_claim_name}, {}});
    cluster_.create_job(entry.job, now_);
  }
  finish(step);
  return step;
}

Time end_of_time(Time start) noexcept { return start + Duration{std::numeric_limits<std::int64_t>::max()}; }

std::string end_of_time_text(Time start) {
  return "the end of time that can be simulated, " + to_rfc3339(whole_seconds(end_of_time(start)));
}

std::optional<Time> Simulation::next_timer() const noexcept {
  const auto deadline = controller_.next_deadline();
  return deadline && is_reachable(*deadline) ? deadline : std::nullopt;
}

std::optional<Time> Simulation::next_due() const noexcept {
  std::optional<Time> next = cluster_.next_due();
  const auto deadline = next_timer();
  if (deadline && (!next || *deadline < *next)) next = deadline;
  return next && is_reachable(*next) ? next : std::nullopt;
}

bool Simulation::ends_with_time() const noexcept {
  return !next_due() && (cluster_.next_due() || controller_.next_deadline());
}

std::string Simulation::nothing_next() const {
  if (!ends_with_time()) return "nothing more happens by itself";
  return "what comes next lies behind " + end_of_time_text(options_.start);
}

std::string Simulation::no_timer_next() const {
  if (!controller_.next_deadline()) return "no delayed action is pending";
  return "the next delayed action is due behind " + end_of_time_text(options_.start);
}

/// At the same instant the cluster acts before the controller's timers: one fixed order of the two possible.
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
  StepRecord step = begin(StepSource::Timer);
  Output output;
  controller_.step({now_, Tick{}}, output);
  finish(step);
  return step;
}

}  // namespace pumice
