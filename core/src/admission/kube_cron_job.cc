#include "admission/kube.h"
#include "admission/meta.h"
#include "admission/names.h"
#include "admission/schedules.h"
#include "compose.h"
#include "cron/go_text.h"
#include "pumice/cron/schedule.h"

namespace pumice::admission {
namespace {

constexpr std::size_t kNameMax = 52;

bool has_zone(std::string_view schedule) { return schedule.find("TZ") != std::string_view::npos; }

/// `old` is not present when the CronJob is created.
void check_schedule(Findings& out, View spec, View old, const Path& path) {
  const std::string_view schedule = spec.text("schedule");
  if (schedule.empty()) {
    out.required("cronjob.schedule", path);
    return;
  }
  if (const auto parsed = cron::parse_schedule(schedule); !parsed) {
    out.invalid("cronjob.schedule", path, schedule, parsed.diagnostics.front().message);
  }
  if (!has_zone(schedule)) return;
  if (!has_zone(old.text("schedule"))) {
    out.invalid("cronjob.schedule-zone", path, schedule,
                "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec["timeZone"].present()) {
    out.invalid("cronjob.schedule-zone", path, schedule,
                "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

void check_time_zone(Findings& out, View spec, const Path& path) {
  if (!spec["timeZone"].present()) return;
  const std::string_view zone = spec.text("timeZone");
  if (zone.empty()) {
    out.invalid("cronjob.time-zone", path, zone, "timeZone must be nil or non-empty string");
    return;
  }
  if (count_bad_zone_parts(zone) > 0) {
    out.invalid("cronjob.time-zone", path, zone, compose("unknown time zone {}", zone));
    return;
  }
  if (cron::lower(zone) == "local") {
    out.invalid("cronjob.time-zone", path, zone,
                "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  if (!is_loadable_zone(zone)) {
    const std::size_t before = out.size();
    out.invalid("cronjob.time-zone", path, zone, compose("unknown time zone {}", zone));
    if (out.size() > before) out.all().back().hint = zone_hint(zone);
  }
}

void check_spec(Findings& out, View spec, View old, const PodOptions& options) {
  const Path path("spec");
  check_schedule(out, spec, old, path.child("schedule"));
  out.not_negative("cronjob.negative", path.child("startingDeadlineSeconds"), spec.integer("startingDeadlineSeconds"));
  if (!old.present() || !semantically_equal(spec["timeZone"], old["timeZone"])) {
    check_time_zone(out, spec, path.child("timeZone"));
  }
  const std::string_view policy = spec.text("concurrencyPolicy");
  const Path policy_path = path.child("concurrencyPolicy");
  // It has its default.
  if (!policy.empty() && policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    out.unsupported("cronjob.concurrency-policy", policy_path, policy, {"Allow", "Forbid", "Replace"});
  }
  check_job_template(out, spec["jobTemplate"], options, path.child("jobTemplate"));
  for (const std::string_view name : {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"}) {
    out.not_negative("cronjob.negative", path.child(name), spec.integer(name));
  }
}

}  // namespace

void check_kube_cron_job(Findings& out, View cron_job, const PodOptions& options) {
  const Path meta("metadata");
  check_meta(out, cron_job["metadata"], meta);
  check_spec(out, cron_job["spec"], View(), options);
  const std::string_view name = cron_job["metadata"].text("name");
  if (name.size() > kNameMax) {
    out.invalid("cronjob.name-length", meta.child("name"), name, compose("must be no more than {} bytes", kNameMax));
  }
}

void check_kube_cron_job_update(Findings& out, View cron_job, View old, const PodOptions& options) {
  check_meta_update(out, cron_job["metadata"], old["metadata"], Path("metadata"));
  const Json nothing = Json::object();
  check_spec(out, cron_job["spec"], old["spec"].present() ? old["spec"] : View(&nothing), options);
}

}  // namespace pumice::admission
