// From a processed request to a sentence: cause → decision → outcome.
#include <algorithm>

#include "compose.h"
#include "simulation/event_words.h"
#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

namespace {

std::string pod_of(const Request& request) { return short_name(request.pod_name, request.job_name); }

/// `the pod` of a request that has one; else the job.
std::string subject_of(const Request& request) { return request.pod_name.empty() ? "the job" : pod_of(request); }

std::string action_word(const ActionName& action) {
  const std::string_view text = action.text();
  if (text.empty()) return "the empty action";
  return action.code == Action::Other ? compose("`{}`", text) : std::string(text);
}

std::string from_to(const ProcessRecord& record) {
  if (record.before.phase.code == JobPhase::None) return "new to " + phase_text(record.after.phase);
  return phase_text(record.before.phase) + " to " + phase_text(record.after.phase);
}

bool phase_changed(const ProcessRecord& record) { return !(record.before.phase == record.after.phase); }

/// `retry 1 of 3`, with what is surprising about it.
std::string retry_text(const ProcessRecord& record) {
  if (record.after.retry_count <= record.before.retry_count || !record.spec) return {};
  const std::int32_t used = record.after.retry_count;
  const std::int32_t allowed = record.spec->max_retry;
  std::string text = compose(", retry {} of {}", used, allowed);
  const bool is_last = record.quirks.has(Quirk::MaxRetryCountsRuns) ? used >= allowed : used > allowed;
  if (is_last) text += ", which is the last and ends in Failed";
  if (record.action.code == Action::ResumeJob) text += " (a resume counts as a retry)";
  return text;
}

std::string killed_text(const ProcessRecord& record) {
  const bool targeted = record.plan.operation == Operation::KillTarget;
  if (record.killed == 0 && targeted) {
    if (record.target.pod_name.empty() && record.target.task_name.empty()) {
      return "; no pod is meant, so none is deleted";
    }
    if (record.after.terminating == 0) return "; its target has no pod, so none is deleted";
    return record.after.terminating == 1 ? "; its pod is being deleted already"
                                         : "; its pods are being deleted already";
  }
  // A kill that is only carried on from an earlier request told of the kept pods then.
  const bool is_first =
      record.reason == TransitionReason::Requested || record.reason == TransitionReason::RestartCounted;
  if (record.killed == 0 && (record.kept == 0 || !is_first)) return {};
  std::string text = "; " + (record.killed == 0 ? "no pod" : count_of(record.killed, "pod")) + " deleted";
  if (record.kept > 0) text += compose(", {} {} kept", count_of(record.kept, "ended pod"), is_or_are(record.kept));
  if (record.kept > 0 && record.last_retry && record.plan.retain == Retain::None) text += " (last retry)";
  return text;
}

/// The action as the subject of a clause: that of a command or a timer was named already.
std::string action_subject(const ProcessRecord& record) {
  return record.source == DecisionSource::Command || record.expired ? "it" : action_word(record.action);
}

std::string leaves_text(const PhaseName& phase) {
  return phase_text(phase) + (is_final(phase.code) ? " is final" : " is left by ResumeJob only");
}

/// What an action means in a phase that does not know it, or that has something else in mind (spec 7.2, 12 no. 28 and
/// 47). Ends in a colon if the outcome is still to be told.
std::string misunderstanding(const ProcessRecord& record) {
  const Action action = record.action.code;
  const std::string subject = action_subject(record);
  if (action == Action::SyncJob) return {};
  if (record.empty_target) return subject + " finds no pod, so it is a plain sync: ";
  const bool is_partition = action == Action::RestartPartition && record.quirks.has(Quirk::NoRestartPartition);
  if (is_partition) return subject + " does not exist in this controller, so the phase's default happens: ";
  if (action == Action::None || action == Action::Other) {
    const std::string hint = action_hint(record.action.text());
    return compose("{} is no known action{}, so {}: ", subject == "it" ? "that" : subject,
                   hint.empty() ? "" : " (" + hint + ")",
                   record.quirks.has(Quirk::UnknownActionActs) ? "the phase's default happens" : "it is a plain sync");
  }
  if (is_internal(action)) return subject + " means nothing to a job, so the phase's default happens: ";
  const std::string phase = phase_text(record.before.phase);
  if (record.plan.operation == Operation::Sync)
    return compose("{} does nothing while {}, it is a plain sync: ", subject, phase);
  switch (record.plan.function) {
    case StatusFunction::None: return compose("{} changes nothing, {}", subject, leaves_text(record.before.phase));
    case StatusFunction::FromRestarting: return subject + " only deletes pods again while Restarting: ";
    case StatusFunction::DrainAborted:
    case StatusFunction::DrainCompleted:
    case StatusFunction::DrainTerminated: return compose("{} only deletes what is left while {}: ", subject, phase);
    case StatusFunction::Restart:
    case StatusFunction::ToAborting:
    case StatusFunction::ToCompleting:
    case StatusFunction::ToTerminating:
    case StatusFunction::FromPending:
    case StatusFunction::FromRunning:
    case StatusFunction::ToRestarting: return {};
  }
  return {};
}

/// `Pending to Running, 3 pods run or have ended, 3 are needed` · `the job stays Pending, …`.
std::string phase_clause(const ProcessRecord& record, const Scene& scene) {
  const std::string why = transition_text(record, scene);
  if (phase_changed(record)) return from_to(record) + (why.empty() ? "" : ", " + why);
  if (record.plan.function == StatusFunction::None) {
    return compose("the job stays {}, which {}", phase_text(record.after.phase),
                   is_final(record.after.phase.code) ? "is final" : "only ResumeJob leaves");
  }
  return compose("the job stays {}", phase_text(record.after.phase)) + (why.empty() ? "" : ", " + why);
}

std::string gates_text(const SyncFacts& sync) {
  std::string text;
  for (const auto& [task, waits_for] : sync.gated) {
    text += compose("; task {} waits for {} (dependsOn)", task, fold_names(waits_for));
  }
  return text;
}

/// Pods that could not be created for their names (spec 8.6: "already exists" is ignored), and whose these are.
std::string taken_text(const ProcessRecord& record, const Scene& scene) {
  const std::vector<std::string>& taken = record.sync.taken;
  if (taken.empty()) return {};
  std::vector<std::string> pods;
  std::vector<std::string> owners;
  for (const std::string& pod : taken) {
    pods.push_back(short_name(pod, record.request.job_name));
    if (scene.simulation == nullptr) continue;
    const auto& stored = scene.simulation->cluster().pods();
    const auto other = stored.find(record.request.ns + "/" + pod);
    if (other == stored.end()) continue;
    std::string owner = job_text(other->second.job_key, scene);
    if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(std::move(owner));
  }
  const bool one = taken.size() == 1;
  const std::string whose =
      owners.empty() ? "another object" : (owners.size() == 1 ? "job " : "jobs ") + fold_names(owners);
  return compose("; {} {} not created, {} {} taken by {} (AlreadyExists, which the controller ignores)",
                 fold_names(pods), one ? "is" : "are", one ? "its name" : "their names", one ? "is" : "are", whose);
}

/// Before its PodGroup is taken in, a job has no pods and nothing is counted (spec 8.1 step 7).
std::string waits_for_group_text(const ProcessRecord& record) {
  if (record.before.phase.code == JobPhase::None) {
    return "it is Pending and gets its PodGroup; pods follow when the scheduler takes the PodGroup in";
  }
  const std::string group = record.sync.pod_group_missing                        ? "has just been asked for"
                            : record.sync.pod_group_phase == PodGroupPhase::None ? "is new"
                                                                                 : "is Pending";
  return compose("the job stays {}, the PodGroup {} and pods follow when the scheduler takes it in",
                 phase_text(record.after.phase), group);
}

std::string sync_outcome(const ProcessRecord& record, const Scene& scene) {
  std::string text;
  if (record.sync.created > 0) text += count_of(record.sync.created, "pod") + " created";
  if (record.sync.deleted > 0) {
    text +=
        (text.empty() ? "" : ", ") + count_of(record.sync.deleted, "pod") + " deleted (not wanted any more, or marked)";
  }
  if (!text.empty()) text += "; ";
  const bool only_waits = record.sync.short_path && record.after.phase.code == JobPhase::Pending &&
                          record.before.phase.code != JobPhase::Restarting;
  return text + (only_waits ? waits_for_group_text(record) : phase_clause(record, scene)) + taken_text(record, scene) +
         gates_text(record.sync);
}

std::string kill_outcome(const ProcessRecord& record, const Scene& scene) {
  return phase_clause(record, scene) + retry_text(record) + killed_text(record);
}

std::string executed_text(const ProcessRecord& record, const Scene& scene) {
  const std::string aside = misunderstanding(record);
  // "RestartJob changes nothing, Failed is final" says it all.
  if (!aside.empty() && !aside.ends_with(": ")) return aside + killed_text(record);
  const bool is_named = record.source == DecisionSource::Command || record.expired;
  const bool names_action = aside.empty() && record.action.code != Action::SyncJob && !is_named;
  const std::string action = names_action ? action_word(record.action) + ": " : std::string();
  return aside + action +
         (record.plan.operation == Operation::Sync ? sync_outcome(record, scene) : kill_outcome(record, scene));
}

/// True if a pod is lost and the others are enough for minAvailable, so that one may expect that nothing happens.
bool could_do_without(const ProcessRecord& record) {
  const Event event = record.request.event.code;
  return (event == Event::PodFailed || event == Event::PodEvicted) && record.before.phase.code == JobPhase::Running &&
         record.spec && record.before.running > record.spec->min_available;
}

/// The one reason worth telling when no policy matched.
std::string no_match_text(const ProcessRecord& record) {
  const std::string name = request_name(record.request);
  if (record.considered.empty()) return compose("there is no policy for {}", name);
  const Considered* telling = record.considered.size() == 1 ? &record.considered.front() : nullptr;
  for (const Considered& considered : record.considered) {
    if (considered.reason == RuleReason::NeedsTimeout && telling == nullptr) telling = &considered;
  }
  if (telling == nullptr) return compose("none of the {} policies matches {}", record.considered.size(), name);
  return compose("no policy matches {}: {} {}", name, rule_name(record.spec.get(), telling->rule),
                 reason_text(record, *telling));
}

}  // namespace

