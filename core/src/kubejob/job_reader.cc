#include <utility>

#include "model/fields.h"
#include "model/whole_object.h"
#include "pumice/kubejob/reader.h"

namespace pumice::kubejob {
namespace {

std::string text_of(FieldReader& reader, std::string_view name) { return reader.string(name).value_or(""); }

/// In a manifest a word that is not one of these is worth a warning.
std::string word_of(FieldReader& reader, std::string_view name, std::string_view what, const Words& known,
                    ReadMode mode) {
  std::string word = text_of(reader, name);
  if (mode == ReadMode::Manifest) check_word(reader, name, word, what, known);
  return word;
}

LabelSelector read_selector(FieldReader& reader, ReadMode mode) {
  LabelSelector selector;
  selector.match_labels = reader.string_map("matchLabels");
  for (FieldReader& item : reader.list("matchExpressions")) {
    SelectorRequirement requirement;
    requirement.key = text_of(item, "key");
    requirement.op = word_of(item, "operator", "operator", {"In", "NotIn", "Exists", "DoesNotExist"}, mode);
    requirement.values = item.string_list("values");
    finish(item, mode);
    selector.match_expressions.push_back(std::move(requirement));
  }
  finish(reader, mode);
  return selector;
}

FailureRule read_failure_rule(FieldReader& reader, ReadMode mode) {
  FailureRule rule;
  rule.action = word_of(reader, "action", "action", {"FailJob", "FailIndex", "Ignore", "Count"}, mode);
  if (auto codes = reader.object("onExitCodes")) {
    ExitCodeRequirement requirement;
    requirement.container_name = codes->string("containerName");
    requirement.op = word_of(*codes, "operator", "operator", {"In", "NotIn"}, mode);
    for (FieldReader& value : codes->list("values"))
      if (const auto code = value.as_int32()) requirement.values.push_back(*code);
    finish(*codes, mode);
    rule.on_exit_codes = std::move(requirement);
  }
  for (FieldReader& item : reader.list("onPodConditions")) {
    rule.on_pod_conditions.push_back({text_of(item, "type"), text_of(item, "status")});
    finish(item, mode);
  }
  finish(reader, mode);
  return rule;
}

SuccessRule read_success_rule(FieldReader& reader, ReadMode mode) {
  SuccessRule rule;
  rule.succeeded_indexes = reader.string("succeededIndexes");
  rule.succeeded_count = reader.int32("succeededCount");
  finish(reader, mode);
  return rule;
}

/// The template stays as it is. Pods take their labels and annotations from it, so those must be maps of strings.
Json read_template(FieldReader& spec, ReadMode mode) {
  std::optional<FieldReader> reader = spec.object("template");
  if (!reader) {
    if (mode == ReadMode::Manifest && !spec.has("template"))
      spec.report_at("template", Severity::Error, "MissingField", "a Job needs a pod template");
    return nullptr;
  }
  if (std::optional<FieldReader> metadata = reader->object("metadata")) {
    (void)metadata->string_map("labels");
    (void)metadata->string_map("annotations");
    (void)metadata->string_list("finalizers");
  }
  if (std::optional<FieldReader> pod = reader->object("spec")) {
    (void)pod->string("restartPolicy");
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (FieldReader& container : pod->list(list)) {
        (void)container.string("name");
        (void)container.string("restartPolicy");
        for (FieldReader& variable : container.list("env")) (void)variable.string("name");
      }
    }
  }
  finish(*reader, mode);
  return to_json(reader->node());
}

JobSpec read_spec(FieldReader& reader, ReadMode mode) {
  JobSpec spec;
  spec.parallelism = reader.int32("parallelism");
  spec.completions = reader.int32("completions");
  spec.active_deadline_seconds = reader.int64("activeDeadlineSeconds");
  if (auto policy = reader.object("podFailurePolicy")) {
    spec.pod_failure_policy.emplace();
    for (FieldReader& rule : policy->list("rules")) spec.pod_failure_policy->push_back(read_failure_rule(rule, mode));
    finish(*policy, mode);
  }
  if (auto policy = reader.object("successPolicy")) {
    spec.success_policy.emplace();
    for (FieldReader& rule : policy->list("rules")) spec.success_policy->push_back(read_success_rule(rule, mode));
    finish(*policy, mode);
  }
  spec.backoff_limit = reader.int32("backoffLimit");
  spec.backoff_limit_per_index = reader.int32("backoffLimitPerIndex");
  spec.max_failed_indexes = reader.int32("maxFailedIndexes");
  if (auto selector = reader.object("selector")) spec.selector = read_selector(*selector, mode);
  spec.manual_selector = reader.boolean("manualSelector");
  spec.pod_template = read_template(reader, mode);
  spec.ttl_seconds_after_finished = reader.int32("ttlSecondsAfterFinished");
  spec.completion_mode = word_of(reader, "completionMode", "completion mode", {"NonIndexed", "Indexed"}, mode);
  spec.suspend = reader.boolean("suspend");
  spec.pod_replacement_policy =
      word_of(reader, "podReplacementPolicy", "pod replacement policy", {"Failed", "TerminatingOrFailed"}, mode);
  spec.managed_by = reader.string("managedBy");
  finish(reader, mode);
  return spec;
}

Condition read_condition(FieldReader& reader, ReadMode mode) {
  Condition condition;
  condition.type = text_of(reader, "type");
  condition.status = text_of(reader, "status");
  condition.last_probe = read_time(reader, "lastProbeTime");
  condition.last_transition = read_time(reader, "lastTransitionTime");
  condition.reason = text_of(reader, "reason");
  condition.message = text_of(reader, "message");
  finish(reader, mode);
  return condition;
}

JobStatus read_status(FieldReader& reader, ReadMode mode) {
  JobStatus status;
  for (FieldReader& item : reader.list("conditions")) status.conditions.push_back(read_condition(item, mode));
  status.start_time = read_time(reader, "startTime");
  status.completion_time = read_time(reader, "completionTime");
  status.active = reader.int32("active").value_or(0);
  status.ready = reader.int32("ready");
  status.terminating = reader.int32("terminating");
  status.succeeded = reader.int32("succeeded").value_or(0);
  status.failed = reader.int32("failed").value_or(0);
  status.completed_indexes = text_of(reader, "completedIndexes");
  status.failed_indexes = reader.string("failedIndexes");
  if (auto uncounted = reader.object("uncountedTerminatedPods")) {
    status.uncounted = {uncounted->string_list("succeeded"), uncounted->string_list("failed")};
    finish(*uncounted, mode);
  }
  finish(reader, mode);
  return status;
}

}  // namespace

Job read_job(FieldReader& object, ReadMode mode) {
  Job job;
  if (auto meta = required_part(object, "metadata", mode, "an object needs `metadata` with a name")) {
    job.generation = meta->int64("generation").value_or(0);
    job.finalizers = meta->string_list("finalizers");
    job.meta = read_meta(*meta, mode);
  }
  if (auto spec = required_part(object, "spec", mode, "a Job needs a `spec` with a pod template"))
    job.spec = std::make_shared<const JobSpec>(read_spec(*spec, mode));
  if (auto status = object.object("status")) job.status = read_status(*status, mode);
  object.ignore({"apiVersion", "kind"});
  finish(object, mode);
  return job;
}

Result<Job> read_job(const YamlNode& object, std::string_view file, ReadMode mode) {
  return read_whole(object, file, [mode](FieldReader& reader) { return kubejob::read_job(reader, mode); });
}

}  // namespace pumice::kubejob
