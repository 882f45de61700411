#include "pumice/volcano/transition.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/allocations.h"

namespace pumice::volcano {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();

// The whole table: a row for each phase, a column for each action. A cell is the operation and its status function:
//   S f   sync           K f   kill everything     P f   kill all but finished pods     T f   kill the target only
// with f: restart, aborting (completing, terminating) for "go there", drain for "go to the matching end", pend, rest,
// run, and `-` for none. `(empty)` and `Melted` stand for the empty and an unrecognised string.
constexpr const char* kTable = R"(
             RestartJob  RestartTask RestartPod  RestartPartition AbortJob    CompleteJob   TerminateJob   ResumeJob   SyncJob   EnqueueJob  SyncQueue   OpenQueue   CloseQueue  (empty)     Melted
(empty)      K:restart   T:restart   T:restart   T:restart        P:aborting  P:completing  P:terminating  S:pend      S:pend    S:pend      S:pend      S:pend      S:pend      S:pend      S:pend
Pending      K:restart   T:restart   T:restart   T:restart        P:aborting  P:completing  P:terminating  S:pend      S:pend    S:pend      S:pend      S:pend      S:pend      S:pend      S:pend
Melted       K:restart   T:restart   T:restart   T:restart        P:aborting  P:completing  P:terminating  S:pend      S:pend    S:pend      S:pend      S:pend      S:pend      S:pend      S:pend
Running      K:restart   T:restart   T:restart   T:restart        P:aborting  P:completing  P:terminating  S:run       S:run     S:run       S:run       S:run       S:run       S:run       S:run
Restarting   K:rest      T:rest      T:rest      T:rest           K:rest      K:rest        K:rest         K:rest      S:rest    K:rest      K:rest      K:rest      K:rest      K:rest      K:rest
Aborting     P:drain     P:drain     P:drain     P:drain          P:drain     P:drain       P:drain        P:restart   P:drain   P:drain     P:drain     P:drain     P:drain     P:drain     P:drain
Aborted      P:-         P:-         P:-         P:-              P:-         P:-           P:-            P:restart   P:-       P:-         P:-         P:-         P:-         P:-         P:-
Completing   P:drain     P:drain     P:drain     P:drain          P:drain     P:drain       P:drain        P:drain     P:drain   P:drain     P:drain     P:drain     P:drain     P:drain     P:drain
Terminating  P:drain     P:drain     P:drain     P:drain          P:drain     P:drain       P:drain        P:drain     P:drain   P:drain     P:drain     P:drain     P:drain     P:drain     P:drain
Completed    P:-         P:-         P:-         P:-              P:-         P:-           P:-            P:-         P:-       P:-         P:-         P:-         P:-         P:-         P:-
Terminated   P:-         P:-         P:-         P:-              P:-         P:-           P:-            P:-         P:-       P:-         P:-         P:-         P:-         P:-         P:-
Failed       P:-         P:-         P:-         P:-              P:-         P:-           P:-            P:-         P:-       P:-         P:-         P:-         P:-         P:-         P:-
)";

std::vector<std::vector<std::string>> cells_of(const char* text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;) row.push_back(word == "(empty)" ? "" : word);
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

std::string cell_text(JobPhase phase, const Plan& got) {
  std::string out;
  switch (got.operation) {
    case Operation::Sync: out = "S:"; break;
    case Operation::Kill: out = got.retain == Retain::Soft ? "P:" : "K:"; break;
    case Operation::KillTarget: out = "T:"; break;
  }
  const auto drain_in = [phase](JobPhase expected) { return phase == expected ? "drain" : "drain to the wrong end"; };
  switch (got.function) {
    case StatusFunction::None: return out + "-";
    case StatusFunction::Restart: return out + "restart";
    case StatusFunction::ToAborting: return out + "aborting";
    case StatusFunction::ToCompleting: return out + "completing";
    case StatusFunction::ToTerminating: return out + "terminating";
    case StatusFunction::DrainAborted: return out + drain_in(JobPhase::Aborting);
    case StatusFunction::DrainCompleted: return out + drain_in(JobPhase::Completing);
    case StatusFunction::DrainTerminated: return out + drain_in(JobPhase::Terminating);
    case StatusFunction::FromPending: return out + "pend";
    case StatusFunction::FromRestarting: return out + "rest";
    case StatusFunction::FromRunning: return out + "run";
    case StatusFunction::ToRestarting: return out + "restart for nothing";
  }
  return out;
}

