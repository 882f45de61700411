#include "pumice/kubeworld/kubelet.h"

#include <algorithm>
#include <utility>

namespace pumice::kubeworld {
namespace {

using Kind = ContainerKind;
using State = ContainerState;

Kind kind_of(const PodRun& run, std::size_t i) noexcept { return run.plan->containers[i].kind; }

bool runs(const ContainerRun& container) noexcept { return container.state == State::Running; }

/// An init container has failed, and nothing starts it again.
bool init_failed(const PodRun& run) noexcept {
  if (run.plan->restarts_on_failure) return false;
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    const ContainerRun& container = run.containers[i];
    if (kind_of(run, i) == Kind::Init && container.state == State::Terminated && container.exit_code != 0) return true;
  }
  return false;
}

/// Every main container has ended for good.
bool mains_ended(const PodRun& run) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    if (kind_of(run, i) != Kind::Main) continue;
    any = true;
    if (run.containers[i].state != State::Terminated) return false;
  }
  return any;
}

void start_container(PodRun& run, std::size_t i, Time now, const Pace& pace) {
  const ContainerPlan& plan = run.plan->containers[i];
  ContainerRun& container = run.containers[i];
  container.state = State::Running;
  container.signalled = false;
  container.due.reset();
  if (!pace.kubelet || plan.runs_forever) return;
  if (plan.run_for)
    container.due = now + *plan.run_for;
  else if (plan.kind == Kind::Init)
    container.due = now + pace.timings.init;
  else if (plan.kind == Kind::Main && (pace.finish || plan.exit_code))
    container.due = now + pace.timings.run;
}

/// The kubelet counts time without a restart from the last restart to the end that follows it.
bool backoff_is_over(const ContainerRun& container) noexcept {
  return container.backoff.ns == 0 || container.finished - container.backoff_since > kRestartBackoffReset;
}

void restart_container(PodRun& run, std::size_t i, Time now, const Pace& pace) {
  ContainerRun& container = run.containers[i];
  container.backoff = backoff_is_over(container) ? kRestartBackoffBase
                                                 : std::min(Duration{container.backoff.ns * 2}, kRestartBackoffMax);
  container.backoff_since = now;
  ++container.restarts;
  start_container(run, i, now, pace);
}

void end_one(PodRun& run, std::size_t i, std::int32_t exit_code, Time now) {
  ContainerRun& container = run.containers[i];
  const bool asked = container.signalled;
  container.state = State::Terminated;
  container.has_ended = true;
  container.exit_code = exit_code;
  container.finished = now;
  container.due.reset();
  if (run.stopping || asked || run.final_phase) return;
  const bool again = kind_of(run, i) == Kind::Sidecar ? !mains_ended(run) && !init_failed(run)
                                                      : exit_code != 0 && run.plan->restarts_on_failure;
  if (!again) return;
  container.state = State::Waiting;
  container.due = backoff_is_over(container) ? now : now + container.backoff;
}

void signal(PodRun& run, std::size_t i, Time now, const Pace& pace) {
  ContainerRun& container = run.containers[i];
  container.signalled = true;
  const Time ends = now + pace.timings.stop;
  container.due = run.plan->containers[i].ignores_sigterm || ends > run.kill_at ? run.kill_at : ends;
}

/// Tells the last sidecar that runs to stop; the one before it has its turn when that has ended.
void stop_sidecars(PodRun& run, Time now, const Pace& pace) {
  for (std::size_t i = run.containers.size(); i-- > 0;) {
    if (kind_of(run, i) != Kind::Sidecar) continue;
    ContainerRun& container = run.containers[i];
    if (container.state == State::Waiting) container.due.reset();
    if (!runs(container)) continue;
    if (!container.signalled) signal(run, i, now, pace);
    return;
  }
}

void start_next(PodRun& run, Time now, const Pace& pace) {
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    ContainerRun& container = run.containers[i];
    const bool is_new = container.state == State::Waiting && !container.has_ended;
    if (is_new) start_container(run, i, now, pace);
    if (kind_of(run, i) == Kind::Init && container.state != State::Terminated) return;
  }
}

