// A job and its pods as JSON, for views.
#include <algorithm>
#include <utility>

#include "compose.h"
#include "kubeworld/kube_names.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubeworld/report.h"

namespace pumice::kubeworld {

namespace {

Json text(std::string_view value) { return std::string(value); }

Json runs_json(const Intervals& set) {
  Json runs = Json::array();
  for (const auto& [first, last] : set.runs()) {
    if (runs.size() >= kRunsMax) break;
    runs.push_back(Json::array({first, last}));
  }
  return runs;
}

Json container_json(const PodRun& run, std::size_t i, Time now) {
  const ContainerRun& container = run.containers[i];
  Json json = object_of({{"name", run.plan->containers[i].name},
                         {"kind", text(to_string(run.plan->containers[i].kind))},
                         {"state", text(to_string(container.state))},
                         {"restarts", container.restarts}});
  if (std::string reason = waiting_reason(run, i); !reason.empty()) json["reason"] = std::move(reason);
  if (container.has_ended) json["exitCode"] = container.exit_code;
  if (container.due) {
    json["due"] = to_rfc3339(*container.due);
    json["remaining"] = to_string(*container.due - now);
  }
  return json;
}

Json pod_json(const World& world, const PodState& state, const Job& job, Time now) {
  const PodPtr object = world.object_of(state);
  const std::string name = state.key.substr(state.key.find('/') + 1);
  const std::string prefix = job.meta.name + "-";
  std::int32_t restarts = 0;
  Json containers = Json::array();
  for (std::size_t i = 0; i < state.run.containers.size(); ++i) {
    restarts += state.run.containers[i].restarts;
    containers.push_back(container_json(state.run, i, now));
  }
  Json json = object_of({{"name", name},
                         {"short", name.starts_with(prefix) ? name.substr(prefix.size()) : name},
                         {"ordinal", state.ordinal},
                         {"phase", text(to_string(phase_of(state.run)))},
                         {"restarts", restarts},
                         {"deleting", object && object->meta.deletion.has_value()},
                         {"ready", is_ready(state.run)},
                         {"uid", state.uid},
                         {"containers", std::move(containers)}});
  if (object) {
    json["tracked"] = object->is_tracked();
    if (const std::int32_t index = completion_index(*object); index != kUnknownIndex) json["index"] = index;
    for (const ContainerStatus& container : object->containers) {
      if (!container.terminated) continue;
      if (!json.contains("exitCode") || container.exit_code != 0) json["exitCode"] = container.exit_code;
    }
    for (const PodCondition& condition : object->conditions)
      if (condition.type != "Ready" && condition.status == "True" && condition.type != "PodScheduled")
        json["conditions"].push_back(condition.type);
  }
  if (!state.run.reason.empty()) json["reason"] = state.run.reason;
  return json;
}

Json pods_json(const World& world, const std::vector<const PodState*>& pods, const Job& job, Time now) {
  std::vector<const PodState*> shown;
  for (const bool ended : {false, true}) {
    for (auto it = pods.rbegin(); it != pods.rend() && shown.size() < kPodsShown; ++it)
      if (is_ended(phase_of((*it)->run)) == ended) shown.push_back(*it);
  }
  std::sort(shown.begin(), shown.end(), [](const PodState* a, const PodState* b) { return a->ordinal < b->ordinal; });
  Json list = Json::array();
  for (const PodState* state : shown) list.push_back(pod_json(world, *state, job, now));
  return list;
}

Json conditions_json(const JobStatus& status) {
  Json list = Json::array();
  for (const Condition& condition : status.conditions) {
    Json item = object_of({{"type", condition.type},
                           {"status", condition.status},
                           {"reason", condition.reason},
                           {"message", condition.message}});
    if (condition.last_transition) item["since"] = to_rfc3339(*condition.last_transition);
    list.push_back(std::move(item));
  }
  return list;
}

Json indexes_json(const World& world, const Job& job) {
  const std::int32_t completions = job.spec->completions.value_or(0);
  const Intervals completed = Intervals::parse(job.status.completed_indexes, completions);
  const Intervals failed = Intervals::parse(job.status.failed_indexes.value_or(""), completions);
  const JobPods* pods = world.controller().pods_of(job.meta.uid);
  const Intervals active = pods == nullptr ? Intervals() : pods->sets().active_indexes;
  return object_of({{"completed", job.status.completed_indexes},
                    {"failed", job.status.failed_indexes.value_or("")},
                    {"completedRuns", runs_json(completed)},
                    {"failedRuns", runs_json(failed)},
                    {"activeRuns", runs_json(active)},
                    {"completedCount", completed.total()},
                    {"failedCount", failed.total()},
                    {"activeCount", active.total()},
                    {"total", completions}});
}

Json backoff_json(const World& world, const std::string& key, Time now) {
  Json json = object_of({{"failures", 0}});
  if (const BackoffRecord* record = world.controller().backoff(key)) {
    json["failures"] = record->failures;
    if (record->last_failure) json["lastFailure"] = to_rfc3339(*record->last_failure);
  }
  if (const auto retry = world.next_retry(key, now)) {
    json["nextRetry"] = to_rfc3339(*retry);
    json["remaining"] = to_string(*retry - now);
  }
  return json;
}

Json budget_json(const World& world, const std::string& key, const Job& job) {
  const std::int64_t limit = job.spec->backoff_limit.value_or(0);
  const SyncRecord* last = world.last_sync(key);
  const std::int64_t counted = last != nullptr && job.status.finished() == nullptr
                                   ? std::max<std::int64_t>(last->budget.failures, job.status.failed)
                                   : job.status.failed;
  std::int64_t left = std::max<std::int64_t>(limit - counted, 0);
  Json json = object_of({{"counted", counted}, {"limit", limit}, {"left", left}});
  if (last != nullptr && last->budget.counts_restarts) {
    json["restarts"] = last->budget.restarts;
    json["left"] = std::min(left, last->budget.retries_left);
  }
  if (job.spec->backoff_limit_per_index) json["perIndex"] = *job.spec->backoff_limit_per_index;
  if (job.spec->max_failed_indexes) json["maxFailedIndexes"] = *job.spec->max_failed_indexes;
  return json;
}

}  // namespace

Json job_json(const World& world, const std::string& key, Time now) {
  const JobPtr job = world.last_job(key);
  if (!job) return nullptr;
  const JobSpec& spec = *job->spec;
  const JobStatus& status = job->status;
  const bool exists = world.job(key) != nullptr;
  const std::string state = exists ? std::string(state_of(job.get())) : "Deleted";
  const UncountedPods uncounted = status.uncounted.value_or(UncountedPods{});
  Json possible = Json::array();
  for (const StateChange& change : state_changes())
    if (change.from == state) possible.push_back(text(change.to));
  const std::vector<const PodState*> pods = world.pods_of(key);
  Json wanted = object_of({{"parallelism", spec.parallelism.value_or(1)}});
  if (spec.completions) wanted["completions"] = *spec.completions;
  Json json = object_of({{"key", key},
                         {"name", job->meta.name},
                         {"namespace", job->meta.ns},
                         {"apiVersion", text(kApiVersion)},
                         {"phase", state},
                         {"conditions", conditions_json(status)},
                         {"counts", object_of({{"active", status.active},
                                               {"ready", status.ready.value_or(0)},
                                               {"terminating", status.terminating.value_or(0)},
                                               {"succeeded", status.succeeded},
                                               {"failed", status.failed},
                                               {"uncountedSucceeded", uncounted.succeeded.size()},
                                               {"uncountedFailed", uncounted.failed.size()}})},
                         {"wanted", std::move(wanted)},
                         {"indexed", spec.is_indexed()},
                         {"suspended", spec.is_suspended()},
                         {"backoff", backoff_json(world, key, now)},
                         {"budget", budget_json(world, key, *job)},
                         {"status", to_json(status)},
                         {"pods", pods_json(world, pods, *job, now)},
                         {"podsTotal", pods.size()},
                         {"possible", std::move(possible)}});
  if (spec.managed_by) json["managedBy"] = *spec.managed_by;
  if (spec.is_indexed()) json["indexes"] = indexes_json(world, *job);
  if (status.start_time) json["startTime"] = to_rfc3339(*status.start_time);
  if (status.completion_time) json["completionTime"] = to_rfc3339(*status.completion_time);
  if (spec.active_deadline_seconds && status.start_time && status.finished() == nullptr)
    json["deadline"] = to_rfc3339(*status.start_time + active_deadline(spec));
  if (spec.ttl_seconds_after_finished) {
    if (const auto since = kubejob::finish_time(*job))
      json["ttl"] = to_rfc3339(*since + seconds(*spec.ttl_seconds_after_finished));
  }
  return json;
}

}  // namespace pumice::kubeworld
