// From a step to one sentence: the record that explains it best, and what followed from it.
#include <algorithm>
#include <set>

#include "compose.h"
#include "list_text.h"
#include "simulation/kube_parts.h"
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
  // Pods of two jobs may have the same short name.
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Record& record : step.records) {
    const auto* observe = std::get_if<ObserveRecord>(&record);
    if (observe == nullptr) break;
    if (observe->object != ObjectKind::Pod) continue;
    if (seen.emplace(observe->ns, observe->name).second)
      names.push_back(short_name(observe->name, job_of_record(record)));
  }
  return names;
}

/// Of the manifests, in the first step.
std::vector<std::string> created_jobs(const StepRecord& step, const Scene& scene) {
  std::vector<std::string> names;
  for (const Record& record : step.records) {
    const auto* observe = std::get_if<ObserveRecord>(&record);
    const bool is_job =
        observe != nullptr && observe->object == ObjectKind::Job && observe->change == ChangeKind::Added;
    // Those that a flow makes are told of with it.
    if (is_job &&
        (scene.simulation == nullptr || scene.simulation->is_in_manifests(observe->ns + "/" + observe->name))) {
      names.push_back(name_text(observe->ns, observe->name, scene));
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

/// The pods that an event touched. Of very many not all notifications are kept.
Subject subject_of(const StepRecord& step, const PodEvent& event) {
  const std::vector<std::string> touched = touched_pods(step);
  Subject subject = subject_of(touched, event.pod);
  const bool is_cut = step.records_total > static_cast<std::int64_t>(step.records.size());
  if (is_cut && touched.size() >= kStepRecordsMax / 2) subject.text = "more than " + subject.text;
  return subject;
}

std::string phase_verb(const Subject& pods, const PodEvent& event) {
  switch (event.phase.value_or(PodPhase::Unknown)) {
    case PodPhase::Pending: return pods.verb("is", "are") + " Pending";
    case PodPhase::Running: return pods.verb("runs", "run");
    case PodPhase::Succeeded: return " succeeded";
    case PodPhase::Failed:
      return event.exit_code && *event.exit_code != 0 ? compose(" failed with exit code {}", *event.exit_code)
                                                      : " failed";
    case PodPhase::Unknown: return pods.verb("is", "are") + " Unknown";
  }
  return {};
}

std::string pod_event_text(const PodEvent& event, const Subject& pods) {
  std::string text;
  const auto add = [&](const std::string& verb) { text += (text.empty() ? pods.text : ",") + verb; };
  if (event.phase) add(phase_verb(pods, event));
  if (event.restarts) add(compose("{} {}", pods.verb("has", "have"), count_of(*event.restarts, "container restart")));
  if (event.ready) add(pods.verb("is", "are") + (*event.ready ? " ready" : " not ready"));
  if (event.deleted) add(pods.verb("is", "are") + " being deleted");
  if (event.evicted) add(pods.verb("is", "are") + " being evicted");
  if (event.gone) add(pods.verb("is", "are") + " gone");
  if (!event.reason.empty()) add(" cannot start: " + event.reason);
  if (event.exit_code && !event.phase)
    add(compose(": container {} exits with {}", event.container.empty() ? "main" : event.container, *event.exit_code));
  return text;
}

/// A pod that the controller itself removes raises no event when it fails or is gone (spec 3.4, 3.5).
std::string why_no_event(const StepRecord& step, bool plural) {
  for (const Record& record : step.records) {
    const auto* observe = std::get_if<ObserveRecord>(&record);
    if (observe == nullptr || observe->object != ObjectKind::Pod) continue;
    if (observe->muted == Event::None) return {};
    return compose(" (the controller {} {} itself: marked, so this raises no {})",
                   observe->change == ChangeKind::Deleted ? "removed" : "is removing", plural ? "them" : "it",
                   to_string(observe->muted));
  }
  return {};
}

struct EventTeller {
  const StepRecord& step;

  std::string operator()(const PodEvent& event) const {
    const Subject pods = subject_of(step, event);
    return pod_event_text(event, pods) + why_no_event(step, pods.plural);
  }
  std::string operator()(const PodGroupEvent& event) const {
    return compose("the PodGroup is {}", to_string(event.phase));
  }
  std::string operator()(const CommandEvent& event) const {
    Request request;
    request.event = Event::CommandIssued;
    request.action = ActionName(std::string_view(event.action));
    return request_name(request);
  }
  std::string operator()(const AdvanceEvent&) const { return "time passes"; }
  std::string operator()(const UntilEvent&) const { return "time passes"; }
  std::string operator()(const DeleteEvent& event) const {
    return (event.foreground ? "the deletion of the job begins" : "the job is deleted") + named(event.job);
  }
  std::string operator()(const CreateEvent& event) const { return "the job is created once more" + named(event.job); }
  std::string operator()(const EditEvent& event) const {
    std::vector<std::string> changes;
    for (const auto& [path, value] : event.set) changes.push_back(path + " = " + to_text(value));
    return "the job is edited" + named(event.job) + ", " + list_text(changes, "and");
  }
  std::string operator()(const QueueEvent& event) const {
    return compose("queue {} is {}", event.queue, event.deleted ? std::string_view("deleted") : event.state);
  }
  std::string operator()(const FaultEvent& event) const { return fault_event_text(event); }

  static std::string named(const std::string& job) { return job.empty() ? "" : " (" + job + ")"; }
};

std::vector<std::string> short_pods(const StepRecord& step) {
  std::vector<std::string> touched = touched_pods(step);
  // Of very many pods not all notifications are kept.
  if (step.action && touched.size() < step.action->pods.size()) return step.action->pods;
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
    case Kind::EvictPods:
      return names.empty() ? "no pod is left to evict"
                           : pods.text + pods.verb("is", "are") + " evicted, as the node was lost for too long";
    case Kind::CollectJob: return compose("the garbage collector takes what job {} has left behind", step.action->job);
  }
  return {};
}

/// A timer of a flow or of a finished job, not one of the Job controller's.
bool is_side_timer(const StepRecord& step) {
  if (step.source != StepSource::Timer || step.side.empty()) return false;
  return step.side.front().before == 0;  // else a request of the Job controller came first
}

/// Something that was wrong ends by itself.
std::string mended_text(const StepRecord& step) {
  for (const FaultRecord& fault : step.faults) {
    if (fault.kind == FaultRecord::Kind::Up) return "the controller starts";
    if (fault.kind == FaultRecord::Kind::Passing) return fault_clause(fault);
  }
  return "time passes";
}

std::string timer_text(const StepRecord& step, const Scene& scene) {
  if (std::string kube = kube_input(step, scene); !kube.empty()) return kube;
  if (is_side_timer(step)) return side_line(step, scene);
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

/// How well a record explains its step; the first of the best ones is told. What moves a job comes before what is put
/// off or cancelled.
int worth(const ProcessRecord& record) {
  const bool decided = is_by_policy(record) || record.source == DecisionSource::Command || record.expired;
  switch (record.outcome) {
    case ProcessOutcome::GaveUp: return 110;
    case ProcessOutcome::Requeued: return 80;
    case ProcessOutcome::Delayed: return has_timer(record, TimerOp::Ignored) ? 85 : 90;
    case ProcessOutcome::EmptyPartition: return 84;
    case ProcessOutcome::JobDeleting: return 42;
    case ProcessOutcome::JobNotCached: return record.expired ? 79 : 20;
    case ProcessOutcome::Outdated: return 79;
    case ProcessOutcome::Executed: break;
  }
  if (moved(record)) return decided ? 100 : 95;
  if (decided) return 75;
  if (has_timer(record, TimerOp::Cancelled)) return 70;
  if (record.sync.created > 0 || record.sync.deleted > 0) return 50;
  if (record.source == DecisionSource::NoMatch && record.request.event.code != Event::None) {
    // The controller's own new pods are PodPending, too: that nothing matches them is no news.
    const bool is_own_pod = record.request.event.code == Event::PodPending;
    const bool dead_policy = std::any_of(record.considered.begin(), record.considered.end(),
                                         [](const Considered& c) { return c.reason == RuleReason::NeedsTimeout; });
    return !is_own_pod ? 46 : dead_policy ? 40 : 12;
  }
  if (record.source == DecisionSource::StaleVersion || record.source == DecisionSource::OtherJobUid) return 44;
  if (!record.sync.gated.empty() || !record.sync.taken.empty()) return 30;
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
      touched_pods(step).size() == 1 && (event == Event::PodEvicted || (step.event && event == Event::PodFailed));
  if (is_pod_event_itself || event == Event::Unknown || event == Event::None) return cause_text(record, scene);
  const bool is_told_by_name = event != Event::TaskFailed;
  return input + created_before(step, record) + " → " +
         (is_told_by_name ? request_name(record.request) : cause_text(record, scene));
}

/// What a record put off: the first timer that is its own, or nullptr.
const TimerRecord* put_off(const ProcessRecord& record) {
  if (record.outcome != ProcessOutcome::Delayed) return nullptr;
  for (const TimerRecord& timer : record.timers) {
    if (timer.op == TimerOp::Started || timer.op == TimerOp::Ignored || timer.op == TimerOp::Replaced) return &timer;
  }
  return nullptr;
}

/// True for two delayed actions of one policy that were put off, or carried out, in the same way.
bool are_alike(const ProcessRecord& a, const ProcessRecord& b) {
  if (!(a.rule == b.rule) || a.job_key != b.job_key || a.outcome != b.outcome) return false;
  const TimerRecord* left = put_off(a);
  const TimerRecord* right = put_off(b);
  if (left == nullptr || right == nullptr) return a.expired && b.expired;
  return left->op == right->op && left->earlier_pod == right->earlier_pod;
}

/// A policy fired, but its action has nothing to do, as for a job that is finished.
bool is_in_vain(const ProcessRecord& record) {
  return is_by_policy(record) && record.outcome == ProcessOutcome::Executed && !moved(record) && record.killed == 0 &&
         record.sync.created == 0 && record.sync.deleted == 0;
}

/// What the step did beside what its fired record tells, as clauses to be put behind that.
class Sequel {
 public:
  Sequel(const StepRecord& step, std::size_t fired, const Scene& scene)
      : step_(step), fired_(fired), key_(process(fired)->job_key), scene_(scene) {}

  [[nodiscard]] std::string text() {
    std::string text = likewise(fired_) + removed_timers();
    told_.push_back(process(fired_));
    text += deeds(0, fired_, "before that", "before that") + deeds(fired_ + 1, step_.records.size(), "then", "then to");
    return text + other_jobs();
  }

 private:
  [[nodiscard]] const ProcessRecord* process(std::size_t at) const {
    return std::get_if<ProcessRecord>(&step_.records[at]);
  }
  [[nodiscard]] std::string likewise(std::size_t at) const;
  [[nodiscard]] std::string removed_timers() const;
  [[nodiscard]] std::string deeds(std::size_t begin, std::size_t end, std::string_view word, std::string_view to);
  [[nodiscard]] std::string other_jobs() const;

  const StepRecord& step_;
  std::size_t fired_;
  const std::string& key_;
  const Scene& scene_;
  std::vector<const ProcessRecord*> told_;  ///< of delayed actions and errors: those like them are not told again
};

/// Other pods for which the same was put off, or carried out, in this step.
std::string Sequel::likewise(std::size_t at) const {
  const ProcessRecord& record = *process(at);
  if (put_off(record) == nullptr && !record.expired) return {};
  std::vector<std::string> names;
  for (std::size_t i = at + 1; i < step_.records.size(); ++i) {
    const ProcessRecord* other = process(i);
    if (other != nullptr && are_alike(record, *other))
      names.push_back(short_name(other->request.pod_name, other->request.job_name));
  }
  return names.empty() ? std::string() : "; likewise for " + fold_names(names);
}

/// Timers that were taken away.
std::string Sequel::removed_timers() const {
  std::vector<const TimerRecord*> removed;
  bool all_cancelled = true;
  for (std::size_t i = 0; i < step_.records.size(); ++i) {
    if (process(i) == nullptr || process(i)->job_key != key_) continue;
    for (const TimerRecord& timer : process(i)->timers) {
      if (timer.op != TimerOp::Cancelled && timer.op != TimerOp::Cleared) continue;
      all_cancelled = all_cancelled && timer.op == TimerOp::Cancelled;
      removed.push_back(&timer);
    }
  }
  if (removed.empty()) return {};
  if (removed.size() == 1) return "; " + timer_clause(*removed.front(), scene_);
  return compose("; {} are {}", count_of(static_cast<std::int64_t>(removed.size()), "delayed action"),
                 all_cancelled ? "cancelled" : "taken away");
}

/// What the other records [begin, end) did to the job: `; then to Failed, …; then 2 pods deleted`.
std::string Sequel::deeds(std::size_t begin, std::size_t end, std::string_view word, std::string_view to) {
  std::string text;
  std::int64_t created = 0;
  std::int64_t deleted = 0;
  const bool is_cut = step_.records_total > static_cast<std::int64_t>(step_.records.size());
  const std::string_view about = is_cut ? "at least " : "";
  const auto flush = [&] {
    if (created > 0) text += compose("; {} {}{} created", word, about, count_of(created, "pod"));
    if (deleted > 0) text += compose("; {} {}{} deleted", word, about, count_of(deleted, "pod"));
    created = deleted = 0;
  };
  // The pods whose own news the fired record is were told of with it.
  const bool tells_created =
      end > fired_ || process(fired_)->expired || process(fired_)->request.event.code != Event::PodPending;
  for (std::size_t i = begin; i < end; ++i) {
    const ProcessRecord* record = process(i);
    if (record == nullptr || record->job_key != key_) continue;
    if (moved(*record)) {
      flush();
      const std::string why = transition_text(*record, scene_);
      const std::string from = end > fired_ ? "" : phase_text(record->before.phase) + " to ";
      text += compose("; {} {}{}", to, from, phase_text(record->after.phase)) + (why.empty() ? "" : ", " + why);
    }
    if (tells_created) created += record->sync.created;
    deleted += record->sync.deleted + record->killed;
    const bool is_news = put_off(*record) != nullptr || record->outcome == ProcessOutcome::Requeued ||
                         record->outcome == ProcessOutcome::GaveUp || is_in_vain(*record);
    const auto is_told = [&](const ProcessRecord* earlier) {
      if (is_in_vain(*record)) return is_in_vain(*earlier) && earlier->rule == record->rule;
      return earlier->outcome == record->outcome && (put_off(*record) == nullptr || are_alike(*earlier, *record));
    };
    if (!is_news || std::any_of(told_.begin(), told_.end(), is_told)) continue;
    told_.push_back(record);
    flush();
    text += compose("; {} ", word) + process_clause(request_name(record->request), *record, scene_) + likewise(i);
  }
  flush();
  return text;
}

/// What happened to other jobs, in short: rarely more than one is touched by a step.
std::string Sequel::other_jobs() const {
  std::string text;
  for (const JobChange& change : step_.changes) {
    if (change.job_key == key_) continue;
    std::vector<std::string> parts;
    if (!(change.phase_before == change.phase_after))
      parts.push_back(phase_text(change.phase_before) + " to " + phase_text(change.phase_after));
    std::int64_t created = 0;
    std::int64_t deleted = 0;
    for (std::size_t i = 0; i < step_.records.size(); ++i) {
      if (process(i) == nullptr || process(i)->job_key != change.job_key) continue;
      created += process(i)->sync.created;
      deleted += process(i)->sync.deleted + process(i)->killed;
    }
    if (created > 0) parts.push_back(count_of(created, "pod") + " created");
    if (deleted > 0) parts.push_back(count_of(deleted, "pod") + " deleted");
    for (std::size_t i = 0; i < parts.size(); ++i)
      text += (i == 0 ? "; " + job_text(change.job_key, scene_) + ": " : ", ") + parts[i];
  }
  return text;
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
    if (failed || moved(*process) || !process->timers.empty() || process->killed > 0 || process->sync.created > 0 ||
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
  if (const auto* group = std::get_if<PodGroupEvent>(&step.event->what)) return group->phase == PodGroupPhase::Unknown;
  if (pod == nullptr) return std::holds_alternative<CommandEvent>(step.event->what);
  return pod->reason.empty() && pod->phase != PodPhase::Running && pod->phase != PodPhase::Succeeded;
}

/// What the step wrote into the counts of a job's status: `running 2 → 1, failed 0 → 1`. A kill clears them, and each
/// sync takes them anew (spec 8.9, 9.5).
std::string count_changes(const StepRecord& step, const std::string& job_key) {
  const JobStatus* before = nullptr;
  const JobStatus* after = nullptr;
  for (const Record& record : step.records) {
    const auto* process = std::get_if<ProcessRecord>(&record);
    if (process == nullptr || process->job_key != job_key) continue;
    if (before == nullptr) before = &process->before;
    after = &process->after;
  }
  std::string text;
  if (before == nullptr) return text;
  const auto tell = [&](const char* name, std::int32_t JobStatus::* count) {
    if (before->*count == after->*count) return;
    text += compose("{}{} {} → {}", text.empty() ? "" : ", ", name, before->*count, after->*count);
  };
  tell("pending", &JobStatus::pending);
  tell("running", &JobStatus::running);
  tell("succeeded", &JobStatus::succeeded);
  tell("failed", &JobStatus::failed);
  tell("unknown", &JobStatus::unknown);
  tell("terminating", &JobStatus::terminating);
  return text;
}

/// Every kill counts a version, even if it finds nothing to do (spec 9.3).
std::string nothing_text(const StepRecord& step, const std::string& job_key) {
  const std::string counts = count_changes(step, job_key);
  std::string version;
  for (const JobChange& change : step.changes) {
    if (change.job_key != job_key || change.version_before == change.version_after) continue;
    version = compose("{} → {}", change.version_before, change.version_after);
  }
  if (counts.empty()) {
    return version.empty() ? "Nothing happened: " : "Nothing changed but the version (" + version + "): ";
  }
  return "Only the counts changed (" + (version.empty() ? "" : "version " + version + ", ") + counts + "): ";
}

/// Deletion that has begun raises no event of its own, which surprises people (spec 3.5).
std::string deletion_begun(const StepRecord& step, const ProcessRecord& record) {
  if (!step.event || record.source != DecisionSource::InternalEvent) return {};
  const auto* pod = std::get_if<PodEvent>(&step.event->what);
  if (pod == nullptr || (!pod->deleted && !pod->evicted)) return {};
  const Subject pods = subject_of(step, *pod);
  if (pods.plural) {
    return compose("the deletion of {} has only begun (OutOfSync); PodEvicted is raised when the objects are gone",
                   pods.text);
  }
  return compose("the deletion of {} has only begun (OutOfSync); PodEvicted is raised when the object is gone",
                 pods.text);
}

/// Several jobs begin in one step; told of on its own is only what is not as usual.
std::string many_created_text(const StepRecord& step, const Scene& scene) {
  std::string text =
      input_text(step, scene) + ": each is Pending and gets its PodGroup; pods follow when the scheduler takes it in";
  for (const JobChange& change : step.changes) {
    if (change.phase_after.code == JobPhase::Pending) continue;
    text += compose("; {} is {}", job_text(change.job_key, scene), phase_text(change.phase_after));
  }
  return text;
}

/// Phase changes that no kept record tells of: a step may have had more records than are kept.
std::string untold_changes(const StepRecord& step, const std::string& told_job, const Scene& scene) {
  std::string text;
  for (const JobChange& change : step.changes) {
    if (change.phase_before == change.phase_after) continue;
    const bool told = std::any_of(step.records.begin(), step.records.end(), [&](const Record& record) {
      const auto* process = std::get_if<ProcessRecord>(&record);
      return process != nullptr && process->job_key == change.job_key && process->after.phase == change.phase_after;
    });
    if (told) continue;
    const std::string job = change.job_key == told_job ? "the job" : "job " + job_text(change.job_key, scene);
    text += compose("; {} goes from {} to {}", job, phase_text(change.phase_before), phase_text(change.phase_after));
  }
  return text;
}

/// Events that are not meant to be answered by the controller at once.
bool is_of_the_cluster(const StepRecord& step) {
  if (step.source == StepSource::Fault) return true;
  return step.event && (std::holds_alternative<FaultEvent>(step.event->what) ||
                        std::holds_alternative<QueueEvent>(step.event->what) ||
                        std::holds_alternative<DeleteEvent>(step.event->what));
}

std::string without_process(const StepRecord& step, const Scene& scene) {
  const std::string input = input_text(step, scene);
  if (std::string changes = untold_changes(step, "", scene); !changes.empty()) return input + changes;
  if (!step.faults.empty() || is_of_the_cluster(step)) return input;
  for (const Record& record : step.records) {
    if (const auto* observe = std::get_if<ObserveRecord>(&record)) {
      return compose("Nothing happened: {}; {}", input, observe_clause(*observe, scene));
    }
    if (const auto* command = std::get_if<CommandRecord>(&record)) {
      return "Nothing happened: " + command_clause(*command, scene);
    }
  }
  return "Nothing happened: " + input + (step.source == StepSource::Clock ? ", nothing is due" : "");
}

std::string created_line(const StepRecord& step, const Scene& scene) {
  std::vector<std::string> all = created_objects(scene);
  const std::vector<std::string> jobs = created_jobs(step, scene);
  if (all.empty()) return fold_names(jobs);
  if (!jobs.empty()) all.push_back(fold_names(jobs));
  return list_text(all, "and");
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
    case StepSource::Fault: return mended_text(step);
  }
  const std::vector<std::string> jobs = created_jobs(step, scene);
  if (const std::vector<std::string> others = created_objects(scene); !others.empty()) {
    std::vector<std::string> all = others;
    if (!jobs.empty()) all.push_back(count_of(static_cast<std::int64_t>(jobs.size()), "job"));
    const bool is_one = all.size() == 1 && (all.front().starts_with("JobFlow ") || all.front().starts_with("Job ") ||
                                            all.front().starts_with("1 "));
    return list_text(all, "and") + (is_one ? " is created" : " are created");
  }
  if (jobs.size() == 1) return compose("job {} is created", jobs.front());
  return compose("{} are created ({})", count_of(static_cast<std::int64_t>(jobs.size()), "job"), fold_names(jobs));
}

std::string input_line(const StepRecord& step, const Scene& scene) {
  switch (step.source) {
    case StepSource::User:
      if (step.event) return to_line(*step.event);
      return "create " + created_line(step, scene);
    case StepSource::Cluster: {
      if (step.kube_action) return kube_input(step, scene);
      if (!step.action) break;
      // With several jobs a short name may mean more than one pod.
      std::vector<std::string> pods = scene.several_jobs ? step.action->pods : short_pods(step);
      for (std::string& pod : pods) pod = name_text(step.action->ns, pod, scene);
      const std::string names = pods.empty() ? "none" : fold_names(pods);
      switch (step.action->kind) {
        case Kind::AdmitPodGroup:
          return scene.several_jobs ? compose("PodGroup {} is taken in",
                                              name_text(step.action->ns, group_text(step.action->pod_group), scene))
                                    : "PodGroup is taken in";
        case Kind::StartPods: return "pods run: " + names;
        case Kind::RemovePods: return "pods gone: " + names;
        case Kind::FinishPods: return "pods succeed: " + names;
        case Kind::EvictPods: return "pods evicted: " + names;
        case Kind::CollectJob: return "garbage of " + name_text(step.action->ns, step.action->job, scene);
      }
      break;
    }
    case StepSource::Timer: {
      if (std::string kube = kube_input(step, scene); !kube.empty()) return kube;
      if (is_side_timer(step)) return side_line(step, scene);
      for (const Record& record : step.records) {
        const auto* process = std::get_if<ProcessRecord>(&record);
        if (process == nullptr || !process->expired) continue;
        const std::string& name = process->request.pod_name;
        const std::string pod = !scene.several_jobs ? short_name(name, process->request.job_name)
                                : name.empty()      ? ""
                                                    : name_text(process->request.ns, name, scene);
        return compose("timer: {}", process->action.text()) + (pod.empty() ? "" : " of " + pod);
      }
      return "retry of a failed request";
    }
    case StepSource::Clock: return step.event ? to_line(*step.event) : "time passes";
    case StepSource::Fault: return mended_text(step);
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

namespace {

/// What the Job controller did, without the faults.
std::string told(const StepRecord& step, const Scene& scene) {
  if (created_jobs(step, scene).size() > 1 && !step.event && step.source == StepSource::User)
    return many_created_text(step, scene);
  const std::int64_t fired = fired_record(step);
  if (fired < 0) return without_process(step, scene);

  const auto at = static_cast<std::size_t>(fired);
  const auto& record = std::get<ProcessRecord>(step.records[at]);
  std::string text;
  if (scene.several_jobs && !record.request.job_name.empty()) text = job_text(record.job_key, scene) + ": ";
  if (is_let_down(step)) {
    const std::string begun = deletion_begun(step, record);
    return text + nothing_text(step, record.job_key) +
           (begun.empty() ? decided_clause(cause_of(step, record, scene), record, scene, "; ") : begun);
  }
  return text + process_clause(cause_of(step, record, scene), record, scene) + Sequel(step, at, scene).text();
}

}  // namespace

std::string step_sentence(const StepRecord& step, const Scene& scene) {
  if (!step.refused.empty()) return as_sentence("Refused: " + step.refused);
  const std::string news = side_news(step, scene);
  const std::string faults = faults_text(step);
  // A step that flows or the TTL begin is theirs: what the Job controller makes of it is as usual.
  const bool is_theirs =
      is_side_timer(step) || (step.source == StepSource::User && !step.event && !created_objects(scene).empty());
  std::string text;
  if (is_theirs && !news.empty()) {
    text = (step.source == StepSource::User ? input_text(step, scene) + "; " : "") + news;
  } else {
    text = told(step, scene);
    if (!news.empty()) text += "; " + news;
  }
  if (!faults.empty() && faults != text) text += "; " + faults;
  const std::string kube = kube_sentence(step, scene);
  if (is_kube_step(step) && news.empty()) {
    // What only began a look of the controller is told by what came of it.
    if (step.source == StepSource::Timer && !kube.empty()) return kube;
    return as_sentence(input_text(step, scene)) + (kube.empty() ? "" : " " + kube);
  }
  return as_sentence(text) + (kube.empty() ? "" : " " + kube);
}

}  // namespace pumice::simulation
