// The controller alone, with an API server whose answers the test decides (spec/volcano-job.md 3, 4, 8, 9).
#include "pumice/volcano/controller.h"

#include <catch2/catch_test_macros.hpp>

#include "support/controller_bench.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

TEST_CASE("hash vectors of spec appendix C") {
  CHECK(fnv1_32("") == 2166136261U);
  CHECK(fnv1_32("test/job1") == 1265497262U);
  CHECK(fnv1_32("test/Job1") == 3907214542U);
  CHECK(fnv1_32("default/job1") == 3681646989U);
  CHECK(fnv1_32("ns1/job-a") == 2173598575U);
  CHECK(fnv1_32("volcano-system/long-job-name-01") == 2088436016U);
}

TEST_CASE("B4: a kill that fails halfway degrades to a sync and the restart is lost") {
  ControllerBench bench(two_workers(Event::PodFailed, Action::RestartJob));
  bench.make_running();
  bench.output.trace.clear();
  bench.fault = fail_one_deletion();
  bench.cluster.set_pod_phase("default/j-w-0", PodPhase::Failed, 1, "", bench.now);
  bench.run();
  const auto kill = bench.processed().front();
  CHECK(kill.outcome == ProcessOutcome::Requeued);
  CHECK(kill.error == "1 pod could not be deleted");
  CHECK(kill.retry_at == bench.now + Duration{5 * kMillisecond.ns});
  CHECK(bench.controller.cache().get("default/j")->version == 1);
  CHECK(bench.status().version == 1);  // persisted by the syncs that the marking caused
  CHECK(bench.status().phase.code == JobPhase::Running);

  bench.output.trace.clear();
  bench.tick_to_deadline();
  bench.run();
  const auto retried = bench.processed().front();
  CHECK(retried.source == DecisionSource::StaleVersion);
  CHECK(retried.action == ActionName(Action::SyncJob));

  bench.cluster.remove_pod("default/j-w-0");
  bench.run();
  bench.cluster.remove_pod("default/j-w-1");
  bench.run();
  CHECK(bench.status().phase.code == JobPhase::Pending);
  CHECK(bench.status().retry_count == 0);
  CHECK(bench.status().version == 1);
}

TEST_CASE("the same failure on a command is retried properly") {
  ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
  bench.make_running();
  bench.fault = fail_one_deletion();
  bench.cluster.create_command("default/j", Action::AbortJob);
  bench.run();
  CHECK(bench.status().phase.code == JobPhase::Running);
  bench.tick_to_deadline();
  bench.run();
  CHECK(bench.status().phase.code == JobPhase::Aborting);
}

TEST_CASE("retries double from 5 ms, and the sixteenth failure terminates the job") {
  ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
  bench.make_running();
  bench.output.trace.clear();
  bench.fault = [](const EffectBody& body) {
    const auto* update = std::get_if<UpdateJobStatus>(&body);
    return update && update->status.phase.code == JobPhase::Aborting ? ResultCode::Conflict : ResultCode::Ok;
  };
  const Time start = bench.now;
  bench.cluster.create_command("default/j", Action::AbortJob);
  bench.run();
  int attempts = 1;
  while (bench.controller.next_deadline()) {
    bench.tick_to_deadline();
    bench.run();
    ++attempts;
  }
  CHECK(attempts == 16);
  CHECK(bench.now - start == Duration{163'835 * kMillisecond.ns});
  CHECK(bench.status().phase.code == JobPhase::Terminating);
  bool gave_up = false;
  for (const ProcessRecord& record : bench.processed()) gave_up = gave_up || record.outcome == ProcessOutcome::GaveUp;
  CHECK(gave_up);
}

TEST_CASE("with limit 0 the first failure terminates") {
  ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob),
                        {.workers = 3, .requeue_max = 0, .trace = true});
  bench.make_running();
  bench.fault = fail_one_deletion();
  bench.cluster.create_command("default/j", Action::AbortJob);
  bench.run();
  CHECK(bench.status().phase.code == JobPhase::Terminating);
  bench.tick_to_deadline();  // the pod that could not be deleted is read again; nothing else is to come
  bench.run();
  CHECK_FALSE(bench.controller.next_deadline());
}

