// One sync at a time: what is found, decided, asked for and written (spec/k8s-job.md 5 - 7, 10, 16.1 - 16.9).
#include <catch2/catch_test_macros.hpp>

#include "support/kubejob_bench.h"

namespace pumice::kubejob {
namespace {

using test::JobBench;
using Strings = std::vector<std::string>;

Time at(std::int64_t second) { return JobBench::at(second); }

/// Fails all effects of a kind from the n-th on (from 1), `times` of them.
template <class Effect>
JobBench::Fault fail(ResultCode code, int from = 1, int times = 1'000'000) {
  return [=, seen = 0](const EffectBody& body) mutable {
    if (!std::holds_alternative<Effect>(body)) return ResultCode::Ok;
    ++seen;
    return seen >= from && seen < from + times ? code : ResultCode::Ok;
  };
}
template <class Effect>
JobBench::Fault fail_pod(std::string name, ResultCode code = ResultCode::Timeout) {
  return [=](const EffectBody& body) {
    const auto* effect = std::get_if<Effect>(&body);
    return effect != nullptr && effect->name == name ? code : ResultCode::Ok;
  };
}

void unsatisfied(JobBench& bench) {
  bench.before_sync = [now = bench.now](Controller& controller) {
    controller.set_expectation("default/j", {1, 0, now});
  };
}

void condition(JobBench& bench, const char* type, const char* reason, const char* status = "True") {
  bench.job.status.conditions.push_back({type, status, at(0), at(0), reason, "m"});
}

// -- SY-1 … SY-9 ------------------------------------------------------------------------------------------------------

TEST_CASE("SY-1: a key needs a namespace and a name", "[kubejob]") {
  JobBench bench("completions: 1");
  bench.job.meta.name = "";
  const SyncRecord record = bench.sync();
  CHECK(record.outcome == SyncOutcome::BadKey);
  CHECK(record.retry_at == bench.now + seconds(1));
  CHECK(bench.effects.empty());
}

TEST_CASE("SY-2: the optional gate waits for the cache", "[kubejob]") {
  Quirks quirks = job_profile();
  quirks.set(Quirk::ConsistencyCheck, true);
  JobBench bench("completions: 1", quirks);
  CHECK(bench.sync().outcome == SyncOutcome::Synced);
  CHECK(bench.sync().outcome == SyncOutcome::StaleCache);
  bench.deliver();
  CHECK(bench.sync().outcome == SyncOutcome::Synced);
}

TEST_CASE("SY-3: a job that is gone is forgotten", "[kubejob]") {
  JobBench bench("completions: 1");
  bench.sync();
  bench.deliver();
  bench.controller.set_expectation("default/j", {3, 0, bench.now});
  bench.controller.set_removal_expected("default/j", "x");
  bench.controller.set_backoff("default/j", {1, bench.now});
  bench.store.remove_job("default/j");
  bench.output.trace.clear();
  bench.settle();
  REQUIRE_FALSE(bench.syncs().empty());
  CHECK(bench.syncs().front().outcome == SyncOutcome::JobNotCached);
  CHECK(bench.controller.expectations().find("default/j") == nullptr);
  CHECK(bench.controller.finalizer_expectations().of("default/j").empty());
  CHECK(bench.controller.backoff("default/j") == nullptr);
}

TEST_CASE("SY-4: managedBy", "[kubejob]") {
  JobBench other("completions: 1, managedBy: example.com/other");
  CHECK(other.sync().outcome == SyncOutcome::ManagedByOther);
  CHECK(other.effects.empty());
  JobBench own("completions: 1, managedBy: kubernetes.io/job-controller");
  CHECK(own.sync().created == 1);
  JobBench older("completions: 1, managedBy: example.com/other", job_1_27_profile());
  CHECK(older.sync().created == 1);
}

TEST_CASE("SY-5, SY-6: nothing is done twice to a finished job", "[kubejob]") {
  JobBench bench("completions: 1");
  bench.pod(PodPhase::Succeeded);
  CHECK(bench.sync().outcome == SyncOutcome::Synced);
  CHECK(bench.finished() == "Complete");
  CHECK(bench.sync().outcome == SyncOutcome::FinishWritten);  // the cache does not show it yet
  CHECK(bench.effects.empty());
  bench.deliver();
  const SyncRecord last = bench.sync();
  CHECK(last.outcome == SyncOutcome::Finished);
  CHECK(bench.effects.empty());
  CHECK(bench.controller.backoff("default/j") == nullptr);

  Quirks quirks = job_profile();
  quirks.set(Quirk::FinishedMarker, false);
  JobBench without("completions: 1", quirks);
  without.pod(PodPhase::Succeeded);
  without.sync();
  CHECK(without.sync().error == "tracking status: adding uncounted pods to status: Conflict");
}

TEST_CASE("SY-7: unknown completion mode", "[kubejob]") {
  JobBench bench("completions: 1, completionMode: Random");
  CHECK(bench.sync().outcome == SyncOutcome::UnknownMode);
  CHECK(bench.events() == Strings{"UnknownCompletionMode"});
  CHECK(std::get<EmitEvent>(bench.effects.front()).message == "Skipped Job sync because completion mode is unknown");
}

TEST_CASE("SY-14: the start time", "[kubejob]") {
  JobBench bench("completions: 1");
  bench.sync();
  CHECK(bench.status().start_time == bench.now);
  JobBench suspended("completions: 1, suspend: true");
  suspended.sync();
  CHECK_FALSE(suspended.status().start_time.has_value());
}

TEST_CASE("SY-18: nothing new, nothing written", "[kubejob]") {
  JobBench bench("parallelism: 1, completions: 5");
  bench.pod(PodPhase::Running);
  bench.sync();
  CHECK(bench.writes().size() == 1);
  bench.deliver();
  bench.sync();
  CHECK(bench.effects.empty());
}

// -- 5: claiming ------------------------------------------------------------------------------------------------------

TEST_CASE("spec 5: adoption and release", "[kubejob]") {
  SECTION("a pod without controller is adopted, after one fresh read") {
    JobBench bench("parallelism: 2, completions: 5");
    for (int i = 0; i < 2; ++i) {
      Pod& pod = bench.pod(PodPhase::Running);
      pod.meta.owners.clear();
      pod.finalizers.clear();
    }
    const SyncRecord record = bench.sync();
    CHECK(record.adopted == 2);
    CHECK(record.active == 2);
    CHECK(record.created == 0);
    CHECK(bench.count<GetJob>() == 1);
    CHECK(bench.stored("p0").controller()->uid == "j-uid");
    CHECK(bench.stored("p0").is_tracked());
  }
  SECTION("an adopted pod that has succeeded is counted in the same sync") {
    JobBench bench("completions: 1");
    Pod& pod = bench.pod(PodPhase::Succeeded);
    pod.meta.owners.clear();
    pod.finalizers.clear();
    bench.sync();
    CHECK(bench.finished() == "Complete");
    CHECK_FALSE(bench.stored("p0").is_tracked());
  }
  SECTION("the job is being deleted") {
    JobBench bench("completions: 5");
    bench.job.meta.deletion = at(0);
    bench.pod(PodPhase::Running).meta.owners.clear();
    bench.sync();
    CHECK(bench.count<AdoptPod>() == 0);
  }
  SECTION("the fresh read shows it being deleted, or another job") {
    for (const bool deleted : {true, false}) {
      CAPTURE(deleted);
      JobBench bench("completions: 5");
      bench.pod(PodPhase::Running).meta.owners.clear();
      bench.place();
      Job fresh = bench.current();
      if (deleted)
        fresh.meta.deletion = at(5);
      else
        fresh.meta.uid = "other";
      bench.store.update_job(fresh);
      const SyncRecord record = bench.sync();
      CHECK(record.outcome == SyncOutcome::Failed);
      CHECK(record.error.starts_with(deleted ? "can't adopt pods: default/j has just been deleted at "
                                             : "can't adopt pods: original Job default/j is gone"));
      CHECK(bench.count<AdoptPod>() == 0);
      CHECK(bench.count<CreatePod>() == 0);
    }
  }
  SECTION("a pod that is being deleted is not adopted") {
    JobBench bench("completions: 5");
    bench.terminating().meta.owners.clear();
    bench.sync();
    CHECK(bench.count<AdoptPod>() == 0);
  }
  SECTION("a pod that no longer matches is released") {
    JobBench bench("parallelism: 1, completions: 5");
    bench.pod(PodPhase::Running).meta.labels.clear();
    const SyncRecord record = bench.sync();
    CHECK(record.released == 1);
    CHECK(record.active == 0);
    CHECK(record.created == 1);
    CHECK(bench.stored("p0").meta.owners.empty());
    CHECK_FALSE(bench.stored("p0").is_tracked());
  }
  SECTION("… but not while the job is being deleted") {
    JobBench bench("completions: 5");
    bench.job.meta.deletion = at(0);
    bench.pod(PodPhase::Running).meta.labels.clear();
    bench.sync();
    CHECK(bench.count<ReleasePod>() == 0);
    CHECK(bench.stored("p0").is_tracked());
  }
  SECTION("another owner's pod is left alone") {
    JobBench bench("parallelism: 1, completions: 5");
    bench.pod(PodPhase::Running).meta.owners[0].uid = "other";
    CHECK(bench.sync().created == 1);
  }
  SECTION("NotFound is ignored, other errors end the sync") {
    JobBench bench("parallelism: 1, completions: 5");
    bench.pod(PodPhase::Running).meta.owners.clear();
    bench.fault = fail<AdoptPod>(ResultCode::NotFound);
    CHECK(bench.sync().created == 1);
    JobBench other("parallelism: 1, completions: 5");
    other.pod(PodPhase::Running).meta.owners.clear();
    other.fault = fail<AdoptPod>(ResultCode::Forbidden);
    CHECK(other.sync().error == "Forbidden");
    CHECK(other.count<CreatePod>() == 0);
  }
}

// -- 16.1 -------------------------------------------------------------------------------------------------------------

TEST_CASE("spec 16.1: basic syncs as a table", "[kubejob]") {
  struct Case {
    const char* name;
    const char* spec;
    int pending, running, ready, succeeded, failed, terminating;
    std::int64_t created, deleted;
    std::int32_t active, status_ready, status_terminating, status_succeeded, status_failed;
    const char* finished;
  };
  const Case cases[] = {
      {"no pods", "parallelism: 2, completions: 5", 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, ""},
      {"work queue", "parallelism: 2", 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, ""},
      {"as many as wanted", "parallelism: 2, completions: 5", 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, ""},
      {"one ready", "parallelism: 2, completions: 5", 0, 1, 1, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, ""},
      {"a success is replaced", "parallelism: 2, completions: 5", 0, 1, 0, 1, 0, 0, 1, 0, 2, 0, 0, 1, 0, ""},
      {"work queue after a success", "parallelism: 2", 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, ""},
      {"work queue complete", "parallelism: 2", 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, "Complete"},
      {"work queue with a failure", "parallelism: 2", 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, "Complete"},
      {"one too many", "parallelism: 2, completions: 5", 0, 3, 0, 0, 0, 0, 0, 1, 2, 0, 1, 0, 0, ""},
      {"many too many", "parallelism: 2, completions: 5", 0, 10, 0, 0, 0, 0, 0, 8, 2, 0, 8, 0, 0, ""},
      {"near the end", "parallelism: 3, completions: 4", 0, 3, 0, 2, 0, 0, 0, 1, 2, 0, 1, 2, 0, ""},
      {"complete", "parallelism: 2, completions: 5", 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 5, 0, "Complete"},
      {"active beyond the end", "parallelism: 2, completions: 5", 0, 2, 0, 5, 0, 0, 0, 2, 0, 0, 2, 5, 0, ""},
      {"TerminatingOrFailed", "parallelism: 1", 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 2, ""},
      {"Failed", "parallelism: 1, podReplacementPolicy: Failed", 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, ""},
      {"Failed, too many", "parallelism: 1, completions: 1, podReplacementPolicy: Failed", 0, 2, 0, 0, 0, 4, 0, 1, 1, 0,
       5, 0, 0, ""},
      {"a terminating pod keeps its place", "parallelism: 2, podReplacementPolicy: Failed", 0, 1, 0, 0, 0, 1, 0, 0, 1,
       0, 1, 0, 0, ""},
      {"parallelism 0", "parallelism: 0, completions: 5", 0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0, 0, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    JobBench bench(c.spec);
    bench.pods_of(c.pending, PodPhase::Pending);
    bench.pods_of(c.running, PodPhase::Running);
    for (int i = 0; i < c.ready; ++i) bench.ready();
    bench.pods_of(c.succeeded, PodPhase::Succeeded);
    bench.pods_of(c.failed, PodPhase::Failed);
    for (int i = 0; i < c.terminating; ++i) bench.terminating();
    const SyncRecord record = bench.sync();
    CHECK(record.error.empty());
    CHECK(record.created == c.created);
    CHECK(static_cast<std::int64_t>(bench.deleted().size()) == c.deleted);
    CHECK(bench.status().active == c.active);
    CHECK(bench.status().ready == c.status_ready);
    CHECK(bench.status().terminating == c.status_terminating);
    CHECK(bench.status().succeeded == c.status_succeeded);
    CHECK(bench.status().failed == c.status_failed);
    CHECK(bench.finished() == c.finished);
  }
}

TEST_CASE("spec 16.1: a terminating pod is replaced at once with TerminatingOrFailed", "[kubejob]") {
  JobBench bench("parallelism: 2");
  bench.pod(PodPhase::Running);
  bench.terminating().meta.deletion = bench.now + seconds(-3000);  // its back-off is over
  CHECK(bench.sync().created == 1);
}

TEST_CASE("spec 16.1: removal takes the finalizer off first", "[kubejob]") {
  JobBench bench("parallelism: 2, completions: 5");
  bench.pods_of(3, PodPhase::Running);
  bench.sync();
  CHECK(bench.count<RemoveFinalizer>() == 1);
  CHECK(bench.count<DeletePod>() == 1);
  CHECK(std::holds_alternative<RemoveFinalizer>(bench.effects.front()));
  CHECK(bench.controller.expectations().find("default/j")->deletions == 1);

  JobBench failing("parallelism: 2, completions: 5");
  failing.pods_of(3, PodPhase::Running);
  failing.fault = fail<DeletePod>(ResultCode::Timeout);
  const SyncRecord record = failing.sync();
  CHECK(record.error == "Timeout");
  CHECK(failing.status().active == 3);
  CHECK(failing.controller.expectations().find("default/j")->deletions == 0);
  CHECK(failing.events() == Strings{"FailedDelete"});

  JobBench gone("parallelism: 2, completions: 5");
  gone.pods_of(3, PodPhase::Running);
  gone.fault = fail<DeletePod>(ResultCode::NotFound);
  CHECK(gone.sync().error.empty());
  CHECK(gone.status().active == 2);
  CHECK(gone.events().empty());
  CHECK(gone.controller.expectations().find("default/j")->deletions == 0);

  JobBench patch("parallelism: 2, completions: 5");
  patch.pods_of(3, PodPhase::Running);
  patch.fault = fail<RemoveFinalizer>(ResultCode::Conflict);
  CHECK(patch.sync().error == "Conflict");
  CHECK(patch.count<DeletePod>() == 0);
  CHECK(patch.status().active == 3);
}

TEST_CASE("spec 7.2: ready is under-reported after a failed DELETE", "[kubejob]") {
  for (const bool quirk : {true, false}) {
    CAPTURE(quirk);
    Quirks quirks = job_profile();
    quirks.set(Quirk::ReadyUnderreported, quirk);
    JobBench bench("parallelism: 0, completions: 5", quirks);
    bench.ready();
    bench.fault = fail<DeletePod>(ResultCode::Timeout);
    bench.sync();
    CHECK(bench.status().active == 1);
    CHECK(bench.status().ready == (quirk ? 0 : 1));
  }
  JobBench patch("parallelism: 0, completions: 5");
  patch.ready();
  patch.fault = fail<RemoveFinalizer>(ResultCode::Timeout);
  patch.sync();
  CHECK(patch.status().ready == 1);
}

TEST_CASE("spec 7: at most 500 pods are created or removed in a sync", "[kubejob]") {
  JobBench more("parallelism: 700, completions: 700");
  CHECK(more.sync().created == 500);
  CHECK(more.controller.expectations().find("default/j")->creations == 500);
  JobBench fewer("parallelism: 0, completions: 700");
  fewer.pods_of(600, PodPhase::Running);
  fewer.sync();
  CHECK(fewer.count<DeletePod>() == 500);
  CHECK(fewer.status().active == 100);
}

TEST_CASE("spec 16.1: complete, completion time, events", "[kubejob]") {
  JobBench bench("completions: 5, parallelism: 2");
  bench.pods_of(5, PodPhase::Succeeded);
  bench.sync();
  CHECK(bench.status().completion_time == bench.now);
  CHECK(bench.conditions() == "SuccessCriteriaMet=True/CompletionsReached Complete=True/CompletionsReached");
  CHECK(bench.status().conditions[1].message == "Reached expected number of succeeded pods");
  CHECK(bench.events() == Strings{"Completed"});
  CHECK(bench.writes().size() == 2);
  JobBench more("completions: 2, parallelism: 2");
  more.pods_of(3, PodPhase::Succeeded);
  more.sync();
  CHECK(more.events() == Strings{"TooManySucceededPods", "Completed"});
}

TEST_CASE("spec 16.1: enough successes while pods run", "[kubejob]") {
  JobBench bench("parallelism: 2, completions: 5");
  bench.pods_of(5, PodPhase::Succeeded);
  bench.pods_of(2, PodPhase::Running);
  bench.sync();
  CHECK(bench.conditions() == "SuccessCriteriaMet=True/CompletionsReached");
  CHECK(bench.status().active == 0);
  bench.settle();
  bench.run_for(2);
  CHECK(bench.finished().empty());
  bench.stop_deleted();
  bench.run_for(2);
  CHECK(bench.finished() == "Complete");
  CHECK(bench.status().failed == 0);
}

TEST_CASE("spec 7.5: slow start", "[kubejob]") {
  SECTION("batches of 1, 2, 4, 3") {
    JobBench bench("parallelism: 10, completions: 10");
    CHECK(bench.sync().created == 10);
    Strings kinds;
    std::string run;
    for (const EffectBody& effect : bench.effects) {
      if (std::holds_alternative<CreatePod>(effect)) run += "c";
      if (std::holds_alternative<EmitEvent>(effect) && !run.empty()) {
        kinds.push_back(run);
        run.clear();
      }
    }
    CHECK(kinds == Strings{"c", "cc", "cccc", "ccc"});
  }
  SECTION("creation starts failing after 10: 15 attempts") {
    JobBench bench("parallelism: 100, completions: 100");
    bench.fault = fail<CreatePod>(ResultCode::Forbidden, 11);
    const SyncRecord record = bench.sync();
    CHECK(record.error == "Forbidden");
    CHECK(bench.count<CreatePod>() == 15);
    CHECK(record.created == 10);
    CHECK(bench.status().active == 10);
    CHECK(bench.controller.expectations().find("default/j")->creations == 10);
  }
  SECTION("a failed last batch simply ends") {
    JobBench bench("parallelism: 3, completions: 3");
    bench.fault = fail<CreatePod>(ResultCode::AlreadyExists, 3);
    CHECK(bench.sync().error == "AlreadyExists");
    CHECK(bench.status().active == 2);
  }
  SECTION("successes are registered although creation fails") {
    JobBench bench("parallelism: 1, completions: 5");
    bench.pod(PodPhase::Succeeded);
    bench.fault = fail<CreatePod>(ResultCode::Forbidden);
    const SyncRecord record = bench.sync();
    CHECK(record.error == "Forbidden");
    CHECK(bench.status().active == 0);
    CHECK(bench.status().succeeded == 1);
    CHECK(bench.events() == Strings{"FailedCreate"});
  }
  SECTION("a terminating namespace keeps pods and expectations") {
    JobBench bench("parallelism: 7, completions: 7");
    bench.fault = fail<CreatePod>(ResultCode::NamespaceTerminating);
    const SyncRecord record = bench.sync();
    CHECK(record.error.empty());
    CHECK(bench.count<CreatePod>() == 7);
    CHECK(bench.status().active == 7);
    CHECK(bench.controller.expectations().find("default/j")->creations == 7);
    CHECK(bench.events().empty());
    Quirks quirks = job_profile();
    quirks.set(Quirk::NamespaceKeepsExpectation, false);
    JobBench fixed("parallelism: 7, completions: 7", quirks);
    fixed.fault = fail<CreatePod>(ResultCode::NamespaceTerminating);
    CHECK(fixed.sync().error.empty());
    CHECK(fixed.status().active == 0);
    CHECK(fixed.controller.expectations().find("default/j")->creations == 0);
  }
  SECTION("a template without labels makes no pods") {
    JobBench bench("parallelism: 3, completions: 3");
    JobSpec spec = *bench.job.spec;
    spec.pod_template.erase("metadata");
    bench.job.spec = std::make_shared<const JobSpec>(spec);
    const SyncRecord record = bench.sync();
    CHECK(record.error == "unable to create pods, no labels");
    CHECK(bench.count<CreatePod>() == 0);
    CHECK(bench.status().active == 0);
    CHECK(bench.controller.expectations().find("default/j")->creations == 0);
  }
}

TEST_CASE("spec 16.1: back-off", "[kubejob]") {
  JobBench bench("parallelism: 3, completions: 5");
  bench.pod(PodPhase::Running);
  bench.pod(PodPhase::Failed).containers[0].finished = bench.now + seconds(-4);
  const SyncRecord record = bench.sync();
  CHECK(record.manage == ManageStep::BackingOff);
  CHECK(record.created == 0);
  CHECK(bench.status().active == 1);
  CHECK(record.requeue_at == bench.now + seconds(6));
  CHECK(record.budget.next_retry == bench.now + seconds(6));
  CHECK(*bench.controller.backoff("default/j") == BackoffRecord{1, bench.now + seconds(-4)});

  JobBench older("parallelism: 3, completions: 5", job_1_27_profile());
  older.pod(PodPhase::Running);
  older.pod(PodPhase::Failed).containers[0].finished = older.now + seconds(-4);
  older.sync();
  CHECK(older.status().active == 0);

  JobBench nearly("parallelism: 3, completions: 5");
  nearly.pod(PodPhase::Failed).containers[0].finished = Time{nearly.now.ns - 9'900'000'000};
  CHECK(nearly.sync().requeue_at == nearly.now + seconds(1));  // the floor of delayed enqueues

  JobBench success("parallelism: 3, completions: 5");
  success.pod(PodPhase::Failed).containers[0].finished = success.now + seconds(-4);
  success.pod(PodPhase::Succeeded).containers[0].finished = success.now + seconds(-2);
  CHECK(success.sync().created == 3);
}

TEST_CASE("spec 16.1: a job that is being deleted", "[kubejob]") {
  JobBench bench("parallelism: 3, completions: 5");
  bench.job.meta.deletion = at(3000);
  bench.pods_of(2, PodPhase::Running);
  bench.pod(PodPhase::Succeeded);
  bench.pod(PodPhase::Failed);
  const SyncRecord record = bench.sync();
  CHECK(record.manage == ManageStep::JobDeleting);
  CHECK(bench.count<CreatePod>() == 0);
  CHECK(bench.count<DeletePod>() == 0);
  CHECK(bench.count<RemoveFinalizer>() == 4);
  CHECK(bench.status().succeeded == 1);
  CHECK(bench.status().failed == 1);
}

TEST_CASE("spec 16.1: unmet expectations", "[kubejob]") {
  SECTION("failures are counted, nothing is created, no terminal condition") {
    JobBench bench("parallelism: 2, completions: 5, backoffLimit: 0");
    unsatisfied(bench);
    bench.pod(PodPhase::Failed);
    bench.pod(PodPhase::Running);
    const SyncRecord record = bench.sync();
    CHECK(record.condition_withheld);
    CHECK(record.condition->reason == "BackoffLimitExceeded");
    CHECK(bench.status().failed == 1);
    CHECK(bench.status().conditions.empty());
    CHECK(bench.count<CreatePod>() == 0);
    CHECK(bench.count<DeletePod>() == 1);
  }
  SECTION("enough successes are enough") {
    JobBench bench("parallelism: 2, completions: 2");
    unsatisfied(bench);
    bench.pods_of(2, PodPhase::Succeeded);
    CHECK(bench.sync().manage == ManageStep::ExpectationsUnmet);
    CHECK(bench.finished() == "Complete");
  }
  SECTION("older than five minutes they do not count") {
    JobBench bench("parallelism: 2, completions: 5");
    bench.before_sync = [old = bench.now + seconds(-301)](Controller& controller) {
      controller.set_expectation("default/j", {1, 0, old});
    };
    CHECK(bench.sync().created == 2);
  }
}

TEST_CASE("spec 6.1: which condition is found, in order", "[kubejob]") {
  struct Case {
    const char* name;
    const char* spec;
    int failed;
    std::int64_t started_ago;
    const char* in_status;
    std::int32_t check;
    const char* type;
    const char* reason;
  };
  const Case cases[] = {
      {"1 before all", "backoffLimit: 0", 2, 0, "SuccessCriteriaMet", 1, "SuccessCriteriaMet", "r"},
      {"2 before 3", "backoffLimit: 0", 2, 0, "FailureTarget", 2, "Failed", "r"},
      {"3 before 4",
       "backoffLimit: 0, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]}", 2,
       0, "", 3, "FailureTarget", "PodFailurePolicy"},
      {"4 before 5", "backoffLimit: 0, activeDeadlineSeconds: 10", 1, 20, "", 4, "FailureTarget",
       "BackoffLimitExceeded"},
      {"5", "backoffLimit: 1, activeDeadlineSeconds: 10", 1, 20, "", 5, "FailureTarget", "DeadlineExceeded"},
      {"5, exactly", "activeDeadlineSeconds: 10", 0, 10, "", 5, "FailureTarget", "DeadlineExceeded"},
      {"none", "backoffLimit: 1, activeDeadlineSeconds: 30", 1, 20, "", 0, "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    JobBench bench(std::string("completions: 5, ") + c.spec);
    bench.pods_of(c.failed, PodPhase::Failed);
    bench.pod(PodPhase::Running);
    bench.job.status.start_time = bench.now + seconds(-c.started_ago);
    if (*c.in_status != 0) condition(bench, c.in_status, "r");
    const SyncRecord record = bench.sync();
    CHECK(record.condition_check == c.check);
    REQUIRE(record.condition.has_value() == (c.check != 0));
    if (record.condition) {
      CHECK(record.condition->type == c.type);
      CHECK(record.condition->reason == c.reason);
    }
  }
}

TEST_CASE("spec 6.1: interim conditions that are False count nowhere", "[kubejob]") {
  JobBench bench("completions: 1");
  condition(bench, "FailureTarget", "x", "False");
  condition(bench, "SuccessCriteriaMet", "x", "False");
  bench.pod(PodPhase::Succeeded);
  bench.sync();
  CHECK(bench.finished() == "Complete");
}

TEST_CASE("spec 6.2 a: the condition waits until all active pods could be deleted", "[kubejob]") {
  JobBench bench("backoffLimit: 0, parallelism: 3, completions: 3");
  bench.pod(PodPhase::Failed);
  bench.pods_of(2, PodPhase::Running);
  bench.fault = fail_pod<DeletePod>("p1");
  const SyncRecord record = bench.sync();
  CHECK(record.condition_withheld);
  CHECK(record.error == "Timeout");
  CHECK(bench.status().conditions.empty());
  CHECK(bench.status().active == 1);
  CHECK(bench.status().terminating == 1);
  CHECK(bench.status().failed == 1);
  CHECK(bench.controller.expectations().find("default/j") == nullptr);
  bench.fault = nullptr;
  bench.settle();
  bench.run_for(5);
  CHECK(bench.conditions() == "FailureTarget=True/BackoffLimitExceeded");
  JobBench gone("backoffLimit: 0, parallelism: 3, completions: 3");
  gone.pod(PodPhase::Failed);
  gone.pods_of(2, PodPhase::Running);
  gone.fault = fail_pod<DeletePod>("p1", ResultCode::NotFound);
  CHECK_FALSE(gone.sync().condition_withheld);
}

TEST_CASE("spec 16.1: backoffLimit 0 and one failure", "[kubejob]") {
  JobBench bench("backoffLimit: 0, parallelism: 2, completions: 2");
  bench.pod(PodPhase::Failed);
  bench.pod(PodPhase::Running);
  bench.sync();
  CHECK(bench.conditions() == "FailureTarget=True/BackoffLimitExceeded");
  CHECK(bench.status().failed == 2);  // the running one too
  CHECK(bench.status().terminating == 1);
  bench.settle();
  bench.stop_deleted();
  bench.run_for(2);
  CHECK(bench.conditions() == "FailureTarget=True/BackoffLimitExceeded Failed=True/BackoffLimitExceeded");
  CHECK(bench.status().failed == 2);
  CHECK(bench.events().back() == "BackoffLimitExceeded");
}

// -- 16.2 Indexed -----------------------------------------------------------------------------------------------------

TEST_CASE("spec 16.2: indexes to create", "[kubejob]") {
  const std::string base = "completionMode: Indexed, ";
  JobBench first(base + "parallelism: 2, completions: 5");
  CHECK(first.sync().indexes == std::vector<std::int32_t>{0, 1});

  JobBench waits(base + "parallelism: 2, completions: 5, podReplacementPolicy: Failed");
  waits.terminating(1);
  CHECK(waits.sync().indexes == std::vector<std::int32_t>{0});
  JobBench replaces(base + "parallelism: 2, completions: 5");
  replaces.terminating(1).meta.deletion = replaces.now + seconds(-3000);
  CHECK(replaces.sync().indexes == std::vector<std::int32_t>{0, 1});

  JobBench mixed(base + "parallelism: 8, completions: 20");
  for (const int index : {2, 4, 5, 7, 8, 9}) mixed.pod(PodPhase::Succeeded, index);
  for (const int index : {0, 3}) mixed.pod(PodPhase::Running, index);
  CHECK(mixed.sync().indexes == std::vector<std::int32_t>{1, 6, 10, 11, 12, 13});
  CHECK(mixed.status().completed_indexes == "2,4,5,7-9");

  JobBench failed(base + "parallelism: 3, completions: 3");
  failed.pod(PodPhase::Failed, 0);
  failed.pod(PodPhase::Running, 1);
  failed.pod(PodPhase::Failed, 2);
  failed.now = at(7200);
  CHECK(failed.sync().indexes == std::vector<std::int32_t>{0, 2});
}

TEST_CASE("spec 16.2: complete although a retry failed", "[kubejob]") {
  JobBench bench("completionMode: Indexed, parallelism: 2, completions: 3");
  for (const int index : {0, 1, 2}) bench.pod(PodPhase::Succeeded, index);
  bench.pod(PodPhase::Failed, 1);
  bench.sync();
  CHECK(bench.finished() == "Complete");
  CHECK(bench.status().completed_indexes == "0-2");
  CHECK(bench.status().failed == 1);
}

TEST_CASE("spec 16.2: an index that succeeded twice is counted once", "[kubejob]") {
  JobBench bench("completionMode: Indexed, parallelism: 2, completions: 4");
  for (const int index : {0, 1, 1}) bench.pod(PodPhase::Succeeded, index);
  CHECK(bench.sync().indexes == std::vector<std::int32_t>{2, 3});
  CHECK(bench.status().completed_indexes == "0,1");
  CHECK(bench.status().succeeded == 2);
}

TEST_CASE("spec 16.2: pods without use are removed, nothing is created in that sync", "[kubejob]") {
  JobBench unknown("completionMode: Indexed, parallelism: 3, completions: 3");
  unknown.pod(PodPhase::Running);
  unknown.pod(PodPhase::Running, 0);
  CHECK(unknown.sync().created == 0);
  CHECK(unknown.deleted() == Strings{"p0"});
  CHECK(unknown.status().failed == 0);

  JobBench twice("completionMode: Indexed, parallelism: 3, completions: 3");
  twice.pod(PodPhase::Running, 0);
  twice.pod(PodPhase::Pending, 0);
  CHECK(twice.sync().created == 0);
  CHECK(twice.deleted() == Strings{"p1"});

  JobBench beyond("completionMode: Indexed, parallelism: 3, completions: 3");
  beyond.pod(PodPhase::Running, 3);
  beyond.pod(PodPhase::Running, 7);
  CHECK(beyond.sync().created == 0);
  CHECK(beyond.deleted().size() == 2);
  CHECK(beyond.status().failed == 0);
}

TEST_CASE("spec 10.1: ended pods without a valid index are never counted", "[kubejob]") {
  JobBench bench("completionMode: Indexed, parallelism: 1, completions: 3");
  bench.pod(PodPhase::Succeeded);
  bench.pod(PodPhase::Succeeded, 9);
  bench.pod(PodPhase::Failed);
  bench.pod(PodPhase::Failed, 9);
  bench.sync();
  CHECK(bench.status().succeeded == 0);
  CHECK(bench.status().failed == 0);
  CHECK(bench.status().completed_indexes.empty());
  CHECK(bench.count<RemoveFinalizer>() == 4);
  // As printed in the older description, −1 passes the test there.
  JobBench older("completionMode: Indexed, parallelism: 1, completions: 3", job_1_27_profile());
  older.pod(PodPhase::Failed);
  older.pod(PodPhase::Failed, 9);
  older.sync();
  CHECK(older.status().failed == 1);
}

TEST_CASE("spec 14.4: elastic indexed jobs", "[kubejob]") {
  JobBench bench("completionMode: Indexed, parallelism: 5, completions: 5");
  bench.job.status.completed_indexes = "0-9";
  bench.job.status.succeeded = 10;
  bench.sync();
  CHECK(bench.status().completed_indexes == "0-4");
  CHECK(bench.status().succeeded == 5);
  JobBench raised("completionMode: Indexed, parallelism: 7, completions: 7");
  raised.job.status.completed_indexes = "0-4";
  raised.job.status.succeeded = 5;
  CHECK(raised.sync().indexes == std::vector<std::int32_t>{5, 6});
}

TEST_CASE("spec 16.2: one index fails beyond the limit while another runs", "[kubejob]") {
  JobBench bench("completionMode: Indexed, parallelism: 2, completions: 2, backoffLimit: 0");
  bench.pod(PodPhase::Failed, 0);
  bench.pod(PodPhase::Running, 1);
  bench.sync();
  CHECK(bench.deleted() == Strings{"p1"});
  CHECK(bench.status().failed == 2);
  CHECK(bench.conditions() == "FailureTarget=True/BackoffLimitExceeded");
  bench.settle();
  bench.stop_deleted();
  bench.run_for(2);
  CHECK(bench.finished() == "Failed");
}

// -- 16.3 Suspend -----------------------------------------------------------------------------------------------------

TEST_CASE("spec 16.3: suspend", "[kubejob]") {
  SECTION("active pods are removed") {
    JobBench bench("parallelism: 2, completions: 5, suspend: true");
    bench.job.status.start_time = at(0);
    bench.pods_of(2, PodPhase::Running);
    bench.sync();
    CHECK(bench.deleted().size() == 2);
    CHECK(bench.conditions() == "Suspended=True/JobSuspended");
    CHECK(bench.status().conditions[0].message == "Job suspended");
    CHECK(bench.events().back() == "Suspended");
    CHECK_FALSE(bench.status().start_time.has_value());
    CHECK(bench.status().failed == 0);
  }
  SECTION("the start time stays without the gate") {
    Quirks quirks = job_profile();
    quirks.set(Quirk::ClearStartOnSuspend, false);
    JobBench bench("completions: 5, suspend: true", quirks);
    bench.job.status.start_time = at(0);
    bench.sync();
    CHECK(bench.status().start_time == at(0));
  }
  SECTION("unmet expectations") {
    JobBench bench("parallelism: 2, completions: 5, suspend: true");
    unsatisfied(bench);
    bench.pods_of(2, PodPhase::Running);
    bench.sync();
    CHECK(bench.deleted().empty());
    CHECK(bench.status().conditions.empty());
  }
  SECTION("more than 500 at once") {
    JobBench bench("parallelism: 600, completions: 600, suspend: true");
    bench.pods_of(600, PodPhase::Running);
    bench.sync();
    CHECK(bench.count<DeletePod>() == 600);
  }
  SECTION("no active pods: the expectations are cleared") {
    JobBench bench("completions: 5, suspend: true");
    bench.sync();
    REQUIRE(bench.controller.expectations().find("default/j") != nullptr);
    CHECK(bench.controller.expectations().find("default/j")->deletions == 0);
  }
  SECTION("resumed") {
    JobBench bench("parallelism: 2, completions: 5");
    condition(bench, "Suspended", "JobSuspended");
    bench.sync();
    CHECK(bench.conditions() == "Suspended=False/JobResumed");
    CHECK(bench.status().conditions[0].message == "Job resumed");
    CHECK(bench.status().start_time == bench.now);
    CHECK(bench.status().active == 2);
    CHECK(bench.events().back() == "Resumed");
  }
  SECTION("never suspended: no condition") {
    JobBench bench("completions: 5");
    bench.sync();
    CHECK(bench.status().conditions.empty());
  }
  SECTION("suspended and being deleted") {
    JobBench bench("parallelism: 2, completions: 5, suspend: true");
    bench.job.meta.deletion = at(0);
    bench.pods_of(2, PodPhase::Running);
    bench.sync();
    CHECK(bench.deleted().empty());
    CHECK(bench.status().conditions.empty());
  }
  SECTION("suspended and complete") {
    JobBench bench("parallelism: 2, completions: 2, suspend: true");
    bench.job.status.start_time = at(0);
    bench.pods_of(2, PodPhase::Succeeded);
    bench.pod(PodPhase::Running);
    bench.sync();
    CHECK(bench.conditions() == "SuccessCriteriaMet=True/CompletionsReached");
    CHECK(bench.status().terminating == 1);
  }
  SECTION("a deadline does not run while suspended") {
    JobBench bench("completions: 5, suspend: true, activeDeadlineSeconds: 10");
    bench.job.status.start_time = at(0);
    CHECK_FALSE(bench.sync().condition.has_value());
    CHECK_FALSE(bench.controller.next_deadline().has_value());
  }
}

// -- 16.4 Deadline ----------------------------------------------------------------------------------------------------

TEST_CASE("spec 16.4: deadlines", "[kubejob]") {
  JobBench bench("completions: 5, activeDeadlineSeconds: 10");
  bench.job.status.start_time = bench.now + seconds(-15);
  bench.pod(PodPhase::Running);
  bench.sync();
  CHECK(bench.deleted() == Strings{"p0"});
  CHECK(bench.conditions() == "FailureTarget=True/DeadlineExceeded");
  CHECK(bench.status().conditions[0].message == "Job was active longer than specified deadline");

  JobBench none("completions: 5, activeDeadlineSeconds: 10");
  none.job.status.start_time = none.now + seconds(-10);
  none.sync();
  CHECK(none.finished() == "Failed");

  JobBench later("completions: 5, activeDeadlineSeconds: 10");
  later.job.status.start_time = later.now + seconds(-4);
  CHECK(later.sync().requeue_at == later.now + seconds(6));

  JobBench ages("completions: 5, activeDeadlineSeconds: 9223372036854775807");
  CHECK_FALSE(ages.sync().condition.has_value());
}

// -- 16.5 Tracking ----------------------------------------------------------------------------------------------------

TEST_CASE("spec 16.5: uncounted pods", "[kubejob]") {
  SECTION("lists, then counters") {
    JobBench bench("parallelism: 1, completions: 9");
    for (const PodPhase phase :
         {PodPhase::Succeeded, PodPhase::Failed, PodPhase::Succeeded, PodPhase::Failed, PodPhase::Failed})
      bench.pod(phase);
    bench.sync();
    REQUIRE(bench.writes().size() == 2);
    CHECK(*bench.writes()[0].uncounted == UncountedPods{{"p0", "p2"}, {"p1", "p3", "p4"}});
    CHECK(bench.writes()[0].succeeded == 0);
    CHECK(bench.status().succeeded == 2);
    CHECK(bench.status().failed == 3);
    CHECK(bench.status().uncounted->empty());
    CHECK(bench.count<RemoveFinalizer>() == 5);
  }
  SECTION("those already listed count, but are not listed again") {
    JobBench bench("parallelism: 1, completions: 3");
    bench.pods_of(2, PodPhase::Succeeded);
    bench.pod(PodPhase::Failed);
    bench.job.status.uncounted = UncountedPods{{"p0"}, {"p2"}};
    const SyncRecord record = bench.sync();
    CHECK(record.succeeded == 2);
    CHECK(record.failed == 1);
    CHECK(*bench.writes()[0].uncounted == UncountedPods{{"p0", "p1"}, {"p2"}});
    CHECK(bench.status().succeeded == 2);
    CHECK(bench.status().failed == 1);
  }
  SECTION("those without finalizer go into the counters first") {
    JobBench bench("parallelism: 1, completions: 9");
    bench.pod(PodPhase::Succeeded).finalizers.clear();
    bench.pod(PodPhase::Succeeded);
    bench.job.status.uncounted = UncountedPods{{"p0", "gone"}, {"gone-too"}};
    bench.sync();
    CHECK(bench.writes()[0].succeeded == 2);
    CHECK(bench.writes()[0].failed == 1);
    CHECK(*bench.writes()[0].uncounted == UncountedPods{{"p1"}, {}});
    CHECK(bench.status().succeeded == 3);
  }
  SECTION("removal under way: ignored") {
    JobBench bench("parallelism: 1, completions: 9");
    bench.pod(PodPhase::Succeeded);
    bench.before_sync = [](Controller& controller) { controller.set_removal_expected("default/j", "p0"); };
    const SyncRecord record = bench.sync();
    CHECK(record.new_succeeded == 0);
    CHECK(record.succeeded == 0);
    CHECK(bench.count<RemoveFinalizer>() == 0);
  }
  SECTION("registered as failed, it stays so") {
    JobBench bench("parallelism: 1, completions: 9");
    bench.pod(PodPhase::Succeeded);
    bench.job.status.uncounted = UncountedPods{{}, {"p0"}};
    bench.sync();
    CHECK(bench.status().failed == 1);
    CHECK(bench.status().succeeded == 0);
  }
}

TEST_CASE("spec 10.4: what fails on the way", "[kubejob]") {
  SECTION("first write: no finalizer is touched, no back-off stored") {
    JobBench bench("parallelism: 1, completions: 9");
    bench.pod(PodPhase::Failed);
    bench.fault = fail<UpdateJobStatus>(ResultCode::Conflict);
    const SyncRecord record = bench.sync();
    CHECK(record.error == "tracking status: adding uncounted pods to status: Conflict");
    CHECK(record.retry_at == bench.now + seconds(1));
    CHECK(bench.count<RemoveFinalizer>() == 0);
    CHECK(bench.controller.backoff("default/j") == nullptr);
    JobBench older("parallelism: 1, completions: 9", job_1_27_profile());
    older.pod(PodPhase::Running);
    older.fault = fail<UpdateJobStatus>(ResultCode::Conflict);
    CHECK(older.sync().error.empty());
    CHECK(older.controller.queue().time_of("default/j") == older.now + seconds(1));
  }
  SECTION("some finalizers: progress is written, the rest is tried again") {
    JobBench bench("parallelism: 1, completions: 9");
    bench.pods_of(3, PodPhase::Succeeded);
    bench.fault = fail_pod<RemoveFinalizer>("p1", ResultCode::Forbidden);
    const SyncRecord record = bench.sync();
    CHECK(record.error == "tracking status: Forbidden");
    CHECK(bench.status().succeeded == 2);
    CHECK(bench.status().uncounted->succeeded == Strings{"p1"});
    CHECK_FALSE(bench.controller.finalizer_expectations().contains("default/j", "p1"));
    CHECK(bench.controller.finalizer_expectations().contains("default/j", "p0"));
    bench.fault = nullptr;
    bench.settle();
    bench.run_for(5);
    CHECK(bench.status().succeeded == 3);
    CHECK(bench.controller.finalizer_expectations().of("default/j").empty());
  }
  SECTION("NotFound counts as removed") {
    JobBench bench("parallelism: 1, completions: 1");
    bench.pod(PodPhase::Succeeded);
    bench.fault = fail<RemoveFinalizer>(ResultCode::NotFound);
    bench.sync();
    CHECK(bench.status().succeeded == 1);
    CHECK(bench.finished() == "Complete");
  }
  SECTION("last write") {
    JobBench bench("parallelism: 1, completions: 1");
    bench.pod(PodPhase::Succeeded);
    bench.fault = fail<UpdateJobStatus>(ResultCode::Timeout, 2);
    CHECK(bench.sync().error == "tracking status: removing uncounted pods from status: Timeout");
    CHECK(bench.finished().empty());
    CHECK(bench.events().empty());
    bench.fault = nullptr;
    bench.settle();
    bench.run_for(5);
    CHECK(bench.finished() == "Complete");
    CHECK(bench.status().succeeded == 1);
  }
  SECTION("SY-19: the manage error is lost behind it") {
    JobBench bench("parallelism: 1, completions: 9");
    bench.fault = [](const EffectBody& body) {
      if (std::holds_alternative<CreatePod>(body)) return ResultCode::Forbidden;
      return std::holds_alternative<UpdateJobStatus>(body) ? ResultCode::Timeout : ResultCode::Ok;
    };
    CHECK(bench.sync().error == "tracking status: adding uncounted pods to status: Timeout");
  }
}

TEST_CASE("a pod that is gone before its finalizer is, while the cache lags behind", "[kubejob]") {
  for (const bool forgotten : {true, false}) {
    CAPTURE(forgotten);
    Quirks quirks = job_profile();
    quirks.set(Quirk::GonePodForgotten, forgotten);
    JobBench bench("parallelism: 1, completions: 9", quirks);
    bench.pod(PodPhase::Failed);
    bench.fault = fail<RemoveFinalizer>(ResultCode::NotFound);
    bench.sync();
    CHECK(bench.status().failed == 1);
    bench.deliver();  // of the job; the pod stands in the cache as it was
    bench.sync();
    CHECK(bench.status().failed == (forgotten ? 2 : 1));
  }
}

TEST_CASE("spec 10.1: 500 at a time", "[kubejob]") {
  SECTION("NonIndexed") {
    JobBench bench("parallelism: 501, completions: 501");
    bench.pods_of(501, PodPhase::Succeeded);
    const SyncRecord record = bench.sync();
    CHECK(record.uncounted_full);
    CHECK(bench.status().succeeded == 500);
    CHECK(bench.conditions() == "SuccessCriteriaMet=True/CompletionsReached");
    bench.settle();
    bench.run_for(3);
    CHECK(bench.finished() == "Complete");
    CHECK(bench.status().succeeded == 501);
  }
  SECTION("Indexed") {
    JobBench bench("completionMode: Indexed, parallelism: 501, completions: 501");
    for (int i = 0; i < 501; ++i) bench.pod(PodPhase::Succeeded, 500 - i);
    bench.sync();
    CHECK(bench.status().completed_indexes == "0-499");
    bench.settle();
    bench.run_for(3);
    CHECK(bench.status().completed_indexes == "0-500");
    CHECK(bench.finished() == "Complete");
  }
}

TEST_CASE("spec 10.1: pods that end with their job", "[kubejob]") {
  struct Case {
    const char* condition;
    bool deleting;
    std::int32_t failed;
  };
  const Case cases[] = {{"FailureTarget", false, 1}, {"SuccessCriteriaMet", false, 0}, {"", true, 0}};
  for (const Case& c : cases) {
    CAPTURE(c.condition, c.deleting);
    JobBench bench("parallelism: 2, completions: 9, podReplacementPolicy: Failed");
    bench.pod(PodPhase::Running);
    if (*c.condition != 0) condition(bench, c.condition, "r");
    if (c.deleting) bench.job.meta.deletion = at(0);
    bench.sync();
    CHECK_FALSE(bench.stored("p0").is_tracked());
    CHECK(bench.status().failed == c.failed);
  }
}

TEST_CASE("spec 10.3, 10.4: terminating pods delay the end", "[kubejob]") {
  for (const bool fails : {true, false}) {
    CAPTURE(fails);
    JobBench bench("parallelism: 2, completions: 1, backoffLimit: 0, podReplacementPolicy: Failed");
    bench.pod(fails ? PodPhase::Failed : PodPhase::Succeeded);
    bench.terminating();
    const SyncRecord record = bench.sync();
    CHECK(record.waits_for_terminating);
    CHECK(bench.finished().empty());
    bench.settle();
    bench.stop_deleted();
    bench.run_for(2);
    CHECK(bench.finished() == (fails ? "Failed" : "Complete"));
  }
}

TEST_CASE("spec 10.2: an index out of order or beyond is dropped from the text", "[kubejob]") {
  JobBench bench("completionMode: Indexed, parallelism: 1, completions: 5");
  bench.job.status.completed_indexes = "3,1,9";
  bench.sync();
  CHECK(bench.status().completed_indexes == "1,3");
  CHECK_FALSE(bench.status().failed_indexes.has_value());
}

// -- 16.6 - 16.8 ------------------------------------------------------------------------------------------------------

TEST_CASE("spec 16.6: failure policy", "[kubejob]") {
  const std::string fail_job =
      "completions: 5, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [5]}}]}";
  SECTION("FailJob ends the job") {
    JobBench bench(fail_job);
    bench.pod(PodPhase::Failed).containers[0].exit_code = 5;
    bench.sync();
    CHECK(bench.finished() == "Failed");
    CHECK(bench.reason() == "PodFailurePolicy");
    CHECK(bench.status().failed == 1);
    CHECK(bench.status().finished()->message ==
          "Container main for pod default/p0 failed with exit code 5 matching FailJob rule at index 0");
  }
  SECTION("the message stays when the pod is gone") {
    JobBench bench(fail_job);
    condition(bench, "FailureTarget", "PodFailurePolicy");
    bench.sync();
    CHECK(bench.reason() == "PodFailurePolicy");
    CHECK(bench.status().finished()->message == "m");
  }
  SECTION("a pod that was accounted for still matches") {
    JobBench bench(fail_job);
    Pod& pod = bench.pod(PodPhase::Failed);
    pod.containers[0].exit_code = 5;
    pod.finalizers.clear();
    CHECK(bench.sync().condition_check == 3);
  }
  SECTION("the oldest pod that matches gives the message") {
    JobBench bench(fail_job);
    for (int i = 0; i < 3; ++i) bench.pod(PodPhase::Failed).containers[0].exit_code = 5;
    bench.pods[2]->meta.creation = at(-900);
    CHECK(bench.sync().condition->message.find("default/p2") != std::string::npos);
  }
  SECTION("a running or terminating pod decides nothing") {
    JobBench bench(fail_job);
    bench.pod(PodPhase::Running).containers.push_back({"main", 0, true, 5, at(0)});
    bench.terminating().containers.push_back({"main", 0, true, 5, at(0)});
    CHECK_FALSE(bench.sync().condition.has_value());
  }
  SECTION("Ignore: not counted, but the next pod waits") {
    JobBench bench(
        "completions: 5, backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: "
        "[{type: DisruptionTarget}]}]}");
    Pod& pod = bench.pod(PodPhase::Failed);
    pod.conditions.push_back({"DisruptionTarget", "True", at(0)});
    pod.containers[0].finished = bench.now + seconds(-3);
    const SyncRecord record = bench.sync();
    CHECK_FALSE(record.condition.has_value());
    CHECK(record.new_failed == 1);
    CHECK(record.failed == 0);
    CHECK(record.manage == ManageStep::BackingOff);
    CHECK(record.requeue_at == bench.now + seconds(7));
    CHECK(bench.status().failed == 0);
    CHECK_FALSE(bench.stored("p0").is_tracked());
    REQUIRE(record.failures.size() == 1);
    CHECK_FALSE(record.failures[0].match.counts());
  }
  SECTION("Count is counted") {
    JobBench bench(
        "completions: 5, backoffLimit: 0, podFailurePolicy: {rules: [{action: Count, onPodConditions: "
        "[{type: DisruptionTarget}]}]}");
    bench.pod(PodPhase::Failed).conditions.push_back({"DisruptionTarget", "True", at(0)});
    CHECK(bench.sync().condition->reason == "BackoffLimitExceeded");
  }
}

TEST_CASE("spec 16.7: success policy", "[kubejob]") {
  const std::string base = "completionMode: Indexed, parallelism: 3, completions: 3, ";
  const std::string leader = base + "successPolicy: {rules: [{succeededIndexes: '0'}]}";
  SECTION("met while others run: these are not failures") {
    JobBench bench(leader);
    bench.pod(PodPhase::Succeeded, 0);
    bench.pod(PodPhase::Running, 1);
    bench.pod(PodPhase::Running, 2);
    bench.sync();
    CHECK(bench.conditions() == "SuccessCriteriaMet=True/SuccessPolicy");
    CHECK(bench.status().conditions[0].message == "Matched rules at index 0");
    CHECK(bench.status().terminating == 2);
    CHECK(bench.deleted().size() == 2);
    bench.settle();
    bench.stop_deleted();
    bench.run_for(2);
    CHECK(bench.reason() == "SuccessPolicy");
    CHECK(bench.status().succeeded == 1);
    CHECK(bench.status().failed == 0);
  }
  SECTION("a failure in the same sync wins") {
    JobBench bench(base + "backoffLimit: 0, successPolicy: {rules: [{succeededIndexes: '0'}]}");
    bench.pod(PodPhase::Succeeded, 0);
    bench.pod(PodPhase::Failed, 1);
    CHECK(bench.sync().condition->reason == "BackoffLimitExceeded");
    JobBench indexes(base +
                     "backoffLimitPerIndex: 0, maxFailedIndexes: 0, successPolicy: {rules: [{succeededCount: 1}]}");
    indexes.pod(PodPhase::Succeeded, 0);
    indexes.pod(PodPhase::Failed, 1);
    CHECK(indexes.sync().condition->reason == "MaxFailedIndexesExceeded");
  }
  SECTION("what is decided stays") {
    JobBench success(base + "backoffLimit: 0, successPolicy: {rules: [{succeededIndexes: '0'}]}");
    condition(success, "SuccessCriteriaMet", "SuccessPolicy");
    success.pod(PodPhase::Failed, 1);
    success.sync();
    CHECK(success.finished() == "Complete");
    JobBench failure(leader);
    condition(failure, "FailureTarget", "DeadlineExceeded");
    failure.pod(PodPhase::Succeeded, 0);
    failure.sync();
    CHECK(failure.finished() == "Failed");
    CHECK(failure.reason() == "DeadlineExceeded");
  }
  SECTION("the older version knows none") {
    JobBench bench(leader, job_1_27_profile());
    bench.pod(PodPhase::Succeeded, 0);
    CHECK_FALSE(bench.sync().condition.has_value());
  }
}

TEST_CASE("spec 16.8: limits per index", "[kubejob]") {
  const std::string base = "completionMode: Indexed, parallelism: 3, completions: 3, ";
  const auto count = [](Pod& pod, const char* failures) {
    pod.meta.annotations[std::string(kFailureCount)] = failures;
  };
  SECTION("within the limit: kept, counted once the replacement exists") {
    JobBench bench(base + "backoffLimitPerIndex: 1");
    bench.pod(PodPhase::Failed, 0);
    bench.pod(PodPhase::Running, 1);
    bench.pod(PodPhase::Running, 2);
    bench.now = at(5);
    SyncRecord record = bench.sync();
    CHECK(bench.status().failed == 0);
    CHECK(bench.stored("p0").is_tracked());
    CHECK(record.manage == ManageStep::BackingOff);
    CHECK(record.requeue_at == at(10));
    CHECK(bench.status().failed_indexes == "");
    bench.run_until(at(10));
    CHECK(bench.names_of(true).size() == 3);
    for (const auto& [key, pod] : bench.store.pods())
      if (pod->phase == PodPhase::Pending) CHECK(pod->meta.annotations.at(std::string(kFailureCount)) == "1");
    bench.run_for(2);
    CHECK(bench.status().failed == 1);
    CHECK_FALSE(bench.stored("p0").is_tracked());
  }
  SECTION("limit 0: failed at the first failure, others go on") {
    JobBench bench(base + "backoffLimitPerIndex: 0");
    bench.pod(PodPhase::Failed, 0);
    bench.pod(PodPhase::Running, 1);
    bench.pod(PodPhase::Running, 2);
    CHECK_FALSE(bench.sync().condition.has_value());
    CHECK(bench.status().failed == 1);
    CHECK(bench.status().failed_indexes == "0");
    CHECK_FALSE(bench.stored("p0").is_tracked());
  }
  SECTION("FailIndex, FailJob, Ignore") {
    JobBench index(base +
                   "backoffLimitPerIndex: 5, podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: "
                   "{operator: In, values: [1]}}]}");
    index.pod(PodPhase::Failed, 2);
    index.sync();
    CHECK(index.status().failed_indexes == "2");
    JobBench job(base +
                 "backoffLimitPerIndex: 5, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: "
                 "{operator: In, values: [1]}}]}");
    job.pod(PodPhase::Failed, 2);
    job.sync();
    CHECK(job.reason() == "PodFailurePolicy");
    JobBench ignore(base +
                    "backoffLimitPerIndex: 0, podFailurePolicy: {rules: [{action: Ignore, onExitCodes: "
                    "{operator: In, values: [1]}}]}");
    ignore.pod(PodPhase::Failed, 2);
    ignore.now = at(7200);
    const SyncRecord record = ignore.sync();
    CHECK(record.indexes == std::vector<std::int32_t>{0, 1, 2});
    CHECK(ignore.status().failed_indexes == "");
    for (const auto& [key, pod] : ignore.store.pods()) {
      if (pod->phase != PodPhase::Pending || pod->hostname != "j-2") continue;
      CHECK(pod->meta.annotations.at(std::string(kFailureCount)) == "0");
      CHECK(pod->meta.annotations.at(std::string(kIgnoredFailureCount)) == "1");
    }
  }
  SECTION("the global limit first") {
    JobBench bench(base + "backoffLimit: 0, backoffLimitPerIndex: 0");
    bench.pod(PodPhase::Failed, 0);
    CHECK(bench.sync().condition->reason == "BackoffLimitExceeded");
  }
  SECTION("all indexes finished, one failed") {
    JobBench bench(base + "backoffLimitPerIndex: 1");
    count(bench.pod(PodPhase::Failed, 1), "1");
    bench.pod(PodPhase::Succeeded, 0);
    bench.pod(PodPhase::Succeeded, 2);
    bench.sync();
    CHECK(bench.reason() == "FailedIndexes");
    CHECK(bench.status().finished()->message == "Job has failed indexes");
    CHECK(bench.status().completed_indexes == "0,2");
    CHECK(bench.status().failed_indexes == "1");
  }
  SECTION("more than maxFailedIndexes: the rest is stopped and counted") {
    JobBench bench(base + "backoffLimitPerIndex: 0, maxFailedIndexes: 0");
    bench.pod(PodPhase::Failed, 1);
    bench.pod(PodPhase::Running, 0);
    bench.pod(PodPhase::Running, 2);
    const SyncRecord record = bench.sync();
    CHECK(record.condition->message == "Job has exceeded the specified maximal number of failed indexes");
    CHECK(bench.deleted().size() == 2);
    CHECK(bench.status().failed == 3);
  }
  SECTION("one index waits, another is free") {
    JobBench bench(base + "backoffLimitPerIndex: 5");
    bench.pod(PodPhase::Failed, 0);
    bench.pod(PodPhase::Running, 1);
    bench.now = at(4);
    const SyncRecord record = bench.sync();
    CHECK(record.indexes == std::vector<std::int32_t>{2});
    CHECK(record.budget.next_retry == at(10));
  }
  SECTION("all wait: the least counts") {
    JobBench bench(base + "backoffLimitPerIndex: 5");
    bench.pod(PodPhase::Failed, 0);
    count(bench.pod(PodPhase::Failed, 1), "2");
    bench.pod(PodPhase::Running, 2);
    bench.now = at(4);
    CHECK(bench.sync().requeue_at == at(10));
  }
  SECTION("of two failed pods of an index the later one is kept") {
    JobBench bench(base + "backoffLimitPerIndex: 5");
    count(bench.pod(PodPhase::Failed, 0), "0");
    Pod& second = bench.pod(PodPhase::Failed, 0);
    count(second, "1");
    second.containers[0].finished = at(3);
    bench.now = at(4);
    bench.sync();
    CHECK_FALSE(bench.stored("p0").is_tracked());
    CHECK(bench.stored("p1").is_tracked());
    CHECK(bench.status().failed == 1);
  }
  SECTION("failed indexes of the status stay") {
    JobBench bench(base + "backoffLimitPerIndex: 0");
    bench.job.status.failed_indexes = "1,9";
    const SyncRecord record = bench.sync();
    CHECK(record.indexes == std::vector<std::int32_t>{0, 2});
    CHECK(bench.status().failed_indexes == "1");
  }
  SECTION("the older version knows none") {
    JobBench bench(base + "backoffLimitPerIndex: 0, backoffLimit: 9", job_1_27_profile());
    bench.pod(PodPhase::Failed, 0);
    bench.sync();
    CHECK_FALSE(bench.status().failed_indexes.has_value());
  }
}

TEST_CASE("spec 16.9: restart counts", "[kubejob]") {
  struct Case {
    const char* name;
    int limit;
    std::vector<int> running, pending, init;
    bool exceeded;
  };
  const Case cases[] = {
      {"limit 0, none", 0, {0}, {}, {}, false},        {"limit 0, one", 0, {1}, {}, {}, true},
      {"limit 1, one", 1, {1}, {}, {}, true},          {"limit 2, one each", 2, {1, 1}, {}, {}, true},
      {"limit 3, one each", 3, {1, 1}, {}, {}, false}, {"pending", 2, {1}, {1}, {}, true},
      {"init containers", 2, {1}, {}, {1}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    JobBench bench("parallelism: 3, completions: 5, backoffLimit: " + std::to_string(c.limit), job_profile(),
                   "OnFailure");
    for (const int restarts : c.running)
      bench.pod(PodPhase::Running).containers.push_back({"main", restarts, false, 0, {}});
    for (const int restarts : c.pending)
      bench.pod(PodPhase::Pending).containers.push_back({"main", restarts, false, 0, {}});
    for (const int restarts : c.init)
      bench.pod(PodPhase::Pending).init_containers.push_back({"i", restarts, false, 0, {}});
    const SyncRecord record = bench.sync();
    CHECK(record.condition.has_value() == c.exceeded);
    if (record.condition) CHECK(record.condition->reason == "BackoffLimitExceeded");
    CHECK(record.budget.counts_restarts);
  }
  JobBench never("parallelism: 3, completions: 5, backoffLimit: 0");
  never.pod(PodPhase::Running).containers.push_back({"main", 9, false, 0, {}});
  CHECK_FALSE(never.sync().condition.has_value());
  for (const int failures : {6, 7}) {
    JobBench bench("completions: 9, backoffLimit: 6");
    bench.pods_of(failures, PodPhase::Failed);
    CHECK(bench.sync().condition.has_value() == (failures == 7));
  }
}

// -- 15: the older version --------------------------------------------------------------------------------------------

TEST_CASE("spec 15: the older version ends a job at once", "[kubejob]") {
  JobBench complete("completions: 1", job_1_27_profile());
  complete.pod(PodPhase::Succeeded);
  complete.sync();
  CHECK(complete.conditions() == "Complete=True/");
  CHECK_FALSE(complete.status().terminating.has_value());

  JobBench failed("parallelism: 2, completions: 2, backoffLimit: 0", job_1_27_profile());
  failed.pod(PodPhase::Failed);
  failed.pod(PodPhase::Running);
  failed.sync();
  CHECK(failed.conditions() == "Failed=True/BackoffLimitExceeded");
  CHECK(failed.stored("p1").meta.deletion.has_value());  // its pod is still terminating

  JobBench policy(
      "completions: 2, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: "
      "[1]}}]}",
      job_1_27_profile());
  policy.pod(PodPhase::Failed);
  policy.sync();
  CHECK(policy.conditions() == "FailureTarget=True/PodFailurePolicy Failed=True/PodFailurePolicy");
}

TEST_CASE("spec 15: the older version errs to be tried again", "[kubejob]") {
  JobBench bench("completions: 2", job_1_27_profile());
  bench.pod(PodPhase::Failed);
  const SyncRecord record = bench.sync();
  CHECK(record.error == "failed pod(s) detected for job key \"default/j\"");
  CHECK(record.outcome == SyncOutcome::Failed);
  CHECK(bench.status().failed == 1);
}

TEST_CASE("spec 15: the older version expects creations before it chooses", "[kubejob]") {
  // Index 0 is taken by a success that the status knows, so of two wanted only one is pending.
  const std::string spec = "completionMode: Indexed, parallelism: 2, completions: 2";
  for (const bool older : {false, true}) {
    CAPTURE(older);
    Quirks quirks = job_profile();
    quirks.set(Quirk::ExpectBeforeChoosing, older);
    JobBench bench("completionMode: Indexed, parallelism: 3, completions: 3, backoffLimitPerIndex: 0", quirks);
    bench.job.status.failed_indexes = "1";
    CHECK(bench.sync().created == 2);
    CHECK(bench.controller.expectations().find("default/j")->creations == (older ? 3 : 2));
  }
}

TEST_CASE("spec 15: the older version compares indexes with the merged list", "[kubejob]") {
  JobBench bench("completionMode: Indexed, parallelism: 2, completions: 4", job_1_27_profile());
  for (const int index : {0, 0, 1}) bench.pod(PodPhase::Succeeded, index);
  bench.sync();
  CHECK(bench.status().completed_indexes == "0,1");
}

// -- records ----------------------------------------------------------------------------------------------------------

TEST_CASE("a sync tells its budget and its reasons in a sentence", "[kubejob]") {
  JobBench bench("parallelism: 1, completions: 1");
  bench.pod(PodPhase::Failed).containers[0].finished = bench.now;
  const SyncRecord record = bench.sync();
  CHECK(record.budget.failures == 1);
  CHECK(record.budget.limit == 6);
  CHECK(record.budget.retries_left == 5);
  CHECK(sentence(record) ==
        "Job default/j: pod p0 failed: counted, there is no podFailurePolicy; the next pod may start in 10s; 1 failure "
        "of "
        "backoffLimit 6 used, 5 retries left.");
  JobBench ends("backoffLimit: 0, completions: 1");
  ends.pod(PodPhase::Failed);
  CHECK(
      sentence(ends.sync()) ==
      "Job default/j: pod p0 failed: counted, there is no podFailurePolicy; the job is to fail (BackoffLimitExceeded: "
      "Job has reached the specified backoff limit); the job is Failed.");
  JobBench done("completions: 1");
  done.pod(PodPhase::Succeeded);
  CHECK(sentence(done.sync()) ==
        "Job default/j: 1 pod succeeded; the job is to complete (CompletionsReached: Reached expected number of "
        "succeeded "
        "pods); 0 pods active, as many as wanted; the job is Complete.");
}

TEST_CASE("every record has a sentence", "[kubejob]") {
  JobBench bench(
      "parallelism: 3, completions: 6, ttlSecondsAfterFinished: 5, podFailurePolicy: {rules: [{action: Ignore, "
      "onExitCodes: {operator: In, values: [3]}}, {action: Count, onPodConditions: [{type: A}]}]}");
  bench.settle();
  bench.run_for(2);
  bench.report_all(PodPhase::Failed, 3);
  bench.run_for(60);
  bench.report_all(PodPhase::Succeeded);
  bench.run_for(5);
  bench.change_spec([](JobSpec& spec) { spec.suspend = true; });
  bench.run_for(5);
  bench.store.remove_job("default/j");
  bench.settle();
  CHECK(bench.output.trace.size() > 20);
  for (const Record& record : bench.output.trace) {
    const std::string text = sentence(record);
    CAPTURE(text);
    CHECK(text.ends_with("."));
    CHECK(text.size() > 10);
    CHECK(text.find("{}") == std::string::npos);
  }
}

TEST_CASE("without a trace the effects are the same", "[kubejob]") {
  JobBench with("completionMode: Indexed, parallelism: 3, completions: 5");
  JobBench without("completionMode: Indexed, parallelism: 3, completions: 5");
  without.controller = Controller({.quirks = job_profile(), .trace = false});
  for (JobBench* bench : {&with, &without}) {
    bench->settle();
    bench->run_for(5);
    bench->report_all(PodPhase::Succeeded);
    bench->run_for(5);
    bench->report_all(PodPhase::Failed, 1);
    bench->run_for(60);
  }
  CHECK(without.output.trace.empty());
  CHECK(with.status() == without.status());
  CHECK(with.effects.size() == without.effects.size());
}

}  // namespace
}  // namespace pumice::kubejob
