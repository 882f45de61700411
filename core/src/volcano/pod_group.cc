#include "pumice/volcano/pod_group.h"

#include <algorithm>
#include <numeric>

#include "json_parts.h"
#include "pod_usage.h"
#include "status.h"

namespace pumice::volcano {
namespace {

/// Spec 8.3, `minResources(job)`.
Json min_resources_of(const JobSpec& spec, const std::map<std::string, std::int32_t>& priority_classes) {
  std::vector<std::int32_t> priorities;
  std::uint32_t sum = 0;  // wraps around, as upstream's
  for (const TaskSpec& task : spec.tasks) {
    const auto known = priority_classes.find(text_in(member_of(task.pod_template, "spec"), "priorityClassName"));
    priorities.push_back(known == priority_classes.end() ? 0 : known->second);
    sum += static_cast<std::uint32_t>(task.min_available.value_or(task.replicas));
  }
  std::vector<std::size_t> order(spec.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return priorities[a] != priorities[b] ? priorities[a] > priorities[b] : a < b;
  });

  Resources total;
  std::int64_t left = spec.min_available;
  const auto take = [&](std::size_t task, std::int64_t at_most) {
    const std::int64_t count = std::min(left, at_most);
    if (count > 0) add_resources(total, pod_usage(member_of(spec.tasks[task].pod_template, "spec")), count);
    // A task with less replicas than its minAvailable owes pods that others make up for, as upstream's sums have it.
    if (left > 0) left -= count;
  };
  if (spec.min_available < static_cast<std::int32_t>(sum)) {
    for (const std::size_t i : order) take(i, spec.tasks[i].replicas);
  } else {
    for (const std::size_t i : order) take(i, spec.tasks[i].min_available.value_or(0));
    for (const std::size_t i : order)
      take(i, std::int64_t{spec.tasks[i].replicas} - spec.tasks[i].min_available.value_or(0));
  }
  Json out = Json::object();
  for (const auto& [name, quantity] : total) out[name] = quantity.text();
  return out;
}

Json topology_json(const Json& topology, bool by_name_too) {
  Json out = Json::object();
  if (std::string mode = text_in(topology, "mode"); !mode.empty()) out["mode"] = std::move(mode);
  const Json& tier = member_of(topology, "highestTierAllowed");
  const std::string name = text_in(topology, "highestTierName");
  if (!tier.is_null()) out["highestTierAllowed"] = tier;
  if (!name.empty() && (by_name_too || tier.is_null())) out["highestTierName"] = name;
  return out;
}

Json sub_groups_of(const JobSpec& spec) {
  Json list = Json::array();
  for (const TaskSpec& task : spec.tasks) {
    if (!task.partition_policy) continue;
    Json entry =
        object_of({{"name", task.name},
                   {"subGroupSize", task.partition_policy->partition_size},
                   {"minSubGroups", task.partition_policy->min_partitions},
                   {"labelSelector", object_of({{"matchLabels", object_of({{"volcano.sh/task-spec", task.name}})}})},
                   {"matchLabelKeys", Json::array({"volcano.sh/partition-id"})}});
    const Json& topology = task.partition_policy->network_topology;
    if (!topology.is_null()) entry["networkTopology"] = topology_json(topology, true);
    list.push_back(std::move(entry));
  }
  return list;
}

const Json& entry_of(const Json& list, const std::string& task) {
  static const Json kNone;
  if (list.is_array())
    for (const Json& entry : list)
      if (text_in(entry, "name") == task) return entry;
  return kNone;
}

/// Entries of tasks that the spec does not have are no reason to write.
bool sub_groups_differ(const PodGroup& group, const JobSpec& spec, const GroupFields& fields) {
  if (group.sub_groups.shares_with(fields.sub_groups)) return false;
  return std::any_of(spec.tasks.begin(), spec.tasks.end(), [&](const TaskSpec& task) {
    return entry_of(*group.sub_groups, task.name) != entry_of(*fields.sub_groups, task.name);
  });
}

bool members_differ(const PodGroup& group, const GroupFields& fields) {
  if (group.min_task_member.shares_with(fields.min_task_member)) return false;
  return std::any_of(fields.min_task_member.begin(), fields.min_task_member.end(), [&](const auto& wanted) {
    const auto found = group.min_task_member.find(wanted.first);
    return found == group.min_task_member.end() || found->second != wanted.second;
  });
}

bool sizes_differ(const PodGroup& group, const Job& job, const GroupFields& fields) {
  return group.min_member != job.spec->min_available || !(group.min_resources == fields.min_resources);
}

}  // namespace

std::int32_t min_task(const TaskSpec& task) noexcept {
  if (task.min_available) return *task.min_available;
  if (task.partition_policy && task.partition_policy->min_partitions != 0 && task.partition_policy->partition_size != 0)
    return wrapping_multiply(task.partition_policy->min_partitions, task.partition_policy->partition_size);
  return task.replicas;
}

GroupFields GroupFields::of(const JobSpec& spec, const std::map<std::string, std::int32_t>& priority_classes) {
  std::map<std::string, std::int32_t> members;
  for (const TaskSpec& task : spec.tasks) members[task.name] = min_task(task);
  return {std::move(members), sub_groups_of(spec), min_resources_of(spec, priority_classes)};
}

PodGroup new_pod_group(const Job& job, const GroupFields& fields) {
  PodGroup group;
  group.ns = job.meta.ns;
  group.name = job.meta.name + "-" + job.meta.uid;
  group.owners.push_back({"batch.volcano.sh/v1alpha1", "Job", job.meta.name, job.meta.uid, true});
  group.labels = job.meta.labels;
  group.annotations = job.meta.annotations;
  group.min_member = job.spec->min_available;
  group.min_task_member = fields.min_task_member;
  group.queue = job.spec->queue;
  group.priority_class_name = job.spec->priority_class_name;
  group.min_resources = fields.min_resources;
  if (!job.spec->network_topology.is_null()) group.network_topology = topology_json(job.spec->network_topology, false);
  group.sub_groups = fields.sub_groups;
  return group;
}

bool is_up_to_date(const PodGroup& group, const Job& job, const GroupFields& fields) {
  return group.priority_class_name == job.spec->priority_class_name && !sizes_differ(group, job, fields) &&
         !members_differ(group, fields) && !sub_groups_differ(group, *job.spec, fields);
}

bool bring_up_to_date(PodGroup& group, const Job& job, const GroupFields& fields) {
  if (is_up_to_date(group, job, fields)) return false;
  group.priority_class_name = job.spec->priority_class_name;
  group.min_member = job.spec->min_available;
  group.min_resources = fields.min_resources;
  if (members_differ(group, fields))
    for (const auto& [task, count] : fields.min_task_member) group.min_task_member[task] = count;
  if (sub_groups_differ(group, *job.spec, fields)) group.sub_groups = fields.sub_groups;
  return true;
}

std::string pending_text(const Job& job, const PodGroup& group) {
  const PodGroupCondition* newest = nullptr;
  for (const PodGroupCondition& condition : group.conditions) {
    if (!condition.is_true) continue;
    const Time at = condition.last_transition.value_or(Time{INT64_MIN});
    if (!newest || at > newest->last_transition.value_or(Time{INT64_MIN})) newest = &condition;
  }
  if (!newest || newest->type == "Scheduled") return {};
  std::string type = newest->type;
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return "PodGroup " + job.meta.ns + ":" + job.meta.name + " " + type + ", reason: " + newest->message;
}

}  // namespace pumice::volcano
