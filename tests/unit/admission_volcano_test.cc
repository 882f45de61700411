// Volcano's webhook for Jobs on creation (spec/volcano-admission.md 3 and 7.1).
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::kPod;
using test::one_container;
using test::one_task;
using test::review_of;
using test::verdict_of;
using test::volcano_job;
using test::webhook;

const std::string kHints =
    " valid events are [* JobUpdated PodEvicted PodFailed PodPending TaskCompleted TaskFailed Unknown], valid actions "
    "are "
    "[AbortJob CompleteJob RestartJob RestartPartition RestartPod RestartTask ResumeJob TerminateJob];";

std::string one_error(const std::string& text) { return "1 error occurred:\n\t* " + text + "\n\n" + kHints; }
std::string two_errors(const std::string& first, const std::string& second) {
  return "2 errors occurred:\n\t* " + first + "\n\t* " + second + "\n\n" + kHints;
}

struct Case {
  const char* name;
  std::string manifest;
  std::string want;
};

void check(const std::vector<Case>& cases, const Options& options = webhook()) {
  for (const Case& one : cases) {
    CAPTURE(one.name);
    CHECK(verdict_of(review_of(one.manifest, options)) == one.want);
  }
}

const std::string kTask = "{name: w, replicas: 1, template: " + kPod + "}";

TEST_CASE("early exits answer with one message", "[admission]") {
  const std::string no_tasks = "No task specified in job spec";
  const std::string no_master = "The specified mpi master task was not found";
  const auto mpi = [](const std::string& arguments, const std::string& task) {
    return volcano_job("{plugins: {mpi: " + arguments + "}, tasks: [{name: " + task +
                       ", replicas: 1, template: " + kPod + "}]}");
  };
  check({
      {"no tasks", volcano_job("{minAvailable: 3, plugins: {big: []}}"), no_tasks},
      {"an empty list", volcano_job("{tasks: []}"), no_tasks},
      {"no spec at all", "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j}}", no_tasks},
      {"the master's default name", mpi("[]", "worker"), no_master},
      {"plugin without arguments", mpi("null", "worker"), no_master},
      {"the master is there", mpi("[]", "master"), "allowed"},
      {"a name of its own", mpi("[--master=launcher]", "launcher"), "allowed"},
      {"in two words", mpi("[--master, launcher]", "launcher"), "allowed"},
      {"with one dash", mpi("[-master=launcher]", "launcher"), "allowed"},
      {"behind other flags", mpi("['--worker=w', '--port=5000', '--master=launcher']", "launcher"), "allowed"},
      {"behind an unknown flag", mpi("['--size=2', '--master=launcher']", "launcher"), no_master},
      {"only a worker", mpi("[--master=launcher]", "worker"), no_master},
  });
}

TEST_CASE("worked messages", "[admission]") {
  Options options = webhook();
  options.queues.emplace();
  CHECK(verdict_of(
            review_of(one_task("replicas: 1", "minAvailable: 2, queue: q1, plugins: {big_plugin: []}"), options)) ==
        "job 'minAvailable' should not be greater than total replicas in tasks; unable to find job plugin: big_plugin; "
        "unable to find job queue: queue.scheduling.volcano.sh \"q1\" not found;");
  const std::string tiers = "{highestTierAllowed: 1, highestTierName: rack}";
  const std::string text =
      "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously";
  CHECK(verdict_of(review_of(one_task("replicas: 1, partitionPolicy: {totalPartitions: 1, partitionSize: 1, "
                                      "networkTopology: " +
                                          tiers + "}",
                                      "networkTopology: " + tiers),
                             webhook())) == text + text);
  CHECK(verdict_of(review_of(one_task("replicas: 1", "policies: [{exitCode: 0, action: RestartJob}]"), webhook())) ==
        one_error("0 is not a valid error code"));
}

