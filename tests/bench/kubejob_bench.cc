// Pod events per second of one Indexed Job, for jobs of very different sizes: the cost of one event, its sync and its
// writes must not grow with the number of pods and indexes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/store.h"

namespace pumice::kubejob {
namespace {

/// One job whose pods all run; every effect is answered at once.
class Bed {
 public:
  Bed(std::int32_t pods, bool trace) : controller_({.quirks = job_profile(), .trace = trace}) {
    Job job;
    job.meta.ns = "default";
    job.meta.name = "j";
    job.meta.uid = "j-uid";
    JobSpec spec;
    spec.parallelism = spec.completions = pods;
    spec.completion_mode = "Indexed";
    spec.backoff_limit = 1'000'000'000;
    spec.pod_template = Json::parse(R"({"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}})");
    job.spec = std::make_shared<const JobSpec>(std::move(spec));
    set_defaults(job);
    prepare_create(job);
    store_.put_job(std::move(job));
    run();
    keys_.resize(static_cast<std::size_t>(pods));
    for (const auto& [key, pod] : store_.pods()) keys_[static_cast<std::size_t>(completion_index(*pod))] = key;
    for (const std::string& key : keys_) set_phase(key, PodPhase::Running, 0);
    run();
  }

  void set_phase(const std::string& key, PodPhase phase, std::int32_t exit_code) {
    Pod pod = *store_.pods().at(key);
    pod.phase = phase;
    pod.node = "n";
    pod.containers.clear();
    if (phase == PodPhase::Failed) pod.containers.push_back({"main", 0, true, exit_code, now_});
    store_.update_pod(std::move(pod));
  }
  void set_restarts(std::int32_t index, std::int32_t restarts) {
    Pod pod = *store_.pods().at(keys_[static_cast<std::size_t>(index)]);
    pod.containers = {{"main", restarts, false, 0, {}}};
    store_.update_pod(std::move(pod));
  }
  [[nodiscard]] const std::string& key(std::int32_t index) const { return keys_[static_cast<std::size_t>(index)]; }
  void set_key(std::int32_t index) {
    // The newest pod is the one that was made last.
    keys_[static_cast<std::size_t>(index)] = created_;
  }

  /// Until nothing is due any more within the back-off of a pod.
  void run() {
    for (;;) {
      while (auto seen = store_.take_notification()) {
        ++events_;
        controller_.step({now_, *std::move(seen)}, output_);
      }
      output_.trace.clear();
      if (!controller_.has_work()) {
        if (!controller_.next_deadline()) return;
        now_ = std::max(now_, *controller_.next_deadline());
        controller_.step({now_, Tick{}}, output_);
        continue;
      }
      controller_.step({now_, Work{}}, output_);
      while (!output_.effects.empty()) {
        EffectResults results;
        for (const Effect& effect : output_.effects) {
          auto result = store_.execute(effect, now_);
          if (!result) continue;
          if (result->pod) created_ = result->pod->key();
          results.results.push_back(*std::move(result));
        }
        output_.effects.clear();
        if (controller_.waiting_for_results()) controller_.step({now_, std::move(results)}, output_);
      }
    }
  }
  [[nodiscard]] std::int64_t events() const { return events_; }
  Store& store() { return store_; }

 private:
  Time now_{1'000'000 * kSecond.ns};
  Controller controller_;
  Store store_;
  Output output_;
  std::vector<std::string> keys_;
  std::string created_;
  std::int64_t events_ = 0;
};

/// A running pod changes in something that matters to nobody: notification, sync, nothing to write.
void job_quiet_pod_event(benchmark::State& state) {
  const auto pods = static_cast<std::int32_t>(state.range(0));
  Bed bed(pods, state.range(1) != 0);
  const std::int64_t before = bed.events();
  std::int32_t restarts = 0;
  std::int32_t pod = 0;
  for (auto _ : state) {
    bed.set_restarts(pod, ++restarts);
    bed.run();
    pod = (pod + 7919) % pods;
  }
  state.SetItemsProcessed(bed.events() - before);
}
BENCHMARK(job_quiet_pod_event)->ArgNames({"pods", "trace"})->ArgsProduct({{10, 1'000, 100'000}, {0, 1}});

/// A pod fails, is counted and freed, waits, and is replaced; the new one runs: three syncs and their writes.
void job_failed_pod(benchmark::State& state) {
  const auto pods = static_cast<std::int32_t>(state.range(0));
  Bed bed(pods, state.range(1) != 0);
  const std::int64_t before = bed.events();
  std::int32_t pod = 0;
  for (auto _ : state) {
    const std::string failed = bed.key(pod);
    bed.set_phase(failed, PodPhase::Failed, 1);
    bed.run();
    bed.set_key(pod);
    bed.set_phase(bed.key(pod), PodPhase::Running, 0);
    bed.run();
    bed.store().delete_pod(failed, Time{});
    bed.run();
    pod = (pod + 7919) % pods;
  }
  state.SetItemsProcessed(bed.events() - before);
}
BENCHMARK(job_failed_pod)->ArgNames({"pods", "trace"})->ArgsProduct({{10, 1'000, 100'000}, {0, 1}});

/// Pods succeed one after the other, in the order of their indexes.
void job_succeeded_pod(benchmark::State& state) {
  const auto pods = static_cast<std::int32_t>(state.range(0));
  std::int64_t events = 0;
  std::int32_t next = pods;
  std::unique_ptr<Bed> bed;
  for (auto _ : state) {
    if (next + 1 >= pods) {
      state.PauseTiming();
      if (bed) events += bed->events();
      bed = std::make_unique<Bed>(pods, false);
      events -= bed->events();
      next = 0;
      state.ResumeTiming();
    }
    bed->set_phase(bed->key(next++), PodPhase::Succeeded, 0);
    bed->run();
  }
  state.SetItemsProcessed(events + (bed ? bed->events() : 0));
}
BENCHMARK(job_succeeded_pod)->ArgNames({"pods"})->Arg(1'000)->Arg(100'000);

}  // namespace
}  // namespace pumice::kubejob
