// The cluster for batch/v1 Jobs: edits, deletion, faults, names, views. Stories of the cases: kubeworld_cases_test.cc.
#include <catch2/catch_test_macros.hpp>

#include "support/kubeworld.h"

namespace pumice::kubeworld {
namespace {

using test::kube_manifest;
using test::KubeCourse;

WorldConfig automatic() {
  WorldConfig config;
  config.pace.finish = true;
  return config;
}

TEST_CASE("a job runs by itself where pods succeed by themselves", "[kubeworld]") {
  KubeCourse course(kube_manifest("completions: 3, parallelism: 2"), automatic());
  course.settle();
  // Pods start after 2 s and run for 10; their end is seen a second later.
  CHECK(course.story() == "Active@0 Complete@26");
  CHECK(course.creations() == std::vector<std::int64_t>{0, 0, 13});
  CHECK(course.status().succeeded == 3);
  CHECK(course.status().completion_time == KubeCourse::at(26));
  CHECK(course.world.all_ended());
  CHECK(course.waits() == "Final");
  CHECK_FALSE(course.world.next_due().has_value());
}

TEST_CASE("what comes next is listed before it happens", "[kubeworld]") {
  KubeCourse course(kube_manifest("parallelism: 3"), automatic());
  auto next = course.world.upcoming(2);
  REQUIRE(next.size() == 1);
  CHECK(next[0].action.kind == Action::Kind::StartPods);
  CHECK(next[0].due == KubeCourse::at(2));
  CHECK(next[0].count == 3);
  CHECK(next[0].action.pods.size() == 2);
  CHECK(course.world.is_busy());
  course.until(2);
  next = course.world.upcoming();
  REQUIRE(next.size() == 1);
  CHECK(next[0].action.kind == Action::Kind::EndContainers);
  CHECK(next[0].due == KubeCourse::at(12));
  CHECK_FALSE(course.world.is_busy());
  course.flag("p1", &PodChange::deleted);
  next = course.world.upcoming();
  REQUIRE(next.size() == 2);
  CHECK(next[0].action.kind == Action::Kind::StopPods);
  CHECK(next[0].due == KubeCourse::at(3));
  CHECK(action_text(next[0].action, course.world).ends_with(" stop"));
}

TEST_CASE("equal calls give equal worlds, and a copy is a checkpoint", "[kubeworld]") {
  KubeCourse course(kube_manifest("completions: 5, parallelism: 2"), automatic());
  course.until(14);
  KubeCourse copy = course;
  course.settle();
  CHECK(copy.second() == 14);
  copy.settle();
  CHECK(copy.story() == course.story());
  CHECK(kubejob::to_json(copy.job()) == kubejob::to_json(course.job()));
  CHECK(job_json(copy.world, "default/j", copy.now) == job_json(course.world, "default/j", course.now));
}

TEST_CASE("edits go through admission", "[kubeworld]") {
  KubeCourse course(kube_manifest("completions: 4, parallelism: 1"));
  course.until(5);
  CHECK(course.edit("parallelism: 3").empty());
  course.until(6);
  CHECK(course.status().active == 3);
  const std::string refused = course.edit("completions: 9");
  CHECK(refused.starts_with("the API server refuses it: "));
  CHECK(refused.find("field is immutable") != std::string::npos);
  CHECK(course.job().spec->completions == 4);
  CHECK(course.edit("parallelism: 0").empty());
  course.until(20);
  CHECK(course.status().active == 0);
  CHECK(course.waits() == "ParallelismZero");
}

TEST_CASE("an elastic indexed job grows and shrinks", "[kubeworld]") {
  KubeCourse course(kube_manifest("completionMode: Indexed, completions: 3, parallelism: 3"));
  course.until(5);
  CHECK(course.edit("completions: 5").find("in tandem") != std::string::npos);
  CHECK(course.edit("completions: 5, parallelism: 5").empty());
  course.until(10);
  CHECK(course.status().active == 5);
  CHECK(course.edit("completions: 2, parallelism: 2").empty());
  course.until(20);
  CHECK(course.status().active == 2);
  CHECK(course.status().failed == 0);
  course.phase("*", PodPhase::Succeeded);
  course.settle();
  CHECK(course.status().completed_indexes == "0,1");
  CHECK(course.state() == "Complete");
}

TEST_CASE("a job that somebody else manages is left alone, and that is said", "[kubeworld]") {
  KubeCourse course(kube_manifest("managedBy: example.com/other"), automatic());
  course.settle();
  CHECK(course.pods().empty());
  CHECK(course.waits() == "ManagedByOther");
  CHECK(run_sentence(course.records, {}) == "Job default/j: another controller manages the job (managedBy).");
}

TEST_CASE("a finished job goes when its time to live is over", "[kubeworld]") {
  KubeCourse course(kube_manifest("ttlSecondsAfterFinished: 60"), automatic());
  course.settle();
  CHECK(course.story() == "Active@0 Complete@13 Deleted@75");
  CHECK(course.world.store().pods().empty());
}

TEST_CASE("names of pods", "[kubeworld]") {
  KubeCourse course(kube_manifest("completionMode: Indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 3"));
  course.until(5);
  const std::string first = course.pods()[0]->key;
  const std::string name = first.substr(first.find('/') + 1);
  CHECK(name.starts_with("j-0-"));
  struct Case {
    std::string pattern;
    std::size_t want;
  };
  const Case cases[] = {{name, 1},    {first, 1}, {name.substr(2), 1}, {"*", 2},       {"j-1-*", 1},
                        {"1-*", 1},   {"0", 1},   {"j-0", 1},          {"p2", 1},      {"j-p2", 1},
                        {"p3", 0},    {"2", 0},   {"default/0", 1},    {"other/0", 0}, {"", 0},
                        {"d*/p1", 1}, {"p", 0}};
  for (const Case& c : cases) {
    CAPTURE(c.pattern);
    CHECK(course.world.find_pods(c.pattern).size() == c.want);
  }
  // An index means the pod that lives.
  course.phase("0", PodPhase::Failed);
  CHECK(course.world.find_pods("0") == std::vector<std::string>{first});
  course.until(20);
  REQUIRE(course.world.find_pods("0").size() == 1);
  CHECK(course.world.find_pods("0").front() != first);
}

TEST_CASE("what cannot happen to a pod is refused with the reason", "[kubeworld]") {
  KubeCourse course(kube_manifest("", "containers: [{name: main, image: a}, {name: proxy, image: b}]"));
  const auto refused = [&course](PodChange what) {
    REQUIRE(course.change("p1", what) == 0);
    return course.refused.substr(course.refused.find("` ") + 2);
  };
  const auto with = [](auto member, auto value) {
    PodChange what;
    what.*member = value;
    return what;
  };
  CHECK(refused(with(&PodChange::phase, PodPhase::Pending)) == "is Pending already");
  CHECK(refused(with(&PodChange::ready, true)) == "does not run, so it is not ready");
  CHECK(refused(with(&PodChange::reason, std::string("Bored"))).starts_with("keeps no pod from starting;"));
  CHECK(refused(with(&PodChange::restarts, 1)) == "has not started");
  CHECK(refused(with(&PodChange::node_lost, true)) == "has no node");
  course.until(5);
  PodChange other;
  other.container = "nope";
  other.exit_code = 1;
  CHECK(course.change("p1", other) == 0);
  CHECK(course.refused.ends_with("has no container `nope`; it has `main` and `proxy`"));
  CHECK(refused(with(&PodChange::phase, PodPhase::Pending)) == "runs: a pod does not go back to Pending");
  CHECK(refused(with(&PodChange::reason, std::string("ErrImagePull"))) == "has started already");
  CHECK(course.exits("p1", 0, "main") == 1);
  CHECK(course.exits("p1", 0, "main") == 0);
  CHECK(course.refused.ends_with("has ended already"));
  CHECK(course.flag("p1", &PodChange::deleted) == 1);
  CHECK(refused(with(&PodChange::deleted, true)) == "is being deleted already");
  CHECK(refused(with(&PodChange::phase, PodPhase::Running)).size() > 0);
}

TEST_CASE("pods that fail while the controllers are down are counted when they are back", "[kubeworld]") {
  KubeCourse course(kube_manifest("parallelism: 2, backoffLimit: 5"));
  course.until(5);
  course.world.stop_controllers();
  CHECK(course.world.stop_controllers() == "the controllers are down already");
  CHECK(course.phase("*", PodPhase::Failed) == 2);
  CHECK(course.last.unheard == 2);
  course.until(100);
  CHECK(course.status().failed == 0);
  CHECK(course.world.start_controllers(course.now).empty());
  course.run();
  CHECK(course.status().failed == 2);
  course.until(200);
  CHECK(course.status().active == 2);
}

TEST_CASE("watches that hold or lose what they should tell", "[kubeworld]") {
  for (const WatchMode mode : {WatchMode::Hold, WatchMode::Drop, WatchMode::Double}) {
    CAPTURE(to_string(mode));
    KubeCourse course(kube_manifest("completions: 2, parallelism: 2"));
    course.until(5);
    course.world.set_watch(WatchKind::Pods, mode);
    course.phase("p1", PodPhase::Succeeded);
    course.until(50);
    const bool heard = mode == WatchMode::Double;
    CHECK(course.status().succeeded == (heard ? 1 : 0));
    CHECK((course.world.watches().kept(WatchKind::Pods) > 0) == !heard);
    if (!heard) CHECK(course.waits().starts_with("WatchHeld"));
    course.world.set_watch(WatchKind::Pods, WatchMode::Pass);
    course.run();
    course.until(60);
    CHECK(course.status().succeeded == 1);
    course.phase("p2", PodPhase::Succeeded);
    course.settle();
    CHECK(course.state() == "Complete");
    CHECK(course.finalizers() == 0);
  }
}

TEST_CASE("effects that fail are tried again", "[kubeworld]") {
  struct Case {
    const char* kind;
    kubejob::ResultCode result;
    bool done;
  };
  const Case cases[] = {{"CreatePod", kubejob::ResultCode::Forbidden, false},
                        {"UpdateJobStatus", kubejob::ResultCode::Conflict, false},
                        {"UpdateJobStatus", kubejob::ResultCode::Timeout, true},
                        {"RemoveFinalizer", kubejob::ResultCode::Timeout, true},
                        {"RemoveFinalizer", kubejob::ResultCode::Other, false},
                        {"", kubejob::ResultCode::Other, false}};
  for (const Case& c : cases) {
    CAPTURE(c.kind, c.done);
    KubeCourse course(kube_manifest("completions: 2, parallelism: 2"), automatic());
    course.world.add_fault({.kind = c.kind, .name = "j*", .result = c.result, .done = c.done, .times = 2});
    course.settle();
    course.until(1000);
    CHECK(course.world.faults().empty());
    CHECK(course.state() == "Complete");
    CHECK(course.status().succeeded == 2);
    CHECK(course.finalizers() == 0);
  }
}

TEST_CASE("the pod garbage collector ends pods that were deleted before they had a node", "[kubeworld]") {
  KubeCourse course(kube_manifest("podReplacementPolicy: Failed"));
  CHECK(course.reason("p1", "Unschedulable") == 1);
  course.until(5);
  CHECK(course.flag("p1", &PodChange::deleted) == 1);
  course.until(19);
  CHECK(course.status().terminating == 1);
  CHECK(course.status().failed == 0);
  course.until(30);
  CHECK(course.status().failed == 1);
  CHECK(course.creations() == std::vector<std::int64_t>{21});
}

TEST_CASE("a pod whose node is lost ends only when the node is back", "[kubeworld]") {
  KubeCourse course(kube_manifest(""), automatic());
  course.until(5);
  PodChange lost;
  lost.node_lost = true;
  CHECK(course.change("p1", lost) == 1);
  CHECK(course.flag("p1", &PodChange::deleted) == 1);
  course.settle(1000);
  course.until(1000);
  CHECK(course.world.object_of(*course.pods().front())->meta.deletion.has_value());
  CHECK(course.waits() == "PodsTerminating");
  lost.node_lost = false;
  CHECK(course.change("p1", lost) == 1);
  course.settle();
  CHECK(course.pods().size() == 1);
}

TEST_CASE("a pod that vanishes is replaced", "[kubeworld]") {
  KubeCourse course(kube_manifest(""));
  course.until(5);
  CHECK(course.flag("p1", &PodChange::gone) == 1);
  course.until(60);
  CHECK(course.pods().size() == 1);
  CHECK(course.pods().front()->ordinal == 2);
}

TEST_CASE("a job in a view", "[kubeworld]") {
  KubeCourse course(kube_manifest("completionMode: Indexed, completions: 6, parallelism: 3, backoffLimit: 4"));
  course.until(5);
  course.phase("1", PodPhase::Succeeded);
  course.phase("2", PodPhase::Failed, 7);
  course.until(7);
  const Json json = job_json(course.world, "default/j", course.now);
  CHECK(json["phase"] == "Active");
  CHECK(json["counts"]["active"] == 3);
  CHECK(json["counts"]["failed"] == 1);
  CHECK(json["indexes"]["completedRuns"] == Json::parse("[[1,1]]"));
  CHECK(json["indexes"]["activeRuns"] == Json::parse("[[0,0],[2,3]]"));
  CHECK(json["backoff"]["failures"] == 0);
  CHECK(json["budget"] == Json::parse(R"({"counted": 1, "limit": 4, "left": 3})"));
  CHECK(json["podsTotal"] == 5);
  CHECK(json["pods"][2]["exitCode"] == 7);
  CHECK(json["pods"][2]["index"] == 2);
  CHECK(json["pods"][0]["containers"][0]["state"] == "running");
  CHECK(json["possible"] == Json::parse(R"(["Suspended", "SuccessCriteriaMet", "FailureTarget"])"));
}

TEST_CASE("explanations name budget, retry and indexes", "[kubeworld]") {
  KubeCourse course(kube_manifest("completionMode: Indexed, completions: 2, parallelism: 2, backoffLimit: 4"));
  course.until(5);
  course.phase("1", PodPhase::Failed, 7);
  course.until(6);
  std::string text;
  for (const TextLine& line : fail_lines(course.last.records, course.world)) text += line.text + "\n";
  CAPTURE(text);
  CHECK(text.find("(index 1) counted: there is no podFailurePolicy") != std::string::npos);
  CHECK(text.find("failures counted: 1 of backoffLimit 4, 3 retries left") != std::string::npos);
  CHECK(text.find("indexes succeeded: none; failed: none") != std::string::npos);
  CHECK(text.find("next retry: 2026-03-02T09:00:15Z, in 9s") != std::string::npos);
  text.clear();
  for (const TextLine& line : record_lines(course.last.records, course.last.records_total)) text += line.text + "\n";
  CAPTURE(text);
  CHECK(text.find("before: active 2") != std::string::npos);
  CHECK(text.find("after: active 1") != std::string::npos);
  CHECK(telling_record(course.last.records) >= 0);
  for (const kubejob::Record& record : course.records) CHECK(record_json(record)["sentence"].is_string());
}

}  // namespace
}  // namespace pumice::kubeworld
