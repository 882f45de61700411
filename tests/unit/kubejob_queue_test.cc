// Queue, expectations, callbacks, orphans, TTL (spec/k8s-job.md 3, 12, 13, 16.10).
#include <catch2/catch_test_macros.hpp>

#include "pumice/kubejob/delay_queue.h"
#include "pumice/kubejob/expectations.h"
#include "pumice/kubejob/ttl.h"
#include "support/kubejob_bench.h"

namespace pumice::kubejob {
namespace {

using test::JobBench;
using test::kubejob_from;

Time at(std::int64_t second) { return JobBench::at(second); }

TEST_CASE("Q-1: keys are unique, and come back after processing", "[kubejob]") {
  DelayQueue queue(seconds(1), seconds(60));
  queue.add("a");
  queue.add("a");
  queue.add("b");
  CHECK(queue.take() == "a");
  queue.add("a");
  queue.add("a");
  CHECK(queue.take() == "b");
  CHECK_FALSE(queue.take().has_value());  // `a` is still being processed
  queue.done("a");
  queue.done("b");
  CHECK(queue.take() == "a");
  CHECK_FALSE(queue.has_due());
}

TEST_CASE("Q-2: of two times the earlier wins", "[kubejob]") {
  DelayQueue queue(seconds(1), seconds(60));
  queue.add_after("a", seconds(5), at(0));
  queue.add_after("a", seconds(9), at(0));
  CHECK(queue.time_of("a") == at(5));
  queue.add_after("a", seconds(2), at(1));
  CHECK(queue.next_time() == at(3));
  queue.advance(at(2));
  CHECK_FALSE(queue.has_due());
  queue.advance(at(3));
  CHECK(queue.take() == "a");
  CHECK_FALSE(queue.next_time().has_value());
  queue.add_after("b", {}, at(3));
  queue.add_after("c", seconds(-7), at(3));
  CHECK(queue.take() == "b");
  CHECK(queue.take() == "c");
}

TEST_CASE("Q-3: the delay doubles with each failure in a row", "[kubejob]") {
  DelayQueue queue(seconds(1), seconds(60));
  for (const std::int64_t want : {1, 2, 4, 8, 16, 32, 60, 60})
    CHECK(queue.add_rate_limited("a", at(0)) == seconds(want));
  CHECK(queue.failures("a") == 8);
  queue.forget("a");
  CHECK(queue.add_rate_limited("a", at(0)) == seconds(1));
}

TEST_CASE("E-1 to E-3: expectations", "[kubejob]") {
  Expectations expectations;
  CHECK(expectations.satisfied("k", at(0)));
  expectations.creation_observed("k");  // without a record nothing happens
  CHECK(expectations.find("k") == nullptr);
  expectations.expect_creations("k", 2, at(0));
  CHECK_FALSE(expectations.satisfied("k", at(0)));
  expectations.creation_observed("k");
  expectations.deletion_observed("k");
  CHECK(*expectations.find("k") == Expectation{1, -1, at(0)});
  expectations.creation_observed("k");
  CHECK(expectations.satisfied("k", at(0)));
  expectations.expect_deletions("k", 3, at(10));
  CHECK(*expectations.find("k") == Expectation{0, 3, at(10)});
  CHECK_FALSE(expectations.satisfied("k", at(310)));  // strictly older
  CHECK(expectations.satisfied("k", Time{at(310).ns + 1}));
  expectations.expect_deletions("k", 0, at(20));
  CHECK(expectations.satisfied("k", at(20)));
}

TEST_CASE("E-4: removals that are expected", "[kubejob]") {
  FinalizerExpectations expected;
  expected.expect_removal("k", "a");
  expected.expect_removal("k", "b");
  CHECK(expected.contains("k", "a"));
  expected.removal_observed("k", "a");
  expected.removal_observed("k", "no-such");
  CHECK(expected.of("k").size() == 1);
  CHECK_FALSE(expected.contains("other", "b"));
  expected.removal_observed("k", "b");
  CHECK(expected.of("k").empty());
  expected.expect_removal("k", "c");
  expected.erase("k");
  CHECK_FALSE(expected.contains("k", "c"));
}

/// A controller that knows one job `j`, whose first sync is over.
class Watcher {
 public:
  explicit Watcher(Quirks quirks = job_profile(), const std::string& spec = "completions: 1")
      : controller({.quirks = quirks, .trace = true}), job(std::make_shared<Job>(kubejob_from(spec))) {
    see(JobAdded{job});
    drain();
  }
  void drain() {
    while (controller.has_work()) {
      controller.step({now, Work{}}, output);
      while (controller.waiting_for_results()) {
        EffectResults answers;
        for (const Effect& effect : output.effects)
          if (effect.id != 0) answers.results.push_back({effect.id, ResultCode::Timeout, "", nullptr, nullptr});
        effects.insert(effects.end(), output.effects.begin(), output.effects.end());
        output.effects.clear();
        controller.step({now, std::move(answers)}, output);
      }
    }
  }
  ObserveRecord see(Observation observation) {
    output.trace.clear();
    controller.step({now, std::move(observation)}, output);
    return std::get<ObserveRecord>(output.trace.back());
  }
  static Pod pod(bool tracked = true) {
    Pod made;
    made.meta.ns = "default";
    made.meta.name = made.meta.uid = "p";
    made.meta.resource_version = 1;
    made.meta.owners.push_back({"batch/v1", "Job", "j", "j-uid", true});
    if (tracked) made.finalizers.emplace_back(kTrackingFinalizer);
    return made;
  }
  static PodPtr make(Pod made) { return std::make_shared<const Pod>(std::move(made)); }
  /// `change` is made to the second version.
  template <class Change>
  ObserveRecord update(Pod before, Change change) {
    Pod after = before;
    ++after.meta.resource_version;
    change(after);
    return see(PodUpdated{make(std::move(before)), make(std::move(after))});
  }
  [[nodiscard]] Expectation expectation() const {
    const Expectation* found = controller.expectations().find("default/j");
    return found == nullptr ? Expectation{} : *found;
  }
  void expect(std::int64_t creations, std::int64_t deletions) {
    controller.set_expectation("default/j", {creations, deletions, now});
  }
  [[nodiscard]] bool orphan_waits() {
    output.trace.clear();
    drain();
    for (const Record& record : output.trace)
      if (std::holds_alternative<OrphanRecord>(record)) return true;
    return false;
  }

