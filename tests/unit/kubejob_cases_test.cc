// Cases from public reports (group K), as far as controller and API server alone decide them: pods move by hand.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "support/kubejob_bench.h"

namespace pumice::kubejob {
namespace {

using test::JobBench;

/// A bench whose seconds count from the creation of its job.
class Course : public JobBench {
 public:
  explicit Course(const std::string& spec) : JobBench(spec) { settle(); }

  [[nodiscard]] std::int64_t second() const { return (now.ns - at(3600).ns) / kSecond.ns; }
  void until(std::int64_t time) { run_until(at(3600 + time)); }
  [[nodiscard]] std::size_t pod_count() const { return store.pods().size(); }
  [[nodiscard]] std::string only_active() const {
    const auto names = names_of(true);
    REQUIRE(names.size() == 1);
    return names.front();
  }
  /// When each pod was created, in seconds.
  [[nodiscard]] std::vector<std::int64_t> creations() const {
    std::vector<std::int64_t> times;
    for (const auto& [key, pod] : store.pods()) times.push_back((pod->meta.creation.ns - at(3600).ns) / kSecond.ns);
    std::sort(times.begin(), times.end());
    return times;
  }
  /// Every pod, as soon as it exists, fails `after` seconds later.
  void fail_all(std::int64_t after, std::int64_t end) {
    while (second() < end) {
      const auto names = names_of(true);
      if (names.empty()) {
        until(second() + 1);
        continue;
      }
      until(second() + after);
      for (const std::string& name : names) report(name, PodPhase::Failed, 1);
    }
  }
  std::string pod_of_index(std::int32_t index) const {
    for (const std::string& name : names_of(true))
      if (completion_index(stored(name)) == index) return name;
    return "";
  }
};

TEST_CASE("K01: backoffLimit 6 makes seven pods, at these times", "[kubejob]") {
  Course course("backoffLimit: 6");
  course.fail_all(1, 700);
  CHECK(course.creations() == std::vector<std::int64_t>{0, 11, 32, 73, 154, 315, 636});
  CHECK(course.reason() == "BackoffLimitExceeded");
  CHECK(course.status().failed == 7);
  CHECK(course.conditions() == "FailureTarget=True/BackoffLimitExceeded Failed=True/BackoffLimitExceeded");
  CHECK(course.status().finished()->last_transition == JobBench::at(3600 + 638));
}

TEST_CASE("K03: ten pods that fail together overshoot the limit", "[kubejob]") {
  Course course("parallelism: 10, completions: 10, backoffLimit: 10");
  course.fail_all(5, 700);
  CHECK(course.creations().front() == 0);
  CHECK(course.creations().back() == 605);
  CHECK(course.pod_count() == 20);
  CHECK(course.status().failed == 20);
  CHECK(course.reason() == "BackoffLimitExceeded");
}

TEST_CASE("K06: the first replacement waits too", "[kubejob]") {
  Course course("backoffLimit: 4");
  course.until(3);
  course.report(course.only_active(), PodPhase::Failed, 1);
  course.until(12);
  CHECK(course.pod_count() == 1);
  course.until(13);
  CHECK(course.pod_count() == 2);
}

TEST_CASE("K07: a controller that starts anew has forgotten the wait, not the count", "[kubejob]") {
  Course course("backoffLimit: 10");
  course.fail_all(1, 74);
  course.until(80);
  CHECK(course.status().failed == 4);
  CHECK(course.pod_count() == 4);
  course.restart();
  CHECK(course.pod_count() == 5);
  CHECK(course.creations().back() == 80);
  CHECK(course.status().failed == 4);
}

TEST_CASE("K09: a replacement at the beginning or at the end of a deletion", "[kubejob]") {
  for (const bool waits : {false, true}) {
    CAPTURE(waits);
    Course course(waits ? "podReplacementPolicy: Failed" : "");
    const std::string first = course.only_active();
    course.report(first, PodPhase::Running);
    course.until(30);
    course.store.delete_pod("default/" + first, course.now);
    course.until(32);
    CHECK(course.status().terminating == 1);
    course.until(60);
    CHECK(course.pod_count() == (waits ? 1 : 2));
    course.report(first, PodPhase::Failed, 143);
    course.until(75);
    CHECK(course.creations() == std::vector<std::int64_t>{0, waits ? 70 : 40});
    CHECK(course.status().failed == 1);
  }
}

TEST_CASE("K11: a FailureTarget that is False fails nothing", "[kubejob]") {
  Course course("");
  course.until(5);
  Job changed = course.current();
  changed.status.conditions.push_back({"FailureTarget", "False", {}, course.now, "SomeTool", ""});
  course.store.update_job(changed);
  course.until(20);
  course.report(course.only_active(), PodPhase::Succeeded);
  course.until(22);
  CHECK(course.finished() == "Complete");
}

TEST_CASE("K12: suspending stops the clock of the deadline and resuming starts it anew", "[kubejob]") {
  Course course("activeDeadlineSeconds: 300");
  course.report(course.only_active(), PodPhase::Running);
  course.until(200);
  course.change_spec([](JobSpec& spec) { spec.suspend = true; });
  course.until(202);
  course.stop_deleted();
  CHECK_FALSE(course.status().start_time.has_value());
  course.until(1000);
  CHECK(course.finished().empty());
  CHECK(course.status().failed == 0);
  course.change_spec([](JobSpec& spec) { spec.suspend = false; });
  CHECK(course.status().start_time == JobBench::at(3600 + 1000));
  course.report(course.only_active(), PodPhase::Running);
  course.until(1299);
  CHECK(course.status().find_true("FailureTarget") == nullptr);
  course.until(1300);
  REQUIRE(course.status().find_true("FailureTarget") != nullptr);
  course.stop_deleted();
  course.until(1302);
  CHECK(course.reason() == "DeadlineExceeded");
}

TEST_CASE("K15: a pod that cannot start ends nothing", "[kubejob]") {
  Course course("backoffLimit: 0");
  course.until(300);
  CHECK(course.status().active == 1);
  CHECK(course.finished().empty());
  course.report(course.only_active(), PodPhase::Running);
  course.until(330);
  CHECK(course.status().active == 1);
  course.report(course.only_active(), PodPhase::Succeeded);
  course.until(332);
  CHECK(course.finished() == "Complete");
}

TEST_CASE("K16: a second container that never stops keeps its job active", "[kubejob]") {
  Course course("");
  const std::string name = course.only_active();
  course.report(name, PodPhase::Running);
  course.until(30);
  Pod half = course.stored(name);
  half.containers = {{"main", 0, true, 0, course.now}, {"proxy", 0, false, 0, {}}};
  course.store.update_pod(half);
  course.until(100'000);
  CHECK(course.status().active == 1);
  CHECK(course.status().succeeded == 0);
  CHECK(course.finished().empty());
}

TEST_CASE("K17: one index keeps failing", "[kubejob]") {
  const std::string base = "completionMode: Indexed, completions: 5, parallelism: 5, backoffLimitPerIndex: 1";
  SECTION("the others go on") {
    Course course(base);
    course.until(5);
    course.report(course.pod_of_index(2), PodPhase::Failed, 1);
    course.until(16);
    REQUIRE_FALSE(course.pod_of_index(2).empty());
    course.until(21);
    course.report(course.pod_of_index(2), PodPhase::Failed, 1);
    course.until(60);
    CHECK(course.finished().empty());
    CHECK(course.status().failed_indexes == "2");
    course.report_all(PodPhase::Succeeded);
    course.until(62);
    CHECK(course.reason() == "FailedIndexes");
    CHECK(course.status().completed_indexes == "0,1,3,4");
    CHECK(course.status().failed_indexes == "2");
    CHECK(course.status().failed == 2);
  }
  SECTION("maxFailedIndexes 0") {
    Course course(base + ", maxFailedIndexes: 0");
    course.report_all(PodPhase::Running);
    course.until(5);
    course.report(course.pod_of_index(2), PodPhase::Failed, 1);
    course.until(16);
    CHECK(course.finished().empty());
    course.until(21);
    course.report(course.pod_of_index(2), PodPhase::Failed, 1);
    course.until(23);
    CHECK(course.status().find_true("FailureTarget")->reason == "MaxFailedIndexesExceeded");
    CHECK(course.status().terminating == 4);
    course.stop_deleted();
    course.until(25);
    CHECK(course.reason() == "MaxFailedIndexesExceeded");
  }
}

TEST_CASE("K20: ended pods that someone cleans away are counted all the same", "[kubejob]") {
  Course course("completions: 1000, parallelism: 50");
  std::size_t made = 0;
  std::size_t gone = 0;
  for (int round = 0; round < 200 && course.finished().empty(); ++round) {
    course.run_for(3);
    for (const std::string& name : course.names_of(true)) {
      course.report(name, PodPhase::Succeeded);
      if (++made % 100 != 0) continue;
      std::vector<std::string> ended;
      for (const auto& [key, pod] : course.store.pods())
        if (pod->phase == PodPhase::Succeeded) ended.push_back(key);
      for (const std::string& key : ended) course.store.delete_pod(key, course.now);
      gone += ended.size();
    }
  }
  CHECK(course.finished() == "Complete");
  CHECK(course.status().succeeded == 1000);
  CHECK(made == 1000);
  CHECK(gone == 1000);
  CHECK(course.pod_count() == 0);
}

TEST_CASE("K21: pods of a finished or deleted job do not hang", "[kubejob]") {
  SECTION("A: complete, then deleted, its pods orphaned") {
    Course course("");
    const std::string name = course.only_active();
    course.report(name, PodPhase::Succeeded);
    course.until(2);
    REQUIRE(course.finished() == "Complete");
    course.store.remove_job("default/j");
    course.settle();
    CHECK_FALSE(course.stored(name).is_tracked());
  }
  SECTION("B: deleted in the foreground") {
    Course course("");
    const std::string name = course.only_active();
    course.report(name, PodPhase::Running);
    course.until(5);
    Job deleting = course.current();
    deleting.meta.deletion = course.now;
    course.store.update_job(deleting);
    course.store.delete_pod("default/" + name, course.now);
    course.until(7);
    CHECK_FALSE(course.stored(name).is_tracked());
    course.stop_deleted();
    CHECK(course.pod_count() == 0);
  }
}

TEST_CASE("K24: when the leader is through the job is", "[kubejob]") {
  Course course(
      "completionMode: Indexed, completions: 4, parallelism: 4, successPolicy: {rules: [{succeededIndexes: '0'}]}");
  course.report_all(PodPhase::Running);
  course.until(30);
  course.report(course.pod_of_index(0), PodPhase::Succeeded);
  course.until(31);
  CHECK(course.status().find_true("SuccessCriteriaMet")->reason == "SuccessPolicy");
  CHECK(course.status().terminating == 3);
  course.until(45);
  CHECK(course.finished().empty());
  course.stop_deleted();
  course.until(47);
  CHECK(course.finished() == "Complete");
  CHECK(course.status().succeeded == 1);
  CHECK(course.status().failed == 0);
}

TEST_CASE("K26: without completions the first success stops new pods, not the running ones", "[kubejob]") {
  Course course("parallelism: 3");
  course.report_all(PodPhase::Running);
  course.until(20);
  const auto names = course.names_of(true);
  REQUIRE(names.size() == 3);
  course.report(names[0], PodPhase::Succeeded);
  course.until(50);
  CHECK(course.status().active == 2);
  course.report(names[1], PodPhase::Failed, 1);
  course.until(80);
  CHECK(course.status().active == 1);
  CHECK(course.finished().empty());
  course.report(names[2], PodPhase::Succeeded);
  course.until(82);
  CHECK(course.finished() == "Complete");
  CHECK(course.status().succeeded == 2);
  CHECK(course.status().failed == 1);
  CHECK(course.pod_count() == 3);
}

TEST_CASE("K27: pods stopped by suspend that exit 0 are not counted", "[kubejob]") {
  Course course("completions: 2, parallelism: 2");
  course.report_all(PodPhase::Running);
  course.until(10);
  const auto names = course.names_of(true);
  course.change_spec([](JobSpec& spec) { spec.suspend = true; });
  course.until(12);
  for (const std::string& name : names) course.report(name, PodPhase::Succeeded);
  course.stop_deleted();
  course.until(60);
  CHECK(course.status().succeeded == 0);
  CHECK(course.pod_count() == 0);
  course.change_spec([](JobSpec& spec) { spec.suspend = false; });
  course.until(62);
  CHECK(course.status().succeeded == 0);
  CHECK(course.status().active == 2);
}

TEST_CASE("K28: as many failures as the limit are not too many", "[kubejob]") {
  Course course("backoffLimit: 2");
  course.until(5);
  course.report(course.only_active(), PodPhase::Failed, 1);
  course.until(15);
  const std::string second = course.only_active();
  course.until(20);
  course.report(second, PodPhase::Failed, 1);
  course.until(39);
  CHECK(course.status().failed == 2);
  CHECK(course.finished().empty());
  CHECK(course.names_of(true).empty());
  course.until(40);
  const std::string third = course.only_active();
  course.until(60);
  course.report(third, PodPhase::Succeeded);
  course.until(62);
  CHECK(course.finished() == "Complete");
}

TEST_CASE("an image that cannot be pulled never ends a job without a deadline", "[kubejob]") {
  Course course("backoffLimit: 0");
  course.until(10'000'000);
  CHECK(course.finished().empty());
  CHECK(course.status().active == 1);
  Course with_deadline("backoffLimit: 0, activeDeadlineSeconds: 100");
  with_deadline.until(102);
  with_deadline.stop_deleted();
  with_deadline.until(105);
  CHECK(with_deadline.reason() == "DeadlineExceeded");
}

}  // namespace
}  // namespace pumice::kubejob
