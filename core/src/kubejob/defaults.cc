#include "pumice/kubejob/defaults.h"

#include <limits>
#include <memory>
#include <utility>

#include "pumice/check.h"

namespace pumice::kubejob {
namespace {

StringMap template_labels(const JobSpec& spec) {
  StringMap labels;
  const auto metadata = spec.pod_template.find("metadata");
  if (metadata == spec.pod_template.end() || !metadata->is_object()) return labels;
  const auto found = metadata->find("labels");
  if (found == metadata->end() || !found->is_object()) return labels;
  for (const auto& [key, value] : found->items())
    if (value.is_string()) labels.emplace(key, value.get_ref<const std::string&>());
  return labels;
}

}  // namespace

void set_defaults(Job& job) {
  JobSpec spec = *job.spec;
  if (!spec.completions && !spec.parallelism) spec.completions = 1;
  if (!spec.parallelism) spec.parallelism = 1;
  if (!spec.backoff_limit)
    spec.backoff_limit = spec.backoff_limit_per_index ? std::numeric_limits<std::int32_t>::max() : 6;
  if (spec.completion_mode.empty()) spec.completion_mode = "NonIndexed";
  if (!spec.suspend) spec.suspend = false;
  if (!spec.manual_selector) spec.manual_selector = false;
  if (spec.pod_replacement_policy.empty())
    spec.pod_replacement_policy = spec.pod_failure_policy ? "Failed" : "TerminatingOrFailed";
  if (spec.pod_failure_policy) {
    for (FailureRule& rule : *spec.pod_failure_policy)
      for (PodConditionPattern& pattern : rule.on_pod_conditions)
        if (pattern.status.empty()) pattern.status = "True";
  }
  if (job.meta.labels.empty()) job.meta.labels = template_labels(spec);
  if (!(spec == *job.spec)) job.spec = std::make_shared<const JobSpec>(std::move(spec));
}

void generate_selector(Job& job) {
  if (job.spec->manual_selector.value_or(false)) return;
  PUMICE_CHECK(!job.meta.uid.empty());
  JobSpec spec = *job.spec;
  if (!spec.pod_template.is_object()) spec.pod_template = Json::object();
  Json& metadata = spec.pod_template["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  Json& labels = metadata["labels"];
  if (!labels.is_object()) labels = Json::object();
  for (const char* prefix : {"", "batch.kubernetes.io/"}) {
    labels[std::string(prefix) + "controller-uid"] = job.meta.uid;
    labels[std::string(prefix) + "job-name"] = job.meta.name;
  }
  LabelSelector selector = spec.selector.value_or(LabelSelector{});
  selector.match_labels["batch.kubernetes.io/controller-uid"] = job.meta.uid;
  spec.selector = std::move(selector);
  job.spec = std::make_shared<const JobSpec>(std::move(spec));
}

void prepare_create(Job& job) {
  job.status = {};
  job.generation = 1;
  generate_selector(job);
}

Job prepare_update(const Job& stored, const Job& wanted) {
  Job job = wanted;
  job.status = stored.status;
  job.meta.uid = stored.meta.uid;
  job.meta.creation = stored.meta.creation;
  job.generation = stored.generation;
  if (*wanted.spec == *stored.spec)
    job.spec = stored.spec;
  else
    ++job.generation;
  return job;
}

Job prepare_status_update(const Job& stored, const JobStatus& status) {
  Job job = stored;
  job.status = status;
  return job;
}

}  // namespace pumice::kubejob
