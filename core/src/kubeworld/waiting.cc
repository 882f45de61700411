// What a job waits for, and why it may hang.
#include <algorithm>
#include <map>
#include <utility>

#include "compose.h"
#include "kubeworld/kube_names.h"
#include "list_text.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubeworld/world.h"

namespace pumice::kubeworld {

namespace {

/// Pods that are looked at one by one to tell what they wait for.
constexpr std::size_t kPodsMax = 1000;

std::string verb(std::int64_t count, std::string_view one, std::string_view many) {
  return count_of(count, "pod") + " " + std::string(count == 1 ? one : many);
}

std::string obstacle_text(const std::string& reason) {
  if (reason == "Unschedulable") return "no node takes it (Unschedulable)";
  if (reason == "ErrImagePull" || reason == "ImagePullBackOff")
    return "its image cannot be pulled (" + reason + "), which the kubelet tries again for ever";
  if (reason == "InvalidImageName") return "the name of its image is none (InvalidImageName)";
  if (reason == "CreateContainerConfigError")
    return "a ConfigMap or Secret that it names does not exist (CreateContainerConfigError)";
  return "it cannot start (" + reason + ")";
}

}  // namespace

std::vector<Wait> World::waiting(Time now) const {
  std::vector<Wait> list;
  for (const std::string& key : order_) {
    const JobPtr found = job(key);
    if (!found) {
      list.push_back({key, "Gone", "the Job is deleted"});
      continue;
    }
    if (!up_) list.push_back({key, "ControllerDown", "the controllers are down: nothing is counted, made or ended"});
    for (const WatchKind kind : kWatchKinds) {
      if (const std::int64_t kept = watches_.kept(kind); kept > 0)
        list.push_back(
            {key, "WatchHeld",
             compose("{} about {} have not reached the controller", count_of(kept, "notification"), to_string(kind))});
    }
    add_waits(*found, now, list);
  }
  return list;
}

void World::add_waits(const Job& job, Time now, std::vector<Wait>& list) const {
  const std::string key = job.key();
  const JobSpec& spec = *job.spec;
  const JobStatus& status = job.status;
  const auto add = [&list, &key](std::string code, std::string text) {
    list.push_back({key, std::move(code), std::move(text)});
  };
  if (job.meta.deletion) {
    const std::int64_t pods = count_pods_of(key);
    std::vector<std::string> finalizers;
    for (const std::string& finalizer : job.finalizers) finalizers.push_back("`" + finalizer + "`");
    add("Deleting", pods > 0
                        ? "the Job is being deleted, and stays until its " + count_of(pods, "pod") +
                              (pods == 1 ? " is gone" : " are gone")
                        : "the Job is being deleted, and stays for its finalizers " + list_text(finalizers, "and"));
    return;
  }
  if (const Condition* finished = status.finished()) {
    std::string text = finished->type + " is final";
    if (spec.ttl_seconds_after_finished) {
      const auto since = kubejob::finish_time(job);
      if (since)
        text += ", and the Job is deleted at " + to_rfc3339(*since + seconds(*spec.ttl_seconds_after_finished)) +
                " (ttlSecondsAfterFinished)";
    }
    add("Final", std::move(text));
    return;
  }
  const Quirks& quirks = controller_.config().quirks;
  if (spec.managed_by && *spec.managed_by != kBuiltInController && !quirks.has(Quirk::NoManagedBy)) {
    add("ManagedByOther",
        compose("managedBy names `{}`: this controller leaves the Job alone, for ever", *spec.managed_by));
    return;
  }
  const std::int64_t terminating = status.terminating.value_or(0);
  const Condition* target = status.find_true("FailureTarget");
  const Condition* met = status.find_true("SuccessCriteriaMet");
  if (target != nullptr || met != nullptr) {
    add("PodsTerminating", compose("the Job is to be {} ({}) once {} gone", met != nullptr ? "Complete" : "Failed",
                                   met != nullptr ? met->reason : target->reason, verb(terminating, "is", "are")));
    return;
  }
  if (spec.is_suspended()) {
    add("Suspended", "suspend is true: the Job stays as it is until somebody sets it to false");
    return;
  }
  if (const auto retry = next_retry(key, now))
    add("BackingOff", compose("a failed pod is replaced at {} at the earliest, in {} (back-off)", to_rfc3339(*retry),
                              to_string(*retry - now)));
  if (spec.parallelism.value_or(1) == 0)
    add("ParallelismZero", "parallelism is 0: no pod is made until somebody raises it");
  if (only_replaces_failed(spec, quirks) && terminating > 0 && !quirks.has(Quirk::NoReplacementPolicy))
    add("WaitsForTerminating", compose("a replacement comes only when {} ended (podReplacementPolicy Failed)",
                                       verb(terminating, "has", "have")));
  add_pod_waits(job, list);
  if (spec.active_deadline_seconds && status.start_time)
    add("Deadline", compose("at {} the Job fails, if it has not ended (activeDeadlineSeconds)",
                            to_rfc3339(*status.start_time + active_deadline(spec))));
}

/// Pods that run, that cannot start, and those whose main container has ended beside one that does not.
void World::add_pod_waits(const Job& job, std::vector<Wait>& list) const {
  const std::string key = job.key();
  std::int64_t running = 0;
  std::int64_t pending = 0;
  std::int64_t crashing = 0;
  std::int64_t lost = 0;
  std::map<std::string, std::pair<std::int64_t, std::string>> stuck;  // reason → how many, and the first one's name
  std::map<std::string, std::string> hangers;                         // container → what has ended beside it
  const std::vector<const PodState*> pods = pods_of(key);
  for (std::size_t i = 0; i < std::min(pods.size(), kPodsMax); ++i) {
    const PodRun& run = pods[i]->run;
    const PodPhase phase = phase_of(run);
    if (is_ended(phase) || run.stopping) continue;
    if (run.lost) ++lost;
    if (!run.reason.empty()) {
      auto& [count, name] = stuck[run.reason];
      if (++count == 1) name = pods[i]->key.substr(pods[i]->key.find('/') + 1);
      continue;
    }
    if (phase != PodPhase::Running) {
      ++pending;
      continue;
    }
    ++running;
    std::string ended;
    std::string runs;
    for (std::size_t c = 0; c < run.containers.size(); ++c) {
      const ContainerPlan& plan = run.plan->containers[c];
      if (plan.kind != ContainerKind::Main) continue;
      if (run.containers[c].state == ContainerState::Terminated && ended.empty()) ended = plan.name;
      if (run.containers[c].state == ContainerState::Running && runs.empty()) runs = plan.name;
      if (run.containers[c].state == ContainerState::Waiting) ++crashing;
    }
    if (!ended.empty() && !runs.empty()) hangers.try_emplace(runs, ended);
  }
  const auto add = [&list, &key](std::string code, std::string text) {
    list.push_back({key, std::move(code), std::move(text)});
  };
  for (const auto& [reason, pods_stuck] : stuck) {
    std::string text = "pod " + pods_stuck.second;
    if (pods_stuck.first > 1) text += compose(" and {} more", pods_stuck.first - 1);
    text += " stays Pending: " + obstacle_text(reason);
    if (!job.spec->active_deadline_seconds) text += "; without activeDeadlineSeconds nothing ends the Job";
    add("PodsStuck", std::move(text));
  }
  for (const auto& [runs, ended] : hangers) {
    add("ContainerKeepsRunning",
        compose("container `{}` has ended, but `{}` runs on and keeps its pod from ending; as an init container with "
                "restartPolicy Always it would be stopped",
                ended, runs));
  }
  if (crashing > 0)
    add("Restarting", count_of(crashing, "container") + (crashing == 1 ? " waits" : " wait") + " to be started again");
  if (lost > 0) add("NodeLost", verb(lost, "is", "are") + " on a node that does not answer");
  if (running > 0) add("PodsRunning", verb(running, "runs until something ends it", "run until something ends them"));
  if (pending > 0 && !config_.pace.kubelet)
    add("PodsPending", verb(pending, "waits to be started", "wait to be started"));
}

}  // namespace pumice::kubeworld
