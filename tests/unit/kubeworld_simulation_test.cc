// batch/v1 Jobs behind `Simulation`: manifests, events by name, steps, explanations, views, beside Volcano Jobs.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "pumice/simulation/report.h"
#include "pumice/simulation/simulation.h"
#include "support/kubeworld.h"
#include "support/world.h"

namespace pumice {
namespace {

using test::kube_manifest;

class KubePlay {
 public:
  explicit KubePlay(const std::string& manifest, Automation automation = Automation::Assist)
      : simulation(load(manifest, automation)) {
    steps.push_back(simulation.start());
  }
  void play(std::string_view line) {
    const auto event = parse_event(line);
    INFO(line);
    REQUIRE(event.ok());
    CHECK(to_line(*event.value) == line);
    for (StepRecord& step : simulation.apply(*event.value)) steps.push_back(std::move(step));
  }
  [[nodiscard]] const StepRecord& last() const { return steps.back(); }
  [[nodiscard]] std::string told(Explain level) const {
    std::string text;
    for (const StepRecord& step : steps) text += explain_text(simulation, step, level);
    return text;
  }
  [[nodiscard]] std::string state(const std::string& key = "default/j") const {
    return std::string(kubeworld::state_of(simulation.kube().last_job(key).get()));
  }

  static Simulation load(const std::string& manifest, Automation automation) {
    SimulationOptions options;
    options.automation = automation;
    auto created = Simulation::create({{"job.yaml", manifest}}, options);
    for (const Diagnostic& finding : created.diagnostics)
      if (finding.severity == Severity::Error) FAIL_CHECK(to_text(finding));
    REQUIRE(created.ok());
    return std::move(*created.value);
  }

