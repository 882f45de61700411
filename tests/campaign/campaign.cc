// pumice_campaign cron [--count N] [--seed S]: random questions to the core and to its oracle, and every disagreement.
// The seed is printed; the same seed asks the same questions.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "support/cron_trials.h"

namespace {

int usage() {
  std::fputs("usage: pumice_campaign cron [--count N] [--seed S]\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "cron") != 0) return usage();
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
  const auto result = pumice::test::run_cron_campaign(seed, count, [&](const pumice::test::CronCampaign& so_far) {
    if (so_far.trials % 100'000 == 0) {
      std::printf("%lld of %lld\n", static_cast<long long>(so_far.trials), static_cast<long long>(count));
      std::fflush(stdout);
    }
  });
  for (const std::string& failure : result.failures) std::printf("FAILED: %s\n", failure.c_str());
  std::printf("%lld questions, %lld of them also scanned minute by minute, %zu failures\n",
              static_cast<long long>(result.trials), static_cast<long long>(result.scanned), result.failures.size());
  return result.failures.empty() ? 0 : 1;
}
