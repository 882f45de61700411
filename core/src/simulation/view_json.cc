// The state as JSON, for views; the form is written down in report.h.
#include <charconv>

#include "compose.h"
#include "pumice/model/reader.h"
#include "pumice/simulation/report.h"
#include "pumice/volcano/tables.h"
#include "simulation/kube_parts.h"
#include "simulation/words.h"

namespace pumice {

namespace simulation {
namespace {

using namespace volcano;

Json text(std::string_view value) { return std::string(value); }

Json counts_of(const PhaseCounts& counts, std::int32_t terminating) {
  return object_of({{"pending", counts[PodPhase::Pending]},
                    {"running", counts[PodPhase::Running]},
                    {"succeeded", counts[PodPhase::Succeeded]},
                    {"failed", counts[PodPhase::Failed]},
                    {"unknown", counts[PodPhase::Unknown]},
                    {"terminating", terminating}});
}

Json json_of(const StoredPod& stored, const Job& job) {
  const Pod& pod = *stored.pod;
  Json json = object_of({{"name", pod.name},
                         {"short", short_name(pod.name, job.meta.name)},
                         {"task", pod.task_name.value_or("")},
                         {"index", stored.index},
                         {"phase", text(to_string(pod.phase))},
                         {"restarts", pod.restarts()},
                         {"version", pod.job_version.value_or("")},
                         {"outOfSync", pod.out_of_sync},
                         {"deleting", pod.deletion.has_value()},
                         {"ready", pod.phase == PodPhase::Running && pod.all_ready()},
                         {"uid", pod.uid}});
  if (!pod.containers.empty() && pod.containers.front().exit_code) json["exitCode"] = *pod.containers.front().exit_code;
  return json;
}

Json possible_from(const PhaseName& phase) {
  Json possible = Json::array();
  for (const TransitionInfo& transition : transition_table()) {
    if (transition.from == phase.code) possible.push_back(text(to_string(transition.to)));
  }
  return possible;
}

Json tasks_of(const Job& job, const JobInfo* info) {
  Json tasks = Json::array();
  for (std::size_t i = 0; i < job.spec->tasks.size(); ++i) {
    const TaskSpec& task = job.spec->tasks[i];
    Json json = object_of({{"name", task.name}, {"replicas", task.replicas}});
    if (task.min_available) json["minAvailable"] = *task.min_available;
    const bool cached = info != nullptr && i < info->tasks.size();
    json["counts"] =
        counts_of(cached ? info->tasks[i].counts() : PhaseCounts{}, cached ? info->tasks[i].terminating() : 0);
    tasks.push_back(std::move(json));
  }
  return tasks;
}

Json json_of_job(const Simulation& simulation, const std::string& key, const Job& job) {
  const JobStatus& status = job.status;
  Json pods = Json::array();
  const std::vector<const StoredPod*> stored = simulation.cluster().pods_of(key);
  for (const StoredPod* pod : stored) {
    if (pods.size() == kViewPodsMax) break;
    pods.push_back(json_of(*pod, job));
  }
  Json json = object_of({{"key", key},
                         {"name", job.meta.name},
                         {"namespace", job.meta.ns},
                         {"phase", text(status.phase.text())},
                         {"version", status.version},
                         {"retryCount", status.retry_count},
                         {"maxRetry", job.spec->max_retry},
                         {"minAvailable", job.spec->min_available},
                         {"status", status_to_json(status)},
                         {"counts", object_of({{"pending", status.pending},
                                               {"running", status.running},
                                               {"succeeded", status.succeeded},
                                               {"failed", status.failed},
                                               {"unknown", status.unknown},
                                               {"terminating", status.terminating}})},
                         {"podGroup", nullptr},
                         {"tasks", tasks_of(job, simulation.controller().cache().get(key))},
                         {"pods", std::move(pods)},
                         {"podsTotal", stored.size()},
                         {"possible", possible_from(status.phase)}});
  if (job.spec->min_success) json["minSuccess"] = *job.spec->min_success;
  if (const PodGroup* group = simulation.cluster().pod_group_of(key)) {
    json["podGroup"] =
        object_of({{"name", group->name}, {"phase", text(to_string(group->phase))}, {"minMember", group->min_member}});
  }
  return json;
}

Json timers_of(const Simulation& simulation) {
  Json timers = Json::array();
  for (const DelayedActions::Pending& pending : simulation.controller().delayed().pending()) {
    const DelayedAction& action = pending.action;
    timers.push_back(object_of({{"job", action.request.job_key()},
                                {"pod", action.request.pod_name},
                                {"action", text(action.action.text())},
                                {"event", text(action.request.event.text())},
                                {"due", to_rfc3339(action.due)},
                                {"remaining", to_string(action.due - simulation.now())},
                                {"rule", action.rule.path()},
                                {"unseen", pending.unseen}}));
  }
  return timers;
}

std::string upcoming_text(const ClusterAction& action, const Simulation& simulation) {
  const auto pods = static_cast<std::int64_t>(action.pods.size());
  const std::string group = simulation.name_of(action.ns + "/" + group_text(action.pod_group));
  switch (action.kind) {
    case ClusterAction::Kind::AdmitPodGroup: return compose("the scheduler takes PodGroup {} in", group);
    case ClusterAction::Kind::StartPods: return compose("the waiting pods of PodGroup {} run", group);
    case ClusterAction::Kind::RemovePods: return compose("{} {} gone", count_of(pods, "deleted pod"), is_or_are(pods));
    case ClusterAction::Kind::FinishPods:
      return compose("{} {}", count_of(pods, "pod"), pods == 1 ? "succeeds" : "succeed");
    case ClusterAction::Kind::EvictPods:
      return compose("{} {} evicted, as the node is lost", count_of(pods, "pod"), is_or_are(pods));
    case ClusterAction::Kind::CollectJob:
      return compose("the garbage collector takes what job {} has left behind",
                     simulation.name_of(action.ns + "/" + action.job));
  }
  return {};
}

Json upcoming_of(const Simulation& simulation) {
  Json upcoming = Json::array();
  for (const Cluster::Upcoming& next : simulation.cluster().upcoming()) {
    upcoming.push_back(object_of({{"due", to_rfc3339(next.due)},
                                  {"remaining", to_string(next.due - simulation.now())},
                                  {"text", upcoming_text(next.action, simulation)},
                                  {"kind", text(to_string(next.action.kind))}}));
  }
  return upcoming;
}

Json palette_of(const Simulation& simulation) {
  Json palette = Json::array();
  Json entries = Json::array();
  const std::vector<PaletteEntry> all = simulation.palette();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Json json = object_of({{"label", all[i].label}, {"line", to_line(all[i].event)}});
    if (!all[i].disabled.empty()) json["reason"] = all[i].disabled;
    entries.push_back(std::move(json));
    if (i + 1 < all.size() && all[i + 1].group == all[i].group) continue;
    palette.push_back(object_of({{"group", all[i].group}, {"entries", std::move(entries)}}));
    entries = Json::array();
  }
  return palette;
}

}  // namespace
}  // namespace simulation