void finish_stop(PodRun& run) {
  run.stop_due.reset();
  run.stopped = true;
  if (run.final_phase) return;
  bool succeeded = mains_ended(run);
  for (std::size_t i = 0; i < run.containers.size(); ++i)
    succeeded = succeeded && (kind_of(run, i) == Kind::Sidecar || run.containers[i].exit_code == 0);
  run.final_phase = succeeded ? PodPhase::Succeeded : PodPhase::Failed;
}

/// What follows from the state of the containers.
void settle(PodRun& run, Time now, const Pace& pace) {
  if (!pace.kubelet || run.lost) return;
  const auto any_runs = [&run](bool sidecars) {
    for (std::size_t i = 0; i < run.containers.size(); ++i)
      if (runs(run.containers[i]) && (kind_of(run, i) == Kind::Sidecar) == sidecars) return true;
    return false;
  };
  if (run.stopping) {
    if (run.stopped || run.stop_due) return;
    if (any_runs(false)) return;
    if (any_runs(true))
      stop_sidecars(run, now, pace);
    else
      finish_stop(run);
    return;
  }
  if (run.final_phase) return;
  if (init_failed(run)) {
    for (std::size_t i = 0; i < run.containers.size(); ++i)
      if (runs(run.containers[i])) end_one(run, i, run.plan->containers[i].sigterm_exit_code, now);
    for (ContainerRun& container : run.containers) container.due.reset();
    return;
  }
  if (mains_ended(run)) {
    if (any_runs(true) && run.kill_at < now) run.kill_at = now + seconds(run.plan->grace_seconds);
    stop_sidecars(run, now, pace);
    return;
  }
  if (run.bound && run.reason.empty() && !run.start_due) start_next(run, now, pace);
}

std::optional<Time> deadline_of(const PodRun& run) noexcept {
  if (!run.plan->deadline || !run.bound_at || run.stopping) return std::nullopt;
  return *run.bound_at + *run.plan->deadline;
}

void be_bound(PodRun& run, Time now) {
  run.start_due.reset();
  run.reason.clear();
  run.bound = true;
  if (!run.bound_at) run.bound_at = now;
}

}  // namespace

bool PodRun::has_ended() const noexcept {
  const PodPhase phase = phase_of(*this);
  return phase == PodPhase::Succeeded || phase == PodPhase::Failed;
}

PodRun new_run(std::shared_ptr<const PodPlan> plan, Time now, const Pace& pace) {
  PodRun run;
  run.containers.resize(plan->containers.size());
  run.plan = std::move(plan);
  if (pace.kubelet) run.start_due = now + pace.timings.start;
  run.kill_at = Time{INT64_MIN};
  return run;
}

PodPhase phase_of(const PodRun& run) noexcept {
  if (run.final_phase) return *run.final_phase;
  if (!run.bound) return PodPhase::Pending;
  if (init_failed(run)) return PodPhase::Failed;
  bool initializing = false;
  bool sidecar_new = false;
  bool running = false;
  bool waiting = false;
  bool started = false;
  std::int64_t stopped = 0;
  std::int64_t succeeded = 0;
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    const ContainerRun& container = run.containers[i];
    const bool is_new = container.state == State::Waiting && !container.has_ended;
    switch (kind_of(run, i)) {
      case Kind::Init: initializing = initializing || container.state != State::Terminated; break;
      case Kind::Sidecar:
        running = running || runs(container);
        sidecar_new = sidecar_new || is_new;
        break;
      case Kind::Main:
        running = running || runs(container);
        waiting = waiting || is_new;
        started = started || !is_new;
        if (runs(container) || is_new) break;
        ++stopped;
        if (container.state == State::Terminated && container.exit_code == 0) ++succeeded;
        break;
    }
  }
  if (initializing || (sidecar_new && !started) || waiting) return PodPhase::Pending;
  if (running) return PodPhase::Running;
  if (stopped == 0) return PodPhase::Pending;
  if (stopped == succeeded) return PodPhase::Succeeded;
  return run.plan->restarts_on_failure ? PodPhase::Running : PodPhase::Failed;
}