std::string request_name(const Request& request) {
  const std::string_view event = request.event.text();
  if (request.event.code == Event::None) return "the change of the PodGroup";
  if (request.event.code == Event::CommandIssued) return "command " + action_word(request.action);
  if (request.event.code == Event::TaskCompleted || request.event.code == Event::TaskFailed) {
    return compose("{} of task {}", event, request.task_name);
  }
  return compose("{} of {}", event, subject_of(request));
}

std::string request_text(const Request& request) {
  const std::string pod = pod_of(request);
  switch (request.event.code) {
    case Event::PodFailed:
      return request.exit_code == 0 ? pod + " failed" : compose("{} failed with exit code {}", pod, request.exit_code);
    case Event::PodEvicted: return pod + " is gone (PodEvicted)";
    case Event::PodPending: return pod + " is there (PodPending)";
    case Event::PodRunning: return pod + " runs (PodRunning)";
    case Event::Unknown: return "the PodGroup is Unknown";
    case Event::TaskCompleted: return compose("all pods of task {} have succeeded (TaskCompleted)", request.task_name);
    case Event::TaskFailed: return compose("containers of task {} restarted too often (TaskFailed)", request.task_name);
    case Event::None: return "the PodGroup's phase changed";
    case Event::Any:
    case Event::OutOfSync:
    case Event::CommandIssued:
    case Event::JobUpdated:
    case Event::Other: return request_name(request);
  }
  return {};
}

