#include "pumice/admission/review.h"

#include <algorithm>
#include <iterator>

#include "admission/defaults.h"
#include "admission/kube.h"
#include "admission/lint.h"
#include "admission/meta.h"
#include "admission/review_filled.h"
#include "admission/schema.h"
#include "admission/view.h"
#include "admission/volcano.h"
#include "admission/words.h"
#include "compose.h"
#include "cron/go_text.h"
#include "pumice/model/reader.h"

namespace pumice::admission {
namespace {

struct KindInfo {
  std::string_view api_version;
  std::string_view kind;
  std::string_view group;  ///< behind the kind in the API server's messages
};
/// In the order of `Kind`.
constexpr KindInfo kKinds[] = {
    {"batch.volcano.sh/v1alpha1", "Job", "batch.volcano.sh"},
    {"batch.volcano.sh/v1alpha1", "CronJob", "batch.volcano.sh"},
    {"flow.volcano.sh/v1alpha1", "JobFlow", "flow.volcano.sh"},
    {"flow.volcano.sh/v1alpha1", "JobTemplate", "flow.volcano.sh"},
    {"batch/v1", "Job", "batch"},
    {"batch/v1", "CronJob", "batch"},
};

const KindInfo& info_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

bool is_volcano(Kind kind) { return kind != Kind::Job && kind != Kind::CronJob; }

/// The API server's answer to an object with these problems; each text once.
std::string invalid_object(Kind kind, View object, const std::vector<Finding>& findings) {
  std::vector<std::string_view> texts;
  for (const Finding& finding : findings) {
    if (!finding.is_said || finding.rule->severity != Severity::Error) continue;
    if (std::find(texts.begin(), texts.end(), finding.message) == texts.end()) texts.push_back(finding.message);
  }
  if (texts.empty()) return {};
  std::string joined;
  for (const std::string_view text : texts) joined += compose("{}{}", joined.empty() ? "" : ", ", text);
  if (texts.size() > 1) joined = compose("[{}]", joined);
  const KindInfo& info = info_of(kind);
  return compose("{}.{} {} is invalid: {}", info.kind, info.group, cron::quoted(object["metadata"].text("name")),
                 joined);
}

/// The API server's answer to an object that it cannot read. Pod templates of Volcano's kinds it does not read: the
/// webhook does, and its answer is the reader's text alone.
std::string unreadable_object(Kind kind, const std::string& decode_error) {
  if (is_volcano(kind)) return decode_error;
  const KindInfo& info = info_of(kind);
  const std::string_view version = info.api_version.substr(info.api_version.find('/') + 1);
  return compose("{} in version {} cannot be handled as a {}: {}", info.kind, cron::quoted(version), info.kind,
                 decode_error);
}

bool has_errors(const Findings& findings, std::size_t first = 0) {
  return std::any_of(findings.all().begin() + static_cast<std::ptrdiff_t>(first), findings.all().end(),
                     [](const Finding& finding) { return finding.rule->severity == Severity::Error; });
}

// --- suppression ---

bool is_ignored(std::string_view id, const std::vector<std::string>& ignored) {
  return std::any_of(ignored.begin(), ignored.end(), [&](const std::string& one) { return is_rule_or_front(one, id); });
}

/// Gives findings the severity of the configuration, and drops what is to be left out.
void configure(std::vector<Finding>& findings, View object, const Options& options) {
  const View meta = object["metadata"];
  const std::string_view ns = meta.text("namespace").empty() ? std::string_view("default") : meta.text("namespace");
  const std::vector<std::string> annotated = words_of(meta["annotations"].text("pumice.dev/ignore"));
  std::erase_if(findings, [&](Finding& finding) {
    // An error is never left out: the cluster does not either.
    if (finding.rule->severity == Severity::Error) return false;
    const std::string_view id = finding.rule->id;
    const auto action = options.lint_config == nullptr ? std::nullopt : options.lint_config->action_for(id, ns);
    if (action == LintAction::Deny) finding.severity = Severity::Error;
    if (action == LintAction::Warn) finding.severity = Severity::Warning;
    if (action == LintAction::Note) finding.severity = Severity::Note;
    if (action == LintAction::Deny) return false;
    return action == LintAction::Ignore || is_ignored(id, options.ignored) || is_ignored(id, annotated);
  });
}

// --- updates from manifests ---

/// A Job that replaces another keeps the selector that was made for that, unless it says otherwise.
void keep_generated(Json& job, View old) {
  Defaulter keep(job);
  if (View(&job)["spec"]["manualSelector"].flag()) return;
  if (old["metadata"]["uid"].present()) keep.set_absent("metadata.uid", *old["metadata"]["uid"].json(), "");
  if (old["spec"]["selector"].present()) keep.set_absent("spec.selector", *old["spec"]["selector"].json(), "");
  const View labels = old["spec"]["template"]["metadata"]["labels"];
  if (!labels.is_map()) return;
  keep.set_absent("spec.template.metadata.labels", Json::object(), "");
  Json& own = job["spec"]["template"]["metadata"]["labels"];
  if (!own.is_object()) return;
  for (const std::string_view key :
       {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"}) {
    if (labels[key].present()) own.emplace(std::string(key), *labels[key].json());
  }
}

// --- rules by kind ---

/// Runs the rules of a kind; what the cluster answers, empty if it has no objection.
std::string check_rules(Findings& out, Kind kind, const Json& object, const Json* old, const Options& options) {
  const View view(&object);
  // Volcano's webhook has all relaxations off; the API server has them on.
  const PodOptions relaxed{.pod_level_resources = options.pod_level_resources,
                           .relaxed_env_names = true,
                           .relaxed_dns_search = true,
                           .zero_sleep = true};
  switch (kind) {
    case Kind::VolcanoJob:
      return old == nullptr ? check_volcano_job(out, view, options) : check_volcano_job_update(out, view, View(old));
    case Kind::VolcanoCronJob: return check_volcano_cron_job(out, view);
    case Kind::JobFlow: return check_job_flow(out, view);
    case Kind::JobTemplate: return {};  // it has no webhook
    case Kind::Job: {
      const std::size_t before = out.size();
      if (old == nullptr) {
        Json generated = object;
        generate_selector(generated);
        check_kube_job(out, View(&generated), relaxed);
      } else {
        check_kube_job_update(out, view, View(old), relaxed);
      }
      return has_errors(out, before) ? invalid_object(kind, view, out.all()) : std::string();
    }
    case Kind::CronJob: {
      const std::size_t before = out.size();
      if (old == nullptr) {
        check_kube_cron_job(out, view, relaxed);
      } else {
        check_kube_cron_job_update(out, view, View(old), relaxed);
      }
      return has_errors(out, before) ? invalid_object(kind, view, out.all()) : std::string();
    }
  }
  return {};
}

Diagnostics diagnostics_of(std::vector<Finding>&& findings) {
  Diagnostics out;
  out.reserve(findings.size());
  // Errors first; each group keeps its order.
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    for (Finding& finding : findings) {
      if (finding.severity != severity) continue;
      Diagnostic diagnostic;
      diagnostic.severity = severity;
      diagnostic.code = finding.rule->id;
      diagnostic.field = std::move(finding.field);
      diagnostic.message = std::move(finding.message);
      diagnostic.hint = finding.hint.empty() ? std::string(finding.rule->fix) : std::move(finding.hint);
      out.push_back(std::move(diagnostic));
    }
  }
  return out;
}

Json with_defaults(Kind kind, const Json& object, const Options& options) {
  Json filled = object;
  Defaulter defaulter(filled);
  apply_defaults(defaulter, kind, options);
  return filled;
}

}  // namespace

std::optional<Kind> kind_of(std::string_view api_version, std::string_view kind) noexcept {
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].api_version == api_version && kKinds[i].kind == kind) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