  Time now = at(0);
  Controller controller;
  std::shared_ptr<Job> job;
  Output output;
  std::vector<Effect> effects;
};

TEST_CASE("spec 3.3: job callbacks", "[kubejob]") {
  Watcher watcher;
  Job changed = *watcher.job;
  changed.generation = 2;
  ObserveRecord seen = watcher.see(JobUpdated{watcher.job, std::make_shared<const Job>(changed)});
  CHECK(seen.outcome == ObserveOutcome::Queued);
  CHECK(seen.jobs == std::vector<std::string>{"default/j"});
  Job status = changed;
  status.status.active = 1;
  seen = watcher.see(JobUpdated{std::make_shared<const Job>(changed), std::make_shared<const Job>(status)});
  CHECK(seen.outcome == ObserveOutcome::Batched);
  CHECK(seen.delay == seconds(1));

  Job finished = status;
  finished.generation = 3;
  finished.status.conditions.push_back({"Complete", "True", {}, at(0), "", ""});
  Watcher other;
  seen = other.see(JobUpdated{other.job, std::make_shared<const Job>(finished)});
  CHECK(seen.outcome == ObserveOutcome::JobFinished);
  CHECK(seen.jobs.empty());
  CHECK(other.orphan_waits());

  Watcher gone;
  gone.controller.set_backoff("default/j", {3, at(0)});
  seen = gone.see(JobDeleted{gone.job});
  CHECK(seen.outcome == ObserveOutcome::Queued);
  CHECK(gone.controller.backoff("default/j") == nullptr);
  CHECK(gone.orphan_waits());

  Watcher older(job_1_27_profile());
  seen = older.see(JobUpdated{older.job, std::make_shared<const Job>(status)});
  CHECK(seen.outcome == ObserveOutcome::Queued);
}

TEST_CASE("spec 3.3: a changed deadline sets a timer for the difference", "[kubejob]") {
  struct Case {
    std::optional<std::int64_t> before, after;
    std::optional<Time> timer;
  };
  const Case cases[] = {{std::nullopt, 130, at(30)},
                        {130, 160, at(60)},
                        {130, 130, std::nullopt},
                        {130, std::nullopt, std::nullopt},
                        {130, 50, std::nullopt}};  // passed already: at once
  for (const Case& c : cases) {
    CAPTURE(c.before.value_or(-1), c.after.value_or(-1));
    Watcher watcher(job_profile(), "completions: 1, managedBy: example.com/other");
    const auto version = [&](std::int64_t generation, std::optional<std::int64_t> deadline) {
      Job job = *watcher.job;
      job.generation = generation;  // of another generation: at once, so that the batch hides no timer
      job.status.start_time = at(-100);
      JobSpec spec = *job.spec;
      spec.active_deadline_seconds = deadline;
      job.spec = std::make_shared<const JobSpec>(spec);
      return std::make_shared<const Job>(job);
    };
    watcher.see(JobUpdated{version(1, c.before), version(2, c.after)});
    CHECK(watcher.controller.queue().time_of("default/j") == c.timer);
    CHECK(watcher.controller.has_work());
  }
}

TEST_CASE("CB-1, CB-2, CB-3: a pod appears", "[kubejob]") {
  SECTION("CB-1: it is being deleted already") {
    Watcher watcher;
    watcher.expect(1, 1);
    Pod pod = Watcher::pod();
    pod.meta.deletion = at(0);
    CHECK(watcher.see(PodAdded{Watcher::make(pod)}).outcome == ObserveOutcome::Batched);
    CHECK(watcher.expectation() == Expectation{1, 0, at(0)});
  }
  SECTION("CB-2: of the job") {
    Watcher watcher;
    watcher.expect(2, 1);
    const ObserveRecord seen = watcher.see(PodAdded{Watcher::make(Watcher::pod())});
    CHECK(seen.outcome == ObserveOutcome::Batched);
    CHECK(seen.delay == seconds(1));
    CHECK(watcher.expectation() == Expectation{1, 1, at(0)});
    CHECK_FALSE(watcher.controller.has_work());  // CB-25
  }
  SECTION("CB-2: of a job that is not known, or of another kind") {
    Watcher watcher;
    watcher.expect(2, 0);
    for (const auto& [kind, name, uid] :
         {std::tuple("CronJob", "j", "j-uid"), {"Job", "k", "j-uid"}, {"Job", "j", "other"}}) {
      CAPTURE(kind, name, uid);
      Pod pod = Watcher::pod();
      pod.meta.owners[0].kind = kind;
      pod.meta.owners[0].name = name;
      pod.meta.owners[0].uid = uid;
      CHECK(watcher.see(PodAdded{Watcher::make(pod)}).outcome == ObserveOutcome::JobUnknown);
    }
    CHECK(watcher.expectation() == Expectation{2, 0, at(0)});
  }
  SECTION("resolve does not compare the API group") {
    Watcher watcher;
    Pod pod = Watcher::pod();
    pod.meta.owners[0].api_version = "batch.example.com/v1";
    CHECK(watcher.see(PodAdded{Watcher::make(pod)}).outcome == ObserveOutcome::Batched);
  }
  SECTION("CB-3: without controller") {
    Watcher watcher;
    watcher.expect(2, 0);
    Pod pod = Watcher::pod();
    pod.meta.owners.clear();
    pod.meta.labels = watcher.job->spec->selector->match_labels;
    CHECK(watcher.see(PodAdded{Watcher::make(pod)}).jobs == std::vector<std::string>{"default/j"});
    CHECK(watcher.expectation() == Expectation{2, 0, at(0)});
    CHECK(watcher.orphan_waits());
    pod.meta.labels.clear();
    CHECK(watcher.see(PodAdded{Watcher::make(pod)}).outcome == ObserveOutcome::NobodyMatches);
  }
}

TEST_CASE("CB-10 to CB-14: a pod changes", "[kubejob]") {
  const auto removal_expected = [](Watcher& watcher) {
    return watcher.controller.finalizer_expectations().contains("default/j", "p");
  };
  SECTION("CB-10: nothing new") {
    Watcher watcher;
    const PodPtr pod = Watcher::make(Watcher::pod());
    CHECK(watcher.see(PodUpdated{pod, pod}).outcome == ObserveOutcome::SameResourceVersion);
  }
  SECTION("CB-11: being deleted; CB-23: twice") {
    Watcher watcher;
    watcher.expect(0, 2);
    watcher.update(Watcher::pod(), [](Pod& pod) { pod.meta.deletion = at(0); });
    CHECK(watcher.expectation().deletions == 1);
    Pod gone = Watcher::pod();
    gone.meta.deletion = at(0);
    watcher.see(PodDeleted{Watcher::make(gone)});
    CHECK(watcher.expectation().deletions == 0);

    Quirks once = job_profile();
    once.set(Quirk::DeletionSeenTwice, false);
    Watcher fixed(once);
    fixed.expect(0, 2);
    fixed.update(Watcher::pod(), [](Pod& pod) { pod.meta.deletion = at(0); });
    fixed.update(gone, [](Pod& pod) { pod.finalizers.clear(); });
    fixed.see(PodDeleted{Watcher::make(gone)});
    CHECK(fixed.expectation().deletions == 1);
  }
  SECTION("CB-12: another controller; both jobs wake") {
    Watcher watcher;
    Job other = *watcher.job;
    other.meta.name = "k";
    other.meta.uid = "k-uid";
    watcher.see(JobAdded{std::make_shared<const Job>(other)});
    watcher.drain();
    watcher.controller.set_removal_expected("default/j", "p");
    ObserveRecord seen = watcher.update(Watcher::pod(), [](Pod& pod) {
      pod.meta.owners[0].name = "k";
      pod.meta.owners[0].uid = "k-uid";
    });
    CHECK(seen.jobs == std::vector<std::string>{"default/j", "default/k"});
    CHECK(removal_expected(watcher));  // the finalizer is still there
    watcher.update(Watcher::pod(), [](Pod& pod) {
      pod.meta.owners.clear();
      pod.finalizers.clear();
    });
    CHECK_FALSE(removal_expected(watcher));
  }
  SECTION("CB-13, CB-24: only the pod as it is now matters") {
    Watcher watcher;
    watcher.controller.set_removal_expected("default/j", "p");
    watcher.update(Watcher::pod(), [](Pod& pod) { pod.phase = PodPhase::Failed; });
    CHECK(removal_expected(watcher));
    watcher.update(Watcher::pod(false), [](Pod& pod) { pod.phase = PodPhase::Failed; });
    CHECK_FALSE(removal_expected(watcher));
  }
  SECTION("a removal that is expected outlives the deletion timestamp") {
    Watcher watcher;
    watcher.controller.set_removal_expected("default/j", "p");
    watcher.update(Watcher::pod(), [](Pod& pod) { pod.meta.deletion = at(0); });
    CHECK(removal_expected(watcher));
    watcher.update(Watcher::pod(), [](Pod& pod) {
      pod.meta.deletion = at(0);
      pod.finalizers.clear();
    });
    CHECK_FALSE(removal_expected(watcher));
  }
  SECTION("CB-14: an orphan") {
    Watcher watcher;
    Pod orphan = Watcher::pod();
    orphan.meta.owners.clear();
    CHECK(watcher.update(orphan, [](Pod& pod) { pod.phase = PodPhase::Running; }).outcome ==
          ObserveOutcome::OrphanQueued);
    CHECK(watcher.orphan_waits());
    CHECK(watcher.update(orphan, [&](Pod& pod) { pod.meta.labels = watcher.job->spec->selector->match_labels; })
              .jobs.size() == 1);
    CHECK(watcher.update(Watcher::pod(), [](Pod& pod) { pod.meta.owners.clear(); }).jobs ==
          std::vector<std::string>{"default/j"});  // released: the old owner looks again
  }
}

TEST_CASE("CB-20 to CB-22: a pod goes", "[kubejob]") {
  SECTION("CB-20: no controller") {
    Watcher watcher;
    watcher.expect(0, 1);
    Pod pod = Watcher::pod();
    pod.meta.owners.clear();
    CHECK(watcher.see(PodDeleted{Watcher::make(pod)}).outcome == ObserveOutcome::OrphanQueued);
    CHECK(watcher.expectation().deletions == 1);
  }
  SECTION("CB-21: the job is unknown or finished") {
    Watcher watcher;
    watcher.expect(0, 1);
    Pod pod = Watcher::pod();
    pod.meta.owners[0].uid = "other";
    CHECK(watcher.see(PodDeleted{Watcher::make(pod)}).outcome == ObserveOutcome::JobUnknown);
    Job finished = *watcher.job;
    finished.status.conditions.push_back({"Failed", "True", {}, at(0), "", ""});
    watcher.see(JobUpdated{watcher.job, std::make_shared<const Job>(finished)});
    CHECK(watcher.see(PodDeleted{Watcher::make(Watcher::pod())}).outcome == ObserveOutcome::JobFinished);
    CHECK(watcher.expectation().deletions == 1);
  }
  SECTION("CB-22: otherwise") {
    Watcher watcher;
    watcher.expect(0, 1);
    watcher.controller.set_removal_expected("default/j", "p");
    CHECK(watcher.see(PodDeleted{Watcher::make(Watcher::pod())}).outcome == ObserveOutcome::Batched);
    CHECK(watcher.expectation().deletions == 0);
    CHECK_FALSE(watcher.controller.finalizer_expectations().contains("default/j", "p"));
  }
}

TEST_CASE("spec 15: a failing pod of the older version delays its job", "[kubejob]") {
  Watcher watcher(job_1_27_profile());
  const ObserveRecord seen = watcher.update(Watcher::pod(), [](Pod& pod) { pod.phase = PodPhase::Failed; });
  CHECK(seen.delay == seconds(20));  // the first sync failed once: 10 s · 2^1
  CHECK(watcher.update(Watcher::pod(), [](Pod& pod) { pod.phase = PodPhase::Running; }).delay == seconds(1));
}

TEST_CASE("spec 12: whose finalizer the orphan worker takes off", "[kubejob]") {
  struct Case {
    const char* name;
    const char* kind;
    const char* api_version;
    const char* uid;
    bool controller;
    const char* state;  // of job `j`
    bool removed;
  };
  const Case cases[] = {
      {"running job", "Job", "batch/v1", "j-uid", true, "running", false},
      {"finished job", "Job", "batch/v1", "j-uid", true, "finished", true},
      {"missing job", "Job", "batch/v1", "j-uid", true, "missing", true},
      {"other uid", "Job", "batch/v1", "other", true, "running", true},
      {"managed by another", "Job", "batch/v1", "j-uid", true, "managed", false},
      {"CronJob", "CronJob", "batch/v1", "j-uid", true, "missing", false},
      {"another group's Job", "Job", "batch.example.com/v1", "j-uid", true, "missing", false},
      {"not its controller", "Job", "batch/v1", "j-uid", false, "running", true},
  };
  for (const bool older : {false, true}) {
    for (const Case& c : cases) {
      CAPTURE(c.name, older);
      JobBench bench("completions: 1, suspend: true", older ? job_1_27_profile() : job_profile());
      const std::string state = c.state;
      if (state == "finished") bench.job.status.conditions.push_back({"Complete", "True", {}, at(0), "", ""});
      if (state == "managed") {
        JobSpec spec = *bench.job.spec;
        spec.managed_by = "example.com/other";
        bench.job.spec = std::make_shared<const JobSpec>(spec);
      }
      bench.settle();
      // It appears without owner, so it is looked at by name; by then it has one.
      Pod pod = Watcher::pod();
      pod.meta.owners.clear();
      bench.store.put_pod(pod);
      bench.deliver();
      if (state == "missing") bench.store.remove_job("default/j");
      bench.deliver();
      Pod owned = bench.stored("p");
      owned.meta.owners.push_back({c.api_version, c.kind, "j", c.uid, c.controller});
      bench.store.update_pod(owned);
      bench.deliver();
      bench.effects.clear();
      bench.settle();
      const bool gone = !bench.stored("p").is_tracked();
      // The older worker looks neither at the API version nor at managedBy; a running job named `j` exists for both.
      const std::string name = c.name;
      const bool lax_differs = older && name == "another group's Job";
      CHECK(gone == (lax_differs ? true : c.removed));
    }
  }
}

TEST_CASE("spec 12: a deleted job frees its pods through the selector", "[kubejob]") {
  JobBench bench("completions: 3");
  bench.settle();
  bench.run_for(5);
  for (const std::string& name : bench.names_of(true)) CHECK(bench.stored(name).is_tracked());
  bench.store.remove_job("default/j");
  bench.effects.clear();
  bench.settle();
  for (const auto& [key, pod] : bench.store.pods()) CHECK_FALSE(pod->is_tracked());
  CHECK(bench.count<RemoveFinalizer>() == 1);  // parallelism 1
  CHECK_FALSE(bench.controller.finalizer_expectations().contains("default/j", "pod-1"));
}

TEST_CASE("spec 12: what could not be freed is tried again by name", "[kubejob]") {
  JobBench bench("parallelism: 3, completions: 3");
  bench.settle();
  bench.run_for(5);
  bench.fault = [fails = 2](const EffectBody& body) mutable {
    if (!std::holds_alternative<RemoveFinalizer>(body) || fails == 0) return ResultCode::Ok;
    --fails;
    return ResultCode::Timeout;
  };
  bench.store.remove_job("default/j");
  bench.settle();
  std::int64_t left = 0;
  for (const auto& [key, pod] : bench.store.pods()) left += pod->is_tracked() ? 1 : 0;
  CHECK(left == 2);
  bench.run_for(1);
  for (const auto& [key, pod] : bench.store.pods()) CHECK_FALSE(pod->is_tracked());
}

TEST_CASE("spec 16.10: several pod events within a second are one sync", "[kubejob]") {
  JobBench bench("parallelism: 3, completions: 3");
  bench.settle();
  bench.run_for(10);
  bench.output.trace.clear();
  bench.report_all(PodPhase::Running);
  CHECK(bench.syncs().empty());
  bench.run_for(1);
  CHECK(bench.syncs().size() == 1);
}

class TtlBench {
 public:
  explicit TtlBench(std::optional<std::int32_t> ttl) {
    Job job = kubejob_from("completions: 1");
    JobSpec spec = *job.spec;
    spec.ttl_seconds_after_finished = ttl;
    job.spec = std::make_shared<const JobSpec>(spec);
    job.status.conditions.push_back({"Complete", "True", {}, at(0), "", ""});
    store.put_job(job);
  }
  TtlOutcome run() {
    while (auto seen = store.take_notification()) controller.step({now, *std::move(seen)}, output);
    controller.step({now, Tick{}}, output);
    output.trace.clear();
    while (controller.has_work()) {
      controller.step({now, Work{}}, output);
      while (!output.effects.empty()) {
        EffectResults answers;
        for (const Effect& effect : output.effects) {
          EffectResult answer{effect.id, fault, "", nullptr, nullptr};
          if (fault == ResultCode::Ok) answer = *store.execute(effect, now);
          answers.results.push_back(std::move(answer));
        }
        output.effects.clear();
        controller.step({now, std::move(answers)}, output);
      }
    }
    if (output.trace.empty()) return TtlOutcome::NotEligible;
    return std::get<TtlRecord>(output.trace.back()).outcome;
  }
  [[nodiscard]] bool deleted() const { return store.jobs().at("default/j")->meta.deletion.has_value(); }

