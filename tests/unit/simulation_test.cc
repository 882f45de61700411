// Events, names and time in a whole simulation.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "pumice/simulation/report.h"
#include "support/allocations.h"
#include "support/world.h"

namespace pumice {
namespace {

using test::one_task;
using test::World;

TEST_CASE("the clock is not moved behind the end of time", "[simulation][time]") {
  World world(one_task(1, "policies: [{event: PodFailed, action: RestartJob, timeout: 2562047h}]"));
  world.play_all({"until Running", "pod w-0 Failed"});
  const Time before = world.simulation.now();
  constexpr const char* kEnd = " the end of time that can be simulated, 2262-04-11T23:47:16Z";
  for (const auto& [line, refused] : {std::pair("advance 2562047h", "2562047h0m0s from now lies behind"),
                                      {"@2562047h advance 1s", "@2562047h0m0s lies behind"},
                                      {"advance next", "what comes next lies behind"},
                                      {"advance nextTimer", "the next delayed action is due behind"},
                                      {"until change", "what comes next lies behind"}}) {
    INFO(line);
    world.play(line);
    CHECK(world.last().refused == std::string(refused) + kEnd);
    CHECK(world.simulation.now() == before);
  }
  world.play("until settled");
  CHECK(world.last().refused.empty());
  CHECK(world.simulation.now() == before);
  CHECK(world.simulation.waiting().front().code == "EndOfTime");

  world.play("advance 2000000h");
  CHECK(world.last().refused.empty());
  CHECK(to_rfc3339(world.simulation.now()) == "2254-04-29T17:00:03Z");
}

TEST_CASE("a start in the far past leaves 292 years", "[simulation][time]") {
  SimulationOptions options;
  options.start = *parse_rfc3339("1700-01-01T00:00:00Z");
  World world(one_task(1), options);
  world.play_all({"advance 2500000h", "advance 2500000h"});
  CHECK(world.last().refused ==
        "2500000h0m0s from now lies behind the end of time that can be simulated, 1992-04-11T23:47:16Z");
}

TEST_CASE("a command nobody knows says what may be meant", "[simulation]") {
  World world(one_task(1));
  world.play_all({"until Running", "command restartjob"});
  CHECK(sentence(world.simulation, world.last()) ==
        "Nothing happened: command `restartjob` → that is no known action (did you mean `RestartJob`?), so the phase's "
        "default happens: the job stays Running, the only pod has not ended.");
}

/// A Job as one line of YAML; `tasks` are names of tasks of one pod each.
std::string job_called(const std::string& name, const std::string& ns, std::initializer_list<const char*> tasks) {
  std::string text = "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: " + name +
                     ", namespace: " + ns + "}, spec: {tasks: [";
  for (const char* task : tasks)
    text += "{name: " + std::string(task) +
            ", replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: m}]}}}, ";
  return text + "]}}\n";
}

TEST_CASE("jobs and pods of several namespaces are named with theirs", "[simulation]") {
  World world(job_called("train", "a", {"w"}) + job_called("train", "b", {"w"}));
  world.play("until settled");
  for (const auto& [line, refused] : {
           std::pair("pod w-0 gone", "`w-0` is ambiguous: `a/train-w-0`, `b/train-w-0`"),
           {"pod train-w-0 gone", "`train-w-0` is ambiguous: `a/train-w-0`, `b/train-w-0`"},
           {"pod c/w-0 gone", "there is no pod `c/w-0` now; there are `a/train-w-0`, `b/train-w-0`"},
           {"command AbortJob train", "say which job is meant: `a/train`, `b/train`"},
           {"command AbortJob", "say which job is meant: `a/train`, `b/train`"},
           {"command AbortJob c/train", "there is no job `c/train`; there is `a/train`, `b/train`"},
           {"podgroup train Unknown", "say which job is meant: `a/train`, `b/train`"},
           {"until Completed train", "say which job is meant: `a/train`, `b/train`"},
       }) {
    INFO(line);
    world.play(line);
    CHECK(world.last().refused == refused);
  }
  world.play("pod b/w-0 Failed exit=3");
  CHECK(sentence(world.simulation, world.last()) ==
        "b/train: w-0 failed with exit code 3 → there is no policy for PodFailed of w-0 → Running to Failed, the only "
        "pod ended, but task w has 0 of the 1 success its minAvailable asks for (a default: its replicas).");
  world.play("pod a/train-w-0 Succeeded");
  CHECK(world.last().refused.empty());
  CHECK(world.simulation.cluster().jobs().at("a/train")->status.phase.text() == "Completed");
  CHECK(explain_text(world.simulation, world.last(), Explain::Off) ==
        " 15  +3s     pod a/train-w-0 Succeeded              a/train: Running → Completed\n");
  for (const PaletteEntry& entry : world.simulation.palette()) {
    INFO(to_line(entry.event));
    CHECK(entry.disabled.find("ambiguous") == std::string::npos);
    CHECK(entry.disabled.find("which job") == std::string::npos);
  }
}

TEST_CASE("a pattern may name the namespace, too", "[simulation]") {
  World world(job_called("train", "a", {"v", "w"}) + job_called("train", "b", {"w"}));
  world.play_all({"until settled", "pod a/* Succeeded"});
  CHECK(world.simulation.cluster().jobs().at("a/train")->status.phase.text() == "Completed");
  CHECK(world.simulation.cluster().jobs().at("b/train")->status.phase.text() == "Running");
  world.play("pod */w-0 gone");
  CHECK(sentence(world.simulation, world.last()).find("2 pods are gone") != std::string::npos);
}

TEST_CASE("a name in full is not taken for another's short one", "[simulation]") {
  World world(job_called("a", "default", {"b", "a-b"}));
  world.play_all({"until Running", "pod a-b-0 Failed exit=2"});
  CHECK(world.last().refused.empty());
  CHECK(world.pod("a-b-0")->phase == PodPhase::Failed);
  CHECK(world.pod("a-a-b-0")->phase == PodPhase::Running);
}

TEST_CASE("the name of a job comes before that of another's PodGroup", "[simulation]") {
  // The uids of the cluster count up, so the name of the first PodGroup is known. The second job takes it for its own
  // (spec 8.3), as upstream does, so it never gets pods.
  const std::string group = "a-00000000-0000-4000-8000-000000000001";
  World world(job_called("a", "default", {"w"}) + job_called(group, "default", {"w"}));
  world.play_all({"until settled", "command AbortJob " + group});
  CHECK(world.last().refused.empty());
  CHECK(world.simulation.cluster().jobs().at("default/a")->status.phase.text() == "Running");
  CHECK(world.simulation.cluster().jobs().at("default/" + group)->status.phase.text() == "Aborted");
}

TEST_CASE("what the cluster was about to do falls away with its object", "[simulation]") {
  const auto until_settled = [](Automation automation, std::initializer_list<std::string_view> events) {
    World world(one_task(2, "policies: [{event: PodEvicted, action: CompleteJob}]"), automation);
    world.play_all(events);
    const std::size_t before = world.steps.size();
    world.play("until settled");
    std::string heads;
    for (std::size_t i = before; i < world.steps.size(); ++i)
      heads += explain_text(world.simulation, world.steps[i], Explain::Off);
    return heads;
  };
  // Both pods would have succeeded at +13s.
  CHECK(until_settled(Automation::Auto, {"until Running", "pod w-0 Failed", "pod w-1 Succeeded"}) ==
        "  6  +3s     until settled\n");
  CHECK(until_settled(Automation::Auto, {"until Running", "pod w-* gone"}) == "  5  +3s     until settled\n");
  // One of them runs anew, and so for 10 s from then on.
  CHECK(until_settled(Automation::Auto,
                      {"until Running", "pod w-0 Unknown", "advance 5s", "pod w-0 Running", "advance 4s"}) ==
        "  8  +13s    pods succeed: w-1\n"
        "  9  +18s    pods succeed: w-0                      Running → Completed\n");
  // What the user has done cannot be done again by the cluster.
  CHECK(until_settled(Automation::Assist, {"podgroup Inqueue"}) ==
        "  3  +2s     pods run: w-0, w-1                     Pending → Running\n");
  CHECK(until_settled(Automation::Assist, {"podgroup Inqueue", "pod w-* Running"}) == "  4  +0s     until settled\n");
  CHECK(until_settled(Automation::Assist, {"until Running", "pod w-0 deleted", "pod w-0 gone"}).find("none") ==
        std::string::npos);
}

TEST_CASE("a pod whose name another job has says so", "[simulation]") {
  // Both jobs want a pod `a-b-c-0`.
  World world(job_called("a", "default", {"b-c", "w"}) + job_called("a-b", "default", {"c"}));
  std::string told;
  for (int i = 0; i < 2; ++i) {
    world.play("advance next");
    told += sentence(world.simulation, world.last()) + "\n";
  }
  CHECK(
      told ==
      "a: the scheduler takes the PodGroup in: 2 pods created; the job stays Pending, no pod runs yet, 2 are needed.\n"
      "a-b: the scheduler takes the PodGroup in: the job stays Pending, no pod runs yet, 1 is needed; c-0 is not "
      "created, its name is taken by job a (AlreadyExists, which the controller ignores).\n");
  const auto processed = world.processed();
  REQUIRE(!processed.empty());
  CHECK(processed.front().sync.taken == std::vector<std::string>{"a-b-c-0"});
  const std::vector<Waiting> waiting = world.simulation.waiting();
  const auto taken =
      std::find_if(waiting.begin(), waiting.end(), [](const Waiting& w) { return w.code == "NameTaken"; });
  REQUIRE(taken != waiting.end());
  CHECK(taken->job_key == "default/a-b");
  CHECK(taken->text == "pod `a-b-c-0` of task `c` cannot be created: job `a` has a pod of that name");
}

TEST_CASE("a job with a pending timer does not wait for nothing", "[simulation]") {
  World world(
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\nspec:\n  minAvailable: 2\n"
      "  policies: [{event: PodFailed, action: AbortJob, timeout: 50s}]\n  tasks:\n"
      "    - {name: w, replicas: 2, template: {spec: {restartPolicy: Never, containers: [{name: main}]}}}\n");
  world.play_all({"until Running", "pod w-* Failed"});
  CHECK(world.simulation.controller().delayed().pending().size() == 2);
  for (const Waiting& waiting : world.simulation.waiting()) CHECK(waiting.code != "Nothing");
}

/// Allocations of a run from manifest to view, which stand for its work as the clock cannot.
std::int64_t work_of(const std::string& manifest) {
  const std::int64_t before = test::allocation_count();
  World world(manifest);
  world.play_all({"until settled", "pod * Succeeded"});
  for (const StepRecord& step : world.steps) (void)explain(world.simulation, step, Explain::Full);
  (void)view_json(world.simulation);
  return test::allocation_count() - before;
}

TEST_CASE("the work grows as tasks and jobs do, not as their square", "[simulation][scale]") {
  const auto tasks = [](int count) {
    std::string text = "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j}, spec: {tasks: [";
    for (int i = 0; i < count; ++i)
      text += "{name: t" + std::to_string(i) +
              ", replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: m}]}}}, ";
    return text + "]}}";
  };
  const auto jobs = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += job_called("j" + std::to_string(i), "default", {"w"});
    return text;
  };
  CHECK(work_of(tasks(400)) < 3 * work_of(tasks(200)));
  CHECK(work_of(jobs(400)) < 3 * work_of(jobs(200)));
}

}  // namespace
}  // namespace pumice
