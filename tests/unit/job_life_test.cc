// The rest of a job's life on the simulated cluster: deleted, created anew, edited; nodes, quotas, queues.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "pumice/simulation/report.h"
#include "support/world.h"

namespace pumice {
namespace {

using namespace volcano;
using test::one_task;
using test::World;

std::string refusal(World& world, std::string_view line) {
  world.play(line);
  return world.last().refused;
}

bool waits_for(const World& world, std::string_view job, std::string_view code) {
  const auto waiting = world.simulation.waiting();
  return std::any_of(waiting.begin(), waiting.end(),
                     [&](const Waiting& w) { return w.job_key == "default/" + std::string(job) && w.code == code; });
}

std::string job_yaml(std::string_view name, std::string_view more) {
  return "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: " + std::string(name) + "}\nspec: {" +
         std::string(more) +
         "tasks: [{name: w, replicas: 2, template: {spec: {restartPolicy: Never, containers: [{name: main, image: i, "
         "resources: {requests: {cpu: 1}}}]}}}]}\n";
}

TEST_CASE("what a deleted job leaves behind is collected", "[life]") {
  World world(one_task(2, "plugins: {svc: []}"));
  world.play("until Running");
  CHECK(!world.simulation.cluster().objects().empty());
  world.play("delete j");
  CHECK(world.simulation.cluster().jobs().empty());
  CHECK(world.simulation.cluster().pods().size() == 2);
  CHECK(refusal(world, "command AbortJob").starts_with("job `j` does not exist now"));
  world.play("until settled");
  CHECK(world.simulation.cluster().pods().empty());
  CHECK(world.simulation.cluster().pod_groups().empty());
  CHECK(world.simulation.cluster().objects().empty());
  CHECK(world.simulation.controller().cache().entry("default/j") == nullptr);
  CHECK(waits_for(world, "j", "Gone"));
}

TEST_CASE("in the foreground the job goes last, and the controller leaves it alone", "[life]") {
  World world(one_task(2));
  world.play_all({"until Running", "delete j foreground"});
  CHECK(world.job().meta.deletion.has_value());
  CHECK(refusal(world, "delete j") == "job `j` is being deleted already");
  world.play("until settled");
  CHECK(world.simulation.cluster().jobs().empty());
  CHECK(world.simulation.cluster().pods().empty());
}

TEST_CASE("a job of the same name again has a life of its own", "[life]") {
  // Cases V52 and V53: the PodGroup's name holds the uid, so the second survives the first one's collection.
  World world(one_task(1));
  world.play("until Running");
  const std::string first = world.job().meta.uid;
  CHECK(refusal(world, "create j") == "job `j` exists already");
  world.play_all({"delete j", "create j"});
  CHECK(world.job().meta.uid != first);
  CHECK(world.status().phase.code == JobPhase::Pending);
  world.play("until settled");
  CHECK(world.phase() == "Running");
  CHECK(world.simulation.cluster().pod_groups().size() == 1);
  REQUIRE(world.pod("j-w-0") != nullptr);
  CHECK(world.pod("j-w-0")->owner_uid == world.job().meta.uid);
}

TEST_CASE("without anyone to remove them, pods of a deleted job stay until they are said to be gone", "[life]") {
  World world(one_task(1), Automation::Manual);
  world.play_all({"podgroup Inqueue", "pod w-0 Running", "delete j"});
  REQUIRE(world.simulation.cluster().pods().size() == 1);
  CHECK(world.simulation.cluster().pods().begin()->second.pod->deletion.has_value());
  CHECK(world.simulation.cluster().pod_groups().empty());
  world.play("pod w-0 gone");
  CHECK(world.simulation.cluster().pods().empty());
}

TEST_CASE("edits pass admission first", "[life]") {
  World world(one_task(3, "minAvailable: 1"));
  world.play("until Running");
  world.play("edit j spec.tasks[w].replicas=1 spec.tasks[w].minAvailable=1");
  CHECK(world.last().refused.empty());
  CHECK(world.job().spec->tasks[0].replicas == 1);
  world.play("until settled");
  CHECK(world.simulation.cluster().pods().size() == 1);
  world.play_all({"edit j tasks[0].replicas=4", "until settled"});
  CHECK(world.simulation.cluster().pods().size() == 4);

  // Case V46.
  const std::string image = refusal(world, "edit j spec.tasks[w].template.spec.containers[0].image=new");
  CHECK(image.starts_with("the cluster refuses the edit: "));
  CHECK(image.find("job updates may not change fields other than") != std::string::npos);
  CHECK(refusal(world, "edit j spec.minAvailable=9").starts_with("the cluster refuses the edit: "));
  CHECK(refusal(world, "edit j spec.tasks[v].replicas=1") == "`spec.tasks[v].replicas`: there is no item `v`");
  CHECK(refusal(world, "edit j status.version=1") == "`status` is the controller's, not yours");
  CHECK(refusal(world, "edit j spec.tasks[w].replicas=4") == "nothing changes: job `j` is so already");
  CHECK(refusal(world, "edit j spec.tasks[w].replicas=-1").starts_with("the cluster refuses the edit: "));
}

TEST_CASE("pods of a lost node are evicted, and stay until it is back", "[life]") {
  World world(one_task(2, "policies: [{event: PodEvicted, action: RestartJob}]"));
  world.play_all({"until Running", "fault nodeLost w-0"});
  CHECK(world.phase() == "Running");
  world.play("advance 299s");
  CHECK(!world.pod("j-w-0")->deletion);
  world.play("advance 1s");
  CHECK(world.pod("j-w-0")->deletion.has_value());
  world.play("advance 1h");
  REQUIRE(world.pod("j-w-0") != nullptr);
  CHECK(world.status().retry_count == 0);
  world.play_all({"fault nodeBack w-0", "advance 2s"});
  CHECK(world.status().retry_count == 1);
}

TEST_CASE("a pod whose image cannot be pulled keeps waiting", "[life]") {
  World world(one_task(2));
  world.play_all({"advance next", "pod w-1 reason=ImagePullBackOff", "until settled"});
  CHECK(world.pod("j-w-0")->phase == PodPhase::Running);
  CHECK(world.pod("j-w-1")->phase == PodPhase::Pending);
  CHECK(waits_for(world, "j", "PodHeldUp"));
  CHECK(refusal(world, "pod w-0 reason=X") ==
        "`j-w-0` is Running: only a pod that is Pending can be kept from starting");
  world.play("pod w-1 Running");
  CHECK(world.phase() == "Running");
}

TEST_CASE("a quota refuses pods in the API server's words", "[life]") {
  World world(one_task(3, "minAvailable: 1"));
  world.play_all({"fault quota 2", "advance next"});
  CHECK(world.simulation.cluster().pods().size() == 2);
  const std::string text = explain_text(world.simulation, world.last(), Explain::Short);
  CHECK(text.find("pods \"j-w-2\" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=2, limited: "
                  "pods=2") != std::string::npos);
  world.play_all({"fault quotaLifted", "until Running"});
  CHECK(world.simulation.cluster().pods().size() == 3);

  World given("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: \"1\"}}\n---\n" +
              one_task(2, "minAvailable: 1"));
  given.play("advance next");
  CHECK(given.simulation.cluster().pods().size() == 1);
}

TEST_CASE("gangs wait for each other in a queue that is short, the first by priority", "[life]") {
  const std::string head =
      "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: blue}\nspec: {capability: {cpu: 3}}\n"
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n";
  World world(head + job_yaml("a", "queue: blue, ") + job_yaml("b", "queue: blue, priorityClassName: high, "));
  world.play("until settled");
  const auto phase = [&](const char* job) {
    return world.simulation.cluster().jobs().at(std::string("default/") + job)->status.phase.code;
  };
  CHECK(phase("b") == JobPhase::Running);
  CHECK(phase("a") == JobPhase::Pending);
  CHECK(waits_for(world, "a", "QueueFull"));
  world.play_all({"pod b-w-* Succeeded", "until settled"});
  CHECK(phase("b") == JobPhase::Completed);
  CHECK(phase("a") == JobPhase::Running);
}

TEST_CASE("a queue that is not open takes nobody in, and one that is missing is an error", "[life]") {
  World world(one_task(1));
  world.play_all({"queue default Closed", "until settled"});
  CHECK(world.phase() == "Pending");
  CHECK(waits_for(world, "j", "QueueNotOpen"));
  CHECK(refusal(world, "queue default Closed") == "queue `default` is Closed already");
  world.play_all({"queue default Open", "until settled"});
  CHECK(world.phase() == "Running");
  CHECK(refusal(world, "queue blue deleted") == "there is no queue `blue`");

  // Spec 12 no. 41.
  world.play_all({"queue default deleted", "pod w-0 Failed"});
  CHECK(explain_text(world.simulation, world.last(), Explain::Short).find("queue `default` not found") !=
        std::string::npos);
}

TEST_CASE("a job for a queue that is closed is refused as the webhook refuses it", "[life]") {
  const auto created = Simulation::create(
      {{"t.yaml",
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: blue}\nstatus: {state: Closed}\n" +
            job_yaml("a", "queue: blue, ")}},
      {});
  REQUIRE(!created.ok());
  CHECK(to_text(created.diagnostics.front()).find("queue `blue` status is `Closed`") != std::string::npos);
}

TEST_CASE("wrong objects beside the jobs are told of", "[life]") {
  const auto finding = [](const std::string& object) {
    const auto created = Simulation::create({{"t.yaml", object + "\n---\n" + one_task(1)}}, {});
    REQUIRE(!created.diagnostics.empty());
    return to_text(created.diagnostics.front());
  };
  CHECK(finding("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {}}").find("has no name") !=
        std::string::npos);
  CHECK(
      finding("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {capability: {cpu: "
              "x}}}")
          .find("`x` is not a quantity") != std::string::npos);
  CHECK(finding("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: q}, value: high}")
            .find("a whole number") != std::string::npos);
  CHECK(finding("{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: -1}}}")
            .find("not negative") != std::string::npos);
}

}  // namespace
}  // namespace pumice
