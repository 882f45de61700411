// Volcano Jobs (spec/volcano-job.md 12; numbers are those of its list).
#include <algorithm>
#include <array>
#include <set>

#include "admission/lint.h"
#include "compose.h"
#include "pumice/volcano/names.h"

namespace pumice::admission {
namespace {

using volcano::Action;
using volcano::Event;

/// Events as bits.
using EventSet = std::uint32_t;
constexpr EventSet bit_of(Event event) noexcept { return EventSet{1} << static_cast<unsigned>(event); }

EventSet events_of(View policy) {
  EventSet events = 0;
  const View list = policy["events"];
  for (std::size_t i = 0; i < list.size(); ++i) events |= bit_of(volcano::event_from(list.at(i).text()));
  if (!policy.text("event").empty()) events |= bit_of(volcano::event_from(policy.text("event")));
  return events & ~bit_of(Event::Other) & ~bit_of(Event::None);
}

bool has_event(View policy, Event event) { return (events_of(policy) & bit_of(event)) != 0; }

Action action_of(View policy) { return volcano::action_from(policy.text("action")); }

bool is_user_action(Action action) {
  return action != Action::None && action != Action::Other && !volcano::is_internal(action);
}

/// Restarts less than the job, and yet at the job's cost.
bool is_partial_restart(Action action) {
  return action == Action::RestartTask || action == Action::RestartPod || action == Action::RestartPartition;
}
bool is_restart(Action action) { return action == Action::RestartJob || is_partial_restart(action); }

/// The pods that a list of policies is about, as far as rules look at them.
struct PodFacts {
  bool has_sidecar = false;  ///< some pod has more than one container
  std::string_view restart_policy;
};

PodFacts facts_of(View task) {
  const View pod = task["template"]["spec"];
  std::size_t containers = pod["containers"].size();
  const View init = pod["initContainers"];
  for (std::size_t i = 0; i < init.size(); ++i) containers += init.at(i).text("restartPolicy") == "Always" ? 1 : 0;
  const std::string_view policy = pod.text("restartPolicy");
  return {containers > 1, policy.empty() ? "Always" : policy};
}

/// One list of policies, of a task or of the job.
class PolicyLint {
 public:
  PolicyLint(Findings& out, View policies, std::string path) : out_(out), policies_(policies), path_(std::move(path)) {}

  void run() {
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      const View policy = policies_.at(i);
      const std::string place = compose("{}[{}]", path_, i);
      check_conditions(policy, place);
      check_action(policy, place);
    }
    check_order();
  }

  void check_exit_codes(const PodFacts& pods) {
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      const View code = policies_.at(i)["exitCode"];
      if (!code.present()) continue;
      const std::string place = compose("{}[{}].exitCode", path_, i);
      if (pods.has_sidecar) {
        out_.add("volcano.lint.exit-code-first-container", place,
                 "only the exit code of the first container in a pod's status is compared, and there are several");
      }
    }
  }

