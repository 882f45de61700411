// Profiles and quirks: names, texts, and which belongs to which.
#include <array>

#include "pumice/cronjob/cronjob.h"

namespace pumice::cronjob {
namespace {

constexpr std::array<std::string_view, 3> kProfiles{"cronjob", "cronjob-legacy", "volcano-cronjob"};

constexpr ProfileBits kV2 = profile_bit::kCronJob;
constexpr ProfileBits kLegacy = profile_bit::kCronJobLegacy;
constexpr ProfileBits kVolcano = profile_bit::kVolcanoCronJob;
constexpr ProfileBits kNewer = kV2 | kVolcano;
constexpr ProfileBits kAll = kV2 | kLegacy | kVolcano;

constexpr QuirkRow<Quirk> kRows[] = {
    {Quirk::MissedEstimate,
     {"missed-estimate", "missed runs are estimated, not found",
      "Missed runs are counted by the gap between the first two. Where gaps differ (office hours), the estimate can "
      "miss "
      "the latest run, which then is not started.",
      "The latest missed run is found by looking at all of them.", kNewer}},
    {Quirk::LastRunLost,
     {"last-run-lost", "the last run of all is not started",
      "A run behind which the schedule does not fire again within five years is not started.",
      "It is started like any other.", kNewer}},
    {Quirk::EveryBelowDeadline,
     {"every-below-deadline", "@every may never start",
      "The starting deadline moves the moment from which `@every` counts along with the clock. If it is shorter than "
      "the "
      "period, no run is ever due.",
      "The deadline only says which runs are too late.", kAll}},
    {Quirk::HundredMissed,
     {"hundred-missed", "more than 100 missed runs end it all",
      "After more than 100 missed runs nothing is started any more, until the CronJob is made anew or has a starting "
      "deadline.",
      "The latest missed run is started, however many there are.", kLegacy}},
    {Quirk::SilentDeadline,
     {"silent-deadline", "a run lost to its deadline leaves no event",
      "A run that is too late for startingDeadlineSeconds is passed over without an event.", "An event tells of it.",
      kAll}},
    {Quirk::DeadlineOverflow,
     {"deadline-overflow", "a deadline above 292 years overflows",
      "A startingDeadlineSeconds of more than 292 years overflows, as nanoseconds do in 64 bit, and counts as a time "
      "in "
      "the past.",
      "It counts as endless.", kAll}},
    {Quirk::ForbidPostpones,
     {"forbid-postpones", "a forbidden run starts late",
      "With Forbid a run that meets a running job stays due and starts when that job ends, however late.",
      "The run is skipped, and the next one is the next of the schedule.", kNewer}},
    {Quirk::OldTimer,
     {"old-timer", "a changed schedule keeps its old wake-up",
      "When the schedule changes the old wake-up stays in the queue: the CronJob is looked at for nothing.",
      "The old wake-up is taken away.", kNewer}},
    {Quirk::StaleCopy,
     {"stale-copy", "what was read live is overwritten",
      "After the CronJob was read from the API server, the copy from before is written.",
      "What was read is what is changed and written.", kNewer}},
    {Quirk::OrphansIgnored,
     {"orphans-ignored", "an unknown running job is not taken in",
      "An unfinished job of the CronJob's that is not in status.active is told of in an event and left out.",
      "It is taken into the list.", kAll}},
    {Quirk::SharedMinuteName,
     {"shared-minute-name", "two runs within a minute share a name",
      "The name of a job holds the minute of its run. `@every 30s` has two runs of one name, and the second is not "
      "started.",
      "The name of a run that does not lie on a minute holds its second.", kNewer}},
    {Quirk::ExistingJobRefused,
     {"existing-job-refused", "a job that exists already is an error",
      "A job of the run's name that exists already is an error, and never comes into the list.",
      "If it belongs to the CronJob it is taken in.", kLegacy}},
    {Quirk::StatusLostOnError,
     {"status-lost-on-error", "an error leaves the status unwritten",
      "If anything fails in a look, what was done until then does not come into the status: with Forbid a second job "
      "may "
      "start.",
      "The status is written all the same.", kVolcano, "volcano-sh/volcano#5619"}},
    {Quirk::StatusFailureIgnored,
     {"status-failure-ignored", "a failed status write is not repeated",
      "If the status cannot be written nothing is tried again.", "The look ends in an error and is tried again.",
      kVolcano}},
    {Quirk::TerminatedKept,
     {"terminated-kept", "Terminated jobs are never cleaned up",
      "Jobs that are Terminated count for no history limit and stay for ever.", "They count as failed.", kVolcano}},
    {Quirk::AbortedActive,
     {"aborted-active", "Aborted jobs count as running",
      "A job that is Aborted stays in status.active: with Forbid no further run starts.", "It has ended.", kVolcano}},
    {Quirk::ConflictNamespace,
     {"conflict-namespace", "an existing job is looked for nowhere",
      "A job that exists already is looked up without its namespace, and so never found.",
      "It is looked up in its namespace.", kVolcano}},
    {Quirk::SkippingRemoval,
     {"skipping-removal", "removing entries of a list skips some",
      "Entries are removed from status.active while it is walked over, so that the one behind is skipped.",
      "Every entry is looked at.", kVolcano}},
    {Quirk::EndlessRetries,
     {"endless-retries", "a wrong schedule is tried without end",
      "A schedule or zone that cannot be read is an error that is tried again and again.",
      "It is told of once and waits for a change.", kVolcano}},
    {Quirk::ForeignJobRepeats,
     {"foreign-job-repeats", "a foreign job of that name blocks",
      "A job with the run's name that belongs to somebody else is met again at every look: no run is started until it "
      "is gone.",
      "The run is given up, and the next one is the next of the schedule.", kVolcano}},
};
static_assert(is_in_order(kRows));
constexpr auto kTable = infos_of(kRows);
static_assert(kTable.size() == kQuirkCount);
constexpr auto kNames = names_of(kTable);

}  // namespace

std::string_view to_string(Profile profile) noexcept { return kProfiles[static_cast<std::size_t>(profile)]; }

std::optional<Profile> profile_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kProfiles.size(); ++i) {
    if (kProfiles[i] == text) return static_cast<Profile>(i);
  }
  return std::nullopt;
}

std::string profile_names() {
  std::string text;
  for (const std::string_view name : kProfiles) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

std::span<const QuirkInfo> quirk_table() noexcept { return kTable; }
std::span<const std::string_view> quirk_names() noexcept { return kNames; }
std::string_view to_string(Quirk quirk) noexcept { return kNames[static_cast<std::size_t>(quirk)]; }
std::optional<Quirk> quirk_from(std::string_view text) noexcept { return quirk_named<Quirk>(kNames, text); }

Quirks Quirks::of(Profile profile) noexcept {
  return quirks_in<Quirk>(kTable, profile == Profile::V2 ? kV2 : profile == Profile::Legacy ? kLegacy : kVolcano);
}

}  // namespace pumice::cronjob
