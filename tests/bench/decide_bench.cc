// Time and allocations per request of deciding (spec/volcano-job.md 5) and of the transition that follows (7), over a
// fixed random mix of jobs and requests: one to three tasks, a few policies at both levels, UIDs as long as real ones.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "pumice/volcano/decide.h"
#include "pumice/volcano/transition.h"
#include "support/allocations.h"
#include "support/prng.h"

namespace {

using namespace pumice;
using namespace pumice::volcano;

struct Sample {
  PolicyTable table;
  SpecTotals totals;
  std::string job_uid;
  JobStatus status;
  Request request;
};

std::vector<LifecyclePolicy> random_policies(test::Prng& prng) {
  static const std::vector<Event> events{Event::Any,     Event::PodFailed,     Event::PodEvicted, Event::PodPending,
                                         Event::Unknown, Event::TaskCompleted, Event::TaskFailed};
  static const std::vector<Action> actions{Action::AbortJob,   Action::RestartJob,   Action::RestartTask,
                                           Action::RestartPod, Action::TerminateJob, Action::CompleteJob};
  std::vector<LifecyclePolicy> policies(prng.below(4));
  for (LifecyclePolicy& policy : policies) {
    policy.action = prng.pick(actions);
    if (prng.one_in(3)) {
      policy.exit_code = static_cast<std::int32_t>(prng.below(4)) + 1;
    } else if (prng.one_in(2)) {
      policy.event = prng.pick(events);
    } else {
      for (std::uint64_t n = 1 + prng.below(3); n > 0; --n) policy.events.emplace_back(prng.pick(events));
    }
    if (prng.one_in(3)) policy.timeout = seconds(600);
  }
  return policies;
}

Sample random_sample(test::Prng& prng) {
  static const std::vector<std::string> names{"master", "worker", "ps"};
  static const std::vector<Event> events{Event::PodFailed,  Event::PodFailed,     Event::PodEvicted, Event::PodPending,
                                         Event::PodRunning, Event::TaskCompleted, Event::TaskFailed, Event::OutOfSync,
                                         Event::OutOfSync,  Event::None};
  static const std::vector<JobPhase> phases{JobPhase::Pending,     JobPhase::Running,    JobPhase::Running,
                                            JobPhase::Running,     JobPhase::Restarting, JobPhase::Aborting,
                                            JobPhase::Terminating, JobPhase::Completing, JobPhase::Completed};
  Sample sample;
  auto spec = std::make_shared<JobSpec>();
  spec->max_retry = 3;
  spec->policies = random_policies(prng);
  JobStatus& status = sample.status;
  for (std::size_t i = 0, tasks = 1 + prng.below(3); i < tasks; ++i) {
    TaskSpec& task = spec->tasks.emplace_back();
    task.name = names[i];
    task.replicas = static_cast<std::int32_t>(1 + prng.below(4));
    if (prng.one_in(2)) task.min_available = 1;
    task.policies = random_policies(prng);
    // A third of the jobs have only ended pods, which takes the longest way through the status function.
    const bool ended = prng.one_in(3);
    (ended ? status.succeeded : status.running) += task.replicas;
    status.task_counts[task.name][ended ? PodPhase::Succeeded : PodPhase::Running] = task.replicas;
  }
  sample.totals = SpecTotals::of(*spec);
  spec->min_available = sample.totals.min_available;
  sample.table = PolicyTable(spec);
  status.min_available = spec->min_available;
  status.phase = prng.pick(phases);
  sample.job_uid = "5d9f1c3e-8a52-4b0e-9d3b-0c6f7a1e2b" + std::to_string(10 + prng.below(90));
  Request& request = sample.request;
  request.ns = "default";
  request.job_name = "training";
  request.job_uid = sample.job_uid;
  request.task_name = prng.pick(names);
  request.pod_name = "training-" + request.task_name + "-0";
  request.pod_uid = "0a1b2c3d-8a52-4b0e-9d3b-0c6f7a1e2b44";
  request.event = prng.pick(events);
  if (request.event == Event::PodFailed) request.exit_code = static_cast<std::int32_t>(prng.below(6));
  return sample;
}

std::vector<Sample> samples() {
  test::Prng prng(1);
  std::vector<Sample> out;
  for (int i = 0; i < 512; ++i) out.push_back(random_sample(prng));
  return out;
}

/// Runs `once` over the samples in turn, and reports its allocations too.
template <class Once>
void over_samples(benchmark::State& state, Once once) {
  std::vector<Sample> all = samples();
  std::size_t at = 0;
  const std::int64_t before = test::allocation_count();
  for (auto _ : state) {
    once(all[at]);
    at = (at + 1) % all.size();
  }
  const auto allocations = static_cast<double>(test::allocation_count() - before);
  state.counters["allocations"] = benchmark::Counter(allocations, benchmark::Counter::kAvgIterations);
}

Decision decide_sample(const Sample& sample) {
  return decide(sample.table, sample.job_uid, sample.status.version, sample.request);
}

TransitionResult move_sample(Sample& sample, Action action) {
  const JobPhase phase = sample.status.phase.code;
  const std::int32_t retry_count = sample.status.retry_count;
  const TransitionResult result =
      apply_status_function(plan(phase, action).function, sample.table.spec(), sample.totals, sample.status);
  sample.status.phase.code = phase;  // for the next round
  sample.status.retry_count = retry_count;
  return result;
}

void decide_request(benchmark::State& state) {
  over_samples(state, [](Sample& sample) { benchmark::DoNotOptimize(decide_sample(sample)); });
}
BENCHMARK(decide_request);

void transition(benchmark::State& state) {
  over_samples(state, [](Sample& sample) { benchmark::DoNotOptimize(move_sample(sample, Action::SyncJob)); });
}
BENCHMARK(transition);

void decide_and_transition(benchmark::State& state) {
  over_samples(state,
               [](Sample& sample) { benchmark::DoNotOptimize(move_sample(sample, decide_sample(sample).action)); });
}
BENCHMARK(decide_and_transition);

/// The same with every candidate and its reason.
void decide_and_transition_with_trace(benchmark::State& state) {
  over_samples(state, [](Sample& sample) {
    const auto considered = consider(sample.table, sample.job_uid, sample.status.version, sample.request);
    benchmark::DoNotOptimize(considered.data());
    benchmark::DoNotOptimize(move_sample(sample, decide_sample(sample).action));
  });
}
BENCHMARK(decide_and_transition_with_trace);

/// What is done once per job version instead.
void compile_policies(benchmark::State& state) {
  const std::vector<Sample> all = samples();
  std::vector<std::shared_ptr<const JobSpec>> specs;
  for (const Sample& sample : all) specs.push_back(std::make_shared<const JobSpec>(sample.table.spec()));
  std::size_t at = 0;
  for (auto _ : state) {
    const PolicyTable table(specs[at]);
    benchmark::DoNotOptimize(table.task_index("worker"));
    at = (at + 1) % specs.size();
  }
}
BENCHMARK(compile_policies);

}  // namespace