TEST_CASE("rules of tasks", "[admission]") {
  const std::string long_name(62, 'a');
  check({
      {"in order", one_task("replicas: 1"), "allowed"},
      {"minAvailable above replicas", one_task("replicas: 1, minAvailable: 2"),
       "'minAvailable' is greater than 'replicas' in task: w, job: j; job 'minAvailable' should not be greater than "
       "total replicas in tasks;"},
      {"negative replicas are found by the total only", one_task("replicas: -1", "minAvailable: 1"),
       "job 'minAvailable' should not be greater than total replicas in tasks;"},
      {"one name twice: the loop ends", volcano_job("{tasks: [" + kTask + ", " + kTask + ", {name: x, replicas: 1}]}"),
       "duplicated task name w; job 'minAvailable' should not be greater than total replicas in tasks;"},
      {"a dependency behind it is not noticed",
       volcano_job("{minAvailable: 1, tasks: [" + kTask + ", " + kTask +
                   ", {name: x, dependsOn: {name: [q]}, template: " + kPod + "}]}"),
       "duplicated task name w;"},
      {"one of the repeated task itself is",
       volcano_job("{minAvailable: 1, tasks: [" + kTask + ", {name: w, dependsOn: {name: [q]}, template: " + kPod +
                   "}]}"),
       "duplicated task name w; job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);"},
      {"a name that is too long for a pod",
       volcano_job("{tasks: [{name: " + long_name + ", replicas: 1, template: " + kPod + "}]}"),
       "create pod with name j-" + long_name + "-0 validate failed [name part must be no more than 63 bytes];"},
      {"a name for no pod template", volcano_job("{tasks: [{name: W, replicas: 1, template: " + kPod + "}]}"),
       "spec.task[0].metadata.name: Invalid value: \"W\": a lowercase RFC 1123 subdomain must consist of lower case "
       "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
       "'example.com', "
       "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')."},
      {"the job's name", volcano_job("{tasks: [" + kTask + "]}", "-j"),
       "create pod with name -j-w-0 validate failed [name part must consist of alphanumeric characters, '-', '_' or "
       "'.', "
       "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used "
       "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')];create job with name -j validate failed [name "
       "part "
       "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
       "character "
       "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
       "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]"},
      {"no replicas at all",
       volcano_job("{minAvailable: 1, tasks: [{name: o, replicas: 0, minAvailable: 0, template: " + kPod + "}, " +
                   kTask + "]}"),
       "allowed"},
  });
}

