#include <utility>

#include "model/fields.h"
#include "model/whole_object.h"
#include "pumice/model/reader.h"

namespace pumice {
namespace {

using volcano::Action;
using volcano::ActionName;
using volcano::Event;
using volcano::EventName;
using volcano::JobPhase;
using volcano::PhaseName;

const Words& plugin_names() {
  static const Words names{"ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray"};
  return names;
}

void check_event(FieldReader& reader, std::string_view name, const EventName& event, ReadMode mode) {
  static const Words known = vocabulary<Event>();
  if (mode == ReadMode::Manifest) check_word(reader, name, event.text(), "event", known);
}

LifecyclePolicy read_policy(FieldReader& reader, ReadMode mode) {
  static const Words actions = vocabulary<Action>();
  LifecyclePolicy policy;
  policy.action = ActionName(std::string_view(reader.string("action").value_or("")));
  policy.event = EventName(std::string_view(reader.string("event").value_or("")));
  for (FieldReader& item : reader.list("events")) {
    policy.events.emplace_back(std::string_view(item.as_string().value_or("")));
    check_event(item, "", policy.events.back(), mode);
  }
  policy.exit_code = reader.int32("exitCode");
  policy.timeout = read_duration(reader, "timeout");
  if (mode == ReadMode::Manifest) {
    check_word(reader, "action", policy.action.text(), "action", actions);
    check_event(reader, "event", policy.event, mode);
  }
  finish(reader, mode);
  return policy;
}

std::vector<LifecyclePolicy> read_policies(FieldReader& reader, ReadMode mode) {
  std::vector<LifecyclePolicy> policies;
  for (FieldReader& item : reader.list("policies")) policies.push_back(read_policy(item, mode));
  return policies;
}

/// Kept as it is, after a look at its members.
Json read_network_topology(FieldReader& parent, ReadMode mode) {
  std::optional<FieldReader> reader = parent.object("networkTopology");
  if (!reader) return nullptr;
  const std::string topology_mode = reader->string("mode").value_or("");
  (void)reader->int32("highestTierAllowed");
  (void)reader->string("highestTierName");
  if (mode == ReadMode::Manifest) check_word(*reader, "mode", topology_mode, "mode", {"hard", "soft"});
  finish(*reader, mode);
  return to_json(reader->node());
}

DependsOn read_depends_on(FieldReader& reader, ReadMode mode) {
  DependsOn depends_on;
  depends_on.names = reader.string_list("name");
  depends_on.iteration = reader.string("iteration").value_or("");
  if (mode == ReadMode::Manifest) check_word(reader, "iteration", depends_on.iteration, "iteration", {"any", "all"});
  finish(reader, mode);
  return depends_on;
}

PartitionPolicy read_partition_policy(FieldReader& reader, ReadMode mode) {
  PartitionPolicy policy;
  policy.total_partitions = reader.int32("totalPartitions").value_or(0);
  policy.partition_size = reader.int32("partitionSize").value_or(0);
  policy.min_partitions = reader.int32("minPartitions").value_or(0);
  policy.network_topology = read_network_topology(reader, mode);
  finish(reader, mode);
  return policy;
}

/// A pod cannot be made without containers, and a container is known by its name.
void check_containers(FieldReader& pod_spec) {
  const std::size_t findings = pod_spec.context().diagnostics.size();
  std::vector<FieldReader> containers = pod_spec.list("containers");
  if (containers.empty() && pod_spec.context().diagnostics.size() == findings) {
    pod_spec.report_at("containers", Severity::Error, "MissingField", "a pod needs at least one container");
  }
  for (FieldReader& container : containers) {
    const std::size_t before = pod_spec.context().diagnostics.size();
    const std::string name = container.string("name").value_or("");
    if (!name.empty() || pod_spec.context().diagnostics.size() != before) continue;
    container.report_at("name", Severity::Error, "MissingField", "a container needs a name");
  }
}

/// The template stays as it is. Pods take their labels and annotations from it, so those must be maps of strings.
Json read_template(FieldReader& task, ReadMode mode) {
  std::optional<FieldReader> reader = task.object("template");
  if (mode == ReadMode::Manifest && !reader && !task.has("template")) {
    task.report_at("template", Severity::Error, "MissingField", "a task needs a pod template");
  }
  if (!reader) return nullptr;
  if (std::optional<FieldReader> metadata = reader->object("metadata")) {
    (void)metadata->string_map("labels");
    (void)metadata->string_map("annotations");
  }
  std::optional<FieldReader> pod_spec = reader->object("spec");
  if (mode == ReadMode::Manifest) {
    if (pod_spec) {
      check_containers(*pod_spec);
    } else if (!reader->has("spec")) {
      reader->report_at("spec", Severity::Error, "MissingField", "a pod template needs a `spec` with containers");
    }
    reader->finish();
  }
  return to_json(reader->node());
}

TaskSpec read_task(FieldReader& reader, ReadMode mode) {
  TaskSpec task;
  task.name = reader.string("name").value_or("");
  task.replicas = reader.int32("replicas").value_or(0);
  task.min_available = reader.int32("minAvailable");
  task.pod_template = read_template(reader, mode);
  task.policies = read_policies(reader, mode);
  task.topology_policy = reader.string("topologyPolicy").value_or("");
  task.max_retry = reader.int32("maxRetry").value_or(0);
  if (auto depends_on = reader.object("dependsOn")) task.depends_on = read_depends_on(*depends_on, mode);
  if (auto policy = reader.object("partitionPolicy")) task.partition_policy = read_partition_policy(*policy, mode);
  if (mode == ReadMode::Manifest) {
    check_word(reader, "topologyPolicy", task.topology_policy, "topology policy",
               {"none", "best-effort", "restricted", "single-numa-node"});
  }
  finish(reader, mode);
  return task;
}

VolumeSpec read_volume(FieldReader& reader, ReadMode mode) {
  VolumeSpec volume;
  volume.mount_path = reader.string("mountPath").value_or("");
  volume.volume_claim_name = reader.string("volumeClaimName").value_or("");
  if (auto claim = reader.object("volumeClaim")) volume.volume_claim = to_json(claim->node());
  finish(reader, mode);
  return volume;
}

std::map<std::string, std::vector<std::string>> read_plugins(FieldReader& spec, ReadMode mode) {
  std::map<std::string, std::vector<std::string>> plugins;
  std::optional<FieldReader> reader = spec.object("plugins");
  if (!reader) return plugins;
  for (const YamlNode& member : reader->node().children) {
    if (mode == ReadMode::Manifest) {
      if (auto finding = unknown_word(member.key, "plugin", plugin_names())) {
        finding->file = reader->context().file;
        finding->range = member.key_range;
        finding->field = field_path(reader->path(), member.key);
        reader->context().add(*std::move(finding));
      }
    }
    plugins.emplace(member.key, reader->string_list(member.key));
  }
  return plugins;
}

std::map<std::string, PhaseCounts> read_task_counts(FieldReader& status, ReadMode mode) {
  std::map<std::string, PhaseCounts> tasks;
  for (FieldReader& entry : status.members("taskStatusCount")) {
    PhaseCounts& counts = tasks[entry.key()];
    for (FieldReader& phase : entry.members("phase")) {
      std::int32_t& count = counts[pod_phase_from(phase.key())];  // foreign phases share one
      count = static_cast<std::int32_t>(static_cast<std::uint32_t>(count) +
                                        static_cast<std::uint32_t>(phase.as_int32().value_or(0)));
    }
    finish(entry, mode);
  }
  return tasks;
}

PhaseName read_phase(FieldReader& reader, std::string_view name, ReadMode mode) {
  static const Words phases = vocabulary<JobPhase>();
  PhaseName phase(std::string_view(reader.string(name).value_or("")));
  if (mode == ReadMode::Manifest) check_word(reader, name, phase.text(), "phase", phases);
  return phase;
}

}  // namespace

JobSpec read_job_spec(FieldReader& reader, ReadMode mode) {
  JobSpec spec;
  spec.scheduler_name = reader.string("schedulerName").value_or("");
  spec.min_available = reader.int32("minAvailable").value_or(0);
  for (FieldReader& volume : reader.list("volumes")) spec.volumes.push_back(read_volume(volume, mode));
  for (FieldReader& task : reader.list("tasks")) spec.tasks.push_back(read_task(task, mode));
  spec.policies = read_policies(reader, mode);
  spec.plugins = read_plugins(reader, mode);
  spec.running_estimate = read_duration(reader, "runningEstimate");
  spec.queue = reader.string("queue").value_or("");
  spec.max_retry = reader.int32("maxRetry").value_or(0);
  spec.ttl_seconds_after_finished = reader.int32("ttlSecondsAfterFinished");
  spec.priority_class_name = reader.string("priorityClassName").value_or("");
  spec.min_success = reader.int32("minSuccess");
  spec.network_topology = read_network_topology(reader, mode);
  finish(reader, mode);
  return spec;
}

JobStatus read_job_status(FieldReader& reader, ReadMode mode) {
  JobStatus status;
  if (auto state = reader.object("state")) {
    status.phase = read_phase(*state, "phase", mode);
    status.reason = state->string("reason").value_or("");
    status.message = state->string("message").value_or("");
    status.last_transition = read_time(*state, "lastTransitionTime");
    finish(*state, mode);
  }
  status.min_available = reader.int32("minAvailable").value_or(0);
  status.task_counts = read_task_counts(reader, mode);
  status.pending = reader.int32("pending").value_or(0);
  status.running = reader.int32("running").value_or(0);
  status.succeeded = reader.int32("succeeded").value_or(0);
  status.failed = reader.int32("failed").value_or(0);
  status.unknown = reader.int32("unknown").value_or(0);
  status.terminating = reader.int32("terminating").value_or(0);
  status.version = reader.int32("version").value_or(0);
  status.retry_count = reader.int32("retryCount").value_or(0);
  status.running_duration = read_duration(reader, "runningDuration");
  status.controlled_resources = reader.string_map("controlledResources");
  for (FieldReader& item : reader.list("conditions")) {
    JobCondition condition;
    condition.status = read_phase(item, "status", mode);
    condition.last_transition = read_time(item, "lastTransitionTime");
    finish(item, mode);
    status.conditions.push_back(std::move(condition));
  }
  finish(reader, mode);
  return status;
}

Job read_job(FieldReader& object, ReadMode mode) {
  Job job;
  if (auto meta = required_part(object, "metadata", mode, "an object needs `metadata` with a name"))
    job.meta = read_meta(*meta, mode);
  if (auto spec = required_part(object, "spec", mode, "a Job needs a `spec` with tasks"))
    job.spec = std::make_shared<const JobSpec>(read_job_spec(*spec, mode));
  if (auto status = object.object("status")) job.status = read_job_status(*status, mode);
  object.ignore({"apiVersion", "kind"});
  finish(object, mode);
  return job;
}

Result<Job> read_job(const YamlNode& object, std::string_view file, ReadMode mode) {
  return read_whole(object, file, [mode](FieldReader& reader) { return read_job(reader, mode); });
}

}  // namespace pumice