std::string cause_text(const ProcessRecord& record, const Scene& scene) {
  const Request& request = record.request;
  const Event event = request.event.code;
  const ObserveRecord* notice =
      event == Event::PodEvicted || event == Event::TaskFailed ? notice_of(request, scene) : nullptr;
  if (notice == nullptr) return request_text(request);
  if (event == Event::TaskFailed) {
    const std::string text = compose("{} in task {}", count_of(notice->task_restarts, "restart"), request.task_name);
    const auto is_meant = [&](const TaskSpec& task) { return task.name == request.task_name; };
    if (!record.spec) return text;
    const auto task = std::find_if(record.spec->tasks.begin(), record.spec->tasks.end(), is_meant);
    if (task == record.spec->tasks.end()) return text;
    return text + compose(", its maxRetry is {} (TaskFailed)", task->max_retry == 0 ? 3 : task->max_retry);
  }
  // The older controller takes the beginning of a deletion for its end.
  if (notice->change != ChangeKind::Deleted)
    return compose("{} is being deleted, which counts as gone (PodEvicted)", pod_of(request));
  if (notice->pod_phase != PodPhase::Succeeded && notice->pod_phase != PodPhase::Failed) return request_text(request);
  return compose("{}, which had {}, is gone (finished pods are not remembered: PodEvicted)", pod_of(request),
                 notice->pod_phase == PodPhase::Succeeded ? "succeeded" : "failed");
}

