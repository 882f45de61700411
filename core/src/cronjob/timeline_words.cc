// Timelines as words and JSON, and two of them side by side.
#include <algorithm>
#include <array>

#include "compose.h"
#include "cronjob/json.h"
#include "pumice/cronjob/timeline.h"

namespace pumice::cronjob {
namespace {

constexpr std::array<std::string_view, 5> kOutcomes{"started", "skipped", "missed", "replaced", "open"};

struct CauseWords {
  std::string_view name;
  std::string_view words;
};
constexpr std::array<CauseWords, 12> kCauses{{
    {"", ""},
    {"outage", "the controller was down"},
    {"job-active", "the policy is Forbid, and a job was active"},
    {"suspended", "the CronJob was suspended"},
    {"newer-run", "only the latest of the missed runs is made up for"},
    {"deadline", "its starting deadline had passed"},
    {"missed-estimate", "the estimate of missed runs looked behind it"},
    {"hundred-missed", "more than 100 runs were missed"},
    {"unreadable", "the schedule or time zone gives no run"},
    {"failure", "a request failed"},
    {"before-start", "it was due before the simulation"},
    {"edited", "the schedule was changed to one that had this time already"},
}};

const CauseWords& words_of(Cause cause) { return kCauses[static_cast<std::size_t>(cause)]; }

void add_cause(std::string& text, const Entry& entry, Cause cause) {
  if (cause == Cause::None) return;
  text.append(text.ends_with(": ") ? "" : "; ").append(words_of(cause).words);
  if (cause == Cause::JobActive && entry.other != Time{})
    text.append(" (that of ").append(to_rfc3339(entry.other)).append(")");
}

}  // namespace

std::string_view to_string(Outcome outcome) noexcept { return kOutcomes[static_cast<std::size_t>(outcome)]; }
std::string_view to_string(Cause cause) noexcept { return words_of(cause).name; }

bool is_late(const Entry& entry, Profile profile) noexcept {
  return entry.at - entry.run > seconds(profile == Profile::Legacy ? 10 : 1);
}

std::string zone_remark(const CronJob& cronjob, Profile profile) {
  if (profile != Profile::Legacy || !cronjob.spec->time_zone) return {};
  return compose(
      "this controller does not know spec.timeZone ({}): it reads the schedule in the zone it runs in, here UTC",
      *cronjob.spec->time_zone);
}

std::string sentence_of(const Entry& entry, Profile profile) {
  std::string text(to_string(entry.outcome));
  switch (entry.outcome) {
    case Outcome::Started:
      if (!is_late(entry, profile)) return text;
      text.append(" ").append(to_string(entry.at - entry.run)).append(" late");
      if (entry.obstacle != Cause::None) text += ": ";
      add_cause(text, entry, entry.obstacle);
      return text;
    case Outcome::Replaced: return text + ": its job was deleted for the run of " + to_rfc3339(entry.other);
    case Outcome::Skipped:
    case Outcome::Missed:
    case Outcome::Open: break;
  }
  text += ": ";
  add_cause(text, entry, entry.obstacle);
  if (entry.decided != entry.obstacle) add_cause(text, entry, entry.decided);
  if (text.ends_with(": ")) text += "the simulation ends before it is looked at";
  return text;
}

Json entry_json(const Entry& entry, const CronJob& cronjob, Profile profile, Quirks quirks) {
  Json out = object_of({{"run", to_rfc3339(entry.run)},
                        {"outcome", to_string(entry.outcome)},
                        {"at", to_rfc3339(entry.at)},
                        {"reason", sentence_of(entry, profile)}});
  if (entry.obstacle != Cause::None) out["obstacle"] = to_string(entry.obstacle);
  if (entry.decided != Cause::None) out["decidedBy"] = to_string(entry.decided);
  if (entry.other != Time{}) out["other"] = to_rfc3339(entry.other);
  if (entry.outcome == Outcome::Started || entry.outcome == Outcome::Replaced) {
    out["job"] = job_name(cronjob, entry.run, profile, quirks);
  }
  return out;
}

Json note_json(const Note& note, Profile profile) {
  EventWords words = words_of(note.event, profile);
  return object_of({{"at", to_rfc3339(note.at)},
                    {"type", words.warning ? "Warning" : "Normal"},
                    {"reason", words.reason},
                    {"message", std::move(words.message)}});
}

std::vector<Difference> compare(const Timeline& first, Profile first_profile, const Timeline& second,
                                Profile second_profile) {
  const auto sorted = [](const Timeline& timeline) {
    std::vector<const Entry*> list;
    for (const Entry& entry : timeline.entries) {
      if (entry.outcome != Outcome::Replaced) list.push_back(&entry);
    }
    std::sort(list.begin(), list.end(),
              [](const Entry* a, const Entry* b) { return a->run != b->run ? a->run < b->run : a < b; });
    return list;
  };
  const std::vector<const Entry*> left = sorted(first);
  const std::vector<const Entry*> right = sorted(second);
  std::vector<Difference> differences;
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() || b != right.end()) {
    if (b == right.end() || (a != left.end() && (*a)->run < (*b)->run)) {
      differences.push_back({(*a)->run, *a, nullptr});
      ++a;
    } else if (a == left.end() || (*b)->run < (*a)->run) {
      differences.push_back({(*b)->run, nullptr, *b});
      ++b;
    } else {
      const Duration apart = (*a)->at < (*b)->at ? (*b)->at - (*a)->at : (*a)->at - (*b)->at;
      const bool both_in_time = !is_late(**a, first_profile) && !is_late(**b, second_profile);
      const bool both_start = (*a)->outcome == Outcome::Started && (*b)->outcome == Outcome::Started;
      const bool same = (*a)->outcome == (*b)->outcome && (!both_start || both_in_time || apart < seconds(10));
      if (!same) differences.push_back({(*a)->run, *a, *b});
      ++a;
      ++b;
    }
  }
  return differences;
}

}  // namespace pumice::cronjob