TEST_CASE("a command that someone else consumed is not executed") {
  ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
  bench.make_running();
  bench.fault = [](const EffectBody& body) {
    return std::holds_alternative<DeleteCommand>(body) ? ResultCode::NotFound : ResultCode::Ok;
  };
  bench.cluster.create_command("default/j", Action::AbortJob);
  bench.run();
  CHECK(bench.status().phase.code == JobPhase::Running);
  const auto& last = std::get<CommandRecord>(bench.output.trace.back());
  CHECK_FALSE(last.consumed);
  CHECK_FALSE(last.request);
}

TEST_CASE("a missing queue is an error, and after the retries the job is terminated") {
  // Spec 12 no. 41: nothing waits for the queue to appear.
  ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
  bench.controller.step({bench.now, Observation{QueueDeleted{"default"}}}, bench.output);
  bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
  bench.run();
  while (bench.controller.next_deadline()) {
    bench.tick_to_deadline();
    bench.run();
  }
  CHECK(bench.status().phase.code == JobPhase::Terminated);
}

TEST_CASE("callbacks: which request a change of a pod leads to (spec 3.3 - 3.5)") {
  ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
  bench.make_running();
  const auto observe = [&](Observation observation) {
    bench.output.trace.clear();
    bench.controller.step({bench.now, std::move(observation)}, bench.output);
    return std::get<ObserveRecord>(bench.output.trace.front());
  };
  Pod base;
  base.ns = "default";
  base.name = "j-w-0";
  base.uid = "u";
  base.owned_by_job = true;
  base.owner_uid = bench.cluster.jobs().at("default/j")->meta.uid;
  base.job_name = "j";
  base.task_name = "w";
  base.job_version = "0";
  base.phase = PodPhase::Running;
  base.resource_version = 1000;
  const auto changed = [&](auto change) {
    Pod pod = base;
    pod.resource_version = 1001;
    change(pod);
    return std::make_shared<const Pod>(pod);
  };
  const auto before = std::make_shared<const Pod>(base);

  SECTION("dropped, with the reason") {
    CHECK(observe(PodUpdated{before, before}).outcome == ObserveOutcome::SameResourceVersion);
    CHECK(observe(PodAdded{changed([](Pod& p) { p.owned_by_job = false; })}).outcome == ObserveOutcome::NotOfAJob);
    CHECK(observe(PodAdded{changed([](Pod& p) { p.job_name.reset(); })}).outcome == ObserveOutcome::AnnotationMissing);
    CHECK(observe(PodAdded{changed([](Pod& p) { p.job_version.reset(); })}).detail == "volcano.sh/job-version");
    CHECK(observe(PodAdded{changed([](Pod& p) { p.task_name.reset(); })}).detail == "volcano.sh/task-spec");
    for (const char* text : {"", "x", "1.0", "2147483648", "-2147483649", " 1", "0x1", "+-1"}) {
      INFO(text);
      CHECK(observe(PodAdded{changed([&](Pod& p) { p.job_version = text; })}).outcome ==
            ObserveOutcome::VersionUnreadable);
    }
  }
  SECTION("versions as Go's ParseInt reads them") {
    for (const char* text : {"0", "-1", "+7", "007", "2147483647"}) {
      INFO(text);
      CHECK(observe(PodAdded{changed([&](Pod& p) { p.job_version = text; })}).outcome !=
            ObserveOutcome::VersionUnreadable);
    }
  }
  SECTION("updates") {
    struct Case {
      PodPhase from, to;
      bool marked;
      Event want;
    };
    constexpr Case kCases[] = {
        {PodPhase::Running, PodPhase::Failed, false, Event::PodFailed},
        {PodPhase::Failed, PodPhase::Failed, false, Event::OutOfSync},
        {PodPhase::Running, PodPhase::Succeeded, false, Event::OutOfSync},  // one of two: the task is not complete
        {PodPhase::Pending, PodPhase::Running, false, Event::PodRunning},
        {PodPhase::Running, PodPhase::Running, false, Event::OutOfSync},
        {PodPhase::Running, PodPhase::Pending, false, Event::PodPending},
        {PodPhase::Pending, PodPhase::Pending, false, Event::OutOfSync},
        {PodPhase::Running, PodPhase::Unknown, false, Event::OutOfSync},
        {PodPhase::Running, PodPhase::Failed, true, Event::OutOfSync},
    };
    for (const Case& test : kCases) {
      INFO(to_string(test.from) << " -> " << to_string(test.to) << " marked " << test.marked);
      Pod old = base;
      old.phase = test.from;
      const auto record = observe(PodUpdated{std::make_shared<const Pod>(old), changed([&](Pod& p) {
                                               p.phase = test.to;
                                               p.out_of_sync = test.marked;
                                               p.containers = {{"main", false, 0, 9}};
                                             })});
      REQUIRE(record.request);
      CHECK(record.request->event.code == test.want);
      CHECK(record.request->exit_code == (test.from != PodPhase::Failed && test.to == PodPhase::Failed ? 9 : 0));
    }
  }
  SECTION("TaskFailed: container restarts, summed over the task, masked by a phase change") {
    const auto restarts = [](Pod& p) { p.containers = {{"main", true, 2, {}}}, p.init_restarts = 1; };
    bench.controller.step({bench.now, Observation{PodUpdated{before, changed([](Pod&) {})}}}, bench.output);
    // maxRetry of the task is 0 here, which counts as 3.
    CHECK(observe(PodUpdated{before, changed(restarts)}).request->event.code == Event::TaskFailed);
    Pod pending = base;
    pending.phase = PodPhase::Pending;
    CHECK(observe(PodUpdated{std::make_shared<const Pod>(pending), changed(restarts)}).request->event.code ==
          Event::PodRunning);
  }
  SECTION("deletion") {
    CHECK(observe(PodDeleted{changed([](Pod& p) { p.out_of_sync = true; })}).request->event.code == Event::OutOfSync);
    CHECK(observe(PodDeleted{changed([](Pod& p) { p.name = "j-w-77"; })}).request->event.code == Event::OutOfSync);
  }
  SECTION("an evicted pod") { CHECK(observe(PodDeleted{before}).request->event.code == Event::PodEvicted); }
}

