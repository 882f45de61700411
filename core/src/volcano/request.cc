#include "pumice/volcano/request.h"

namespace pumice::volcano {

Scope scope_in(Quirks quirks, Action action) noexcept {
  if (action == Action::RestartPartition && quirks.has(Quirk::NoRestartPartition)) return Scope::Job;
  return scope_of(action);
}

Target target_for(Action action, const Request& request, Quirks quirks) {
  const Scope scope = scope_in(quirks, action);
  Target target{.scope = scope, .task_name = {}, .pod_name = {}, .partition = {}};
  switch (scope) {
    case Scope::Job: break;
    case Scope::Task: target.task_name = request.task_name; break;
    case Scope::Pod:
      target.task_name = request.task_name;
      target.pod_name = request.pod_name;
      break;
    case Scope::Partition:
      target.task_name = request.task_name;
      target.pod_name = request.pod_name;
      target.partition = request.partition_id;
      break;
  }
  return target;
}

}  // namespace pumice::volcano
