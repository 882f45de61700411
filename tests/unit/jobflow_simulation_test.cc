// JobFlows and the TTL within a simulation: jobs appear, run and go, and every step says why.
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "pumice/simulation/report.h"
#include "support/world.h"

namespace pumice {
namespace {

using Names = std::vector<std::string>;
using test::World;

std::string made(const std::string& name, const std::string& spec = "") {
  return "---\n{apiVersion: flow.volcano.sh/v1alpha1, kind: JobTemplate, metadata: {name: " + name + "}, spec: {" +
         (spec.empty() ? "" : spec + ", ") +
         "tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: m}]}}}]}}\n";
}
std::string flow(const std::string& steps, const std::string& policy = "retain", const std::string& name = "f") {
  return "{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, metadata: {name: " + name +
         "}, spec: {jobRetainPolicy: " + policy + ", flows: [" + steps + "]}}\n";
}
const std::string kChain = "{name: a}, {name: b, dependsOn: {targets: [a]}}";

std::string flow_phase(const World& world, const std::string& key = "default/f") {
  return world.simulation.side().flows().at(key)->status.phase;
}
bool exists(const World& world, const std::string& job) {
  return world.simulation.cluster().jobs().contains("default/" + job);
}
std::string all_text(const World& world, Explain level) {
  std::string text;
  for (const StepRecord& step : world.steps) text += explain_text(world.simulation, step, level);
  return text;
}

TEST_CASE("a flow runs its jobs in order and succeeds", "[jobflow][simulation]") {
  World world(flow(kChain) + made("a") + made("b"), Automation::Auto);
  CHECK(world.simulation.jobs() == Names{"default/f-a"});
  CHECK(flow_phase(world) == "Pending");
  world.play("until Completed f-a");
  // The round of the event that completed a creates b.
  CHECK(exists(world, "f-b"));
  CHECK(flow_phase(world) == "Running");
  CHECK(world.simulation.jobs() == Names{"default/f-a", "default/f-b"});
  world.play("until settled");
  CHECK(flow_phase(world) == "Succeed");
  CHECK(exists(world, "f-a"));
  CHECK(world.simulation.all_succeeded());
  CHECK(world.simulation.side().templates().at("default/a")->jobs == Names{"f-a"});
  const auto place = world.simulation.place_of("default/f-b", "spec.tasks[0].name");
  REQUIRE(place);
  CHECK(place->range.begin.line > 4);
}

TEST_CASE("policy delete: jobs go when the flow has succeeded", "[jobflow][simulation]") {
  World world(flow(kChain, "delete") + made("a") + made("b"), Automation::Auto);
  world.play("until settled");
  CHECK(flow_phase(world) == "Succeed");
  CHECK(world.simulation.cluster().jobs().empty());
  CHECK(world.simulation.cluster().pods().empty());
  CHECK(world.simulation.cluster().pod_groups().empty());
  CHECK(world.simulation.all_succeeded());
  CHECK(world.simulation.cluster().last_job("default/f-b")->status.phase.text() == "Completed");
  const std::string text = all_text(world, Explain::Short);
  CHECK(text.find("policy is delete: jobs f-a and f-b are deleted") != std::string::npos);
  const Json view = view_json(world.simulation);
  CHECK(view["jobs"].empty());
  CHECK(view["gone"].size() == 2);
  CHECK(view["flows"][0]["phase"] == "Succeed");
  CHECK(view["flows"][0]["steps"][0]["phase"] == "Completed");
  CHECK(view["flows"][0]["steps"][0]["exists"] == false);
}

TEST_CASE("a job that fails fails its flow, and siblings go on", "[jobflow][simulation]") {
  World world(flow("{name: a}, {name: b}") + made("a", "maxRetry: 1") + made("b"));
  world.play_all({"until Running f-a", "until Running f-b", "pod f-a-w-0 Failed exit=1", "until settled"});
  CHECK(world.simulation.cluster().last_job("default/f-a")->status.phase.text() == "Failed");
  CHECK(flow_phase(world) == "Failed");
  CHECK(world.simulation.cluster().last_job("default/f-b")->status.phase.text() == "Running");
  CHECK(!world.simulation.all_succeeded());
  CHECK(world.simulation.waiting_of_flow("default/f") == Names{"it is Failed: nothing leads out of that"});
}

TEST_CASE("a missing template: attempts, then the flow is forgotten", "[jobflow][simulation]") {
  World world(flow("{name: a}, {name: b}") + made("b"));
  CHECK(!exists(world, "f-b"));  // the round ends at the first error
  CHECK(flow_phase(world).empty());
  world.play("until settled");
  CHECK(world.steps.size() == 16);
  CHECK(world.last().source == StepSource::Timer);
  CHECK(sentence(world.simulation, world.last()) ==
        "JobFlow f: jobtemplate.flow.volcano.sh \"a\" not found; attempt 16 was the last, so it is forgotten until one "
        "of its jobs changes.");
  CHECK(explain_text(world.simulation, world.last(), Explain::Full)
            .find("event Warning SyncJobFlow: SyncJobFlow JobFlow failed for sync jobflow f failed for") !=
        std::string::npos);
}

TEST_CASE("surprises of section 8, played", "[jobflow][simulation]") {
  SECTION("3: a deleted job is created again at the next update of a sibling, even after success") {
    World world(flow("{name: a}, {name: b}") + made("a", "ttlSecondsAfterFinished: 1") + made("b"));
    world.play_all({"until Running f-a", "until Running f-b", "pod f-a-w-0 Succeeded", "advance 5s"});
    CHECK(!exists(world, "f-a"));
    world.play("pod f-b-w-0 Succeeded");
    CHECK(exists(world, "f-a"));
  }
  SECTION("5: an aborted job keeps the flow Running") {
    World world(flow("{name: a}") + made("a"));
    world.play_all({"until Running f-a", "command AbortJob f-a", "until settled"});
    CHECK(world.simulation.cluster().last_job("default/f-a")->status.phase.text() == "Aborted");
    CHECK(flow_phase(world) == "Running");
    CHECK(world.simulation.waiting_of_flow("default/f") ==
          Names{"job f-a is Aborted, which neither fails nor ends the flow"});
  }
  SECTION("4: a job of somebody else satisfies a dependency") {
    const std::string foreign =
        "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: f-a}, spec: {tasks: [{name: w, "
        "replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: m}]}}}]}}\n";
    World world(flow(kChain) + made("a") + made("b") + foreign, Automation::Auto);
    world.play("until Completed f-a");
    // Its updates are nobody's business but its own, and the flow is not looked at again.
    CHECK(!exists(world, "f-b"));
    CHECK(world.simulation.is_in_manifests("default/f-a"));
    CHECK(all_text(world, Explain::Full).find("counts although the flow does not control it") != std::string::npos);
  }
}

TEST_CASE("the TTL deletes a finished job on the clock", "[ttl][simulation]") {
  World world(test::one_task(2, "ttlSecondsAfterFinished: 60"));
  world.play_all({"until Running", "pod w-* Succeeded"});
  CHECK(world.phase() == "Completed");
  const auto waiting = world.simulation.waiting();
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[1].code == "Ttl");
  CHECK(waiting[1].text == "it is deleted at +1m3s (ttlSecondsAfterFinished 60)");
  CHECK(sentence(world.simulation, world.last()).find("kept for 1m0s (ttlSecondsAfterFinished), until +1m3s") !=
        std::string::npos);
  world.play("advance next");
  CHECK(world.last().source == StepSource::Timer);
  CHECK(world.last().elapsed == seconds(63));
  // In the foreground: the job stays until its pods are gone.
  CHECK(world.job().meta.deletion);
  CHECK(world.simulation.cluster().pod_groups().empty());
  CHECK(sentence(world.simulation, world.last()).starts_with("Job j is Completed since +3s, and the 1m0s for which"));
  world.play("until settled");
  CHECK(world.simulation.cluster().jobs().empty());
  CHECK(world.simulation.cluster().pods().empty());
  CHECK(world.last().changes.at(0).gone);
  const Json step = step_json(world.simulation, world.last());
  CHECK(step["changes"][0]["gone"] == true);
  // What is asked of a job that is gone is refused, and what it was is still known.
  world.play("command RestartJob j");
  CHECK(world.last().refused == "the job `j` does not exist now");
  CHECK(world.simulation.cluster().last_job("default/j")->status.phase.text() == "Completed");
}

TEST_CASE("a TTL of 0 deletes in the step that finishes", "[ttl][simulation]") {
  World world(test::one_task(1, "ttlSecondsAfterFinished: 0"));
  world.play_all({"until Running", "pod w-0 Succeeded"});
  CHECK(world.job().meta.deletion);
  world.play("until settled");
  CHECK(world.simulation.cluster().jobs().empty());
}

TEST_CASE("no TTL without a finish", "[ttl][simulation]") {
  World world(test::one_task(1, "ttlSecondsAfterFinished: 0"));
  world.play_all({"until Running", "command AbortJob", "until settled"});
  CHECK(world.phase() == "Aborted");
  CHECK(!world.job().meta.deletion);
}

TEST_CASE("without kubelets the pods of a deleted job stay until the user says that they are gone",
          "[ttl][simulation]") {
  World world(test::one_task(1, "ttlSecondsAfterFinished: 5"), Automation::Manual);
  world.play_all({"podgroup Inqueue", "pod w-0 Running", "pod w-0 Succeeded", "advance 10s"});
  CHECK(world.job().meta.deletion);
  REQUIRE(world.simulation.cluster().pods().size() == 1);
  world.play("pod w-0 gone");
  CHECK(world.simulation.cluster().jobs().empty());
}

TEST_CASE("deletion of a job in the background, and a successor of its name", "[cluster]") {
  World world(test::one_task(2, "plugins: {svc: []}"));
  world.play("until Running");
  Cluster cluster = world.simulation.cluster();
  const Job before = world.job();
  const Time now = world.simulation.now();
  cluster.delete_job("default/j", now);
  CHECK(cluster.jobs().empty());
  CHECK(cluster.pods_of("default/j").size() == 2);
  const Time later = now + ClusterTimings{}.collect;
  CHECK(cluster.act(later).kind == ClusterAction::Kind::CollectJob);
  CHECK(cluster.pod_groups().empty());
  for (const auto& object : cluster.objects()) FAIL_CHECK(to_string(object.first.type));
  REQUIRE(cluster.pods_of("default/j").size() == 2);
  for (const StoredPod* pod : cluster.pods_of("default/j")) {
    CHECK_FALSE(cluster.is_own(*pod));
    CHECK(pod->pod->deletion == later);
  }
  cluster.delete_job("default/j", later);  // nothing to do
  Job again = before;
  again.status = {};
  cluster.create_job(again, later);
  CHECK(cluster.gone_jobs().empty());
  CHECK(cluster.pods_of("default/j").size() == 2);
  cluster.settle(later);
  const ClusterAction action = cluster.act(later + seconds(1));
  CHECK(action.kind == ClusterAction::Kind::RemovePods);
  CHECK(cluster.pods().empty());
  CHECK(cluster.jobs().size() == 1);  // the old pods did not take the new job along
}

TEST_CASE("all levels of explanation tell of flows", "[jobflow][simulation]") {
  World world(flow(kChain) + made("a") + made("b"));
  const StepRecord& first = world.steps.front();
  CHECK(explain_text(world.simulation, first, Explain::Off).find("create JobFlow f and 2 JobTemplates") !=
        std::string::npos);
  CHECK(sentence(world.simulation, first).starts_with("JobFlow f and 2 JobTemplates are created; JobFlow f "));
  const std::string fails = explain_text(world.simulation, first, Explain::Fails);
  CHECK(fails.find("step b: waits for a, whose job") != std::string::npos);
  const std::string full = explain_text(world.simulation, first, Explain::Full);
  CHECK(full.find("event Normal Created: create a job named f-a!") != std::string::npos);
  CHECK(full.find("JobTemplate a") != std::string::npos);
  const Json json = step_json(world.simulation, first);
  CHECK(json["flows"][0]["phase"]["to"] == "Pending");
  CHECK(json["side"].size() == json["sideTotal"].get<std::size_t>());
  bool told = false;
  for (const Json& record : json["side"]) told = told || record["kind"] == "flow";
  CHECK(told);
}

TEST_CASE("what is said of flows before they run", "[jobflow][simulation]") {
  struct Case {
    std::string text;
    const char* finding;
  };
  const Case cases[] = {
      {flow("{name: a}"), "warning: spec.flows[0].name: there is no JobTemplate `a` in namespace `default`"},
      {flow("{name: a}, {name: a}") + made("a"), "warning: spec.flows[1].name: step `a` is there before"},
      {flow("{name: a, dependsOn: {targets: [x]}}") + made("a"),
       "warning: spec.flows[0].dependsOn.targets: `x` is no step of this flow"},
      {flow("{name: a, dependsOn: {targets: [a]}}") + made("a"), "step `a` waits, in a circle"},
      {flow("{name: a, dependsOn: {probe: {taskStatusList: []}}}") + made("a"), "never reads `probe`"},
      {flow("{name: a, patch: {jobSpec: {queue: q}}}") + made("a"), "never applies `patch`"},
      {flow("{name: a}", "retain", std::string(60, 'f')) + made("a"), "no job of this flow can be created"},
      {flow("{name: a}") + "---\n" + flow("{name: a}"), "there are two JobFlows called `default/f`"},
      {made("a"), "a JobTemplate alone does nothing"},
      {flow("{name: a}") + made("a", "minAvailable: -1"), "spec.minAvailable: -1 is negative"},
  };
  for (const Case& c : cases) {
    const auto created = Simulation::create({{"f.yaml", c.text}}, {});
    std::string all;
    for (const Diagnostic& finding : created.diagnostics) all += to_text(finding) + "\n";
    INFO(c.finding << "\n" << all);
    CHECK(all.find(c.finding) != std::string::npos);
  }
}

TEST_CASE("published flows are simulated", "[jobflow][simulation]") {
  const char* shared = std::getenv("PUMICE_SHARED");
  const std::string folder =
      (shared != nullptr ? std::string(shared) : std::string(PUMICE_SOURCE_DIR "/../shared")) + "/manifests/volcano/";
  std::vector<SourceText> sources;
  for (const char* file : {"jobflow__JobFlow.yaml", "jobflow__JobTemplate.yaml"}) {
    std::ifstream in(folder + file);
    if (!in) SKIP("the published manifests are not at hand");
    std::stringstream text;
    text << in.rdbuf();
    sources.push_back({file, text.str()});
  }
  SimulationOptions options;
  options.automation = Automation::Auto;
  auto created = Simulation::create(sources, options);
  REQUIRE(created.ok());
  Simulation& simulation = *created.value;
  (void)simulation.start();
  int steps = 0;
  for (; simulation.next(); ++steps) REQUIRE(steps < 1000);
  CHECK(simulation.side().flows().at("default/test")->status.phase == "Succeed");
  CHECK(simulation.cluster().jobs().empty());
  CHECK(simulation.cluster().gone_jobs().size() == 5);
  CHECK(simulation.all_succeeded());
}

}  // namespace
}  // namespace pumice
