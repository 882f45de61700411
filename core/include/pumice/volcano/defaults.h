// What the API server and the admission webhook of Volcano fill in when a Job is created
// (spec/volcano-job.md 1.2 and 1.3, spec/volcano-admission.md 2), and what the controller cannot live with.
#pragma once

#include <string>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/model/job.h"

namespace pumice::volcano {

/// One value that was filled in.
struct Defaulted {
  std::string field;  ///< `spec.tasks[0].minAvailable`
  Json value;
  std::string why;  ///< one phrase: `absent: taken from replicas`

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

/// Fills in, in this order: queue, scheduler name, retry limit, network topology mode, tasks (name, DNS policy for the
/// host network, minAvailable, retry limit, topology mode), the job's minAvailable (the sum over the tasks, so after
/// them), and plugins that others need. Applying it twice changes nothing more. Sums and products wrap around at 32
/// bits.
std::vector<Defaulted> apply_defaults(JobSpec& spec);

/// What upstream's controller crashes on, hangs on or never gets past: no tasks, two tasks of one name, a dependency on
/// a task that does not exist, dependencies in a circle (spec/volcano-job.md 8.6). All are errors with field paths and
/// without positions; `range_of` finds those.
[[nodiscard]] Diagnostics structural_errors(const JobSpec& spec);

}  // namespace pumice::volcano
