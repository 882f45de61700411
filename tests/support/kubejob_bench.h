// A Job controller with an API server whose answers a test decides, and a clock that a test moves.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubejob/store.h"
#include "pumice/yaml.h"

namespace pumice::test {

/// A batch/v1 Job from flow-style members of its spec: `parallelism: 2, completions: 5`.
inline kubejob::Job kubejob_from(const std::string& spec, const std::string& restart_policy = "Never") {
  const std::string text = "{metadata: {name: j, namespace: default, uid: j-uid}, spec: {" + spec +
                           (spec.empty() ? "" : ", ") + "template: {spec: {restartPolicy: " + restart_policy +
                           ", containers: [{name: main, image: registry.example/tool:1}]}}}}";
  auto documents = parse_yaml(text);
  REQUIRE(documents.ok());
  auto job = kubejob::read_job(documents.value->front().root, "", ReadMode::Wire);
  REQUIRE(job.ok());
  kubejob::set_defaults(*job.value);
  kubejob::prepare_create(*job.value);
  return *std::move(job.value);
}

class JobBench {
 public:
  using Fault = std::function<kubejob::ResultCode(const kubejob::EffectBody&)>;

  explicit JobBench(const std::string& spec, kubejob::Quirks quirks = kubejob::job_profile(),
                    const std::string& restart_policy = "Never")
      : controller({.quirks = quirks, .trace = true}), job(kubejob_from(spec, restart_policy)) {
    job.meta.creation = now;
  }

  static Time at(std::int64_t second) { return Time{(1'000'000 + second) * kSecond.ns}; }

  // -- A state that a single sync meets: change `job` and the pods, then `sync`.

  /// Adds a pod of the job. Pods have ended, if they have, at second 0 of `at`; `now` starts an hour later.
  kubejob::Pod& pod(PodPhase phase, std::int32_t index = -1) {
    kubejob::Pod made;
    made.meta.ns = "default";
    made.meta.name = made.meta.uid = "p" + std::to_string(pods.size());
    made.meta.creation = at(-600);
    made.meta.labels["batch.kubernetes.io/controller-uid"] = job.meta.uid;
    made.meta.owners.push_back({"batch/v1", "Job", job.meta.name, job.meta.uid, true});
    made.finalizers.emplace_back(kubejob::kTrackingFinalizer);
    made.node = "n";
    made.phase = phase;
    if (index >= 0) made.meta.annotations[std::string(kubejob::kCompletionIndex)] = std::to_string(index);
    if (kubejob::is_ended(phase)) {
      made.containers.push_back({"main", 0, true, phase == PodPhase::Failed ? 1 : 0, at(0)});
    }
    pods.push_back(std::make_unique<kubejob::Pod>(std::move(made)));
    return *pods.back();
  }
  void pods_of(int count, PodPhase phase) {
    for (int i = 0; i < count; ++i) pod(phase);
  }
  kubejob::Pod& terminating(std::int32_t index = -1) {
    kubejob::Pod& made = pod(PodPhase::Running, index);
    made.meta.deletion = at(0);
    made.deletion_grace_seconds = 30;
    return made;
  }
  kubejob::Pod& ready(std::int32_t index = -1) {
    kubejob::Pod& made = pod(PodPhase::Running, index);
    made.conditions.push_back({"Ready", "True", at(-300)});
    return made;
  }

  /// Puts job and pods in place, once; then one sync. What it writes the controller does not see before `deliver`.
  kubejob::SyncRecord sync() {
    place();
    effects.clear();
    results.clear();
    output.trace.clear();
    if (!controller.queue().has_due()) wake();
    work();
    for (const kubejob::Record& record : output.trace)
      if (const auto* found = std::get_if<kubejob::SyncRecord>(&record)) return *found;
    FAIL("no sync took place");
    return {};
  }
  /// Puts job and pods in place and lets the cache know.
  void place() {
    if (placed_) return;
    placed_ = true;
    for (const auto& made : pods) store.put_pod(*made);
    store.put_job(job);
    deliver();
    if (before_sync) before_sync(controller);
  }

  // -- A course of events.