std::string decision_text(const ProcessRecord& record) {
  // A change of the PodGroup carries no event, so nobody expects a policy to answer it; but an exit code 0 in one does.
  const bool by_policy = record.source == DecisionSource::TaskPolicy || record.source == DecisionSource::JobPolicy;
  if (record.request.event.code == Event::None && !by_policy) return {};
  switch (record.source) {
    case DecisionSource::Command:
    case DecisionSource::InternalEvent: return {};
    case DecisionSource::OtherJobUid:
      if (record.request.action.code != Action::None)
        return "it is meant for another job of this name, so it is not carried out";
      return "it belongs to an earlier job of this name, so policies are not asked";
    case DecisionSource::StaleVersion:
      if (record.request.event.code == Event::Unknown && record.quirks.has(Quirk::UnknownWithoutVersion)) {
        return compose(
            "Unknown carries no version and the job is at {}, so it counts as stale and policies are not asked",
            record.before.version);
      }
      return compose("it is stale (of version {}, the job is at {}), so policies are not asked",
                     record.request.job_version, record.before.version);
    case DecisionSource::TaskPolicy:
    case DecisionSource::JobPolicy: {
      const LifecyclePolicy* policy = policy_at(record.spec.get(), record.rule);
      std::string by;
      for (const Considered& considered : record.considered) {
        if (!(considered.rule == record.rule) || policy == nullptr) continue;
        if (considered.reason == RuleReason::MatchedExitCode) by = compose(" (exitCode {})", record.request.exit_code);
        if (considered.reason == RuleReason::MatchedEvent) by = compose(" ({})", record.request.event.text());
        if (considered.reason == RuleReason::MatchedAnyEvent) by = " (*)";
      }
      return compose("{} matches{}{}", rule_name(record.spec.get(), record.rule), by,
                     could_do_without(record) ? ", policies do not look at minAvailable" : "");
    }
    case DecisionSource::NoMatch: return no_match_text(record);
  }
  return {};
}

std::string outcome_text(const ProcessRecord& record, const Scene& scene) {
  switch (record.outcome) {
    case ProcessOutcome::Executed: return executed_text(record, scene);
    case ProcessOutcome::Delayed: {
      std::string text;
      for (const TimerRecord& timer : record.timers) {
        const bool own = timer.op == TimerOp::Started || timer.op == TimerOp::Ignored || timer.op == TimerOp::Replaced;
        if (own) text += (text.empty() ? "" : "; ") + timer_clause(timer, scene);
      }
      return text + (record.sync_follows ? "; a sync follows" : "; this event itself causes no sync");
    }
    case ProcessOutcome::Outdated:
      return "nothing is done: the job or the pod that armed it is another one by now, or the pod waits no longer";
    case ProcessOutcome::JobNotCached:
      return compose("dropped, there is no job {} any more",
                     name_text(record.request.ns, record.request.job_name, scene));
    case ProcessOutcome::JobDeleting: return "nothing is done, the job is being deleted";
    case ProcessOutcome::EmptyPartition:
      return compose("{} finds no pod{}, so nothing at all happens, no retry is counted", action_word(record.action),
                     record.target.partition.empty() ? "" : " in partition " + record.target.partition);
    case ProcessOutcome::Requeued:
      return compose("{} fails: {}; it is tried again at {}", action_word(record.action), record.error,
                     elapsed_text(record.retry_at.value_or(scene.start), scene.start));
    case ProcessOutcome::GaveUp:
      return compose("{} fails once too often: {}; TerminateJob is carried out instead: {}", action_word(record.action),
                     record.error, kill_outcome(record, scene));
  }
  return {};
}

std::string process_clause(std::string_view cause, const ProcessRecord& record, const Scene& scene,
                           std::string_view colon) {
  return decided_clause(cause, record, scene, colon) + version_text(record);
}

std::string version_text(const ProcessRecord& record) {
  const bool ran = record.outcome == ProcessOutcome::Executed || record.outcome == ProcessOutcome::GaveUp;
  if (!ran || record.plan.function != StatusFunction::None || record.after.version <= record.before.version) return {};
  return compose("; the version goes from {} to {}", record.before.version, record.after.version);
}

std::string decided_clause(std::string_view cause, const ProcessRecord& record, const Scene& scene,
                           std::string_view colon) {
  std::string text(cause);
  const std::string decision = record.expired ? std::string() : decision_text(record);
  if (!decision.empty()) text += " → " + decision;
  const bool has_decision = !decision.empty() || record.expired || record.source == DecisionSource::Command;
  return text.append(has_decision ? std::string_view(" → ") : colon) + outcome_text(record, scene);
}

}  // namespace pumice::simulation
