// pumice_campaign cron|cronjob [--count N] [--seed S]: random questions to the core and to its oracle, and every
// disagreement. The seed is printed; the same seed asks the same questions.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "support/cron_trials.h"
#include "support/cronjob_trials.h"

namespace {

int usage() {
  std::fputs("usage: pumice_campaign cron|cronjob [--count N] [--seed S]\n", stderr);
  return 2;
}

void tell(std::int64_t done, std::int64_t count) {
  if (done % 100'000 != 0) return;
  std::printf("%lld of %lld\n", static_cast<long long>(done), static_cast<long long>(count));
  std::fflush(stdout);
}

int finish(const std::vector<std::string>& failures) {
  for (const std::string& failure : failures) std::printf("FAILED: %s\n", failure.c_str());
  std::printf("%zu failures\n", failures.size());
  return failures.empty() ? 0 : 1;
}

int run_of_schedules(std::uint64_t seed, std::int64_t count) {
  const auto result = pumice::test::run_cron_campaign(
      seed, count, [&](const pumice::test::CronCampaign& so_far) { tell(so_far.trials, count); });
  std::printf("%lld questions, %lld of them also scanned minute by minute\n", static_cast<long long>(result.trials),
              static_cast<long long>(result.scanned));
  return finish(result.failures);
}

int run_of_jobs(std::uint64_t seed, std::int64_t count) {
  const auto result = pumice::test::run_cronjob_campaign(
      seed, count, [&](const pumice::test::CronJobCampaign& so_far) { tell(so_far.looks, count); });
  std::printf("%lld looks, %lld of them create a job\n", static_cast<long long>(result.looks),
              static_cast<long long>(result.started));
  return finish(result.failures);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return usage();
  const bool of_jobs = std::strcmp(argv[1], "cronjob") == 0;
  if (!of_jobs && std::strcmp(argv[1], "cron") != 0) return usage();
  std::int64_t count = 1'000'000;
  std::uint64_t seed = std::random_device{}();
  for (int i = 2; i < argc; i += 2) {
    if (i + 1 == argc) return usage();
    if (std::strcmp(argv[i], "--count") == 0) {
      count = std::strtoll(argv[i + 1], nullptr, 10);
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      seed = std::strtoull(argv[i + 1], nullptr, 0);
    } else {
      return usage();
    }
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return of_jobs ? run_of_jobs(seed, count) : run_of_schedules(seed, count);
}