  void deliver() {
    while (auto seen = store.take_notification()) controller.step({now, *std::move(seen)}, output);
  }
  /// Everything that is due now happens, and what follows from it.
  void settle() {
    place();
    for (int rounds = 0;; ++rounds) {
      REQUIRE(rounds < 100'000);
      deliver();
      if (!controller.has_work()) return;
      work();
    }
  }
  /// The clock moves on to `time`, stopping wherever something is due.
  void run_until(Time time) {
    settle();
    while (controller.next_deadline() && *controller.next_deadline() <= time) {
      now = std::max(now, *controller.next_deadline());
      controller.step({now, kubejob::Tick{}}, output);
      settle();
    }
    now = std::max(now, time);
    controller.step({now, kubejob::Tick{}}, output);
    settle();
  }
  void run_for(std::int64_t some_seconds) { run_until(now + seconds(some_seconds)); }

  /// A kubelet's report. An ended pod ended now.
  void report(const std::string& name, PodPhase phase, std::int32_t exit_code = 0) {
    settle();
    kubejob::Pod changed = *store.pods().at("default/" + name);
    changed.phase = phase;
    changed.node = "n";
    changed.containers.clear();
    if (kubejob::is_ended(phase)) changed.containers.push_back({"main", 0, true, exit_code, now});
    store.update_pod(std::move(changed));
    settle();
  }
  void report_all(PodPhase phase, std::int32_t exit_code = 0) {
    for (const std::string& name : names_of(true)) report(name, phase, exit_code);
  }
  /// Kubelets have stopped what is being deleted.
  void stop_deleted() {
    std::vector<std::string> keys;
    for (const auto& [key, stored] : store.pods())
      if (stored->meta.deletion) keys.push_back(key);
    for (const std::string& key : keys) store.confirm_deleted(key);
    settle();
  }
  template <class Change>
  void change_spec(Change change) {
    settle();
    kubejob::Job wanted = current();
    kubejob::JobSpec spec = *wanted.spec;
    change(spec);
    wanted.spec = std::make_shared<const kubejob::JobSpec>(std::move(spec));
    store.update_job(kubejob::prepare_update(current(), wanted));
    settle();
  }
  /// A new controller, which lists everything.
  void restart() {
    while (store.take_notification()) {
    }
    controller = kubejob::Controller(controller.config());
    for (const auto& [key, stored] : store.jobs()) controller.step({now, kubejob::JobAdded{stored}}, output);
    for (const auto& [key, stored] : store.pods()) controller.step({now, kubejob::PodAdded{stored}}, output);
    settle();
  }

  // -- What came of it.

  [[nodiscard]] const kubejob::Job& current() const { return *store.jobs().at("default/j"); }
  [[nodiscard]] const kubejob::JobStatus& status() const { return current().status; }
  [[nodiscard]] std::string finished() const {
    const kubejob::Condition* condition = status().finished();
    return condition == nullptr ? "" : condition->type;
  }
  [[nodiscard]] std::string reason() const {
    const kubejob::Condition* condition = status().finished();
    return condition == nullptr ? "" : condition->reason;
  }
  /// `Type=Status/Reason …` in order.
  [[nodiscard]] std::string conditions() const {
    std::string text;
    for (const kubejob::Condition& condition : status().conditions)
      text += (text.empty() ? "" : " ") + condition.type + "=" + condition.status + "/" + condition.reason;
    return text;
  }
  template <class Effect>
  [[nodiscard]] std::int64_t count() const {
    std::int64_t sum = 0;
    for (const kubejob::EffectBody& effect : effects) sum += std::holds_alternative<Effect>(effect) ? 1 : 0;
    return sum;
  }
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> list;
    for (const kubejob::EffectBody& effect : effects)
      if (const auto* event = std::get_if<kubejob::EmitEvent>(&effect)) list.push_back(event->reason);
    return list;
  }
  [[nodiscard]] std::vector<std::string> deleted() const {
    std::vector<std::string> list;
    for (const kubejob::EffectBody& effect : effects)
      if (const auto* body = std::get_if<kubejob::DeletePod>(&effect)) list.push_back(body->name);
    return list;
  }
  [[nodiscard]] std::vector<kubejob::JobStatus> writes() const {
    std::vector<kubejob::JobStatus> list;
    for (const kubejob::EffectBody& effect : effects)
      if (const auto* body = std::get_if<kubejob::UpdateJobStatus>(&effect)) list.push_back(body->status);
    return list;
  }
  [[nodiscard]] std::vector<std::string> names_of(bool only_active) const {
    std::vector<std::string> names;
    for (const auto& [key, stored] : store.pods())
      if (!only_active || kubejob::is_active(*stored)) names.push_back(stored->meta.name);
    return names;
  }
  [[nodiscard]] const kubejob::Pod& stored(const std::string& name) const {
    return *store.pods().at("default/" + name);
  }
  [[nodiscard]] std::vector<kubejob::SyncRecord> syncs() const {
    std::vector<kubejob::SyncRecord> list;
    for (const kubejob::Record& record : output.trace)
      if (const auto* found = std::get_if<kubejob::SyncRecord>(&record)) list.push_back(*found);
    return list;
  }

  Time now = at(3600);
  kubejob::Controller controller;
  kubejob::Store store;
  kubejob::Output output;
  kubejob::Job job;
  std::vector<std::unique_ptr<kubejob::Pod>> pods;
  std::function<void(kubejob::Controller&)> before_sync;
  Fault fault;
  std::vector<kubejob::EffectBody> effects;  ///< of the last sync, or since the last `clear`
  std::vector<kubejob::ResultCode> results;

 private:
  /// The job is due at once.
  void wake() { controller.step({now, kubejob::JobAdded{controller.jobs().at("default/j")}}, output); }
  void work() {
    controller.step({now, kubejob::Work{}}, output);
    while (!output.effects.empty()) {
      kubejob::EffectResults answers;
      for (const kubejob::Effect& effect : output.effects) {
        kubejob::EffectResult answer;
        answer.id = effect.id;
        answer.code = fault && effect.id != 0 ? fault(effect.body) : kubejob::ResultCode::Ok;
        if (answer.code == kubejob::ResultCode::Ok)
          if (auto done = store.execute(effect, now)) answer = *std::move(done);
        effects.push_back(effect.body);
        results.push_back(answer.code);
        if (effect.id != 0) answers.results.push_back(std::move(answer));
      }
      output.effects.clear();
      if (controller.waiting_for_results()) controller.step({now, std::move(answers)}, output);
    }
  }

  bool placed_ = false;
};

}  // namespace pumice::test
