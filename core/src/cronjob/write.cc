// What the controllers write, in the form of the API.
#include "civil.h"
#include "cronjob/zone_text.h"
#include "pumice/cronjob/cronjob.h"

namespace pumice::cronjob {
namespace {

std::string_view job_api_version(Profile profile) {
  return profile == Profile::Volcano ? "batch.volcano.sh/v1alpha1" : "batch/v1";
}

std::string seconds_text(Time time) { return to_rfc3339(whole_seconds(time)); }

}  // namespace

std::string time_in_zone(Time time, const Zone& zone) {
  const std::int64_t at = floor_div(time.ns, kSecond.ns);
  const std::int32_t offset = zone.period_at(at).offset;
  if (offset == 0) return seconds_text(time);
  std::string text = seconds_text(time + seconds(offset));
  const std::int32_t minutes = (offset < 0 ? -offset : offset) / 60;
  text.back() = offset < 0 ? '-' : '+';
  for (const std::int32_t part : {minutes / 60, minutes % 60}) {
    if (text.back() != '-' && text.back() != '+') text += ':';
    text += static_cast<char>('0' + part / 10);
    text += static_cast<char>('0' + part % 10);
  }
  return text;
}

std::string job_name(const CronJob& cronjob, Time run, Profile profile, Quirks quirks) {
  const std::int64_t second = floor_div(run.ns, kSecond.ns);
  // Go divides towards zero.
  const bool minutes = profile != Profile::Legacy && quirks.has(Quirk::SharedMinuteName);
  return cronjob.meta->name + "-" + std::to_string(minutes ? second / 60 : second);
}

OwnerReference owner_of(const CronJob& cronjob, Profile profile) {
  return {std::string(job_api_version(profile)), "CronJob", cronjob.meta->name, cronjob.meta->uid, true};
}

Json job_json(const CronJob& cronjob, Time run, Profile profile, Quirks quirks, const Zone& zone) {
  const Spec& spec = *cronjob.spec;
  Json owner = object_of({{"apiVersion", job_api_version(profile)},
                          {"kind", "CronJob"},
                          {"name", cronjob.meta->name},
                          {"uid", cronjob.meta->uid},
                          {"controller", true},
                          {"blockOwnerDeletion", true}});
  Json meta = object_of({{"name", job_name(cronjob, run, profile, quirks)}, {"ownerReferences", Json::array()}});
  meta["ownerReferences"].push_back(std::move(owner));
  if (profile == Profile::V2) meta["creationTimestamp"] = seconds_text(run);
  if (!spec.labels.empty()) meta["labels"] = spec.labels;
  StringMap annotations = spec.annotations;
  if (profile == Profile::V2) annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"] = time_in_zone(run, zone);
  if (profile == Profile::Volcano) annotations["volcano.sh/cronjob-scheduled-timestamp"] = time_in_zone(run, zone);
  if (!annotations.empty()) meta["annotations"] = std::move(annotations);
  Json job = object_of({{"apiVersion", job_api_version(profile)}, {"kind", "Job"}, {"metadata", std::move(meta)}});
  if (!spec.job_spec.is_null()) job["spec"] = spec.job_spec;
  return job;
}

Json status_json(const Status& status, Profile profile) {
  Json out = Json::object();
  for (const Reference& reference : status.active) {
    Json item = object_of(
        {{"apiVersion", reference.api_version.empty() ? std::string(job_api_version(profile)) : reference.api_version},
         {"kind", reference.kind.empty() ? "Job" : reference.kind},
         {"name", reference.name},
         {"namespace", reference.ns},
         {"uid", reference.uid}});
    if (reference.resource_version != 0) item["resourceVersion"] = std::to_string(reference.resource_version);
    out["active"].push_back(std::move(item));
  }
  if (status.last_schedule) out["lastScheduleTime"] = seconds_text(*status.last_schedule);
  if (status.last_successful) out["lastSuccessfulTime"] = seconds_text(*status.last_successful);
  return out;
}

}  // namespace pumice::cronjob
