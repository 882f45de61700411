// What can happen next, and what keeps a job from going on.
#include "pumice/simulation/simulation.h"

namespace pumice {

using namespace volcano;

namespace {

constexpr std::size_t kPalettePodsMax = 24;

PodEvent to_phase(const std::string& pod, PodPhase phase, std::optional<std::int32_t> exit_code = {}) {
  PodEvent event;
  event.pod = pod;
  event.phase = phase;
  event.exit_code = exit_code;
  return event;
}

template <class Value>
PodEvent with(const std::string& pod, Value PodEvent::* member, Value value) {
  PodEvent event;
  event.pod = pod;
  event.*member = value;
  return event;
}

std::string plural(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

std::vector<PaletteEntry> Simulation::palette() const {
  std::vector<PaletteEntry> list;
  const auto add = [&](const std::string& group, std::string label, auto what) {
    PaletteEntry entry{group, std::move(label), UserEvent{std::nullopt, {std::move(what)}}, ""};
    entry.disabled = impossible(entry.event);
    list.push_back(std::move(entry));
  };
  add("Time", "next thing that happens by itself", AdvanceEvent{AdvanceEvent::By::Next, {}});
  add("Time", "to the next delayed action", AdvanceEvent{AdvanceEvent::By::NextTimer, {}});
  add("Time", "until a phase changes", UntilEvent{UntilEvent::By::Change, JobPhase::None, {}});
  add("Time", "until nothing more happens", UntilEvent{});

  for (const std::string& key : jobs_) {
    const auto stored = cluster_.jobs().find(key);
    if (stored == cluster_.jobs().end()) continue;
    const Job& job = *stored->second;
    const std::string name = job.meta.name;
    for (const auto phase :
         {PodGroupPhase::Inqueue, PodGroupPhase::Running, PodGroupPhase::Unknown, PodGroupPhase::Pending})
      add("PodGroup of " + name, std::string(to_string(phase)), PodGroupEvent{name, phase});

    for (const TaskSpec& task : job.spec->tasks) {
      if (task.replicas < 2) continue;
      const std::string all = name + "-" + task.name + "-*";
      add("Task " + task.name + " of " + name, "all run", to_phase(all, PodPhase::Running));
      add("Task " + task.name + " of " + name, "all succeed", to_phase(all, PodPhase::Succeeded));
    }
    std::size_t shown = 0;
    for (const StoredPod* pod : cluster_.pods_of(key)) {
      if (++shown > kPalettePodsMax) break;
      const std::string& full = pod->pod->name;
      const std::string group = "Pod " + full.substr(name.size() + 1) + " of " + name;
      add(group, "runs", to_phase(full, PodPhase::Running));
      add(group, "succeeds", to_phase(full, PodPhase::Succeeded));
      for (const std::int32_t code : {1, 137, 143})
        add(group, "fails with exit code " + std::to_string(code), to_phase(full, PodPhase::Failed, code));
      add(group, "a container restarts", with(full, &PodEvent::restarts, std::optional(pod->pod->restarts() + 1)));
      add(group, "is evicted", with(full, &PodEvent::evicted, true));
      add(group, "vanishes", with(full, &PodEvent::gone, true));
    }
    for (const Action action :
         {Action::AbortJob, Action::ResumeJob, Action::RestartJob, Action::TerminateJob, Action::CompleteJob})
      add("Command to " + name, std::string(to_string(action)), CommandEvent{name, std::string(to_string(action))});
  }
  return list;
}

std::vector<Waiting> Simulation::waiting() const {
  std::vector<Waiting> list;
  for (const std::string& key : jobs_) {
    const JobInfo* info = controller_.cache().get(key);
    if (!info) continue;
    const JobStatus& status = info->job->status;
    const JobPhase phase = status.phase.code;
    if (is_final(phase)) {
      list.push_back({key, "Final", std::string(status.phase.text()) + " is final: no action leads out of it"});
      continue;
    }
    if (phase == JobPhase::Aborted) {
      list.push_back({key, "Aborted", "it stays Aborted until the command ResumeJob"});
      continue;
    }
    const PodGroup* group = cluster_.pod_group_of(key);
    if (!group || !group->ready()) {
      list.push_back(
          {key, "PodGroupPending", "pods are created only when the scheduler takes in the PodGroup (Inqueue)"});
      continue;
    }
    std::string closed_gates;
    for (std::size_t i = 0; i < info->tasks.size(); ++i) {
      const TaskSpec& task = info->job->spec->tasks[i];
      std::vector<std::string> waits_for;
      if (info->tasks[i].missing().empty() || Controller::gate_open(*info, task, waits_for)) continue;
      std::string text = "task `" + task.name + "` waits for ";
      for (std::size_t n = 0; n < waits_for.size(); ++n) text += (n ? ", `" : "`") + waits_for[n] + "`";
      list.push_back({key, "DependsOn", text + " to be ready (dependsOn)"});
      closed_gates += (closed_gates.empty() ? "`" : ", `") + task.name + "`";
    }
    const GangState gang = cluster_.gang(*group);
    if (!gang.complete) {
      std::string text = gang.existing < gang.needed
                             ? "the gang needs " + plural(gang.needed, "pod") + " (minAvailable), " +
                                   std::to_string(gang.existing) + " exist"
                             : "the gang needs " + plural(gang.short_needed, "pod") + " of task `" + gang.short_task +
                                   "`, " + std::to_string(gang.short_existing) + " exist";
      if (!closed_gates.empty())
        text += "; the missing ones belong to " + closed_gates +
                ", which wait for pods of this very gang: a smaller minAvailable would let it start";
      list.push_back({key, "GangIncomplete", std::move(text)});
      continue;
    }
    std::int64_t running = 0, terminating = 0;
    for (const TaskPods& task : info->tasks) {
      running += task.counts()[PodPhase::Running];
      terminating += task.terminating();
    }
    if (gang.waiting > 0 && options_.automation == Automation::Manual)
      list.push_back({key, "PodsPending", plural(gang.waiting, "pod") + " wait to be started"});
    if (terminating > 0 && options_.automation == Automation::Manual)
      list.push_back({key, "PodsTerminating", plural(terminating, "pod") + " are being deleted and still there"});
    if (running > 0)
      list.push_back({key, "PodsRunning",
                      plural(running, "pod") + (running == 1 ? " runs" : " run") + " until something ends them"});
    if (list.empty() || list.back().job_key != key)
      list.push_back({key, "Nothing", "no pod runs and no timer is pending, so nothing will move it"});
  }
  return list;
}

}  // namespace pumice
