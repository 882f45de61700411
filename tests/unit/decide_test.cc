#include "pumice/volcano/decide.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pumice/model/reader.h"
#include "support/allocations.h"
#include "support/prng.h"

namespace pumice::volcano {
namespace {

struct PolicyArgs {
  std::string action;
  std::vector<std::string> events;  ///< the first goes to `event`, the others to `events`
  std::optional<std::int32_t> exit_code;
  std::optional<std::int64_t> timeout_s;
};

LifecyclePolicy make_policy(const PolicyArgs& args) {
  LifecyclePolicy policy;
  policy.action = ActionName(args.action);
  for (std::size_t i = 0; i < args.events.size(); ++i) {
    if (i == 0) {
      policy.event = EventName(args.events[i]);
    } else {
      policy.events.emplace_back(args.events[i]);
    }
  }
  policy.exit_code = args.exit_code;
  if (args.timeout_s) policy.timeout = seconds(*args.timeout_s);
  return policy;
}

using PolicyList = std::vector<PolicyArgs>;

/// A job with tasks `t0`, `t1` … that have the given policy lists.
PolicyTable make_table(const PolicyList& job_policies, const std::vector<PolicyList>& task_policies = {{}}) {
  JobSpec spec;
  for (const PolicyArgs& args : job_policies) spec.policies.push_back(make_policy(args));
  for (std::size_t i = 0; i < task_policies.size(); ++i) {
    TaskSpec task;
    task.name = "t" + std::to_string(i);
    for (const PolicyArgs& args : task_policies[i]) task.policies.push_back(make_policy(args));
    spec.tasks.push_back(std::move(task));
  }
  return PolicyTable(std::make_shared<const JobSpec>(std::move(spec)));
}

struct RequestArgs {
  std::string event;
  std::string task = "t0";
  std::int32_t exit_code = 0;
  std::string action;
  std::string job_uid = "uid-1";
  std::int32_t version = 0;
};

Request make_request(const RequestArgs& args) {
  Request request;
  request.ns = "ns";
  request.job_name = "j";
  request.job_uid = args.job_uid;
  request.task_name = args.task;
  request.event = EventName(args.event);
  request.exit_code = args.exit_code;
  request.action = ActionName(args.action);
  request.job_version = args.version;
  return request;
}

constexpr std::string_view kUid = "uid-1";

std::string action_of(const Decision& decision) {
  return std::string(decision.action == Action::Other ? decision.action_text : to_string(decision.action));
}

/// `action delay source path`, on one line.
std::string decide_text(const PolicyTable& table, const RequestArgs& args, std::int32_t job_version = 0) {
  const Request request = make_request(args);
  const Decision decision = decide(table, kUid, job_version, request);
  std::string out =
      action_of(decision) + " " + to_string(decision.delay) + " " + std::string(to_string(decision.source));
  if (decision.rule.exists()) out += " " + decision.rule.path();
  return out;
}

/// `reason reason …` in the order of the candidates.
std::string consider_text(const PolicyTable& table, const RequestArgs& args, std::int32_t job_version = 0) {
  std::string out;
  for (const Considered& entry : consider(table, kUid, job_version, make_request(args))) {
    if (!out.empty()) out += " ";
    out += to_string(entry.reason);
  }
  return out;
}

TEST_CASE("decisions upstream's own tests assert", "[decide]") {
  struct Case {
    const char* name;
    PolicyTable table;
    RequestArgs request;
    std::string want;
    std::int32_t job_version = 0;
  };
  const Case cases[] = {
      {"1 action in the request", make_table({}), {.action = "EnqueueJob"}, "EnqueueJob 0s Command"},
      {"2 OutOfSync", make_table({}), {.event = "OutOfSync"}, "SyncJob 0s InternalEvent"},
      {"2 PodRunning", make_table({}), {.event = "PodRunning"}, "SyncJob 0s InternalEvent"},
      {"3 another job's UID",
       make_table({}, {{{"TerminateJob", {"PodEvicted"}}}}),
       {.event = "PodEvicted", .job_uid = "other"},
       "SyncJob 0s OtherJobUid"},
      {"4 newer version, no policies", make_table({}), {.event = "PodEvicted", .version = 1}, "SyncJob 0s NoMatch"},
      {"5 exit code 0 beside an event that differs",
       make_table({}, {{{"AbortJob", {"PodEvicted"}, 0}}}),
       {.job_uid = ""},
       "AbortJob 0s TaskPolicy spec.tasks[0].policies[0]"},
      {"6 CommandIssued named by a task",
       make_table({}, {{{"AbortJob", {"CommandIssued"}}}}),
       {.event = "CommandIssued"},
       "SyncJob 0s InternalEvent"},
      {"6 CommandIssued named by the job",
       make_table({{"AbortJob", {"CommandIssued"}}}),
       {.event = "CommandIssued"},
       "SyncJob 0s InternalEvent"},
      {"7 no policies at all", make_table({}), {.event = "PodFailed", .exit_code = 1}, "SyncJob 0s NoMatch"},
      {"8 PodPending with timeout",
       make_table({{"RestartPod", {"PodPending"}, {}, 10}}),
       {.event = "PodPending"},
       "RestartPod 10s JobPolicy spec.policies[0]"},
      {"9 PodPending without",
       make_table({{"RestartPod", {"PodPending"}}}),
       {.event = "PodPending"},
       "SyncJob 0s NoMatch"},
      {"10 exit code 0, empty request",
       make_table({{"AbortJob", {}, 0}}),
       {.task = "", .job_uid = ""},
       "AbortJob 0s JobPolicy spec.policies[0]"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(decide_text(c.table, c.request, c.job_version) == c.want);
  }
}

TEST_CASE("facts that follow from the order of the steps", "[decide]") {
  struct Case {
    const char* name;
    PolicyTable table;
    RequestArgs request;
    std::string want;
    std::string reasons;
    std::int32_t job_version = 0;
  };
  const Case cases[] = {
      {"a task's match hides the job's list",
       make_table({{"AbortJob", {"PodFailed"}}}, {{{"RestartTask", {"*"}, {}, 5}}}),
       {.event = "PodFailed"},
       "RestartTask 5s TaskPolicy spec.tasks[0].policies[0]",
       "MatchedAnyEvent HiddenByTask"},
      {"a task's list without a match does not",
       make_table({{"AbortJob", {"PodFailed"}}}, {{{"RestartTask", {"PodEvicted"}}}}),
       {.event = "PodFailed"},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "EventDiffers MatchedEvent"},
      {"the first of a list wins, not the most specific",
       make_table({{"RestartJob", {"*"}}, {"AbortJob", {"PodFailed"}}, {"CompleteJob", {}, 3}}),
       {.event = "PodFailed", .exit_code = 3},
       "RestartJob 0s JobPolicy spec.policies[0]",
       "MatchedAnyEvent BehindEarlierMatch BehindEarlierMatch"},
      {"an exit code in front wins",
       make_table({{"CompleteJob", {}, 3}, {"RestartJob", {"*"}}}),
       {.event = "PodFailed", .exit_code = 3},
       "CompleteJob 0s JobPolicy spec.policies[0]",
       "MatchedExitCode BehindEarlierMatch"},
      {"in one policy either suffices: event",
       make_table({{"AbortJob", {"PodFailed"}, 3}}),
       {.event = "PodFailed", .exit_code = 4},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"in one policy either suffices: code",
       make_table({{"AbortJob", {"PodEvicted"}, 3}}),
       {.event = "PodFailed", .exit_code = 3},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedExitCode"},
      {"neither",
       make_table({{"AbortJob", {"PodEvicted"}, 3}}),
       {.event = "PodFailed", .exit_code = 4},
       "SyncJob 0s NoMatch",
       "NeitherMatches"},
      {"an exit code does not look at the event",
       make_table({{"AbortJob", {}, 7}}),
       {.event = "TaskCompleted", .exit_code = 7},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedExitCode"},
      {"another exit code",
       make_table({{"AbortJob", {}, 7}}),
       {.event = "PodFailed", .exit_code = 8},
       "SyncJob 0s NoMatch",
       "ExitCodeDiffers"},
      {"exit code 0 matches code 0",
       make_table({{"AbortJob", {}, 0}}),
       {.event = "PodEvicted"},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedExitCode"},
      {"exit code 0 matches PodPending without timeout",
       make_table({{"AbortJob", {"PodPending"}, 0}}),
       {.event = "PodPending"},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedExitCode"},
      {"exit code 0 matches the empty event",
       make_table({{"AbortJob", {"PodFailed"}, 0}}),
       {},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedExitCode"},
      {"exit code 0 does not match an internal event",
       make_table({{"AbortJob", {}, 0}}),
       {.event = "PodRunning"},
       "SyncJob 0s InternalEvent",
       "NotConsulted"},
      {"negative exit codes compare too",
       make_table({{"AbortJob", {}, -1}}),
       {.event = "PodFailed", .exit_code = -1},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedExitCode"},
      {"the empty event matches no event",
       make_table({{"AbortJob", {"*"}}, {"AbortJob", {"PodFailed"}, 9}, {"AbortJob", {}, 9}}),
       {},
       "SyncJob 0s NoMatch",
       "NoEventInRequest NoEventInRequest ExitCodeDiffers"},
      {"timeout 0s is a timeout, and at once",
       make_table({{"RestartPod", {"PodPending"}, {}, 0}}),
       {.event = "PodPending"},
       "RestartPod 0s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"a negative timeout is kept",
       make_table({{"RestartPod", {"PodFailed"}, {}, -5}}),
       {.event = "PodFailed"},
       "RestartPod -5s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"the wildcard needs a timeout for PodPending",
       make_table({{"AbortJob", {"*"}}, {"RestartPod", {"*"}, {}, 600}}),
       {.event = "PodPending"},
       "RestartPod 10m0s JobPolicy spec.policies[1]",
       "NeedsTimeout MatchedAnyEvent"},
      {"a PodPending policy without timeout does not stop the search",
       make_table({{"AbortJob", {"PodPending"}}, {"RestartPod", {"PodPending"}, {}, 1}}),
       {.event = "PodPending"},
       "RestartPod 1s JobPolicy spec.policies[1]",
       "NeedsTimeout MatchedEvent"},
      {"an empty action is an answer",
       make_table({{"", {"PodFailed"}}}),
       {.event = "PodFailed"},
       " 0s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"an unknown action is an answer",
       make_table({{"Explode", {"PodFailed"}}}),
       {.event = "PodFailed"},
       "Explode 0s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"an action in the request wins over everything",
       make_table({{"AbortJob", {"*"}}}, {{{"AbortJob", {"*"}}}}),
       {.event = "PodRunning", .action = "RestartJob", .job_uid = "other", .version = -1},
       "RestartJob 0s Command",
       "NotConsulted NotConsulted"},
      {"an unknown action in the request", make_table({}), {.action = "Explode"}, "Explode 0s Command", ""},
      {"a request without UID belongs to any job",
       make_table({{"AbortJob", {"Unknown"}}}),
       {.event = "Unknown", .task = "", .job_uid = ""},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"an older version",
       make_table({{"AbortJob", {"*"}}}),
       {.event = "PodFailed", .version = 1},
       "SyncJob 0s StaleVersion",
       "NotConsulted",
       2},
      {"the same version",
       make_table({{"AbortJob", {"*"}}}),
       {.event = "PodFailed", .version = 2},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedAnyEvent",
       2},
      {"a newer version",
       make_table({{"AbortJob", {"*"}}}),
       {.event = "PodFailed", .version = 3},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedAnyEvent",
       2},
      {"no such task: the job's list",
       make_table({{"AbortJob", {"*"}}}, {{{"RestartTask", {"*"}}}}),
       {.event = "PodFailed", .task = "gone"},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedAnyEvent"},
      {"the second task's list",
       make_table({}, {{{"RestartTask", {"*"}}}, {{"RestartPod", {"*"}}}}),
       {.event = "PodFailed", .task = "t1"},
       "RestartPod 0s TaskPolicy spec.tasks[1].policies[0]",
       "MatchedAnyEvent"},
      {"`events` counts as `event` does",
       make_table({{"AbortJob", {"TaskFailed", "PodEvicted", "PodFailed"}}}),
       {.event = "PodFailed"},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"an exact name is told from a wildcard",
       make_table({{"AbortJob", {"*", "PodFailed"}}}),
       {.event = "PodFailed"},
       "AbortJob 0s JobPolicy spec.policies[0]",
       "MatchedEvent"},
      {"the wildcard as a request's event",
       make_table({{"AbortJob", {"PodFailed"}}, {"RestartJob", {"*"}}}),
       {.event = "*"},
       "RestartJob 0s JobPolicy spec.policies[1]",
       "EventDiffers MatchedEvent"},
      {"an event outside the vocabulary, named",
       make_table({{"AbortJob", {"Melted"}}, {"RestartJob", {"Exploded"}}}),
       {.event = "Exploded"},
       "RestartJob 0s JobPolicy spec.policies[1]",
       "EventDiffers MatchedEvent"},
      {"an event outside the vocabulary, wildcard",
       make_table({{"AbortJob", {"Melted"}}, {"RestartJob", {"*"}}, {"AbortJob", {"Exploded"}}}),
       {.event = "Exploded"},
       "RestartJob 0s JobPolicy spec.policies[1]",
       "EventDiffers MatchedAnyEvent BehindEarlierMatch"},
      {"a policy without any condition",
       make_table({{"AbortJob", {}}}),
       {.event = "PodFailed"},
       "SyncJob 0s NoMatch",
       "HasNoCondition"},
      {"an empty string among the events is no event",
       make_table({{"AbortJob", {"PodFailed", ""}}}),
       {},
       "SyncJob 0s NoMatch",
       "NoEventInRequest"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(decide_text(c.table, c.request, c.job_version) == c.want);
    CHECK(consider_text(c.table, c.request, c.job_version) == c.reasons);
  }
}

TEST_CASE("of tasks with one name the first counts", "[decide]") {
  JobSpec spec;
  for (const char* action : {"RestartTask", "AbortJob"}) {
    TaskSpec task;
    task.name = "same";
    task.policies.push_back(make_policy({action, {"PodFailed"}}));
    spec.tasks.push_back(task);
  }
  const PolicyTable table(std::make_shared<const JobSpec>(spec));
  CHECK(table.task_index("same") == 0);
  CHECK(decide_text(table, {.event = "PodFailed", .task = "same"}) ==
        "RestartTask 0s TaskPolicy spec.tasks[0].policies[0]");
}

TEST_CASE("an unnamed task is not found by an empty task name", "[decide]") {
  JobSpec spec;
  spec.tasks.emplace_back().policies.push_back(make_policy({"RestartTask", {"PodFailed"}}));
  const PolicyTable table(std::make_shared<const JobSpec>(spec));
  CHECK(table.task_index("") == 0);
  CHECK(decide_text(table, {.event = "PodFailed", .task = ""}) == "SyncJob 0s NoMatch");
  CHECK(consider_text(table, {.event = "PodFailed", .task = ""}).empty());
}

TEST_CASE("many tasks and many exit codes are found too", "[decide]") {
  JobSpec spec;
  for (std::int32_t i = 0; i < 100; ++i) {
    TaskSpec task;
    task.name = "task-" + std::to_string((i * 37) % 100);
    task.policies.push_back(make_policy({"RestartTask", {}, i}));
    spec.tasks.push_back(task);
    spec.policies.push_back(make_policy({"AbortJob", {}, (i * 37) % 50 + 1000}));
  }
  const PolicyTable table(std::make_shared<const JobSpec>(spec));
  for (std::int32_t i = 0; i < 100; ++i) {
    CAPTURE(i);
    CHECK(table.task_index(spec.tasks[static_cast<std::size_t>(i)].name) == i);
    const Request request = make_request({.task = "", .exit_code = (i * 37) % 50 + 1000});
    CHECK(decide(table, kUid, 0, request).rule == RuleRef{-1, i % 50});
  }
  CHECK(table.task_index("task-100") == -1);
  CHECK_FALSE(decide(table, kUid, 0, make_request({.task = "", .exit_code = 1050})).rule.exists());
}

TEST_CASE("an empty table answers SyncJob", "[decide]") {
  CHECK(decide_text(PolicyTable(), {.event = "PodFailed"}) == "SyncJob 0s NoMatch");
  CHECK(consider_text(PolicyTable(), {.event = "PodFailed"}).empty());
}

TEST_CASE("a table outlives its copies and the caller's spec", "[decide]") {
  auto spec = std::make_shared<JobSpec>();
  spec->tasks.emplace_back().name = "a task name too long for any small string buffer";
  PolicyTable table{std::shared_ptr<const JobSpec>(spec)};
  const std::string name = spec->tasks[0].name;
  spec.reset();
  const PolicyTable copy = table;
  table = PolicyTable();
  CHECK(copy.task_index(name) == 0);
}

TEST_CASE("rules are named by their path", "[decide]") {
  CHECK(RuleRef{}.path().empty());
  CHECK(RuleRef{-1, 0}.path() == "spec.policies[0]");
  CHECK(RuleRef{2, 11}.path() == "spec.tasks[2].policies[11]");
}

// -- decide() against consider(), on random input.

struct World {
  JobSpec spec;
  Request request;
  std::int32_t job_version = 0;
};

World random_world(test::Prng& prng) {
  static const std::vector<std::string> events{
      "",           "*",         "PodFailed",     "PodEvicted", "PodPending", "PodRunning", "Unknown", "TaskCompleted",
      "TaskFailed", "OutOfSync", "CommandIssued", "JobUpdated", "Exploded",   "Melted"};
  static const std::vector<std::string> actions{"AbortJob",         "RestartJob", "RestartTask", "RestartPod",
                                                "RestartPartition", "SyncJob",    "EnqueueJob",  "",
                                                "Explode"};
  static const std::vector<std::string> tasks{"", "a", "b", "c"};
  static const std::vector<std::int32_t> codes{0, 0, 1, 2, 137, -1};

  const auto policies = [&prng] {
    std::vector<LifecyclePolicy> out(static_cast<std::size_t>(prng.below(5)));
    for (LifecyclePolicy& policy : out) {
      policy.action = ActionName(prng.pick(actions));
      if (!prng.one_in(3)) policy.event = EventName(prng.pick(events));
      for (std::uint64_t n = prng.one_in(2) ? prng.below(4) : 0; n > 0; --n)
        policy.events.emplace_back(prng.pick(events));
      if (prng.one_in(3)) policy.exit_code = prng.pick(codes);
      if (prng.one_in(2)) policy.timeout = seconds(static_cast<std::int64_t>(prng.below(4)) - 1);
    }
    return out;
  };
  World world;
  world.spec.policies = policies();
  // Now and then enough tasks and codes for the binary searches.
  const bool is_large = prng.one_in(16);
  for (std::uint64_t n = is_large ? 9 + prng.below(4) : prng.below(4); n > 0; --n) {
    TaskSpec task;
    task.name = prng.pick(tasks);
    if (is_large && prng.one_in(2)) task.name += std::to_string(prng.below(10));
    task.policies = policies();
    world.spec.tasks.push_back(std::move(task));
  }
  for (std::int32_t n = is_large ? 12 : 0; n > 0; --n)
    world.spec.policies.push_back(make_policy({"AbortJob", {}, n * 7 % 13}));
  world.request.event = EventName(prng.pick(events));
  world.request.exit_code = prng.pick(codes);
  world.request.task_name = prng.pick(tasks);
  if (is_large && prng.one_in(2)) world.request.task_name += std::to_string(prng.below(10));
  if (prng.one_in(12)) world.request.action = ActionName(prng.pick(actions));
  if (!prng.one_in(4)) world.request.job_uid = prng.one_in(8) ? "uid-0" : "uid-1";
  world.job_version = static_cast<std::int32_t>(prng.below(3));
  world.request.job_version = static_cast<std::int32_t>(prng.below(4));
  return world;
}

/// What the list of candidates says the decision must be. Empty if both agree, else what differs.
std::string disagreement(const World& world) {
  const PolicyTable table(std::make_shared<const JobSpec>(world.spec));
  const Decision got = decide(table, kUid, world.job_version, world.request);
  const std::vector<Considered> candidates = consider(table, kUid, world.job_version, world.request);

  const Considered* match = nullptr;
  for (const Considered& candidate : candidates) {
    if (!is_match(candidate.reason)) continue;
    if (match != nullptr) return "two candidates match";
    match = &candidate;
  }
  const bool is_unread = got.source == DecisionSource::Command || got.source == DecisionSource::InternalEvent ||
                         got.source == DecisionSource::OtherJobUid || got.source == DecisionSource::StaleVersion;
  for (const Considered& candidate : candidates) {
    if ((candidate.reason == RuleReason::NotConsulted) != is_unread)
      return "policies are read in one and not in the other";
  }
  if (match == nullptr) {
    if (got.rule.exists()) return "only decide() found " + got.rule.path();
    if (got.delay != Duration{}) return "a delay without a rule";
    if (got.source != DecisionSource::Command && got.action != Action::SyncJob) return "an action without a rule";
    return {};
  }
  if (got.rule != match->rule)
    return "decide() found `" + got.rule.path() + "`, consider() `" + match->rule.path() + "`";
  const auto& policies = match->rule.task < 0 ? world.spec.policies
                                              : world.spec.tasks[static_cast<std::size_t>(match->rule.task)].policies;
  const LifecyclePolicy& policy = policies[static_cast<std::size_t>(match->rule.index)];
  if (action_of(got) != policy.action.text()) return "the action is not the rule's";
  if (got.delay != policy.timeout.value_or(Duration{})) return "the delay is not the rule's";
  const DecisionSource source = match->rule.task < 0 ? DecisionSource::JobPolicy : DecisionSource::TaskPolicy;
  return got.source == source ? std::string() : "the source is not the rule's list";
}

std::string to_text(const World& world) {
  Json request;
  request["event"] = world.request.event.text();
  request["action"] = world.request.action.text();
  request["exitCode"] = world.request.exit_code;
  request["taskName"] = world.request.task_name;
  request["jobUid"] = world.request.job_uid;
  request["jobVersion"] = world.request.job_version;
  return "version " + std::to_string(world.job_version) + "\nspec " + to_json(world.spec).dump() + "\nrequest " +
         request.dump();
}

/// Removes whatever can be removed while the two still disagree.
World shrink(World world) {
  const auto try_change = [&world](const std::function<void(World&)>& change) {
    World smaller = world;
    change(smaller);
    if (disagreement(smaller).empty()) return false;
    world = std::move(smaller);
    return true;
  };
  const auto shrink_list = [&](const std::function<std::vector<LifecyclePolicy>&(World&)>& list) {
    bool changed = false;
    for (std::size_t i = list(world).size(); i-- > 0;) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      if (try_change([&](World& w) { list(w).erase(list(w).begin() + at); })) {
        changed = true;
        continue;
      }
      const LifecyclePolicy before = list(world)[i];
      if (before.timeout) try_change([&](World& w) { list(w)[i].timeout.reset(); });
      if (before.exit_code) try_change([&](World& w) { list(w)[i].exit_code.reset(); });
      if (!before.events.empty()) try_change([&](World& w) { list(w)[i].events.pop_back(); });
      if (before.event.code != Event::None) try_change([&](World& w) { list(w)[i].event = {}; });
      changed = changed || !(list(world)[i] == before);
    }
    return changed;
  };
  bool changed = true;
  while (changed) {
    changed = shrink_list([](World& w) -> std::vector<LifecyclePolicy>& { return w.spec.policies; });
    for (std::size_t t = world.spec.tasks.size(); t-- > 0;) {
      const auto at = static_cast<std::ptrdiff_t>(t);
      const bool removed = try_change([&](World& w) { w.spec.tasks.erase(w.spec.tasks.begin() + at); });
      const bool smaller =
          !removed && shrink_list([t](World& w) -> std::vector<LifecyclePolicy>& { return w.spec.tasks[t].policies; });
      changed = changed || removed || smaller;
    }
  }
  return world;
}

TEST_CASE("the compiled tables agree with the plain reading", "[decide][property]") {
  const std::uint64_t seed = test::seed_from_environment();
  INFO("seed " << seed << " (set PUMICE_SEED for another)");
  test::Prng prng(seed);
  std::int64_t matches = 0;
  for (std::int32_t i = 0; i < 250'000; ++i) {
    const World world = random_world(prng);
    if (const std::string found = disagreement(world); !found.empty()) {
      const World small = shrink(world);
      FAIL("input " << i << " of seed " << seed << ": " << disagreement(small) << "\n" << to_text(small));
    }
    const PolicyTable table(std::make_shared<const JobSpec>(world.spec));
    if (decide(table, kUid, world.job_version, world.request).rule.exists()) ++matches;
  }
  CHECK(matches > 25'000);  // the inputs are not all of the dull kind
}

TEST_CASE("deciding allocates nothing", "[decide]") {
  const PolicyTable table =
      make_table({{"AbortJob", {"Unknown"}}, {"RestartJob", {"*"}, {}, 600}},
                 {{{"RestartTask", {"PodEvicted"}, 137}}, {{"An action of more letters than fit", {"TaskFailed"}}}});
  std::vector<Request> requests;
  for (const char* event :
       {"", "PodFailed", "PodEvicted", "PodPending", "PodRunning", "TaskFailed", "An event of more letters than fit"}) {
    for (const char* task : {"", "t0", "t1", "a task that is not there, with a long name"}) {
      requests.push_back(make_request({.event = event, .task = task, .exit_code = 137}));
    }
  }
  requests.push_back(make_request({.action = "A command of more letters than fit"}));

  std::int64_t found = 0;
  const std::int64_t before = test::allocation_count();
  for (const Request& request : requests) found += decide(table, kUid, 0, request).rule.exists() ? 1 : 0;
  const std::int64_t after = test::allocation_count();
  CHECK(after == before);
  CHECK(found > 0);
}

}  // namespace
}  // namespace pumice::volcano
