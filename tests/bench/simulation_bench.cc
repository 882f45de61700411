// The whole simulation: memory of very many jobs, and events per second from manifest to the last Completed.
#include <benchmark/benchmark.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <memory>
#include <string>

#include "pumice/cluster/cluster.h"
#include "pumice/simulation/simulation.h"
#include "pumice/volcano/controller.h"

namespace {

using namespace pumice;
using namespace pumice::volcano;

/// Bytes that are allocated now; 0 where nobody knows.
std::size_t bytes_in_use() {
#if defined(__GLIBC__)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

constexpr std::int32_t kPodsPerJob = 10;

std::shared_ptr<const JobSpec> spec_of_ten() {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = "default";
  spec->min_available = kPodsPerJob;
  spec->max_retry = 3;
  spec->tasks.resize(1);
  spec->tasks[0].name = "w";
  spec->tasks[0].replicas = kPodsPerJob;
  spec->tasks[0].min_available = kPodsPerJob;
  return spec;
}

/// Controller and cluster with all pods running.
struct Fleet {
  explicit Fleet(std::int64_t jobs) : controller({.workers = 3, .requeue_max = 15, .trace = false}), cluster(quiet()) {
    const auto spec = spec_of_ten();
    cluster.create_queue("default");
    for (std::int64_t i = 0; i < jobs; ++i) {
      Job job;
      job.meta.ns = "default";
      job.meta.name = "j" + std::to_string(i);
      job.spec = spec;
      cluster.create_job(std::move(job), now);
      run();
      const std::string key = "default/j" + std::to_string(i);
      const PodGroup* group = cluster.pod_group_of(key);
      cluster.set_pod_group_phase(group->ns + "/" + group->name, PodGroupPhase::Running);
      run();
      for (std::int32_t pod = 0; pod < kPodsPerJob; ++pod)
        cluster.set_pod_phase(key + "-w-" + std::to_string(pod), PodPhase::Running, std::nullopt, "", now);
      run();
    }
  }

  static ClusterConfig quiet() {
    ClusterConfig config;
    config.scheduler = config.kubelet = false;
    return config;
  }

  void run() {
    for (;;) {
      while (auto notification = cluster.take_notification()) {
        ++events;
        controller.step({now, std::move(*notification)}, output);
      }
      if (!controller.has_work()) return;
      controller.step({now, Work{}}, output);
      while (!output.effects.empty()) {
        EffectResults results;
        for (const Effect& effect : output.effects)
          if (auto result = cluster.execute(effect, now)) results.results.push_back(std::move(*result));
        output.effects.clear();
        if (controller.waiting_for_results()) controller.step({now, std::move(results)}, output);
      }
    }
  }

  Controller controller;
  Cluster cluster;
  Output output;
  Time now;
  std::int64_t events = 0;
};

/// Jobs of ten pods, from nothing to all pods running: notifications per second, and what a pod costs in memory, its
/// share of job and PodGroup included, in server and controller together.
void fleet(benchmark::State& state) {
  std::int64_t events = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::size_t before = bytes_in_use();
    const Fleet fleet(state.range(0));
    bytes = bytes_in_use() - before;
    events += fleet.events;
  }
  state.SetItemsProcessed(events);
  state.counters["bytes/pod"] = static_cast<double>(bytes) / static_cast<double>(state.range(0) * kPodsPerJob);
}
BENCHMARK(fleet)->ArgName("jobs")->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(1);

std::string manifest(std::int64_t jobs) {
  std::string text;
  for (std::int64_t i = 0; i < jobs; ++i)
    text += "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j" + std::to_string(i) +
            "}\nspec: {policies: [{event: PodFailed, action: RestartJob}], tasks: [{name: w, replicas: 10, template: "
            "{spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}]}\n";
  return text;
}

/// Everything that `pumice simulate --auto` does but reading and printing, with and without random faults.
void simulation(benchmark::State& state) {
  SimulationOptions options;
  options.automation = Automation::Auto;
  options.steps_max = 1'000'000;
  options.controller.trace = state.range(1) != 0;
  options.faults = {7, static_cast<std::int32_t>(state.range(2))};
  const auto created = Simulation::create({{"jobs.yaml", manifest(state.range(0))}}, options);
  if (!created.ok()) {
    state.SkipWithError("the manifest is refused");
    return;
  }
  std::int64_t steps = 0;
  for (auto _ : state) {
    Simulation run = *created.value;
    steps += 1 + static_cast<std::int64_t>(run.start().changes.size());
    while (run.next()) ++steps;
    benchmark::DoNotOptimize(run);
  }
  state.counters["steps/s"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
  state.SetItemsProcessed(state.iterations() * state.range(0) * kPodsPerJob);
}
BENCHMARK(simulation)
    ->ArgNames({"jobs", "trace", "faults"})
    ->ArgsProduct({{1, 1'000}, {0, 1}, {0, 20'000}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