TEST_CASE("every phase has its answer to every action", "[transition]") {
  const auto rows = cells_of(kTable);
  const std::vector<std::string>& actions = rows.front();
  REQUIRE(rows.size() == kJobPhaseCount + 1);
  REQUIRE(actions.size() == kActionCount);
  std::set<JobPhase> phases_seen;
  std::set<Action> actions_seen;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    REQUIRE(rows[r].size() == actions.size() + 1);
    const JobPhase phase = job_phase_from(rows[r][0]);
    phases_seen.insert(phase);
    for (std::size_t c = 0; c < actions.size(); ++c) {
      const Action action = action_from(actions[c]);
      actions_seen.insert(action);
      CAPTURE(rows[r][0], actions[c]);
      CHECK(cell_text(phase, plan(phase, action)) == rows[r][c + 1]);
    }
  }
  CHECK(phases_seen.size() == kJobPhaseCount);
  CHECK(actions_seen.size() == kActionCount);
}

// -- Status functions.

struct TaskArgs {
  std::int32_t replicas = 0;
  std::optional<std::int32_t> min_available;
  std::optional<std::int32_t> succeeded;  ///< set: the task has an entry in `taskStatusCount`
};

struct Args {
  const char* phase = "Pending";
  std::vector<TaskArgs> tasks;
  std::int32_t min_available = 0;  ///< of the spec
  std::int32_t max_retry = 3;
  std::optional<std::int32_t> min_success;
  std::int32_t status_min_available = 0;
  std::int32_t retry_count = 0;
  std::int32_t pending = 0;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t unknown = 0;
  std::int32_t terminating = 0;
};

struct Applied {
  std::string text;  ///< `phase retryCount changed reason`
  JobStatus before;
  JobStatus after;
};

Applied apply(StatusFunction function, const Args& args) {
  JobSpec spec;
  spec.min_available = args.min_available;
  spec.max_retry = args.max_retry;
  spec.min_success = args.min_success;
  JobStatus status;
  status.phase = PhaseName(std::string_view(args.phase));
  status.min_available = args.status_min_available;
  status.retry_count = args.retry_count;
  status.pending = args.pending;
  status.running = args.running;
  status.succeeded = args.succeeded;
  status.failed = args.failed;
  status.unknown = args.unknown;
  status.terminating = args.terminating;
  for (const TaskArgs& task_args : args.tasks) {
    TaskSpec task;
    task.name = "t" + std::to_string(spec.tasks.size());
    task.replicas = task_args.replicas;
    task.min_available = task_args.min_available;
    if (task_args.succeeded) status.task_counts[task.name][PodPhase::Succeeded] = *task_args.succeeded;
    spec.tasks.push_back(std::move(task));
  }
  Applied applied;
  applied.before = status;
  const TransitionResult result = apply_status_function(function, spec, SpecTotals::of(spec), status);
  applied.text = std::string(status.phase.text()) + " " + std::to_string(status.retry_count) +
                 (result.changed ? " changed " : " same ") + std::string(to_string(result.reason));
  applied.after = status;
  return applied;
}

struct FunctionCase {
  const char* name;
  StatusFunction function;
  Args args;
  std::string want;
};

void check_all(const std::vector<FunctionCase>& cases) {
  for (const FunctionCase& c : cases) {
    CAPTURE(c.name);
    Applied applied = apply(c.function, c.args);
    CHECK(applied.text == c.want);
    // Nothing but phase and retry count may differ.
    applied.after.phase = applied.before.phase;
    applied.after.retry_count = applied.before.retry_count;
    CHECK(applied.after == applied.before);
  }
}

TEST_CASE("status functions that do not look at the pods", "[transition]") {
  using enum StatusFunction;
  check_all({
      {"none", None, {.phase = "Failed"}, "Failed 0 same None"},
      {"restart counts", Restart, {.phase = "Running", .retry_count = 1}, "Restarting 2 changed RestartCounted"},
      {"restart counts beyond the limit too",
       Restart,
       {.phase = "Aborted", .max_retry = 1, .retry_count = 7},
       "Restarting 8 changed RestartCounted"},
      {"the count wraps around",
       Restart,
       {.phase = "Running", .retry_count = kMax},
       "Restarting -2147483648 changed RestartCounted"},
      {"to Aborting", ToAborting, {.running = 3}, "Aborting 0 changed Requested"},
      {"to Completing", ToCompleting, {.phase = "Running"}, "Completing 0 changed Requested"},
      {"to Terminating", ToTerminating, {.phase = "Melted"}, "Terminating 0 changed Requested"},
  });
}

