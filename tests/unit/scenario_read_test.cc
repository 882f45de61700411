#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/scenario/scenario.h"

namespace pumice::scenario {
namespace {

const std::string kHead = "apiVersion: pumice.dev/v1\nkind: Scenario\n";
const std::string kObjects =
    "objects: |\n"
    "  apiVersion: batch.volcano.sh/v1alpha1\n"
    "  kind: Job\n"
    "  metadata: {name: j}\n";

Result<std::vector<Document>> read(const std::string& text) { return read_documents(text, "s.yaml"); }

Scenario scenario_from(const std::string& text) {
  auto documents = read(text);
  for (const Diagnostic& finding : documents.diagnostics) INFO(to_text(finding));
  REQUIRE(documents.ok());
  REQUIRE(documents.value->size() == 1);
  REQUIRE(std::holds_alternative<Scenario>(documents.value->front()));
  return std::get<Scenario>(documents.value->front());
}

std::string findings(const std::string& text) {
  std::string all;
  for (const Diagnostic& finding : read(text).diagnostics) all += to_text(finding) + "\n";
  return all;
}

const std::string kWhole =
    kHead +
    "metadata: {name: one, title: \"A: title\", annotations: {a.b/c: d}}\n"
    "profile: [volcano]\n"
    "clock: {start: 2026-03-02T10:00:00Z, zone: Europe/Berlin}\n"
    "automation: assist\n"
    "pace: immediate\n"
    "timings: {remove: 30s}\n"
    "made: {pumice: 0.3.0, tzdata: 2026a}\n" +
    kObjects +
    "objectFiles: [more.yaml]\n"
    "events:\n"
    "  - {pod: w-*, phase: Running}\n"
    "  - '@30s pod w-0 Failed exit=137'\n"
    "  - {advance: nextTimer}\n"
    "expect:\n"
    "  - {after: 2, phase: [Restarting, Running], retryCount: '>= 1', rule: 'spec.policies[0]'}\n"
    "  - {at: 90s, jobs: {j: {phase: Running}}, pods: {w-0: absent, w-1: {phase: Failed, exitCode: 3}}}\n"
    "  - {at: 2026-03-02T10:05:00Z, timers: 0, podGroup: absent}\n"
    "  - {never: {phase: Failed}, since: 1}\n"
    "  - {eventually: {effects: {CreatePod: 2, DeletePod: [w-1, w-0]}}}\n"
    "  - {events: [{reason: X, message: y, type: Warning}], explanation: [a, b], waiting: c}\n"
    "  - {rule: none, action: RestartJob, conditions: [Pending], runningDuration: 10m}\n"
    "  - {after: 3, refused: 'no delayed action'}\n"
    "  - {admission: {denied: x, warnings: [y, z], object: Job/j, defaults: {spec.queue: default}}}\n"
    "  - {admission: allowed}\n";

TEST_CASE("a scenario is read whole, and written again as itself", "[scenario]") {
  const Scenario scenario = scenario_from(kWhole);
  CHECK(scenario.name == "one");
  CHECK(scenario.title == "A: title");
  CHECK(scenario.zone == "Europe/Berlin");
  CHECK(scenario.automation == Automation::Assist);
  CHECK(scenario.pace == Pace::Immediate);
  CHECK(scenario.timings.remove == seconds(30));
  CHECK(scenario.events.size() == 3);
  CHECK(scenario.events[1].event.at == seconds(30));
  CHECK(scenario.events[1].place.range.begin == Position{17, 5});
  CHECK(scenario.expect.size() == 10);
  CHECK(scenario.expect[0].checks.size() == 3);
  CHECK(scenario.expect[0].checks[1].place.range.begin.line == 20);
  CHECK(scenario.expect[2].time_is_absolute);

  const std::string yaml = to_yaml(scenario);
  INFO(yaml);
  const Scenario again = scenario_from(yaml);
  CHECK(same_content(again, scenario));
  CHECK(to_yaml(again) == yaml);
  const auto node = node_from_json(to_json(scenario));
  REQUIRE(node.ok());
  const auto from_json = read_document(*node.value, "");
  REQUIRE(from_json.ok());
  CHECK(same_content(std::get<Scenario>(*from_json.value), scenario));
  CHECK(again.expect == scenario.expect);
}

TEST_CASE("what is left out has its default, and is not written", "[scenario]") {
  const Scenario scenario = scenario_from(kHead + kObjects);
  CHECK(scenario.automation == Automation::Manual);
  CHECK(scenario.profiles == std::vector<std::string>{"volcano"});
  CHECK(scenario.start == SimulationOptions{}.start);
  CHECK(to_yaml(scenario) == kHead + kObjects);
}

TEST_CASE("objects of every form come back unchanged", "[scenario]") {
  for (const char* objects : {"a: b", "a: b\n", "a: b\n\n\n", "\n\na: b\n", "  a: b\n", "a: b\n   \nc: d\n", "a:\tb\n",
                              "ä: →\n", "a: b\r\n", "---\na: b\n---\nc: d\n", "# only\n"}) {
    Scenario scenario;
    scenario.objects = objects;
    const std::string yaml = to_yaml(scenario);
    INFO(yaml);
    CHECK(scenario_from(yaml).objects == objects);
  }
}

TEST_CASE("what is wrong with a scenario is told with its place", "[scenario]") {
  struct Case {
    const char* name;
    std::string text;
    const char* want;
  };
  const Case cases[] = {
      {"unknown field", kHead + kObjects + "event: []\n",
       "s.yaml:7:1: error: event: unknown field `event` (did you mean `events`?)"},
      {"unknown field inside", kHead + kObjects + "clock: {zon: UTC}\n", "s.yaml:7:9: error: clock.zon: unknown field"},
      {"newer version", "apiVersion: pumice.dev/v2\nkind: Scenario\n",
       "`pumice.dev/v2` is the form of a newer release (this release reads `pumice.dev/v1`)"},
      {"other version", "apiVersion: pumice.dev\nkind: Scenario\n", "is not known"},
      {"unknown kind", "apiVersion: pumice.dev/v1\nkind: Scenaro\n", "did you mean `Scenario`?"},
      {"no objects", kHead, "there are no objects"},
      {"profile", kHead + kObjects + "profile: volcan\n",
       "s.yaml:7:10: error: profile: `volcan` is no profile (did you mean `volcano`?)"},
      {"profile of CronJobs", kHead + kObjects + "profile: cronjob\n", "take no part in scenarios"},
      {"quirk", kHead + kObjects + "quirksOff: [nothing-of-the-kind]\n",
       "s.yaml:7:13: error: quirksOff[0]: `nothing-of-the-kind` is no quirk"},
      {"automation", kHead + kObjects + "automation: asist\n", "did you mean `assist`?"},
      {"zone", kHead + kObjects + "clock: {zone: 'a b'}\n", "is no name of a time zone"},
      {"timing", kHead + kObjects + "timings: {admit: -1s}\n", "must not be negative"},
      {"event", kHead + kObjects + "events:\n  - {pod: w-0, phase: Runing}\n",
       "s.yaml:8:16: error: events[0].phase: `Runing` is not a pod phase"},
      {"event line", kHead + kObjects + "events: [pod w-0 Runing]\n", "s.yaml:7:10: error: events[0]"},
      {"after", kHead + kObjects + "expect: [{after: 1, phase: Running}]\n", "there is no event 1, there are 0"},
      {"phase", kHead + kObjects + "expect: [{phase: Runing}]\n",
       "s.yaml:7:18: error: expect[0].phase: `Runing` is no phase of a job (did you mean `Running`?)"},
      {"number", kHead + kObjects + "expect: [{retryCount: many}]\n", "`many` is no number"},
      {"nothing", kHead + kObjects + "expect: [{}]\n", "nothing is expected"},
      {"two times", kHead + kObjects + "expect: [{at: 1s, never: {phase: Failed}}]\n", "one expectation has one time"},
      {"regex", kHead + kObjects + "expect: [{explanation: '('}]\n", "is no regular expression: `(` without `)`"},
      {"rule", kHead + kObjects + "expect: [{rule: policies}]\n", "is no policy"},
      {"refused", kHead + kObjects + "expect: [{refused: x}]\n", "say which with `after`"},
      {"effect", kHead + kObjects + "expect: [{effects: {CreatePods: 1}}]\n", "did you mean `CreatePod`?"},
      {"since", kHead + kObjects + "expect: [{phase: Failed, since: 0}]\n", "goes with `never`"},
      {"job twice", kHead + kObjects + "expect: [{job: j, jobs: {j: {phase: Failed}}}]\n", "`job` names it too"},
      {"path", kHead + "objectFiles: [/etc/passwd]\n", "relative to the document"},
      {"admission", kHead + kObjects + "expect: [{admission: denid}]\n", "did you mean `denied`?"},
      {"admission beside", kHead + kObjects + "expect: [{admission: denied, phase: Failed}]\n", "stands alone"},
      {"suite without tests", "apiVersion: pumice.dev/v1\nkind: Suite\n", "a suite has at least one test"},
      {"case without scenario", "apiVersion: pumice.dev/v1\nkind: Suite\ntests: [{cases: [{name: a}]}]\n",
       "name the file of a scenario"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK_FALSE(read(c.text).ok());
    const std::string all = findings(c.text);
    INFO(all);
    CHECK(all.find(c.want) != std::string::npos);
  }
}

TEST_CASE("all that is wrong is told at once", "[scenario]") {
  const std::string all = findings(kHead + kObjects + "pase: calm\nexpect: [{phase: X}, {retryCount: y}]\n");
  CHECK(all.find("pase") != std::string::npos);
  CHECK(all.find("`X`") != std::string::npos);
  CHECK(all.find("`y`") != std::string::npos);
}

TEST_CASE("limits of a scenario are told", "[scenario]") {
  std::string events = "events:\n";
  for (std::int64_t i = 0; i <= kEventsMax; ++i) events += "- advance 1s\n";
  CHECK(findings(kHead + kObjects + events).find("more than the 10000 allowed") != std::string::npos);
  CHECK(findings(kHead + "objects: \"" + std::string(static_cast<std::size_t>(kObjectsBytesMax) + 1, 'a') + "\"\n")
            .find("bytes, more than") != std::string::npos);
}

TEST_CASE("documents of others are left out and counted", "[scenario]") {
  std::int64_t others = 0;
  const auto documents = read_documents("kind: Job\n---\n" + kHead + kObjects + "---\n", "s.yaml", &others);
  REQUIRE(documents.ok());
  CHECK(documents.value->size() == 1);
  CHECK(others == 1);
}

TEST_CASE("places within objects are those of the document", "[scenario]") {
  for (const char* mark : {"|", "|-", "|+", "|2"}) {
    INFO(mark);
    const Scenario scenario =
        scenario_from(kHead + "objects: " + mark + "\n\n  # a comment\n  apiVersion: x/v1\n  kind: Foo\n");
    const auto sources = sources_of(scenario);
    REQUIRE(sources.ok());
    const SourceText& source = sources.value->front();
    CHECK(source.file == "s.yaml");
    const auto parsed = parse_yaml(source.text, {.limits = {}, .file = source.file});
    REQUIRE(parsed.ok());
    CHECK(parsed.value->front().root.find("kind")->range.begin == Position{7, 9});
  }
  const Scenario quoted = scenario_from(kHead + "objects: \"a: b\"\n");
  CHECK(sources_of(quoted).value->front().file == "s.yaml (objects)");
}

TEST_CASE("files of objects come from the host", "[scenario]") {
  const Scenario scenario = scenario_from(kHead + "objectFiles: [a.yaml]\n");
  const auto without = sources_of(scenario);
  CHECK_FALSE(without.ok());
  CHECK(to_text(without.diagnostics.front())
            .starts_with("s.yaml:3:15: error: objectFiles[0]: `a.yaml` cannot be read here"));
  const auto with =
      sources_of(scenario, [](const std::string& path) { return Result<SourceText>::success({path, "text"}); });
  REQUIRE(with.ok());
  CHECK(with.value->front().text == "text");
}

}  // namespace
}  // namespace pumice::scenario
