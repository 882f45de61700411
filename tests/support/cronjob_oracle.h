// The three CronJob controllers written down plainly, step by step as in the specifications: one long function each,
// every missed run walked, no sharing. Slow, and with all quirks on.
#pragma once

#include <string>
#include <vector>

#include "pumice/cronjob/cluster.h"

namespace pumice::test {

/// What a look leads to, as texts that can be compared.
struct PlainLook {
  std::vector<std::string> actions;  ///< `create c-1`, `delete a`, `event Warning UnexpectedJob`, `write <status>`
  std::string delay;                 ///< a duration, or `none`
  bool failed = false;
};

struct PlainInput {
  cronjob::Profile profile = cronjob::Profile::V2;
  cronjob::CronJob cronjob;
  std::vector<cronjob::ChildJob> cache;   ///< own jobs and others
  std::vector<cronjob::ChildJob> server;  ///< what the API server has
  cronjob::Status live;                   ///< the CronJob's status there
  Time now;
};

/// The look as the specifications describe it.
[[nodiscard]] PlainLook plain_look(const PlainInput& input);
/// The same look by the core.
[[nodiscard]] PlainLook core_look(const PlainInput& input);

}  // namespace pumice::test
