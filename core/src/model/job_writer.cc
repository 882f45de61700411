// Jobs in the form of the API. Members at their zero value are left out, as Kubernetes' own encoder does.
#include "pumice/model/reader.h"

namespace pumice {

Json time_json(Time time) { return to_rfc3339(whole_seconds(time)); }

namespace {

void put(Json& out, const char* name, std::string_view text) {
  if (!text.empty()) out[name] = text;
}
void put(Json& out, const char* name, std::int32_t number) {
  if (number != 0) out[name] = number;
}
void put(Json& out, const char* name, const std::optional<std::int32_t>& number) {
  if (number) out[name] = *number;
}
void put(Json& out, const char* name, const std::optional<Time>& time) {
  if (time) out[name] = time_json(*time);
}
void put(Json& out, const char* name, const std::optional<Duration>& duration) {
  if (duration) out[name] = to_string(*duration);
}
void put(Json& out, const char* name, const StringMap& map) {
  if (!map.empty()) out[name] = map;
}
/// A part that is absent when it is null.
void put_json(Json& out, const char* name, Json value) {
  if (!value.is_null()) out[name] = std::move(value);
}

Json to_json(const OwnerReference& owner);
Json to_json(const VolumeSpec& volume);
Json to_json(const TaskSpec& task);
Json to_json(const JobCondition& condition);
Json to_json(const PodGroupCondition& condition);

template <class List>
void put_list(Json& out, const char* name, const List& list) {
  if (list.empty()) return;
  Json& items = out[name] = Json::array();
  for (const auto& item : list) items.push_back(to_json(item));
}

Json to_json(const OwnerReference& owner) {
  Json out =
      object_of({{"apiVersion", owner.api_version}, {"kind", owner.kind}, {"name", owner.name}, {"uid", owner.uid}});
  if (owner.controller) out["controller"] = true;
  return out;
}

Json to_json(const PodGroupCondition& condition) {
  Json out = object_of({{"type", condition.type}, {"status", condition.is_true ? "True" : "False"}});
  put(out, "lastTransitionTime", condition.last_transition);
  put(out, "reason", condition.reason);
  put(out, "message", condition.message);
  return out;
}

Json to_json(const VolumeSpec& volume) {
  Json out = object_of({{"mountPath", volume.mount_path}});
  put(out, "volumeClaimName", volume.volume_claim_name);
  put_json(out, "volumeClaim", volume.volume_claim);
  return out;
}

Json to_json(const PartitionPolicy& policy) {
  Json out = object_of({{"totalPartitions", policy.total_partitions}, {"partitionSize", policy.partition_size}});
  put(out, "minPartitions", policy.min_partitions);
  put_json(out, "networkTopology", policy.network_topology);
  return out;
}

Json to_json(const DependsOn& depends_on) {
  Json out = Json::object();
  if (!depends_on.names.empty()) out["name"] = depends_on.names;
  put(out, "iteration", depends_on.iteration);
  return out;
}

Json to_json(const TaskSpec& task) {
  Json out = Json::object();
  put(out, "name", task.name);
  put(out, "replicas", task.replicas);
  put(out, "minAvailable", task.min_available);
  put_json(out, "template", task.pod_template);
  put_list(out, "policies", task.policies);
  put(out, "topologyPolicy", task.topology_policy);
  put(out, "maxRetry", task.max_retry);
  if (task.depends_on) out["dependsOn"] = to_json(*task.depends_on);
  if (task.partition_policy) out["partitionPolicy"] = to_json(*task.partition_policy);
  return out;
}

Json to_json(const JobCondition& condition) {
  Json out = object_of({{"status", condition.status.text()}});
  put(out, "lastTransitionTime", condition.last_transition);
  return out;
}

Json to_json(const PhaseCounts& counts) {
  Json phases = Json::object();
  for (const PodPhase phase : kPodPhases) {
    if (counts[phase] != 0) phases[std::string(to_string(phase))] = counts[phase];
  }
  Json out = Json::object();
  if (!phases.empty()) out["phase"] = std::move(phases);
  return out;
}

}  // namespace

Json to_json(const LifecyclePolicy& policy) {
  Json out = Json::object();
  put(out, "action", policy.action.text());
  put(out, "event", policy.event.text());
  if (!policy.events.empty()) {
    Json& events = out["events"] = Json::array();
    for (const volcano::EventName& event : policy.events) events.push_back(event.text());
  }
  put(out, "exitCode", policy.exit_code);
  put(out, "timeout", policy.timeout);
  return out;
}

Json to_json(const JobSpec& spec) {
  Json out = Json::object();
  put(out, "schedulerName", spec.scheduler_name);
  put(out, "minAvailable", spec.min_available);
  put_list(out, "volumes", spec.volumes);
  put_list(out, "tasks", spec.tasks);
  put_list(out, "policies", spec.policies);
  if (!spec.plugins.empty()) out["plugins"] = spec.plugins;
  put(out, "runningEstimate", spec.running_estimate);
  put(out, "queue", spec.queue);
  put(out, "maxRetry", spec.max_retry);
  put(out, "ttlSecondsAfterFinished", spec.ttl_seconds_after_finished);
  put(out, "priorityClassName", spec.priority_class_name);
  put(out, "minSuccess", spec.min_success);
  put_json(out, "networkTopology", spec.network_topology);
  return out;
}

Json to_json(const ObjectMeta& meta) {
  Json out = Json::object();
  put(out, "namespace", meta.ns);
  put(out, "name", meta.name);
  put(out, "uid", meta.uid);
  if (meta.resource_version != 0) out["resourceVersion"] = std::to_string(meta.resource_version);
  if (meta.creation != Time{}) out["creationTimestamp"] = time_json(meta.creation);
  put(out, "deletionTimestamp", meta.deletion);
  put(out, "labels", meta.labels);
  put(out, "annotations", meta.annotations);
  put_list(out, "ownerReferences", meta.owners);
  return out;
}

Json status_to_json(const JobStatus& status) {
  Json state = Json::object();
  put(state, "phase", status.phase.text());
  put(state, "reason", status.reason);
  put(state, "message", status.message);
  put(state, "lastTransitionTime", status.last_transition);

  Json out = Json::object();
  if (!state.empty()) out["state"] = std::move(state);
  put(out, "minAvailable", status.min_available);
  if (!status.task_counts.empty()) {
    Json& tasks = out["taskStatusCount"] = Json::object();
    for (const auto& [task, counts] : status.task_counts) tasks[task] = to_json(counts);
  }
  put(out, "pending", status.pending);
  put(out, "running", status.running);
  put(out, "succeeded", status.succeeded);
  put(out, "failed", status.failed);
  put(out, "unknown", status.unknown);
  put(out, "terminating", status.terminating);
  put(out, "version", status.version);
  put(out, "retryCount", status.retry_count);
  put(out, "runningDuration", status.running_duration);
  put(out, "controlledResources", status.controlled_resources);
  put_list(out, "conditions", status.conditions);
  return out;
}

Json to_json(const Job& job) {
  Json out = object_of({{"apiVersion", "batch.volcano.sh/v1alpha1"}, {"kind", "Job"}});
  out["metadata"] = to_json(job.meta);
  out["spec"] = to_json(*job.spec);
  if (Json status = status_to_json(job.status); !status.empty()) out["status"] = std::move(status);
  return out;
}

Json to_json(const PodGroup& group) {
  ObjectMeta meta;
  meta.ns = group.ns;
  meta.name = group.name;
  meta.resource_version = group.resource_version;
  meta.labels = group.labels;
  meta.annotations = group.annotations;
  meta.owners = group.owners;
  Json spec = Json::object();
  put(spec, "minMember", group.min_member);
  if (!group.min_task_member.empty()) spec["minTaskMember"] = group.min_task_member.get();
  put(spec, "queue", group.queue);
  put(spec, "priorityClassName", group.priority_class_name);
  put_json(spec, "minResources", *group.min_resources);
  put_json(spec, "networkTopology", *group.network_topology);
  if (!(*group.sub_groups).empty()) spec["subGroupPolicy"] = *group.sub_groups;
  Json status = Json::object();
  put(status, "phase", to_string(group.phase));
  put_list(status, "conditions", group.conditions);
  Json out = object_of({{"apiVersion", "scheduling.volcano.sh/v1beta1"}, {"kind", "PodGroup"}});
  out["metadata"] = to_json(meta);
  for (std::size_t i = 0; i < group.owners.size(); ++i)  // the controller's own references all say so
    if (group.owners[i].controller) out["metadata"]["ownerReferences"][i]["blockOwnerDeletion"] = true;
  out["spec"] = std::move(spec);
  if (!status.empty()) out["status"] = std::move(status);
  return out;
}

}  // namespace pumice
