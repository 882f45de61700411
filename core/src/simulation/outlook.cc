// What can happen next, and what keeps a job from going on.
#include <algorithm>
#include <set>

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

std::string counted(std::int64_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string gang_text(const GangState& gang, const std::string& closed_gates) {
  const bool of_task = gang.existing >= gang.needed;
  const std::int32_t needed = of_task ? gang.short_needed : gang.needed;
  const std::int32_t existing = of_task ? gang.short_existing : gang.existing;
  std::string text = "the gang needs " + counted(needed, "pod", "pods");
  text += of_task ? " of task `" + gang.short_task + "`" : " (minAvailable)";
  text += existing == 0 ? ", none exists" : ", " + counted(existing, "exists", "exist");
  if (closed_gates.empty()) return text;
  const bool one_task = closed_gates.find(',') == std::string::npos;
  text += needed - existing == 1 ? "; the missing one belongs to " : "; the missing ones belong to ";
  text += closed_gates + (one_task ? ", which waits" : ", which wait") +
          " for pods of this very gang: with minAvailable " + std::to_string(gang.existing) + " it would start";
  return text;
}

/// Why the scheduler does not take a PodGroup in; empty if it does.
std::string queue_text(const QueueState& state, const std::string& queue) {
  if (!state.known) return "queue `" + queue + "` does not exist";
  if (!state.open) return "queue `" + queue + "` is not open, so its PodGroup is not taken in";
  if (state.resource.empty()) return {};
  return "queue `" + queue + "` is full: of " + state.resource + " " + state.capability.text() + " there are " +
         state.used.text() + " in use or claimed by jobs that come first, and the gang asks for " +
         state.requested.text();
}

}  // namespace

void Simulation::add_faults(std::vector<PaletteEntry>& list) const {
  const auto add = [&](const std::string& group, std::string label, auto what) {
    UserEvent event{std::nullopt, {std::move(what)}};
    std::string disabled = impossible(event);
    list.push_back({group, std::move(label), std::move(event), std::move(disabled)});
  };
  for (const std::string& key : jobs_) {
    const std::string name = name_of(key);
    const std::string group = "Job " + name;
    add(group, "is deleted", DeleteEvent{name, false});
    add(group, "is created once more", CreateEvent{name});
  }
  const auto fault = [&](std::string label, auto what) {
    add("Faults", std::move(label), FaultEvent{std::move(what)});
  };
  using What = ControllerFault::What;
  fault("the controller restarts", ControllerFault{What::Restart, {}, {}});
  fault("the controller goes down", ControllerFault{What::Down, {}, {}});
  fault("the controller starts", ControllerFault{What::Up, {}, {}});
  fault("the controller crashes at the next effect", ControllerFault{What::Restart, {}, 1});
  fault("the next effect fails", EffectFault{});
  const auto effect = [&](const char* label, const char* kind, ResultCode result, bool done) {
    fault(label, EffectFault{kind, "", result, done, 1});
  };
  effect("the next pod is refused", "CreatePod", ResultCode::Forbidden, false);
  effect("the next status write meets a conflict", "UpdateJobStatus", ResultCode::Conflict, false);
  effect("the next deletion of a pod times out, but is done", "DeletePod", ResultCode::Timeout, true);
  const auto watch = [&](const char* label, std::optional<WatchKind> kind, WatchFault::Mode mode,
                         std::optional<std::int32_t> count) { fault(label, WatchFault{mode, kind, {}, count}); };
  watch("news of pods are held back", WatchKind::Pods, WatchFault::Mode::Hold, {});
  watch("news of pods arrive", WatchKind::Pods, WatchFault::Mode::Release, {});
  watch("all news are held back", {}, WatchFault::Mode::Hold, {});
  watch("the next news of each kind arrive", {}, WatchFault::Mode::Release, 1);
  watch("all news arrive", {}, WatchFault::Mode::Release, {});
  watch("news of pods are lost", WatchKind::Pods, WatchFault::Mode::Drop, {});
  watch("a new list of pods is made", WatchKind::Pods, WatchFault::Mode::Relist, {});
  fault("all nodes are lost", NodeFault{"*", false});
  fault("all nodes are back", NodeFault{"*", true});
  fault("nothing goes wrong any more", MendFault{});
}