TEST_CASE("lifecycle policies", "[admission]") {
  const std::string action = "action: RestartJob";
  const std::string at = "spec.policies: Invalid value: ";
  struct Policies {
    const char* name;
    std::string policies;
    std::string want;
  };
  const Policies cases[] = {
      {"event and exit code", "{event: PodFailed, exitCode: 3, " + action + "}",
       one_error("must not specify event and exitCode simultaneously")},
      {"a negative exit code too", "{events: [PodFailed], exitCode: -1, " + action + "}",
       one_error("must not specify event and exitCode simultaneously")},
      {"neither", "{" + action + "}", one_error("either event and exitCode should be specified")},
      {"unknown event", "{event: PodCrashed, " + action + "}", one_error(at + "\"PodCrashed\": invalid policy event")},
      {"reserved events", "{event: OutOfSync, " + action + "}", one_error(at + "\"OutOfSync\": invalid policy event")},
      {"CommandIssued", "{event: CommandIssued, " + action + "}",
       one_error(at + "\"CommandIssued\": invalid policy event")},
      {"PodRunning", "{event: PodRunning, " + action + "}", one_error(at + "\"PodRunning\": invalid policy event")},
      {"no action", "{event: PodFailed}", one_error(at + "\"\": invalid policy action")},
      {"unknown action", "{event: PodFailed, action: Retry}", one_error(at + "\"Retry\": invalid policy action")},
      {"reserved action", "{event: PodFailed, action: SyncJob}", one_error(at + "\"SyncJob\": invalid policy action")},
      {"EnqueueJob", "{event: PodFailed, action: EnqueueJob}", one_error(at + "\"EnqueueJob\": invalid policy action")},
      {"SyncQueue", "{event: PodFailed, action: SyncQueue}", one_error(at + "\"SyncQueue\": invalid policy action")},
      {"OpenQueue", "{event: PodFailed, action: OpenQueue}", one_error(at + "\"OpenQueue\": invalid policy action")},
      {"CloseQueue", "{event: PodFailed, action: CloseQueue}", one_error(at + "\"CloseQueue\": invalid policy action")},
      {"one event in two policies", "{event: PodFailed, " + action + "}, {event: PodFailed, action: AbortJob}",
       one_error("duplicate event PodFailed  across different policy")},
      {"one event twice in one policy", "{event: PodFailed, events: [PodFailed, PodFailed], " + action + "}",
       "allowed"},
      {"exit code 0", "{exitCode: 0, " + action + "}", one_error("0 is not a valid error code")},
      {"an exit code twice, without actions", "{exitCode: 1}, {exitCode: 1}", one_error("duplicate exitCode 1")},
      {"the action of an exit code is not looked at", "{exitCode: 3, action: CloseQueue}", "allowed"},
      {"negative exit codes are fine", "{exitCode: -7, " + action + "}", "allowed"},
      {"`*` and another event", "{event: '*', " + action + "}, {event: PodFailed, action: AbortJob}",
       one_error("if there's * here, no other policy should be here")},
      {"in one policy", "{events: ['*', PodFailed], " + action + "}",
       one_error("if there's * here, no other policy should be here")},
      {"`*` and an exit code", "{event: '*', " + action + "}, {exitCode: 3, action: AbortJob}", "allowed"},
      {"the first problem ends the walk, `*` is looked at behind it",
       "{events: ['*', PodFailed], " + action + "}, {exitCode: 0}, {event: Nothing}",
       two_errors("0 is not a valid error code", "if there's * here, no other policy should be here")},
      {"events before event", "{event: Second, events: [First], " + action + "}",
       one_error(at + "\"First\": invalid policy event")},
      {"timeouts are not looked at", "{event: PodPending, timeout: -1s, " + action + "}", "allowed"},
      {"actions of tasks on the job", "{event: PodEvicted, action: RestartTask}", "allowed"},
  };
  for (const Policies& one : cases) {
    CAPTURE(one.name);
    CHECK(verdict_of(review_of(one_task("replicas: 1", "policies: [" + one.policies + "]"), webhook())) == one.want);
    std::string of_task = one.want;
    for (std::size_t found = of_task.find("spec.policies"); found != std::string::npos;
         found = of_task.find("spec.policies")) {
      of_task.replace(found, std::string("spec.policies").size(), "spec.tasks.policies");
    }
    CHECK(verdict_of(review_of(one_task("replicas: 1, policies: [" + one.policies + "]"), webhook())) == of_task);
  }
  CHECK(verdict_of(review_of(one_task("replicas: 1, policies: [{event: '*', action: RestartJob}]",
                                      "policies: [{event: '*', action: RestartJob}]"),
                             webhook())) == "allowed");
  for (const char* event :
       {"*", "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated"}) {
    for (const char* user : {"AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition", "TerminateJob",
                             "CompleteJob", "ResumeJob"}) {
      CAPTURE(event, user);
      CHECK(
          review_of(one_task("replicas: 1", "policies: [{event: '" + std::string(event) + "', action: " + user + "}]"),
                    webhook())
              .allowed);
    }
  }
}

TEST_CASE("every problem of a list of policies is found, in its place", "[admission]") {
  const Review review = review_of(
      "apiVersion: batch.volcano.sh/v1alpha1\n"
      "kind: Job\n"
      "metadata: {name: j, namespace: team}\n"
      "spec:\n"
      "  policies:\n"
      "  - {exitCode: 0, action: RestartJob}\n"
      "  - {event: Nothing, action: RestartJob}\n"
      "  - {event: PodFailed, action: Retry}\n"
      "  tasks: [" +
          kTask + "]\n",
      webhook());
  CHECK(verdict_of(review) == one_error("0 is not a valid error code"));
  CHECK(test::codes_of(review) ==
        "volcano.job.policy-exit-code  spec.policies[0].exitCode\n"
        "volcano.job.policy-event  spec.policies[1].event\n"
        "volcano.job.policy-action  spec.policies[2].action\n");
  REQUIRE(review.diagnostics.size() == 3);
  CHECK(review.diagnostics[0].range.begin == Position{6, 16});
  CHECK(review.diagnostics[1].range.begin == Position{7, 13});
  CHECK(review.diagnostics[2].range.begin == Position{8, 32});
  for (const Diagnostic& finding : review.diagnostics) {
    CHECK(finding.file == "m.yaml");
    CHECK_FALSE(finding.hint.empty());
  }
}

