// The Volcano controller alone, with an API server whose answers the test decides.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "pumice/cluster/cluster.h"
#include "pumice/volcano/controller.h"

namespace pumice::test {

/// Controller and API server; `fault` may turn any answer into a failure before the write happens.
class ControllerBench {
 public:
  explicit ControllerBench(JobSpec spec, volcano::ControllerConfig config = {})
      : controller(config), cluster(manual()) {
    for (TaskSpec& task : spec.tasks)
      if (!task.min_available) task.min_available = task.replicas;
    spec.queue = "default";
    Job job;
    job.meta.ns = "default";
    job.meta.name = "j";
    job.spec = std::make_shared<const JobSpec>(std::move(spec));
    cluster.create_queue("default");
    cluster.create_job(job, now);
    run();
  }

  void make_running() {
    cluster.set_pod_group_phase(cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
    run();
    std::vector<std::string> keys;
    for (const StoredPod* pod : cluster.pods_of("default/j")) keys.push_back("default/" + pod->pod->name);
    for (const std::string& key : keys) cluster.set_pod_phase(key, PodPhase::Running, {}, "", now);
    run();
    REQUIRE(status().phase.code == volcano::JobPhase::Running);
  }

  void run() {
    for (;;) {
      while (auto notification = cluster.take_notification()) controller.step({now, std::move(*notification)}, output);
      if (!controller.has_work()) return;
      work();
    }
  }

  void work() {
    controller.step({now, volcano::Work{}}, output);
    while (!output.effects.empty()) {
      volcano::EffectResults results;
      for (const volcano::Effect& effect : output.effects) {
        const volcano::ResultCode code = fault ? fault(effect.body) : volcano::ResultCode::Ok;
        if (code != volcano::ResultCode::Ok && effect.id != 0)
          results.results.push_back({effect.id, code, nullptr, nullptr});
        else if (auto result = cluster.execute(effect, now))
          results.results.push_back(std::move(*result));
      }
      output.effects.clear();
      if (controller.waiting_for_results()) controller.step({now, std::move(results)}, output);
    }
  }

  void tick_to_deadline() {
    REQUIRE(controller.next_deadline());
    now = *controller.next_deadline();
    controller.step({now, volcano::Tick{}}, output);
  }

  [[nodiscard]] const JobStatus& status() const { return cluster.jobs().at("default/j")->status; }
  [[nodiscard]] std::vector<volcano::ProcessRecord> processed() const {
    std::vector<volcano::ProcessRecord> list;
    for (const volcano::Record& record : output.trace)
      if (const auto* process = std::get_if<volcano::ProcessRecord>(&record)) list.push_back(*process);
    return list;
  }

  Time now{1'000 * kSecond.ns};
  volcano::Controller controller;
  Cluster cluster;
  volcano::Output output;
  std::function<volcano::ResultCode(const volcano::EffectBody&)> fault;

 private:
  static ClusterConfig manual() {
    ClusterConfig config;
    config.scheduler = config.kubelet = false;
    return config;
  }
};

inline JobSpec two_workers(volcano::Event event, volcano::Action action) {
  JobSpec spec;
  spec.min_available = 2;
  spec.max_retry = 3;
  spec.tasks.resize(1);
  spec.tasks[0].name = "w";
  spec.tasks[0].replicas = 2;
  spec.policies.resize(1);
  spec.policies[0].event = event;
  spec.policies[0].action = action;
  return spec;
}

/// Fails the first deletion of a pod, once.
inline std::function<volcano::ResultCode(const volcano::EffectBody&)> fail_one_deletion() {
  return [done = false](const volcano::EffectBody& body) mutable {
    if (done || !std::holds_alternative<volcano::DeletePod>(body)) return volcano::ResultCode::Ok;
    done = true;
    return volcano::ResultCode::Timeout;
  };
}

}  // namespace pumice::test
