// A cluster for batch/v1 Jobs with a clock that a test moves. Seconds count from the creation of the first job.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubeworld/report.h"
#include "pumice/kubeworld/world.h"
#include "pumice/yaml.h"

namespace pumice::test {

/// A Job called `j` from flow-style members of its spec and of its pods' spec. Without `containers` there is one, main.
inline std::string kube_manifest(const std::string& spec, const std::string& pod = "",
                                 const std::string& annotations = "", const std::string& name = "j") {
  std::string text = "{apiVersion: batch/v1, kind: Job, metadata: {name: " + name + ", namespace: default}, spec: {";
  if (!spec.empty()) text += spec + ", ";
  text += "template: {metadata: {annotations: {" + annotations + "}}, spec: {";
  if (!pod.starts_with("restartPolicy:")) text += "restartPolicy: Never, ";
  if (pod.find(" containers:") == std::string::npos && !pod.starts_with("containers:"))
    text += "containers: [{name: main, image: registry.example/tool:1}], ";
  return text + pod + "}}}}";
}

class KubeCourse {
 public:
  using World = kubeworld::World;
  using PodChange = kubeworld::PodChange;

  explicit KubeCourse(const std::string& manifest, kubeworld::WorldConfig config = {}) : world(config) {
    create(manifest);
  }

  void create(const std::string& manifest) {
    auto documents = parse_yaml(manifest);
    REQUIRE(documents.ok());
    auto job = kubejob::read_job(documents.value->front().root, "", ReadMode::Manifest);
    REQUIRE(job.ok());
    REQUIRE(world.create_job(*std::move(job.value), now) == "");
    run();
  }
  void run() {
    kubeworld::Outcome outcome;
    world.run(now, outcome);
    CHECK(outcome.endless.empty());
    last = outcome;
    for (kubejob::Record& record : outcome.records) records.push_back(std::move(record));
    for (kubeworld::JobChange& change : outcome.changes) changes.push_back({second(), std::move(change)});
  }
  [[nodiscard]] std::int64_t second() const { return (now.ns - kStart.ns) / kSecond.ns; }
  static Time at(std::int64_t second) { return kStart + seconds(second); }
  /// The clock moves on, stopping wherever something is due.
  void until(std::int64_t to) {
    for (int steps = 0; world.next_due() && *world.next_due() <= at(to); ++steps) {
      REQUIRE(steps < 200'000);
      step();
    }
    if (now >= at(to)) return;
    now = at(to);
    run();
  }
  /// The next thing that happens by itself.
  void step() {
    now = std::max(now, *world.next_due());
    const auto action = world.next_action();
    if (action && *action <= now) actions.push_back(world.act(now));
    run();
  }
  /// Until nothing more happens, at most up to a time.
  void settle(std::int64_t most = 100'000) {
    for (int steps = 0; world.next_due() && *world.next_due() <= at(most); ++steps) {
      REQUIRE(steps < 200'000);
      step();
    }
  }
  /// Does it to every pod that the pattern means and to which it can be done; returns to how many.
  int change(std::string_view pattern, const PodChange& what) {
    int done = 0;
    for (const std::string& key : world.find_pods(pattern)) {
      refused = world.change_pod(key, what, now);
      done += refused.empty() ? 1 : 0;
    }
    run();
    return done;
  }
  int phase(std::string_view pattern, PodPhase to, std::optional<std::int32_t> exit_code = {}) {
    PodChange what;
    what.phase = to;
    what.exit_code = exit_code;
    return change(pattern, what);
  }
  int exits(std::string_view pattern, std::int32_t code, const std::string& container = "") {
    PodChange what;
    what.exit_code = code;
    what.container = container;
    return change(pattern, what);
  }
  int reason(std::string_view pattern, const std::string& why) {
    PodChange what;
    what.reason = why;
    return change(pattern, what);
  }
  int flag(std::string_view pattern, bool PodChange::* member) {
    PodChange what;
    what.*member = true;
    return change(pattern, what);
  }
  /// Changes members of the job's spec, given in flow style.
  std::string edit(const std::string& members, const std::string& key = "default/j") {
    Json wanted = kubejob::to_json(*world.job(key));
    const auto patch = yaml_to_json("{" + members + "}");
    REQUIRE(patch.ok());
    for (const auto& [name, value] : patch.value->items()) wanted["spec"][name] = value;
    std::string answer = world.update_job(key, wanted);
    run();
    return answer;
  }

  [[nodiscard]] const kubejob::Job& job(const std::string& key = "default/j") const {
    kept_ = world.last_job(key);
    REQUIRE(kept_);
    return *kept_;
  }
  [[nodiscard]] const kubejob::JobStatus& status() const { return job().status; }
  [[nodiscard]] std::string state() const {
    return world.job("default/j") ? std::string(kubeworld::state_of(&job())) : "Deleted";
  }
  [[nodiscard]] std::string reason() const {
    const kubejob::Condition* condition = status().finished();
    return condition == nullptr ? "" : condition->reason;
  }
  [[nodiscard]] std::vector<const kubeworld::PodState*> pods() const { return world.pods_of("default/j"); }
  /// When each pod was created, in seconds.
  [[nodiscard]] std::vector<std::int64_t> creations() const {
    std::vector<std::int64_t> times;
    for (const kubeworld::PodState* pod : pods())
      times.push_back((world.object_of(*pod)->meta.creation.ns - kStart.ns) / kSecond.ns);
    return times;
  }
  [[nodiscard]] std::string phases() const {
    std::string text;
    for (const kubeworld::PodState* pod : pods())
      text += (text.empty() ? "" : " ") + std::string(to_string(kubeworld::phase_of(pod->run)));
    return text;
  }
  /// `state@second …`, one for each change of the job's state.
  [[nodiscard]] std::string story() const {
    std::string text;
    for (const auto& [when, change] : changes) {
      if (change.state_before == change.state_after) continue;
      text += (text.empty() ? "" : " ") + change.state_after + "@" + std::to_string(when);
    }
    return text;
  }
  /// Codes of what the job waits for.
  [[nodiscard]] std::string waits() const {
    std::string text;
    for (const kubeworld::Wait& wait : world.waiting(now)) text += (text.empty() ? "" : " ") + wait.code;
    return text;
  }
  [[nodiscard]] std::int64_t finalizers() const {
    std::int64_t count = 0;
    for (const auto& [key, pod] : world.store().pods()) count += pod->is_tracked() ? 1 : 0;
    return count;
  }

  static constexpr Time kStart{1'772'442'000'000'000'000};
  Time now = kStart;
  World world;
  kubeworld::Outcome last;
  std::vector<kubejob::Record> records;
  std::vector<std::pair<std::int64_t, kubeworld::JobChange>> changes;
  std::vector<kubeworld::Action> actions;
  std::string refused;  ///< by the last change

 private:
  mutable kubejob::JobPtr kept_;
};

}  // namespace pumice::test
