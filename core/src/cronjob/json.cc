#include "cronjob/json.h"

#include <array>

namespace pumice::cronjob {
namespace {

constexpr std::array<std::string_view, 17> kSentences{
    "the job of the due run was created",
    "the job of the due run was there already, and is taken into the list",
    "no run is due",
    "the run that is due was started before",
    "a run is due, but a job is active and the concurrency policy is Forbid",
    "the run that is due is behind its starting deadline",
    "the CronJob is suspended",
    "the CronJob is being deleted",
    "the time zone is unknown",
    "the schedule cannot be read",
    "no run can be told: the schedule has no two times in sight",
    "more than 100 runs were missed: nothing is started until the deadline or the last run changes",
    "somebody else's job has the name of the due run",
    "the job of the due run exists, and is in the list or has ended",
    "an object could not be read or written",
    "a job that was to be replaced could not be read or deleted",
    "the job of the due run could not be created",
};

constexpr std::array<std::string_view, 3> kMissed{"none", "few", "many"};

}  // namespace

std::string_view sentence_of(Verdict verdict) noexcept { return kSentences[static_cast<std::size_t>(verdict)]; }

Json effect_json(const Effect& effect, const CronJob& cronjob, Profile profile, Quirks quirks, const Zone& zone) {
  Json out = object_of({{"effect", effect_name(effect)}});
  if (const auto* read = std::get_if<ReadJob>(&effect)) {
    out["namespace"] = read->ns;
    out["name"] = read->name;
  } else if (const auto* create = std::get_if<CreateJob>(&effect)) {
    out["namespace"] = cronjob.meta->ns;
    out["name"] = create->name;
    out["job"] = job_json(cronjob, create->run, profile, quirks, zone);
  } else if (const auto* del = std::get_if<DeleteJob>(&effect)) {
    out["namespace"] = del->ns;
    out["name"] = del->name;
    if (profile != Profile::Volcano) out["propagationPolicy"] = "Background";
  } else if (const auto* write = std::get_if<WriteStatus>(&effect)) {
    out["status"] = status_json(write->status, profile);
  } else if (const auto* emit = std::get_if<EmitEvent>(&effect)) {
    EventWords words = words_of(emit->event, profile);
    out["type"] = words.warning ? "Warning" : "Normal";
    out["reason"] = words.reason;
    out["message"] = std::move(words.message);
  }
  return out;
}

Json trace_json(const SyncOutput& output, const ScheduleMemo& memo) {
  Json out = object_of({{"verdict", to_string(output.verdict)}, {"reason", sentence_of(output.verdict)}});
  if (!memo.text().empty()) out["schedule"] = memo.text();
  if (!output.due) return out;
  const Due& due = *output.due;
  out["earliest"] = to_rfc3339(due.earliest);
  if (due.run) out["due"] = to_rfc3339(*due.run);
  out["missed"] = kMissed[static_cast<std::size_t>(due.missed)];
  out["missedCount"] = due.count;
  out["cutByDeadline"] = due.by_deadline;
  return out;
}

}  // namespace pumice::cronjob
