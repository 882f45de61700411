// CronJobs and jobs from documents.
#include <array>
#include <utility>

#include "model/fields.h"
#include "pumice/cronjob/cronjob.h"

namespace pumice::cronjob {
namespace {

constexpr std::string_view kVolcanoBatch = "batch.volcano.sh/v1alpha1";
constexpr std::array<std::string_view, 3> kPolicies{"Allow", "Forbid", "Replace"};

void read_template(FieldReader& parent, ReadMode mode, Spec& spec) {
  std::optional<FieldReader> reader = parent.object("jobTemplate");
  if (!reader) {
    if (mode == ReadMode::Manifest && !parent.has("jobTemplate")) {
      parent.report_at("jobTemplate", Severity::Error, "MissingField", "a CronJob needs a `jobTemplate`");
    }
    return;
  }
  if (std::optional<FieldReader> meta = reader->object("metadata")) {
    spec.labels = meta->string_map("labels");
    spec.annotations = meta->string_map("annotations");
  }
  if (std::optional<FieldReader> job = reader->object("spec")) spec.job_spec = to_json(job->node());
  if (mode == ReadMode::Manifest) reader->finish();
}

/// What the API server fills in (spec 2).
void fill_in(Spec& spec) {
  if (spec.policy_text.empty()) spec.policy_text = kPolicies[0];
  if (!spec.successful_limit) spec.successful_limit = 3;
  if (!spec.failed_limit) spec.failed_limit = 1;
}

void check_manifest(FieldReader& reader, const Spec& spec) {
  check_word(reader, "concurrencyPolicy", spec.policy_text, "concurrency policy", {kPolicies.begin(), kPolicies.end()});
  if (spec.schedule.empty() && !reader.has("schedule")) {
    reader.report_at("schedule", Severity::Error, "MissingField", "a CronJob needs a `schedule`");
  }
  const std::pair<std::string_view, std::int64_t> numbers[] = {
      {"startingDeadlineSeconds", spec.starting_deadline_seconds.value_or(0)},
      {"successfulJobsHistoryLimit", spec.successful_limit.value_or(0)},
      {"failedJobsHistoryLimit", spec.failed_limit.value_or(0)}};
  for (const auto& [name, value] : numbers) {
    if (value < 0) reader.report_at(name, Severity::Error, "InvalidValue", "must not be negative");
  }
  reader.finish();
}

Spec read_spec(FieldReader& reader, ReadMode mode) {
  Spec spec;
  spec.schedule = reader.string("schedule").value_or("");
  spec.time_zone = reader.string("timeZone");
  spec.starting_deadline_seconds = reader.int64("startingDeadlineSeconds");
  spec.policy_text = reader.string("concurrencyPolicy").value_or("");
  for (std::size_t i = 0; i < kPolicies.size(); ++i) {
    if (spec.policy_text == kPolicies[i]) spec.policy = static_cast<ConcurrencyPolicy>(i);
  }
  spec.suspend = reader.boolean("suspend").value_or(false);
  spec.successful_limit = reader.int32("successfulJobsHistoryLimit");
  spec.failed_limit = reader.int32("failedJobsHistoryLimit");
  read_template(reader, mode, spec);
  if (mode == ReadMode::Manifest) {
    check_manifest(reader, spec);
    fill_in(spec);
  }
  return spec;
}

Status read_status(FieldReader& reader, const std::string& ns) {
  Status status;
  for (FieldReader& item : reader.list("active")) {
    Reference reference;
    reference.ns = item.string("namespace").value_or(ns);
    reference.name = item.string("name").value_or("");
    reference.uid = item.string("uid").value_or("");
    reference.kind = item.string("kind").value_or("");
    reference.api_version = item.string("apiVersion").value_or("");
    reference.resource_version = read_resource_version(item);
    status.active.push_back(std::move(reference));
  }
  status.last_schedule = read_time(reader, "lastScheduleTime");
  status.last_successful = read_time(reader, "lastSuccessfulTime");
  return status;
}

/// The first condition of type Complete or Failed that is True (spec 7.1).
Finish read_conditions(FieldReader& status) {
  Finish finish = Finish::Running;
  for (FieldReader& item : status.list("conditions")) {
    const std::string type = item.string("type").value_or("");
    const bool ends = (type == "Complete" || type == "Failed") && item.string("status").value_or("") == "True";
    if (ends && finish == Finish::Running) finish = type == "Complete" ? Finish::Complete : Finish::Failed;
  }
  return finish;
}

Finish finish_of(std::string_view phase) {
  if (phase == "Completed") return Finish::Complete;
  if (phase == "Failed") return Finish::Failed;
  if (phase == "Terminated") return Finish::Terminated;
  return phase == "Aborted" ? Finish::Aborted : Finish::Running;
}

}  // namespace

bool is_cronjob(const ObjectHeader& header) noexcept {
  return header.kind == "CronJob" && (header.api_version == kVolcanoBatch || header.api_version == "batch/v1" ||
                                      header.api_version == "batch/v1beta1" || header.api_version == "batch/v2alpha1");
}

Profile profile_of(std::string_view api_version) noexcept {
  return api_version == kVolcanoBatch ? Profile::Volcano : Profile::V2;
}

CronJob read_cronjob(FieldReader& object, ReadMode mode) {
  CronJob cronjob;
  for (const std::string_view part : {"metadata", "spec"}) {
    if (mode != ReadMode::Manifest || object.has(part)) continue;
    object.report_at(part, Severity::Error, "MissingField", "a CronJob needs `" + std::string(part) + "`");
  }
  if (std::optional<FieldReader> reader = object.object("metadata")) {
    ObjectMeta meta = read_meta(*reader, mode);
    cronjob.resource_version = meta.resource_version;
    cronjob.meta = std::make_shared<const ObjectMeta>(std::move(meta));
  }
  if (std::optional<FieldReader> reader = object.object("spec")) {
    cronjob.spec = std::make_shared<const Spec>(read_spec(*reader, mode));
  }
  if (std::optional<FieldReader> reader = object.object("status")) {
    cronjob.status = read_status(*reader, cronjob.meta->ns);
  }
  object.ignore({"apiVersion", "kind"});
  if (mode == ReadMode::Manifest) object.finish();
  return cronjob;
}

ChildJob read_child(FieldReader& object, Profile profile) {
  ChildJob job;
  const std::string api_version = object.string("apiVersion").value_or("");
  const bool is_volcano = api_version.empty() ? profile == Profile::Volcano : api_version == kVolcanoBatch;
  if (std::optional<FieldReader> reader = object.object("metadata")) {
    ObjectMeta meta = read_meta(*reader, ReadMode::Wire);
    if (meta.creation != Time{}) job.creation = meta.creation;
    job.deletion = meta.deletion;
    job.ns = std::move(meta.ns);
    job.name = std::move(meta.name);
    job.uid = std::move(meta.uid);
    job.resource_version = meta.resource_version;
    for (OwnerReference& owner : meta.owners) {
      if (!owner.controller) continue;
      job.controller = std::make_shared<const OwnerReference>(std::move(owner));
      break;
    }
  }
  if (std::optional<FieldReader> status = object.object("status")) {
    if (is_volcano) {
      if (std::optional<FieldReader> state = status->object("state")) {
        job.finish = finish_of(state->string("phase").value_or(""));
        job.completion = read_time(*state, "lastTransitionTime");
      }
    } else {
      job.finish = read_conditions(*status);
      job.start = read_time(*status, "startTime");
      job.completion = read_time(*status, "completionTime");
    }
  }
  return job;
}

}  // namespace pumice::cronjob
