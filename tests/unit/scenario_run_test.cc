#include "pumice/scenario/run.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/eval.h"

namespace pumice::scenario {
namespace {

const std::string kHead = R"(apiVersion: pumice.dev/v1
kind: Scenario
metadata: {name: t}
objects: |
  apiVersion: batch.volcano.sh/v1alpha1
  kind: Job
  metadata: {name: train}
  spec:
    maxRetry: 3
    minAvailable: 2
    policies:
    - {event: PodEvicted, action: AbortJob}
    tasks:
    - name: w
      replicas: 2
      policies:
      - {exitCode: 137, action: RestartTask}
      - {event: PodFailed, action: RestartJob}
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: "i:1"}]}}
events:
  - {podGroup: train, phase: Inqueue}
  - {pod: w-*, phase: Running}
  - {advance: 30s}
  - {pod: w-1, phase: Failed, exitCode: 137}
)";

Scenario read(const std::string& text) {
  auto documents = read_documents(text, "t.yaml");
  std::string findings;
  for (const Diagnostic& finding : documents.diagnostics) findings += to_text(finding) + "\n";
  INFO(findings);
  REQUIRE(documents.ok());
  return std::get<Scenario>(documents.value->front());
}

Outcome outcome_of(const std::string& expectation) { return run(read(kHead + "expect:\n  - " + expectation + "\n")); }

