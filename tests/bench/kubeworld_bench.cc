// A batch/v1 Job in its cluster: what a pod costs from its creation to its end, for jobs of very different sizes, and
// how many bytes a running pod takes.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>

#include "pumice/kubeworld/world.h"

namespace pumice::kubeworld {
namespace {

kubejob::Job job_of(std::int32_t pods) {
  kubejob::Job job;
  job.meta.ns = "default";
  job.meta.name = "j";
  kubejob::JobSpec spec;
  spec.parallelism = spec.completions = pods;
  spec.completion_mode = "Indexed";
  spec.backoff_limit = 1'000'000'000;
  spec.pod_template = Json::parse(R"({"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}})");
  job.spec = std::make_shared<const kubejob::JobSpec>(std::move(spec));
  return job;
}

class Bed {
 public:
  explicit Bed(std::int32_t pods, bool finish = false)
      : world_({.pace = {.finish = finish}, .trace = false, .ended_pods_max = 1'000'000}) {
    (void)world_.create_job(job_of(pods), now_);
    run();
  }
  void run() {
    Outcome outcome;
    world_.run(now_, outcome);
  }
  void settle() {
    while (const auto due = world_.next_due()) {
      now_ = std::max(now_, *due);
      if (const auto action = world_.next_action(); action && *action <= now_) (void)world_.act(now_);
      run();
    }
  }
  World& world() { return world_; }
  [[nodiscard]] Time now() const { return now_; }

 private:
  Time now_{1'000'000 * kSecond.ns};
  World world_;
};

/// A whole job: all pods are created, started, end and are counted. Items are pods.
void cluster_whole_job(benchmark::State& state) {
  const auto pods = static_cast<std::int32_t>(state.range(0));
  for (auto _ : state) {
    Bed bed(pods, true);
    bed.settle();
    if (bed.world().job("default/j")->status.succeeded != pods) state.SkipWithError("the job did not end");
  }
  state.SetItemsProcessed(state.iterations() * pods);
}
BENCHMARK(cluster_whole_job)->ArgName("pods")->Arg(100)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// One pod of many changes: event, sync, writes.
void cluster_pod_event(benchmark::State& state) {
  const auto pods = static_cast<std::int32_t>(state.range(0));
  Bed bed(pods);
  bed.settle();
  std::vector<std::string> keys;
  for (const PodState* pod : bed.world().pods_of("default/j")) keys.push_back(pod->key);
  std::size_t at = 0;
  bool ready = false;
  for (auto _ : state) {
    PodChange change;
    change.ready = ready;
    (void)bed.world().change_pod(keys[at], change, bed.now());
    bed.run();
    bed.settle();
    at = (at + 7919) % keys.size();
    if (at == 0) ready = !ready;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(cluster_pod_event)->ArgName("pods")->Arg(10)->Arg(1'000)->Arg(100'000);

/// Bytes of heap for each running pod, objects of the API included.
void cluster_bytes_per_pod(benchmark::State& state) {
  const auto pods = static_cast<std::int32_t>(state.range(0));
  double bytes = 0;
  for (auto _ : state) {
    const std::size_t before = mallinfo2().uordblks;
    Bed bed(pods);
    bed.settle();
    bytes = static_cast<double>(mallinfo2().uordblks - before) / pods;
  }
  state.counters["bytes/pod"] = bytes;
}
BENCHMARK(cluster_bytes_per_pod)->ArgName("pods")->Arg(100'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pumice::kubeworld
