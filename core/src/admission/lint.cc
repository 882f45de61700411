#include "admission/lint.h"

#include <set>

#include "compose.h"
#include "pumice/cron/describe.h"

namespace pumice::admission {
namespace {

/// Findings of the schedule language, with the ids that they have here. The ids end with the codes in small letters.
void lint_schedule(Findings& out, View spec, const Options& options) {
  const std::string_view schedule = spec.text("schedule");
  const View zone = spec["timeZone"];
  cron::DescribeOptions describe;
  if (!zone.text().empty()) describe.time_zone = std::string(zone.text());
  describe.after = options.after;
  const auto description = cron::describe(schedule, describe);
  if (!description) return;  // refused already
  const std::string field = "spec.schedule";
  for (const Diagnostic& warning : description.value->warnings) {
    const auto add = [&](RuleRef rule) { out.add(rule, field, warning.message, warning.hint); };
    if (warning.code == "EitherDay") add("cron.lint.either-day");
    if (warning.code == "UnevenStep") add("cron.lint.uneven-step");
    if (warning.code == "NeverFires") add("cron.lint.never-fires");
    if (warning.code == "SkippedByClockChange") add("cron.lint.skipped-by-clock-change");
    if (warning.code == "DoubledByClockChange") add("cron.lint.doubled-by-clock-change");
    if (warning.code == "LostToClockChange") add("cron.lint.lost-to-clock-change");
    if (warning.code == "WrongDayAfterClockChange") add("cron.lint.wrong-day-after-clock-change");
    if (warning.code == "EveryHasNoAnchor") add("cron.lint.every-has-no-anchor");
    if (warning.code == "EveryRounded") add("cron.lint.every-rounded");
    if (warning.code == "EveryIgnoresZone") add("cron.lint.every-ignores-zone");
  }
  const auto parsed = cron::parse_schedule(schedule);
  if (!parsed) return;
  if (parsed.value->is_every()) {
    if (parsed.value->every_seconds() < 60) {
      out.add(
          "cron.lint.every-under-minute", field,
          "jobs are named after the minute of their time: of two runs in one minute the second finds the name taken");
    }
  } else if (!zone.present()) {
    out.add("cron.lint.no-time-zone", field,
            "without `timeZone` the schedule is read in the time zone of the controller's machine, mostly UTC");
  }
}

/// What both kinds of CronJobs have in common.
void lint_cron(Findings& out, View spec, bool is_volcano, const Options& options) {
  lint_schedule(out, spec, options);
  const auto deadline = spec.integer("startingDeadlineSeconds");
  if (deadline && *deadline < 10) {
    out.add(
        "cron.lint.short-deadline", "spec.startingDeadlineSeconds",
        compose("with {} s a run that the controller is a little late for is dropped; controllers before 1.21 looked "
                "every 10 s only",
                *deadline));
  }
  if (spec.text("concurrencyPolicy") == "Forbid") {
    const View job = spec["jobTemplate"]["spec"];
    bool can_hang = !job["activeDeadlineSeconds"].present();
    if (is_volcano) {
      can_hang = false;
      for (std::size_t i = 0; i < job["tasks"].size(); ++i) {
        can_hang = can_hang || !job["tasks"].at(i)["template"]["spec"]["activeDeadlineSeconds"].present();
      }
    }
    if (can_hang) {
      out.add("cron.lint.forbid-can-hang", "spec.concurrencyPolicy",
              is_volcano
                  ? "a job that hangs, or is Aborted, holds up all later runs: no pod has `activeDeadlineSeconds`"
                  : "a job that hangs holds up all later runs: it has no `activeDeadlineSeconds`");
    }
  }
  if (spec["suspend"].flag()) {
    out.add("cron.lint.suspended", "spec.suspend", "no run is started while this is true");
  }
  const auto failed = spec.integer("failedJobsHistoryLimit");
  if (failed && *failed == 0) {
    out.add("cron.lint.no-failed-history", "spec.failedJobsHistoryLimit",
            "a job that fails is deleted at once, with its pods and their logs");
  }
}

void lint_flow(Findings& out, View object) {
  const View flows = object["spec"]["flows"];
  std::set<std::string_view> names;
  const std::string_view ns = object["metadata"].text("namespace");
  const std::string_view name = object["metadata"].text("name");
  const std::size_t ns_size = ns.empty() ? std::string_view("default").size() : ns.size();
  constexpr std::size_t kLabelMax = 63;
  if (flows.size() == 0) {
    out.add("flow.lint.empty", "spec.flows", "a flow without steps stays Pending for ever");
  }
  if (ns_size + 1 + name.size() > kLabelMax) {
    out.add(
        "flow.lint.label-length", "metadata.name",
        "namespace and name become a label of every Job, and are together longer than its 63 characters: no Job can "
        "be created");
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const View step = flows.at(i);
    const std::string path = compose("spec.flows[{}]", i);
    const std::string_view step_name = step.text("name");
    if (!names.insert(step_name).second) {
      out.add(
          "flow.lint.duplicate-step", path + ".name",
          compose("step `{}` comes twice and makes one Job: the number of completed jobs never reaches that of steps, "
                  "and the flow never succeeds",
                  step_name));
    }
    if (ns_size + 1 + step_name.size() > kLabelMax) {
      out.add(
          "flow.lint.label-length", path + ".name",
          "namespace and name of the step become a label of its Job, and are together longer than its 63 characters: "
          "the Job cannot be created");
    }
    if (step["patch"].present()) {
      out.add("flow.lint.dead-patch", path + ".patch", "`patch` is accepted and never applied");
    }
    if (step["dependsOn"]["probe"].present()) {
      out.add("flow.lint.dead-probe", path + ".dependsOn.probe",
              "`probe` is accepted and never looked at: a step waits until its targets are Completed");
    }
  }
}

}  // namespace

void lint_kube_spec(Findings& out, View spec, View given, const std::string& path) {
  const auto parallelism = spec.integer("parallelism");
  const auto completions = spec.integer("completions");
  const View pod = spec["template"]["spec"];
  const bool on_failure = pod.text("restartPolicy") == "OnFailure";
  if (parallelism && *parallelism == 0) {
    out.add("job.lint.no-parallelism", path + ".parallelism", "with 0 no pod is ever started");
  }
  if (parallelism && completions && *parallelism > *completions && given["parallelism"].present()) {
    out.add(
        "job.lint.surplus-parallelism", path + ".parallelism",
        compose("{} pods at a time, but only {} are needed: the others are never started", *parallelism, *completions));
  }
  if (completions && *completions == 0) {
    out.add("job.lint.no-completions", path + ".completions", "with 0 the job is Complete at once, without a pod");
  }
  if (!completions && parallelism && *parallelism > 1) {
    out.add("job.lint.work-queue", path + ".parallelism",
            "without `completions` one success ends the job: no new pods are started, the others may finish");
  }
  if (on_failure) {
    out.add(
        "job.lint.on-failure-loses-pod", path + ".template.spec.restartPolicy",
        "with OnFailure the failed container is restarted inside its pod, and when `backoffLimit` is used up the pod "
        "is deleted: its log is gone");
  }
  const auto limit = given.integer("backoffLimit");
  if (limit && *limit == 0) {
    out.add("job.lint.backoff-limit-zero", path + ".backoffLimit",
            "one try: the first failed pod ends the job as Failed");
  }
  if (given["backoffLimitPerIndex"].present() && !given["maxFailedIndexes"].present() && !limit) {
    out.add("job.lint.backoff-limit-per-index", path + ".backoffLimitPerIndex",
            "the limit for the whole job is off now: without `maxFailedIndexes` all indexes are tried to their end");
  }
  if (pod["activeDeadlineSeconds"].present() && !spec["activeDeadlineSeconds"].present()) {
    out.add("job.lint.pod-deadline", path + ".template.spec.activeDeadlineSeconds",
            "this deadline is for each pod, and a new pod has a new one; for the job set `spec.activeDeadlineSeconds`");
  }
  if (spec["suspend"].flag()) {
    out.add("job.lint.suspended", path + ".suspend", "no pod is started while this is true");
  }
  const View rules = spec["podFailurePolicy"]["rules"];
  std::size_t containers = pod["containers"].size();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const View codes = rules.at(i)["onExitCodes"];
    if (codes.present() && !codes["containerName"].present() && containers > 1) {
      out.add("job.lint.exit-code-any-container", compose("{}.podFailurePolicy.rules[{}].onExitCodes", path, i),
              compose("without `containerName` the code of any of the {} containers, and of init containers, matches",
                      containers));
    }
  }
}

void lint(Findings& out, Kind kind, View object, View given, const Options& options) {
  const View spec = object["spec"];
  switch (kind) {
    case Kind::VolcanoJob: return lint_volcano_spec(out, spec, given["spec"], "spec", object["metadata"].text("name"));
    case Kind::JobTemplate: return lint_volcano_spec(out, spec, given["spec"], "spec", {});
    case Kind::VolcanoCronJob:
      lint_cron(out, spec, true, options);
      return lint_volcano_spec(out, spec["jobTemplate"]["spec"], given["spec"]["jobTemplate"]["spec"],
                               "spec.jobTemplate.spec", {});
    case Kind::JobFlow: return lint_flow(out, object);
    case Kind::Job: return lint_kube_spec(out, spec, given["spec"], "spec");
    case Kind::CronJob:
      lint_cron(out, spec, false, options);
      return lint_kube_spec(out, spec["jobTemplate"]["spec"], given["spec"]["jobTemplate"]["spec"],
                            "spec.jobTemplate.spec");
  }
}

}  // namespace pumice::admission
