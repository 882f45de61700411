// Pods to which the same will happen at the same time.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "pumice/cluster/cluster.h"

namespace pumice {

/// Pods of one step and namespace share one action, so they go together.
inline void collect(std::map<std::pair<Time, std::string>, ClusterAction>& actions, ClusterAction::Kind kind, Time due,
                    const Pod& pod) {
  ClusterAction& action = actions[{due, pod.ns}];
  action.kind = kind;
  action.ns = pod.ns;
  action.pods.push_back(pod.name);
  action.uids.push_back(pod.uid);
}

}  // namespace pumice
