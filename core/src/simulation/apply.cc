// The user's events, carried out or refused with a reason.
#include <algorithm>

#include "overloaded.h"
#include "pattern.h"
#include "pumice/simulation/simulation.h"
#include "simulation/event_words.h"
#include "simulation/kube_parts.h"
#include "simulation/words.h"
#include "sources.h"

namespace pumice {

using namespace volcano;

namespace {

std::string quoted_list(const std::vector<std::string>& names, std::size_t max) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < max; ++i) text += (i ? ", `" : "`") + names[i] + "`";
  if (names.size() > max) text += " and " + std::to_string(names.size() - max) + " more";
  return text;
}

/// Why this cannot happen to this pod now; empty if it can.
std::string impossible_for(const Pod& pod, const PodEvent& event, const Cluster& cluster) {
  const bool ended = pod.phase == PodPhase::Succeeded || pod.phase == PodPhase::Failed;
  const std::string name = "`" + pod.name + "`";
  if (event.gone) return "";
  if (event.deleted || event.evicted) return pod.deletion ? name + " is being deleted already" : "";
  if (!event.container.empty()) {
    const std::vector<std::string> containers = cluster.containers_of(pod.ns + "/" + pod.name);
    if (std::find(containers.begin(), containers.end(), event.container) == containers.end())
      return name + " has no container `" + event.container + "`; it has " + quoted_list(containers, 6);
  }
  if (event.exit_code && !event.phase)
    return "only pods of batch/v1 Jobs have kubelets that know of this; give a phase for " + name;
  if (!event.reason.empty()) {
    const std::string& held_up = cluster.pods().at(pod.ns + "/" + pod.name).held_up;
    if (pod.phase != PodPhase::Pending)
      return name + " is " + std::string(to_string(pod.phase)) +
             ": only a pod that is Pending can be kept from starting";
    return held_up == event.reason ? name + " is kept from starting by " + held_up + " already" : "";
  }
  if (event.phase) {
    if (*event.phase == pod.phase) return name + " is " + std::string(to_string(pod.phase)) + " already";
    if (ended) return name + " has ended (" + std::string(to_string(pod.phase)) + "): a pod never runs again";
    if (*event.phase == PodPhase::Pending) return name + " runs: a pod does not go back to Pending";
    return "";
  }
  if (ended) return name + " has ended (" + std::string(to_string(pod.phase)) + ")";
  if (event.ready && pod.phase != PodPhase::Running) return name + " does not run, so it is not ready";
  if (event.restarts && *event.restarts < pod.restarts_of(event.container))
    return name + " has " + count_of(pod.restarts_of(event.container), "restart") + " already";
  return "";
}

}  // namespace

/// The names by which people know objects, from their keys.
std::vector<std::string> Simulation::names_of(const std::vector<std::string>& keys) const {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const std::string& key : keys) names.push_back(name_of(key));
  return names;
}

std::string Simulation::no_such_pod(const std::string& pattern) const {
  constexpr std::size_t kKnownMax = 1000;
  std::vector<std::string> known;
  for (const std::string& job : jobs_) {
    if (known.size() >= kKnownMax) break;
    for (const StoredPod* stored : cluster_.pods_of(job)) known.push_back(stored->pod->ns + "/" + stored->pod->name);
  }
  for (const std::string& job : kube_.jobs()) {
    if (known.size() >= kKnownMax) break;
    for (const kubeworld::PodState* pod : kube_.pods_of(job)) known.push_back(pod->key);
  }
  return "there is no pod `" + pattern + "` now; " +
         (known.empty() ? "no pod exists" : "there are " + quoted_list(names_of(known), 6));
}

