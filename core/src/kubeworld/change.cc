// What somebody does to a pod, or why it cannot be.
#include <algorithm>
#include <utility>

#include "compose.h"
#include "kubeworld/kube_names.h"
#include "list_text.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubeworld/world.h"

namespace pumice::kubeworld {

namespace {

std::string in_ticks(std::string_view text) { return compose("`{}`", text); }

std::string name_of(const std::string& key) { return in_ticks(std::string_view(key).substr(key.find('/') + 1)); }

std::string container_names(const PodPlan& plan) {
  std::vector<std::string> names;
  for (const ContainerPlan& container : plan.containers) names.push_back(in_ticks(container.name));
  return list_text(names, "and");
}

std::size_t container_of(const PodPlan& plan, const std::string& name) {
  return name.empty() ? first_main(plan) : find_container(plan, name).value_or(first_main(plan));
}

bool has_run(const PodRun& run) {
  return std::any_of(run.containers.begin(), run.containers.end(), [](const ContainerRun& container) {
    return container.has_ended || container.state != ContainerState::Waiting;
  });
}

void set_condition(Pod& pod, const std::string& type, const std::string& status, Time now) {
  for (PodCondition& condition : pod.conditions) {
    if (condition.type != type) continue;
    if (condition.status != status) condition.last_transition = whole_seconds(now);
    condition.status = status;
    return;
  }
  pod.conditions.push_back({type, status, whole_seconds(now)});
}

/// Why a container cannot end now.
std::string cannot_end(const PodRun& run, std::size_t container, const std::string& name) {
  if (run.plan->containers.empty()) return name + " has no container";
  const std::string& called = run.plan->containers[container].name;
  switch (run.containers[container].state) {
    case ContainerState::Running: return {};
    case ContainerState::Waiting: {
      const std::string reason = waiting_reason(run, container);
      return compose("container `{}` of {} does not run{}{}", called, name, reason.empty() ? "" : ": ", reason);
    }
    case ContainerState::Terminated: return compose("container `{}` of {} has ended already", called, name);
  }
  return {};
}

}  // namespace

std::string World::impossible(const std::string& key, const PodChange& change) const {
  const PodState* state = pod(key);
  const PodPtr object = state == nullptr ? nullptr : object_of(*state);
  const std::string name = name_of(key);
  if (!object) return "there is no pod " + name + " now";
  const PodRun& run = state->run;
  if (change.gone) return {};
  if (change.deleted || change.evicted)
    return object->meta.deletion ? name + " is being deleted already" : std::string();
  if (!change.container.empty() && !find_container(*run.plan, change.container))
    return compose("{} has no container `{}`; it has {}", name, change.container, container_names(*run.plan));
  const bool ended = is_ended(object->phase);
  const std::string has_ended = compose("{} has ended ({})", name, to_string(object->phase));
  if (!change.condition.empty()) {
    const PodCondition* condition = object->condition(change.condition);
    if (condition != nullptr && condition->status == change.condition_status)
      return compose("condition {} of {} is {} already", change.condition, name, change.condition_status);
    return {};
  }
  if (change.phase) {
    if (ended) return has_ended + ": a pod never runs again";
    if (run.stopped) return name + " is not on any node any more";
    if (*change.phase == object->phase && !(*change.phase == PodPhase::Running && !is_ready(run)))
      return compose("{} is {} already", name, to_string(*change.phase));
    if (*change.phase == PodPhase::Pending) return name + " runs: a pod does not go back to Pending";
    if (*change.phase == PodPhase::Running && object->meta.deletion)
      return name + " is being deleted, so nothing is started in it";
    return {};
  }
  if (ended) return has_ended;
  if (change.node_lost)
    return run.lost == *change.node_lost
               ? compose("the node of {} {}", name, run.lost ? "is lost already" : "is not lost")
           : run.bound ? std::string()
                       : name + " has no node";
  if (change.reason) {
    if (change.reason->empty()) return run.reason.empty() ? "nothing keeps " + name + " from starting" : std::string();
    const auto& words = obstacle_words();
    if (std::find(words.begin(), words.end(), *change.reason) == words.end()) {
      std::vector<std::string> known;
      for (const std::string_view word : words) known.push_back(in_ticks(word));
      return compose("`{}` keeps no pod from starting; {} do", *change.reason, list_text(known, "and"));
    }
    if (has_run(run)) return name + " has started already";
    if (*change.reason == run.reason) return compose("{} waits for that already ({})", name, run.reason);
    return {};
  }
  if (change.restarts) {
    const std::int32_t restarts =
        run.containers.empty() ? 0 : run.containers[container_of(*run.plan, change.container)].restarts;
    if (!has_run(run)) return name + " has not started";
    if (*change.restarts < restarts) return compose("{} has {} already", name, count_of(restarts, "restart"));
    return {};
  }
  if (change.ready) {
    if (object->phase != PodPhase::Running) return name + " does not run, so it is not ready";
    return {};
  }
  if (change.exit_code) return cannot_end(run, container_of(*run.plan, change.container), name);
  return "nothing is said about the pod";
}

std::string World::change_pod(const std::string& key, const PodChange& change, Time now) {
  if (std::string refused = impossible(key, change); !refused.empty()) return refused;
  PodState& state = *find_state(key);
  PodRun& run = state.run;
  const Pace& pace = config_.pace;
  const std::size_t container = container_of(*run.plan, change.container);
  if (change.gone) {
    store_.remove_pod(key, now);
    return {};
  }
  if (change.deleted || change.evicted) {
    if (change.evicted) {
      Pod changed = *object_of(state);
      set_condition(changed, "DisruptionTarget", "True", now);
      store_.update_pod(std::move(changed));
    }
    store_.delete_pod(key, now);
    return {};
  }
  if (!change.condition.empty()) {
    Pod changed = *object_of(state);
    set_condition(changed, change.condition, change.condition_status, now);
    store_.update_pod(std::move(changed));
    return {};
  }
  if (change.phase) {
    switch (*change.phase) {
      case PodPhase::Pending:
      case PodPhase::Running: run_all(run, now, pace); break;
      case PodPhase::Unknown: run.final_phase = PodPhase::Unknown; break;
      case PodPhase::Succeeded: end_pod(run, PodPhase::Succeeded, container, 0, now); break;
      case PodPhase::Failed: end_pod(run, PodPhase::Failed, container, change.exit_code.value_or(1), now); break;
    }
    if (run.stopping && is_ended(phase_of(run))) run.stopped = true;
  } else if (change.node_lost) {
    run.lost = *change.node_lost;
    if (!run.lost) carry_on(run, now, pace);
  } else if (change.reason) {
    set_obstacle(run, *change.reason, now, pace);
  } else if (change.restarts) {
    ContainerRun& one = run.containers[container];
    one.restarts = *change.restarts;
    if (one.state == ContainerState::Waiting) run_all(run, now, pace);
  } else if (change.ready) {
    run.unready = !*change.ready;
  } else {
    end_container(run, container, *change.exit_code, now, pace);
  }
  plan_next(number_of(*object_of(state)), state);
  report_pod(state, now);
  return {};
}

}  // namespace pumice::kubeworld