TEST_CASE("a PodGroup's job is the last owner of kind Job, else its own name") {
  ControllerBench bench(two_workers(Event::Unknown, Action::RestartJob));
  PodGroup before;
  before.ns = "default";
  before.name = "group";
  before.phase = PodGroupPhase::Pending;
  PodGroup after = before;
  after.phase = PodGroupPhase::Running;
  const auto observe = [&] {
    bench.output.trace.clear();
    bench.controller.step({bench.now, Observation{PodGroupUpdated{before, after}}}, bench.output);
    return std::get<ObserveRecord>(bench.output.trace.front());
  };
  CHECK(observe().request->job_name == "group");
  CHECK(observe().outcome == ObserveOutcome::Merged);  // still waiting
  after.owners = {
      {"x/v1", "Job", "first", "1", false}, {"y/v1", "Job", "last", "2", true}, {"z/v1", "Pod", "no", "3", true}};
  CHECK(observe().request->job_name == "last");
  CHECK(observe().request->event.code == Event::None);
  after.phase = PodGroupPhase::Unknown;
  CHECK(observe().request->event.code == Event::Unknown);
  before.phase = PodGroupPhase::Unknown;
  CHECK(observe().outcome == ObserveOutcome::PhaseSame);
}

TEST_CASE("targets that do not exist") {
  // Spec 9.2: an empty task or pod target still costs a retry; an empty partition does nothing at all.
  for (const auto& [action, outcome, phase] :
       {std::tuple{Action::RestartTask, ProcessOutcome::Executed, JobPhase::Restarting},
        std::tuple{Action::RestartPod, ProcessOutcome::Executed, JobPhase::Restarting},
        std::tuple{Action::RestartPartition, ProcessOutcome::EmptyPartition, JobPhase::Running}}) {
    INFO(to_string(action));
    ControllerBench bench(two_workers(Event::Unknown, action));
    bench.make_running();
    bench.output.trace.clear();
    PodGroup before = bench.cluster.pod_groups().begin()->second;
    PodGroup after = before;
    after.phase = PodGroupPhase::Unknown;
    bench.controller.step({bench.now, Observation{PodGroupUpdated{before, after}}}, bench.output);
    bench.work();
    const auto record = bench.processed().front();
    CHECK(record.outcome == outcome);
    CHECK(record.killed == 0);
    CHECK(bench.status().phase.code == phase);
  }
}