  Time now = at(10);
  TtlController controller;
  Store store;
  Output output;
  ResultCode fault = ResultCode::Ok;
};

TEST_CASE("spec 13: time to live after the end", "[kubejob]") {
  SECTION("not over yet, then over") {
    TtlBench bench(60);
    CHECK(bench.run() == TtlOutcome::TooEarly);
    CHECK(bench.controller.next_deadline() == at(60));
    bench.now = at(60);
    CHECK(bench.run() == TtlOutcome::Deleted);
    CHECK(bench.deleted());
    CHECK(bench.store.jobs().at("default/j")->finalizers == std::vector<std::string>{"foregroundDeletion"});
  }
  SECTION("0 deletes at once") {
    TtlBench bench(0);
    CHECK(bench.run() == TtlOutcome::Deleted);
  }
  SECTION("not set") {
    TtlBench bench(std::nullopt);
    CHECK(bench.run() == TtlOutcome::NotEligible);
    CHECK_FALSE(bench.deleted());
  }
  SECTION("the cache is too old to delete by") {
    TtlBench bench(0);
    while (auto seen = bench.store.take_notification())
      bench.controller.step({bench.now, *std::move(seen)}, bench.output);
    Job longer = *bench.store.jobs().at("default/j");
    JobSpec spec = *longer.spec;
    spec.ttl_seconds_after_finished = 1000;
    longer.spec = std::make_shared<const JobSpec>(spec);
    bench.store.update_job(longer);
    (void)bench.store.take_notification();
    CHECK(bench.run() == TtlOutcome::TooEarly);
    CHECK_FALSE(bench.deleted());
  }
  SECTION("it is gone meanwhile") {
    TtlBench bench(0);
    while (auto seen = bench.store.take_notification())
      bench.controller.step({bench.now, *std::move(seen)}, bench.output);
    bench.store.remove_job("default/j");
    (void)bench.store.take_notification();
    CHECK(bench.run() == TtlOutcome::Gone);
  }
  SECTION("an error is retried after 5 ms, 10 ms …") {
    TtlBench bench(0);
    bench.fault = ResultCode::Timeout;
    CHECK(bench.run() == TtlOutcome::Failed);
    CHECK(bench.controller.next_deadline() == bench.now + Duration{5 * kMillisecond.ns});
    bench.now = *bench.controller.next_deadline();
    CHECK(bench.run() == TtlOutcome::Failed);
    CHECK(bench.controller.next_deadline() == bench.now + Duration{10 * kMillisecond.ns});
    bench.fault = ResultCode::Ok;
    bench.now = *bench.controller.next_deadline();
    CHECK(bench.run() == TtlOutcome::Deleted);
  }
  SECTION("a finish without a time is an error") {
    TtlBench bench(0);
    Job odd = *bench.store.jobs().at("default/j");
    odd.status.conditions[0].last_transition.reset();
    bench.store.update_job(odd);
    CHECK(bench.run() == TtlOutcome::Failed);
  }
  SECTION("a finish in the future is only noted") {
    TtlBench bench(0);
    bench.now = at(-5);
    CHECK(bench.run() == TtlOutcome::TooEarly);
    CHECK(std::get<TtlRecord>(bench.output.trace.back()).finished_in_future);
  }
}

}  // namespace
}  // namespace pumice::kubejob
