// Faults between controller and API server (spec/volcano-job.md 3, 4, 6, 10, 12; playground.md 4): events, what they
// do, what is told of them.
#include <catch2/catch_test_macros.hpp>

#include "pumice/simulation/report.h"
#include "support/world.h"

namespace pumice {
namespace {

using namespace volcano;
using test::one_task;
using test::World;

std::string last_text(const World& world, Explain level = Explain::Short) {
  return explain_text(world.simulation, world.last(), level);
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct Form {
  const char* line;
  const char* json;
};

TEST_CASE("faults and the events of jobs and queues have three forms", "[event][faults]") {
  for (const Form& form : {
           Form{"fault controllerDown", R"({"fault":"controllerDown"})"},
           {"fault controllerUp", R"({"fault":"controllerUp"})"},
           {"fault controllerRestart effects=2 for=30s", R"({"fault":"controllerRestart","for":"30s","effects":2})"},
           {"fault effect CreatePod forbidden name=w-0 times=2",
            R"({"fault":"effect","kind":"CreatePod","name":"w-0","result":"forbidden","times":2})"},
           {"fault effect timeout done name=w-*", R"({"fault":"effect","name":"w-*","result":"timeout","done":true})"},
           {"fault storeError", R"({"fault":"storeError"})"},
           {"fault storeError times=3", R"({"fault":"storeError","times":3})"},
           {"fault watch pods hold for=10s", R"({"fault":"watch","kind":"pods","mode":"hold","for":"10s"})"},
           {"fault watch release count=1", R"({"fault":"watch","mode":"release","count":1})"},
           {"fault watch podGroups drop", R"({"fault":"watch","kind":"podGroups","mode":"drop"})"},
           {"fault nodeLost w-*", R"({"fault":"nodeLost","pods":"w-*"})"},
           {"fault nodeBack w-0", R"({"fault":"nodeBack","pods":"w-0"})"},
           {"fault quota 3", R"({"fault":"quota","pods":3})"},
           {"fault quota 3 namespace=team-a", R"({"fault":"quota","pods":3,"namespace":"team-a"})"},
           {"fault quotaLifted", R"({"fault":"quotaLifted"})"},
           {"fault mended", R"({"fault":"mended"})"},
           {"delete train", R"({"delete":"train"})"},
           {"delete train foreground", R"({"delete":"train","foreground":true})"},
           {R"(delete "" foreground)", R"({"delete":"","foreground":true})"},
           {"create train", R"({"create":"train"})"},
           {"create", R"({"create":""})"},
           {R"(delete "a=b")", R"({"delete":"a=b"})"},
           {"edit train spec.minAvailable=2 spec.tasks[w].replicas=3",
            R"({"edit":"train","set":{"spec.minAvailable":2,"spec.tasks[w].replicas":3}})"},
           {"edit spec.priorityClassName=high", R"({"edit":"","set":{"spec.priorityClassName":"high"}})"},
           {R"(edit train spec.a="\"7\"" spec.b="" spec.c=null)",
            R"({"edit":"train","set":{"spec.a":"7","spec.b":"","spec.c":null}})"},
           {"queue blue Closed", R"({"queue":"blue","state":"Closed"})"},
           {"queue blue deleted", R"({"queue":"blue","deleted":true})"},
           {"@1m0s fault controllerDown", R"({"at":"1m0s","fault":"controllerDown"})"},
           {"pod w-0 reason=ImagePullBackOff", R"({"pod":"w-0","reason":"ImagePullBackOff"})"},
       }) {
    INFO(form.line);
    const auto from_line = parse_event(form.line);
    for (const Diagnostic& finding : from_line.diagnostics) UNSCOPED_INFO(to_text(finding));
    REQUIRE(from_line.ok());
    const auto from_json = read_event(Json::parse(form.json));
    REQUIRE(from_json.ok());
    CHECK(*from_line.value == *from_json.value);
    CHECK(to_line(*from_json.value) == form.line);
    CHECK(to_json(*from_line.value) == Json::parse(form.json));
  }
}

TEST_CASE("other spellings of faults", "[event][faults]") {
  for (const Form& form :
       {Form{"fault watch all hold", "fault watch hold"},
        {"fault watch mode=hold kind=pods", "fault watch pods hold"},
        {"fault effect kind=CreatePod result=timeout done=true", "fault effect CreatePod timeout done"},
        {"fault effect error", "fault storeError"},
        {"job train deleted", "delete train"},
        {"job train created", "create train"},
        {"job train deleted foreground", "delete train foreground"}}) {
    INFO(form.line);
    const auto event = parse_event(form.line);
    REQUIRE(event.ok());
    CHECK(to_line(*event.value) == form.json);
  }
}

TEST_CASE("wrong faults say what is wrong, and where", "[event][faults]") {
  struct Wrong {
    const char* line;
    std::int32_t column;
    const char* message;
    const char* hint;
  };
  for (const Wrong& w : {
           Wrong{"fault", 1, "`` is none of `controllerDown`, `controllerUp`", ""},
           {"fault controlerDown", 7, "`controlerDown` is none of", "did you mean `controllerDown`?"},
           {"fault controllerUp for=1s", 20, "unknown member `for`", ""},
           {"fault controllerDown for=0s", 22, "must be longer than nothing", ""},
           {"fault controllerDown effects=0", 22, "must be at least 1, is 0", ""},
           {"fault controllerDown effects=x", 22, "must be a number, is a string", ""},
           {"fault controllerDown for=1s for=2s", 29, "`for` is given already", ""},
           {"fault controllerDown now", 22, "`now` is one word too many", ""},
           {"fault effect CreatePods timeout", 14, "`CreatePods` is none of", "did you mean `CreatePod`?"},
           {"fault effect CreatePod", 1, "is missing: `conflict`", ""},
           {"fault effect CreatePod conflict done", 33, "only an effect whose answer is a `timeout`", ""},
           {"fault watch pods", 1, "is missing: `hold`", ""},
           {"fault watch pod hold", 13, "`pod` is none of", "did you mean `pods`?"},
           {"fault watch pods release for=1s", 26, "`release` happens at once", ""},
           {"fault watch pods hold count=1", 23, "`hold` has no count", ""},
           {"fault nodeLost", 1, "which pods are on the node is missing", ""},
           {"fault quota", 1, "how many pods the quota allows is missing", ""},
           {"fault quota -1", 13, "must be at least 0, is -1", ""},
           {"queue blue", 7, "what becomes of the queue is missing", ""},
           {"queue blue Shut", 12, "`Shut` is none of", ""},
           {"queue", 1, "the queue's name is missing", ""},
           {"edit train", 1, "what is changed is missing", ""},
           {"edit train spec.a?b=1", 12, "a field is named as in", ""},
           {"edit train spec.a={}", 12, "must be one value, is a mapping", ""},
           {"job train", 1, "what happened to the job is missing", "for example `job train deleted`"},
           {"job train gone", 11, "what happened to the job is missing", ""},
       }) {
    INFO(w.line);
    const auto event = parse_event(w.line);
    REQUIRE(!event.ok());
    REQUIRE(!event.diagnostics.empty());
    const Diagnostic& first = event.diagnostics.front();
    CHECK(first.code == "InvalidEvent");
    CHECK(first.range.begin == Position{1, w.column});
    CHECK(first.message.starts_with(w.message));
    if (*w.hint != '\0') CHECK(first.hint == w.hint);
  }
}

TEST_CASE("a failure while the controller is down is only counted", "[faults]") {
  // Case V09; spec 12 no. 13.
  const std::string manifest = one_task(1, "policies: [{event: PodFailed, action: RestartJob}]");
  World down(manifest);
  down.play_all({"until Running", "fault controllerDown", "pod w-0 Failed exit=1"});
  CHECK(says(last_text(down), "nobody hears of 1 change of pods, as the controller is down"));
  CHECK(!says(last_text(down), "Nothing happened"));
  CHECK(down.phase() == "Running");
  CHECK(down.simulation.waiting().front().code == "ControllerDown");
  down.play("fault controllerUp");
  CHECK(down.phase() == "Failed");
  CHECK(down.status().retry_count == 0);
  CHECK(says(last_text(down), "its first lists hold 1 job, 1 pod and 1 PodGroup"));

  World up(manifest);
  up.play_all({"until Running", "pod w-0 Failed exit=1"});
  CHECK(up.status().retry_count == 1);
}

TEST_CASE("a restart announces running pods as PodPending", "[faults]") {
  // Spec 12 no. 21: a timer starts for pods that run.
  World world(one_task(2, "policies: [{event: PodPending, action: RestartJob, timeout: 1m}]"));
  world.play("until Running");
  CHECK(world.simulation.controller().delayed().pending().empty());
  world.play("fault controllerRestart");
  CHECK(world.simulation.controller().delayed().pending().size() == 2);
  world.play("advance 1m");
  CHECK(world.status().retry_count == 1);
}

TEST_CASE("delayed actions do not outlive a crash", "[faults]") {
  World world(one_task(1, "policies: [{event: PodFailed, action: RestartJob, timeout: 1m}]"));
  world.play_all({"until Running", "pod w-0 Failed exit=1"});
  CHECK(world.simulation.controller().delayed().pending().size() == 1);
  world.play("fault controllerRestart for=5s");
  CHECK(world.simulation.controller().delayed().pending().empty());
  world.play("advance 5s");
  CHECK(world.last().source == StepSource::Fault);
  CHECK(world.phase() == "Failed");
}

TEST_CASE("a crash in the middle of a step loses the answers", "[faults]") {
  World world(one_task(4));
  world.play("fault controllerRestart effects=3");
  CHECK(world.simulation.wire().crash_after() == 3);
  world.play("until settled");
  // Three of the effects up to the pods, then a new controller that makes what is missing.
  CHECK(world.phase() == "Running");
  CHECK(world.simulation.cluster().pods().size() == 4);
  bool crashed = false;
  for (const StepRecord& step : world.steps)
    for (const FaultRecord& fault : step.faults) crashed = crashed || fault.kind == FaultRecord::Kind::Down;
  CHECK(crashed);
}

TEST_CASE("a refused pod is tried again, and told of with its reason", "[faults]") {
  World world(one_task(2));
  world.play("fault effect CreatePod forbidden name=w-1 times=2");
  CHECK(world.simulation.wire().effect_faults().size() == 1);
  world.play("advance next");
  CHECK(says(last_text(world), "CreatePod of j-w-1 is answered with `forbidden`"));
  CHECK(says(last_text(world, Explain::Full), "fault   CreatePod of j-w-1"));
  const Json json = step_json(world.simulation, world.last());
  CHECK(json["faults"][0]["kind"] == "effectFailed");
  CHECK(json["faults"][0]["result"] == "forbidden");
  world.play("until Running");
  CHECK(world.phase() == "Running");
  CHECK(world.simulation.wire().effect_faults().empty());
}

TEST_CASE("a timeout may have been carried out", "[faults]") {
  World world(one_task(1));
  world.play_all({"fault effect CreatePod timeout done", "advance next"});
  // The pod is there, and the controller hears of it all the same.
  CHECK(world.pod("j-w-0") != nullptr);
  CHECK(says(last_text(world), "though the server carries it out"));
  World not_done(one_task(1));
  not_done.play_all({"fault effect CreatePod timeout", "advance next"});
  CHECK(not_done.pod("j-w-0") == nullptr);
}

TEST_CASE("news that are held arrive in their order, and a count lets some through", "[faults]") {
  World world(one_task(3));
  world.play_all({"until Running", "fault watch pods hold", "pod w-0 Failed exit=1"});
  CHECK(world.simulation.wire().kept(WatchKind::Pods) == 1);
  CHECK(says(last_text(world), "1 notification about pods is held back"));
  CHECK(world.status().running == 3);
  world.play("pod w-1 Failed exit=1");
  world.play("fault watch pods release count=1");
  CHECK(world.status().failed == 1);
  world.play("fault watch pods release");
  CHECK(world.status().failed == 2);
  CHECK(world.play("fault watch pods release") == 1);
  CHECK(world.last().refused == "no notifications about pods are held back");
}

TEST_CASE("two ends that arrive together lose the policy of one", "[faults]") {
  // Spec 12 no. 12, volcano#3967: the sync that the first end asks for sees the second one, and ends the job.
  const std::string manifest = one_task(2, "minAvailable: 1, policies: [{event: PodFailed, action: RestartJob}]");
  World together(manifest);
  together.play_all({"until Running", "fault watch pods hold", "pod w-0 Succeeded", "pod w-1 Failed exit=1",
                     "fault watch pods release"});
  CHECK(together.phase() == "Completed");
  CHECK(together.status().retry_count == 0);
  World apart(manifest);
  apart.play_all({"until Running", "pod w-0 Succeeded", "pod w-1 Failed exit=1"});
  CHECK(apart.status().retry_count == 1);
}

TEST_CASE("lost news are found by a new list", "[faults]") {
  World world(one_task(3, "minAvailable: 1, policies: [{event: PodFailed, action: AbortJob}]"));
  world.play_all({"until Running", "fault watch pods drop", "pod w-0 Failed exit=1", "pod w-1 gone"});
  CHECK(world.phase() == "Running");
  CHECK(world.simulation.wire().kept(WatchKind::Pods) == 2);
  world.play("fault watch pods relist");
  // An object that is known is updated, so PodFailed is raised after all, unlike with a new controller.
  CHECK(world.phase() == "Aborting");
  CHECK(says(last_text(world), "a new list of pods is made, and finds 1 changed and 1 gone"));
}

TEST_CASE("what comes twice changes nothing the second time", "[faults]") {
  const std::string manifest = one_task(2, "policies: [{event: PodFailed, action: RestartPod}]");
  World once(manifest);
  World twice(manifest);
  twice.play("fault watch all double");
  for (World* world : {&once, &twice}) world->play_all({"until Running", "pod w-0 Failed exit=1", "until settled"});
  CHECK(once.status() == twice.status());
}

TEST_CASE("a hold for a time ends by itself", "[faults]") {
  World world(one_task(1));
  world.play_all({"until Running", "fault watch pods hold for=10s", "pod w-0 Succeeded", "advance 9s"});
  CHECK(world.phase() == "Running");
  world.play("advance next");
  CHECK(world.last().source == StepSource::Fault);
  CHECK(world.phase() == "Completed");
}

TEST_CASE("a stale write meets a conflict until the news arrive", "[faults]") {
  World world(one_task(2, "minAvailable: 1"));
  world.play_all(
      {"until Running", "fault watch jobs hold", "edit j spec.tasks[w].minAvailable=1", "pod w-0 Succeeded"});
  CHECK(says(last_text(world), "UpdateJobStatus of j is answered with `conflict`"));
  CHECK(world.status().succeeded == 0);
  world.play_all({"fault watch jobs release", "advance 1s"});
  CHECK(world.status().succeeded == 1);
}

TEST_CASE("impossible faults are refused with a reason", "[faults]") {
  World world(one_task(1));
  const auto refused = [&](const char* line) {
    world.play(line);
    return world.last().refused;
  };
  CHECK(refused("fault controllerUp") == "the controller runs already");
  CHECK(refused("fault watch pods relist") ==
        "no notifications about pods are lost, so a new list would tell nothing new");
  CHECK(refused("fault nodeLost x-0").starts_with("there is no pod `x-0` now"));
  CHECK(refused("fault quotaLifted") == "there is no quota");
  CHECK(refused("fault quota 1 namespace=other") == "no job is in namespace `other`");
  world.play("fault controllerDown");
  CHECK(refused("fault controllerDown") == "the controller is down; `fault controllerUp` starts it");
  CHECK(refused("fault watch pods hold") ==
        "nothing is watched: the controller is down; `fault controllerUp` starts it");
}

TEST_CASE("random faults are told by their seed", "[faults]") {
  SimulationOptions options;
  options.automation = Automation::Auto;
  options.faults = {7, 200'000};
  const auto run = [&] {
    World world(one_task(3), options);
    world.play("until settled");
    std::string text;
    std::int64_t faults = 0;
    for (const StepRecord& step : world.steps) {
      text += explain_text(world.simulation, step, Explain::Full);
      faults += static_cast<std::int64_t>(step.faults.size());
    }
    CHECK(faults > 0);
    return text;
  };
  CHECK(run() == run());
}

TEST_CASE("every fault is in the palette, possible or with a reason", "[faults]") {
  World world(one_task(1));
  world.play("until Running");
  std::size_t faults = 0;
  for (const PaletteEntry& entry : world.simulation.palette()) {
    if (entry.group != "Faults") continue;
    ++faults;
    Simulation copy = world.simulation;
    const auto steps = copy.apply(entry.event);
    CHECK(steps.back().refused == entry.disabled);
  }
  CHECK(faults > 15);
  const Json view = view_json(world.simulation);
  CHECK(!view.contains("faults"));
  world.play("fault watch pods hold");
  CHECK(view_json(world.simulation)["faults"][0]["code"] == "NoticesHeld");
}

}  // namespace
}  // namespace pumice
