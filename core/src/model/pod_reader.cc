// Pods, PodGroups and Commands as programs send them (spec/volcano-job.md 1.6, 1.7, 1.9).
#include <utility>

#include "model/fields.h"
#include "pumice/model/reader.h"

namespace pumice {
namespace {

constexpr std::string_view kVolcanoBatch = "batch.volcano.sh/v1alpha1";

std::optional<std::string> find(const StringMap& map, const char* key) {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

/// 32-bit sums wrap around, as upstream's do.
std::int32_t restarts_in(FieldReader& status, std::string_view list, std::vector<ContainerStatus>* out) {
  std::uint32_t sum = 0;
  for (FieldReader& item : status.list(list)) {
    ContainerStatus container;
    container.name = item.string("name").value_or("");
    container.ready = item.boolean("ready").value_or(false);
    container.restart_count = item.int32("restartCount").value_or(0);
    sum += static_cast<std::uint32_t>(container.restart_count);
    if (auto state = item.object("state"))
      if (auto terminated = state->object("terminated"))
        container.exit_code = terminated->int32("exitCode").value_or(0);
    if (out) out->push_back(std::move(container));
  }
  return static_cast<std::int32_t>(sum);
}

}  // namespace

Pod read_pod(FieldReader& reader) {
  Pod pod;
  if (auto metadata = reader.object("metadata")) {
    const ObjectMeta meta = read_meta(*metadata, ReadMode::Wire);
    pod.ns = meta.ns;
    pod.name = meta.name;
    pod.uid = meta.uid;
    pod.resource_version = meta.resource_version;
    pod.deletion = meta.deletion;
    for (const OwnerReference& owner : meta.owners) {
      if (!owner.controller) continue;
      pod.owned_by_job = owner.api_version == kVolcanoBatch && owner.kind == "Job";
      if (pod.owned_by_job) pod.owner_uid = owner.uid;
      break;
    }
    pod.job_name = find(meta.annotations, "volcano.sh/job-name");
    pod.task_name = find(meta.annotations, "volcano.sh/task-spec");
    pod.job_version = find(meta.annotations, "volcano.sh/job-version");
    pod.out_of_sync = meta.annotations.contains("volcano.sh/controller-out-of-sync");
    pod.partition_id = find(meta.labels, "volcano.sh/partition-id").value_or("");
  }
  if (auto status = reader.object("status")) {
    pod.phase = pod_phase_from(status->string("phase").value_or(""));
    restarts_in(*status, "containerStatuses", &pod.containers);
    pod.init_restarts = restarts_in(*status, "initContainerStatuses", nullptr);
  } else {
    pod.phase = PodPhase::Unknown;
  }
  pod.object = to_json(reader.node());
  return pod;
}

PodGroup read_pod_group(FieldReader& reader) {
  PodGroup group;
  if (auto metadata = reader.object("metadata")) {
    ObjectMeta meta = read_meta(*metadata, ReadMode::Wire);
    group.ns = std::move(meta.ns);
    group.name = std::move(meta.name);
    group.resource_version = meta.resource_version;
    group.owners = std::move(meta.owners);
    group.labels = std::move(meta.labels);
    group.annotations = std::move(meta.annotations);
  }
  if (auto spec = reader.object("spec")) {
    group.min_member = spec->int32("minMember").value_or(0);
    std::map<std::string, std::int32_t> members;
    for (FieldReader& entry : spec->members("minTaskMember")) members[entry.key()] = entry.as_int32().value_or(0);
    group.min_task_member = std::move(members);
    group.queue = spec->string("queue").value_or("");
    group.priority_class_name = spec->string("priorityClassName").value_or("");
    group.min_resources = spec->raw("minResources").value_or(Json());
    group.network_topology = spec->raw("networkTopology").value_or(Json());
    group.sub_groups = spec->raw("subGroupPolicy").value_or(Json());
  }
  if (auto status = reader.object("status")) {
    group.phase = pod_group_phase_from(status->string("phase").value_or(""));
    for (FieldReader& item : status->list("conditions")) {
      PodGroupCondition condition;
      condition.type = item.string("type").value_or("");
      condition.is_true = item.string("status").value_or("") == "True";
      condition.last_transition = read_time(item, "lastTransitionTime");
      condition.reason = item.string("reason").value_or("");
      condition.message = item.string("message").value_or("");
      group.conditions.push_back(std::move(condition));
    }
  }
  return group;
}

Command read_command(FieldReader& reader) {
  Command command;
  if (auto metadata = reader.object("metadata")) {
    const ObjectMeta meta = read_meta(*metadata, ReadMode::Wire);
    command.ns = meta.ns;
    command.name = meta.name;
  }
  command.action = volcano::ActionName(std::string_view(reader.string("action").value_or("")));
  if (auto target = reader.object("target")) {
    command.target = OwnerReference{target->string("apiVersion").value_or(""), target->string("kind").value_or(""),
                                    target->string("name").value_or(""), target->string("uid").value_or(""),
                                    target->boolean("controller").value_or(false)};
  }
  return command;
}

}  // namespace pumice
