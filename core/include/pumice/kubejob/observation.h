// What the controllers see of the cluster: watch notifications, in delivery order per kind (spec/k8s-job.md 3.3, 3.4).
#pragma once

#include <variant>

#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

struct JobAdded {
  JobPtr job;
};
struct JobUpdated {
  JobPtr before;
  JobPtr after;
};
struct JobDeleted {  ///< as it was last seen
  JobPtr job;
};
struct PodAdded {
  PodPtr pod;
};
struct PodUpdated {
  PodPtr before;
  PodPtr after;
};
struct PodDeleted {  ///< as it was last seen
  PodPtr pod;
};
using Observation = std::variant<JobAdded, JobUpdated, JobDeleted, PodAdded, PodUpdated, PodDeleted>;

}  // namespace pumice::kubejob