bool is_ready(const PodRun& run) noexcept {
  if (run.unready || run.lost || run.final_phase) return false;
  bool any = false;
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    if (kind_of(run, i) == Kind::Init) continue;
    if (!runs(run.containers[i])) return false;
    any = true;
  }
  return any;
}

std::optional<NextStep> next_step(const PodRun& run, const Pace& pace) {
  std::optional<NextStep> next;
  if (!pace.kubelet || run.lost || run.stopped) return next;
  const auto may_be = [&next](const std::optional<Time>& due, PodStep step) {
    if (due && (!next || NextStep{*due, step} < *next)) next = NextStep{*due, step};
  };
  may_be(run.start_due, PodStep::Start);
  may_be(run.stop_due, PodStep::Stop);
  if (!run.final_phase || run.stopping) {
    for (const ContainerRun& container : run.containers) {
      if (!container.due) continue;
      may_be(container.due, !runs(container)      ? PodStep::RestartContainers
                            : container.signalled ? PodStep::Stop
                                                  : PodStep::EndContainers);
    }
  }
  if (!run.has_ended()) may_be(deadline_of(run), PodStep::Deadline);
  return next;
}

std::vector<std::string> acting(const PodRun& run, NextStep next) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < run.containers.size(); ++i)
    if (run.containers[i].due && *run.containers[i].due <= next.due) names.push_back(run.plan->containers[i].name);
  return names;
}

void carry_on(PodRun& run, Time now, const Pace& pace) {
  if (run.lost || run.stopped) return;
  if (run.start_due && *run.start_due <= now) be_bound(run, now);
  if (run.stop_due && *run.stop_due <= now) {
    finish_stop(run);
    return;
  }
  if (const auto deadline = deadline_of(run); deadline && *deadline <= now && !run.has_ended()) {
    run.reason = "DeadlineExceeded";
    end_pod(run, PodPhase::Failed, first_main(*run.plan), kKilledExitCode, now);
    return;
  }
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    ContainerRun& container = run.containers[i];
    if (!container.due || *container.due > now) continue;
    if (!runs(container)) {
      restart_container(run, i, now, pace);
    } else if (container.signalled) {
      const ContainerPlan& plan = run.plan->containers[i];
      end_one(run, i, plan.ignores_sigterm ? kKilledExitCode : plan.sigterm_exit_code, now);
    } else {
      end_one(run, i, run.plan->containers[i].exit_code.value_or(0), now);
    }
  }
  settle(run, now, pace);
}

void run_all(PodRun& run, Time now, const Pace& pace) {
  be_bound(run, now);
  run.final_phase.reset();
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    ContainerRun& container = run.containers[i];
    if (kind_of(run, i) == Kind::Init) {
      if (container.state == State::Terminated && container.exit_code == 0) continue;
      container = {.state = State::Terminated, .has_ended = true, .restarts = container.restarts, .finished = now};
    } else if (container.state == State::Waiting) {
      if (container.has_ended)
        restart_container(run, i, now, pace);
      else
        start_container(run, i, now, pace);
    }
  }
}

void end_container(PodRun& run, std::size_t container, std::int32_t exit_code, Time now, const Pace& pace) {
  end_one(run, container, exit_code, now);
  settle(run, now, pace);
}

void end_pod(PodRun& run, PodPhase phase, std::size_t container, std::int32_t exit_code, Time now) {
  if (!run.bound) be_bound(run, now);
  run.start_due.reset();
  const bool early = container < run.containers.size() && kind_of(run, container) == Kind::Init;
  run.final_phase = phase;
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    ContainerRun& one = run.containers[i];
    one.due.reset();
    if (one.state == State::Terminated && !(i == container && phase == PodPhase::Failed)) continue;
    const bool is_new = one.state == State::Waiting && !one.has_ended;
    // What stands behind the init container that failed has never run.
    if (early && i > container && is_new) continue;
    std::int32_t code = kind_of(run, i) == Kind::Sidecar ? run.plan->containers[i].sigterm_exit_code : 0;
    if (i == container) code = exit_code;
    end_one(run, i, code, now);
  }
}

