// Events per second through callback -> decide -> execute, for jobs of very different sizes: the cost of one event must
// not grow with the number of pods.
#include <benchmark/benchmark.h>

#include "pumice/cluster/cluster.h"
#include "pumice/volcano/controller.h"

namespace {

using namespace pumice;
using namespace pumice::volcano;

/// One job whose pods all run. Every event below is answered at once, as a quiet API server would.
class Bed {
 public:
  Bed(std::int32_t pods, bool trace)
      : controller_({.workers = 3, .requeue_max = 15, .trace = trace}), cluster_(manual()) {
    auto spec = std::make_shared<JobSpec>();
    spec->queue = "default";
    spec->min_available = pods;
    spec->max_retry = 1'000'000;
    spec->tasks.resize(1);
    spec->tasks[0].name = "w";
    spec->tasks[0].replicas = pods;
    spec->tasks[0].min_available = pods;
    spec->tasks[0].max_retry = 1'000'000;
    spec->policies.resize(1);
    spec->policies[0].event = Event::PodFailed;
    spec->policies[0].action = Action::RestartPod;
    Job job;
    job.meta.ns = "default";
    job.meta.name = "j";
    job.spec = spec;
    cluster_.create_queue("default");
    cluster_.create_job(job, now_);
    run();
    cluster_.set_pod_group_phase(cluster_.pod_groups().begin()->first, PodGroupPhase::Inqueue);
    run();
    for (std::int32_t i = 0; i < pods; ++i) cluster_.set_pod_phase(key(i), PodPhase::Running, std::nullopt, "", now_);
    run();
  }

  static std::string key(std::int32_t index) { return "default/j-w-" + std::to_string(index); }
  Cluster& cluster() { return cluster_; }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::int64_t events() const { return events_; }

  void run() {
    for (;;) {
      while (auto notification = cluster_.take_notification()) {
        ++events_;
        controller_.step({now_, std::move(*notification)}, output_);
      }
      output_.trace.clear();
      if (!controller_.has_work()) break;
      controller_.step({now_, Work{}}, output_);
      while (!output_.effects.empty()) {
        EffectResults results;
        for (const Effect& effect : output_.effects)
          if (auto result = cluster_.execute(effect, now_)) results.results.push_back(std::move(*result));
        output_.effects.clear();
        if (controller_.waiting_for_results()) controller_.step({now_, std::move(results)}, output_);
      }
    }
  }

 private:
  static ClusterConfig manual() {
    ClusterConfig config;
    config.scheduler = config.kubelet = false;
    return config;
  }
  Controller controller_;
  Cluster cluster_;
  Output output_;
  Time now_;
  std::int64_t events_ = 0;
};

/// A pod changes in something that matters to no policy: notification, request, sync, nothing to write.
void quiet_pod_event(benchmark::State& state) {
  Bed bed(static_cast<std::int32_t>(state.range(0)), state.range(1) != 0);
  const std::int64_t before = bed.events();
  std::int32_t restarts = 0;
  std::int32_t pod = 0;
  for (auto _ : state) {
    bed.cluster().set_pod_restarts(Bed::key(pod), ++restarts, "");
    bed.run();
    pod = (pod + 7919) % static_cast<std::int32_t>(state.range(0));
  }
  state.SetItemsProcessed(bed.events() - before);
}
BENCHMARK(quiet_pod_event)->ArgNames({"pods", "trace"})->ArgsProduct({{10, 1'000, 100'000}, {0, 1}});

/// A pod fails, RestartPod deletes it, it vanishes, its successor is created and runs: the whole circle of one restart.
void restart_pod(benchmark::State& state) {
  Bed bed(static_cast<std::int32_t>(state.range(0)), state.range(1) != 0);
  const std::int64_t before = bed.events();
  std::int32_t pod = 0;
  for (auto _ : state) {
    const std::string key = Bed::key(pod);
    bed.cluster().set_pod_phase(key, PodPhase::Failed, 1, "", bed.now());
    bed.run();
    bed.cluster().remove_pod(key);
    bed.run();
    bed.cluster().set_pod_phase(key, PodPhase::Running, std::nullopt, "", bed.now());
    bed.run();
    pod = (pod + 7919) % static_cast<std::int32_t>(state.range(0));
  }
  state.SetItemsProcessed(bed.events() - before);
}
BENCHMARK(restart_pod)->ArgNames({"pods", "trace"})->ArgsProduct({{10, 1'000, 100'000}, {0, 1}});

}  // namespace
