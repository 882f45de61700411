// Cases from public reports (group K) with kubelets, garbage collectors and the clock: each a story with its times.
#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "support/kubeworld.h"

namespace pumice::kubeworld {
namespace {

using test::kube_manifest;
using test::KubeCourse;

/// Pods run as soon as they are made.
WorldConfig at_once(std::int64_t stop_seconds = 1) {
  WorldConfig config;
  config.pace.timings.start = seconds(0);
  config.pace.timings.stop = seconds(stop_seconds);
  return config;
}
const std::string kFailsAfter1s = "pumice.dev/run-for: 1s, pumice.dev/exit-code: \"1\"";

TEST_CASE("K01: backoffLimit 6 makes seven pods, at these times, by kubelets", "[kubeworld]") {
  KubeCourse course(kube_manifest("backoffLimit: 6", "", kFailsAfter1s), at_once());
  course.settle();
  CHECK(course.creations() == std::vector<std::int64_t>{0, 11, 32, 73, 154, 315, 636});
  CHECK(course.status().failed == 7);
  CHECK(course.reason() == "BackoffLimitExceeded");
  CHECK(course.story() == "Active@0 Failed@638");
  CHECK(course.finalizers() == 0);
}

TEST_CASE("K03: ten pods that fail together overshoot the limit, by kubelets", "[kubeworld]") {
  KubeCourse course(kube_manifest("parallelism: 10, completions: 10, backoffLimit: 10", "",
                                  "pumice.dev/run-for: 5s, pumice.dev/exit-code: \"1\""),
                    at_once());
  course.settle();
  CHECK(course.creations().front() == 0);
  CHECK(course.creations().back() == 605);
  CHECK(course.status().failed == 20);
  CHECK(course.story() == "Active@0 Failed@611");
}

TEST_CASE("K06: the first replacement waits 10 s", "[kubeworld]") {
  KubeCourse course(kube_manifest("backoffLimit: 4"), at_once());
  course.until(3);
  CHECK(course.phase("p1", PodPhase::Failed) == 1);
  course.until(5);
  CHECK(course.world.next_retry("default/j", course.now) == KubeCourse::at(13));
  CHECK(course.waits() == "BackingOff");
  course.until(100);
  CHECK(course.creations() == std::vector<std::int64_t>{0, 13});
}

TEST_CASE("K07: controllers that start anew have forgotten the wait, not the count", "[kubeworld]") {
  KubeCourse course(kube_manifest("backoffLimit: 10", "", kFailsAfter1s), at_once());
  course.until(80);
  CHECK(course.creations() == std::vector<std::int64_t>{0, 11, 32, 73});
  CHECK(course.world.stop_controllers().empty());
  CHECK(course.waits() == "ControllerDown BackingOff");
  CHECK(course.world.start_controllers(course.now).empty());
  course.run();
  CHECK(course.creations().back() == 80);
  CHECK(course.status().failed == 4);
}

TEST_CASE("K09: a replacement at the beginning or at the end of a graceful deletion", "[kubeworld]") {
  for (const bool waits : {false, true}) {
    CAPTURE(waits);
    KubeCourse course(kube_manifest(waits ? "podReplacementPolicy: Failed" : "", "terminationGracePeriodSeconds: 30",
                                    "pumice.dev/sigterm-exit-code: ignored"),
                      at_once());
    course.until(30);
    CHECK(course.flag("p1", &PodChange::deleted) == 1);
    course.until(32);
    CHECK(course.status().terminating == 1);
    if (waits) CHECK(course.waits() == "WaitsForTerminating");
    course.until(59);
    CHECK(course.world.count_pods_of("default/j") == (waits ? 1 : 2));
    course.until(75);
    CHECK(course.creations().back() == (waits ? 70 : 40));
    CHECK(course.status().failed == 1);
    CHECK(course.status().terminating == 0);
  }
}

TEST_CASE("K12: suspending stops the clock of the deadline and its pods", "[kubeworld]") {
  KubeCourse course(kube_manifest("activeDeadlineSeconds: 300"), at_once());
  course.until(200);
  CHECK(course.edit("suspend: true").empty());
  course.until(1000);
  CHECK(course.world.count_pods_of("default/j") == 0);
  CHECK(course.status().failed == 0);
  CHECK(course.waits() == "Suspended");
  CHECK(course.edit("suspend: false").empty());
  course.settle();
  CHECK(course.story() == "Active@0 Suspended@200 Active@1000 FailureTarget@1300 Failed@1302");
  CHECK(course.reason() == "DeadlineExceeded");
}

TEST_CASE("K15: a ConfigMap that does not exist hangs the job, until it does", "[kubeworld]") {
  WorldConfig config;
  config.pace.timings.start = seconds(5);
  KubeCourse course(kube_manifest("backoffLimit: 0"), config);
  CHECK(course.reason("p1", "CreateContainerConfigError") == 1);
  course.until(300);
  CHECK(course.phases() == "Pending");
  CHECK(course.status().active == 1);
  CHECK(course.waits() == "PodsStuck");
  CHECK(course.reason("p1", "") == 1);
  course.until(330);
  CHECK(course.phases() == "Running");
  CHECK(course.exits("p1", 0) == 1);
  course.settle();
  CHECK(course.story() == "Active@0 Complete@331");
}

TEST_CASE("K16: a plain sidecar keeps the job for ever, a native one does not", "[kubeworld]") {
  KubeCourse plain(kube_manifest("", "containers: [{name: main, image: a}, {name: proxy, image: b}]"), at_once());
  plain.until(30);
  CHECK(plain.exits("p1", 0, "main") == 1);
  plain.settle();
  plain.until(100'000);
  CHECK(plain.state() == "Active");
  CHECK(plain.status().active == 1);
  CHECK(plain.waits() == "ContainerKeepsRunning PodsRunning");

  KubeCourse native(kube_manifest("", "initContainers: [{name: proxy, image: b, restartPolicy: Always}]"), at_once());
  native.until(30);
  CHECK(native.exits("p1", 0, "main") == 1);
  native.settle();
  CHECK(native.story() == "Active@0 Complete@32");
}

TEST_CASE("K17: one index keeps failing", "[kubeworld]") {
  const std::string spec = "completionMode: Indexed, completions: 5, parallelism: 5, backoffLimitPerIndex: 1";
  SECTION("the others go on") {
    KubeCourse course(kube_manifest(spec), at_once());
    course.until(5);
    CHECK(course.phase("2", PodPhase::Failed) == 1);
    course.until(20);
    CHECK(course.creations().back() == 15);
    CHECK(course.phase("2", PodPhase::Failed) == 1);
    course.until(60);
    CHECK(course.state() == "Active");
    CHECK(course.status().failed_indexes == "2");
    CHECK(course.phase("*", PodPhase::Succeeded) == 4);
    course.settle();
    CHECK(course.status().completed_indexes == "0,1,3,4");
    CHECK(course.reason() == "FailedIndexes");
    CHECK(course.story() == "Active@0 Failed@61");
  }
  SECTION("maxFailedIndexes 0 stops the rest") {
    KubeCourse course(kube_manifest(spec + ", maxFailedIndexes: 0"), at_once());
    course.until(5);
    course.phase("2", PodPhase::Failed);
    course.until(20);
    course.phase("2", PodPhase::Failed);
    course.settle();
    CHECK(course.reason() == "MaxFailedIndexesExceeded");
    CHECK(course.story() == "Active@0 FailureTarget@21 Failed@23");
    CHECK(course.finalizers() == 0);
  }
}

TEST_CASE("K20: pods that the garbage collector takes are counted, and run once", "[kubeworld]") {
  WorldConfig config = at_once();
  config.pace.finish = true;
  config.pace.timings.run = seconds(5);
  config.ended_pods_max = 20;
  KubeCourse course(kube_manifest("completions: 1000, parallelism: 50"), config);
  course.settle();
  CHECK(course.state() == "Complete");
  CHECK(course.status().succeeded == 1000);
  std::int64_t created = 0;
  for (const kubejob::Record& record : course.records)
    if (const auto* sync = std::get_if<kubejob::SyncRecord>(&record)) created += sync->created;
  CHECK(created == 1000);
  CHECK(course.world.count_pods_of("default/j") == 20);
  CHECK(course.finalizers() == 0);
}

TEST_CASE("K21: pods of a finished or deleted job do not hang", "[kubeworld]") {
  SECTION("the finished job is deleted, its pods are left") {
    KubeCourse course(kube_manifest(""), at_once());
    course.until(10);
    course.phase("p1", PodPhase::Succeeded);
    course.settle();
    CHECK(course.state() == "Complete");
    CHECK(course.world.delete_job("default/j", kubejob::Propagation::Orphan, course.now).empty());
    course.settle();
    course.run();
    course.settle();
    CHECK(course.state() == "Deleted");
    REQUIRE(course.world.store().pods().size() == 1);
    const kubejob::Pod& pod = *course.world.store().pods().begin()->second;
    CHECK(pod.meta.owners.empty());
    CHECK_FALSE(pod.is_tracked());
    CHECK(course.world.left_over().size() == 1);
  }
  SECTION("a running job is deleted in the foreground") {
    KubeCourse course(kube_manifest(""), at_once());
    course.until(10);
    CHECK(course.world.delete_job("default/j", kubejob::Propagation::Foreground, course.now).empty());
    course.run();
    CHECK(course.state() == "Deleting");
    CHECK(course.waits() == "Deleting");
    CHECK(course.world.delete_job("default/j", kubejob::Propagation::Foreground, course.now) ==
          "the Job `default/j` is being deleted already");
    course.settle();
    CHECK(course.state() == "Deleted");
    CHECK(course.world.store().pods().empty());
    CHECK(course.status().failed == 0);
    CHECK(course.waits() == "Gone");
  }
  SECTION("in the background the job goes first") {
    KubeCourse course(kube_manifest("parallelism: 3"), at_once());
    course.until(10);
    CHECK(course.world.delete_job("default/j", kubejob::Propagation::Background, course.now).empty());
    course.run();
    CHECK(course.state() == "Deleted");
    CHECK(course.world.store().pods().size() == 3);
    course.settle();
    CHECK(course.world.store().pods().empty());
    // A successor of the same name is another job.
    course.create(kube_manifest(""));
    course.until(course.second() + 5);
    CHECK(course.state() == "Active");
    CHECK(course.world.count_pods_of("default/j") == 1);
  }
}

TEST_CASE("K24: the leader is done, so the workers are stopped and do not count", "[kubeworld]") {
  KubeCourse course(kube_manifest("completionMode: Indexed, completions: 4, parallelism: 4, "
                                  "successPolicy: {rules: [{succeededIndexes: \"0\"}]}"),
                    at_once(14));
  course.until(30);
  CHECK(course.phase("0", PodPhase::Succeeded) == 1);
  course.until(40);
  CHECK(course.waits() == "PodsTerminating");
  course.settle();
  CHECK(course.story() == "Active@0 SuccessCriteriaMet@31 Complete@46");
  CHECK(course.reason() == "SuccessPolicy");
  CHECK(course.status().succeeded == 1);
  CHECK(course.status().failed == 0);
}

TEST_CASE("K26: without completions the first success stops new pods, not those that run", "[kubeworld]") {
  KubeCourse course(kube_manifest("parallelism: 3"), at_once());
  course.until(20);
  course.phase("p1", PodPhase::Succeeded);
  course.until(50);
  course.phase("p2", PodPhase::Failed);
  course.until(79);
  CHECK(course.state() == "Active");
  course.until(80);
  course.phase("p3", PodPhase::Succeeded);
  course.settle();
  CHECK(course.creations() == std::vector<std::int64_t>{0, 0, 0});
  CHECK(course.status().succeeded == 2);
  CHECK(course.status().failed == 1);
  CHECK(course.story() == "Active@0 Complete@81");
}

TEST_CASE("K27: pods that suspend stops are not counted, even if they exit 0", "[kubeworld]") {
  KubeCourse course(kube_manifest("completions: 2, parallelism: 2", "", "pumice.dev/sigterm-exit-code: \"0\""),
                    at_once(2));
  course.until(10);
  CHECK(course.edit("suspend: true").empty());
  course.until(60);
  CHECK(course.status().succeeded == 0);
  CHECK(course.status().failed == 0);
  CHECK(course.world.count_pods_of("default/j") == 0);
  CHECK(course.edit("suspend: false").empty());
  course.until(61);
  CHECK(course.creations() == std::vector<std::int64_t>{60, 60});
}

TEST_CASE("K28: as many failures as the limit are no failure of the job", "[kubeworld]") {
  KubeCourse course(kube_manifest("backoffLimit: 2"), at_once());
  course.until(5);
  course.phase("p1", PodPhase::Failed);
  course.until(20);
  course.phase("p2", PodPhase::Failed);
  course.until(22);
  CHECK(course.status().failed == 2);
  CHECK(course.state() == "Active");
  course.until(60);
  course.phase("p3", PodPhase::Succeeded);
  course.settle();
  CHECK(course.creations() == std::vector<std::int64_t>{0, 15, 40});
  CHECK(course.story() == "Active@0 Complete@61");
}

TEST_CASE("an image that cannot be pulled never ends a job without a deadline", "[kubeworld]") {
  for (const bool deadline : {false, true}) {
    CAPTURE(deadline);
    KubeCourse course(kube_manifest(deadline ? "backoffLimit: 0, activeDeadlineSeconds: 600" : "backoffLimit: 0"));
    CHECK(course.reason("p1", "ErrImagePull") == 1);
    CHECK(course.reason("p1", "ImagePullBackOff") == 1);
    course.settle();
    course.until(1'000'000);
    CHECK(course.state() == (deadline ? "Failed" : "Active"));
    CHECK(course.status().failed == (deadline ? 1 : 0));
    if (!deadline) CHECK(course.waits() == "PodsStuck");
    if (deadline) CHECK(course.story() == "Active@0 FailureTarget@600 Failed@602");
  }
}

TEST_CASE("a rule that ignores DisruptionTarget: an eviction costs nothing but time", "[kubeworld]") {
  KubeCourse course(kube_manifest("backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: "
                                  "[{type: DisruptionTarget}]}]}"),
                    at_once());
  course.until(10);
  CHECK(course.flag("p1", &PodChange::evicted) == 1);
  course.until(30);
  CHECK(course.status().failed == 0);
  CHECK(course.state() == "Active");
  CHECK(course.creations().back() == 21);
  const auto lines = fail_lines(course.records, course.world);
  const bool told = std::any_of(lines.begin(), lines.end(), [](const TextLine& line) {
    return line.text.find("ignored: spec.podFailurePolicy.rules[0] (Ignore) names condition DisruptionTarget") !=
           std::string::npos;
  });
  CHECK(told);
}

TEST_CASE("a rule that fails the job by exit code", "[kubeworld]") {
  KubeCourse course(kube_manifest("parallelism: 3, completions: 12, podFailurePolicy: {rules: [{action: FailJob, "
                                  "onExitCodes: {containerName: main, operator: In, values: [42]}}]}"),
                    at_once());
  course.until(5);
  CHECK(course.exits("p2", 42) == 1);
  course.settle();
  CHECK(course.reason() == "PodFailurePolicy");
  CHECK(course.story() == "Active@0 FailureTarget@6 Failed@8");
  CHECK(course.finalizers() == 0);
}

TEST_CASE("container restarts count with OnFailure", "[kubeworld]") {
  KubeCourse course(kube_manifest("backoffLimit: 2", "restartPolicy: OnFailure", kFailsAfter1s), at_once());
  course.settle();
  // Fails at 1, 2 (started again at once), and is started again at 12: two restarts.
  CHECK(course.reason() == "BackoffLimitExceeded");
  CHECK(course.story() == "Active@0 FailureTarget@13 Failed@15");
}

}  // namespace
}  // namespace pumice::kubeworld