TEST_CASE("expectations hold, and each can fail", "[scenario][run]") {
  struct Case {
    const char* good;
    const char* bad;
    const char* seen;  ///< what the bad one is told
  };
  const Case cases[] = {
      {"{phase: Restarting}", "{phase: Running}", "phase Restarting"},
      {"{phase: [Running, Restarting]}", "{phase: [Running, Failed]}", "phase Restarting"},
      {"{after: 2, phase: Running}", "{after: 1, phase: Running}", "phase Pending"},
      {"{after: 0, phase: Pending}", "{after: 0, phase: Running}", "phase Pending"},
      {"{retryCount: 1}", "{retryCount: 0}", "retryCount 1"},
      {"{retryCount: '>= 1', version: '< 1'}", "{retryCount: '> 1'}", "retryCount 1"},
      {"{minAvailable: 2, terminating: 2}", "{terminating: 0}", "terminating 2"},
      {"{after: 2, running: 2}", "{after: 2, pending: 2}", "pending 0"},
      {"{job: train, phase: Restarting}", "{job: tran, phase: Restarting}", "there is no job `tran`; there is train"},
      {"{jobs: {train: {phase: Restarting}}}", "{jobs: {train: {phase: Failed}}}", "phase Restarting"},
      {"{rule: 'spec.tasks[0].policies[0]'}", "{rule: 'spec.policies[0]'}", "spec.tasks[0].policies[0] decided"},
      {"{after: 2, rule: none}", "{after: 4, rule: none}", "spec.tasks[0].policies[0] decided"},
      {"{after: 4, action: RestartTask}", "{after: 4, action: RestartJob}", "RestartTask"},
      {"{after: 4, effects: {DeletePod: [w-1, w-0], CreatePod: 0}}", "{after: 4, effects: {DeletePod: [w-1]}}",
       "DeletePod 2: w-0, w-1"},
      {"{effects: {CreatePod: 2, CreatePodGroup: 1}}", "{effects: {CreatePod: 3}}", "CreatePod 2: w-0, w-1"},
      {"{pods: {w-0: {deleting: true}, w-1: {phase: Failed, exitCode: 137}}}", "{pods: {w-1: Running}}", "w-1 Failed"},
      {"{pods: {w-2: absent}}", "{pods: {w-0: absent}}", "w-0"},
      {"{after: 2, pods: {'w-*': Running, train-w-0: Running}}", "{pods: {'x-*': Running}}",
       "no such pod; there is w-0, w-1"},
      {"{after: 2, pods: {w-0: {version: 0, restarts: 0}}}", "{pods: {w-0: {version: 1}}}", "version 0"},
      {"{podGroup: Inqueue}", "{podGroup: absent}", "PodGroup Inqueue"},
      {"{timers: 0}", "{timers: 1}", "0"},
      {"{conditions: [Pending, Running, Restarting]}", "{conditions: [Pending]}", "Restarting"},
      {"{explanation: 'exit code 137'}", "{explanation: 'no such words'}", "nothing of the kind in any step"},
      {"{after: 4, explanation: [RestartTask, 'retry 1 of 3']}", "{after: 1, explanation: RestartTask}",
       "the text below"},
      {"{at: 29s, phase: Running}", "{at: 30s, phase: Running}", "phase Restarting"},
      {"{at: 2026-03-02T09:00:10Z, phase: Running}", "{at: 2h, phase: Running}", "the run ends at +30s"},
      {"{never: {phase: Failed}}", "{never: {phase: Running}}", "so it is in step 3"},
      {"{never: {phase: Running, retryCount: 1}}", "{never: {phase: Restarting, retryCount: 1}}", "so it is in step"},
      {"{always: {phase: [Running, Restarting]}, since: 2}", "{always: {phase: Pending}}", "phase Running"},
      {"{eventually: {phase: Running, running: 2}}", "{eventually: {phase: Completed}}", "in no step"},
      {"{eventually: {rule: 'spec.tasks[0].policies[0]'}, since: 4}", "{eventually: {phase: Pending}, since: 3}",
       "in no step"},
      {"{admission: allowed}", "{admission: denied}", "allowed"},
      {"{admission: {allowed: true, defaults: {spec.queue: default}}}", "{admission: {defaults: {spec.queue: blue}}}",
       "\"default\""},
      {"{waiting: '.'}", "{waiting: 'no such words'}", ""},
  };
  for (const Case& c : cases) {
    INFO(c.good << " / " << c.bad);
    const Outcome good = outcome_of(c.good);
    for (const Failure& failure : good.failures) UNSCOPED_INFO(failure.expected << " / " << failure.seen);
    CHECK(good.verdict == Verdict::Passed);
    const Outcome bad = outcome_of(c.bad);
    CHECK(bad.verdict == Verdict::Failed);
    REQUIRE(bad.failures.size() == 1);
    CHECK(bad.failures.front().seen.find(c.seen) != std::string::npos);
    UNSCOPED_INFO(bad.failures.front().seen);
    CHECK(bad.failures.front().place.file == "t.yaml");
    CHECK(bad.failures.front().place.range.begin.line == 26);
  }
}

TEST_CASE("a failure says where, when and why", "[scenario][run]") {
  const Outcome outcome = outcome_of("{after: 4, phase: Running}");
  REQUIRE(outcome.failures.size() == 1);
  const Failure& failure = outcome.failures.front();
  CHECK(failure.place.range.begin == Position{26, 23});
  CHECK(failure.when == "after event 4 (pod w-1 Failed exit=137)");
  CHECK(failure.expected == "phase Running");
  CHECK(failure.elapsed == seconds(30));
  CHECK(failure.step > 0);
  CHECK(failure.explanation.find("RestartTask") != std::string::npos);
  // Rules are found in the scenario itself.
  CHECK(failure.explanation.find("t.yaml:17:9") != std::string::npos);
}

TEST_CASE("a refusal ends the run, unless it is expected", "[scenario][run]") {
  const std::string refused = kHead + "  - {pod: w-9, phase: Running}\n";
  const Outcome unexpected = run(read(refused));
  CHECK(unexpected.verdict == Verdict::Failed);
  REQUIRE(unexpected.failures.size() == 1);
  CHECK(unexpected.failures.front().expected == "event 5 can happen");
  CHECK(unexpected.failures.front().seen.find("there is no pod `w-9`") != std::string::npos);
  CHECK(unexpected.failures.front().place.range.begin == Position{25, 5});
  CHECK(run(read(refused + "expect: [{after: 5, refused: 'no pod `w-9`'}]\n")).verdict == Verdict::Passed);
  CHECK(run(read(refused + "expect: [{after: 5, refused: other}]\n")).verdict == Verdict::Failed);
  CHECK(outcome_of("{after: 4, refused: x}").failures.front().seen == "it was not refused");
}

