#include "support/cronjob_trials.h"

#include <algorithm>
#include <memory>

#include "support/cron_trials.h"

namespace pumice::test {
namespace {

using namespace cronjob;

constexpr std::int64_t kFirst = 1'577'836'800;  // 2020
constexpr std::int64_t kYears = 8LL * 365 * 86'400;

std::int64_t between(Prng& prng, std::int64_t first, std::int64_t last) {
  return first + static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(last - first + 1)));
}
Time at(std::int64_t second) { return {second * kSecond.ns}; }

Spec random_spec(Prng& prng) {
  static const std::vector<std::string> usual{"* * * * *",  "*/5 * * * *",         "0 * * * *",     "0 0 * * *",
                                              "@every 90s", "30 10,11,12 * * 1-5", "0 8-10 * * *",  "@every 2h",
                                              "0 0 29 2 *", "0 0 31 2 *",          "* * * 1-11 *",  "0,1 0 * * *",
                                              "@hourly",    "not a schedule",      "TZ=UTC @daily", "TZ=UTC"};
  Spec spec;
  const CronTrial trial = random_cron_trial(prng);
  spec.schedule = prng.one_in(3) ? trial.schedule : prng.pick(usual);
  if (prng.one_in(3)) spec.time_zone = prng.one_in(20) ? "No/Where" : trial.zone;
  static const std::vector<std::int64_t> deadlines{0, 10, 60, 3600, 7200, 90'000, 1'000'000};
  if (prng.one_in(2)) spec.starting_deadline_seconds = prng.pick(deadlines);
  spec.policy = static_cast<ConcurrencyPolicy>(prng.below(3));
  spec.suspend = prng.one_in(12);
  if (!prng.one_in(3)) spec.successful_limit = static_cast<std::int32_t>(prng.below(4));
  if (!prng.one_in(3)) spec.failed_limit = static_cast<std::int32_t>(prng.below(3));
  return spec;
}

ChildJob random_job(Prng& prng, const PlainInput& input, std::int64_t now, std::uint64_t number) {
  ChildJob job{.ns = "n", .name = "j" + std::to_string(number), .uid = "u" + std::to_string(number)};
  // Now and then the job of a run that may just be due.
  if (prng.one_in(8)) {
    const std::int64_t run = now - between(prng, 0, 7200);
    job.name = "c-" + std::to_string(input.profile == Profile::Legacy ? run - run % 60 : run / 60);
  }
  job.resource_version = number + 2;
  if (prng.one_in(6)) job.finish = Finish::Terminated;
  if (prng.one_in(2)) job.finish = static_cast<Finish>(prng.below(5));
  if (!prng.one_in(6)) job.start = at(now - between(prng, 0, 20));
  if (!prng.one_in(6)) job.creation = at(now - between(prng, 0, 20));
  if (!prng.one_in(6)) job.completion = at(now - between(prng, 0, 100));
  if (!prng.one_in(10)) {
    OwnerReference owner = owner_of(input.cronjob, input.profile);
    if (prng.one_in(20)) owner.uid = "another";
    if (prng.one_in(20)) owner.kind = "Other";
    job.controller = std::make_shared<const OwnerReference>(owner);
  }
  return job;
}

std::string text_of(const PlainInput& input, const PlainLook& got, const PlainLook& want) {
  const Spec& spec = *input.cronjob.spec;
  std::string text = std::string(to_string(input.profile)) + " `" + spec.schedule + "` " +
                     spec.time_zone.value_or("-") + " now " + to_rfc3339(input.now) + " status " +
                     status_json(input.cronjob.status, input.profile).dump();
  for (const auto* look : {&got, &want}) {
    text += look == &got ? "\n  got  " : "\n  want ";
    for (const std::string& action : look->actions) text += action + " | ";
    text += look->delay + (look->failed ? " failed" : "");
  }
  return text;
}

}  // namespace

PlainInput random_look(Prng& prng) {
  PlainInput input;
  input.profile = static_cast<Profile>(prng.below(3));
  const std::int64_t now = between(prng, kFirst, kFirst + kYears);
  input.now = at(now) + Duration{static_cast<std::int64_t>(prng.below(3)) * 100 * kMillisecond.ns};
  auto meta = std::make_shared<ObjectMeta>();
  meta->ns = "n";
  meta->name = "c";
  meta->uid = "cron";
  static const std::vector<std::int64_t> ages{30, 3600, 86'400, 604'800, 8'000'000};
  meta->creation = at(now - between(prng, 0, prng.pick(ages)));
  if (prng.one_in(15)) meta->deletion = input.now;
  input.cronjob.meta = meta;
  input.cronjob.spec = std::make_shared<const Spec>(random_spec(prng));
  input.cronjob.resource_version = 1;
  Status& status = input.cronjob.status;
  if (prng.one_in(2)) status.last_schedule = at(now - now % 60 - 60 * between(prng, 0, prng.pick(ages) / 60));
  if (prng.one_in(3)) status.last_successful = at(now - between(prng, 0, 100));
  const std::uint64_t jobs = prng.below(6);
  for (std::uint64_t i = 0; i < jobs; ++i) {
    const ChildJob job = random_job(prng, input, now, i);
    const auto has_name = [&](const ChildJob& other) { return other.name == job.name; };
    if (std::any_of(input.server.begin(), input.server.end(), has_name)) continue;
    if (std::any_of(input.cache.begin(), input.cache.end(), has_name)) continue;
    const bool in_cache = !prng.one_in(5);
    const bool on_server = !in_cache || !prng.one_in(8);
    if (in_cache) input.cache.push_back(job);
    if (on_server) input.server.push_back(job);
    if (prng.one_in(2)) {
      status.active.push_back({.ns = "n", .name = job.name, .uid = prng.one_in(12) ? "old" : job.uid});
    }
  }
  input.live = status;
  return input;
}

CronJobCampaign run_cronjob_campaign(std::uint64_t seed, std::int64_t count,
                                     const std::function<void(const CronJobCampaign&)>& progress) {
  constexpr std::size_t kFailuresMax = 10;
  Prng prng(seed);
  CronJobCampaign campaign;
  while (campaign.looks < count && campaign.failures.size() < kFailuresMax) {
    const PlainInput input = random_look(prng);
    const PlainLook got = core_look(input);
    const PlainLook want = plain_look(input);
    ++campaign.looks;
    const auto creates = [](const std::string& action) { return action.starts_with("create"); };
    if (std::any_of(want.actions.begin(), want.actions.end(), creates)) ++campaign.started;
    if (progress && campaign.looks % 1000 == 0) progress(campaign);
    if (got.actions == want.actions && got.delay == want.delay && got.failed == want.failed) continue;
    campaign.failures.push_back(text_of(input, got, want));
  }
  return campaign;
}

}  // namespace pumice::test
