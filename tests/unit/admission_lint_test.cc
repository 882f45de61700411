// Lint: what is accepted and surprises (spec/volcano-job.md 12 and its kin), and leaving it out.
#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::kPod;
using test::one_task;
using test::review_of;
using test::volcano_job;

/// Ids and fields of what lint finds; errors are left to other tests.
std::set<std::string> lint_of(const std::string& manifest, const Options& options = {}) {
  std::set<std::string> found;
  for (const Diagnostic& finding : review_of(manifest, options).diagnostics) {
    CHECK_FALSE(finding.message.empty());
    CHECK_FALSE(finding.hint.empty());
    if (finding.severity != Severity::Error && finding.code.find(".lint.") != std::string::npos) {
      found.insert(finding.code + " " + finding.field);
    }
  }
  return found;
}

struct Case {
  std::string manifest;
  std::string want;          ///< one finding that must be there
  std::string same_without;  ///< a manifest close to it, in which it must not be
};

void check(std::initializer_list<Case> cases) {
  for (const Case& one : cases) {
    CAPTURE(one.manifest, one.want);
    CHECK(lint_of(one.manifest).contains(one.want));
    const std::string id = one.want.substr(0, one.want.find(' '));
    for (const std::string& finding : lint_of(one.same_without)) {
      CAPTURE(finding);
      CHECK_FALSE(finding.starts_with(id + " "));
    }
  }
}

std::string with_policies(const std::string& policies, const std::string& task = "replicas: 2") {
  return one_task(task, "policies: [" + policies + "]");
}
std::string with_pod(const std::string& pod, const std::string& more = "", const std::string& task = "") {
  return volcano_job("{" + more + (more.empty() ? "" : ", ") + "tasks: [{name: w, replicas: 2, " + task +
                     (task.empty() ? "" : ", ") + "template: {spec: {" + pod + "}}}]}");
}
const std::string kPlain = one_task("replicas: 2");
const std::string kOne = "containers: [{name: m, image: i}]";
const std::string kTwo = "containers: [{name: m, image: i}, {name: second, image: i}]";

TEST_CASE("a plain job has nothing to wonder at", "[admission]") {
  CHECK(lint_of(kPlain).empty());
  CHECK(review_of(kPlain).allowed);
  CHECK(review_of(kPlain).diagnostics.empty());
}

TEST_CASE("policies of Volcano Jobs", "[admission]") {
  const std::string restart = "{event: PodFailed, action: RestartJob}";
  check({
      {with_policies("{event: '*', action: RestartJob}, {exitCode: 3, action: AbortJob}"),
       "volcano.lint.behind-any spec.policies[1]",
       with_policies("{exitCode: 3, action: AbortJob}, {event: '*', action: RestartJob}")},
      {one_task("replicas: 2, policies: [" + restart + "]", "policies: [{event: PodFailed, action: AbortJob}]"),
       "volcano.lint.task-hides-job spec.tasks[0].policies[0]",
       one_task("replicas: 2, policies: [" + restart + "]", "policies: [{event: PodEvicted, action: AbortJob}]")},
      {with_policies("{event: PodPending, action: AbortJob}"), "volcano.lint.pending-without-timeout spec.policies[0]",
       with_policies("{event: PodPending, action: AbortJob, timeout: 5m}")},
      {with_policies("{event: '*', action: RestartJob, timeout: 5m}"),
       "volcano.lint.any-with-timeout spec.policies[0].timeout", with_policies("{event: '*', action: RestartJob}")},
      {with_pod("restartPolicy: Never, " + kTwo, "policies: [{exitCode: 3, action: RestartJob}]"),
       "volcano.lint.exit-code-first-container spec.policies[0].exitCode",
       with_pod("restartPolicy: Never, " + kOne, "policies: [{exitCode: 3, action: RestartJob}]")},
      {with_policies("{exitCode: 3, action: CloseQueue}"), "volcano.lint.exit-code-action spec.policies[0]",
       with_policies("{exitCode: 3, action: RestartJob}")},
      {with_policies("{exitCode: 3}"), "volcano.lint.exit-code-action spec.policies[0]", kPlain},
      {with_policies("{exitCode: 256, action: RestartJob}"), "volcano.lint.exit-code-range spec.policies[0].exitCode",
       with_policies("{exitCode: 255, action: RestartJob}")},
      {with_policies("{event: Unknown, action: AbortJob}"), "volcano.lint.unknown-once spec.policies[0]",
       with_policies(restart)},
      {with_policies("{event: Unknown, action: RestartTask}"),
       "volcano.lint.unknown-partial-restart spec.policies[0].action",
       with_policies("{event: Unknown, action: RestartJob}")},
      {with_policies("{event: TaskFailed, action: RestartJob}"), "volcano.lint.task-failed-never spec.policies[0]",
       with_pod("restartPolicy: OnFailure, " + kOne, "policies: [{event: TaskFailed, action: RestartJob}]")},
      {one_task("replicas: 2, minAvailable: 1, policies: [{event: TaskCompleted, action: CompleteJob}]"),
       "volcano.lint.task-completed-all spec.tasks[0].policies[0]",
       one_task("replicas: 2, policies: [{event: TaskCompleted, action: CompleteJob}]")},
      {with_policies("{event: JobUpdated, action: RestartJob}"), "volcano.lint.job-updated-never spec.policies[0]",
       with_policies(restart)},
      {with_policies("{event: PodFailed, action: RestartPod}"),
       "volcano.lint.partial-restart-budget spec.policies[0].action", with_policies(restart)},
      {with_policies("{event: PodPending, action: RestartPod, timeout: 5m}"),
       "volcano.lint.pending-timer-outlives-pod spec.policies[0].timeout",
       with_policies("{event: PodPending, action: AbortJob, timeout: 5m}")},
      {with_policies("{event: PodEvicted, action: RestartJob}"), "volcano.lint.scale-down-evicts spec.policies[0]",
       with_policies(restart)},
      {with_pod("restartPolicy: OnFailure, " + kOne, "policies: [" + restart + "]"),
       "volcano.lint.restart-policy-hides-failure spec.policies[0]",
       with_pod("restartPolicy: Never, " + kOne, "policies: [" + restart + "]")},
      {with_pod(kOne), "volcano.lint.restart-policy-always spec.tasks[0].template.spec",
       with_pod("restartPolicy: OnFailure, " + kOne)},
      {with_pod("restartPolicy: Always, " + kOne),
       "volcano.lint.restart-policy-always spec.tasks[0].template.spec.restartPolicy", kPlain},
  });
}

