#include "admission/defaults.h"

#include <charconv>
#include <utility>

#include "admission/view.h"
#include "compose.h"
#include "pumice/model/job.h"
#include "pumice/volcano/defaults.h"

namespace pumice::admission {
namespace {

/// One step of a field path; an index if the name is empty.
struct Step {
  std::string_view name;
  std::size_t index = 0;
};

/// Paths here are made by this folder and by volcano/defaults: words joined by dots, indexes in brackets.
std::vector<Step> steps_of(std::string_view field) {
  std::vector<Step> steps;
  while (!field.empty()) {
    if (field.front() == '.') field.remove_prefix(1);
    if (field.starts_with('[')) {
      Step step;
      std::from_chars(field.data() + 1, field.data() + field.size(), step.index);
      steps.push_back(step);
      field.remove_prefix(std::min(field.find(']') + 1, field.size()));
      continue;
    }
    const std::string_view name = field.substr(0, field.find_first_of(".["));
    steps.push_back({name, 0});
    field.remove_prefix(name.size());
    if (name.empty()) break;
  }
  return steps;
}

/// A step of a JSON pointer.
std::string pointer_step(const Step& step) {
  if (step.name.empty()) return std::to_string(step.index);
  std::string out;
  for (const char c : step.name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

Json operation(std::string_view op, std::string path, Json value) {
  return object_of({{"op", op}, {"path", std::move(path)}, {"value", std::move(value)}});
}

}  // namespace

const Json* Defaulter::find(std::string_view field) const {
  const Json* at = &object_;
  for (const Step& step : steps_of(field)) {
    if (step.name.empty()) {
      if (!at->is_array() || step.index >= at->size()) return nullptr;
      at = &(*at)[step.index];
    } else {
      if (!at->is_object()) return nullptr;
      const auto found = at->find(step.name);
      if (found == at->end()) return nullptr;
      at = &*found;
    }
  }
  return at->is_null() ? nullptr : at;
}

void Defaulter::set(std::string_view field, Json value, std::string_view why) {
  const std::vector<Step> steps = steps_of(field);
  Json* at = &object_;
  std::string pointer;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const bool is_last = i + 1 == steps.size();
    pointer += '/' + pointer_step(step);
    if (step.name.empty()) {
      if (!at->is_array() || step.index >= at->size()) return;
      at = &(*at)[step.index];
      continue;
    }
    if (!at->is_object()) return;
    const auto found = at->find(step.name);
    const bool exists = found != at->end();
    if (exists && !is_last && !found->is_null()) {
      at = &*found;
      continue;
    }
    Json next = is_last ? std::move(value) : Json::object();
    patch_.push_back(operation(exists ? "replace" : "add", pointer, next));
    Json& member = (*at)[std::string(step.name)];
    member = next;
    if (is_last) defaults_.push_back({std::string(field), std::move(next), std::string(why)});
    at = &member;
  }
}

void Defaulter::set_absent(std::string_view field, Json value, std::string_view why) {
  if (find(field) == nullptr) set(field, std::move(value), why);
}

namespace {

constexpr std::string_view kAbsent = "absent";

bool is_empty_text(const Json* value) { return value == nullptr || (value->is_string() && *value == ""); }

// --- Volcano ---

Json json_of(View value) { return value.present() ? *value.json() : Json(); }
std::int32_t number_of(View value) { return static_cast<std::int32_t>(value.integer_or(0)); }

/// What the defaults of a task depend on.
TaskSpec task_of(View task) {
  TaskSpec out;
  out.name = task.text("name");
  out.replicas = number_of(task["replicas"]);
  if (const auto minimum = task.integer("minAvailable")) out.min_available = static_cast<std::int32_t>(*minimum);
  out.max_retry = number_of(task["maxRetry"]);
  const View pod = task["template"]["spec"];
  if (pod["hostNetwork"].flag()) {
    out.pod_template["spec"] = object_of({{"hostNetwork", true}, {"dnsPolicy", json_of(pod["dnsPolicy"])}});
  }
  if (const View partition = task["partitionPolicy"]; partition.present()) {
    out.partition_policy.emplace();
    out.partition_policy->partition_size = number_of(partition["partitionSize"]);
    out.partition_policy->min_partitions = number_of(partition["minPartitions"]);
    out.partition_policy->network_topology = json_of(partition["networkTopology"]);
  }
  return out;
}

/// What the defaults of a Job depend on. Types are right.
JobSpec spec_of(View spec) {
  JobSpec out;
  out.queue = spec.text("queue");
  out.scheduler_name = spec.text("schedulerName");
  out.max_retry = number_of(spec["maxRetry"]);
  out.min_available = number_of(spec["minAvailable"]);
  out.network_topology = json_of(spec["networkTopology"]);
  const View tasks = spec["tasks"];
  out.tasks.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) out.tasks.push_back(task_of(tasks.at(i)));
  if (const View plugins = spec["plugins"]; plugins.is_map()) {
    for (const auto& [name, arguments] : plugins.json()->items()) out.plugins[name];
  }
  return out;
}

/// Defaults of a Volcano Job's spec: those of the schema, and on creation those of the webhook.
void default_volcano_job(Defaulter& out, const std::string& spec, const Options& options) {
  const View given(out.find(spec));
  if (given.present() && !given.is_map()) return;
  JobSpec job = spec_of(given);
  for (volcano::Defaulted& entry : volcano::apply_defaults(job)) {
    if (entry.field == "spec.schedulerName") entry.value = options.scheduler_name;
    out.set(spec + entry.field.substr(std::string_view("spec").size()), std::move(entry.value), entry.why);
  }
  const Json* const tasks = out.find(spec + ".tasks");
  for (std::size_t i = 0; tasks != nullptr && tasks->is_array() && i < tasks->size(); ++i) {
    const std::string partition = compose("{}.tasks[{}].partitionPolicy", spec, i);
    if (out.find(partition) != nullptr) {
      out.set_absent(partition + ".minPartitions", 0, "absent: the schema's default");
    }
  }
}

void default_history(Defaulter& out) {
  out.set_absent("spec.successfulJobsHistoryLimit", 3, kAbsent);
  out.set_absent("spec.failedJobsHistoryLimit", 1, kAbsent);
}

void default_volcano_cron_job(Defaulter& out) {
  constexpr std::string_view kWhy = "absent: the schema's default";
  out.set_absent("spec.concurrencyPolicy", "Allow", kWhy);
  out.set_absent("spec.suspend", false, kWhy);
  default_history(out);
  if (out.find("spec.jobTemplate.spec") == nullptr) return;
  // The rest is filled in when a Job is made of the template.
  out.set_absent("spec.jobTemplate.spec.queue", "default", kWhy);
  out.set_absent("spec.jobTemplate.spec.maxRetry", 3, kWhy);
}

// --- pod templates ---

void default_text(Defaulter& out, const std::string& field, std::string_view value) {
  if (is_empty_text(out.find(field))) out.set(field, value, kAbsent);
}

/// 0 counts as absent.
void default_number(Defaulter& out, const std::string& field, std::int64_t value) {
  const Json* const given = out.find(field);
  if (given == nullptr || *given == 0) out.set(field, value, given == nullptr ? kAbsent : "0");
}

/// The tag of an image's name, `latest` if it has neither tag nor digest.
std::string_view tag_of(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return {};
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.rfind(':');
  if (colon == std::string_view::npos || (slash != std::string_view::npos && colon < slash)) return "latest";
  return image.substr(colon + 1);
}

void default_action(Defaulter& out, const std::string& path) {
  if (out.find(path + ".httpGet") == nullptr) return;
  default_text(out, path + ".httpGet.path", "/");
  default_text(out, path + ".httpGet.scheme", "HTTP");
}

void default_container(Defaulter& out, const std::string& path) {
  const Json* const image = out.find(path + ".image");
  const std::string_view tag = tag_of(View(image).text());
  default_text(out, path + ".terminationMessagePath", "/dev/termination-log");
  default_text(out, path + ".terminationMessagePolicy", "File");
  if (is_empty_text(out.find(path + ".imagePullPolicy"))) {
    out.set(path + ".imagePullPolicy", tag == "latest" ? "Always" : "IfNotPresent",
            tag == "latest" ? "absent: the image's tag is latest" : "absent: the image's tag is not latest");
  }
  out.set_absent(path + ".resources", Json::object(), kAbsent);
  const auto each = [&](std::string_view list, void (*fill)(Defaulter&, const std::string&)) {
    const Json* const items = out.find(compose("{}.{}", path, list));
    for (std::size_t i = 0; items != nullptr && items->is_array() && i < items->size(); ++i) {
      fill(out, compose("{}.{}[{}]", path, list, i));
    }
  };
  each("ports", [](Defaulter& to, const std::string& port) { default_text(to, port + ".protocol", "TCP"); });
  each("env", [](Defaulter& to, const std::string& variable) {
    if (to.find(variable + ".valueFrom.fieldRef") != nullptr) {
      default_text(to, variable + ".valueFrom.fieldRef.apiVersion", "v1");
    }
  });
  for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const std::string probe = compose("{}.{}", path, name);
    if (out.find(probe) == nullptr) continue;
    default_number(out, probe + ".timeoutSeconds", 1);
    default_number(out, probe + ".periodSeconds", 10);
    default_number(out, probe + ".successThreshold", 1);
    default_number(out, probe + ".failureThreshold", 3);
    default_action(out, probe);
  }
  default_action(out, path + ".lifecycle.postStart");
  default_action(out, path + ".lifecycle.preStop");
}

void default_volume(Defaulter& out, const std::string& path) {
  const Json* const volume = out.find(path);
  if (volume == nullptr || !volume->is_object()) return;
  const bool has_source = volume->size() > (volume->contains("name") ? 1U : 0U);
  if (!has_source) out.set(path + ".emptyDir", Json::object(), "absent: the kind of a volume");
  for (const std::string_view source : {"secret", "configMap", "downwardAPI", "projected"}) {
    const std::string name = compose("{}.{}", path, source);
    if (out.find(name) != nullptr) out.set_absent(name + ".defaultMode", 420, "absent: 0644");
  }
  if (out.find(path + ".hostPath") != nullptr) out.set_absent(path + ".hostPath.type", "", kAbsent);
}

void default_pod_template(Defaulter& out, const std::string& path) {
  const std::string spec = path + ".spec";
  if (out.find(path) == nullptr) return;
  const auto each = [&](std::string_view list, void (*fill)(Defaulter&, const std::string&)) {
    const Json* const items = out.find(compose("{}.{}", spec, list));
    for (std::size_t i = 0; items != nullptr && items->is_array() && i < items->size(); ++i) {
      fill(out, compose("{}.{}[{}]", spec, list, i));
    }
  };
  each("volumes", default_volume);
  each("initContainers", default_container);
  each("containers", default_container);
  default_text(out, spec + ".restartPolicy", "Always");
  out.set_absent(spec + ".terminationGracePeriodSeconds", 30, kAbsent);
  default_text(out, spec + ".dnsPolicy", "ClusterFirst");
  out.set_absent(spec + ".securityContext", Json::object(), kAbsent);
  default_text(out, spec + ".schedulerName", "default-scheduler");
}

// --- batch/v1 ---

void default_kube_job_spec(Defaulter& out, const std::string& spec) {
  const bool has_completions = out.find(spec + ".completions") != nullptr;
  const bool has_parallelism = out.find(spec + ".parallelism") != nullptr;
  if (!has_completions && !has_parallelism) out.set(spec + ".completions", 1, "absent, and parallelism too");
  if (!has_parallelism) out.set(spec + ".parallelism", 1, kAbsent);
  if (out.find(spec + ".backoffLimit") == nullptr) {
    const bool by_index = out.find(spec + ".backoffLimitPerIndex") != nullptr;
    out.set(spec + ".backoffLimit", by_index ? INT32_MAX : 6,
            by_index ? "absent: each index has its own limit" : kAbsent);
  }
  default_text(out, spec + ".completionMode", "NonIndexed");
  out.set_absent(spec + ".suspend", false, kAbsent);
  if (out.find(spec + ".podReplacementPolicy") == nullptr) {
    const bool has_policy = out.find(spec + ".podFailurePolicy") != nullptr;
    out.set(spec + ".podReplacementPolicy", has_policy ? "Failed" : "TerminatingOrFailed",
            has_policy ? "absent, and there is a podFailurePolicy" : kAbsent);
  }
  out.set_absent(spec + ".manualSelector", false, kAbsent);
  const Json* const rules = out.find(spec + ".podFailurePolicy.rules");
  for (std::size_t i = 0; rules != nullptr && rules->is_array() && i < rules->size(); ++i) {
    const std::string list = compose("{}.podFailurePolicy.rules[{}].onPodConditions", spec, i);
    const Json* const conditions = out.find(list);
    for (std::size_t k = 0; conditions != nullptr && conditions->is_array() && k < conditions->size(); ++k) {
      default_text(out, compose("{}[{}].status", list, k), "True");
    }
  }
  default_pod_template(out, spec + ".template");
}

void default_kube_job(Defaulter& out) {
  default_kube_job_spec(out, "spec");
  const Json* const labels = out.find("metadata.labels");
  const Json* const from = out.find("spec.template.metadata.labels");
  if ((labels == nullptr || labels->empty()) && from != nullptr && from->is_object() && !from->empty()) {
    out.set("metadata.labels", *from, "absent: taken from the template");
  }
}

void default_kube_cron_job(Defaulter& out) {
  default_text(out, "spec.concurrencyPolicy", "Allow");
  out.set_absent("spec.suspend", false, kAbsent);
  default_history(out);
  if (out.find("spec.jobTemplate.spec") != nullptr) default_kube_job_spec(out, "spec.jobTemplate.spec");
}

Json* object_in(Json& parent, const char* name) {
  Json& member = parent[name];
  if (member.is_null()) member = Json::object();
  return member.is_object() ? &member : nullptr;
}

}  // namespace