Json view_json(const Simulation& simulation) {
  using namespace simulation;
  Json jobs = Json::array();
  for (const std::string& key : simulation.jobs()) {
    // Before step 1 the jobs of the manifests do not exist yet.
    const auto job = simulation.cluster().jobs().find(key);
    if (job != simulation.cluster().jobs().end()) jobs.push_back(json_of_job(simulation, key, *job->second));
  }
  Json waiting = Json::array();
  for (const Waiting& wait : simulation.waiting()) {
    waiting.push_back(object_of({{"job", wait.job_key}, {"code", wait.code}, {"text", wait.text}}));
  }
  Json view = object_of({{"now", to_rfc3339(simulation.now())},
                         {"elapsed", to_string(simulation.now() - simulation.options().start)},
                         {"automation", text(to_string(simulation.options().automation))},
                         {"jobs", std::move(jobs)},
                         {"timers", timers_of(simulation)},
                         {"upcoming", upcoming_of(simulation)},
                         {"waiting", std::move(waiting)},
                         {"palette", palette_of(simulation)}});
  add_side_view(simulation, view);
  Json faults = Json::array();
  for (const Standing& fault : standing_faults(simulation))
    faults.push_back(object_of({{"code", fault.code}, {"text", fault.text}}));
  if (!faults.empty()) view["faults"] = std::move(faults);
  add_kube_view(simulation, view);
  return view;
}

}  // namespace pumice