TEST_CASE("input order: a result for nothing, a clock that runs backwards") {
  ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
  CHECK_FALSE(bench.controller.has_work());
  // Early and repeated ticks change nothing.
  const auto deadline = bench.controller.next_deadline();
  bench.controller.step({bench.now, Tick{}}, bench.output);
  bench.controller.step({bench.now, Tick{}}, bench.output);
  CHECK(bench.controller.next_deadline() == deadline);
}

TEST_CASE("a pod whose deletion failed is read again, ten times at most, and the cache repaired") {
  // Spec 10.6: the read may say that it is gone, that it has changed, or nothing.
  const auto resyncs = [](ControllerBench& bench) {
    std::vector<ObserveRecord> list;
    for (const Record& record : bench.output.trace) {
      const auto* seen = std::get_if<ObserveRecord>(&record);
      if (seen && (seen->outcome == ObserveOutcome::Resynced || seen->outcome == ObserveOutcome::ResyncFailed))
        list.push_back(*seen);
    }
    return list;
  };
  const auto start = [](ControllerBench& bench) {
    bench.make_running();
    bench.output.trace.clear();
    bench.fault = fail_one_deletion();
    bench.cluster.create_command("default/j", Action::AbortJob);
    // Only the command: its deletion of pod 0 fails, and no notification comes back.
    while (auto notification = bench.cluster.take_notification())
      bench.controller.step({bench.now, std::move(*notification)}, bench.output);
    bench.work();
    bench.work();
    REQUIRE(bench.controller.next_deadline() == bench.now + Duration{5 * kMillisecond.ns});
  };
  SECTION("it has changed") {
    ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
    start(bench);
    CHECK_FALSE(bench.controller.cache().get("default/j")->find_task("w")->find("j-w-0")->out_of_sync);
    bench.tick_to_deadline();
    bench.work();  // before the shards
    CHECK(resyncs(bench).size() == 1);
    CHECK(resyncs(bench)[0].outcome == ObserveOutcome::Resynced);
    CHECK(bench.controller.cache().get("default/j")->find_task("w")->find("j-w-0")->out_of_sync);
  }
  SECTION("it is gone") {
    ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
    start(bench);
    bench.cluster.remove_pod("default/j-w-0");
    bench.tick_to_deadline();
    bench.work();
    CHECK(resyncs(bench)[0].change == ChangeKind::Deleted);
    CHECK_FALSE(bench.controller.cache().get("default/j")->find_task("w")->find("j-w-0"));
  }
  SECTION("it cannot be read") {
    ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob));
    start(bench);
    bench.run();
    bench.fault = [](const EffectBody& body) {
      return std::holds_alternative<ReadPod>(body) ? ResultCode::Timeout : ResultCode::Ok;
    };
    bench.output.trace.clear();
    const Time begin = bench.now;
    while (bench.controller.next_deadline()) {
      bench.tick_to_deadline();
      bench.run();
    }
    CHECK(resyncs(bench).size() == 10);
    CHECK(resyncs(bench)[9].outcome == ObserveOutcome::ResyncFailed);
    // 5 ms doubled ten times more: the eleventh wait ends with the pod dropped.
    CHECK(bench.now - begin == Duration{5 * 2047 * kMillisecond.ns});
  }
}

