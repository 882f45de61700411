// CronJobs of both kinds (spec/volcano-admission.md 6 and 7.5, spec/k8s-cronjob.md 9) and JobFlows
// (spec/volcano-jobflow.md 1.3 and 7).
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::cluster;
using test::kube_cron;
using test::review_of;
using test::verdict_of;
using test::volcano_cron;
using test::webhook;

struct Case {
  std::string spec;
  std::string want;
};

TEST_CASE("Volcano: schedule and time zone", "[admission]") {
  const std::string zone = "schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field";
  const Case cases[] = {
      {"schedule: '* * * * *'", "allowed"},
      {"schedule: '@every 1m'", "allowed"},
      {"schedule: '@hourly'", "allowed"},
      {"schedule: '*/5 * * * *', timeZone: Pacific/Honolulu", "allowed"},
      {"schedule: '* * * * *', timeZone: UTC", "allowed"},
      {"schedule: ''", "schedule is required, but got empty"},
      {"schedule: 'TZ=UTC 0 20 * * *'", zone},
      {"schedule: 'CRON_TZ=UTC 0 20 * * *', timeZone: UTC", zone},
      {"schedule: error schedule", "schedule is not a valid cron expression"},
      {"schedule: '* * * * *', timeZone: ''", "timeZone must be nil or non-empty string, got empty string"},
      {"schedule: '', timeZone: ''",
       "schedule is required, but got empty timeZone must be nil or non-empty string, got empty string"},
      {"schedule: '* * * * *', timeZone: Local",
       "timeZone can't be Local, and must be defined in https://www.iana.org/time-zones"},
      {"schedule: '* * * * *', timeZone: LOCAL",
       "timeZone can't be Local, and must be defined in https://www.iana.org/time-zones"},
      {"schedule: '* * * * *', timeZone: Amerrica/New_York", "invalid timeZone"},
      {"schedule: '* * * * *', timeZone: 'UTC!'", "unknown timeZone invalid timeZone"},
      {"schedule: '* * * * *', timeZone: America/-NewYork", "unknown timeZone invalid timeZone"},
      {"schedule: '* * * * *', timeZone: New York", "unknown timeZone invalid timeZone"},
      {"schedule: '* * * * *', timeZone: ../..", "unknown timeZone unknown timeZone invalid timeZone"},
      {"schedule: '* * * * *', timeZone: a//b", "unknown timeZone invalid timeZone"},
      {"schedule: '* * * * *', timeZone: abcdefghijklmno", "unknown timeZone invalid timeZone"},
      {"schedule: error schedule, timeZone: Local",
       "schedule is not a valid cron expression timeZone can't be Local, and must be defined in "
       "https://www.iana.org/time-zones"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.spec);
    CHECK(verdict_of(review_of(volcano_cron(one.spec), webhook())) == one.want);
  }
  // `.` as a part: whether the database answers is left open by the specification.
  CHECK(verdict_of(review_of(volcano_cron("schedule: '* * * * *', timeZone: Asia/./Shanghai"), webhook()))
            .starts_with("unknown timeZone"));
}