TEST_CASE("wrong objects are an error, at their place", "[scenario][run]") {
  const Outcome outcome =
      run(read("apiVersion: pumice.dev/v1\nkind: Scenario\nobjects: |\n"
               "  apiVersion: batch.volcano.sh/v1alpha1\n  kind: Job\n  metadata: {name: j}\n"
               "  spec: {maxRetry: many}\n"));
  CHECK(outcome.verdict == Verdict::Error);
  REQUIRE_FALSE(outcome.diagnostics.empty());
  CHECK(to_text(outcome.diagnostics.front()).starts_with("t.yaml:7:20: error: spec.maxRetry"));
}

TEST_CASE("what a cluster would refuse is warned of, unless that is expected", "[scenario][run]") {
  std::string text = kHead;
  text.replace(text.find("minAvailable: 2"), 15, "minAvailable: 9");
  text.resize(text.find("events:"));
  const Outcome outcome = run(read(text));
  CHECK(outcome.verdict == Verdict::Passed);
  bool warned = false;
  for (const Diagnostic& finding : outcome.diagnostics) warned = warned || finding.code == "AdmissionDenied";
  CHECK(warned);
  const Outcome asked = run(read(text + "expect: [{admission: {denied: 'minAvailable'}}]\n"));
  CHECK(asked.verdict == Verdict::Passed);
  CHECK(asked.steps == 0);
  CHECK(run(read(text + "expect: [{admission: {denied: 'no such words'}}]\n")).verdict == Verdict::Failed);
}

TEST_CASE("the pace decides whether an event waits", "[scenario][run]") {
  const std::string objects = kHead.substr(0, kHead.find("events:"));
  const std::string rest = "events: [{pod: w-0, phase: Failed, exitCode: 137}]\n";
  CHECK(run(read(objects + "automation: assist\n" + rest + "expect: [{after: 1, retryCount: 1}, {phase: Running}]\n"))
            .verdict == Verdict::Passed);
  const Outcome at_once = run(read(objects + "automation: assist\npace: immediate\n" + rest));
  CHECK(at_once.verdict == Verdict::Failed);
  CHECK(at_once.failures.front().seen.find("there is no pod") != std::string::npos);
}