Review review(Kind kind, const Json& object, const Json* old, const Options& options) {
  return review_filled(kind, object, old, options, options.fill);
}

Review review_filled(Kind kind, const Json& object, const Json* old, const Options& options, bool fill) {
  Review out;
  out.patch = Json::array();
  Findings findings;
  if (!object.is_object()) {
    out.allowed = false;
    out.readable = false;
    out.message = unreadable_object(kind, "json: cannot unmarshal into Go value: not an object");
    findings.add("schema.type", "", "an object must be a map");
    out.diagnostics = diagnostics_of(std::move(findings.all()));
    return out;
  }
  const SchemaResult schema = check_schema(findings, kind, object, options.schema);
  const bool is_refused_by_schema = has_errors(findings) && !schema.has_type_errors;
  if (schema.has_type_errors) {
    const bool is_by_definition = std::any_of(findings.all().begin(), findings.all().end(), [](const Finding& finding) {
      return finding.rule->id.starts_with("volcano.schema.");
    });
    out.allowed = false;
    out.readable = false;
    out.message = is_by_definition && options.schema ? invalid_object(kind, View(&object), findings.all())
                                                     : unreadable_object(kind, schema.decode_error);
    // Rules would take what cannot be read for absent.
    configure(findings.all(), View(&object), options);
    out.diagnostics = diagnostics_of(std::move(findings.all()));
    return out;
  }
  Json old_filled;
  if (fill) {
    out.defaulted = object;
    Defaulter defaulter(out.defaulted);
    apply_defaults(defaulter, kind, options);
    if (old != nullptr) {
      old_filled = with_defaults(kind, *old, options);
      if (kind == Kind::Job) {
        generate_selector(old_filled);
        keep_generated(out.defaulted, View(&old_filled));
      }
      old = &old_filled;
    }
    out.defaults = std::move(defaulter.defaults());
    out.patch = defaulter.take_patch();
    if (options.upstream_patch && kind == Kind::VolcanoJob) out.patch = upstream_patch(object, out.defaulted);
  }
  const Json& filled = fill ? out.defaulted : object;
  std::string refusal;
  if (options.schema && is_volcano(kind)) {
    if (old == nullptr) {
      check_meta(findings, View(&object)["metadata"], Path("metadata"));
    } else {
      check_meta_update(findings, View(&object)["metadata"], View(old)["metadata"], Path("metadata"));
    }
    if (is_refused_by_schema || has_errors(findings)) refusal = invalid_object(kind, View(&object), findings.all());
  }
  const std::size_t before = findings.size();
  out.message = check_rules(findings, kind, filled, old, options);
  if (!refusal.empty()) {
    // The API server has refused the object before a webhook could see it.
    findings.unsay(before);
    out.message = std::move(refusal);
  }
  out.allowed = out.message.empty();
  if (options.lint) lint(findings, kind, View(&filled), View(&object), options);
  configure(findings.all(), View(&object), options);
  out.diagnostics = diagnostics_of(std::move(findings.all()));
  return out;
}

void locate(Diagnostics& diagnostics, const YamlNode& object, std::string_view file) {
  for (Diagnostic& finding : diagnostics) {
    finding.file = file;
    if (!finding.range.begin.known()) finding.range = range_of(object, finding.field);
  }
}

std::vector<Queue> queues_from(const Json& objects) {
  std::vector<Queue> queues;
  const View root(&objects);
  const View list = root.is_list() ? root : root["items"];
  const auto add = [&](View object) {
    const std::string_view kind = object.text("kind");
    if (!object.is_map() || (!kind.empty() && kind != "Queue")) return;
    queues.push_back({std::string(object["metadata"].text("name")), std::string(object["status"].text("state")),
                      std::string(object["spec"].text("parent"))});
  };
  if (list.is_list()) {
    for (std::size_t i = 0; i < list.size(); ++i) add(list.at(i));
  } else {
    add(root);
  }
  std::erase_if(queues, [](const Queue& queue) { return queue.name.empty(); });
  return queues;
}

}  // namespace pumice::admission