/// Keys of the pods that a pattern means: `<name>` or `<namespace>/<name>`, the name in full or without that of its
/// job. What is a name in full is not taken for a short one, so that every pod can be named.
std::vector<std::string> Simulation::find_pods(const std::string& pattern, std::string& refused) const {
  const std::size_t slash = pattern.find('/');
  const std::string ns_meant = slash == std::string::npos ? "*" : pattern.substr(0, slash);
  const std::string name = slash == std::string::npos ? pattern : pattern.substr(slash + 1);
  const bool wild = pattern.find('*') != std::string::npos;
  std::vector<std::string> keys;
  if (name.find('*') == std::string::npos) {
    for (const std::string& ns : sources_->namespaces)
      if (matches_pattern(ns_meant, ns) && cluster_.pods().contains(ns + "/" + name)) keys.push_back(ns + "/" + name);
    const bool is_full = !keys.empty();
    for (std::size_t i = 0; i < jobs_.size() && !is_full; ++i) {
      const std::string key = jobs_[i] + "-" + name;
      const auto it = cluster_.pods().find(key);
      if (it == cluster_.pods().end() || it->second.job_key != jobs_[i]) continue;
      if (matches_pattern(ns_meant, it->second.pod->ns)) keys.push_back(key);
    }
  } else {
    for (const std::string& job : jobs_) {
      const std::size_t at = job.find('/');
      if (!matches_pattern(ns_meant, std::string_view(job).substr(0, at))) continue;
      const std::string prefix = job.substr(at + 1) + "-";
      for (const StoredPod* stored : cluster_.pods_of(job)) {
        const std::string& full = stored->pod->name;
        const bool is_meant =
            matches_pattern(name, full) ||
            (full.starts_with(prefix) && matches_pattern(name, std::string_view(full).substr(prefix.size())));
        if (is_meant) keys.push_back(stored->pod->ns + "/" + full);
      }
    }
  }
  if (std::vector<std::string> more = kube_.find_pods(pattern); !more.empty())
    keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  if (!wild && keys.size() > 1) {
    refused = "`" + pattern + "` is ambiguous: " + quoted_list(names_of(keys), 6);
    keys.clear();
  } else if (keys.empty()) {
    refused = no_such_pod(pattern);
  }
  return keys;
}

/// The job an event means; empty and `refused` set if there is none or the choice is open. It is named by its name or
/// by that of its PodGroup, either with or without namespace; where one name could be both, it is the job's.
std::string Simulation::find_job(const std::string& name, std::string& refused, bool or_gone) const {
  std::vector<std::string> found;
  if (name.empty()) {
    found = jobs_;
  } else if (sources_->by_key.contains(name)) {
    found = {name};
  } else if (name.find('/') != std::string::npos && is_made_by_flow(name)) {
    found = {name};
  } else if (const auto same = sources_->by_name.find(name); same != sources_->by_name.end()) {
    found = same->second;
    if (const auto made = made_by_flows_.find(name); made != made_by_flows_.end())
      found.insert(found.end(), made->second.begin(), made->second.end());
  } else if (const auto made = made_by_flows_.find(name); made != made_by_flows_.end()) {
    found = made->second;
  } else {
    const bool has_ns = name.find('/') != std::string::npos;
    for (const std::string& ns : sources_->namespaces) {
      const auto group = cluster_.pod_groups().find(has_ns ? name : ns + "/" + name);
      if (group == cluster_.pod_groups().end() || group->second.owners.empty()) continue;
      found.push_back(group->second.ns + "/" + group->second.owners.front().name);
      if (has_ns) break;
    }
  }
  if (found.size() == 1 && !or_gone && !cluster_.jobs().contains(found.front())) {
    refused = "job `" + name_of(found.front()) + "` does not exist now; the event `create` makes it once more";
    return "";
  }
  if (found.size() == 1) return found.front();
  refused = found.empty() ? "there is no job `" + name + "`; there is " + quoted_list(names_of(jobs_), 6)
                          : "say which job is meant: " + quoted_list(names_of(found), 6);
  return "";
}