void apply_defaults(Defaulter& out, Kind kind, const Options& options) {
  switch (kind) {
    case Kind::VolcanoJob: return default_volcano_job(out, "spec", options);
    case Kind::VolcanoCronJob: return default_volcano_cron_job(out);
    case Kind::JobFlow: return;
    case Kind::JobTemplate:
      // A template is filled in when a Job is made of it; the schema has its defaults.
      if (out.find("spec") == nullptr) return;
      out.set_absent("spec.queue", "default", "absent: the schema's default");
      out.set_absent("spec.maxRetry", 3, "absent: the schema's default");
      return;
    case Kind::Job: return default_kube_job(out);
    case Kind::CronJob: return default_kube_cron_job(out);
  }
}

Json upstream_patch(const Json& object, const Json& defaulted) {
  const View spec = View(&object)["spec"];
  const View now = View(&defaulted)["spec"];
  Json patch = Json::array();
  const auto put = [&](std::string_view op, std::string_view name, Json value) {
    patch.push_back(operation(op, compose("/spec/{}", name), std::move(value)));
  };
  if (spec.text("queue").empty()) put("add", "queue", "default");
  if (spec.text("schedulerName").empty()) put("add", "schedulerName", std::string(now.text("schedulerName")));
  if (spec["maxRetry"].integer_or(0) == 0) put("add", "maxRetry", 3);
  const View tasks = spec["tasks"];
  if (tasks.size() > 0 && *tasks.json() != *now["tasks"].json()) put("replace", "tasks", *now["tasks"].json());
  if (spec["minAvailable"].integer_or(0) == 0) put("add", "minAvailable", now["minAvailable"].integer_or(0));
  if (now["plugins"].present() && spec["plugins"].present()) put("replace", "plugins", *now["plugins"].json());
  return patch.empty() ? Json() : patch;
}

void generate_selector(Json& job) {
  const View view(&job);
  if (view["spec"]["manualSelector"].flag() || !view["spec"].is_map()) return;
  const std::string uid(view["metadata"].text("uid"));
  const std::string name(view["metadata"].text("name"));
  Json* spec = object_in(job, "spec");
  Json* const pod_template = object_in(*spec, "template");
  Json* const meta = pod_template == nullptr ? nullptr : object_in(*pod_template, "metadata");
  Json* const labels = meta == nullptr ? nullptr : object_in(*meta, "labels");
  if (labels == nullptr) return;
  // Labels that are there stay; validation then says that they are not the generated ones.
  labels->emplace("job-name", name);
  labels->emplace("batch.kubernetes.io/job-name", name);
  labels->emplace("controller-uid", uid);
  labels->emplace("batch.kubernetes.io/controller-uid", uid);
  Json* const selector = object_in(*spec, "selector");
  Json* const match = selector == nullptr ? nullptr : object_in(*selector, "matchLabels");
  if (match != nullptr) match->emplace("batch.kubernetes.io/controller-uid", uid);
}

}  // namespace pumice::admission
