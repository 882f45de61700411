// Jobs and pods in the form of the API. Members at their zero value are left out, as Kubernetes' own encoder does.
#include <utility>

#include "pumice/kubejob/names.h"
#include "pumice/kubejob/reader.h"
#include "pumice/model/reader.h"

namespace pumice::kubejob {
namespace {

void put(Json& out, const char* name, std::string_view text) {
  if (!text.empty()) out[name] = text;
}
void put(Json& out, const char* name, const std::optional<Time>& time) {
  if (time) out[name] = time_json(*time);
}
template <class T>
void put_if(Json& out, const char* name, const std::optional<T>& value) {
  if (value) out[name] = *value;
}
template <class List>
void put_list(Json& out, const char* name, const List& list) {
  if (!list.empty()) out[name] = list;
}

Json meta_json(const ObjectMeta& meta, const std::vector<std::string>& finalizers) {
  Json out = pumice::to_json(meta);
  put_list(out, "finalizers", finalizers);
  // Every controller reference that this controller writes or meets blocks the deletion of its owner.
  if (const auto owners = out.find("ownerReferences"); owners != out.end()) {
    for (Json& owner : *owners)
      if (owner.contains("controller")) owner["blockOwnerDeletion"] = true;
  }
  return out;
}

Json selector_json(const LabelSelector& selector) {
  Json out = Json::object();
  put_list(out, "matchLabels", selector.match_labels);
  for (const SelectorRequirement& requirement : selector.match_expressions) {
    Json item = object_of({{"key", requirement.key}, {"operator", requirement.op}});
    put_list(item, "values", requirement.values);
    out["matchExpressions"].push_back(std::move(item));
  }
  return out;
}

Json failure_rule_json(const FailureRule& rule) {
  Json out = object_of({{"action", rule.action}});
  if (rule.on_exit_codes) {
    Json codes = object_of({{"operator", rule.on_exit_codes->op}, {"values", rule.on_exit_codes->values}});
    put_if(codes, "containerName", rule.on_exit_codes->container_name);
    out["onExitCodes"] = std::move(codes);
  }
  for (const PodConditionPattern& pattern : rule.on_pod_conditions)
    out["onPodConditions"].push_back(object_of({{"type", pattern.type}, {"status", pattern.status}}));
  return out;
}

Json condition_json(const Condition& condition) {
  Json out = object_of({{"type", condition.type}, {"status", condition.status}});
  put(out, "lastProbeTime", condition.last_probe);
  put(out, "lastTransitionTime", condition.last_transition);
  put(out, "reason", condition.reason);
  put(out, "message", condition.message);
  return out;
}

Json container_json(const ContainerStatus& status) {
  Json out = object_of({{"name", status.name}, {"restartCount", status.restart_count}});
  if (!status.terminated) return out;
  Json terminated = object_of({{"exitCode", status.exit_code}});
  put(terminated, "finishedAt", status.finished);
  out["state"]["terminated"] = std::move(terminated);
  return out;
}

}  // namespace

Json to_json(const JobSpec& spec) {
  Json out = Json::object();
  put_if(out, "parallelism", spec.parallelism);
  put_if(out, "completions", spec.completions);
  put_if(out, "activeDeadlineSeconds", spec.active_deadline_seconds);
  if (spec.pod_failure_policy) {
    Json& rules = out["podFailurePolicy"]["rules"] = Json::array();
    for (const FailureRule& rule : *spec.pod_failure_policy) rules.push_back(failure_rule_json(rule));
  }
  if (spec.success_policy) {
    Json& rules = out["successPolicy"]["rules"] = Json::array();
    for (const SuccessRule& rule : *spec.success_policy) {
      Json item = Json::object();
      put_if(item, "succeededIndexes", rule.succeeded_indexes);
      put_if(item, "succeededCount", rule.succeeded_count);
      rules.push_back(std::move(item));
    }
  }
  put_if(out, "backoffLimit", spec.backoff_limit);
  put_if(out, "backoffLimitPerIndex", spec.backoff_limit_per_index);
  put_if(out, "maxFailedIndexes", spec.max_failed_indexes);
  if (spec.selector) out["selector"] = selector_json(*spec.selector);
  put_if(out, "manualSelector", spec.manual_selector);
  if (!spec.pod_template.is_null()) out["template"] = spec.pod_template;
  put_if(out, "ttlSecondsAfterFinished", spec.ttl_seconds_after_finished);
  put(out, "completionMode", spec.completion_mode);
  put_if(out, "suspend", spec.suspend);
  put(out, "podReplacementPolicy", spec.pod_replacement_policy);
  put_if(out, "managedBy", spec.managed_by);
  return out;
}

Json to_json(const JobStatus& status) {
  Json out = Json::object();
  for (const Condition& condition : status.conditions) out["conditions"].push_back(condition_json(condition));
  put(out, "startTime", status.start_time);
  put(out, "completionTime", status.completion_time);
  if (status.active != 0) out["active"] = status.active;
  put_if(out, "ready", status.ready);
  put_if(out, "terminating", status.terminating);
  if (status.succeeded != 0) out["succeeded"] = status.succeeded;
  if (status.failed != 0) out["failed"] = status.failed;
  put(out, "completedIndexes", status.completed_indexes);
  put_if(out, "failedIndexes", status.failed_indexes);
  if (status.uncounted) {
    Json& uncounted = out["uncountedTerminatedPods"] = Json::object();
    put_list(uncounted, "succeeded", status.uncounted->succeeded);
    put_list(uncounted, "failed", status.uncounted->failed);
  }
  return out;
}

Json to_json(const Job& job) {
  Json meta = meta_json(job.meta, job.finalizers);
  if (job.generation != 0) meta["generation"] = job.generation;
  return object_of({{"apiVersion", kApiVersion},
                    {"kind", kKind},
                    {"metadata", std::move(meta)},
                    {"spec", to_json(*job.spec)},
                    {"status", to_json(job.status)}});
}

Json to_json(const Pod& pod) {
  Json meta = meta_json(pod.meta, pod.finalizers);
  put(meta, "generateName", pod.generate_name);
  put_if(meta, "deletionGracePeriodSeconds", pod.deletion_grace_seconds);
  Json spec = pod.spec ? *pod.spec : Json::object();
  put(spec, "nodeName", pod.node);
  put(spec, "hostname", pod.hostname);
  Json status = object_of({{"phase", to_string(pod.phase)}});
  for (const PodCondition& condition : pod.conditions) {
    Json item = object_of({{"type", condition.type}, {"status", condition.status}});
    put(item, "lastTransitionTime", condition.last_transition);
    status["conditions"].push_back(std::move(item));
  }
  for (const ContainerStatus& container : pod.containers)
    status["containerStatuses"].push_back(container_json(container));
  for (const ContainerStatus& container : pod.init_containers)
    status["initContainerStatuses"].push_back(container_json(container));
  return object_of({{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata", std::move(meta)},
                    {"spec", std::move(spec)},
                    {"status", std::move(status)}});
}

}  // namespace pumice::kubejob