TEST_CASE("all retries of a queue share a bucket: a hundred at once, then ten a second") {
  // Jobs of one shard whose queue does not exist fail all together.
  ControllerConfig config;
  config.workers = 1;
  Controller controller(config);
  Output output;
  const Time now{1'000 * kSecond.ns};
  JobSpec spec;
  spec.queue = "none";
  const auto shared = std::make_shared<const JobSpec>(spec);
  std::vector<Time> due;
  for (int i = 0; i < 130; ++i) {
    auto job = std::make_shared<Job>();
    job->meta.ns = "ns";
    job->meta.name = "j" + std::to_string(i);
    job->spec = shared;
    controller.step({now, Observation{JobAdded{std::move(job)}}}, output);
    controller.step({now, Work{}}, output);
    due.push_back(*std::get<ProcessRecord>(output.trace.back()).retry_at);
  }
  CHECK(due[0] == now + Duration{5 * kMillisecond.ns});
  CHECK(due[99] == now + Duration{5 * kMillisecond.ns});
  CHECK(due[100] == now + Duration{100 * kMillisecond.ns});
  CHECK(due[129] == now + seconds(3));
  // A second later ten tokens have come back, and more are owed.
  const Time later = now + seconds(1);
  controller.step({later, Tick{}}, output);
  int retried = 0;
  while (controller.has_work()) {
    controller.step({later, Work{}}, output);
    ++retried;
  }
  CHECK(retried == 110);
  CHECK(*std::get<ProcessRecord>(output.trace.back()).retry_at ==
        now + seconds(3) + Duration{110 * 100 * kMillisecond.ns});
}

TEST_CASE("pods that are made one by one share what they are made of") {
  ControllerBench bench(two_workers(Event::Unknown, Action::RestartJob));
  bench.make_running();
  const auto origin = [&](const char* name) { return bench.cluster.pods().at(name).pod->origin; };
  CHECK(origin("default/j-w-0") == origin("default/j-w-1"));
  const auto first = origin("default/j-w-0");
  bench.cluster.remove_pod("default/j-w-0");
  bench.run();
  CHECK(origin("default/j-w-0") == first);
  bench.cluster.create_command("default/j", Action::RestartJob);
  bench.run();
  for (const char* name : {"default/j-w-0", "default/j-w-1"}) bench.cluster.remove_pod(name);
  bench.run();
  bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
  bench.run();
  CHECK(origin("default/j-w-0") != first);
  CHECK(origin("default/j-w-0")->version == 1);
  CHECK(origin("default/j-w-0")->retry_count == 1);
}

TEST_CASE("a changed partition moves the pod when the job is set") {
  // Spec 10.1, 10.2.
  JobSpec spec = two_workers(Event::PodEvicted, Action::RestartJob);
  spec.tasks[0].partition_policy = PartitionPolicy{2, 1, 0, {}};
  ControllerBench bench(spec);
  bench.make_running();
  const auto partition = [&](const std::string& id) {
    std::vector<std::string> names;
    for (const PodPtr& pod : bench.controller.cache().get("default/j")->find_task("w")->partition(id))
      names.push_back(pod->name);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(partition("1") == Names{"j-w-1"});
  const auto relabel = [&](const std::string& id) {
    const PodPtr before = bench.controller.cache().get("default/j")->find_task("w")->find("j-w-1");
    auto after = std::make_shared<Pod>(*before);
    after->partition_id = id;
    ++after->resource_version;
    bench.controller.step({bench.now, Observation{PodUpdated{before, after}}}, bench.output);
  };
  const auto set_job = [&] {
    const JobPtr before = bench.controller.cache().get("default/j")->job;
    auto after = std::make_shared<Job>(*before);
    ++after->meta.resource_version;
    bench.controller.step({bench.now, Observation{JobUpdated{before, after}}}, bench.output);
  };
  relabel("0");
  CHECK(partition("1") == Names{"j-w-1"});
  CHECK(partition("0") == Names{"j-w-0"});
  set_job();
  CHECK(partition("1").empty());
  CHECK(partition("0") == Names{"j-w-0", "j-w-1"});
  relabel("7");
  relabel("0");
  set_job();
  CHECK(partition("0") == Names{"j-w-0", "j-w-1"});
  relabel("");
  set_job();
  CHECK(partition("0") == Names{"j-w-0"});
  relabel("3");
  set_job();
  CHECK(partition("3") == Names{"j-w-1"});
  relabel("4");  // and then it is gone: it leaves the partition it was filed under
  const PodPtr gone = bench.controller.cache().get("default/j")->find_task("w")->find("j-w-1");
  bench.controller.step({bench.now, Observation{PodDeleted{gone}}}, bench.output);
  CHECK(partition("3").empty());
  CHECK(partition("4").empty());
}
