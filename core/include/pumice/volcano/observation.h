// What the controller sees of the cluster: watch notifications, in delivery order per kind (spec/volcano-job.md 3).
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "pumice/model/job.h"
#include "pumice/model/pod.h"

namespace pumice::volcano {

using JobPtr = std::shared_ptr<const Job>;

struct JobAdded {
  JobPtr job;
};
struct JobUpdated {
  JobPtr before;
  JobPtr after;
};
struct JobDeleted {
  JobPtr job;
};
struct PodAdded {
  PodPtr pod;
};
struct PodUpdated {
  PodPtr before;
  PodPtr after;
};
struct PodDeleted {
  PodPtr pod;
};
struct PodGroupAdded {
  PodGroup group;
};
struct PodGroupUpdated {
  PodGroup before;
  PodGroup after;
};
struct PodGroupDeleted {
  PodGroup group;
};
struct CommandAdded {
  Command command;
};
struct QueueAdded {
  std::string name;
};
struct QueueDeleted {
  std::string name;
};

using Observation = std::variant<JobAdded, JobUpdated, JobDeleted, PodAdded, PodUpdated, PodDeleted, PodGroupAdded,
                                 PodGroupUpdated, PodGroupDeleted, CommandAdded, QueueAdded, QueueDeleted>;

}  // namespace pumice::volcano
