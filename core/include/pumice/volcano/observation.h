// What the controller sees of the cluster: watch notifications, in delivery order per kind (spec/volcano-job.md 3).
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "pumice/model/job.h"
#include "pumice/model/object.h"
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
struct QueueAdded {  ///< or changed
  std::string name;
  bool extends = false;  ///< it has extend clusters: its jobs are forwarded (spec 1.8)
};
struct QueueDeleted {
  std::string name;
};
/// Fills the lister only: the controller has no callback for these.
struct ObjectSeen {  ///< added or changed
  ApiObject object;
};
struct ObjectGone {
  ObjectName id;
};
struct PriorityClassSeen {  ///< added or changed
  std::string name;
  std::int32_t value = 0;
};
struct PriorityClassGone {
  std::string name;
};

using Observation = std::variant<JobAdded, JobUpdated, JobDeleted, PodAdded, PodUpdated, PodDeleted, PodGroupAdded,
                                 PodGroupUpdated, PodGroupDeleted, CommandAdded, QueueAdded, QueueDeleted, ObjectSeen,
                                 ObjectGone, PriorityClassSeen, PriorityClassGone>;

}  // namespace pumice::volcano
