// From a step to one sentence: the record that explains it best, and what followed from it.
#include <algorithm>

#include <fmt/format.h>

#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

namespace {

using Kind = ClusterAction::Kind;

std::string job_of_record(const Record& record) {
  if (const auto* observe = std::get_if<ObserveRecord>(&record)) {
    return observe->request ? observe->request->job_name : std::string();
  }
  if (const auto* process = std::get_if<ProcessRecord>(&record)) return process->request.job_name;
  const Command& command = std::get<CommandRecord>(record).command;
  return command.target ? command.target->name : std::string();
}

/// The pods that the input itself changed: those told of before the controller began to work.
std::vector<std::string> touched_pods(const StepRecord& step) {
  std::vector<std::string> names;
  for (const Record& record : step.records) {
    const auto* observe = std::get_if<ObserveRecord>(&record);
    if (observe == nullptr) break;
    if (observe->object != ObjectKind::Pod) continue;
    const std::string name = short_name(observe->name, job_of_record(record));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> created_jobs(const StepRecord& step) {
  std::vector<std::string> names;
  for (const Record& record : step.records) {
    const auto* observe = std::get_if<ObserveRecord>(&record);
    if (observe != nullptr && observe->object == ObjectKind::Job && observe->change == ChangeKind::Added) {
      names.push_back(observe->name);
    }
  }
  return names;
}

/// The beginning of a sentence about pods, and whether a verb behind it is plural.
struct Subject {
  std::string text;
  bool plural = false;

  [[nodiscard]] std::string verb(std::string_view one, std::string_view many) const {
    return " " + std::string(plural ? many : one);
  }
};

Subject subject_of(const std::vector<std::string>& pods, std::string_view fallback) {
  if (pods.empty()) return {std::string(fallback), false};
  if (pods.size() == 1) return {pods.front(), false};
  return {count_of(static_cast<std::int64_t>(pods.size()), "pod"), true};
}

std::string phase_verb(const Subject& pods, const PodEvent& event) {
  switch (event.phase.value_or(PodPhase::Unknown)) {
    case PodPhase::Pending: return pods.verb("is", "are") + " Pending";
    case PodPhase::Running: return pods.verb("runs", "run");
    case PodPhase::Succeeded: return " succeeded";
    case PodPhase::Failed:
      return event.exit_code && *event.exit_code != 0 ? fmt::format(" failed with exit code {}", *event.exit_code)
                                                      : " failed";
    case PodPhase::Unknown: return pods.verb("is", "are") + " Unknown";
  }
  return {};
}

std::string pod_event_text(const PodEvent& event, const std::vector<std::string>& touched) {
  const Subject pods = subject_of(touched, event.pod);
  std::string text;
  const auto add = [&](const std::string& verb) { text += (text.empty() ? pods.text : ",") + verb; };
  if (event.phase) add(phase_verb(pods, event));
  if (event.restarts)
    add(fmt::format("{} {}", pods.verb("has", "have"), count_of(*event.restarts, "container restart")));
  if (event.ready) add(pods.verb("is", "are") + (*event.ready ? " ready" : " not ready"));
  if (event.deleted) add(pods.verb("is", "are") + " being deleted");
  if (event.evicted) add(pods.verb("is", "are") + " being evicted");
  if (event.gone) add(pods.verb("is", "are") + " gone");
  return text;
}

/// A pod that the controller itself removes raises no PodEvicted when it is gone (spec 3.5).
std::string why_not_evicted(const StepRecord& step, bool plural) {
  for (const Record& record : step.records) {
    const auto* observe = std::get_if<ObserveRecord>(&record);
    if (observe == nullptr || observe->object != ObjectKind::Pod || !observe->request) continue;
    const bool own = observe->change == ChangeKind::Deleted && observe->request->event.code == Event::OutOfSync;
    if (!own) return {};
    return fmt::format(" (the controller removed {} itself: OutOfSync, not PodEvicted)", plural ? "them" : "it");
  }
  return {};
}

struct EventTeller {
  const StepRecord& step;

  std::string operator()(const PodEvent& event) const {
    const std::vector<std::string> touched = touched_pods(step);
    return pod_event_text(event, touched) + (event.gone ? why_not_evicted(step, touched.size() > 1) : "");
  }
  std::string operator()(const PodGroupEvent& event) const {
    return fmt::format("the PodGroup is {}", to_string(event.phase));
  }
  std::string operator()(const CommandEvent& event) const {
    Request request;
    request.event = Event::CommandIssued;
    request.action = ActionName(std::string_view(event.action));
    return request_name(request);
  }
  std::string operator()(const AdvanceEvent&) const { return "time passes"; }
  std::string operator()(const UntilEvent&) const { return "time passes"; }
};

std::vector<std::string> short_pods(const StepRecord& step) {
  std::vector<std::string> touched = touched_pods(step);
  if (touched.empty() && step.action) touched = step.action->pods;
  return touched;
}

std::string cluster_text(const StepRecord& step) {
  const std::vector<std::string> names = short_pods(step);
  const Subject pods = subject_of(names, "");
  switch (step.action->kind) {
    case Kind::AdmitPodGroup: return "the scheduler takes the PodGroup in";
    case Kind::StartPods: return names.empty() ? "no pod is left to run" : pods.text + pods.verb("runs", "run");
    case Kind::RemovePods:
      return names.empty() ? "no deleted pod is left" : pods.text + pods.verb("is", "are") + " gone";
    case Kind::FinishPods: return names.empty() ? "no pod is left to succeed" : pods.text + " succeeded";
  }
  return {};
}

std::string timer_text(const StepRecord& step, const Scene& scene) {
  for (const Record& record : step.records) {
    const auto* process = std::get_if<ProcessRecord>(&record);
    if (process == nullptr) continue;
    for (const TimerRecord& timer : process->timers) {
      if (timer.op == TimerOp::Expired) return timer_clause(timer, scene);
    }
    return "a failed request is tried again";
  }
  return "a timer is due";
}

bool is_by_policy(const ProcessRecord& record) {
  return record.source == DecisionSource::TaskPolicy || record.source == DecisionSource::JobPolicy;
}

bool has_timer(const ProcessRecord& record, TimerOp op) {
  return std::any_of(record.timers.begin(), record.timers.end(), [op](const TimerRecord& t) { return t.op == op; });
}

bool moved(const ProcessRecord& record) { return !(record.before.phase == record.after.phase); }

/// How well a record explains its step; the first of the best ones is told.
int worth(const ProcessRecord& record) {
  const bool decided = is_by_policy(record) || record.source == DecisionSource::Command || record.expired;
  switch (record.outcome) {
    case ProcessOutcome::GaveUp: return 110;
    case ProcessOutcome::Requeued: return 80;
    case ProcessOutcome::Delayed: return has_timer(record, TimerOp::Ignored) ? 85 : 90;
    case ProcessOutcome::EmptyPartition: return 84;
    case ProcessOutcome::JobDeleting: return 42;
    case ProcessOutcome::JobNotCached: return record.expired ? 79 : 20;
    case ProcessOutcome::Executed: break;
  }
  if (decided) return moved(record) ? 100 : 75;
  if (has_timer(record, TimerOp::Cancelled)) return 70;
  if (moved(record)) return 60;
  if (record.sync.created > 0 || record.sync.deleted > 0) return 50;
  if (record.source == DecisionSource::NoMatch && record.request.event.code != Event::None) {
    // The controller's own new pods are PodPending, too: that nothing matches them is no news.
    const bool is_own_pod = record.request.event.code == Event::PodPending;
    const bool dead_policy = std::any_of(record.considered.begin(), record.considered.end(),
                                         [](const Considered& c) { return c.reason == RuleReason::NeedsTimeout; });
    return !is_own_pod ? 46 : dead_policy ? 40 : 12;
  }
  if (record.source == DecisionSource::StaleVersion || record.source == DecisionSource::OtherJobUid) return 44;
  if (!record.sync.gated.empty()) return 30;
  if (record.sync.short_path) return 25;
  return 10;
}

/// New pods are news to the controller itself: `, 6 pods created`.
std::string created_before(const StepRecord& step, const ProcessRecord& record) {
  if (record.request.event.code != Event::PodPending) return {};
  std::int64_t created = 0;
  for (const Record& earlier : step.records) {
    const auto* process = std::get_if<ProcessRecord>(&earlier);
    if (process == &record) break;
    if (process != nullptr && process->job_key == record.job_key) created += process->sync.created;
  }
  return created == 0 ? std::string() : ", " + count_of(created, "pod") + " created";
}

/// What to name as the cause of `record`, seen from the step.
std::string cause_of(const StepRecord& step, const ProcessRecord& record, const Scene& scene) {
  const std::string input = input_text(step, scene);
  if (record.expired || record.source == DecisionSource::Command) return input;
  if (decision_text(record).empty()) return input;
  const Event event = record.request.event.code;
  const bool is_pod_event_itself =
      touched_pods(step).size() == 1 && step.event && (event == Event::PodFailed || event == Event::PodEvicted);
  if (is_pod_event_itself || event == Event::Unknown || event == Event::None) return request_text(record.request);
  if (event == Event::PodEvicted && touched_pods(step).size() == 1) return request_text(record.request);
  return input + created_before(step, record) + " → " + request_name(record.request);
}

/// Phase changes behind the fired record, in order, for the same job.
std::string sequel(const StepRecord& step, std::size_t fired) {
  std::string text;
  const std::string& key = std::get<ProcessRecord>(step.records[fired]).job_key;
  for (std::size_t i = fired + 1; i < step.records.size(); ++i) {
    const auto* process = std::get_if<ProcessRecord>(&step.records[i]);
    if (process == nullptr || process->job_key != key) continue;
    const std::string why = transition_text(*process);
    if (moved(*process))
      text += fmt::format("; then to {}", phase_text(process->after.phase)) + (why.empty() ? "" : ", " + why);
    if (process->sync.created > 0) text += fmt::format("; then {} created", count_of(process->sync.created, "pod"));
  }
  return text;
}

/// Other pods for which the same was put off in this step.
std::string likewise(const StepRecord& step, std::size_t fired) {
  const auto& record = std::get<ProcessRecord>(step.records[fired]);
  if (record.outcome != ProcessOutcome::Delayed) return {};
  std::vector<std::string> names;
  for (std::size_t i = fired + 1; i < step.records.size(); ++i) {
    const auto* other = std::get_if<ProcessRecord>(&step.records[i]);
    if (other == nullptr || other->outcome != ProcessOutcome::Delayed || !(other->rule == record.rule)) continue;
    names.push_back(short_name(other->request.pod_name, other->request.job_name));
  }
  return names.empty() ? std::string() : "; likewise for " + fold_names(names);
}

/// Timers that the record took away beside what it is about.
std::string removed_timers(const ProcessRecord& record, const Scene& scene) {
  std::vector<const TimerRecord*> removed;
  for (const TimerRecord& timer : record.timers) {
    if (timer.op == TimerOp::Cancelled || timer.op == TimerOp::Cleared) removed.push_back(&timer);
  }
  if (removed.empty()) return {};
  if (removed.size() == 1) return "; " + timer_clause(*removed.front(), scene);
  return fmt::format("; {} are taken away", count_of(static_cast<std::int64_t>(removed.size()), "delayed action"));
}

bool was_quiet(const StepRecord& step) {
  for (const JobChange& change : step.changes) {
    // A job whose counts alone have changed is where it was.
    if (!(change.phase_before == change.phase_after) || change.retry_before != change.retry_after) return false;
  }
  for (const Record& record : step.records) {
    const auto* process = std::get_if<ProcessRecord>(&record);
    if (process == nullptr) continue;
    const bool failed = process->outcome == ProcessOutcome::Requeued || process->outcome == ProcessOutcome::GaveUp;
    if (failed || !process->timers.empty() || process->killed > 0 || process->sync.created > 0 ||
        process->sync.deleted > 0) {
      return false;
    }
  }
  return true;
}

/// True for events of which one expects that something follows.
bool raises_hopes(const StepRecord& step) {
  if (step.source != StepSource::User || !step.event) return false;
  const auto* pod = std::get_if<PodEvent>(&step.event->what);
  if (pod == nullptr)
    return !std::holds_alternative<PodGroupEvent>(step.event->what) ||
           std::get<PodGroupEvent>(step.event->what).phase == PodGroupPhase::Unknown;
  return pod->phase != PodPhase::Running && pod->phase != PodPhase::Succeeded;
}

/// Deletion that has begun raises no event of its own, which surprises people (spec 3.5).
std::string deletion_begun(const StepRecord& step, const ProcessRecord& record) {
  if (!step.event || record.source != DecisionSource::InternalEvent) return {};
  const auto* pod = std::get_if<PodEvent>(&step.event->what);
  if (pod == nullptr || (!pod->deleted && !pod->evicted)) return {};
  const std::vector<std::string> touched = touched_pods(step);
  const Subject pods = subject_of(touched, pod->pod);
  if (pods.plural) {
    return fmt::format("the deletion of {} has only begun (OutOfSync); PodEvicted is raised when the objects are gone",
                       pods.text);
  }
  return fmt::format("the deletion of {} has only begun (OutOfSync); PodEvicted is raised when the object is gone",
                     pods.text);
}

/// Several jobs begin in one step; told of on its own is only what is not as usual.
std::string many_created_text(const StepRecord& step, const Scene& scene) {
  std::string text = input_text(step, scene) + ": each gets its PodGroup, pods follow when the scheduler takes it in";
  for (const JobChange& change : step.changes) {
    if (change.phase_after.code == JobPhase::Pending) continue;
    text += fmt::format("; {} is {}", job_name_of(change.job_key), phase_text(change.phase_after));
  }
  return text;
}

std::string without_process(const StepRecord& step, const Scene& scene) {
  const std::string input = input_text(step, scene);
  for (const Record& record : step.records) {
    if (const auto* observe = std::get_if<ObserveRecord>(&record)) {
      return fmt::format("Nothing happened: {}; {}", input, observe_clause(*observe));
    }
    if (const auto* command = std::get_if<CommandRecord>(&record))
      return "Nothing happened: " + command_clause(*command);
  }
  return "Nothing happened: " + input + (step.source == StepSource::Clock ? ", nothing is due" : "");
}

}  // namespace

std::string input_text(const StepRecord& step, const Scene& scene) {
  switch (step.source) {
    case StepSource::User:
      if (step.event) return std::visit(EventTeller{step}, step.event->what);
      break;
    case StepSource::Cluster:
      if (step.action) return cluster_text(step);
      break;
    case StepSource::Timer: return timer_text(step, scene);
    case StepSource::Clock: return "time passes";
  }
  const std::vector<std::string> jobs = created_jobs(step);
  if (jobs.size() == 1) return fmt::format("job {} is created", jobs.front());
  return fmt::format("{} are created ({})", count_of(static_cast<std::int64_t>(jobs.size()), "job"), fold_names(jobs));
}

std::string input_line(const StepRecord& step, const Scene& scene) {
  switch (step.source) {
    case StepSource::User:
      if (step.event) return to_line(*step.event);
      return "create " + fold_names(created_jobs(step));
    case StepSource::Cluster: {
      if (!step.action) break;
      // With several jobs a short name may mean more than one pod.
      const std::vector<std::string> pods = scene.several_jobs ? step.action->pods : short_pods(step);
      const std::string names = pods.empty() ? "none" : fold_names(pods);
      switch (step.action->kind) {
        case Kind::AdmitPodGroup:
          return scene.several_jobs ? fmt::format("PodGroup {} is taken in", group_text(step.action->pod_group))
                                    : "PodGroup is taken in";
        case Kind::StartPods: return "pods run: " + names;
        case Kind::RemovePods: return "pods gone: " + names;
        case Kind::FinishPods: return "pods succeed: " + names;
      }
      break;
    }
    case StepSource::Timer: {
      for (const Record& record : step.records) {
        const auto* process = std::get_if<ProcessRecord>(&record);
        if (process == nullptr || !process->expired) continue;
        const std::string& name = process->request.pod_name;
        const std::string pod = scene.several_jobs ? name : short_name(name, process->request.job_name);
        return fmt::format("timer: {}", process->action.text()) + (pod.empty() ? "" : " of " + pod);
      }
      return "retry of a failed request";
    }
    case StepSource::Clock: return step.event ? to_line(*step.event) : "time passes";
  }
  return {};
}

std::vector<PhaseName> phases_passed(const StepRecord& step, const JobChange& change) {
  std::vector<PhaseName> phases{change.phase_before};
  for (const Record& record : step.records) {
    const auto* process = std::get_if<ProcessRecord>(&record);
    if (process != nullptr && process->job_key == change.job_key && moved(*process))
      phases.push_back(process->after.phase);
  }
  if (!(phases.back() == change.phase_after)) phases.push_back(change.phase_after);
  return phases;
}

std::int64_t fired_record(const StepRecord& step) {
  std::int64_t best = -1;
  int best_worth = 0;
  for (std::size_t i = 0; i < step.records.size(); ++i) {
    const auto* process = std::get_if<ProcessRecord>(&step.records[i]);
    if (process == nullptr || worth(*process) <= best_worth) continue;
    best = static_cast<std::int64_t>(i);
    best_worth = worth(*process);
  }
  return best;
}

bool is_let_down(const StepRecord& step) { return was_quiet(step) && raises_hopes(step); }

std::string step_sentence(const StepRecord& step, const Scene& scene) {
  if (!step.refused.empty()) return as_sentence("Refused: " + step.refused);
  if (created_jobs(step).size() > 1) return as_sentence(many_created_text(step, scene));
  const std::int64_t fired = fired_record(step);
  if (fired < 0) return as_sentence(without_process(step, scene));

  const auto at = static_cast<std::size_t>(fired);
  const auto& record = std::get<ProcessRecord>(step.records[at]);
  std::string text;
  if (scene.several_jobs && !record.request.job_name.empty()) text = record.request.job_name + ": ";
  if (is_let_down(step)) {
    const std::string begun = deletion_begun(step, record);
    text += "Nothing happened: " +
            (begun.empty() ? process_clause(cause_of(step, record, scene), record, scene, "; ") : begun);
    return as_sentence(std::move(text));
  }
  text += process_clause(cause_of(step, record, scene), record, scene) + likewise(step, at) +
          removed_timers(record, scene) + sequel(step, at);
  return as_sentence(std::move(text));
}

}  // namespace pumice::simulation
