#include "pumice/volcano/pod_object.h"

#include <set>

#include "json_parts.h"
#include "pumice/model/reader.h"
#include "pumice/volcano/plugins.h"

namespace pumice::volcano {
namespace {

constexpr const char* kOutOfSync = "volcano.sh/controller-out-of-sync";
constexpr const char* kForwarding = "volcano.sh/job-forwarding";

void copy(const StringMap& from, std::initializer_list<const char*> keys, Json& to) {
  for (const char* key : keys)
    if (const auto found = from.find(key); found != from.end()) to[key] = found->second;
}

Json copied_map(const Json& metadata, const char* name) {
  const Json& map = member_of(metadata, name);
  return map.is_object() ? map : Json::object();
}

Json annotations_of(const PodOrigin& origin, const TaskSpec& task, std::int32_t index) {
  const Job& job = *origin.job;
  Json out = copied_map(member_of(task.pod_template, "metadata"), "annotations");
  out["volcano.sh/task-index"] = std::to_string(index);
  out["volcano.sh/task-spec"] = task.name.empty() ? "default" : task.name;
  out["scheduling.k8s.io/group-name"] = job.meta.name + "-" + job.meta.uid;
  out["volcano.sh/job-name"] = job.meta.name;
  out["volcano.sh/queue-name"] = job.spec->queue;
  out["volcano.sh/job-version"] = std::to_string(origin.version);
  out["volcano.sh/template-uid"] = job.meta.name + "-" + task.name;
  out["volcano.sh/job-retry-count"] = std::to_string(origin.retry_count);
  if (!task.topology_policy.empty()) out["volcano.sh/numa-topology-policy"] = task.topology_policy;
  copy(job.meta.annotations, {"volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone"}, out);
  for (const char* key : {"volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"}) {
    copy(job.meta.annotations, {key}, out);
    if (job.meta.annotations.contains(key)) break;
  }
  if (origin.forwarding) out[kForwarding] = "true";
  return out;
}

Json labels_of(const PodOrigin& origin, const TaskSpec& task, std::int32_t index) {
  const Job& job = *origin.job;
  Json out = copied_map(member_of(task.pod_template, "metadata"), "labels");
  out["volcano.sh/task-index"] = std::to_string(index);
  out["volcano.sh/job-name"] = job.meta.name;
  out["volcano.sh/task-spec"] = task.name.empty() ? "default" : task.name;
  out["volcano.sh/queue-name"] = job.spec->queue;
  out["volcano.sh/job-namespace"] = job.meta.ns;
  copy(job.meta.labels, {"volcano.sh/preemptable", "volcano.sh/cooldown-time"}, out);
  if (origin.forwarding) out[kForwarding] = "true";
  if (task.partition_policy)
    out["volcano.sh/partition-id"] = std::to_string(partition_of(index, task.partition_policy->partition_size));
  return out;
}

void mount_claims(const Job& job, Json& spec) {
  std::set<std::string> known;
  for (const VolumeSpec& volume : job.spec->volumes) {
    const std::string& claim = volume.volume_claim_name;
    if (!known.insert(claim).second) continue;
    const std::string name = job.meta.name + "-" + derived_suffix(job.meta.uid + "/" + claim);
    list_in(spec, "volumes")
        .push_back(object_of({{"name", name}, {"persistentVolumeClaim", object_of({{"claimName", claim}})}}));
    for_each_container(spec, "containers", [&](Json& container) { append_mount(container, name, volume.mount_path); });
  }
}

Json built_object(const Pod& pod) {
  const PodOrigin& origin = *pod.origin;
  const Job& job = *origin.job;
  const TaskSpec& task = job.spec->tasks[static_cast<std::size_t>(pod.task_index)];
  Json out = object_of({{"apiVersion", "v1"}, {"kind", "Pod"}});
  out["metadata"] = object_of({{"name", pod.name},
                               {"namespace", pod.ns},
                               {"ownerReferences", Json::array({owner_json(job)})},
                               {"annotations", annotations_of(origin, task, pod.index)},
                               {"labels", labels_of(origin, task, pod.index)}});
  Json& spec = out["spec"];
  spec = member_of(task.pod_template, "spec");
  const auto complete = [&spec](const char* name, const std::string& value) {
    if (!value.empty() && text_in(spec, name).empty()) spec[name] = value;
  };
  if (!spec.is_object()) spec = Json::object();
  complete("schedulerName", job.spec->scheduler_name);
  complete("priorityClassName", job.spec->priority_class_name);
  mount_claims(job, spec);
  add_to_pod(job, pod.task_index, pod.index, out, origin.quirks);
  return out;
}

Json status_of(const Pod& pod, Json status) {
  if (!status.is_object()) status = Json::object();
  // A phase that is none of the known ones stays as it was read.
  const std::string before = text_in(status, "phase");
  if (before.empty() || pod_phase_from(before) != pod.phase) status["phase"] = to_string(pod.phase);
  if (pod.containers.empty()) return status;
  Json& list = list_in(status, "containerStatuses");
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    const ContainerStatus& container = pod.containers[i];
    if (list.size() <= i) list.push_back(Json::object());
    Json& out = list[i];
    if (!out.is_object()) out = Json::object();
    out["name"] = container.name;
    out["ready"] = container.ready;
    out["restartCount"] = container.restart_count;
    if (container.exit_code)
      object_in(object_in(out, "state"), "terminated")["exitCode"] = *container.exit_code;
    else if (const Json& state = member_of(out, "state"); state.is_object() && state.contains("terminated"))
      out.erase("state");
  }
  return status;
}

}  // namespace

Json owner_json(const Job& job) {
  return object_of({{"apiVersion", "batch.volcano.sh/v1alpha1"},
                    {"kind", "Job"},
                    {"name", job.meta.name},
                    {"uid", job.meta.uid},
                    {"controller", true},
                    {"blockOwnerDeletion", true}});
}

std::string derived_suffix(std::string_view seed) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a, 64 bit
  for (const char byte : seed) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  std::string out;
  for (int i = 0; i < 12; ++i, hash /= 36) out += "0123456789abcdefghijklmnopqrstuvwxyz"[hash % 36];
  return out;
}

Json pod_object(const Pod& pod) {
  Json out = pod.origin ? built_object(pod) : *pod.object;
  Json& meta = object_in(out, "metadata");
  meta["name"] = pod.name;
  meta["namespace"] = pod.ns;
  if (!pod.uid.empty()) meta["uid"] = pod.uid;
  if (pod.resource_version != 0) meta["resourceVersion"] = std::to_string(pod.resource_version);
  if (pod.deletion) meta["deletionTimestamp"] = time_json(*pod.deletion);
  if (pod.out_of_sync && !member_of(member_of(meta, "annotations"), kOutOfSync).is_string())
    object_in(meta, "annotations")[kOutOfSync] = "true";
  if (!pod.uid.empty()) out["status"] = status_of(pod, member_of(out, "status"));
  return out;
}

void mark_out_of_sync(Pod& pod) {
  pod.out_of_sync = true;
  if (pod.origin || !member_of(member_of(member_of(*pod.object, "metadata"), "annotations"), kOutOfSync).is_string())
    return;
  Json object = *pod.object;
  object["metadata"]["annotations"][kOutOfSync] = "true";
  pod.object = SharedJson(std::move(object));
}

}  // namespace pumice::volcano