TEST_CASE("pod templates are checked as objects of their own", "[admission]") {
  check({
      {"two errors, one prefix", one_container("command: [x]"),
       "spec.task[0].template.spec.containers[0].name: Required value. template.spec.containers[0].image: Required "
       "value."},
      {"no containers", volcano_job("{tasks: [{name: w, replicas: 1, template: {spec: {}}}]}"),
       "spec.task[0].template.spec.containers: Required value."},
      {"no template", volcano_job("{tasks: [{name: w, replicas: 1}]}"),
       "spec.task[0].template.spec.containers: Required value."},
      {"a negative request", one_container("name: m, image: i, resources: {requests: {cpu: '-1'}}"),
       "spec.task[0].template.spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than "
       "or "
       "equal to 0."},
      {"a negative limit", one_container("name: m, image: i, resources: {limits: {memory: -1Gi}}"),
       "spec.task[0].template.spec.containers[0].resources.limits[memory]: Invalid value: \"-1Gi\": must be greater "
       "than "
       "or equal to 0."},
      {"privileged containers are fine",
       one_container("name: m, image: i, securityContext: {privileged: true}",
                     "initContainers: [{name: second, image: i, securityContext: "
                     "{privileged: true}}]"),
       "allowed"},
      {"the second of two tasks",
       volcano_job("{tasks: [" + kTask + ", {name: x, replicas: 1, template: {spec: {containers: [{name: m}]}}}]}"),
       "spec.task[1].template.spec.containers[0].image: Required value."},
  });
}

TEST_CASE("pod-level resources", "[admission]") {
  const auto pod = [](const std::string& resources) {
    return volcano_job(
        "{tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, resources: " + resources +
        ", containers: [{name: a, image: i, resources: {requests: {cpu: '2'}}}, {name: b, image: i, "
        "resources: {requests: {cpu: '2'}}}]}}}]}");
  };
  const std::string too_small = pod("{requests: {cpu: '2'}}");
  check({
      {"enough", pod("{requests: {cpu: '4'}}"), "allowed"},
      {"less than the containers ask for", too_small,
       "spec.task[0].template.spec.resources.requests[cpu]: Invalid value: \"2\": must be greater than or equal to "
       "aggregate container requests of 4."},
      {"above the limit", pod("{requests: {cpu: '6'}, limits: {cpu: '4'}}"),
       "spec.task[0].template.spec.resources.requests: Invalid value: \"6\": must be less than or equal to cpu limit "
       "of 4."},
  });
  Options without_gate = webhook();
  without_gate.pod_level_resources = false;
  CHECK(verdict_of(review_of(too_small, without_gate)) == "allowed");
}

TEST_CASE("a topology policy needs whole CPUs", "[admission]") {
  const auto job = [](const std::string& policy, const std::string& resources, const std::string& init = "") {
    return volcano_job("{tasks: [{name: w, replicas: 1, topologyPolicy: " + policy +
                       ", template: {spec: {restartPolicy: Never, " + init +
                       "containers: [{name: m, image: i, resources: " + resources + "}]}}}]}");
  };
  const std::string text = "the cpu request isn't an integer in spec.task[0] container[0].";
  check({
      {"limits count where nothing is asked for", job("restricted", "{limits: {cpu: '1'}}"), "allowed"},
      {"half a CPU", job("restricted", "{limits: {cpu: 500m}}"), text},
      {"one and a half", job("best-effort", "{requests: {cpu: 1.5}}"), text},
      {"whole in milli-CPUs", job("single-numa-node", "{requests: {cpu: 2000m}}"), "allowed"},
      {"none", job("restricted", "{}"), text},
      {"without a policy", job("none", "{requests: {cpu: 500m}}"), "allowed"},
      {"init containers count on",
       job("restricted", "{requests: {cpu: 1}}",
           "initContainers: [{name: second, image: i, resources: {requests: {cpu: 100m}}}], "),
       "the cpu request isn't an integer in spec.task[0] container[1]."},
      {"only if the template is in order", job("restricted", "{requests: {cpu: '-0.5'}}"),
       "spec.task[0].template.spec.containers[0].resources.requests[cpu]: Invalid value: \"-500m\": must be greater "
       "than "
       "or equal to 0."},
  });
}