  /// With a restart policy under which pods do not fail.
  void check_restart_policy(const PodFacts& pods) {
    if (pods.restart_policy == "Never") return;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      const View policy = policies_.at(i);
      if (!policy["exitCode"].present() && !has_event(policy, Event::PodFailed)) continue;
      out_.add(
          "volcano.lint.restart-policy-hides-failure", compose("{}[{}]", path_, i),
          compose("with `restartPolicy: {}` the kubelet restarts failed containers: the pod does not become Failed, "
                  "and this policy does not act",
                  pods.restart_policy));
    }
  }

  void check_task_failed(const PodFacts& pods) {
    if (pods.restart_policy != "Never") return;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (!has_event(policies_.at(i), Event::TaskFailed)) continue;
      out_.add("volcano.lint.task-failed-never", compose("{}[{}]", path_, i),
               "TaskFailed counts restarts of containers inside their pods, and with `restartPolicy: Never` there are "
               "none");
    }
  }

 private:
  void check_conditions(View policy, const std::string& place) {
    const bool has_timeout = policy["timeout"].present();
    if (has_event(policy, Event::PodPending) && !has_timeout) {
      out_.add("volcano.lint.pending-without-timeout", place, "a PodPending policy without `timeout` never acts");
    }
    if (has_event(policy, Event::Any) && has_timeout) {
      out_.add(
          "volcano.lint.any-with-timeout", place + ".timeout",
          "the timeout delays the action for every event that `*` stands for, and makes it stand for PodPending too");
    }
    if (has_event(policy, Event::JobUpdated)) {
      out_.add("volcano.lint.job-updated-never", place, "JobUpdated is accepted, but no controller ever raises it");
    }
    if (has_event(policy, Event::Unknown)) {
      out_.add("volcano.lint.unknown-once", place,
               "Unknown is heeded only until the job is killed for the first time, by a restart for instance");
    }
    const auto code = policy.integer("exitCode");
    if (code && (*code < 0 || *code > 255)) {
      out_.add("volcano.lint.exit-code-range", place + ".exitCode",
               compose("no container ends with exit code {}: they are 0 to 255", *code));
    }
  }

  void check_action(View policy, const std::string& place) {
    const Action action = action_of(policy);
    if (policy["exitCode"].present() && !is_user_action(action)) {
      out_.add("volcano.lint.exit-code-action", place,
               compose("action `{}` is accepted beside an exit code, because nobody looks at it there; it does nothing "
                       "useful",
                       policy.text("action")));
    }
    if (has_event(policy, Event::Unknown) && is_partial_restart(action)) {
      out_.add("volcano.lint.unknown-partial-restart", place + ".action",
               action == Action::RestartPartition
                   ? "Unknown is about the whole job, so there is no partition to restart: nothing happens"
                   : "Unknown is about the whole job, so there is nothing to restart; the job still loses one retry");
    }
    if (is_partial_restart(action)) {
      out_.add("volcano.lint.partial-restart-budget", place + ".action",
               compose("each {} uses up one of the job's `maxRetry`, as a restart of the whole job does",
                       policy.text("action")));
    }
    if (has_event(policy, Event::PodPending) && policy["timeout"].present() && is_restart(action)) {
      out_.add("volcano.lint.pending-timer-outlives-pod", place + ".timeout",
               "the timer survives a restart in the meantime and can then hit the pod's healthy successor, and after a "
               "restart of the controller it starts for running pods too");
    }
    if (has_event(policy, Event::PodEvicted) && is_user_action(action)) {
      out_.add(
          "volcano.lint.scale-down-evicts", place,
          "pods that are removed because `replicas` was lowered count as evicted: scaling down triggers this policy");
    }
  }

  /// The first policy that matches wins.
  void check_order() {
    std::size_t first = 0;
    while (first < policies_.size() && !has_event(policies_.at(first), Event::Any)) ++first;
    for (std::size_t i = first + 1; i < policies_.size(); ++i) {
      const bool by_code = policies_.at(i)["exitCode"].present();
      out_.add("volcano.lint.behind-any", compose("{}[{}]", path_, i),
               compose("stands behind `*` in {}[{}], which matches first: this policy is never reached{}", path_, first,
                       by_code ? "" : ", but for PodPending"));
    }
  }

  Findings& out_;
  View policies_;
  std::string path_;
};

/// Policies of a task hide those of the job for the same event or exit code, whatever they say.
void check_hiding(Findings& out, View task_policies, View job_policies, const std::string& task_path,
                  const std::string& job_path) {
  constexpr std::size_t kLookedAt = 100;  // of a longer list only so many: this is advice
  const std::size_t job_size = std::min(job_policies.size(), kLookedAt);
  for (std::size_t k = 0; k < std::min(task_policies.size(), kLookedAt); ++k) {
    const View mine = task_policies.at(k);
    const EventSet events = events_of(mine);
    const auto code = mine.integer("exitCode");
    for (std::size_t i = 0; i < job_size; ++i) {
      const View theirs = job_policies.at(i);
      const bool hides = (events & bit_of(Event::Any)) != 0 || (events & events_of(theirs)) != 0 ||
                         (code && code == theirs.integer("exitCode"));
      if (!hides) continue;
      out.add("volcano.lint.task-hides-job", compose("{}.policies[{}]", task_path, k),
              compose("hides {}[{}] for the pods of this task: lists are not merged, the first match of the task's own "
                      "list wins",
                      job_path, i));
      break;
    }
  }
}