  Simulation simulation;
  std::vector<StepRecord> steps;
};

TEST_CASE("a batch/v1 Job runs by itself behind Simulation", "[kubeworld][simulation]") {
  KubePlay play(kube_manifest("completions: 2"), Automation::Auto);
  CHECK(play.last().kube.changes.size() == 1);
  play.play("until settled");
  CHECK(play.state() == "Complete");
  CHECK(play.simulation.all_ended());
  CHECK(play.simulation.all_succeeded());
  const std::string told = play.told(Explain::Short);
  CAPTURE(told);
  CHECK(told.find("create Job j") != std::string::npos);
  CHECK(told.find("Active → Complete") != std::string::npos);
  CHECK(told.find("Job j: 1 pod succeeded") != std::string::npos);
}

TEST_CASE("events name pods by number, and containers", "[kubeworld][simulation]") {
  KubePlay play(kube_manifest("backoffLimit: 3", "containers: [{name: main, image: a}, {name: proxy, image: b}]"));
  play.play("advance 5s");
  play.play("pod p1 exit=0 container=main");
  CHECK(play.last().refused.empty());
  const auto waiting = play.simulation.waiting();
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[0].code == "ContainerKeepsRunning");
  play.play("pod p9 Failed");
  CHECK(play.last().refused.starts_with("there is no pod `p9` now; there are `j-"));
  play.play("pod p1 Failed exit=3");
  play.play("advance 2s");
  CHECK(play.simulation.kube().job("default/j")->status.failed == 1);
  const std::string told = play.told(Explain::Fails);
  CAPTURE(told);
  CHECK(told.find("failures counted: 1 of backoffLimit 3, 2 retries left") != std::string::npos);
  CHECK(told.find("next retry:") != std::string::npos);
}

TEST_CASE("edits, deletion and creation of a batch/v1 Job", "[kubeworld][simulation]") {
  KubePlay play(kube_manifest("parallelism: 1, completions: 3"));
  play.play("advance 5s");
  play.play("edit j spec.suspend=true");
  CHECK(play.last().refused.empty());
  CHECK(play.state() == "Suspended");
  play.play("edit j spec.completions=9");
  CHECK(play.last().refused.starts_with("the API server refuses it: "));
  play.play("edit j spec.suspend=false spec.parallelism=2");
  CHECK(play.state() == "Active");
  play.play("until Suspended j");
  CHECK_FALSE(play.last().refused.empty());
  play.play("command AbortJob j");
  CHECK(play.last().refused.starts_with("`j` is a batch/v1 Job: it takes no commands"));
  play.play("delete j foreground");
  CHECK(play.last().refused.empty());
  play.play("until settled");
  CHECK_FALSE(play.simulation.kube().job("default/j"));
  play.play("create j");
  CHECK(play.state() == "Active");
}

TEST_CASE("faults of the controllers of batch/v1 Jobs", "[kubeworld][simulation]") {
  KubePlay play(kube_manifest("backoffLimit: 3"));
  play.play("advance 5s");
  play.play("fault controllerDown");
  play.play("pod p1 Failed");
  play.play("advance 1m0s");
  CHECK(play.simulation.kube().job("default/j")->status.failed == 0);
  play.play("fault controllerUp");
  CHECK(play.simulation.kube().job("default/j")->status.failed == 1);
  play.play("fault controllerUp");
  CHECK(play.last().refused == "the controllers run already");
  play.play("fault nodeLost p2");
  play.play("fault nodeBack p2");
}

TEST_CASE("a batch/v1 Job and a Volcano Job share the clock", "[kubeworld][simulation]") {
  const std::string other = test::one_task(1);
  KubePlay play(kube_manifest("", "", "", "k") + "\n---\n" + other, Automation::Auto);
  play.play("until settled");
  CHECK(play.state("default/k") == "Complete");
  CHECK(play.simulation.cluster().jobs().begin()->second->status.phase.code == volcano::JobPhase::Completed);
  CHECK(play.simulation.all_succeeded());
  const Json view = view_json(play.simulation);
  CHECK(view["jobs"].size() == 1);
  CHECK(view["kubeJobs"].size() == 1);
  CHECK(view["kubeJobs"][0]["phase"] == "Complete");
  CHECK(step_json(play.simulation, play.steps.front())["kube"]["changes"].size() == 1);
}

TEST_CASE("the palette of a batch/v1 Job", "[kubeworld][simulation]") {
  KubePlay play(kube_manifest("parallelism: 2"));
  bool found = false;
  for (const PaletteEntry& entry : play.simulation.palette()) {
    if (!entry.disabled.empty()) continue;
    const auto back = parse_event(to_line(entry.event));
    CAPTURE(entry.group, entry.label);
    REQUIRE(back.ok());
    CHECK(*back.value == entry.event);
    Simulation copy = play.simulation;
    const auto steps = copy.apply(entry.event);
    REQUIRE_FALSE(steps.empty());
    CHECK(steps.back().refused == "");
    found = found || entry.label == "is suspended";
  }
  CHECK(found);
}

TEST_CASE("what an API server would refuse is not simulated", "[kubeworld][simulation]") {
  struct Case {
    const char* name;
    std::string manifest;
    const char* field;
  };
  const Case cases[] = {
      {"K09 c: replacement policy with a failure policy",
       kube_manifest("podReplacementPolicy: TerminatingOrFailed, podFailurePolicy: {rules: [{action: FailJob, "
                     "onExitCodes: {operator: In, values: [9]}}]}"),
       "spec.podReplacementPolicy"},
      {"restartPolicy Always", kube_manifest("", "restartPolicy: Always"), "spec.template.spec.restartPolicy"},
      {"too many pods", kube_manifest("parallelism: 300000"), "spec"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto created = Simulation::create({{"job.yaml", c.manifest}}, {});
    REQUIRE_FALSE(created.ok());
    bool found = false;
    for (const Diagnostic& finding : created.diagnostics)
      found = found || (finding.severity == Severity::Error && finding.field == c.field);
    CHECK(found);
  }
}

TEST_CASE("published manifests of batch/v1 are simulated to their end", "[kubeworld][simulation]") {
  const char* shared = std::getenv("PUMICE_SHARED");
  const std::filesystem::path folder =
      std::string(shared != nullptr ? shared : PUMICE_SOURCE_DIR "/../shared") + "/manifests/kubernetes";
  if (!std::filesystem::exists(folder)) SKIP("no manifests at " << folder);
  std::size_t simulated = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    SimulationOptions options;
    options.automation = Automation::Auto;
    auto created = Simulation::create({{name, text}}, options);
    if (name.starts_with("cronjob") || name.find("invalid") != std::string::npos) {
      REQUIRE_FALSE(created.ok());
      CHECK_FALSE(created.diagnostics.front().message.empty());
      CHECK(created.diagnostics.front().range.begin.known());
      continue;
    }
    for (const Diagnostic& finding : created.diagnostics)
      if (finding.severity == Severity::Error) FAIL_CHECK(to_text(finding));
    REQUIRE(created.ok());
    Simulation simulation = std::move(*created.value);
    (void)simulation.start();
    (void)simulation.apply(*parse_event("until settled").value);
    CHECK(simulation.all_succeeded());
    ++simulated;
  }
  CHECK(simulated > 5);
}

}  // namespace
}  // namespace pumice