TEST_CASE("partitions", "[admission]") {
  const auto job = [](const std::string& task) { return one_task(task); };
  check({
      {"no partitions", job("replicas: 8, partitionPolicy: {totalPartitions: -1, partitionSize: 2}"),
       "'TotalPartitions' must be greater than 0 in task: w, job: j"},
      {"no size", job("replicas: 8, partitionPolicy: {totalPartitions: 2, partitionSize: -1}"),
       "'PartitionSize' must be greater than 0 in task: w, job: j"},
      {"another product", job("replicas: 7, partitionPolicy: {totalPartitions: 4, partitionSize: 2}"),
       "'Replicas' are not equal to TotalPartitions*PartitionSize in task: w, job: j"},
      {"minAvailable against minPartitions",
       job("replicas: 8, minAvailable: 4, partitionPolicy: {totalPartitions: 4, partitionSize: 2, minPartitions: 1}"),
       "'MinAvailable' is not equal to MinPartitions*PartitionSize in task: w, job: j"},
      {"both agree",
       job("replicas: 8, minAvailable: 4, partitionPolicy: {totalPartitions: 4, partitionSize: 2, minPartitions: 2}"),
       "allowed"},
      {"no minPartitions", job("replicas: 8, partitionPolicy: {totalPartitions: 4, partitionSize: 2}"), "allowed"},
      {"minPartitions, no minAvailable",
       job("replicas: 8, partitionPolicy: {totalPartitions: 4, partitionSize: 2, minPartitions: 1}"), "allowed"},
      {"what the defaults make of it",
       job("replicas: 4, minAvailable: 4, partitionPolicy: {totalPartitions: 2, partitionSize: 2}"), "allowed"},
      {"a tier's name alone",
       one_task("replicas: 2, partitionPolicy: {totalPartitions: 1, partitionSize: 2, "
                "networkTopology: {highestTierName: rack}}",
                "networkTopology: {highestTierName: zone}"),
       "allowed"},
      {"both tiers, glued to the text before",
       job("replicas: 7, partitionPolicy: {totalPartitions: 4, partitionSize: 2, networkTopology: {highestTierAllowed: "
           "0, "
           "highestTierName: rack}}"),
       "'Replicas' are not equal to TotalPartitions*PartitionSize in task: w, job: jmust not specify "
       "'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously"},
  });
}

TEST_CASE("volumes: the first problem counts", "[admission]") {
  const auto job = [](const std::string& volumes) { return one_task("replicas: 1", "volumes: [" + volumes + "]"); };
  const std::string claim = "volumeClaim: {accessModes: [ReadWriteOnce]}";
  check({
      {"an existing claim", job("{mountPath: /a, volumeClaimName: c}, {mountPath: /b, volumeClaimName: c}"), "allowed"},
      {"a new claim", job("{mountPath: /a, " + claim + "}"), "allowed"},
      {"no path", job("{volumeClaimName: c}"), "mountPath is required;"},
      {"an empty path", job("{mountPath: '', volumeClaimName: c}"), "mountPath is required;"},
      {"one path twice", job("{mountPath: /var, " + claim + "}, {mountPath: /var, " + claim + "}"),
       "duplicated mountPath: /var;"},
      {"no claim", job("{mountPath: /var}, {mountPath: /var}"),
       "either VolumeClaim or VolumeClaimName must be specified;"},
      {"two claims", job("{mountPath: /a, volumeClaimName: c, " + claim + "}"),
       "conflict: If you want to use an existing PVC, just specify VolumeClaimName.If you want to create a new PVC, "
       "you do "
       "not need to specify VolumeClaimName"},
      {"no name of a claim", job("{mountPath: /a, volumeClaimName: C_1}"),
       "invalid VolumeClaimName C_1 : [a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
       "characters, "
       "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
       "validation "
       "is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]"},
  });
  const Review review =
      review_of(job("{mountPath: /var}, {mountPath: /var, volumeClaimName: c}, {volumeClaimName: d}"), webhook());
  CHECK(test::codes_of(review) ==
        "volcano.job.volume-claim-missing  spec.volumes[0]\n"
        "volcano.job.volume-mount-path-duplicate  spec.volumes[1].mountPath\n"
        "volcano.job.volume-mount-path  spec.volumes[2].mountPath\n");
}