TEST_CASE("counts, retries and names of Volcano Jobs", "[admission]") {
  const std::string policies = "policies: [{event: PodFailed, action: RestartJob}]";
  const std::string dependent = "{name: w, replicas: 2, dependsOn: {name: [lead]}, template: " + kPod + "}]}";
  const std::string lead = "tasks: [{name: lead, replicas: 1, template: " + kPod + "}, " + dependent;
  check({
      {one_task("replicas: 2", "minAvailable: 0"), "volcano.lint.min-available-zero spec.minAvailable", kPlain},
      {one_task("replicas: 2, minAvailable: 0"), "volcano.lint.min-available-zero spec.minAvailable", kPlain},
      {one_task("replicas: 2", "minAvailable: 1"), "volcano.lint.task-minimums-ignored spec.minAvailable",
       one_task("replicas: 2, minAvailable: 1", "minAvailable: 1")},
      {one_task("replicas: 2", "minSuccess: 3"), "volcano.lint.min-success-unreachable spec.minSuccess",
       one_task("replicas: 2", "minSuccess: 2")},
      {one_task("replicas: 2", "minSuccess: 1"), "volcano.lint.min-success-kills spec.minSuccess",
       one_task("replicas: 2", "minSuccess: 2")},
      {one_task("replicas: 2", "maxRetry: 0"), "volcano.lint.max-retry-zero spec.maxRetry", kPlain},
      {one_task("replicas: 2", "maxRetry: 1, " + policies), "volcano.lint.max-retry-runs spec.maxRetry",
       one_task("replicas: 2", "maxRetry: 2, " + policies)},
      {one_task("replicas: 2", policies), "volcano.lint.max-retry-runs-note spec.maxRetry", kPlain},
      {volcano_job("{minAvailable: 3, " + lead), "volcano.lint.gang-waits-for-dependants spec.minAvailable",
       volcano_job("{minAvailable: 1, " + lead)},
      {one_task("replicas: 2", "activeDeadlineSeconds: 300"),
       "volcano.lint.kubernetes-field spec.activeDeadlineSeconds", kPlain},
      {one_task("replicas: 2", "volumes: [{mountPath: /a, volumeClaimName: c}]"),
       "volcano.lint.claim-must-exist spec.volumes[0].volumeClaimName",
       one_task("replicas: 2", "volumes: [{mountPath: /a, volumeClaim: {}}]")},
      {one_task("replicas: 2", "schedulerName: default-scheduler"), "volcano.lint.scheduler spec.schedulerName",
       one_task("replicas: 2", "schedulerName: volcano")},
      {with_pod("schedulerName: default-scheduler, restartPolicy: Never, " + kOne),
       "volcano.lint.scheduler spec.tasks[0].template.spec.schedulerName", kPlain},
      {volcano_job("{tasks: [{name: " + std::string(57, 'w') + ", replicas: 1001, template: " + kPod + "}]}"),
       "volcano.lint.pod-name-length spec.tasks[0].replicas",
       volcano_job("{tasks: [{name: " + std::string(57, 'w') + ", replicas: 1000, template: " + kPod + "}]}")},
  });
}