TEST_CASE("draining waits for terminating, pending and running pods", "[transition]") {
  using enum StatusFunction;
  check_all({
      {"nothing left", DrainAborted, {.phase = "Aborting"}, "Aborted 0 changed Drained"},
      {"completed", DrainCompleted, {.phase = "Completing"}, "Completed 0 changed Drained"},
      {"terminated", DrainTerminated, {.phase = "Terminating"}, "Terminated 0 changed Drained"},
      {"terminating", DrainAborted, {.phase = "Aborting", .terminating = 1}, "Aborting 0 same WaitingForTermination"},
      {"pending", DrainCompleted, {.phase = "Completing", .pending = 1}, "Completing 0 same WaitingForTermination"},
      {"running", DrainTerminated, {.phase = "Terminating", .running = 1}, "Terminating 0 same WaitingForTermination"},
      {"not zero is what counts",
       DrainAborted,
       {.phase = "Aborting", .terminating = -1},
       "Aborting 0 same WaitingForTermination"},
      {"finished and unknown pods never block",
       DrainAborted,
       {.phase = "Aborting", .succeeded = 2, .failed = 3, .unknown = 4},
       "Aborted 0 changed Drained"},
  });
}

TEST_CASE("a pending job runs once enough pods started", "[transition]") {
  using enum StatusFunction;
  check_all({
      {"just enough", FromPending, {.min_available = 3, .running = 3}, "Running 0 changed EnoughPods"},
      {"one short", FromPending, {.min_available = 3, .running = 2}, "Pending 0 same NotEnoughPods"},
      {"ended pods count",
       FromPending,
       {.min_available = 3, .running = 1, .succeeded = 1, .failed = 1},
       "Running 0 changed EnoughPods"},
      {"failed pods alone suffice", FromPending, {.min_available = 2, .failed = 2}, "Running 0 changed EnoughPods"},
      {"pending and unknown ones do not count",
       FromPending,
       {.min_available = 1, .pending = 5, .unknown = 5, .terminating = 5},
       "Pending 0 same NotEnoughPods"},
      {"minAvailable 0 runs at once", FromPending, {}, "Running 0 changed EnoughPods"},
      {"the empty phase moves too", FromPending, {.phase = ""}, "Running 0 changed EnoughPods"},
      {"an unrecognised phase stays what it is",
       FromPending,
       {.phase = "Melted", .min_available = 1},
       "Melted 0 same NotEnoughPods"},
      {"an unrecognised phase moves too", FromPending, {.phase = "Melted"}, "Running 0 changed EnoughPods"},
      {"the sum wraps around",
       FromPending,
       {.min_available = 1, .running = kMax, .succeeded = 1},
       "Pending 0 same NotEnoughPods"},
      {"the spec's value counts, not the status'",
       FromPending,
       {.min_available = 1, .status_min_available = 9, .running = 1},
       "Running 0 changed EnoughPods"},
  });
}

TEST_CASE("a restarting job fails, goes on or waits", "[transition]") {
  using enum StatusFunction;
  const auto rest = [](Args args) {
    args.phase = "Restarting";
    return args;
  };
  check_all({
      {"retries used up", FromRestarting, rest({.max_retry = 3, .retry_count = 3}), "Failed 3 changed RetriesUsedUp"},
      {"more than used up", FromRestarting, rest({.max_retry = 3, .retry_count = 4}), "Failed 4 changed RetriesUsedUp"},
      {"one retry left", FromRestarting, rest({.max_retry = 3, .retry_count = 2}), "Pending 2 changed PodsGone"},
      {"maxRetry 0 is like 1", FromRestarting, rest({.max_retry = 0, .retry_count = 1}),
       "Failed 1 changed RetriesUsedUp"},
      {"retries are looked at before the pods", FromRestarting,
       rest({.tasks = {{2}}, .max_retry = 1, .status_min_available = 2, .retry_count = 1, .terminating = 2}),
       "Failed 1 changed RetriesUsedUp"},
      {"just enough are gone", FromRestarting, rest({.tasks = {{2}, {3}}, .status_min_available = 3, .terminating = 2}),
       "Pending 0 changed PodsGone"},
      {"one too many terminating", FromRestarting,
       rest({.tasks = {{2}, {3}}, .status_min_available = 3, .terminating = 3}),
       "Restarting 0 same TooManyTerminating"},
      {"the status' minAvailable counts, not the spec's", FromRestarting,
       rest({.tasks = {{2}}, .min_available = 2, .status_min_available = 1, .terminating = 1}),
       "Pending 0 changed PodsGone"},
      {"the status' minAvailable above all replicas", FromRestarting, rest({.tasks = {{2}}, .status_min_available = 3}),
       "Restarting 0 same TooManyTerminating"},
      {"the replicas wrap around", FromRestarting, rest({.tasks = {{kMax}, {1}}, .status_min_available = 0}),
       "Restarting 0 same TooManyTerminating"},
      {"the difference wraps around", FromRestarting,
       rest({.tasks = {{kMax}, {1}}, .status_min_available = 1, .terminating = 1}), "Pending 0 changed PodsGone"},
  });
}