TEST_CASE("queues", "[admission]") {
  Options options = webhook();
  options.queues = {{"default", "Open", "root"}, {"root", "Open", ""},       {"closed", "Closed", "root"},
                    {"new", "", "root"},         {"parent", "Open", "root"}, {"child", "Open", "parent"},
                    {"other", "Open", "parent"}, {"old", "Closed", "root"},  {"young", "Open", "old"},
                    {"orphan", "Open", ""}};
  const auto in = [&](const std::string& queue) {
    return verdict_of(review_of(one_task("replicas: 1", queue.empty() ? "" : "queue: " + queue), options));
  };
  CHECK(in("") == "allowed");
  CHECK(in("default") == "allowed");
  CHECK(in("child") == "allowed");
  CHECK(in("orphan") == "allowed");
  CHECK(in("nowhere") == "unable to find job queue: queue.scheduling.volcano.sh \"nowhere\" not found;");
  CHECK(in("closed") == "can only submit job to queue with state `Open`, queue `closed` status is `Closed`;");
  CHECK(in("new") == "can only submit job to queue with state `Open`, queue `new` status is ``;");
  CHECK(in("root") == "can not submit job to root queue;");
  CHECK(in("parent") == "can only submit job to leaf queue, queue `parent` has 2 child queues;");
  CHECK(in("old") ==
        "can only submit job to queue with state `Open`, queue `old` status is `Closed`; can only submit job to leaf "
        "queue, queue `old` has 1 child queues;");
  options.queues.reset();
  CHECK(in("nowhere") == "allowed");
}

TEST_CASE("queues as the API has them", "[admission]") {
  const std::vector<Queue> queues =
      queues_from(test::json_of("{kind: QueueList, items: [{metadata: {name: a}, spec: {parent: root}, status: {state: "
                                "Open}}, {kind: Job, metadata: "
                                "{name: no}}, {metadata: {}}]}"));
  REQUIRE(queues.size() == 1);
  CHECK(queues[0].name == "a");
  CHECK(queues[0].state == "Open");
  CHECK(queues[0].parent == "root");
  CHECK(queues_from(test::json_of("[{metadata: {name: a}}, {metadata: {name: b}}]")).size() == 2);
  CHECK(queues_from(test::json_of("{kind: Queue, metadata: {name: a}}")).size() == 1);
  CHECK(queues_from(Json("none")).empty());
}

TEST_CASE("dependencies between tasks", "[admission]") {
  const auto job = [](const std::vector<std::pair<std::string, std::string>>& tasks) {
    std::string list;
    for (const auto& [name, depends] : tasks) {
      list += (list.empty() ? "" : ", ") + ("{name: " + name + ", replicas: 1, template: " + kPod) +
              (depends.empty() ? "" : ", dependsOn: {name: " + depends + "}") + "}";
    }
    return verdict_of(review_of(volcano_job("{tasks: [" + list + "]}"), webhook()));
  };
  const std::string no = "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);";
  CHECK(job({{"t1", "[t2]"}, {"t2", ""}}) == "allowed");
  CHECK(job({{"t1", "[t3]"}, {"t2", ""}}) == no);
  CHECK(job({{"t1", "[t2, t3]"}, {"t2", "[t3]"}, {"t3", "[]"}}) == "allowed");
  CHECK(job({{"t1", "[t2]"}, {"t2", "[t1]"}, {"t3", ""}}) == no);
  CHECK(job({{"t1", ""}, {"t2", "[t2]"}}) == no);
  CHECK(job({{"t1", "[t2, t3]"}, {"t2", ""}, {"t3", "[t2]"}}) == "allowed");
  CHECK(job({{"t1", "[t2, t2]"}, {"t2", ""}}) == no);
  CHECK(job({{"t1", "[]"}, {"t2", ""}}) == "allowed");
}

TEST_CASE("problems behind one that ends the original's look are found too", "[admission]") {
  const Review review =
      review_of(volcano_job("{tasks: [" + kTask + ", " + kTask +
                            ", {name: x, replicas: 1, minAvailable: 2, template: {spec: {containers: []}}}]}"),
                webhook());
  CHECK(verdict_of(review).starts_with("duplicated task name w;"));
  CHECK(test::codes_of(review) ==
        "volcano.job.task-name-duplicate  spec.tasks[1].name\n"
        "volcano.job.task-min-available  spec.tasks[2].minAvailable\n"
        "pod.container-missing  spec.tasks[2].template.spec.containers\n"
        "volcano.job.min-available  spec.minAvailable\n");
}

}  // namespace
}  // namespace pumice::admission