void check_task(Findings& out, View task, View job_policies, const std::string& path, const std::string& job_path) {
  const PodFacts pods = facts_of(task);
  const View policies = task["policies"];
  PolicyLint lint(out, policies, path + ".policies");
  lint.run();
  lint.check_exit_codes(pods);
  lint.check_restart_policy(pods);
  lint.check_task_failed(pods);
  check_hiding(out, policies, job_policies, path, job_path);
  const View spec = task["template"]["spec"];
  if (spec.present() && pods.restart_policy == "Always") {
    const bool is_given = !spec.text("restartPolicy").empty();
    out.add("volcano.lint.restart-policy-always", path + (is_given ? ".template.spec.restartPolicy" : ".template.spec"),
            is_given
                ? "with `restartPolicy: Always` containers that end are started again: pods never succeed, and the "
                  "job never completes"
                : "without `restartPolicy` it is Always: containers that end are started again, pods never succeed, "
                  "and the job never completes");
  }
  const std::int64_t replicas = task["replicas"].integer_or(0);
  const auto minimum = task.integer("minAvailable");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!has_event(policies.at(i), Event::TaskCompleted) || !minimum || *minimum >= replicas) continue;
    out.add("volcano.lint.task-completed-all", compose("{}.policies[{}]", path, i),
            compose("TaskCompleted needs all {} pods to succeed, not the {} of `minAvailable`", replicas, *minimum));
  }
  const std::string_view scheduler = spec.text("schedulerName");
  if (!scheduler.empty() && scheduler == "default-scheduler") {
    out.add("volcano.lint.scheduler", path + ".template.spec.schedulerName",
            "`default-scheduler` does not know of gangs: pods are scheduled one by one");
  }
}

void check_pod_names(Findings& out, View tasks, const std::string& path, std::string_view job_name) {
  constexpr std::size_t kNameMax = 63;
  if (job_name.size() > kNameMax) return;  // refused
  for (std::size_t i = 0; i < tasks.size() && !job_name.empty(); ++i) {
    const std::int64_t replicas = tasks.at(i)["replicas"].integer_or(0);
    if (replicas < 1) continue;
    const std::string name = compose("{}-{}-{}", job_name, tasks.at(i).text("name"), replicas - 1);
    if (name.size() <= kNameMax || name.size() - std::to_string(replicas - 1).size() + 1 > kNameMax) continue;
    out.add("volcano.lint.pod-name-length", compose("{}.tasks[{}].replicas", path, i),
            compose("pod name `{}` has {} characters, more than the 63 of a host name; the webhook only tries the name "
                    "with the task's own index",
                    name, name.size()));
  }
}

/// Pods of tasks that wait for others are made only when those are ready, and those are not started before the gang is
/// complete.
void check_gang(Findings& out, View spec, const std::string& path) {
  const View tasks = spec["tasks"];
  const std::int64_t least = spec["minAvailable"].integer_or(0);
  std::set<std::string_view> with_minimum;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks.at(i)["minAvailable"].integer_or(0) > 0) with_minimum.insert(tasks.at(i).text("name"));
  }
  std::int64_t at_once = 0;
  bool has_waiting = false;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    bool waits = false;
    const View targets = tasks.at(i)["dependsOn"]["name"];
    for (std::size_t k = 0; k < targets.size(); ++k) waits = waits || with_minimum.contains(targets.at(k).text());
    has_waiting = has_waiting || waits;
    if (!waits) at_once += tasks.at(i)["replicas"].integer_or(0);
  }
  if (!has_waiting || at_once >= least) return;
  out.add(
      "volcano.lint.gang-waits-for-dependants", path + ".minAvailable",
      compose("only {} pods exist before a dependency is met, and the gang asks for {}: neither is ever met, and the "
              "job stays Pending",
              at_once, least));
}

void check_counts(Findings& out, View spec, View given, const std::string& path) {
  const View tasks = spec["tasks"];
  std::int64_t replicas = 0;
  std::int64_t minimums = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::int64_t count = tasks.at(i)["replicas"].integer_or(0);
    replicas += count;
    minimums += tasks.at(i)["minAvailable"].integer_or(count);
  }
  const std::int64_t least = spec["minAvailable"].integer_or(0);
  if (given["minAvailable"].present() && given["minAvailable"].integer_or(-1) == 0 && least > 0) {
    out.add("volcano.lint.min-available-zero", path + ".minAvailable",
            compose("0 counts as absent: it becomes {}, the sum over the tasks", least));
  } else if (least == 0 && tasks.size() > 0) {
    out.add("volcano.lint.min-available-zero", path + ".minAvailable",
            "with 0 the job is Running on its first look, before its pods are let in");
  }
  if (least > 0 && least < minimums) {
    out.add("volcano.lint.task-minimums-ignored", path + ".minAvailable",
            compose("at the end the tasks' `minAvailable` count only if the job's is at least their sum, {}: it is {}",
                    minimums, least));
  }
  const auto successes = spec.integer("minSuccess");
  if (successes && *successes > replicas) {
    out.add("volcano.lint.min-success-unreachable", path + ".minSuccess",
            compose("there are only {} pods: {} can never succeed, and the job ends Failed", replicas, *successes));
  } else if (successes && *successes < replicas) {
    out.add("volcano.lint.min-success-kills", path + ".minSuccess",
            compose("after {} successes the job is Completed and its other pods are killed; if all end before, it is "
                    "Failed, whatever `minAvailable` says",
                    *successes));
  }
}