std::vector<PaletteEntry> Simulation::palette() const {
  std::vector<PaletteEntry> list;
  const auto add_with = [&](const std::string& group, std::string label, auto what, std::string disabled) {
    list.push_back({group, std::move(label), UserEvent{std::nullopt, {std::move(what)}}, std::move(disabled)});
  };
  const auto add = [&](const std::string& group, std::string label, auto what) {
    std::string disabled = impossible(UserEvent{std::nullopt, {what}});
    add_with(group, std::move(label), std::move(what), std::move(disabled));
  };
  add("Time", "next thing that happens by itself", AdvanceEvent{AdvanceEvent::By::Next, {}});
  add("Time", "to the next delayed action", AdvanceEvent{AdvanceEvent::By::NextTimer, {}});
  add("Time", "until a phase changes", UntilEvent{UntilEvent::By::Change, JobPhase::None, {}});
  add("Time", "until nothing more happens", UntilEvent{});

  for (const std::string& key : jobs_) {
    const JobPtr stored = cluster_.last_job(key);
    if (!stored) continue;
    const Job& job = *stored;
    // Of a job that is gone only pods may be left.
    const bool exists = cluster_.jobs().contains(key);
    const std::string name = name_of(key);
    for (const auto phase :
         {PodGroupPhase::Inqueue, PodGroupPhase::Running, PodGroupPhase::Unknown, PodGroupPhase::Pending})
      if (exists) add("PodGroup of " + name, std::string(to_string(phase)), PodGroupEvent{name, phase});

    const std::vector<const StoredPod*> pods = cluster_.pods_of(key);
    std::vector<std::vector<std::string>> keys_of_task(job.spec->tasks.size());
    for (const StoredPod* pod : pods)
      if (cluster_.is_own(*pod))
        keys_of_task[static_cast<std::size_t>(pod->task)].push_back(pod->pod->ns + "/" + pod->pod->name);
    for (std::size_t i = 0; exists && i < job.spec->tasks.size(); ++i) {
      const TaskSpec& task = job.spec->tasks[i];
      if (task.replicas < 2) continue;
      // Not looked for by their pattern: that would take as long as there are pods, for each task of each job.
      const auto add_all = [&](const char* label, PodPhase phase) {
        PodEvent event = to_phase(name + "-" + task.name + "-*", phase);
        std::string disabled;
        if (keys_of_task[i].empty()) disabled = "task `" + task.name + "` has no pod now";
        (void)possible(event, keys_of_task[i], disabled);
        add_with("Task " + task.name + " of " + name, label, std::move(event), std::move(disabled));
      };
      add_all("all run", PodPhase::Running);
      add_all("all succeed", PodPhase::Succeeded);
    }
    for (std::size_t i = 0; i < std::min(pods.size(), kPalettePodsMax); ++i) {
      const Pod& pod = *pods[i]->pod;
      const std::string pod_key = pod.ns + "/" + pod.name;
      const std::string full = name_of(pod_key);
      const std::string group = "Pod " + pod.name.substr(job.meta.name.size() + 1) + " of " + name;
      const auto add_pod = [&](std::string label, PodEvent event) {
        std::string disabled;
        (void)possible(event, {pod_key}, disabled);
        add_with(group, std::move(label), std::move(event), std::move(disabled));
      };
      add_pod("runs", to_phase(full, PodPhase::Running));
      add_pod("succeeds", to_phase(full, PodPhase::Succeeded));
      for (const std::int32_t code : {1, 137, 143})
        add_pod("fails with exit code " + std::to_string(code), to_phase(full, PodPhase::Failed, code));
      add_pod("a container restarts", with(full, &PodEvent::restarts, std::optional(pod.restarts_of({}) + 1)));
      add_pod("is evicted", with(full, &PodEvent::evicted, true));
      add_pod("vanishes", with(full, &PodEvent::gone, true));
    }
    for (const Action action :
         {Action::AbortJob, Action::ResumeJob, Action::RestartJob, Action::TerminateJob, Action::CompleteJob})
      if (exists)
        add("Command to " + name, std::string(to_string(action)), CommandEvent{name, std::string(to_string(action))});
  }
  if (!jobs_.empty() || kube_.jobs().empty()) add_faults(list);
  add_kube_palette(list);
  return list;
}

std::vector<Waiting> Simulation::waiting() const {
  std::vector<Waiting> list;
  std::set<std::string> timed;
  for (const volcano::DelayedActions::Pending& timer : controller_.delayed().pending())
    timed.insert(timer.action.request.job_key());
  for (const std::string& key : jobs_) {
    if (!cluster_.jobs().contains(key)) {
      list.push_back({key, "Gone", "it is deleted; the event `create` makes it once more"});
      continue;
    }
    if (!wire_.is_up()) {
      list.push_back({key, "ControllerDown", "the controller is down, so nothing is done for it"});
      continue;
    }
    if (const JobInfo* info = controller_.cache().get(key)) {
      const std::size_t before = list.size();
      add_waiting(*info, key, list);
      if (list.size() == before && !timed.contains(key) && !cluster_.is_busy())
        list.push_back({key, "Nothing", "no pod runs and no timer is pending, so nothing will move it"});
    }
  }
  for (kubeworld::Wait& wait : kube_.waiting(now_))
    list.push_back({std::move(wait.job_key), std::move(wait.code), std::move(wait.text)});
  return list;
}

