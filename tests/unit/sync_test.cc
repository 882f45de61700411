// Whole syncs and kills against an API server that can fail (spec/volcano-job.md 8, 9, 11.6).
#include <catch2/catch_test_macros.hpp>

#include "support/ask.h"

using namespace pumice;
using namespace pumice::test;

namespace {

using Names = std::vector<std::string>;

std::string one_task(std::string_view more = "replicas: 1") {
  return "tasks: [{name: w, " + std::string(more) + ", " + std::string(kOneContainer) + "}]";
}
Json execute(const Json& args) { return ask("volcano.execute", args); }
Json with_failure(Json args, std::string_view failure) {
  args["failures"] = from_yaml("[{" + std::string(failure) + "}]");
  return args;
}
Json with_action(Json args, std::string_view action) {
  args["action"] = from_yaml("{" + std::string(action) + "}");
  return args;
}
/// A pod of the job that is there.
Json pod(std::string_view name, std::string_view phase, std::string_view task = "w", std::string_view more = "") {
  Json out = from_yaml(
      "{metadata: {namespace: ns, ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, "
      "kind: Job, name: j, uid: u, controller: true}], annotations: {volcano.sh/job-name: j, "
      "volcano.sh/job-version: '0'}}}");
  out["metadata"]["name"] = name;
  out["metadata"]["uid"] = "uid-of-" + std::string(name);
  out["metadata"]["annotations"]["volcano.sh/task-spec"] = task;
  out["status"]["phase"] = phase;
  out.merge_patch(from_yaml("{" + std::string(more) + "}"));
  return out;
}
Names pod_names(const Json& answer) {
  Names names;
  for (const Json& entry : answer.at("pods")) names.push_back(entry.at("metadata").at("name"));
  return names;
}

}  // namespace