TEST_CASE("Volcano: name of a CronJob", "[admission]") {
  const auto verdict = [](const std::string& name, const std::string& spec = "schedule: '* * * * *'") {
    return verdict_of(review_of(volcano_cron(spec, name), webhook()));
  };
  const std::string too_long =
      "cronJob name must be no more than 52 characters to accommodate job name suffix (max 63 total)";
  CHECK(verdict(std::string(52, 'a')) == "allowed");
  CHECK(verdict(std::string(53, 'a')) == too_long);
  CHECK(verdict(std::string(65, 'a')) == too_long);
  CHECK(verdict("-UPPERCASE") ==
        "invalid cronJob name \"-UPPERCASE\": name part must consist of alphanumeric characters, '-', '_' or '.', and "
        "must "
        "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
        "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
  CHECK(verdict(std::string(53, 'a'), "schedule: x") == "schedule is not a valid cron expression; " + too_long);
  // The same rules on update; what was there before is not looked at.
  const std::string bad = volcano_cron("schedule: x");
  CHECK(verdict_of(review_of(bad, webhook(), bad)) == "schedule is not a valid cron expression");
}

TEST_CASE("Volcano: the template of a CronJob is not looked at", "[admission]") {
  CHECK(review_of(
            volcano_cron("schedule: '* * * * *', jobTemplate: {spec: {tasks: [{name: w, template: {}}], queue: q}}"),
            webhook())
            .allowed);
}

std::string flow(const std::string& flows) {
  return "{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, metadata: {name: f, namespace: team}, spec: {flows: [" +
         flows + "]}}";
}
std::string step(const std::string& name, const std::string& targets) {
  return "{name: " + name + ", dependsOn: {targets: [" + targets + "]}}";
}

TEST_CASE("flows", "[admission]") {
  const auto verdict = [](const std::string& flows) { return verdict_of(review_of(flow(flows), webhook())); };
  const std::string cycle = "jobflow Flow is not DAG";
  CHECK(verdict("") == "allowed");
  CHECK(verdict("{name: a}, " + step("b", "a")) == "allowed");
  CHECK(verdict(step("a", "b")) == "jobflow Flow is not DAG: vertex is not defined: b");
  CHECK(verdict(step("a", "c") + ", " + step("b", "a") + ", " + step("c", "b")) == cycle);
  CHECK(verdict(step("a", "b") + ", " + step("b", "a") + ", {name: c}") == cycle);
  CHECK(verdict(step("a", "a")) == cycle);
  CHECK(verdict("{name: a}, " + step("b", "a") + ", " + step("c", "a") + ", " + step("d", "b, c")) == "allowed");
  CHECK(verdict("{name: a}, " + step("b", "a, a")) == "allowed");
  CHECK(verdict("{name: a}, {name: a}") == "allowed");
  CHECK(verdict("{name: a}, " + step("c", "x") + ", " + step("c", "a")) ==
        "jobflow Flow is not DAG: vertex is not defined: x");
  CHECK(verdict(step("a", "b") + ", " + step("b", "a") + ", {name: a}") == "allowed");
  // The whole of a deep chain is walked without recursion.
  std::string chain;
  for (int i = 0; i < 2000; ++i) {
    chain += (i == 0 ? "" : ", ") + step("s" + std::to_string(i), "s" + std::to_string((i + 1) % 2000));
  }
  CHECK(verdict(chain) == cycle);
}

TEST_CASE("batch/v1: rules of a CronJob", "[admission]") {
  const auto refused = [](const std::string& text) { return "CronJob.batch \"c\" is invalid: " + text; };
  const auto schedule = [&](const std::string& text, const std::string& why) {
    return refused("spec.schedule: Invalid value: \"" + text + "\": " + why);
  };
  const auto zone = [&](const std::string& text, const std::string& why) {
    return refused("spec.timeZone: Invalid value: \"" + text + "\": " + why);
  };
  const std::string restart =
      "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"";
  const Case cases[] = {
      {"schedule: '* * * * *'", "allowed"},
      {"schedule: '* * * * *', timeZone: Europe/Berlin", "allowed"},
      {"schedule: ''", refused("spec.schedule: Required value")},
      {"schedule: '0 0 * * 7'", schedule("0 0 * * 7", "end of range (7) above maximum (6): 7")},
      {"schedule: 'TZ=UTC 0 0 * * *'",
       schedule("TZ=UTC 0 0 * * *", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")},
      {"schedule: '* * * * *', timeZone: ''", zone("", "timeZone must be nil or non-empty string")},
      {"schedule: '* * * * *', timeZone: Local",
       zone("Local", "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")},
      {"schedule: '* * * * *', timeZone: America/-NewYork",
       zone("America/-NewYork", "unknown time zone America/-NewYork")},
      {"schedule: '* * * * *', timeZone: Europe/Berlni", zone("Europe/Berlni", "unknown time zone Europe/Berlni")},
      {"schedule: '* * * * *', startingDeadlineSeconds: -1",
       refused("spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0")},
      {"schedule: '* * * * *', concurrencyPolicy: Never",
       refused("spec.concurrencyPolicy: Unsupported value: \"Never\": supported values: \"Allow\", \"Forbid\", "
               "\"Replace\"")},
      {"schedule: '* * * * *', successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -2",
       refused("[spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0, "
               "spec.failedJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0]")},
      {"schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {containers: [{name: m, image: i}]}}}}",
       refused(restart)},
      {"schedule: '* * * * *', jobTemplate: {spec: {selector: {matchLabels: {a: b}}, template: " + test::kPod + "}}",
       refused("spec.jobTemplate.spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: `selector` will be "
               "auto-generated")},
      {"schedule: '* * * * *', jobTemplate: {spec: {manualSelector: true, template: " + test::kPod + "}}",
       refused("spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: \"nil\", \"false\"")},
      {"schedule: '* * * * *', jobTemplate: {spec: {parallelism: -1, template: " + test::kPod + "}}",
       refused("spec.jobTemplate.spec.parallelism: Invalid value: -1: must be greater than or equal to 0")},
  };
  for (const Case& one : cases) {
    CAPTURE(one.spec);
    CHECK(verdict_of(review_of(kube_cron(one.spec), cluster())) == one.want);
  }
  CHECK(verdict_of(review_of(kube_cron("schedule: '* * * * *'", std::string(52, 'a')), cluster())) == "allowed");
  const std::string long_name(53, 'a');
  CHECK(verdict_of(review_of(kube_cron("schedule: '* * * * *'", long_name), cluster())) ==
        "CronJob.batch \"" + long_name + "\" is invalid: metadata.name: Invalid value: \"" + long_name +
            "\": must be no more than 52 bytes");
}

TEST_CASE("batch/v1: a CronJob on update", "[admission]") {
  const auto verdict = [](const std::string& now, const std::string& old, const std::string& name = "c") {
    return verdict_of(review_of(kube_cron(now, name), cluster(), kube_cron(old, name)));
  };
  const std::string zoned = "schedule: 'TZ=UTC 0 0 * * *'";
  CHECK(verdict(zoned, zoned) == "allowed");
  CHECK(verdict(zoned + ", timeZone: UTC", zoned) ==
        "CronJob.batch \"c\" is invalid: spec.schedule: Invalid value: \"TZ=UTC 0 0 * * *\": cannot use both timeZone "
        "field and "
        "TZ or CRON_TZ in schedule");
  CHECK(
      verdict(zoned, "schedule: '0 0 * * *'") ==
      "CronJob.batch \"c\" is invalid: spec.schedule: Invalid value: \"TZ=UTC 0 0 * * *\": cannot use TZ or CRON_TZ in "
      "schedule, use timeZone field instead");
  // A zone that was accepted once stays.
  CHECK(verdict("schedule: '1 * * * *', timeZone: Old/Zone", "schedule: '* * * * *', timeZone: Old/Zone") == "allowed");
  CHECK(verdict("schedule: '* * * * *', timeZone: Old/Zone", "schedule: '* * * * *'") ==
        "CronJob.batch \"c\" is invalid: spec.timeZone: Invalid value: \"Old/Zone\": unknown time zone Old/Zone");
  CHECK(verdict("schedule: '1 * * * *'", "schedule: '* * * * *'", std::string(53, 'a')) == "allowed");
}

}  // namespace
}  // namespace pumice::admission
