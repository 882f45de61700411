#include "support/cron_trials.h"

#include <algorithm>
#include <optional>

#include "pumice/time.h"
#include "pumice/zones.h"
#include "support/cron_oracle.h"

namespace pumice::test {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kFirst = -2'208'988'800;  // 1900
constexpr std::int64_t kLast = 4'733'510'400;    // 2120
constexpr std::int64_t kModern = 1'262'304'000;  // 2010
constexpr std::int64_t kSoon = 2'208'988'800;    // 2040

struct Bounds {
  std::int64_t min, max;
};

std::int64_t between(Prng& prng, std::int64_t first, std::int64_t last) {
  return first + static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(last - first + 1)));
}

std::string random_item(Prng& prng, const Bounds& bounds) {
  const std::int64_t a = between(prng, bounds.min, bounds.max);
  const std::int64_t b = between(prng, a, bounds.max);
  const std::string step = std::to_string(between(prng, 1, (bounds.max - bounds.min) * 2));
  switch (prng.below(7)) {
    case 0: return "*";
    case 1: return "*/" + step;
    case 2: return std::to_string(a) + "-" + std::to_string(b);
    case 3: return std::to_string(a) + "-" + std::to_string(b) + "/" + step;
    case 4: return std::to_string(a) + "/" + step;
    default: return std::to_string(a);
  }
}

std::string random_field(Prng& prng, const Bounds& bounds, const std::vector<std::string>& usual) {
  if (!prng.one_in(3)) return prng.pick(usual);
  std::string field = random_item(prng, bounds);
  while (prng.one_in(3)) field += "," + random_item(prng, bounds);
  return field;
}

std::string random_schedule(Prng& prng) {
  static const std::vector<std::string> minutes{"0", "0", "*", "30", "*/15", "15", "45", "59", "5-10"};
  static const std::vector<std::string> hours{"*", "0", "1", "2", "3", "23", "*/6", "9", "0-3", "22,23"};
  static const std::vector<std::string> days{"*", "*", "*", "1", "31", "29", "*/2", "10-20", "28-31"};
  static const std::vector<std::string> months{"*", "*", "*", "*", "2", "3", "10", "4,11", "12"};
  static const std::vector<std::string> weekdays{"*", "*", "*", "0", "6", "1-5", "*/2"};
  return random_field(prng, {0, 59}, minutes) + " " + random_field(prng, {0, 23}, hours) + " " +
         random_field(prng, {1, 31}, days) + " " + random_field(prng, {1, 12}, months) + " " +
         random_field(prng, {0, 6}, weekdays);
}

std::string random_zone(Prng& prng) {
  static const std::vector<std::string_view> all = zone_names();
  static const std::vector<std::string> hard{
      "America/New_York", "Europe/London",  "Australia/Lord_Howe", "America/Sao_Paulo",    "Asia/Beirut",
      "America/Asuncion", "America/Havana", "Africa/Cairo",        "America/Scoresbysund", "Antarctica/Troll",
      "Pacific/Apia",     "Asia/Gaza",      "Africa/Casablanca",   "America/St_Johns",     "Atlantic/Azores",
      "America/Santiago", "Asia/Amman",     "Europe/Dublin",       "Pacific/Kwajalein",    "Asia/Tehran",
      "Africa/Monrovia",  "Asia/Kathmandu", "America/Caracas",     "Asia/Pyongyang",       "UTC"};
  return prng.one_in(2) ? prng.pick(hard) : std::string(prng.pick(all));
}

std::int64_t random_instant(Prng& prng, const std::string& zone) {
  const std::int64_t anywhere = prng.one_in(4) ? between(prng, kFirst, kLast) : between(prng, kModern, kSoon);
  if (prng.one_in(2)) return anywhere;
  // A little before or behind a change of clocks.
  const std::int64_t end = Zone::named(zone)->period_at(anywhere).end;
  if (end == kForever) return anywhere;
  static const std::vector<std::int64_t> reach{3600, kDay, 3 * kDay, 40 * kDay};
  const std::int64_t around = prng.pick(reach);
  return std::clamp(between(prng, end - around, end + around / 2), kFirst, kLast);
}

std::string time_text(const std::optional<std::int64_t>& at) {
  return at ? to_rfc3339(Time{*at * kSecond.ns}) : "none";
}

/// Where clocks stand still the scan has to agree; elsewhere it is not asked.
bool agrees_with_scan(const CronOracle& oracle, std::int64_t after, std::optional<std::int64_t> got,
                      CronCampaign& campaign) {
  const std::int64_t end = after + 3 * kDay;
  if (!oracle.is_plain(after - 32 * kDay, end + kDay)) return true;
  ++campaign.scanned;
  const auto want = oracle.scan(after, end);
  return want ? got == want : !got || *got >= end;
}

}  // namespace

std::string CronTrial::text() const {
  return "`" + schedule + "` in " + zone + " after " + time_text(after) + " (" + std::to_string(after) + ")";
}

CronTrial random_cron_trial(Prng& prng) {
  CronTrial trial;
  trial.schedule = random_schedule(prng);
  trial.zone = random_zone(prng);
  trial.after = random_instant(prng, trial.zone);
  return trial;
}

CronCampaign run_cron_campaign(std::uint64_t seed, std::int64_t count,
                               const std::function<void(const CronCampaign&)>& progress) {
  constexpr std::size_t kFailuresMax = 20;
  Prng prng(seed);
  CronCampaign campaign;
  while (campaign.trials < count && campaign.failures.size() < kFailuresMax) {
    const CronTrial trial = random_cron_trial(prng);
    const auto schedule = cron::parse_schedule(cron::with_time_zone(trial.zone, trial.schedule));
    if (!schedule) {
      campaign.failures.push_back(trial.text() + ": " + schedule.diagnostics.front().message);
      continue;
    }
    const CronOracle oracle(schedule.value->fields(), trial.zone);
    cron::PeriodMemory memory;
    std::int64_t at = trial.after;
    for (std::uint64_t left = 1 + prng.below(4); left > 0; --left) {
      ++campaign.trials;
      if (progress && campaign.trials % 1000 == 0) progress(campaign);
      const auto want = oracle.next(at);
      const auto answer = schedule.value->next(Time{at * kSecond.ns + 1}, memory);
      const auto got = answer ? std::optional(answer->ns / kSecond.ns) : std::nullopt;
      const bool scan_agrees = agrees_with_scan(oracle, at, got, campaign);
      if (got != want || !scan_agrees) {
        campaign.failures.push_back(CronTrial{trial.schedule, trial.zone, at}.text() + ": got " + time_text(got) +
                                    ", want " + time_text(want) + (scan_agrees ? "" : "; the scan disagrees"));
        break;
      }
      if (!got) break;
      at = *got;
    }
  }
  return campaign;
}

}  // namespace pumice::test