std::vector<std::string> Simulation::possible(const PodEvent& event, const std::vector<std::string>& keys,
                                              std::string& refused) const {
  std::vector<std::string> possible;
  std::string first_reason;
  for (const std::string& key : keys) {
    std::string reason = is_kube_pod(key) ? kube_.impossible(key, simulation::pod_change(event))
                                          : impossible_for(*cluster_.pods().at(key).pod, event, cluster_);
    if (reason.empty())
      possible.push_back(key);
    else if (first_reason.empty())
      first_reason = std::move(reason);
  }
  if (!keys.empty() && possible.empty()) refused = first_reason;
  return possible;
}

std::vector<std::string> Simulation::targets(const PodEvent& event, std::string& refused) const {
  return possible(event, find_pods(event.pod, refused), refused);
}

std::string Simulation::target(const PodGroupEvent& event, std::string& refused) const {
  const std::string job = find_job(event.job, refused);
  if (job.empty()) return "";
  const PodGroup* group = cluster_.pod_group_of(job);
  if (!group)
    refused = "the PodGroup of `" + name_of(job) + "` does not exist now";
  else if (group->phase == event.phase)
    refused = "the PodGroup is " + std::string(to_string(event.phase)) + " already";
  else
    return group->ns + "/" + group->name;
  return "";
}

std::string Simulation::target(const CommandEvent& event, std::string& refused) const {
  const std::string job = find_job(event.job, refused);
  if (job.empty() || cluster_.jobs().contains(job)) return job;
  refused = "the job `" + name_of(job) + "` does not exist now";
  return "";
}

bool Simulation::is_made_by_flow(const std::string& key) const {
  const auto made = made_by_flows_.find(key.substr(key.find('/') + 1));
  return made != made_by_flows_.end() && std::find(made->second.begin(), made->second.end(), key) != made->second.end();
}

/// The key of a job that a flow has not made yet, if just one flow has a step for it; else empty.
std::string Simulation::future_job(const std::string& name) const {
  std::string found;
  for (const SimulationSources::Flow& entry : sources_->flows) {
    for (const jobflow::Step& step : entry.flow.spec->steps) {
      const std::string job = jobflow::job_name(entry.flow.meta.name, step.name);
      std::string key = entry.flow.meta.ns + "/" + job;
      if (key != name && job != name) continue;
      if (cluster_.last_job(key) || (!found.empty() && found != key)) return {};
      found = std::move(key);
    }
  }
  return found;
}

void Simulation::carry_out(const PodEvent& event, const std::string& key) {
  if (is_kube_pod(key))
    (void)kube_.change_pod(key, simulation::pod_change(event), now_);
  else if (event.gone)
    cluster_.remove_pod(key);
  else if (event.deleted || event.evicted)
    cluster_.delete_pod(key, now_);
  else if (!event.reason.empty())
    cluster_.hold_up_pod(key, event.reason);
  else if (event.phase)
    cluster_.set_pod_phase(key, *event.phase, event.exit_code, event.container, now_);
  else if (event.restarts)
    cluster_.set_pod_restarts(key, *event.restarts, event.container);
  else if (event.ready)
    cluster_.set_pod_ready(key, *event.ready, event.container);
}

StepRecord Simulation::clock_step(Time target, std::string refused) {
  now_ = std::max(now_, target);
  StepRecord step = begin(StepSource::Clock);
  step.refused = std::move(refused);
  finish(step);
  return step;
}

/// Limits of one event: steps, kept records; and a step that found no end stops everything behind it.
bool Simulation::too_much(const std::vector<StepRecord>& steps) const noexcept {
  if (steps.empty()) return false;
  std::size_t records = 0;
  for (const StepRecord& step : steps) records += step.records.size() + step.kube.records.size();
  return static_cast<std::int64_t>(steps.size()) >= options_.steps_max || records >= kEventRecordsMax ||
         !steps.back().refused.empty();
}

StepRecord Simulation::stopped(std::size_t steps) {
  return clock_step(now_, "stopped after " + count_of(static_cast<std::int64_t>(steps), "step") +
                              "; it may go on like this for ever");
}