TEST_CASE("the first sync writes Pending, makes the PodGroup and stops there") {
  Json args = sync_args(job_with("minAvailable: 1, " + one_task()));
  args.erase("podGroup");
  const Json answer = execute(args);
  CHECK(effect_names(answer) == Names{"UpdateJobStatus j", "CreatePodGroup j-u"});
  CHECK(answer.at("job").at("status") == from_yaml(R"(
    state: {phase: Pending, lastTransitionTime: '2026-03-02T10:00:00Z'}
    minAvailable: 1
    conditions: [{status: Pending, lastTransitionTime: '2026-03-02T10:00:00Z'}])"));
  CHECK(answer.at("podGroup").at("spec").at("minMember") == 1);
  CHECK(answer.at("pods").empty());
}

TEST_CASE("a PodGroup under the old name is used and kept up to date") {
  Json args = sync_args(job_with("priorityClassName: new, minAvailable: 1, " + one_task()));
  args["podGroup"]["metadata"]["name"] = "j";
  const Json answer = execute(args);
  CHECK(effect_names(answer) == Names{"UpdateJobStatus j", "UpdatePodGroup j", "CreatePod j-w-0", "UpdateJobStatus j"});
  CHECK(answer.at("podGroup").at("spec").at("priorityClassName") == "new");
  CHECK(effects_of(execute(with_action(args, "action: AbortJob")), "DeletePodGroup")[0].at("name") == "j");
}

TEST_CASE("six replicas, two there: four are made") {
  Json args = sync_args(job_with(one_task("replicas: 6"), "status: {state: {phase: Pending}}"));
  args["pods"] = Json::array({pod("j-w-0", "Running"), pod("j-w-3", "Pending")});
  const Json answer = execute(args);
  CHECK(answer.at("pods").size() == 6);
  CHECK(effects_of(answer, "CreatePod").size() == 4);
  CHECK(answer.at("job").at("status").at("taskStatusCount") == from_yaml("{w: {phase: {Pending: 5, Running: 1}}}"));
}

TEST_CASE("pods too many, marked, terminating or of no task") {
  Json args = sync_args(job_with(one_task("replicas: 3"), "status: {state: {phase: Pending}}"));
  const std::string deleted = "metadata: {deletionTimestamp: '2026-03-02T09:59:59Z'}";
  args["pods"] =
      Json::array({pod("j-w-0", "Running", "w", "metadata: {annotations: {volcano.sh/controller-out-of-sync: x}}"),
                   pod("j-w-1", "Running", "w", deleted), pod("j-w-2", "Failed"), pod("j-w-3", "Running"),
                   pod("foreign", "Running", "w", deleted), pod("j-x-0", "Running", "x")});
  const Json answer = execute(args);
  CHECK(effect_names(answer) ==
        Names{"UpdatePodGroup j-u", "DeletePod j-w-0", "DeletePod foreign", "DeletePod j-w-3", "UpdateJobStatus j"});
  const Json& status = answer.at("job").at("status");
  CHECK(status.at("terminating") == 4);  // 1 found, 3 deleted here
  CHECK(status.at("running") == 1);      // the marked one is counted twice (spec 12 no. 38)
  CHECK(status.at("failed") == 1);
}

TEST_CASE("a queue that is not there is an error, a closed one is not") {
  Json args = sync_args(job_with(one_task()));
  args["queue"] = from_yaml("{metadata: {name: other}}");
  CHECK(execute(args).at("error") == "queue `q` not found");
  CHECK(execute(args).at("effects").empty());
  args["queue"] = from_yaml("{metadata: {name: q}, status: {state: Closed}}");
  CHECK_FALSE(execute(args).contains("error"));
  args.erase("queue");
  args["job"]["spec"]["queue"] = "";
  CHECK(execute(args).at("error") == "queue `` not found");
}

TEST_CASE("a queue with extend clusters forwards its jobs") {
  Json args = sync_args(job_with(one_task(), "status: {state: {phase: Running}}"));
  args["queue"] = from_yaml("{metadata: {name: q}, spec: {extendClusters: [{name: c}]}}");
  const Json answer = execute(args);
  CHECK(effect_names(answer) ==
        Names{"UpdateJob j", "UpdatePodGroup j-u", "UpdateJob j", "CreatePod j-w-0", "UpdateJobStatus j"});
  CHECK(answer.at("job").at("metadata").at("annotations") == Json{{"volcano.sh/job-forwarding", "true"}});
  const Json meta = created_pod(answer, "j-w-0").at("metadata");
  CHECK(meta.at("annotations").at("volcano.sh/job-forwarding") == "true");
  CHECK(meta.at("labels").at("volcano.sh/job-forwarding") == "true");
  for (const int times : {1, 2}) {
    const Json failed =
        execute(with_failure(args, "effect: UpdateJob, code: Conflict, times: " + std::to_string(times)));
    CHECK(failed.at("error") == "the job could not be written: conflict");
    CHECK(effects_of(failed, "UpdateJob").size() == 1);
  }
  args["queue"] = from_yaml("{metadata: {name: q}, spec: {extendClusters: []}}");
  CHECK(effects_of(execute(args), "UpdateJob").empty());
}

TEST_CASE("claims: generated, given, missing") {
  const std::string volumes =
      "volumes: [{mountPath: /a, volumeClaim: {accessModes: [ReadWriteOnce]}}, {mountPath: /b, volumeClaimName: "
      "there}, "
      "{mountPath: /c, volumeClaim: {storageClassName: s}}], ";
  Json args = sync_args(job_with(volumes + one_task(), "status: {state: {phase: Pending}}"));
  args["claims"] = from_yaml("[{metadata: {name: there}}]");
  const Json answer = execute(args);
  const std::vector<Json> made = effects_of(answer, "CreateObject");
  REQUIRE(made.size() == 2);
  const std::string name = made[0].at("name");
  CHECK(name.starts_with("j-pvc-"));
  CHECK(name.size() == 18);
  CHECK(made[0].at("object") == from_yaml(R"(
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: )" + name + R"(
      namespace: ns
      ownerReferences:
      - {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: true, blockOwnerDeletion: true}
    spec: {accessModes: [ReadWriteOnce]})"));
  const std::string other = made[1].at("name");
  CHECK(name != other);
  CHECK(effect_names(answer) == Names{"CreateObject PersistentVolumeClaim " + name,
                                      "CreateObject PersistentVolumeClaim " + other, "UpdateJob j",
                                      "UpdatePodGroup j-u", "CreatePod j-w-0", "UpdateJobStatus j"});
  const Json& job = answer.at("job");
  CHECK(job.at("spec").at("volumes")[0].at("volumeClaimName") == name);
  CHECK(job.at("spec").at("volumes")[2].at("volumeClaimName") == other);
  CHECK(job.at("status").at("controlledResources") ==
        Json{{"volume-pvc-" + name, name}, {"volume-pvc-there", "there"}, {"volume-pvc-" + other, other}});
  CHECK(created_pod(answer, "j-w-0").at("spec").at("volumes").size() == 3);

  // A name that is taken is not generated again.
  args["claims"].push_back(Json{{"metadata", {{"name", name}}}});
  CHECK(effects_of(execute(args), "CreateObject")[0].at("name") != name);

  args["claims"] = Json::array();
  const Json missing = execute(args);
  CHECK(missing.at("error") == "pvc there is not found, the job will be in the Pending state until the PVC is created");
  CHECK(effects_of(missing, "EmitEvent")[0].at("reason") == "PVCError");
  CHECK(effects_of(missing, "UpdateJob").empty());
  CHECK(missing.at("job").at("spec").at("volumes").size() == 3);

  args["claims"] = from_yaml("[{metadata: {name: there}}]");
  CHECK(execute(with_failure(args, "effect: CreateObject, code: AlreadyExists")).contains("error"));
  CHECK(execute(with_failure(args, "effect: UpdateJob, code: Timeout")).at("error") ==
        "the job could not be written: timed out");
  // After Pending the claims are not looked at.
  args["claims"] = Json::array();
  args["job"]["status"]["state"]["phase"] = "Running";
  CHECK_FALSE(execute(args).contains("error"));
}

TEST_CASE("errors of the PodGroup") {
  Json args = sync_args(job_with(one_task()));
  args.erase("podGroup");
  const Json failed = execute(with_failure(args, "effect: CreatePodGroup, code: Forbidden"));
  CHECK(failed.contains("error"));
  CHECK(effects_of(failed, "EmitEvent")[0].at("reason") == "PodGroupError");
  CHECK_FALSE(execute(with_failure(args, "effect: CreatePodGroup, code: AlreadyExists")).contains("error"));
}

TEST_CASE("a PodGroup that waits is told on every sync, ready or not") {
  for (const char* phase : {"Pending", "Inqueue"}) {
    Json args = sync_args(job_with(one_task()));
    args["podGroup"]["status"] =
        from_yaml("{conditions: [{type: Unschedulable, status: 'True', message: test message}]}");
    args["podGroup"]["status"]["phase"] = phase;
    const Json event = effects_of(execute(args), "EmitEvent")[0];
    CHECK(event.at("type") == "Warning");
    CHECK(event.at("reason") == "PodGroupPending");
    CHECK(event.at("message") == "PodGroup ns:j unschedulable, reason: test message");
  }
}

TEST_CASE("a failed creation suppresses deletions and the status") {
  Json args = sync_args(job_with(one_task("replicas: 3"), "status: {state: {phase: Pending}}"));
  args["pods"] = Json::array({pod("j-w-9", "Running")});
  const Json answer = execute(with_failure(args, "effect: CreatePod, name: j-w-1, code: Forbidden"));
  CHECK(answer.at("error") == "1 pod could not be created");
  CHECK(pod_names(answer) == Names{"j-w-0", "j-w-2", "j-w-9"});
  CHECK(effects_of(answer, "DeletePod").empty());
  CHECK(effects_of(answer, "UpdateJobStatus").empty());
  CHECK(effects_of(answer, "EmitEvent")[0].at("reason") == "FailedCreate");
  // One that is there already is no error, and is not counted.
  const Json taken = execute(with_failure(args, "effect: CreatePod, name: j-w-1, code: AlreadyExists"));
  CHECK_FALSE(taken.contains("error"));
  CHECK(taken.at("job").at("status").at("pending") == 2);
}

TEST_CASE("gates of tasks that depend on others") {
  struct Row {
    std::string_view depends;
    std::string_view a;  ///< phase of the only pod of `a`, minAvailable 1
    std::string_view b;
    bool open;
  };
  const Row rows[] = {{"name: []", "Pending", "Pending", true},
                      {"name: [a]", "Running", "Pending", true},
                      {"name: [a]", "Succeeded", "Pending", true},
                      {"name: [a]", "Failed", "Running", false},
                      {"name: [a], iteration: any", "Pending", "Running", false},
                      {"name: [a, b], iteration: any", "Pending", "Running", true},
                      {"name: [a, b], iteration: any", "Pending", "Pending", false},
                      {"name: [a, b], iteration: all", "Running", "Running", true},
                      {"name: [a, b], iteration: all", "Pending", "Running", false},
                      {"name: [a, b]", "Pending", "Running", false},
                      {"name: [a, b], iteration: other", "Running", "Pending", false},
                      {"name: [free]", "Pending", "Pending", true},
                      {"name: [nobody]", "Running", "Running", false}};
  for (const Row& row : rows) {
    INFO(row.depends << " " << row.a << " " << row.b);
    Json args =
        sync_args(job_with("tasks: [{name: a, replicas: 1, minAvailable: 1}, {name: b, replicas: 1, "
                           "minAvailable: 1}, {name: free, replicas: 1}, {name: w, replicas: 2, dependsOn: {" +
                               std::string(row.depends) + "}}]",
                           "status: {state: {phase: Pending}}"));
    args["pods"] =
        Json::array({pod("j-a-0", row.a, "a"), pod("j-b-0", row.b, "b"), pod("j-free-0", "Pending", "free")});
    const Json answer = execute(args);
    CHECK(effects_of(answer, "CreatePod").size() == (row.open ? 2 : 0));
    CHECK_FALSE(answer.contains("error"));
  }
  // A container that is not ready, and pods that are missing.
  Json args =
      sync_args(job_with("tasks: [{name: a, replicas: 2, minAvailable: 2}, {name: w, replicas: 1, dependsOn: "
                         "{name: [a]}}]",
                         "status: {state: {phase: Pending}}"));
  const std::string ready = "status: {containerStatuses: [{name: c, ready: ";
  args["pods"] =
      Json::array({pod("j-a-0", "Running", "a", ready + "true}]}"), pod("j-a-1", "Running", "a", ready + "false}]}")});
  CHECK(effects_of(execute(args), "CreatePod").empty());
  args["pods"][1] = pod("j-a-1", "Running", "a", ready + "true}]}");
  CHECK(effects_of(execute(args), "CreatePod").size() == 1);
  args["pods"].erase(1);
  CHECK(effects_of(execute(args), "CreatePod")[0].at("name") == "j-a-1");
}

TEST_CASE("targets of a kill") {
  Json args = sync_args(
      job_with("tasks: [{name: task1, replicas: 2}, {name: task2, replicas: 1}]", "status: {state: {phase: Running}}"));
  args["pods"] =
      Json::array({pod("pod1", "Running", "task1"), pod("pod2", "Running", "task1"), pod("pod3", "Running", "task2")});
  const auto deleted = [&](std::string_view action) {
    Names names;
    for (const Json& effect : effects_of(execute(with_action(args, action)), "DeletePod"))
      names.push_back(effect.at("name"));
    return names;
  };
  CHECK(deleted("action: RestartTask, target: {type: task, taskName: task1}") == Names{"pod1", "pod2"});
  CHECK(deleted("action: RestartPod, target: {type: pod, taskName: task1, podName: pod1}") == Names{"pod1"});
  CHECK(deleted("action: RestartTask, target: {type: task, taskName: none}").empty());
  CHECK(deleted("action: RestartPod, target: {type: pod, taskName: task2, podName: pod1}").empty());
  CHECK(deleted("action: RestartJob") == Names{"pod1", "pod2", "pod3"});

  const Json whole = execute(with_action(args, "action: RestartJob"));
  CHECK(whole.at("podGroup").is_null());
  CHECK(whole.at("job").at("status").at("version") == 1);
  CHECK(whole.at("job").at("status").at("terminating") == 3);
  CHECK(whole.at("job").at("status").at("runningDuration") == "1h0m0s");
  CHECK(whole.at("pods")[0].at("metadata").at("annotations").at("volcano.sh/controller-out-of-sync") == "true");
  CHECK(whole.at("pods")[0].at("metadata").at("deletionTimestamp") == "2026-03-02T10:00:00Z");
  const Json one =
      execute(with_action(args, "action: RestartPod, target: {type: pod, taskName: task1, podName: pod1}"));
  CHECK_FALSE(one.at("podGroup").is_null());
  CHECK(one.at("job").at("status").at("state").at("phase") == "Restarting");
  CHECK_FALSE(one.at("job").at("status").contains("version"));
  CHECK(
      execute(with_action(args, "action: RestartPartition, target: {type: partition, taskName: task1, partition: '0'}"))
          .at("outcome") == "EmptyPartition");
}

TEST_CASE("errors of a kill") {
  Json args = with_action(sync_args(job_with(one_task("replicas: 2"), "status: {state: {phase: Running}}")),
                          "action: AbortJob");
  args["pods"] = Json::array({pod("j-w-0", "Running"), pod("j-w-1", "Running")});
  const Json marking = execute(with_failure(args, "effect: MarkPod, name: j-w-0, code: Conflict"));
  CHECK(marking.at("error") == "1 pod could not be marked");
  CHECK(effect_names(marking) == Names{"MarkPod j-w-0", "MarkPod j-w-1", "DeletePod j-w-1", "EmitEvent FailedDelete"});
  const Json gone = execute(with_failure(args, "effect: MarkPod, name: j-w-0, code: NotFound"));
  CHECK(effects_of(gone, "DeletePod").size() == 2);
  CHECK(execute(with_failure(args, "effect: DeletePod, code: Timeout, times: 1")).at("error") ==
        "1 pod could not be deleted");
  const Json unknown = execute(with_failure(args, "effect: UpdateJobStatus, code: NotFound"));
  CHECK_FALSE(unknown.contains("error"));
  CHECK(effects_of(unknown, "DeletePodGroup").empty());
  CHECK(execute(with_failure(args, "effect: UpdateJobStatus, code: Conflict")).at("error") ==
        "the status could not be written: conflict");
  CHECK(execute(with_failure(args, "effect: DeletePodGroup, code: Timeout")).contains("error"));
  CHECK_FALSE(execute(with_failure(args, "effect: DeletePodGroup, code: NotFound")).contains("error"));
  args["job"]["metadata"]["deletionTimestamp"] = "2026-03-02T09:59:59Z";
  CHECK(execute(args).at("effects").empty());
  CHECK(execute(with_action(args, "action: SyncJob")).at("outcome") == "JobDeleting");
}

TEST_CASE("arguments that cannot be used") {
  const Json args = sync_args(job_with(one_task()));
  const auto code = [](const Json& with) { return answer_of("volcano.execute", with).at("error").at("code"); };
  CHECK(code(with_failure(args, "effect: CreatePod, code: Nothing")) == "InvalidArgument");
  Json other = args;
  other["profile"] = "job";
  CHECK(code(other) == "UnknownProfile");
  CHECK(code(sync_args(job_with(one_task("replicas: 2147483647")))) == "LimitExceeded");
  CHECK(code(sync_args(job_with("tasks: [{name: a, replicas: 1000}, {name: b, replicas: 1}]"))) == "LimitExceeded");
  other.erase("profile");
  other.erase("action");
  CHECK(code(other) == "MissingArgument");
}

TEST_CASE("what objects hold by hand is treated as upstream treats it") {
  Json marked = with_action(sync_args(job_with(one_task(), "status: {state: {phase: Running}}")), "action: RestartJob");
  marked["pods"] =
      Json::array({pod("j-w-0", "Running", "w", "metadata: {annotations: {volcano.sh/controller-out-of-sync: x}}")});
  CHECK(execute(marked).at("pods")[0].at("metadata").at("annotations").at("volcano.sh/controller-out-of-sync") ==
        "true");

  // No transition is known: to Go that time is the first of all.
  const Json untimed =
      with_action(sync_args(job_with(one_task(), "status: {state: {phase: Aborted}}")), "action: AbortJob");
  CHECK(execute(untimed).at("job").at("status").at("runningDuration") == "-2562047h47m16.854775808s");

  Json topology = sync_args(job_with("networkTopology: {highestTierAllowed: 1}, " + one_task()));
  topology.erase("podGroup");
  CHECK(effects_of(execute(topology), "CreatePodGroup")[0].at("podGroup").at("spec").at("networkTopology") ==
        from_yaml("{highestTierAllowed: 1}"));

  // Only a creation may find that the PodGroup is there.
  Json differing = sync_args(job_with("minAvailable: 1, " + one_task(), "status: {state: {phase: Pending}}"));
  CHECK(execute(with_failure(differing, "effect: UpdatePodGroup, code: AlreadyExists")).contains("error"));
  differing.erase("podGroup");
  CHECK_FALSE(execute(with_failure(differing, "effect: CreatePodGroup, code: AlreadyExists")).contains("error"));

  Json elsewhere = sync_args(job_with(one_task(), "status: {state: {phase: Running}}"));
  elsewhere["pods"] = Json::array({pod("j-w-0", "Running")});
  elsewhere["pods"][0]["metadata"]["namespace"] = "elsewhere";
  const Json created = execute(elsewhere);
  CHECK(created_pod(created, "j-w-0").at("metadata").at("namespace") == "ns");
  CHECK(created.at("pods").size() == 2);
}