TEST_CASE("schedules and their jobs", "[admission]") {
  const auto kube = [](const std::string& more) {
    return test::kube_cron("schedule: '0 1 * * *', timeZone: UTC" + more);
  };
  const auto schedule = [](const std::string& text) {
    return test::kube_cron("schedule: '" + text + "', timeZone: UTC");
  };
  const std::string plain = kube("");
  const std::string deadline = ", jobTemplate: {spec: {activeDeadlineSeconds: 60, template: " + kPod + "}}";
  CHECK(lint_of(plain).empty());
  check({
      {schedule("0 0 */2 * 3"), "cron.lint.either-day spec.schedule", plain},
      {schedule("*/7 * * * *"), "cron.lint.uneven-step spec.schedule", plain},
      {schedule("0 0 31 2 *"), "cron.lint.never-fires spec.schedule", plain},
      {test::kube_cron("schedule: '@every 6h'"), "cron.lint.every-has-no-anchor spec.schedule", plain},
      {test::kube_cron("schedule: '@every 1500ms'"), "cron.lint.every-rounded spec.schedule", plain},
      {test::kube_cron("schedule: '@every 6h', timeZone: UTC"), "cron.lint.every-ignores-zone spec.schedule", plain},
      {test::kube_cron("schedule: '@every 30s'"), "cron.lint.every-under-minute spec.schedule",
       test::kube_cron("schedule: '@every 60s'")},
      {test::kube_cron("schedule: '0 1 * * *'"), "cron.lint.no-time-zone spec.schedule", plain},
      {kube(", startingDeadlineSeconds: 9"), "cron.lint.short-deadline spec.startingDeadlineSeconds",
       kube(", startingDeadlineSeconds: 10")},
      {kube(", concurrencyPolicy: Forbid"), "cron.lint.forbid-can-hang spec.concurrencyPolicy",
       kube(", concurrencyPolicy: Forbid" + deadline)},
      {kube(", suspend: true"), "cron.lint.suspended spec.suspend", plain},
      {kube(", failedJobsHistoryLimit: 0"), "cron.lint.no-failed-history spec.failedJobsHistoryLimit", plain},
      {test::volcano_cron("schedule: '0 1 * * *', concurrencyPolicy: Forbid"),
       "cron.lint.forbid-can-hang spec.concurrencyPolicy", test::volcano_cron("schedule: '0 1 * * *'")},
      {test::volcano_cron(
           "schedule: '0 1 * * *', jobTemplate: {spec: {policies: [{event: PodPending, action: AbortJob}], tasks: "
           "[{name: w, template: " +
           kPod + "}]}}"),
       "volcano.lint.pending-without-timeout spec.jobTemplate.spec.policies[0]",
       test::volcano_cron("schedule: '0 1 * * *'")},
      {kube(", jobTemplate: {spec: {parallelism: 0, template: " + kPod + "}}"),
       "job.lint.no-parallelism spec.jobTemplate.spec.parallelism", plain},
  });
  Options options;
  options.after = parse_rfc3339("2026-03-01T00:00:00Z");
  const auto zoned = lint_of(test::kube_cron("schedule: '30 2 * * *', timeZone: Europe/Berlin"), options);
  CHECK(zoned.contains("cron.lint.skipped-by-clock-change spec.schedule"));
  CHECK(zoned.contains("cron.lint.doubled-by-clock-change spec.schedule"));
}

