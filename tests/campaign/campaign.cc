// pumice_campaign cron|cronjob|job|cluster|volcano [--count N] [--seed S] [--from I]: random questions to the core and
// to its oracle, or random lives with faults, of a Kubernetes Job alone (`job`) or in its cluster (`cluster`), and of
// Volcano Jobs; and everything that went wrong. The seed is printed; the same seed does the same.
// `--from I --count 1` plays one life of `volcano` again, and prints it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "support/cron_trials.h"
#include "support/cronjob_trials.h"
#include "support/kubejob_trials.h"
#include "support/kubeworld_trials.h"
#include "support/prng.h"
#include "support/volcano_trials.h"

namespace {

int usage() {
  std::fputs("usage: pumice_campaign cron|cronjob|job|cluster|volcano [--count N] [--seed S] [--from I]\n", stderr);
  return 2;
}

void tell(std::int64_t done, std::int64_t count, std::int64_t every = 100'000) {
  if (done % every != 0) return;
  std::printf("%lld of %lld\n", static_cast<long long>(done), static_cast<long long>(count));
  std::fflush(stdout);
}

int finish(const std::vector<std::string>& failures) {
  for (const std::string& failure : failures) std::printf("FAILED: %s\n", failure.c_str());
  std::printf("%zu failures\n", failures.size());
  return failures.empty() ? 0 : 1;
}

int run_of_schedules(std::uint64_t seed, std::int64_t count, std::int64_t) {
  const auto result = pumice::test::run_cron_campaign(
      seed, count, [&](const pumice::test::CronCampaign& so_far) { tell(so_far.trials, count); });
  std::printf("%lld questions, %lld of them also scanned minute by minute\n", static_cast<long long>(result.trials),
              static_cast<long long>(result.scanned));
  return finish(result.failures);
}

int run_of_cronjobs(std::uint64_t seed, std::int64_t count, std::int64_t) {
  const auto result = pumice::test::run_cronjob_campaign(
      seed, count, [&](const pumice::test::CronJobCampaign& so_far) { tell(so_far.looks, count); });
  std::printf("%lld looks, %lld of them create a job\n", static_cast<long long>(result.looks),
              static_cast<long long>(result.started));
  return finish(result.failures);
}

int run_of_jobs(std::uint64_t seed, std::int64_t count, std::int64_t) {
  const auto result = pumice::test::run_job_campaign(
      seed, count, [&](const pumice::test::JobCampaign& so_far) { tell(so_far.trials, count, 10'000); });
  std::printf("%lld lives: %lld Complete, %lld Failed, %lld deleted; %lld syncs, %lld faults, %lld restarts\n",
              static_cast<long long>(result.trials), static_cast<long long>(result.completed),
              static_cast<long long>(result.failed), static_cast<long long>(result.deleted),
              static_cast<long long>(result.syncs), static_cast<long long>(result.faults),
              static_cast<long long>(result.restarts));
  return finish(result.failures);
}

int run_of_volcano_jobs(std::uint64_t seed, std::int64_t count, std::int64_t from) {
  if (count == 1) {
    const std::string text =
        pumice::test::volcano_trial_text(pumice::test::Prng(seed + static_cast<std::uint64_t>(from)).next());
    std::printf("%s", text.c_str());
  }
  const auto result = pumice::test::run_volcano_campaign(
      seed, from, count, [&](const pumice::test::VolcanoCampaign& so_far) { tell(so_far.trials, count, 1'000); });
  const auto& sum = result.sum;
  std::printf(
      "%lld lives: %lld steps, %lld refused; %lld faults, %lld restarts, %lld jobs deleted, %lld ended; "
      "%lld came to rest\n",
      static_cast<long long>(result.trials), static_cast<long long>(sum.steps), static_cast<long long>(sum.refused),
      static_cast<long long>(sum.faults), static_cast<long long>(sum.restarts), static_cast<long long>(sum.deleted),
      static_cast<long long>(sum.ended), static_cast<long long>(sum.quiet));
  return finish(result.failures);
}

int run_of_clusters(std::uint64_t seed, std::int64_t count, std::int64_t /*from*/) {
  const auto result = pumice::test::run_world_campaign(
      seed, count, [&](const pumice::test::WorldCampaign& so_far) { tell(so_far.trials, count, 1'000); });
  std::printf("%lld lives: %lld Complete, %lld Failed, %lld deleted; %lld steps, %lld pods, %lld faults\n",
              static_cast<long long>(result.trials), static_cast<long long>(result.completed),
              static_cast<long long>(result.failed), static_cast<long long>(result.deleted),
              static_cast<long long>(result.steps), static_cast<long long>(result.pods),
              static_cast<long long>(result.faults));
  return finish(result.failures);
}

using Campaign = int (*)(std::uint64_t seed, std::int64_t count, std::int64_t from);
Campaign campaign_of(const char* name) {
  if (std::strcmp(name, "cron") == 0) return run_of_schedules;
  if (std::strcmp(name, "cronjob") == 0) return run_of_cronjobs;
  if (std::strcmp(name, "job") == 0) return run_of_jobs;
  if (std::strcmp(name, "volcano") == 0) return run_of_volcano_jobs;
  if (std::strcmp(name, "cluster") == 0) return run_of_clusters;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const Campaign campaign = argc < 2 ? nullptr : campaign_of(argv[1]);
  if (campaign == nullptr) return usage();
  std::int64_t count = 1'000'000;
  std::int64_t from = 0;
  std::uint64_t seed = std::random_device{}();
  for (int i = 2; i < argc; i += 2) {
    if (i + 1 == argc) return usage();
    if (std::strcmp(argv[i], "--count") == 0) {
      count = std::strtoll(argv[i + 1], nullptr, 10);
    } else if (std::strcmp(argv[i], "--from") == 0) {
      from = std::strtoll(argv[i + 1], nullptr, 10);
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      seed = std::strtoull(argv[i + 1], nullptr, 0);
    } else {
      return usage();
    }
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return campaign(seed, count, from);
}
