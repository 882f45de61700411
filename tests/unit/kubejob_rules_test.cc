// Pod classification, policies, back-off, ranking, pods from templates (spec/k8s-job.md 4, 7.1, 7.4, 7.6, 8, 9, 11).
#include <catch2/catch_test_macros.hpp>

#include "pumice/kubejob/backoff.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/pod_template.h"
#include "pumice/kubejob/ranking.h"
#include "pumice/kubejob/success_policy.h"
#include "support/kubejob_bench.h"
#include "support/prng.h"

namespace pumice::kubejob {
namespace {

using test::JobBench;
using test::kubejob_from;

Time at(std::int64_t second) { return JobBench::at(second); }

Pod failed_pod() {
  Pod pod;
  pod.meta.ns = "default";
  pod.meta.name = "p";
  pod.meta.creation = at(0);
  pod.phase = PodPhase::Failed;
  return pod;
}

TEST_CASE("spec 4: what a pod is", "[kubejob]") {
  struct Case {
    PodPhase phase;
    bool deleting;
    bool active, terminating, failed_at_once, failed_only_if_failed;
  };
  const Case cases[] = {
      {PodPhase::Pending, false, true, false, false, false},   {PodPhase::Running, false, true, false, false, false},
      {PodPhase::Unknown, false, true, false, false, false},   {PodPhase::Succeeded, false, false, false, false, false},
      {PodPhase::Failed, false, false, false, true, true},     {PodPhase::Pending, true, false, true, true, false},
      {PodPhase::Running, true, false, true, true, false},     {PodPhase::Unknown, true, false, true, true, false},
      {PodPhase::Succeeded, true, false, false, false, false}, {PodPhase::Failed, true, false, false, true, true},
  };
  const Job at_once = kubejob_from("");
  const Job only_failed = kubejob_from("podReplacementPolicy: Failed");
  const Job with_policy = kubejob_from("podFailurePolicy: {rules: []}, podReplacementPolicy: TerminatingOrFailed");
  for (const Case& c : cases) {
    CAPTURE(to_string(c.phase), c.deleting);
    Pod pod;
    pod.phase = c.phase;
    if (c.deleting) pod.meta.deletion = at(0);
    CHECK(is_active(pod) == c.active);
    CHECK(is_terminating(pod) == c.terminating);
    CHECK(is_considered_failed(pod, *at_once.spec, job_profile()) == c.failed_at_once);
    CHECK(is_considered_failed(pod, *only_failed.spec, job_profile()) == c.failed_only_if_failed);
    CHECK(is_considered_failed(pod, *with_policy.spec, job_profile()) == c.failed_only_if_failed);
    // The older description: the deletion timestamp decides, unless there is a podFailurePolicy.
    CHECK(is_considered_failed(pod, *only_failed.spec, job_1_27_profile()) == c.failed_at_once);
    CHECK(is_considered_failed(pod, *with_policy.spec, job_1_27_profile()) == c.failed_only_if_failed);
  }
}

TEST_CASE("spec 4: completion indexes", "[kubejob]") {
  const auto index_of = [](const char* text) {
    Pod pod;
    if (text != nullptr) pod.meta.annotations[std::string(kCompletionIndex)] = text;
    return completion_index(pod);
  };
  CHECK(index_of("7") == 7);
  CHECK(index_of("+7") == 7);
  CHECK(index_of("0") == 0);
  for (const char* text : {static_cast<const char*>(nullptr), "", "x", "7x", "-1", " 7", "1.0", "+-1"}) {
    CAPTURE(text);
    CHECK(index_of(text) == kUnknownIndex);
  }
  const Job job = kubejob_from("completionMode: Indexed, completions: 3");
  CHECK(is_valid_index(2, *job.spec));
  CHECK_FALSE(is_valid_index(3, *job.spec));
  CHECK_FALSE(is_valid_index(index_of("99999999999"), *job.spec));
  CHECK_FALSE(is_valid_index(kUnknownIndex, *job.spec));
}

TEST_CASE("spec 7.6: failure counts in annotations", "[kubejob]") {
  struct Case {
    const char* text;
    std::int32_t want;
  };
  const Case cases[] = {{"3", 3}, {"x", 0}, {"-1", 0}, {"2147483647", 2147483647}, {"2147483648", 0}, {"", 0}};
  for (const Case& c : cases) {
    CAPTURE(c.text);
    Pod pod;
    pod.meta.annotations[std::string(kFailureCount)] = c.text;
    CHECK(failure_count(pod) == c.want);
    CHECK(ignored_failure_count(pod) == 0);
  }
  const Job plain = kubejob_from("backoffLimitPerIndex: 3, completionMode: Indexed, completions: 3");
  Pod pod = failed_pod();
  pod.meta.annotations[std::string(kFailureCount)] = "2";
  pod.meta.annotations[std::string(kIgnoredFailureCount)] = "5";
  CHECK(total_failure_count(pod) == 7);
  CHECK(next_failure_counts(*plain.spec, nullptr).counted == 0);
  CHECK(next_failure_counts(*plain.spec, &pod).counted == 3);
  CHECK(next_failure_counts(*plain.spec, &pod).ignored == 5);
  const Job ignores = kubejob_from(
      "backoffLimitPerIndex: 3, completionMode: Indexed, completions: 3, podFailurePolicy: {rules: "
      "[{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}");
  pod.conditions.push_back({"DisruptionTarget", "True", {}});
  CHECK(next_failure_counts(*ignores.spec, &pod).counted == 2);
  CHECK(next_failure_counts(*ignores.spec, &pod).ignored == 6);
}

TEST_CASE("spec 8: podFailurePolicy", "[kubejob]") {
  struct Case {
    const char* name;
    const char* rules;
    FailureAction action;
    FailureReason reason;
    std::int32_t rule;
  };
  constexpr auto kExit = FailureReason::ExitCode;
  constexpr auto kCondition = FailureReason::PodCondition;
  constexpr auto kNone = FailureReason::NoRuleMatches;
  // The pod: main exited 5, helper 0, side runs; init container prepare exited 9; condition DisruptionTarget.
  const Case cases[] = {
      {"In", "{action: FailJob, onExitCodes: {operator: In, values: [4, 5]}}", FailureAction::FailJob, kExit, 0},
      {"In, not listed", "{action: FailJob, onExitCodes: {operator: In, values: [4]}}", FailureAction::Count, kNone,
       -1},
      {"NotIn", "{action: FailJob, onExitCodes: {operator: NotIn, values: [4]}}", FailureAction::FailJob, kExit, 0},
      {"NotIn reaches init containers", "{action: Ignore, onExitCodes: {operator: NotIn, values: [5]}}",
       FailureAction::Ignore, kExit, 0},
      {"0 never reaches the operator", "{action: FailJob, onExitCodes: {operator: In, values: [0]}}",
       FailureAction::Count, kNone, -1},
      {"another operator never holds", "{action: FailJob, onExitCodes: {operator: Near, values: [5]}}",
       FailureAction::Count, kNone, -1},
      {"the named container", "{action: FailJob, onExitCodes: {containerName: main, operator: In, values: [5]}}",
       FailureAction::FailJob, kExit, 0},
      {"the code of another container",
       "{action: FailJob, onExitCodes: {containerName: helper, operator: In, values: [5]}}", FailureAction::Count,
       kNone, -1},
      {"init container", "{action: FailIndex, onExitCodes: {operator: In, values: [9]}}", FailureAction::FailIndex,
       kExit, 0},
      {"condition", "{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}",
       FailureAction::Ignore, kCondition, 0},
      {"condition of another status", "{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'False'}]}",
       FailureAction::Count, kNone, -1},
      {"first match wins",
       "{action: Ignore, onExitCodes: {operator: In, values: [5]}}, {action: Count, onExitCodes: {operator: In, "
       "values: [5]}}",
       FailureAction::Ignore, kExit, 0},
      {"an unknown action is passed over",
       "{action: Restart, onExitCodes: {operator: In, values: [5]}}, {action: FailJob, onExitCodes: {operator: In, "
       "values: [5]}}",
       FailureAction::FailJob, kExit, 1},
      {"with both kinds only exit codes are looked at",
       "{action: FailJob, onExitCodes: {operator: In, values: [4]}, onPodConditions: [{type: DisruptionTarget}]}",
       FailureAction::Count, kNone, -1},
      {"no rules", "", FailureAction::Count, kNone, -1},
  };
  Pod pod = failed_pod();
  pod.containers = {{"side", 0, false, 5, {}}, {"helper", 0, true, 0, at(1)}, {"main", 0, true, 5, at(1)}};
  pod.init_containers = {{"prepare", 0, true, 9, at(1)}};
  pod.conditions = {{"Ready", "False", at(1)}, {"DisruptionTarget", "True", at(1)}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Job job = kubejob_from(std::string("podFailurePolicy: {rules: [") + c.rules + "]}");
    const FailureMatch match = match_failure(*job.spec, pod);
    CHECK(match.action == c.action);
    CHECK(match.reason == c.reason);
    CHECK(match.rule == c.rule);
    CHECK(match.counts() == (c.action != FailureAction::Ignore));
  }
  CHECK(match_failure(*kubejob_from("").spec, pod).reason == FailureReason::NoPolicy);
}

TEST_CASE("spec 8: messages of FailJob", "[kubejob]") {
  Pod pod = failed_pod();
  FailureMatch match{FailureReason::ExitCode, FailureAction::FailJob, 1, "main", 5};
  CHECK(fail_job_message(match, pod) ==
        "Container main for pod default/p failed with exit code 5 matching FailJob rule at index 1");
  match = {FailureReason::PodCondition, FailureAction::FailJob, 0, "DisruptionTarget", 0};
  CHECK(fail_job_message(match, pod) ==
        "Pod default/p has condition DisruptionTarget matching FailJob rule at index 0");
}

TEST_CASE("spec 9: successPolicy", "[kubejob]") {
  struct Case {
    const char* name;
    const char* rules;
    const char* succeeded;
    std::int32_t want;
  };
  const Case cases[] = {
      {"all of the listed", "{succeededIndexes: 0-2}", "0-2", 0},
      {"one is missing", "{succeededIndexes: 0-2}", "0,1", -1},
      {"enough of the listed", "{succeededIndexes: 0-2, succeededCount: 1}", "2", 0},
      {"all of the listed, fewer than the count", "{succeededIndexes: '0', succeededCount: 1}", "0", 0},
      {"enough, but others", "{succeededIndexes: 0-2, succeededCount: 1}", "3", -1},
      {"a count alone", "{succeededCount: 2}", "3,4", 0},
      {"a count not reached", "{succeededCount: 3}", "3,4", -1},
      {"the second rule", "{succeededIndexes: '9'}, {succeededCount: 1}", "3", 1},
      {"a list beyond completions is never met", "{succeededIndexes: '20-30'}", "0-9", -1},
      {"a list partly beyond completions", "{succeededIndexes: '8-30'}", "8,9", 0},
      {"an empty list is passed over", "{succeededIndexes: '', succeededCount: 1}", "0-9", -1},
      {"nothing succeeded", "{succeededCount: 0}", "", -1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Job job = kubejob_from(std::string("completionMode: Indexed, completions: 10, successPolicy: {rules: [") +
                                 c.rules + "]}");
    const auto rule = match_success_policy(*job.spec->success_policy, 10, Intervals::parse(c.succeeded, 10));
    CHECK(rule.value_or(-1) == c.want);
  }
}

TEST_CASE("spec 11: the record of failures", "[kubejob]") {
  const std::vector<Time> none;
  const BackoffRecord old{2, at(10)};
  CHECK(next_record(old, none, none) == old);
  CHECK(next_record(old, none, std::vector{at(20), at(30), at(25)}) == BackoffRecord{5, at(30)});
  CHECK(next_record(old, std::vector{at(20)}, none) == BackoffRecord{});
  CHECK(next_record(old, std::vector{at(20), at(15)}, std::vector{at(19), at(20), at(21), at(30)}) ==
        BackoffRecord{2, at(30)});
  CHECK(next_record(old, std::vector{at(20)}, std::vector{at(20)}) == BackoffRecord{});  // equal times: no back-off
}

TEST_CASE("spec 16.11: what is left of the back-off", "[kubejob]") {
  const auto left = [](std::int64_t failures, std::int64_t ago, Duration cap = kPodBackoffMax) {
    return remaining_backoff(failures, at(0), at(ago), cap).ns / kSecond.ns;
  };
  CHECK(left(0, 0) == 0);
  CHECK(left(1, 0) == 10);
  CHECK(left(3, 0) == 40);
  CHECK(left(6, 0) == 320);
  CHECK(left(7, 0) == 600);
  CHECK(left(1'000'000'000'000, 0) == 600);
  CHECK(left(7, 0, kOldPodBackoffMax) == 360);
  CHECK(left(1, 5) == 5);
  CHECK(left(1, 10) == 0);
  CHECK(left(1, 11) == 0);
  CHECK(left(2, -5) == 25);  // a clock that runs ahead
  CHECK(remaining_backoff(3, std::nullopt, at(0), kPodBackoffMax).ns == 0);
}

TEST_CASE("spec 11: when a pod ended", "[kubejob]") {
  Pod pod = failed_pod();
  CHECK(finish_time(pod) == at(0));  // 4: creation
  pod.meta.deletion = at(100);
  pod.deletion_grace_seconds = 30;
  CHECK(finish_time(pod) == at(70));  // 3: when the deletion was asked for
  pod.conditions = {{"Ready", "True", at(50)}};
  CHECK(finish_time(pod) == at(70));
  pod.conditions = {{"Ready", "False", at(50)}};
  CHECK(finish_time(pod) == at(50));  // 2
  pod.containers = {{"a", 0, true, 1, at(20)}, {"b", 0, true, 0, at(30)}};
  CHECK(finish_time(pod) == at(30));  // 1: the latest
  pod.init_containers = {{"prepare", 0, true, 0, at(90)}, {"side", 0, true, 0, at(40)}};
  pod.restartable_init = {"side"};
  CHECK(finish_time(pod) == at(40));  // sidecars count, other init containers do not
  CHECK(finish_time(pod, job_1_27_profile()) == at(30));
  pod.containers[1].terminated = false;
  CHECK(finish_time(pod) == at(40));  // a finished sidecar alone
  CHECK(finish_time(pod, job_1_27_profile()) == at(50));
  pod.init_containers[1].finished.reset();
  CHECK(finish_time(pod) == at(50));
  pod.containers[1].terminated = true;
  CHECK(finish_time(pod) == at(50));  // a running sidecar takes the others' time away
}

TEST_CASE("spec 6.3: container restarts that count", "[kubejob]") {
  Pod pod;
  pod.containers = {{"a", 2, false, 0, {}}, {"b", 1, false, 0, {}}};
  pod.init_containers = {{"i", 4, false, 0, {}}};
  for (const PodPhase phase : kPodPhases) {
    CAPTURE(to_string(phase));
    pod.phase = phase;
    CHECK(counted_restarts(pod) == (phase == PodPhase::Running || phase == PodPhase::Pending ? 7 : 0));
  }
  pod.phase = PodPhase::Running;
  pod.meta.deletion = at(0);
  CHECK(counted_restarts(pod) == 7);
}

TEST_CASE("spec 7.1: the ranking", "[kubejob]") {
  // Each pod goes before the one behind it, for the reason given.
  std::vector<std::pair<const char*, Pod>> order;
  const auto add = [&order](const char* why, auto change) {
    Pod pod;
    pod.meta.name = pod.meta.uid = "m";
    pod.node = "n";
    pod.phase = PodPhase::Running;
    pod.meta.creation = at(0);
    pod.containers = {{"main", 0, false, 0, {}}};
    pod.init_containers = {{"side", 0, false, 0, {}}};
    pod.restartable_init = {"side"};
    change(pod);
    order.emplace_back(why, pod);
  };
  const auto ready = [](Pod& pod, std::optional<Time> since) { pod.conditions = {{"Ready", "True", since}}; };
  add("no node, though ready", [&](Pod& p) {
    p.node.clear();
    ready(p, at(0));
  });
  add("pending", [](Pod& p) { p.phase = PodPhase::Pending; });
  add("unknown", [](Pod& p) { p.phase = PodPhase::Unknown; });
  add("not ready, more restarts", [](Pod& p) { p.containers[0].restart_count = 5; });
  add("more restarts of the sidecar", [](Pod& p) { p.init_containers[0].restart_count = 3; });
  add("no creation time", [](Pod& p) { p.meta.creation = Time{}; });
  add("newer", [](Pod& p) { p.meta.creation = at(50); });
  add("older, by name", [](Pod& p) { p.meta.name = "a"; });
  add("by name", [](Pod& p) {
    p.meta.name = "b";
    p.meta.uid = "a";
  });
  add("by uid", [](Pod& p) {
    p.meta.name = "b";
    p.meta.uid = "b";
  });
  add("ready without a time", [&](Pod& p) { ready(p, std::nullopt); });
  add("ready for a short time", [&](Pod& p) {
    ready(p, at(90));
    p.meta.name = "z";
  });
  add("ready for long", [&](Pod& p) { ready(p, at(10)); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      CAPTURE(order[i].first, order[j].first);
      CHECK(goes_first(order[i].second, order[j].second) == (i < j));
    }
  }
}

std::string names(const std::vector<PodPtr>& pods) {
  std::string text;
  for (const PodPtr& pod : pods) text += (text.empty() ? "" : " ") + pod->meta.name;
  return text;
}

TEST_CASE("spec 7.1: choosing pods to remove", "[kubejob]") {
  const auto pod = [](const char* name, int index, PodPhase phase = PodPhase::Running) {
    Pod made;
    made.meta.name = name;
    made.node = "n";
    made.phase = phase;
    made.meta.creation = at(0);
    if (index >= 0) made.meta.annotations[std::string(kCompletionIndex)] = std::to_string(index);
    return std::make_shared<const Pod>(made);
  };
  const Job plain = kubejob_from("completions: 5");
  CHECK(names(choose_removals({pod("a", -1), pod("b", -1, PodPhase::Pending), pod("c", -1)}, *plain.spec, 2)) == "b a");
  CHECK(choose_removals({pod("a", -1)}, *plain.spec, 0).empty());
  CHECK(names(choose_removals({pod("a", -1)}, *plain.spec, 9)) == "a");

  const Job indexed = kubejob_from("completionMode: Indexed, completions: 3");
  const std::vector<PodPtr> pods{pod("none", -1), pod("zero", 0),   pod("one-b", 1, PodPhase::Pending),
                                 pod("one-a", 1), pod("beyond", 3), pod("two", 2, PodPhase::Pending)};
  CHECK(names(choose_removals(pods, *indexed.spec, 0)) == "none one-b beyond");
  CHECK(names(choose_removals(pods, *indexed.spec, 4)) == "none one-b beyond two");
}

TEST_CASE("spec 7.4: names of pods", "[kubejob]") {
  CHECK(generate_name("job") == "job-");
  CHECK(generate_name("Job_1") == "Job_1");
  CHECK(generate_name("job", 7) == "job-7-");
  const std::string longest(63, 'a');
  CHECK(generate_name(longest, 7) == std::string(55, 'a') + "-7-");
  CHECK(generate_name(longest, 12345) == std::string(51, 'a') + "-12345-");
  CHECK(generate_name(std::string(55, 'a'), 7) == std::string(55, 'a') + "-7-");
  CHECK(generate_name(longest, 7).size() == 58);
}

TEST_CASE("spec 7.4: a pod from its template", "[kubejob]") {
  const auto job_of = [](const std::string& spec) {
    auto documents = parse_yaml(
        "{metadata: {name: j, namespace: default, uid: u}, spec: {" + spec +
        ", template: {metadata: {labels: {a: b}, annotations: {c: d}, finalizers: [x/y]}, spec: {"
        "hostname: h, restartPolicy: OnFailure, containers: [{name: main}, {name: own, env: "
        "[{name: JOB_COMPLETION_INDEX, value: '9'}]}], initContainers: [{name: i, restartPolicy: Always}]}}}}");
    REQUIRE(documents.ok());
    auto job = kubejob::read_job(documents.value->front().root, "", ReadMode::Wire);
    REQUIRE(job.ok());
    set_defaults(*job.value);
    return *job.value;
  };
  const Job plain = job_of("completions: 2");
  const PodTemplate made = PodTemplate::of(*plain.spec, job_profile());
  CHECK(made.restarts_on_failure);
  CHECK(made.restartable_init == std::vector<std::string>{"i"});
  const PodPtr pod = new_pod(plain, made, kUnknownIndex, nullptr, job_profile());
  CHECK(pod->generate_name == "j-");
  CHECK(pod->hostname == "h");
  CHECK(pod->meta.labels == StringMap{{"a", "b"}});
  CHECK(pod->meta.annotations == StringMap{{"c", "d"}});
  CHECK(pod->finalizers == std::vector<std::string>{"x/y", std::string(kTrackingFinalizer)});
  CHECK(pod->meta.owners == std::vector<OwnerReference>{{"batch/v1", "Job", "j", "u", true}});
  CHECK_FALSE(to_json(*pod).dump().find("fieldRef") != std::string::npos);
  CHECK(to_json(*pod).at("metadata").at("ownerReferences").at(0).at("blockOwnerDeletion") == true);

  const Job indexed = job_of("completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1");
  Pod failed = failed_pod();
  const PodPtr second = new_pod(indexed, PodTemplate::of(*indexed.spec, job_profile()), 1, &failed, job_profile());
  CHECK(second->generate_name == "j-1-");
  CHECK(second->hostname == "j-1");
  CHECK(second->meta.labels.at(std::string(kCompletionIndex)) == "1");
  CHECK(second->meta.annotations.at(std::string(kCompletionIndex)) == "1");
  CHECK(second->meta.annotations.at(std::string(kFailureCount)) == "1");
  CHECK_FALSE(second->meta.annotations.contains(std::string(kIgnoredFailureCount)));
  const Json variable = Json::parse(
      R"({"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef":
          {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}})");
  CHECK(second->spec->at("containers").at(0).at("env") == Json::array({variable}));
  CHECK(second->spec->at("containers").at(1).at("env").size() == 1);
  CHECK(second->spec->at("initContainers").at(0).at("env") == Json::array({variable}));

  const PodPtr older =
      new_pod(indexed, PodTemplate::of(*indexed.spec, job_1_27_profile()), 1, nullptr, job_1_27_profile());
  CHECK_FALSE(older->meta.labels.contains(std::string(kCompletionIndex)));
  CHECK(to_json(*older).dump().find("metadata.annotations['batch") != std::string::npos);
}

TEST_CASE("pods are counted as they change", "[kubejob]") {
  const Job job = kubejob_from(
      "completionMode: Indexed, completions: 9, podFailurePolicy: {rules: [{action: FailJob, "
      "onExitCodes: {operator: In, values: [3]}}]}");
  JobBench bench("completions: 1");
  for (int i = 0; i < 40; ++i) bench.pod(kPodPhases[static_cast<std::size_t>(i) % kPodPhaseCount], i % 9 - 1);
  test::Prng prng(test::seed_from_environment());
  JobPods pods;
  pods.set_spec(job.spec);
  std::map<std::string, PodPtr> plain;
  for (int step = 0; step < 3'000; ++step) {
    Pod pod = *bench.pods[static_cast<std::size_t>(prng.below(40))];
    pod.phase = kPodPhases[static_cast<std::size_t>(prng.below(kPodPhaseCount))];
    if (prng.one_in(3)) pod.meta.deletion = at(0);
    if (prng.one_in(3)) pod.finalizers.clear();
    if (prng.one_in(3)) pod.conditions = {{"Ready", "True", at(0)}};
    if (prng.one_in(3)) pod.containers = {{"main", static_cast<std::int32_t>(prng.below(4)), true, 3, at(0)}};
    if (prng.one_in(9)) pod.meta.labels.clear();
    if (prng.one_in(4)) {
      pods.erase(pod.meta.uid);
      plain.erase(pod.meta.uid);
    } else {
      plain[pod.meta.uid] = std::make_shared<const Pod>(pod);
      pods.put(plain[pod.meta.uid]);
    }
    PodSets want;
    std::size_t unmatched = 0;
    for (const auto& [uid, each] : plain) {
      if (each->meta.labels.empty())
        ++unmatched;
      else
        want.add(each, *job.spec);
    }
    const PodSets& got = pods.sets();
    REQUIRE(got.active == want.active);
    REQUIRE(got.ready == want.ready);
    REQUIRE(got.terminating == want.terminating);
    REQUIRE(got.tracked == want.tracked);
    REQUIRE(got.restarts == want.restarts);
    REQUIRE(got.active_indexes == want.active_indexes);
    REQUIRE(got.active_again == want.active_again);
    REQUIRE(got.active_unindexed == want.active_unindexed);
    REQUIRE(got.ended == want.ended);
    REQUIRE(got.deleting == want.deleting);
    REQUIRE(got.fail_job == want.fail_job);
    REQUIRE(pods.unmatched().size() == unmatched);
    REQUIRE(pods.matching().size() == plain.size() - unmatched);
  }
}

}  // namespace
}  // namespace pumice::kubejob
