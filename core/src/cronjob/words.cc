// Names and texts, those of upstream word for word.
#include <array>
#include <cstddef>

#include "pumice/cronjob/sync.h"

namespace pumice::cronjob {
namespace {

struct Row {
  bool warning;
  std::string_view reason;
  std::string_view text;
};
struct Pair {
  Row kubernetes;
  Row volcano;
};

constexpr std::string_view kTooMany =
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";

/// By code. An event that a side does not know has no reason there.
constexpr std::array<Pair, 21> kEvents{{
    {{true, "UnexpectedJob", "Saw a job that the controller did not create or forgot: $1"},
     {true, "OrphanedJob", "Detected orphaned job forgotten or not managed by controller: $1 (UID: $2)"}},
    {{false, "SawCompletedJob", "Saw completed job: $1, condition: $2"},
     {false, "SawCompletedJob", "Saw completed job: $1 in active, remove"}},
    {{false, "MissingJob", "Active job went missing: $1"},
     {true, "StaleReference", "Active job \"$1\" no longer exists (UID: $2)"}},
    {{}, {true, "StaleReference", "Active job reference \"$1\" points to a different UID (expected: $2, actual: $3)"}},
    {{true, "UnknownTimeZone", "invalid timeZone: $1: $2"}, {true, "InvalidTimeZone", "Invalid time zone $1: $2"}},
    {{true, "UnparseableSchedule", "unparseable schedule: $1 : $2"}, {}},
    {{true, "InvalidSchedule", "invalid schedule: $1 : $2"},
     {true, "InvalidSchedule", "Error getting schedule time: $2"}},
    {{true, "MissSchedule", "Missed scheduled time to start a job: $1"},
     {true, "MissSchedule", "Missed scheduled time to start a job: $1"}},
    {{false, "JobAlreadyActive",
      "Not starting job because prior execution is running and concurrency policy is Forbid"},
     {true, "ForbidConcurrent", "Skipping job creation because another job is already running"}},
    {{}, {true, "ReplaceConcurrent", "Replacing active job for CronJob"}},
    {{true, "FailedGet", "Get job: $2"}, {true, "FailedGet", "Get job: $2"}},
    {{false, "SuccessfulDelete", "Deleted job $1"}, {false, "SuccessfulDelete", "Deleted job \"$1\""}},
    {{true, "FailedDelete", "Deleted job: $2"}, {true, "FailedDelete", "Error deleting job \"$1\": $2"}},
    {{false, "SuccessfulCreate", "Created job $1"}, {false, "SuccessfulCreate", "Created job $1 for CronJob $2"}},
    {{true, "FailedCreate", "Error creating job: $2"}, {true, "FailedCreate", "Failed to create job: $2"}},
    {{}, {true, "NamespaceTerminating", "Namespace $1 is terminating, skipping job creation"}},
    {{}, {true, "ForeignJob", "Job $1 exists but is not owned by this CronJob (current owner: $2)"}},
    {{true, "UnsupportedSchedule",
      "CRON_TZ or TZ used in schedule $1 is not officially supported, see "
      "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"},
     {true, "UnsupportedSchedule",
      "CRON_TZ or TZ in the schedule $1 is not officially supported. If set, the TimeZone field will be ignored during "
      "execution."}},
    {{true, "TooManyMissedTimes", kTooMany}, {true, "TooManyMissedTimes", kTooMany}},
    {{true, "FailedNeedsStart", "Cannot determine if job needs to be started: $2"}, {}},
    {{true, "UnParseableCronJobSchedule", "unparseable schedule for cronjob: $1"},
     {true, "UnParseableCronJobSchedule", "unparseable schedule for cronjob: $1"}},
}};

constexpr std::array<std::string_view, 6> kEffects{"ReadCronJob", "ReadJob",     "CreateJob",
                                                   "DeleteJob",   "WriteStatus", "EmitEvent"};
constexpr std::array<std::string_view, 6> kReplies{"Ok",       "NotFound", "AlreadyExists", "NamespaceTerminating",
                                                   "Conflict", "Other"};
constexpr std::array<std::string_view, 17> kVerdicts{
    "Started",    "Adopted",         "NotDue",      "AlreadyHandled", "Forbidden",    "TooLate",
    "Suspended",  "Deleting",        "UnknownZone", "Unparseable",    "NoRunInSight", "TooManyMissed",
    "ForeignJob", "JobThereAlready", "ReadFailed",  "ReplaceFailed",  "CreateFailed"};

}  // namespace

EventWords words_of(const Event& event, Profile profile) {
  const Pair& pair = kEvents[static_cast<std::size_t>(event.code)];
  const Row& row = profile == Profile::Volcano ? pair.volcano : pair.kubernetes;
  std::string_view text = row.text;
  if (profile == Profile::Legacy && event.code == EventCode::SawCompletedJob)
    text = "Saw completed job: $1, status: $2";
  EventWords words{row.warning, row.reason, {}};
  const std::array<const std::string*, 3> parts{&event.subject, &event.detail, &event.detail2};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') {
      words.message += *parts[static_cast<std::size_t>(text[++i] - '1')];
    } else {
      words.message += text[i];
    }
  }
  return words;
}

std::string_view effect_name(const Effect& effect) noexcept { return kEffects[effect.index()]; }

std::string_view to_string(ReplyCode code) noexcept { return kReplies[static_cast<std::size_t>(code)]; }

std::optional<ReplyCode> reply_code_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kReplies.size(); ++i) {
    if (kReplies[i] == text) return static_cast<ReplyCode>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Verdict verdict) noexcept { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::string api_error(ReplyCode code, std::string_view name, Profile profile) {
  std::string text = profile == Profile::Volcano ? "jobs.batch.volcano.sh \"" : "jobs.batch \"";
  text.append(name);
  switch (code) {
    case ReplyCode::Ok: return {};
    case ReplyCode::NotFound: return text + "\" not found";
    case ReplyCode::AlreadyExists: return text + "\" already exists";
    case ReplyCode::NamespaceTerminating: return text + "\" is forbidden: the namespace is being terminated";
    case ReplyCode::Conflict:
      return "the object has been modified; please apply your changes to the latest version and try again";
    case ReplyCode::Other: return "the request failed";
  }
  return {};
}

}  // namespace pumice::cronjob