TEST_CASE("a running job ends, falls back or stays", "[transition]") {
  using enum StatusFunction;
  const auto run = [](Args args) {
    args.phase = "Running";
    return args;
  };
  check_all({
      {"no replicas: stays whatever else", FromRunning, run({.tasks = {{0}}, .min_success = 1, .succeeded = 5}),
       "Running 0 same NoReplicas"},
      {"no tasks", FromRunning, run({.pending = 5}), "Running 0 same NoReplicas"},
      {"minSuccess just reached, others running", FromRunning,
       run({.tasks = {{3}}, .min_available = 3, .min_success = 1, .running = 2, .succeeded = 1}),
       "Completed 0 changed MinSuccessReached"},
      {"minSuccess one short", FromRunning, run({.tasks = {{3}}, .min_success = 2, .running = 2, .succeeded = 1}),
       "Running 0 same StillRunning"},
      {"minSuccess comes before the count of all", FromRunning,
       run({.tasks = {{2, 2, 1}}, .min_available = 2, .min_success = 1, .succeeded = 1, .failed = 1}),
       "Completed 0 changed MinSuccessReached"},
      {"minSuccess missed, though minAvailable is not", FromRunning,
       run({.tasks = {{2}}, .min_available = 1, .min_success = 2, .succeeded = 1, .failed = 1}),
       "Failed 0 changed MinSuccessMissed"},
      {"all succeeded", FromRunning, run({.tasks = {{2}}, .min_available = 2, .succeeded = 2}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"just enough succeeded", FromRunning, run({.tasks = {{3}}, .min_available = 2, .succeeded = 2, .failed = 1}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"one success short", FromRunning, run({.tasks = {{3}}, .min_available = 2, .succeeded = 1, .failed = 2}),
       "Failed 0 changed AllEndedTooFewSucceeded"},
      {"minAvailable 0: all failed is completed", FromRunning, run({.tasks = {{2}}, .failed = 2}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"a task missed its minAvailable", FromRunning,
       run({.tasks = {{2, 2, 1}, {2, 1, 2}}, .min_available = 3, .succeeded = 3, .failed = 1}),
       "Failed 0 changed TaskMinAvailableMissed"},
      {"a task just reached it", FromRunning,
       run({.tasks = {{2, 1, 1}, {2, 2, 2}}, .min_available = 3, .succeeded = 3, .failed = 1}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"tasks do not count if the job asks for less than their sum", FromRunning,
       run({.tasks = {{2, 2, 1}, {2, 1, 2}}, .min_available = 2, .succeeded = 3, .failed = 1}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"their sum takes replicas where unset", FromRunning,
       run({.tasks = {{2, 2, 1}, {2, {}, 2}}, .min_available = 3, .succeeded = 3, .failed = 1}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"a task without minAvailable is not asked", FromRunning,
       run({.tasks = {{2, {}, 1}, {1, 1, 1}}, .min_available = 3, .succeeded = 2, .failed = 1}),
       "Failed 0 changed AllEndedTooFewSucceeded"},
      {"a task without an entry is not asked", FromRunning,
       run({.tasks = {{2, 2, {}}, {2, 1, 2}}, .min_available = 3, .succeeded = 3, .failed = 1}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"a task with an entry of zeros is asked", FromRunning,
       run({.tasks = {{1, 1, 0}, {2, 2, 2}}, .min_available = 3, .succeeded = 2, .failed = 1}),
       "Failed 0 changed TaskMinAvailableMissed"},
      {"a missed task comes before minSuccess missed", FromRunning,
       run({.tasks = {{2, 2, 1}}, .min_available = 2, .min_success = 2, .succeeded = 1, .failed = 1}),
       "Failed 0 changed TaskMinAvailableMissed"},
      {"all ended is exact: one missing", FromRunning, run({.tasks = {{3}}, .min_available = 3, .succeeded = 2}),
       "Running 0 same StillRunning"},
      {"all ended is exact: one too many", FromRunning, run({.tasks = {{3}}, .min_available = 3, .succeeded = 4}),
       "Running 0 same StillRunning"},
      {"one pending too many", FromRunning, run({.tasks = {{5}}, .min_available = 3, .pending = 3, .running = 2}),
       "Pending 0 changed TooManyPending"},
      {"just few enough pending", FromRunning, run({.tasks = {{5}}, .min_available = 3, .pending = 2, .running = 3}),
       "Running 0 same StillRunning"},
      {"fewer replicas than minAvailable: 0 pending are too many", FromRunning,
       run({.tasks = {{2}}, .min_available = 3, .running = 2}), "Pending 0 changed TooManyPending"},
      {"ended comes before pending", FromRunning,
       run({.tasks = {{2}}, .min_available = 2, .pending = 9, .succeeded = 2}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"sums wrap around: replicas to zero", FromRunning, run({.tasks = {{kMin}, {kMin}}, .succeeded = 1}),
       "Running 0 same NoReplicas"},
      {"sums wrap around: ended pods", FromRunning, run({.tasks = {{kMax}, {1}}, .succeeded = kMax, .failed = 1}),
       "Completed 0 changed AllEndedEnoughSucceeded"},
      {"the difference wraps around", FromRunning, run({.tasks = {{1}}, .min_available = kMin, .pending = 0}),
       "Pending 0 changed TooManyPending"},
  });
}

TEST_CASE("the totals take replicas where minAvailable is unset", "[transition]") {
  JobSpec spec;
  for (const auto& [replicas, min_available] :
       std::vector<std::pair<std::int32_t, std::optional<std::int32_t>>>{{4, {}}, {3, 1}, {2, 0}}) {
    TaskSpec& task = spec.tasks.emplace_back();
    task.replicas = replicas;
    task.min_available = min_available;
  }
  const SpecTotals totals = SpecTotals::of(spec);
  CHECK(totals.replicas == 9);
  CHECK(totals.min_available == 5);
  CHECK(SpecTotals::of(JobSpec{}).replicas == 0);
}

TEST_CASE("transitions upstream's own tests assert", "[transition]") {
  struct Case {
    const char* name;
    const char* action;
    Args args;  ///< with the counts as the operation leaves them: a kill counts only terminating pods
    std::string phase;
    std::int32_t retry_count = 0;
  };
  const std::vector<Case> cases = {
      {"1", "ResumeJob", {.phase = "Aborted"}, "Restarting", 1},
      {"2", "RestartJob", {.phase = "Aborted"}, "Aborted"},
      {"3", "ResumeJob", {.phase = "Aborting"}, "Restarting", 1},
      {"4", "RestartJob", {.phase = "Aborting"}, "Aborted"},
      {"5", "RestartJob", {.phase = "Aborting", .terminating = 1}, "Aborting"},
      {"6", "ResumeJob", {.phase = "Completing", .terminating = 2}, "Completing"},
      {"7", "ResumeJob", {.phase = "Completing"}, "Completed"},
      {"8", "ResumeJob", {.phase = "Completed"}, "Completed"},
      {"9 restart", "RestartJob", {.phase = "Pending"}, "Restarting", 1},
      {"9 restart, pods", "RestartJob", {.phase = "Pending", .terminating = 2}, "Restarting", 1},
      {"9 abort", "AbortJob", {.phase = "Pending"}, "Aborting"},
      {"9 abort, pods", "AbortJob", {.phase = "Pending", .terminating = 2}, "Aborting"},
      {"9 complete", "CompleteJob", {.phase = "Pending"}, "Completing"},
      {"9 complete, pods", "CompleteJob", {.phase = "Pending", .terminating = 2}, "Completing"},
      {"10", "TerminateJob", {.phase = "Pending", .terminating = 2}, "Terminating"},
      {"11", "EnqueueJob", {.phase = "Pending", .min_available = 3, .running = 3}, "Running"},
      {"12", "EnqueueJob", {.phase = "Pending", .min_available = 3, .running = 2}, "Pending"},
      {"13", "SyncJob", {.phase = "Pending", .min_available = 3, .running = 2}, "Pending"},
      {"14", "RestartJob", {.phase = "Restarting", .max_retry = 3, .retry_count = 3}, "Failed", 3},
      {"15",
       "RestartJob",
       {.phase = "Restarting", .tasks = {{2}}, .max_retry = 3, .status_min_available = 1, .retry_count = 1},
       "Pending",
       1},
      {"16 restart", "RestartJob", {.phase = "Running"}, "Restarting", 1},
      {"16 restart, pods", "RestartJob", {.phase = "Running", .terminating = 2}, "Restarting", 1},
      {"16 abort", "AbortJob", {.phase = "Running"}, "Aborting"},
      {"16 abort, pods", "AbortJob", {.phase = "Running", .terminating = 2}, "Aborting"},
      {"16 terminate", "TerminateJob", {.phase = "Running"}, "Terminating"},
      {"16 terminate, pods", "TerminateJob", {.phase = "Running", .terminating = 2}, "Terminating"},
      {"16 complete", "CompleteJob", {.phase = "Running"}, "Completing"},
      {"16 complete, pods", "CompleteJob", {.phase = "Running", .terminating = 2}, "Completing"},
      {"17", "SyncJob", {.phase = "Running", .tasks = {{2}}, .min_available = 2, .succeeded = 2}, "Completed"},
      {"18", "SyncJob", {.phase = "Running", .tasks = {{2}}, .min_available = 2, .succeeded = 1}, "Running"},
      {"19", "SyncJob", {.phase = "Running", .tasks = {{5}}, .min_available = 3, .pending = 5}, "Pending"},
      {"20",
       "SyncJob",
       {.phase = "Running", .tasks = {{5}}, .min_available = 3, .pending = 3, .running = 2},
       "Pending"},
      {"21",
       "SyncJob",
       {.phase = "Running",
        .tasks = {{5}},
        .min_available = 3,
        .pending = 2,
        .running = 1,
        .succeeded = 1,
        .failed = 1},
       "Running"},
      {"22", "TerminateJob", {.phase = "Terminating", .terminating = 2}, "Terminating"},
      {"23", "TerminateJob", {.phase = "Terminating"}, "Terminated"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.action);
    const Plan planned = plan(job_phase_from(c.args.phase), action_from(c.action));
    const Applied applied = apply(planned.function, c.args);
    CHECK(applied.after.phase.text() == c.phase);
    CHECK(applied.after.retry_count == c.retry_count);
  }
}

TEST_CASE("no action leads out of a final phase", "[transition]") {
  for (std::size_t p = 0; p < kJobPhaseCount; ++p) {
    const auto phase = static_cast<JobPhase>(p);
    if (!is_final(phase)) continue;
    for (std::size_t a = 0; a < kActionCount; ++a) {
      CAPTURE(to_string(phase), a);
      CHECK(plan(phase, static_cast<Action>(a)) == Plan{Operation::Kill, Retain::Soft, StatusFunction::None});
    }
  }
}

TEST_CASE("a transition allocates nothing", "[transition]") {
  JobSpec spec;
  spec.min_available = 2;
  JobStatus status;
  for (const char* name : {"a task whose name is not a short string", "w"}) {
    TaskSpec& task = spec.tasks.emplace_back();
    task.name = name;
    task.replicas = 1;
    task.min_available = 1;
    status.task_counts[name][PodPhase::Succeeded] = 1;
  }
  status.succeeded = 2;
  status.phase = PhaseName("a phase that nobody knows, with a long name");
  const SpecTotals totals = SpecTotals::of(spec);

  bool changed = false;
  const std::int64_t before = test::allocation_count();
  for (std::size_t p = 0; p < kJobPhaseCount; ++p) {
    for (std::size_t a = 0; a < kActionCount; ++a) {
      const Plan planned = plan(static_cast<JobPhase>(p), static_cast<Action>(a));
      changed |= apply_status_function(planned.function, spec, totals, status).changed;
    }
  }
  const std::int64_t after = test::allocation_count();
  CHECK(after == before);
  CHECK(changed);
}

TEST_CASE("operations, functions and reasons have stable names", "[transition]") {
  CHECK(to_string(Operation::Sync) == "sync");
  CHECK(to_string(Operation::Kill) == "kill");
  CHECK(to_string(Operation::KillTarget) == "killTarget");
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(StatusFunction::FromRunning); ++i)
    names.insert(to_string(static_cast<StatusFunction>(i)));
  CHECK(names.size() == 11);
  CHECK(names.contains(""));
  CHECK(names.contains("drainAborted"));
  names.clear();
  for (int i = 0; i <= static_cast<int>(TransitionReason::StillRunning); ++i)
    names.insert(to_string(static_cast<TransitionReason>(i)));
  CHECK(names.size() == 18);
}

}  // namespace
}  // namespace pumice::volcano