TEST_CASE("batch/v1 Jobs", "[admission]") {
  const auto job = [](const std::string& more) { return test::kube_job(more); };
  const std::string plain = job("");
  const auto pod = [](const std::string& text) { return "template: {spec: {" + text + "}}"; };
  const std::string rules = "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [3]}}]}";
  CHECK(lint_of(plain).empty());
  check({
      {job("parallelism: 0"), "job.lint.no-parallelism spec.parallelism", plain},
      {job("parallelism: 3, completions: 2"), "job.lint.surplus-parallelism spec.parallelism",
       job("parallelism: 2, completions: 2")},
      {job("completions: 0"), "job.lint.no-completions spec.completions", plain},
      {job("parallelism: 2"), "job.lint.work-queue spec.parallelism", job("parallelism: 2, completions: 2")},
      {job(pod("restartPolicy: OnFailure, " + kOne)), "job.lint.on-failure-loses-pod spec.template.spec.restartPolicy",
       plain},
      {job("backoffLimit: 0"), "job.lint.backoff-limit-zero spec.backoffLimit", job("backoffLimit: 1")},
      {job("completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1"),
       "job.lint.backoff-limit-per-index spec.backoffLimitPerIndex",
       job("completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, backoffLimit: 3")},
      {job(pod("restartPolicy: Never, activeDeadlineSeconds: 5, " + kOne)),
       "job.lint.pod-deadline spec.template.spec.activeDeadlineSeconds",
       job("activeDeadlineSeconds: 5, " + pod("restartPolicy: Never, activeDeadlineSeconds: 5, " + kOne))},
      {job("suspend: true"), "job.lint.suspended spec.suspend", plain},
      {job(rules + ", " + pod("restartPolicy: Never, " + kTwo)),
       "job.lint.exit-code-any-container spec.podFailurePolicy.rules[0].onExitCodes",
       job(rules + ", " + pod("restartPolicy: Never, " + kOne))},
  });
}

TEST_CASE("flows of jobs", "[admission]") {
  const auto flow = [](const std::string& flows, const std::string& name = "f") {
    return "{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, metadata: {name: " + name +
           ", namespace: team}, spec: {flows: [" + flows + "]}}";
  };
  const std::string plain = flow("{name: a}");
  CHECK(lint_of(plain).empty());
  check({
      {flow(""), "flow.lint.empty spec.flows", plain},
      {flow("{name: a}, {name: a}"), "flow.lint.duplicate-step spec.flows[1].name", plain},
      {flow("{name: a, patch: {jobSpec: {}}}"), "flow.lint.dead-patch spec.flows[0].patch", plain},
      {flow("{name: a, dependsOn: {probe: {}}}"), "flow.lint.dead-probe spec.flows[0].dependsOn.probe", plain},
      {flow("{name: " + std::string(59, 'a') + "}"), "flow.lint.label-length spec.flows[0].name",
       flow("{name: " + std::string(58, 'a') + "}")},
      {flow("{name: a}", std::string(59, 'f')), "flow.lint.label-length metadata.name", plain},
  });
}

TEST_CASE("leaving rules out", "[admission]") {
  const std::string manifest =
      one_task("replicas: 2", "policies: [{event: PodPending, action: RestartPod}], maxRetry: 1");
  CHECK(lint_of(manifest).size() == 3);
  Options options;
  options.ignored = {"volcano.lint.pending-without-timeout"};
  CHECK(lint_of(manifest, options).size() == 2);
  options.ignored = {"volcano.lint"};
  CHECK(lint_of(manifest, options).empty());
  options.ignored = {"volcano.li"};
  CHECK(lint_of(manifest, options).size() == 3);
  options.ignored.clear();
  options.lint = false;
  CHECK(lint_of(manifest, options).empty());
  const auto annotated = [](const std::string& annotation) {
    return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j, annotations: {pumice.dev/ignore: '" +
           annotation +
           "'}}\nspec: {policies: [{event: PodPending, action: RestartPod}], maxRetry: 1, plugins: {big: []}, tasks: "
           "[{name: w, "
           "replicas: 2, template: " +
           kPod + "}]}\n";
  };
  CHECK(lint_of(annotated("volcano.lint.max-retry-runs, volcano.lint.partial-restart-budget")) ==
        std::set<std::string>{"volcano.lint.pending-without-timeout spec.policies[0]"});
  // What a cluster refuses cannot be left out.
  CHECK_FALSE(review_of(annotated("volcano")).allowed);
  CHECK(test::codes_of(review_of(annotated("volcano"))) == "volcano.job.plugin  spec.plugins.big\n");
}

TEST_CASE("every rule of the table is complete and in order", "[admission]") {
  std::string_view last;
  for (const Rule& rule : rules()) {
    CAPTURE(rule.id);
    CHECK(last < rule.id);
    last = rule.id;
    CHECK(find_rule(rule.id) == &rule);
    CHECK_FALSE(rule.explanation.empty());
    CHECK_FALSE(rule.fix.empty());
    CHECK_FALSE(rule.field.empty());
    CHECK(rule.upstream.empty() == (rule.source == RuleSource::Lint));
    CHECK((rule.source == RuleSource::Lint) == (rule.id.find(".lint.") != std::string_view::npos));
    if (rule.source == RuleSource::Lint) CHECK(rule.severity != Severity::Error);
  }
  CHECK(find_rule("volcano.job") == nullptr);
  CHECK(find_rule("zzz") == nullptr);
}

}  // namespace
}  // namespace pumice::admission
