// Words: every value of every vocabulary has a text of its own, and the sentences that people read are as they should
// be.
#include <catch2/catch_test_macros.hpp>

#include <set>

#include "simulation/words.h"

namespace pumice::simulation {
namespace {

using namespace volcano;

const Scene kScene{.start = Time{0}};

LifecyclePolicy policy(Event event, Action action, std::optional<std::int32_t> exit_code = {},
                       std::optional<Duration> timeout = {}) {
  LifecyclePolicy p;
  p.event = event;
  p.action = action;
  p.exit_code = exit_code;
  p.timeout = timeout;
  return p;
}

/// A job with a task `worker` of 4 pods, one policy in the task and one in the job.
std::shared_ptr<const JobSpec> spec() {
  auto out = std::make_shared<JobSpec>();
  out->min_available = 3;
  out->max_retry = 3;
  out->min_success = 2;
  out->policies.push_back(policy(Event::PodEvicted, Action::RestartJob));
  TaskSpec task;
  task.name = "worker";
  task.replicas = 4;
  task.min_available = 3;
  task.policies.push_back(policy(Event::None, Action::RestartTask, 137));
  out->tasks.push_back(task);
  return out;
}

Request pod_request(Event event, std::int32_t exit_code = 0) {
  Request request;
  request.ns = "default";
  request.job_name = "train";
  request.task_name = "worker";
  request.pod_name = "train-worker-1";
  request.event = event;
  request.exit_code = exit_code;
  return request;
}

ProcessRecord base(Event event = Event::PodFailed, std::int32_t exit_code = 137) {
  ProcessRecord record;
  record.request = pod_request(event, exit_code);
  record.job_key = "default/train";
  record.spec = spec();
  record.action = Action::SyncJob;
  record.before.phase = record.after.phase = JobPhase::Running;
  record.plan = {Operation::Sync, Retain::None, StatusFunction::FromRunning};
  return record;
}

ProcessRecord restarted() {
  ProcessRecord record = base();
  record.source = DecisionSource::TaskPolicy;
  record.rule = {0, 0};
  record.action = Action::RestartTask;
  record.target = {Scope::Task, "worker", "", ""};
  record.considered = {{{0, 0}, RuleReason::MatchedExitCode}, {{-1, 0}, RuleReason::HiddenByTask}};
  record.plan = {Operation::KillTarget, Retain::None, StatusFunction::Restart};
  record.reason = TransitionReason::RestartCounted;
  record.killed = 4;
  record.after.phase = JobPhase::Restarting;
  record.after.retry_count = 1;
  return record;
}

std::string told(const ProcessRecord& record) { return record_sentence(record, kScene); }

TEST_CASE("a policy in words", "[report]") {
  CHECK(policy_text(policy(Event::PodEvicted, Action::RestartJob)) == "PodEvicted → RestartJob");
  CHECK(policy_text(policy(Event::None, Action::RestartTask, 137)) == "exitCode 137 → RestartTask");
  CHECK(policy_text(policy(Event::Any, Action::AbortJob, {}, seconds(600))) == "* → AbortJob after 10m0s");
  CHECK(policy_text(policy(Event::None, Action::None)) == "no condition → no action");
  LifecyclePolicy many = policy(Event::PodFailed, Action::RestartPod, 3);
  many.events = {Event::PodEvicted, Event::PodFailed};
  CHECK(policy_text(many) == "PodEvicted, PodFailed or exitCode 3 → RestartPod");
}

TEST_CASE("every reason has a text of its own", "[report]") {
  std::set<std::string> texts;
  ProcessRecord record = base(Event::PodPending, 0);
  for (int reason = 0; reason <= static_cast<int>(RuleReason::NotConsulted); ++reason) {
    const std::string text = reason_text(record, {{-1, 0}, static_cast<RuleReason>(reason)});
    INFO(text);
    CHECK(!text.empty());
    CHECK(texts.insert(text).second);
  }
  // Why policies were not asked depends on the decision.
  for (const DecisionSource source : {DecisionSource::Command, DecisionSource::InternalEvent,
                                      DecisionSource::OtherJobUid, DecisionSource::StaleVersion}) {
    record.source = source;
    CHECK(texts.insert(reason_text(record, {{-1, 0}, RuleReason::NotConsulted})).second);
  }
  record.expired = true;
  CHECK(texts.insert(reason_text(record, {{-1, 0}, RuleReason::NotConsulted})).second);
}

TEST_CASE("exit codes that differ say what there was instead", "[report]") {
  const Considered by_code{{0, 0}, RuleReason::ExitCodeDiffers};
  CHECK(reason_text(base(Event::PodFailed, 1), by_code) == "wants exit code 137, the pod's is 1");
  CHECK(reason_text(base(Event::PodFailed, 0), by_code) == "wants exit code 137, the pod's is 0 or unknown");
  CHECK(reason_text(base(Event::PodEvicted, 0), by_code) == "wants exit code 137, which only PodFailed carries");
}

TEST_CASE("every reason of a transition has a text, or needs none", "[report]") {
  std::set<std::string> texts;
  for (int reason = 0; reason <= static_cast<int>(TransitionReason::GroupNotTakenIn); ++reason) {
    ProcessRecord record = base();
    record.reason = static_cast<TransitionReason>(reason);
    record.after.running = 1;
    record.after.succeeded = 2;
    record.after.terminating = 1;
    record.after.retry_count = 3;
    const std::string text = transition_text(record);
    const bool needs_none = record.reason == TransitionReason::None ||
                            record.reason == TransitionReason::RestartCounted ||
                            record.reason == TransitionReason::Requested;
    INFO(to_string(record.reason));
    CHECK(text.empty() == needs_none);
    // Opposite outcomes of one comparison are told by the same numbers.
    const bool shares = record.reason == TransitionReason::NotEnoughPods ||
                        record.reason == TransitionReason::TooManyTerminating ||
                        record.reason == TransitionReason::AllEndedTooFewSucceeded;
    if (!text.empty()) CHECK(texts.insert(text).second != shares);
  }
}

TEST_CASE("every way a notification can end has a text of its own", "[report]") {
  std::set<std::string> texts;
  for (int outcome = 0; outcome <= static_cast<int>(ObserveOutcome::NotForAJob); ++outcome) {
    ObserveRecord record;
    record.object = ObjectKind::Pod;
    record.change = ChangeKind::Updated;
    record.name = "train-worker-1";
    record.outcome = static_cast<ObserveOutcome>(outcome);
    record.request = pod_request(Event::PodFailed);
    record.detail = "Running -> Failed";
    CHECK(texts.insert(observe_clause(record)).second);
  }
  CHECK(texts.contains("pod worker-1 updated (Running → Failed): PodFailed of worker-1 is queued"));
}

TEST_CASE("every change of a timer has a text of its own", "[report]") {
  std::set<std::string> texts;
  TimerRecord timer{.job_key = "default/train",
                    .pod_name = "train-worker-1",
                    .action = Action::RestartJob,
                    .event = Event::PodPending,
                    .delay = seconds(600),
                    .due = Time{seconds(602).ns},
                    .because_of = Event::PodRunning,
                    .rule = {-1, 0}};
  for (int op = 0; op <= static_cast<int>(TimerOp::Expired); ++op) {
    timer.op = static_cast<TimerOp>(op);
    CHECK(texts.insert(timer_clause(timer, kScene)).second);
  }
  CHECK(texts.contains("RestartJob waits 10m0s, until +10m2s, unless this very pod runs, fails or is evicted before"));
  CHECK(texts.contains("PodRunning cancels the delayed RestartJob of worker-1, which was due at +10m2s"));
  CHECK(cancel_rule_text(Event::PodFailed) == "unless a pod of this name runs before");
  CHECK(cancel_rule_text(Event::Unknown) == "and no event cancels it");
}

TEST_CASE("every outcome of a request has a sentence of its own", "[report]") {
  std::set<std::string> texts;
  for (int outcome = 0; outcome <= static_cast<int>(ProcessOutcome::Outdated); ++outcome) {
    ProcessRecord record = restarted();
    record.outcome = static_cast<ProcessOutcome>(outcome);
    record.error = "queue `q` not found";
    record.retry_at = Time{seconds(5).ns};
    record.timers.push_back(
        {.op = TimerOp::Started, .job_key = record.job_key, .action = record.action, .due = Time{seconds(9).ns}});
    CHECK(texts.insert(told(record)).second);
  }
}

TEST_CASE("every source of a decision is told", "[report]") {
  std::set<std::string> texts;
  for (int source = 0; source <= static_cast<int>(DecisionSource::NoMatch); ++source) {
    ProcessRecord record = base();
    record.source = static_cast<DecisionSource>(source);
    record.rule = record.source == DecisionSource::TaskPolicy ? RuleRef{0, 0} : RuleRef{-1, 0};
    record.considered = {{{0, 0}, RuleReason::ExitCodeDiffers}, {{-1, 0}, RuleReason::EventDiffers}};
    if (record.source == DecisionSource::Command) record.request.event = Event::CommandIssued;
    if (record.source == DecisionSource::InternalEvent) record.request.event = Event::OutOfSync;
    CHECK(texts.insert(told(record)).second);
  }
}

TEST_CASE("every event has a name and a text", "[report]") {
  std::set<std::string> names;
  for (std::size_t event = 0; event < kEventCount; ++event) {
    Request request = pod_request(static_cast<Event>(event));
    if (request.event.code == Event::Other) request.event = EventName(std::string_view("Custom"));
    CHECK(names.insert(request_name(request)).second);
    CHECK(!request_text(request).empty());
  }
}

TEST_CASE("the sentences people read", "[report]") {
  struct Case {
    const char* name;
    ProcessRecord record;
    const char* want;
  };
  const auto with = [](ProcessRecord record, auto change) {
    change(record);
    return record;
  };
  const Case cases[] = {
      {"a task policy restarts the task", restarted(),
       "worker-1 failed with exit code 137 → policies[0] of task worker matches (exitCode 137) → RestartTask: Running "
       "to Restarting, retry 1 "
       "of 3; 4 pods deleted."},
      {"the last retry",
       with(restarted(),
            [](ProcessRecord& r) {
              r.before.retry_count = 2;
              r.after.retry_count = 3;
              r.plan = {Operation::Kill, Retain::None, StatusFunction::Restart};
              r.last_retry = true;
              r.killed = 3;
              r.kept = 1;
            }),
       "worker-1 failed with exit code 137 → policies[0] of task worker matches (exitCode 137) → RestartTask: Running "
       "to Restarting, retry 3 "
       "of 3, which is the last and ends in Failed; 3 pods deleted, 1 ended pod is kept (last retry)."},
      {"a policy that can never fire",
       with(base(Event::PodPending, 0),
            [](ProcessRecord& r) {
              auto changed = std::make_shared<JobSpec>(*spec());
              changed->policies = {policy(Event::PodPending, Action::AbortJob)};
              r.spec = changed;
              r.considered = {{{-1, 0}, RuleReason::NeedsTimeout}};
              r.reason = TransitionReason::StillRunning;
              r.after.running = 4;
            }),
       "worker-1 is there (PodPending) → no policy matches PodPending of worker-1: spec.policies[0] names PodPending "
       "but has no timeout, so it "
       "never fires for it → the job stays Running, 4 of 4 pods have not ended."},
      {"a command in a final phase",
       with(base(Event::CommandIssued, 0),
            [](ProcessRecord& r) {
              r.request.action = r.action = Action::ResumeJob;
              r.source = DecisionSource::Command;
              r.before.phase = r.after.phase = JobPhase::Failed;
              r.before.version = 4;
              r.after.version = 5;
              r.plan = {Operation::Kill, Retain::Soft, StatusFunction::None};
            }),
       "Command ResumeJob → it changes nothing, Failed is final; the version goes from 4 to 5."},
      {"an abort that does not abort",
       with(base(Event::CommandIssued, 0),
            [](ProcessRecord& r) {
              r.request.action = r.action = Action::AbortJob;
              r.source = DecisionSource::Command;
              r.before.phase = r.after.phase = JobPhase::Restarting;
              r.plan = {Operation::Kill, Retain::None, StatusFunction::FromRestarting};
              r.reason = TransitionReason::TooManyTerminating;
              r.after.terminating = 4;
              r.after.min_available = 3;
            }),
       "Command AbortJob → it only deletes pods again while Restarting: the job stays Restarting, 4 of 4 pods are "
       "terminating, minAvailable is 3."},
      {"a resume is a retry",
       with(base(Event::CommandIssued, 0),
            [](ProcessRecord& r) {
              r.request.action = r.action = Action::ResumeJob;
              r.source = DecisionSource::Command;
              r.before.phase = JobPhase::Aborted;
              r.after.phase = JobPhase::Restarting;
              r.after.retry_count = 1;
              r.plan = {Operation::Kill, Retain::Soft, StatusFunction::Restart};
            }),
       "Command ResumeJob → Aborted to Restarting, retry 1 of 3 (a resume counts as a retry)."},
      {"waiting for the PodGroup",
       with(base(Event::OutOfSync, 0),
            [](ProcessRecord& r) {
              r.request.pod_name.clear();
              r.source = DecisionSource::InternalEvent;
              r.before.phase = r.after.phase = JobPhase::Pending;
              r.plan.function = StatusFunction::FromPending;
              r.reason = TransitionReason::NotEnoughPods;
              r.sync.short_path = true;
              r.sync.pod_group_phase = PodGroupPhase::Pending;
            }),
       "OutOfSync of the job: the job stays Pending, the PodGroup is Pending and pods follow when the scheduler takes "
       "it in."},
      {"a closed gate",
       with(base(Event::None, 0),
            [](ProcessRecord& r) {
              r.request.pod_name.clear();
              r.before.phase = r.after.phase = JobPhase::Pending;
              r.plan.function = StatusFunction::FromPending;
              r.reason = TransitionReason::NotEnoughPods;
              r.sync.created = 1;
              r.sync.gated = {{"worker", {"master"}}};
            }),
       "The PodGroup's phase changed: 1 pod created; the job stays Pending, no pod runs yet, 3 are needed; task worker "
       "waits for master "
       "(dependsOn)."},
      {"an empty partition",
       with(restarted(),
            [](ProcessRecord& r) {
              r.action = Action::RestartPartition;
              r.target = {Scope::Partition, "worker", "train-worker-1", "2"};
              r.outcome = ProcessOutcome::EmptyPartition;
            }),
       "worker-1 failed with exit code 137 → policies[0] of task worker matches (exitCode 137) → RestartPartition "
       "finds no pod in partition 2, "
       "so nothing at all happens, no retry is counted."},
      {"a word nobody knows",
       with(base(Event::CommandIssued, 0),
            [](ProcessRecord& r) {
              r.request.action = r.action = ActionName(std::string_view("Reboot"));
              r.source = DecisionSource::Command;
              r.reason = TransitionReason::StillRunning;
              r.after.running = 4;
            }),
       "Command `Reboot` → that is no known action, so the phase's default happens: the job stays Running, 4 of 4 pods "
       "have not ended."},
      {"an error that is tried again",
       with(base(Event::OutOfSync, 0),
            [](ProcessRecord& r) {
              r.source = DecisionSource::InternalEvent;
              r.outcome = ProcessOutcome::Requeued;
              r.error = "queue `q` not found";
              r.retry_at = Time{Duration{5'000'000}.ns};
            }),
       "OutOfSync of worker-1: SyncJob fails: queue `q` not found; it is tried again at +5ms."},
      {"the job is gone",
       with(base(),
            [](ProcessRecord& r) {
              r.outcome = ProcessOutcome::JobNotCached;
              r.considered.clear();
              r.source = DecisionSource::InternalEvent;
            }),
       "worker-1 failed with exit code 137: dropped, there is no job train any more."},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(told(c.record) == c.want);
  }
}

TEST_CASE("a command taken by someone else, and one that could not be taken", "[report]") {
  CommandRecord record{.command = {.name = "c", .action = Action::AbortJob}, .consumed = false};
  CHECK(command_clause(record, kScene) == "command AbortJob: someone else took it first, so it is never carried out");
  record.retry_at = Time{seconds(1).ns};
  CHECK(command_clause(record, kScene) == "command AbortJob: it could not be taken, this is tried again at +1s");
}

TEST_CASE("effects of one kind are told together", "[report]") {
  std::vector<Effect> effects;
  for (int i = 0; i < 5; ++i) effects.push_back({1, DeletePod{"default", "train-w-" + std::to_string(i)}});
  effects.push_back({1, DeletePodGroup{"default", "train-00000000-0000-4000-8000-000000000001"}});
  effects.push_back({0, EmitEvent{"default", "train", true, "FailedDelete", "text"}});
  CHECK(effect_texts(effects, 10, "train") == std::vector<EffectText>{{"effect", "delete 5 pods: w-0 … 4"},
                                                                      {"effect", "delete PodGroup train-…"},
                                                                      {"event", "Warning FailedDelete: text"},
                                                                      {"effect", "and 3 more effects"}});
}

TEST_CASE("names are folded", "[report]") {
  CHECK(fold_names({"w-0"}) == "w-0");
  CHECK(fold_names({"w-0", "w-1"}) == "w-0, w-1");
  CHECK(fold_names({"w-0", "w-1", "w-2"}) == "w-0 … 2");
  CHECK(fold_names({"a-0", "w-9", "w-10", "w-11", "w-13"}) == "a-0, w-9 … 11, w-13");
  CHECK(fold_names({"a", "b", "c", "d", "e", "f"}) == "a, b, c, d and 2 more");
  CHECK(fold_names({"a", "b", "c", "d", "e"}) == "a, b, c, d, e");
  CHECK(fold_names({}) == "");
}

TEST_CASE("small pieces", "[report]") {
  CHECK(short_name("train-w-0", "train") == "w-0");
  CHECK(short_name("other-w-0", "train") == "other-w-0");
  CHECK(short_name("train", "train") == "train");
  CHECK(short_name("w-0", "") == "w-0");
  CHECK(count_of(1, "pod") == "1 pod");
  CHECK(count_of(0, "pod") == "0 pods");
  CHECK(group_text("train-00000000-0000-4000-8000-000000000001") == "train-…");
  CHECK(group_text("train") == "train");
  CHECK(job_name_of("default/train") == "train");
  CHECK(as_sentence("the job stays") == "The job stays.");
  CHECK(as_sentence("thermo-w-0 runs") == "thermo-w-0 runs.");
}

}  // namespace
}  // namespace pumice::simulation
