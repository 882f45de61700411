// Admission: will this object be accepted, in which words would it be refused, and what is filled into it?
//
// Behaviour: spec/volcano-admission.md for Volcano Jobs, CronJobs and JobFlows, spec/k8s-job.md 2.1 and 14 and
// spec/k8s-cronjob.md 2 and 9 for those of Kubernetes. Texts are the originals', word for word and in their order;
// where the original takes the order of a hash map, names are sorted. Of an object that is refused all problems are
// reported, also those that the original does not get to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/admission/lint_config.h"
#include "pumice/admission/rule.h"
#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/time.h"
#include "pumice/yaml.h"

namespace pumice::admission {

enum class Kind : std::uint8_t { VolcanoJob, VolcanoCronJob, JobFlow, JobTemplate, Job, CronJob };
/// The kind of `apiVersion` and `kind`; absent if it is none of these.
[[nodiscard]] std::optional<Kind> kind_of(std::string_view api_version, std::string_view kind) noexcept;

enum class Operation : std::uint8_t { Create, Update };

/// What the rules look at of a Queue.
struct Queue {
  std::string name;
  std::string state;   ///< `status.state`
  std::string parent;  ///< `spec.parent`
};

struct Options {
  /// The cluster's queues. Absent: nothing is known of them, and their rules are left out.
  std::optional<std::vector<Queue>> queues;
  /// Without queues: why they are not known, and Volcano Jobs are refused for it. Empty: they are not.
  std::string queues_missing;
  /// What a Volcano Job without a scheduler gets.
  std::string scheduler_name = "volcano";
  /// The feature gate PodLevelResources of the cluster.
  bool pod_level_resources = true;
  /// The object is what a person wrote: defaults are filled in before rules are looked at, also into what it replaces.
  /// Otherwise it comes from an API server, which has done its part.
  bool fill = true;
  /// Rules of the resource definition and of metadata too. A webhook behind an API server never sees objects that break
  /// them.
  bool schema = true;
  bool lint = true;
  /// Where the two years begin in which schedules are held against clock changes; absent: they are not.
  std::optional<Time> after;
  /// Ids of lint rules to leave out; `volcano.lint` leaves out all that begin with `volcano.lint.`. An object's
  /// annotation `pumice.dev/ignore` lists more, separated by commas or blanks.
  std::vector<std::string> ignored;
  /// What is done with findings that are no errors; outlives the call. What it denies is an error then, and neither
  /// `ignored` nor the annotation leaves that out; whether a cluster accepts the object (`Review::allowed`) does not
  /// change.
  const LintConfig* lint_config = nullptr;
  /// The patch as Volcano's own webhook writes it, whole lists replaced, and not as small as it can be.
  bool upstream_patch = false;
};

/// One value that is filled in.
struct Default {
  std::string field;  ///< `spec.tasks[0].minAvailable`
  Json value;
  std::string why;  ///< one phrase
};

struct Review {
  bool allowed = true;
  bool readable = true;  ///< false: some value has a wrong type, and nothing else was looked at
  /// What the cluster answers if it is not: the webhook's text (without `admission webhook … denied the request`), or
  /// the API server's.
  std::string message;
  /// Everything found, errors first, in the original's order; lint behind. Codes are ids of rules. An error that is no
  /// part of `message` is one that the original would report only after the others are mended.
  Diagnostics diagnostics;
  std::vector<Default> defaults;
  Json patch;      ///< JSON Patch (RFC 6902) for `defaults`: a list, empty if there are none; null as upstream's may be
  Json defaulted;  ///< the object with its defaults; null if they were not asked for
};

/// Reviews an object as the cluster does when it is created, or in place of `old` when it is updated. Diagnostics have
/// no positions; `locate` adds them.
[[nodiscard]] Review review(Kind kind, const Json& object, const Json* old, const Options& options);

/// Gives each finding the place of its field in the document.
void locate(Diagnostics& diagnostics, const YamlNode& object, std::string_view file);

/// Answers an AdmissionReview (`admission.k8s.io/v1`): {review, diagnostics}, where `review` is an AdmissionReview with
/// a response. What cannot be answered otherwise is denied with a reason (spec/volcano-admission.md 1.5); there is no
/// input without an answer. `path` is that of the webhook (`/jobs/mutate`, `/jobs/validate`, …) and decides whether
/// defaults or rules are asked for; empty: both. Where rules are asked for, what `lint_config` denies is refused too,
/// except in an update that leaves the spec as it is: nothing that is there already gets stuck.
[[nodiscard]] Json answer_review(const Json& review, std::string_view path, const Options& options);

/// Queues from objects as the API has them: a list, a `QueueList`, or one; what is no Queue is left out.
[[nodiscard]] std::vector<Queue> queues_from(const Json& objects);

}  // namespace pumice::admission
