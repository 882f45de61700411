#include <algorithm>
#include <set>

#include "admission/kube.h"
#include "admission/meta.h"
#include "admission/names.h"
#include "compose.h"
#include "cron/go_text.h"

namespace pumice::admission {
namespace {

constexpr std::int64_t kParallelismMax = 100'000;
constexpr std::int64_t kFailedIndexesMax = 100'000;
constexpr std::int64_t kManyCompletions = 100'000;
constexpr std::int64_t kMaxWithManyCompletions = 10'000;
constexpr std::int64_t kRulesMax = 20;
constexpr std::int64_t kExitCodesMax = 255;
constexpr std::int64_t kConditionsMax = 20;
constexpr std::int64_t kManagedByMax = 63;
constexpr std::int64_t kIndexTextMax = 64 * 1024;
constexpr std::string_view kNeedsIndexed = "requires indexed completion mode";
constexpr std::string_view kImmutable = "field is immutable";

bool is_indexed(View spec) { return spec.text("completionMode") == "Indexed"; }

std::string at_most(std::int64_t limit) { return compose("must be less than or equal to {}", limit); }

// --- metadata and selector ---

void check_label(Findings& out, View labels, std::string_view name, std::string_view wanted, const Path& path) {
  const Path labels_path = path.child("labels");
  const Path entry = labels_path.key(name);
  const View label = labels[name];
  const std::string detail = compose("must be '{}'", wanted);
  if (!label.present()) {
    out.required("job.generated-label", entry, detail);
  } else if (label.text() != wanted) {
    out.invalid("job.generated-label", entry, *labels.json(), detail);
  }
}

void check_generated_selector(Findings& out, View job) {
  const View spec = job["spec"];
  const View selector = spec["selector"];
  if (spec["manualSelector"].flag() || !selector.present()) return;
  const std::string_view uid = job["metadata"].text("uid");
  const std::string_view name = job["metadata"].text("name");
  const View labels = spec["template"]["metadata"]["labels"];
  const Path meta("spec.template.metadata");
  Json expected = Json::object();
  for (const std::string_view key :
       {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"}) {
    const std::string_view value = key.ends_with("uid") ? uid : name;
    check_label(out, labels, key, value, meta);
    expected[std::string(key)] = value;
  }
  if (is_valid_selector(selector) && !selects(selector, expected)) {
    out.invalid("job.generated-selector", Path("spec.selector"), *selector.json(), "`selector` not auto-generated");
  }
}

void check_selector(Findings& out, View spec, const Path& path) {
  const View selector = spec["selector"];
  const Path selector_path = path.child("selector");
  if (!selector.present()) {
    out.required("job.selector", selector_path);
  } else {
    check_label_selector(out, "job.selector", selector, selector_path);
    if (!is_valid_selector(selector)) return;
  }
  const View labels = spec["template"]["metadata"]["labels"];
  const Json none = Json::object();
  if (!selects(selector, labels.is_map() ? *labels.json() : none)) {
    out.invalid("job.selector", path.child("template.metadata.labels"), labels.is_map() ? *labels.json() : none,
                "`selector` does not match template `labels`");
  }
}

// --- completions and indexes ---

void check_managed_by(Findings& out, View spec, const Path& path) {
  if (!spec["managedBy"].present()) return;
  const std::string_view text = spec.text("managedBy");
  const std::size_t slash = text.find('/');
  if (text.empty()) {
    out.required("job.managed-by", path);
  } else if (slash == std::string_view::npos) {
    out.invalid("job.managed-by", path, text, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    const std::string_view domain = text.substr(0, slash);
    const std::string_view rest = text.substr(slash + 1);
    for (const std::string& problem : dns_subdomain_problems(domain)) {
      out.invalid("job.managed-by", path, domain, problem);
    }
    if (rest.empty()) {
      out.invalid("job.managed-by", path, rest, "must be a domain-prefixed path (such as \"acme.io/foo\")");
    } else if (std::any_of(rest.begin(), rest.end(), [](char c) {
                 return std::string_view(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~%!$&'()*+,;=:")
                            .find(c) == std::string_view::npos;
               })) {
      out.invalid("job.managed-by", path, rest, "Invalid path");
    }
  }
  if (text.size() > static_cast<std::size_t>(kManagedByMax)) out.too_long("job.managed-by", path, kManagedByMax);
}

void check_many_completions(Findings& out, View spec, const Path& path) {
  const auto completions = spec.integer("completions");
  if (!completions || *completions <= kManyCompletions || !spec["backoffLimitPerIndex"].present()) return;
  const auto failed = spec.integer("maxFailedIndexes");
  const auto parallelism = spec.integer("parallelism");
  const std::string detail =
      compose("must be less than or equal to {} when completions are above {} and used with backoff limit per index",
              kMaxWithManyCompletions, kManyCompletions);
  if (!failed) {
    out.required("job.index-limits", path.child("maxFailedIndexes"),
                 compose("must be specified when completions is above {}", kManyCompletions));
  }
  if (parallelism && *parallelism > kMaxWithManyCompletions) {
    out.invalid("job.index-limits", path.child("parallelism"), *parallelism, detail);
  }
  if (failed && *failed > kMaxWithManyCompletions) {
    out.invalid("job.index-limits", path.child("maxFailedIndexes"), *failed, detail);
  }
}

void check_indexed(Findings& out, View spec, const Path& path) {
  const auto completions = spec.integer("completions");
  const auto parallelism = spec.integer("parallelism");
  const auto failed = spec.integer("maxFailedIndexes");
  if (!completions) {
    out.required("job.indexed-completions", path.child("completions"), "when completion mode is Indexed");
  }
  if (parallelism && *parallelism > kParallelismMax) {
    out.invalid("job.index-limits", path.child("parallelism"), *parallelism,
                at_most(kParallelismMax) + " when completion mode is Indexed");
  }
  const Path failed_path = path.child("maxFailedIndexes");
  if (completions && failed && *failed > *completions) {
    out.invalid("job.index-limits", failed_path, *failed, "must be less than or equal to completions");
  }
  if (failed && *failed > kFailedIndexesMax) {
    out.invalid("job.index-limits", failed_path, *failed, at_most(kFailedIndexesMax));
  }
  check_many_completions(out, spec, path);
}

void check_numbers(Findings& out, View spec, const Path& path) {
  for (const std::string_view name : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                                      "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    out.not_negative("job.negative", path.child(name), spec.integer(name));
  }
  if (spec["maxFailedIndexes"].present() && !spec["backoffLimitPerIndex"].present()) {
    out.required("job.max-failed-indexes", path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
}

void check_completion_mode(Findings& out, View spec, const Path& path) {
  const std::string_view mode = spec.text("completionMode");
  if (spec["completionMode"].present() && mode != "NonIndexed" && mode != "Indexed") {
    out.unsupported("job.completion-mode", path.child("completionMode"), mode, {"NonIndexed", "Indexed"});
  }
  if (is_indexed(spec)) check_indexed(out, spec, path);
  if (spec["completionMode"].present() && mode != "NonIndexed") return;
  for (const std::string_view name : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (const auto value = spec.integer(name))
      out.invalid("job.needs-indexed", path.child(name), *value, kNeedsIndexed);
  }
}

// --- failure policy ---

void check_exit_codes(Findings& out, View codes, const std::set<std::string_view>& containers, const Path& path) {
  const std::string_view op = codes.text("operator");
  const Path op_path = path.child("operator");
  if (op.empty()) {
    out.required("job.failure-policy-exit-codes", op_path, "valid values: [\"In\" \"NotIn\"]");
  } else if (op != "In" && op != "NotIn") {
    out.unsupported("job.failure-policy-exit-codes", op_path, op, {"In", "NotIn"});
  }
  if (codes["containerName"].present() && !containers.contains(codes.text("containerName"))) {
    out.invalid("job.failure-policy-container", path.child("containerName"), codes.text("containerName"),
                "must be one of the container or initContainer names in the pod template");
  }
  const View values = codes["values"];
  const Path values_path = path.child("values");
  // Numbers are shown as Go shows a list of them.
  std::string shown = values.is_list() ? "[]int32{" : "[]int32(nil)";
  for (std::size_t i = 0; i < values.size(); ++i) {
    shown += compose("{}{}", i == 0 ? "" : ", ", values.at(i).integer_or(0));
  }
  if (values.is_list()) shown += "}";
  if (values.size() == 0) {
    out.invalid("job.failure-policy-exit-codes", values_path, Shown::raw(shown), "at least one value is required");
  } else if (values.size() > static_cast<std::size_t>(kExitCodesMax)) {
    out.too_many("job.failure-policy-exit-codes", values_path, values.size(), kExitCodesMax);
  }
  std::set<std::int64_t> seen;
  bool is_ordered = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t value = values.at(i).integer_or(0);
    const Path item = values_path.item(i);
    if (op == "In" && value == 0) {
      out.invalid("job.failure-policy-exit-codes", item, value, "must not be 0 for the In operator");
    }
    if (!seen.insert(value).second) out.duplicate("job.failure-policy-exit-codes", item, value);
    is_ordered = is_ordered && (i == 0 || values.at(i - 1).integer_or(0) <= value);
  }
  if (!is_ordered) {
    out.invalid("job.failure-policy-exit-codes", values_path, Shown::raw(shown), "must be ordered");
  }
}

void check_conditions(Findings& out, View conditions, const Path& path) {
  if (conditions.size() > static_cast<std::size_t>(kConditionsMax)) {
    out.too_many("job.failure-policy-conditions", path, conditions.size(), kConditionsMax);
  }
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const View condition = conditions.at(i);
    const Path item = path.item(i);
    const std::string_view type = condition.text("type");
    out.invalid_each("job.failure-policy-conditions", item.child("type"), type, qualified_name_problems(type));
    std::string_view status = condition.text("status");
    if (status.empty()) status = "True";  // the default
    if (status != "True" && status != "False" && status != "Unknown") {
      out.unsupported("job.failure-policy-conditions", item.child("status"), status, {"False", "True", "Unknown"});
    }
  }
}

void check_failure_rule(Findings& out, View spec, View rule, const std::set<std::string_view>& containers,
                        const Path& path) {
  const std::string_view action = rule.text("action");
  const Path action_path = path.child("action");
  if (action.empty()) {
    out.required("job.failure-policy-action", action_path,
                 "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
  } else if (action == "FailIndex") {
    if (!spec["backoffLimitPerIndex"].present()) {
      out.invalid("job.failure-policy-fail-index", action_path, action, "requires the backoffLimitPerIndex to be set");
    }
  } else if (action != "Count" && action != "FailJob" && action != "Ignore") {
    out.unsupported("job.failure-policy-action", action_path, action, {"Count", "FailIndex", "FailJob", "Ignore"});
  }
  const bool by_codes = rule["onExitCodes"].present();
  const bool by_conditions = rule["onPodConditions"].size() > 0;
  if (by_codes) check_exit_codes(out, rule["onExitCodes"], containers, path.child("onExitCodes"));
  if (by_conditions) check_conditions(out, rule["onPodConditions"], path.child("onPodConditions"));
  if (by_codes && by_conditions) {
    out.invalid("job.failure-policy-rule", path, "specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (!by_codes && !by_conditions) {
    out.invalid("job.failure-policy-rule", path, "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

void check_failure_policy(Findings& out, View spec, const Path& path) {
  const View rules = spec["podFailurePolicy"]["rules"];
  const Path rules_path = path.child("rules");
  if (rules.size() > static_cast<std::size_t>(kRulesMax)) {
    out.too_many("job.failure-policy-rule", rules_path, rules.size(), kRulesMax);
  }
  std::set<std::string_view> containers;
  for (const std::string_view list : {"containers", "initContainers"}) {
    const View items = spec["template"]["spec"][list];
    for (std::size_t i = 0; i < items.size(); ++i) containers.insert(items.at(i).text("name"));
  }
  for (std::size_t i = 0; i < rules.size(); ++i)
    check_failure_rule(out, spec, rules.at(i), containers, rules_path.item(i));
}

// --- success policy ---

/// How many indexes a text such as `0,2-4` lists, or what is wrong with it.
struct IndexCount {
  std::int64_t count = 0;
  std::string problem;
};

IndexCount count_indexes(std::string_view text, std::int64_t completions) {
  IndexCount out;
  if (text.empty()) return out;
  std::optional<std::int64_t> last;
  const auto read = [&](std::string_view digits) {
    const cron::Number number = cron::to_number(digits);
    if (!number.error.empty()) {
      out.problem = compose("cannot convert string to integer for index: {}", cron::quoted(digits));
    } else if (number.value >= completions) {
      out.problem = compose("too large index: {}", cron::quoted(digits));
    }
    return number.value;
  };
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = text.find(',');
    const std::string_view interval = text.substr(0, comma);
    is_last = comma == std::string_view::npos;
    if (!is_last) text.remove_prefix(comma + 1);
    const std::size_t dash = interval.find('-');
    if (dash != std::string_view::npos && interval.find('-', dash + 1) != std::string_view::npos) {
      return {0, compose("the fragment {} violates the requirement that an index interval can have at most two parts "
                         "separated by '-'",
                         cron::quoted(interval))};
    }
    const std::int64_t first = read(interval.substr(0, dash));
    if (!out.problem.empty()) return {0, out.problem};
    std::int64_t end = first;
    if (dash != std::string_view::npos) {
      end = read(interval.substr(dash + 1));
      if (!out.problem.empty()) return {0, out.problem};
      if (first >= end) return {0, compose("non-increasing order, previous: {}, current: {}", first, end)};
    }
    if (last && *last >= first) return {0, compose("non-increasing order, previous: {}, current: {}", *last, first)};
    out.count += end - first + 1;
    last = end;
  }
  return out;
}

void check_success_rule(Findings& out, View spec, View rule, const Path& path) {
  const View indexes = rule["succeededIndexes"];
  const auto count = rule.integer("succeededCount");
  const auto completions = spec.integer("completions");
  if (!indexes.present() && !count) {
    out.required("job.success-policy", path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  // Without completions, which is an error of its own, the original crashes here.
  if (!completions) return;
  IndexCount listed;
  if (indexes.present()) {
    const Path indexes_path = path.child("succeededIndexes");
    if (indexes.text().size() > static_cast<std::size_t>(kIndexTextMax)) {
      out.too_long("job.success-policy-indexes", indexes_path, kIndexTextMax);
    }
    listed = count_indexes(indexes.text(), *completions);
    if (!listed.problem.empty()) {
      out.invalid("job.success-policy-indexes", indexes_path, indexes.text(),
                  compose("error parsing succeededIndexes: {}", listed.problem));
    }
  }
  if (!count) return;
  const Path count_path = path.child("succeededCount");
  out.not_negative("job.success-policy-count", count_path, count);
  if (*count > *completions) {
    out.invalid("job.success-policy-count", count_path, *count,
                at_most(*completions) + " (the number of specified completions)");
  }
  if (indexes.present() && *count > listed.count) {
    out.invalid("job.success-policy-count", count_path, *count,
                at_most(listed.count) + " (the number of indexes in the specified succeededIndexes field)");
  }
}

void check_success_policy(Findings& out, View spec, const Path& path) {
  const View policy = spec["successPolicy"];
  if (!policy.present()) return;
  if (!is_indexed(spec)) {
    out.invalid("job.needs-indexed", path, *policy.json(), kNeedsIndexed);
    return;
  }
  const View rules = policy["rules"];
  const Path rules_path = path.child("rules");
  if (rules.size() == 0) {
    out.required("job.success-policy", rules_path,
                 "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.size() > static_cast<std::size_t>(kRulesMax)) {
    out.too_many("job.success-policy", rules_path, rules.size(), kRulesMax);
  }
  for (std::size_t i = 0; i < rules.size(); ++i) check_success_rule(out, spec, rules.at(i), rules_path.item(i));
}

void check_replacement_policy(Findings& out, View spec, const Path& path) {
  if (!spec["podReplacementPolicy"].present()) return;
  const std::string_view policy = spec.text("podReplacementPolicy");
  if (spec["podFailurePolicy"].present()) {
    if (policy != "Failed") out.unsupported("job.replacement-policy", path, policy, {"Failed"});
  } else if (policy != "Failed" && policy != "TerminatingOrFailed") {
    out.unsupported("job.replacement-policy", path, policy, {"Failed", "TerminatingOrFailed"});
  }
}

void check_restart_policy(Findings& out, View spec, const Path& path) {
  std::string_view policy = spec["template"]["spec"].text("restartPolicy");
  if (policy.empty() || policy == "Always") {
    out.required("job.restart-policy", path, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    out.unsupported("job.restart-policy", path, policy, {"OnFailure", "Never"});
  } else if (spec["podFailurePolicy"].present() && policy != "Never") {
    out.invalid("job.failure-policy-restart", path, policy,
                "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

/// What a Job and the template of a CronJob have in common.
void check_common(Findings& out, View spec, const PodOptions& options, const Path& path) {
  check_numbers(out, spec, path);
  check_managed_by(out, spec, path.child("managedBy"));
  check_completion_mode(out, spec, path);
  if (spec["podFailurePolicy"].present()) check_failure_policy(out, spec, path.child("podFailurePolicy"));
  check_success_policy(out, spec, path.child("successPolicy"));
  check_replacement_policy(out, spec, path.child("podReplacementPolicy"));
  check_pod_template(out, spec["template"], path.child("template"), options);
  check_restart_policy(out, spec, path.child("template.spec.restartPolicy"));
}

void check_spec(Findings& out, View spec, const PodOptions& options, const Path& path) {
  check_common(out, spec, options, path);
  check_selector(out, spec, path);
}

/// The name of the pod with the highest index becomes a host name.
void check_host_name(Findings& out, View job) {
  const View spec = job["spec"];
  const std::int64_t completions = spec["completions"].integer_or(0);
  if (!is_indexed(spec) || completions <= 0) return;
  const std::string_view name = job["metadata"].text("name");
  if (name.empty()) return;  // refused, or made by the API server
  const std::string host = compose("{}-{}", name, completions - 1);
  if (dns_label_problems(host).empty()) return;
  out.invalid("job.host-name", Path("metadata.name"), name,
              compose("will not able to create pod with invalid DNS label: {}", host));
}

// --- updates ---

void check_immutable(Findings& out, View spec, View old, std::string_view name, const Path& path) {
  if (semantically_equal(spec[name], old[name])) return;
  const Json nothing;
  out.invalid("job.immutable", path.child(name), spec[name].present() ? Shown(*spec[name].json()) : Shown(nothing),
              kImmutable);
}

void check_completions_update(Findings& out, View spec, View old, const Path& path) {
  if (!is_indexed(spec)) {
    check_immutable(out, spec, old, "completions", path);
    return;
  }
  const auto completions = spec.integer("completions");
  if (!completions || completions == old.integer("completions")) return;
  if (completions != spec.integer("parallelism")) {
    out.invalid("job.completions-update", path.child("completions"), *completions,
                "can only be modified in tandem with spec.parallelism");
  }
}

/// The template without what may change while a job is suspended and has never run.
Json without_scheduling(View pod_template) {
  Json part = pod_template.is_map() ? *pod_template.json() : Json::object();
  if (const auto meta = part.find("metadata"); meta != part.end() && meta->is_object()) {
    meta->erase("labels");
    meta->erase("annotations");
  }
  if (const auto spec = part.find("spec"); spec != part.end() && spec->is_object()) {
    for (const char* name : {"nodeSelector", "tolerations", "schedulingGates"}) spec->erase(name);
    if (const auto affinity = spec->find("affinity"); affinity != spec->end() && affinity->is_object()) {
      affinity->erase("nodeAffinity");
    }
  }
  return part;
}

void check_template_update(Findings& out, View job, View old, const Path& path) {
  const View now = job["spec"]["template"];
  const View before = old["spec"]["template"];
  // The API server compares with the job it has: suspended before the update, and never started.
  const bool may_move = old["spec"]["suspend"].flag() && !old["status"]["startTime"].present();
  const bool is_same = may_move ? semantically_equal(without_scheduling(now), without_scheduling(before))
                                : semantically_equal(now, before);
  if (!is_same) {
    out.invalid("job.template-update", path, now.present() ? Shown(*now.json()) : Shown(Json()), kImmutable);
  }
}

}  // namespace

void check_kube_job(Findings& out, View job, const PodOptions& options) {
  const Path spec_path("spec");
  check_meta(out, job["metadata"], Path("metadata"));
  check_generated_selector(out, job);
  check_spec(out, job["spec"], options, spec_path);
  check_host_name(out, job);
}

void check_kube_job_update(Findings& out, View job, View old, const PodOptions& options) {
  const Path path("spec");
  const View spec = job["spec"];
  const View old_spec = old["spec"];
  check_meta_update(out, job["metadata"], old["metadata"], Path("metadata"));
  check_spec(out, spec, options, path);
  check_completions_update(out, spec, old_spec, path);
  check_immutable(out, spec, old_spec, "selector", path);
  check_template_update(out, job, old, path.child("template"));
  for (const std::string_view name :
       {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    check_immutable(out, spec, old_spec, name, path);
  }
}

void check_job_template(Findings& out, View job_template, const PodOptions& options, const Path& path) {
  const View spec = job_template["spec"];
  const Path spec_path = path.child("spec");
  check_common(out, spec, options, spec_path);
  if (spec["selector"].present()) {
    out.invalid("cronjob.selector", spec_path.child("selector"), *spec["selector"].json(),
                "`selector` will be auto-generated");
  }
  if (spec["manualSelector"].flag()) {
    out.unsupported("cronjob.selector", spec_path.child("manualSelector"), Shown::raw("true"), {"nil", "false"});
  }
}

}  // namespace pumice::admission