TEST_CASE("coverage tells policies that never decided and cells that were visited", "[scenario][run]") {
  const Outcome outcome = run(read(kHead));
  REQUIRE(outcome.coverage.rules.size() == 3);
  std::map<std::string, Coverage::Count> counts;
  for (const auto& [rule, count] : outcome.coverage.rules) {
    CHECK(rule.file == "t.yaml");
    CHECK(rule.line > 0);
    counts[rule.path] = count;
  }
  CHECK(counts["spec.tasks[0].policies[0]"].fired == 1);
  CHECK(counts["spec.tasks[0].policies[1]"].fired == 0);
  CHECK(counts["spec.policies[0]"].fired == 0);
  CHECK(outcome.coverage.cells.contains({"Running", "RestartTask…"}));
  CHECK_FALSE(outcome.coverage.cells.contains({"Running", "AbortJob"}));

  Coverage sum = outcome.coverage;
  sum.merge(outcome.coverage);
  CHECK(sum.rules.size() == 3);
  CHECK(sum.cells.at({"Running", "RestartTask…"}) == 2);
  const Json json = to_json(sum);
  CHECK(json["rulesFired"] == 1);
  CHECK(json["rulesTotal"] == 3);
  CHECK(json["cellsTotal"] == 88);
  const std::string text = plain_text(coverage_lines(sum));
  CHECK(text.find("never fired  spec.tasks[0].policies[1] of train  t.yaml:18:9") != std::string::npos);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("more expectations come from a suite", "[scenario][run]") {
  const auto documents = read_documents(
      "apiVersion: pumice.dev/v1\nkind: Suite\ntests: [{cases: [{scenario: t.yaml, expect: [{phase: Failed}, {after: "
      "9, "
      "phase: Failed}]}]}]\n",
      "suite.yaml");
  REQUIRE(documents.ok());
  const auto& expect = std::get<Suite>(documents.value->front()).tests[0].cases[0].expect;
  const Scenario scenario = read(kHead);
  RunOptions options;
  options.more = {expect[0]};
  const Outcome failed = run(scenario, options);
  CHECK(failed.verdict == Verdict::Failed);
  CHECK(failed.failures.front().place.file == "suite.yaml");
  options.more = {expect[1]};
  const Outcome wrong = run(scenario, options);
  CHECK(wrong.verdict == Verdict::Error);
}

TEST_CASE("what was done is recorded, passes, and is recorded again as itself", "[scenario][run]") {
  const Scenario done = read(kHead);
  auto simulation = Simulation::create({{"job.yaml", done.objects}}, options_of(done));
  REQUIRE(simulation.ok());
  Recording recording{{{"job.yaml", done.objects}}, options_of(done), Pace::Immediate, {}, {}};
  (void)simulation.value->start();
  for (const ScenarioEvent& event : done.events) {
    std::string refused;
    for (const StepRecord& step : simulation.value->apply(event.event)) refused = step.refused;
    recording.events.push_back(event.event);
    recording.refused.push_back(refused);
  }
  const Scenario recorded = record(recording, *simulation.value);
  CHECK_FALSE(recorded.made.pumice.empty());
  const std::string yaml = to_yaml(recorded);
  INFO(yaml);
  const Scenario again = read(yaml);
  CHECK(same_content(again, recorded));
  const Outcome outcome = run(again);
  CHECK(outcome.verdict == Verdict::Passed);
  CHECK(outcome.checks == 3);
}

TEST_CASE("scenario.run answers with trace, result and coverage", "[scenario][eval]") {
  const Json request{{"op", "scenario.run"}, {"args", {{"scenario", kHead + "expect: [{phase: Restarting}]\n"}}}};
  const Json answer = Json::parse(eval_line(request.dump(), 1));
  INFO(answer.dump(2));
  REQUIRE(answer.contains("ok"));
  CHECK(answer["ok"]["result"]["verdict"] == "passed");
  CHECK(answer["ok"]["trace"].size() == answer["ok"]["result"]["steps"].get<std::size_t>());
  CHECK(answer["ok"]["coverage"]["rulesFired"] == 1);
  CHECK(answer["ok"]["name"] == "t");

  Json as_object = request;
  as_object["args"]["scenario"] = to_json(read(kHead + "expect: [{phase: Failed}]\n"));
  as_object["args"]["trace"] = "none";
  const Json failed = Json::parse(eval_line(as_object.dump(), 1));
  CHECK(failed["ok"]["result"]["verdict"] == "failed");
  CHECK_FALSE(failed["ok"].contains("trace"));

  for (const char* wrong :
       {R"({"op":"scenario.run","args":{"scenario":{}}})", R"({"op":"scenario.run","args":{"scenario":"a: ["}})",
        R"({"op":"scenario.run","args":{"scenario":""}})",
        R"({"op":"scenario.run","args":{"scenario":{"apiVersion":"pumice.dev/v9"}}})"}) {
    INFO(wrong);
    CHECK(Json::parse(eval_line(wrong, 1))["error"]["code"] == "InvalidScenario");
  }
}

}  // namespace
}  // namespace pumice::scenario