void Simulation::add_waiting(const JobInfo& info, const std::string& key, std::vector<Waiting>& list) const {
  const JobStatus& status = info.job->status;
  const JobPhase phase = status.phase.code;
  std::int64_t running = 0;
  std::int64_t terminating = 0;
  for (const TaskPods& task : info.tasks) {
    running += task.counts()[PodPhase::Running];
    terminating += task.terminating();
  }
  // Without kubelets deleted pods stay until the user says that they are gone.
  if (terminating > 0 && options_.automation == Automation::Manual)
    list.push_back(
        {key, "PodsTerminating",
         counted(terminating, "pod is being deleted and still there", "pods are being deleted and still there")});
  if (info.job->meta.deletion) {
    list.push_back({key, "Deleting", "it is being deleted, and goes when its pods are gone"});
    return;
  }
  if (is_final(phase)) {
    list.push_back({key, "Final", std::string(status.phase.text()) + " is final: no action leads out of it"});
    if (const auto due = side_.deleted_at(key))
      list.push_back({key, "Ttl",
                      "it is deleted at +" + to_string(*due - options_.start) + " (ttlSecondsAfterFinished " +
                          std::to_string(info.job->spec->ttl_seconds_after_finished.value_or(0)) + ")"});
    return;
  }
  if (phase == JobPhase::Aborted) {
    list.push_back({key, "Aborted", "it stays Aborted until the command ResumeJob"});
    return;
  }
  if (phase == JobPhase::Aborting || phase == JobPhase::Completing || phase == JobPhase::Terminating) return;

  const PodGroup* group = cluster_.pod_group_of(key);
  if (!group || !group->ready()) {
    const QueueState queue = group ? cluster_.queue_state(*group) : QueueState{};
    if (std::string text = queue_text(queue, info.job->spec->queue); !text.empty()) {
      list.push_back({key, queue.known && queue.open ? "QueueFull" : "QueueNotOpen", std::move(text)});
      return;
    }
    list.push_back(
        {key, "PodGroupPending", "pods are created only when the scheduler takes in the PodGroup (Inqueue)"});
    return;
  }
  if (ends_with_time()) list.push_back({key, "EndOfTime", nothing_next()});
  add_taken_names(info, key, list);
  const std::string closed_gates = add_closed_gates(info, key, list);
  const GangState gang = cluster_.gang(*group);
  if (!gang.complete) {
    list.push_back({key, "GangIncomplete", gang_text(gang, closed_gates)});
    return;
  }
  for (const StoredPod* pod : cluster_.pods_of(key)) {
    if (pod->held_up.empty() || pod->pod->deletion) continue;
    list.push_back({key, "PodHeldUp", "pod `" + pod->pod->name + "` cannot start: " + pod->held_up});
    break;
  }
  if (gang.waiting > 0 && options_.automation == Automation::Manual)
    list.push_back({key, "PodsPending", counted(gang.waiting, "pod waits to be started", "pods wait to be started")});
  if (running > 0)
    list.push_back({key, "PodsRunning",
                    counted(running, "pod runs until something ends it", "pods run until something ends them")});
}

/// Adds an entry for the first pod of each task that cannot come, as another job has a pod of its name.
void Simulation::add_taken_names(const JobInfo& info, const std::string& key, std::vector<Waiting>& list) const {
  for (std::size_t i = 0; i < info.tasks.size(); ++i) {
    bool told = false;
    info.tasks[i].missing().for_each([&](std::int32_t slot) {
      if (told) return;
      const std::string name = info.tasks[i].slot_name(slot);
      const auto other = cluster_.pods().find(info.ns + "/" + name);
      if (other == cluster_.pods().end() || other->second.job_key == key) return;
      told = true;
      list.push_back({key, "NameTaken",
                      "pod `" + name + "` of task `" + info.job->spec->tasks[i].name + "` cannot be created: job `" +
                          name_of(other->second.job_key) + "` has a pod of that name"});
    });
  }
}

/// Adds an entry for each task whose missing pods wait for other tasks; returns the names of these tasks.
std::string Simulation::add_closed_gates(const JobInfo& info, const std::string& key, std::vector<Waiting>& list) {
  std::string names;
  for (std::size_t i = 0; i < info.tasks.size(); ++i) {
    const TaskSpec& task = info.job->spec->tasks[i];
    std::vector<std::string> waits_for;
    if (info.tasks[i].missing().empty() || Controller::gate_open(info, task, waits_for)) continue;
    std::string text = "task `" + task.name + "` waits for ";
    for (std::size_t n = 0; n < waits_for.size(); ++n) text += (n ? ", `" : "`") + waits_for[n] + "`";
    list.push_back({key, "DependsOn", text + " to be ready (dependsOn)"});
    names += (names.empty() ? "`" : ", `") + task.name + "`";
  }
  return names;
}

}  // namespace pumice
