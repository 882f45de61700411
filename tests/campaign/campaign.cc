// pumice_campaign cron|job [--count N] [--seed S]: random questions to the core and to its oracle, or random lives of a
// Job with faults, and everything that went wrong. The seed is printed; the same seed does the same.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "support/cron_trials.h"
#include "support/kubejob_trials.h"

namespace {

int usage() {
  std::fputs("usage: pumice_campaign cron|job [--count N] [--seed S]\n", stderr);
  return 2;
}

int report(const std::vector<std::string>& failures) {
  for (const std::string& failure : failures) std::printf("FAILED: %s\n", failure.c_str());
  return failures.empty() ? 0 : 1;
}

void tell(std::int64_t done, std::int64_t count) {
  std::printf("%lld of %lld\n", static_cast<long long>(done), static_cast<long long>(count));
  std::fflush(stdout);
}

int run_cron(std::uint64_t seed, std::int64_t count) {
  const auto result = pumice::test::run_cron_campaign(seed, count, [&](const pumice::test::CronCampaign& so_far) {
    if (so_far.trials % 100'000 == 0) tell(so_far.trials, count);
  });
  const int status = report(result.failures);
  std::printf("%lld questions, %lld of them also scanned minute by minute, %zu failures\n",
              static_cast<long long>(result.trials), static_cast<long long>(result.scanned), result.failures.size());
  return status;
}

int run_job(std::uint64_t seed, std::int64_t count) {
  const auto result = pumice::test::run_job_campaign(seed, count, [&](const pumice::test::JobCampaign& so_far) {
    if (so_far.trials % 10'000 == 0) tell(so_far.trials, count);
  });
  const int status = report(result.failures);
  std::printf(
      "%lld lives: %lld Complete, %lld Failed, %lld deleted; %lld syncs, %lld faults, %lld restarts, %zu failures\n",
      static_cast<long long>(result.trials), static_cast<long long>(result.completed),
      static_cast<long long>(result.failed), static_cast<long long>(result.deleted),
      static_cast<long long>(result.syncs), static_cast<long long>(result.faults),
      static_cast<long long>(result.restarts), result.failures.size());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || (std::strcmp(argv[1], "cron") != 0 && std::strcmp(argv[1], "job") != 0)) return usage();
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
  return std::strcmp(argv[1], "cron") == 0 ? run_cron(seed, count) : run_job(seed, count);
}
