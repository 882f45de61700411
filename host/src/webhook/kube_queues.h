// The queues of the cluster, listed and watched at its API server with the pod's own service account.
#pragma once

#include <memory>

#include "webhook/policy.h"

namespace pumice::host::webhook {

/// Follows the queues in a thread of its own for as long as it lives, and tells `policy` of them. What goes wrong is
/// tried again, later and later; now and then everything is listed anew.
class KubeQueues {
 public:
  KubeQueues(const ServeOptions& options, const EventLog& log, Metrics& metrics, Policy& policy);
  ~KubeQueues();
  KubeQueues(const KubeQueues&) = delete;
  KubeQueues& operator=(const KubeQueues&) = delete;

 private:
  class Follower;
  std::unique_ptr<Follower> follower_;
};

}  // namespace pumice::host::webhook
