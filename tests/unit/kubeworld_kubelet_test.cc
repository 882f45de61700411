// One pod and its kubelet: order of containers, restarts, stopping, what is reported.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "pumice/kubeworld/kubelet.h"
#include "pumice/yaml.h"

namespace pumice::kubeworld {
namespace {

class PodCourse {
 public:
  explicit PodCourse(const std::string& spec, const StringMap& annotations = {}, Pace with = {}) : pace(with) {
    const auto json = yaml_to_json("{" + spec + "}");
    REQUIRE(json.ok());
    run = new_run(std::make_shared<const PodPlan>(plan_of(*json.value, annotations)), now, pace);
  }
  void until(std::int64_t second) {
    const Time end{second * kSecond.ns};
    for (int i = 0; next_step(run, pace) && next_step(run, pace)->due <= end; ++i) {
      REQUIRE(i < 10'000);
      now = std::max(now, next_step(run, pace)->due);
      carry_on(run, now, pace);
      note();
    }
    now = end;
  }
  void exits(const std::string& container, std::int32_t code) {
    const auto i = find_container(*run.plan, container);
    REQUIRE(i);
    REQUIRE(run.containers[*i].state == ContainerState::Running);
    end_container(run, *i, code, now, pace);
    note();
  }
  void stop(std::int64_t grace) {
    begin_stop(run, now + seconds(grace), now, pace);
    note();
  }
  /// `name=state` of each container.
  [[nodiscard]] std::string states() const {
    std::string text;
    for (std::size_t i = 0; i < run.containers.size(); ++i) {
      const ContainerRun& one = run.containers[i];
      text += (i ? " " : "") + run.plan->containers[i].name + "=";
      if (one.state == ContainerState::Terminated)
        text += std::to_string(one.exit_code);
      else
        text += to_string(one.state);
    }
    return text;
  }
  [[nodiscard]] std::string phase() const { return std::string(to_string(phase_of(run))); }
  [[nodiscard]] std::int64_t second() const { return now.ns / kSecond.ns; }
  /// `phase@second`, one for each change.
  std::string story;

  void note() {
    const std::string is = phase();
    if (is == phase_) return;
    phase_ = is;
    story += (story.empty() ? "" : " ") + is + "@" + std::to_string(second());
  }

  Pace pace;
  Time now{};
  PodRun run;

 private:
  std::string phase_ = "Pending";
};

TEST_CASE("containers of a pod start in their order", "[kubeworld]") {
  PodCourse pod(
      "restartPolicy: Never, initContainers: [{name: a}, {name: side, restartPolicy: Always}, {name: b}], "
      "containers: [{name: m}, {name: n}]");
  pod.until(1);
  CHECK(pod.states() == "a=waiting side=waiting b=waiting m=waiting n=waiting");
  CHECK(waiting_reason(pod.run, 0).empty());
  pod.until(2);
  CHECK(pod.states() == "a=running side=waiting b=waiting m=waiting n=waiting");
  CHECK(waiting_reason(pod.run, 3) == "PodInitializing");
  pod.until(3);
  CHECK(pod.states() == "a=0 side=running b=running m=waiting n=waiting");
  CHECK(pod.phase() == "Pending");
  pod.until(4);
  CHECK(pod.states() == "a=0 side=running b=0 m=running n=running");
  CHECK(pod.story == "Running@4");
  CHECK(is_ready(pod.run));
}

TEST_CASE("the end of a pod follows from its main containers", "[kubeworld]") {
  struct Case {
    const char* name;
    const char* policy;
    std::int32_t first;
    std::int32_t second;
    const char* want;
  };
  const Case cases[] = {
      {"both succeed", "Never", 0, 0, "Succeeded"},
      {"one fails", "Never", 0, 3, "Failed"},
      {"the first fails", "Never", 3, 0, "Failed"},
      {"OnFailure: a failed one is started again", "OnFailure", 0, 3, "Running"},
      {"OnFailure: both succeed", "OnFailure", 0, 0, "Succeeded"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    PodCourse pod(std::string("containers: [{name: m}, {name: n}], restartPolicy: ") + c.policy);
    pod.until(5);
    pod.exits("m", c.first);
    CHECK(pod.phase() == "Running");
    pod.exits("n", c.second);
    CHECK(pod.phase() == c.want);
  }
}

TEST_CASE("a native sidecar is stopped when the main container has ended, a plain one is not (K16)", "[kubeworld]") {
  PodCourse plain("restartPolicy: Never, containers: [{name: main}, {name: proxy}]");
  plain.until(30);
  plain.exits("main", 0);
  plain.until(100'000);
  CHECK(plain.states() == "main=0 proxy=running");
  CHECK(plain.phase() == "Running");

  PodCourse native(
      "restartPolicy: Never, initContainers: [{name: proxy, restartPolicy: Always}], containers: [{name: main}]");
  native.until(30);
  native.exits("main", 0);
  CHECK(native.phase() == "Running");
  native.until(31);
  CHECK(native.states() == "proxy=143 main=0");
  CHECK(native.story == "Running@2 Succeeded@31");
}

TEST_CASE("sidecars are stopped in reverse order, one after the other", "[kubeworld]") {
  PodCourse pod(
      "restartPolicy: Never, initContainers: [{name: a, restartPolicy: Always}, {name: b, restartPolicy: Always}], "
      "containers: [{name: main}]");
  pod.until(10);
  pod.exits("main", 0);
  pod.until(11);
  CHECK(pod.states() == "a=running b=143 main=0");
  pod.until(12);
  CHECK(pod.states() == "a=143 b=143 main=0");
  CHECK(pod.phase() == "Succeeded");
}

TEST_CASE("a sidecar is started again whatever its exit code, an init container only if it failed", "[kubeworld]") {
  PodCourse pod(
      "restartPolicy: Never, initContainers: [{name: side, restartPolicy: Always}], containers: [{name: main}]");
  pod.until(5);
  pod.exits("side", 0);
  CHECK(pod.states() == "side=waiting main=running");
  pod.until(5);
  CHECK(pod.states() == "side=running main=running");
  CHECK(pod.run.containers[0].restarts == 1);

  PodCourse init("restartPolicy: OnFailure, initContainers: [{name: a}], containers: [{name: main}]", {},
                 Pace{.timings = {.init = seconds(60)}});
  init.until(5);
  init.exits("a", 1);
  CHECK(init.phase() == "Pending");
  init.until(5);
  CHECK(init.states() == "a=running main=waiting");
  init.exits("a", 1);
  init.until(14);
  CHECK(init.states() == "a=waiting main=waiting");
  CHECK(waiting_reason(init.run, 0) == "CrashLoopBackOff");
  init.until(15);
  CHECK(init.states() == "a=running main=waiting");
}

TEST_CASE("with Never a failed init container ends the pod", "[kubeworld]") {
  PodCourse pod(
      "restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always}, {name: a}], containers: [{name: main}]",
      {}, Pace{.timings = {.init = seconds(60)}});
  pod.until(5);
  pod.exits("a", 7);
  CHECK(pod.phase() == "Failed");
  CHECK(pod.states() == "s=143 a=7 main=waiting");
  CHECK_FALSE(next_step(pod.run, pod.pace).has_value());
}

TEST_CASE("restarts: at once, then 10 s doubled up to 5 min, anew after 10 min", "[kubeworld]") {
  PodCourse pod("restartPolicy: OnFailure, containers: [{name: main}]");
  pod.until(2);
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t failed = pod.second();
    pod.exits("main", 1);
    pod.now = next_step(pod.run, pod.pace)->due;
    carry_on(pod.run, pod.now, pod.pace);
    waits.push_back(pod.second() - failed);
  }
  CHECK(waits == std::vector<std::int64_t>{0, 10, 20, 40, 80, 160, 300, 300});
  CHECK(pod.run.containers[0].restarts == 8);
  SECTION("600 s are not more than 10 minutes") {
    pod.until(pod.second() + 600);
    pod.exits("main", 1);
    CHECK(next_step(pod.run, pod.pace)->due == pod.now + seconds(300));
  }
  SECTION("601 s are") {
    pod.until(pod.second() + 601);
    pod.exits("main", 1);
    CHECK(next_step(pod.run, pod.pace)->due == pod.now);
    pod.until(pod.second());
    pod.exits("main", 1);
    CHECK(next_step(pod.run, pod.pace)->due == pod.now + seconds(10));
  }
}

TEST_CASE("stopping a pod", "[kubeworld]") {
  struct Case {
    const char* name;
    const char* spec;
    StringMap annotations;
    const char* states;
    const char* phase;
    std::int64_t ends;
  };
  const Case cases[] = {
      {"SIGTERM ends it", "containers: [{name: main}]", {}, "main=143", "Failed", 11},
      {"exit 0 on SIGTERM",
       "containers: [{name: main}]",
       {{"pumice.dev/sigterm-exit-code", "0"}},
       "main=0",
       "Succeeded",
       11},
      {"it is killed when the grace is over",
       "containers: [{name: main}]",
       {{"pumice.dev/sigterm-exit-code", "ignored"}},
       "main=137",
       "Failed",
       40},
      {"sidecars after main containers",
       "initContainers: [{name: side, restartPolicy: Always}], containers: [{name: main}, {name: n}]",
       {},
       "side=143 main=143 n=143",
       "Failed",
       12},
      {"only the named container ignores it",
       "containers: [{name: main}, {name: n}]",
       {{"pumice.dev/sigterm-exit-code.n", "ignored"}},
       "main=143 n=137",
       "Failed",
       40},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    PodCourse pod(std::string("restartPolicy: Never, ") + c.spec, c.annotations);
    pod.until(10);
    pod.stop(30);
    pod.until(c.ends - 1);
    CHECK_FALSE(pod.run.stopped);
    pod.until(c.ends);
    CHECK(pod.run.stopped);
    CHECK(pod.states() == c.states);
    CHECK(pod.phase() == c.phase);
  }
}

TEST_CASE("a pod that is stopped before it runs has failed", "[kubeworld]") {
  PodCourse pod("restartPolicy: Never, containers: [{name: main}]");
  pod.until(2);
  PodCourse stuck("restartPolicy: Never, containers: [{name: main}]");
  set_obstacle(stuck.run, "ErrImagePull", stuck.now, stuck.pace);
  stuck.until(100);
  CHECK(stuck.phase() == "Pending");
  CHECK(waiting_reason(stuck.run, 0) == "ErrImagePull");
  stuck.stop(30);
  stuck.until(101);
  CHECK(stuck.run.stopped);
  CHECK(stuck.phase() == "Failed");
}

TEST_CASE("a container that waits for its restart is not started again in a pod that stops", "[kubeworld]") {
  PodCourse pod("restartPolicy: OnFailure, containers: [{name: main}]");
  pod.until(2);
  pod.exits("main", 1);
  pod.until(2);
  pod.exits("main", 1);
  CHECK(waiting_reason(pod.run, 0) == "CrashLoopBackOff");
  pod.stop(30);
  pod.until(60);
  CHECK(pod.run.stopped);
  CHECK(pod.phase() == "Failed");
  CHECK(pod.run.containers[0].restarts == 1);
}

TEST_CASE("annotations say how containers live", "[kubeworld]") {
  PodCourse pod("restartPolicy: Never, containers: [{name: main}, {name: n}]",
                {{"pumice.dev/run-for", "5s"}, {"pumice.dev/exit-code.n", "3"}});
  pod.until(7);
  CHECK(pod.states() == "main=0 n=3");
  CHECK(pod.story == "Running@2 Failed@7");

  PodCourse automatic("restartPolicy: Never, containers: [{name: main}, {name: proxy}]",
                      {{"pumice.dev/run-for.proxy", "forever"}}, Pace{.finish = true});
  automatic.until(1000);
  CHECK(automatic.states() == "main=0 proxy=running");
}

TEST_CASE("annotations that cannot be read are told", "[kubeworld]") {
  const auto spec = yaml_to_json("{restartPolicy: Never, containers: [{name: main}]}");
  const StringMap annotations{{"pumice.dev/run-for", "soon"},      {"pumice.dev/exit-code", "256"},
                              {"pumice.dev/exit-code.other", "1"}, {"pumice.dev/sigterm-exit-code", "never"},
                              {"pumice.dev/ignore", "job.lint"},   {"example.com/run-for", "x"}};
  Diagnostics problems;
  (void)plan_of(*spec.value, annotations, &problems);
  std::vector<std::string> fields;
  for (const Diagnostic& problem : problems) fields.push_back(problem.field);
  CHECK(fields == std::vector<std::string>{"pumice.dev/exit-code", "pumice.dev/run-for", "pumice.dev/sigterm-exit-code",
                                           "pumice.dev/exit-code.other"});
}

TEST_CASE("a pod's own deadline ends it", "[kubeworld]") {
  PodCourse pod("restartPolicy: OnFailure, activeDeadlineSeconds: 20, containers: [{name: main}]");
  pod.until(100);
  CHECK(pod.story == "Running@2 Failed@22");
  CHECK(pod.run.reason == "DeadlineExceeded");
}

TEST_CASE("without kubelets nothing happens by itself", "[kubeworld]") {
  Pace pace{.kubelet = false};
  PodCourse pod("restartPolicy: OnFailure, initContainers: [{name: a}], containers: [{name: main}]",
                {{"pumice.dev/run-for", "5s"}}, pace);
  pod.until(1000);
  CHECK(pod.phase() == "Pending");
  run_all(pod.run, pod.now, pace);
  CHECK(pod.states() == "a=0 main=running");
  pod.until(2000);
  CHECK(pod.phase() == "Running");
  pod.stop(30);
  pod.until(3000);
  CHECK_FALSE(pod.run.stopped);
}

TEST_CASE("what the kubelet reports", "[kubeworld]") {
  PodCourse pod("restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always}], containers: [{name: main}]");
  kubejob::Pod object;
  CHECK_FALSE(report(pod.run, object, pod.now));
  CHECK(object.containers.empty());
  pod.until(5);
  CHECK(report(pod.run, object, pod.now));
  CHECK_FALSE(report(pod.run, object, pod.now));
  CHECK(object.phase == PodPhase::Running);
  CHECK(object.node == "node");
  REQUIRE(object.condition("Ready") != nullptr);
  CHECK(object.condition("Ready")->status == "True");
  pod.exits("main", 4);
  pod.until(10);
  CHECK(report(pod.run, object, pod.now));
  CHECK(object.phase == PodPhase::Failed);
  REQUIRE(object.containers.size() == 1);
  CHECK(object.containers[0].terminated);
  CHECK(object.containers[0].exit_code == 4);
  CHECK(object.containers[0].finished == Time{5 * kSecond.ns});
  REQUIRE(object.init_containers.size() == 1);
  CHECK(object.init_containers[0].exit_code == kTermExitCode);
  CHECK(object.condition("Ready")->status == "False");
}

}  // namespace
}  // namespace pumice::kubeworld