std::vector<StepRecord> Simulation::run_until(Time target) {
  std::vector<StepRecord> steps;
  while (next_due() && *next_due() <= target) {
    if (too_much(steps)) {
      steps.push_back(stopped(steps.size()));
      return steps;
    }
    steps.push_back(*next());
  }
  if (now_ < target || steps.empty()) steps.push_back(clock_step(target, ""));
  return steps;
}

std::vector<StepRecord> Simulation::carry_out(const AdvanceEvent& event) {
  if (event.by == AdvanceEvent::By::Duration) {
    if (event.duration.ns < 0) return {clock_step(now_, "time does not run backwards")};
    const Time target = now_ + event.duration;
    if (!is_reachable(target))
      return {
          clock_step(now_, to_string(event.duration) + " from now lies behind " + end_of_time_text(options_.start))};
    return run_until(target);
  }
  if (event.by == AdvanceEvent::By::NextTimer) {
    const auto due = next_delayed();
    return due ? run_until(*due) : std::vector{clock_step(now_, no_timer_next())};
  }
  if (auto step = next()) return {std::move(*step)};
  return {clock_step(now_, nothing_next())};
}

std::vector<StepRecord> Simulation::carry_out(const UntilEvent& event) {
  std::string meant;
  if (!event.job.empty()) {
    std::string refused;
    meant = future_job(event.job);
    if (meant.empty()) meant = find_kube_job(event.job);
    if (meant.empty()) meant = find_job(event.job, refused, true);
    if (meant.empty()) return {clock_step(now_, refused)};
  }
  std::vector<StepRecord> steps;
  const auto reached = [&] {
    switch (event.by) {
      case UntilEvent::By::Settled: return false;
      case UntilEvent::By::Change:
        return !steps.empty() &&
               (simulation::kube_state_changed(steps.back(), meant) ||
                std::any_of(steps.back().changes.begin(), steps.back().changes.end(), [&](const JobChange& change) {
                  return change.phase_before != change.phase_after && (meant.empty() || change.job_key == meant);
                }));
      case UntilEvent::By::State: return simulation::any_kube_job_is(kube_, meant, event.state);
      case UntilEvent::By::Phase:
        // A job that ends and is deleted in one step was in that phase, too.
        return std::any_of(jobs_.begin(), jobs_.end(),
                           [&](const std::string& key) {
                             const JobPtr job = cluster_.last_job(key);
                             return (meant.empty() || key == meant) && job && job->status.phase.code == event.phase;
                           }) ||
               simulation::any_kube_job_is(kube_, meant, to_string(event.phase));
    }
    return false;
  };
  while (!reached()) {
    if (too_much(steps)) {
      steps.push_back(stopped(steps.size()));
      return steps;
    }
    auto step = next();
    if (!step) {
      if (event.by == UntilEvent::By::Phase || event.by == UntilEvent::By::State)
        steps.push_back(clock_step(
            now_, nothing_next() + ", and `" + std::string(simulation::word_of(event)) + "` is not reached"));
      break;
    }
    steps.push_back(std::move(*step));
  }
  if (steps.empty()) steps.push_back(clock_step(now_, event.by == UntilEvent::By::Change ? nothing_next() : ""));
  return steps;
}

