#include <utility>

#include "model/fields.h"
#include "pumice/kubejob/reader.h"

namespace pumice::kubejob {
namespace {

ContainerStatus read_container(FieldReader& reader) {
  ContainerStatus status;
  status.name = reader.string("name").value_or("");
  status.restart_count = reader.int32("restartCount").value_or(0);
  std::optional<FieldReader> state = reader.object("state");
  if (!state) return status;
  if (std::optional<FieldReader> terminated = state->object("terminated")) {
    status.terminated = true;
    status.exit_code = terminated->int32("exitCode").value_or(0);
    status.finished = read_time(*terminated, "finishedAt");
  }
  return status;
}

void read_spec(FieldReader& reader, Pod& pod) {
  pod.node = reader.string("nodeName").value_or("");
  pod.hostname = reader.string("hostname").value_or("");
  for (FieldReader& container : reader.list("initContainers")) {
    std::string name = container.string("name").value_or("");
    if (container.string("restartPolicy") == "Always") pod.restartable_init.push_back(std::move(name));
  }
  Json spec = to_json(reader.node());
  if (!spec.is_object()) return;
  spec.erase("nodeName");
  spec.erase("hostname");
  pod.spec = std::make_shared<const Json>(std::move(spec));
}

void read_status(FieldReader& reader, Pod& pod) {
  const std::string phase = reader.string("phase").value_or("");
  pod.phase = phase.empty() ? PodPhase::Pending : pod_phase_from(phase);
  for (FieldReader& item : reader.list("conditions")) {
    pod.conditions.push_back(
        {item.string("type").value_or(""), item.string("status").value_or(""), read_time(item, "lastTransitionTime")});
  }
  for (FieldReader& item : reader.list("containerStatuses")) pod.containers.push_back(read_container(item));
  for (FieldReader& item : reader.list("initContainerStatuses")) pod.init_containers.push_back(read_container(item));
}

}  // namespace

Pod read_pod(FieldReader& object) {
  Pod pod;
  if (auto meta = object.object("metadata")) {
    pod.meta = read_meta(*meta, ReadMode::Wire);
    pod.generate_name = meta->string("generateName").value_or("");
    pod.finalizers = meta->string_list("finalizers");
    pod.deletion_grace_seconds = meta->int64("deletionGracePeriodSeconds");
  }
  if (auto spec = object.object("spec")) read_spec(*spec, pod);
  if (auto status = object.object("status")) read_status(*status, pod);
  return pod;
}

}  // namespace pumice::kubejob