void check_retries(Findings& out, View spec, View given, const std::string& path) {
  bool restarts = false;
  const auto look = [&](View policies) {
    for (std::size_t i = 0; i < policies.size(); ++i) restarts = restarts || is_restart(action_of(policies.at(i)));
  };
  look(spec["policies"]);
  for (std::size_t i = 0; i < spec["tasks"].size(); ++i) look(spec["tasks"].at(i)["policies"]);
  const View retries = given["maxRetry"];
  if (retries.present() && retries.integer_or(-1) == 0) {
    out.add("volcano.lint.max-retry-zero", path + ".maxRetry",
            "0 counts as absent and becomes 3; 1 means that a restart kills the pods and the job ends Failed");
  }
  if (!restarts) return;
  const std::int64_t runs = spec["maxRetry"].integer_or(3);
  if (runs == 1) {
    out.add("volcano.lint.max-retry-runs", path + ".maxRetry",
            "`maxRetry` counts runs: with 1 the first restart only kills the pods, and the job ends Failed");
  } else {
    out.add("volcano.lint.max-retry-runs-note", path + ".maxRetry",
            compose("`maxRetry: {}` allows {} runs, so {} restarts; resuming an aborted job counts as one", runs, runs,
                    runs - 1));
  }
}

/// Members that Jobs of Kubernetes have, and people look for here.
void check_foreign_fields(Findings& out, View given, const std::string& path) {
  struct Foreign {
    std::string_view name;
    std::string_view instead;
  };
  constexpr std::array<Foreign, 7> kForeign{
      Foreign{"activeDeadlineSeconds", "the one of a pod works: `tasks[*].template.spec.activeDeadlineSeconds`"},
      Foreign{"suspend", "a Command with AbortJob, and ResumeJob later, is the way here"},
      Foreign{"backoffLimit", "`maxRetry` and policies are the way here"},
      Foreign{"parallelism", "`tasks[*].replicas` is the way here"},
      Foreign{"completions", "`minSuccess` is the nearest here"},
      Foreign{"template", "each of `tasks` has one"},
      Foreign{"podFailurePolicy", "`policies` with `exitCode` are the way here"}};
  for (const Foreign& field : kForeign) {
    if (!given[field.name].present()) continue;
    out.add("volcano.lint.kubernetes-field", compose("{}.{}", path, field.name),
            compose("`{}` is a field of Kubernetes' own Jobs: a Volcano Job drops it without a word", field.name),
            std::string(field.instead));
  }
}

void check_claims(Findings& out, View volumes, const std::string& path) {
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (volumes.at(i).text("volumeClaimName").empty() || volumes.at(i)["volumeClaim"].present()) continue;
    out.add("volcano.lint.claim-must-exist", compose("{}.volumes[{}].volumeClaimName", path, i),
            compose("claim `{}` must exist: the job does not wait for it, it is Terminated after some three minutes",
                    volumes.at(i).text("volumeClaimName")));
  }
}

}  // namespace

void lint_volcano_spec(Findings& out, View spec, View given, const std::string& path, std::string_view job_name) {
  const View tasks = spec["tasks"];
  const View policies = spec["policies"];
  const std::string policies_path = path + ".policies";
  PodFacts all{false, "Never"};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const PodFacts one = facts_of(tasks.at(i));
    all.has_sidecar = all.has_sidecar || one.has_sidecar;
    if (one.restart_policy != "Never") all.restart_policy = one.restart_policy;
  }
  PolicyLint lint(out, policies, policies_path);
  lint.run();
  lint.check_exit_codes(all);
  if (tasks.size() > 0) {
    lint.check_restart_policy(all);
    lint.check_task_failed(all);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    check_task(out, tasks.at(i), policies, compose("{}.tasks[{}]", path, i), policies_path);
  }
  check_pod_names(out, tasks, path, job_name);
  check_gang(out, spec, path);
  check_counts(out, spec, given, path);
  check_retries(out, spec, given, path);
  check_foreign_fields(out, given, path);
  check_claims(out, spec["volumes"], path);
  if (given.text("schedulerName") == "default-scheduler") {
    out.add("volcano.lint.scheduler", path + ".schedulerName",
            "`default-scheduler` does not know of gangs: pods are scheduled one by one");
  }
}

}  // namespace pumice::admission