std::string Simulation::impossible(const UserEvent& event) const {
  std::string refused;
  if (is_about_kube(event)) return refused;
  if (const auto* pod = std::get_if<PodEvent>(&event.what)) {
    (void)targets(*pod, refused);
  } else if (const auto* group = std::get_if<PodGroupEvent>(&event.what)) {
    (void)target(*group, refused);
  } else if (const auto* command = std::get_if<CommandEvent>(&event.what)) {
    (void)target(*command, refused);
  } else if (const auto* advance = std::get_if<AdvanceEvent>(&event.what)) {
    if (advance->by == AdvanceEvent::By::Next && !next_due()) refused = nothing_next();
    if (advance->by == AdvanceEvent::By::NextTimer && !next_delayed()) refused = no_timer_next();
  } else if (const auto* deleted = std::get_if<DeleteEvent>(&event.what)) {
    (void)target(*deleted, refused);
  } else if (const auto* created = std::get_if<CreateEvent>(&event.what)) {
    (void)target(*created, refused);
  } else if (const auto* edit = std::get_if<EditEvent>(&event.what)) {
    std::string key;
    (void)edited(*edit, key, refused);
  } else if (const auto* queue = std::get_if<QueueEvent>(&event.what)) {
    refused = why_not(*queue);
  } else if (const auto* fault = std::get_if<FaultEvent>(&event.what)) {
    refused = why_not(*fault);
  } else if (!next_due()) {
    refused = nothing_next();
  }
  return refused;
}

/// A timer that is due now does not wait for the clock to move (spec 5, appendix A).
void Simulation::run_due(std::vector<StepRecord>& steps) {
  while (next_timer() && *next_timer() <= now_) {
    if (too_much(steps)) {
      if (steps.back().refused.empty()) steps.push_back(stopped(steps.size()));
      return;
    }
    steps.push_back(*next());
  }
}

StepRecord Simulation::apply_now(const UserEvent& event) {
  StepRecord step = begin(StepSource::User);
  step.event = event;
  if (carry_out_on_kube(event, step.refused)) {
    // done, or refused
  } else if (const auto* pod = std::get_if<PodEvent>(&event.what)) {
    for (const std::string& key : targets(*pod, step.refused)) carry_out(*pod, key);
  } else if (const auto* group = std::get_if<PodGroupEvent>(&event.what)) {
    if (const std::string key = target(*group, step.refused); !key.empty())
      cluster_.set_pod_group_phase(key, group->phase);
  } else if (const auto* command = std::get_if<CommandEvent>(&event.what)) {
    const std::string job = target(*command, step.refused);
    if (!job.empty()) cluster_.create_command(job, ActionName(std::string_view(command->action)));
  } else {
    std::visit(Overloaded{[&](const DeleteEvent& e) { carry_out(e, step.refused); },
                          [&](const CreateEvent& e) { carry_out(e, step.refused); },
                          [&](const EditEvent& e) { carry_out(e, step.refused); },
                          [&](const QueueEvent& e) { carry_out(e, step.refused); },
                          [&](const FaultEvent& e) { carry_out(e, step.refused); }, [](const auto&) {}},
               event.what);
  }
  finish(step);
  return step;
}

std::vector<StepRecord> Simulation::apply(const UserEvent& event) {
  std::vector<StepRecord> steps;
  if (event.at) {
    const Time at = options_.start + *event.at;
    if (at < now_ || !is_reachable(at)) {
      const std::string when = "@" + to_string(*event.at);
      steps.push_back(clock_step(now_, at < now_ ? "the clock is past " + when + " already"
                                                 : when + " lies behind " + end_of_time_text(options_.start)));
      steps.back().event = event;
      return steps;
    }
    if (at > now_) steps = run_until(at);
  }
  const bool moves_time =
      std::holds_alternative<AdvanceEvent>(event.what) || std::holds_alternative<UntilEvent>(event.what);
  if (!moves_time) run_due(steps);
  // The clock did not come to the time of the event.
  if (!steps.empty() && !steps.back().refused.empty()) return steps;
  const auto append = [&steps, &event](std::vector<StepRecord> more) {
    // What only moved the clock, or could not even do that, is told by the event that asked for it.
    for (StepRecord& step : more)
      if (step.source == StepSource::Clock) step.event = event;
    steps.insert(steps.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  if (const auto* advance = std::get_if<AdvanceEvent>(&event.what)) {
    append(carry_out(*advance));
  } else if (const auto* until = std::get_if<UntilEvent>(&event.what)) {
    append(carry_out(*until));
  } else {
    steps.push_back(apply_now(event));
  }
  run_due(steps);
  return steps;
}

}  // namespace pumice