void begin_stop(PodRun& run, Time kill_at, Time now, const Pace& pace) {
  run.stopping = true;
  run.kill_at = kill_at;
  run.start_due.reset();
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    ContainerRun& container = run.containers[i];
    if (!runs(container))
      container.due.reset();
    else if (pace.kubelet && kind_of(run, i) != Kind::Sidecar)
      signal(run, i, now, pace);
  }
  if (!pace.kubelet) return;
  if (std::none_of(run.containers.begin(), run.containers.end(), runs)) {
    const Time ends = now + pace.timings.stop;
    run.stop_due = ends > kill_at ? kill_at : ends;
    return;
  }
  settle(run, now, pace);
}

void set_obstacle(PodRun& run, std::string reason, Time now, const Pace& pace) {
  run.start_due.reset();
  if (reason.empty()) {
    run.reason.clear();
    if (pace.kubelet) run.start_due = now + pace.timings.start;
    return;
  }
  if (reason == "Unschedulable") {
    run.bound = false;
    run.bound_at.reset();
  } else if (!run.bound) {
    be_bound(run, now);
  }
  run.reason = std::move(reason);
}

std::string waiting_reason(const PodRun& run, std::size_t container) {
  const ContainerRun& one = run.containers[container];
  if (one.state != State::Waiting || !run.bound) return {};
  if (one.has_ended) return "CrashLoopBackOff";
  for (std::size_t i = 0; i < container; ++i)
    if (kind_of(run, i) == Kind::Init && run.containers[i].state != State::Terminated) return "PodInitializing";
  return run.reason.empty() ? "ContainerCreating" : run.reason;
}

bool report(const PodRun& run, kubejob::Pod& pod, Time now) {
  const auto put = [](auto& into, auto value) {
    const bool changed = !(into == value);
    if (changed) into = std::move(value);
    return changed;
  };
  bool changed = put(pod.phase, phase_of(run));
  if (run.bound && pod.node.empty()) changed = put(pod.node, std::string("node"));
  std::vector<kubejob::ContainerStatus> init;
  std::vector<kubejob::ContainerStatus> main;
  for (std::size_t i = 0; i < run.containers.size() && run.bound; ++i) {
    const ContainerRun& container = run.containers[i];
    kubejob::ContainerStatus status;
    status.name = run.plan->containers[i].name;
    status.restart_count = container.restarts;
    status.terminated = container.state == State::Terminated;
    if (status.terminated) {
      status.exit_code = container.exit_code;
      status.finished = whole_seconds(container.finished);
    }
    (kind_of(run, i) == Kind::Main ? main : init).push_back(std::move(status));
  }
  changed = put(pod.containers, std::move(main)) || changed;
  changed = put(pod.init_containers, std::move(init)) || changed;

  const auto condition = [&](std::string_view type, bool holds, bool wanted) {
    const auto found = std::find_if(pod.conditions.begin(), pod.conditions.end(),
                                    [type](const kubejob::PodCondition& c) { return c.type == type; });
    const std::string status = holds ? "True" : "False";
    if (found == pod.conditions.end()) {
      if (!wanted) return;
      pod.conditions.push_back({std::string(type), status, whole_seconds(now)});
    } else if (found->status != status) {
      found->status = status;
      found->last_transition = whole_seconds(now);
    } else {
      return;
    }
    changed = true;
  };
  condition("PodScheduled", run.bound, !run.bound && !run.reason.empty());
  condition("Ready", is_ready(run), is_ready(run));
  return changed;
}

}  // namespace pumice::kubeworld
