// The registry of delayed actions: registration, cancel table, clean-up, expiry (spec/volcano-job.md 6).
#include "pumice/volcano/delayed.h"

#include <catch2/catch_test_macros.hpp>

using namespace pumice;
using namespace pumice::volcano;

namespace {

Request request_of(Event event, std::string pod = "j-w-0", std::string uid = "u0") {
  Request request;
  request.ns = "default";
  request.job_name = "j";
  request.task_name = "w";
  request.pod_name = std::move(pod);
  request.pod_uid = std::move(uid);
  request.event = event;
  return request;
}

DelayedAction delayed(Event event, Action action, Duration delay, std::string pod = "j-w-0", std::string uid = "u0") {
  DelayedAction entry;
  entry.request = request_of(event, std::move(pod), std::move(uid));
  entry.action = action;
  entry.target = target_for(action, entry.request);
  entry.delay = delay;
  return entry;
}

constexpr Time kNow{1'000'000'000'000};

}  // namespace

TEST_CASE("cancel table of spec 6.3") {
  struct Case {
    Event stored;
    bool same_uid;
    Event incoming;
    bool cancels;
  };
  constexpr Case kCases[] = {
      {Event::PodPending, true, Event::PodPending, false},    {Event::PodPending, false, Event::PodPending, false},
      {Event::PodFailed, true, Event::PodPending, false},     {Event::PodEvicted, true, Event::PodPending, false},
      {Event::PodPending, true, Event::PodRunning, true},     {Event::PodPending, false, Event::PodRunning, false},
      {Event::PodFailed, true, Event::PodRunning, true},      {Event::PodFailed, false, Event::PodRunning, true},
      {Event::PodEvicted, true, Event::PodRunning, true},     {Event::PodEvicted, false, Event::PodRunning, true},
      {Event::TaskFailed, true, Event::PodRunning, false},    {Event::TaskCompleted, true, Event::PodRunning, false},
      {Event::Unknown, true, Event::PodRunning, false},       {Event::PodPending, true, Event::PodFailed, true},
      {Event::PodPending, false, Event::PodFailed, false},    {Event::PodFailed, true, Event::PodFailed, false},
      {Event::PodEvicted, true, Event::PodFailed, false},     {Event::TaskFailed, true, Event::PodFailed, false},
      {Event::PodPending, true, Event::PodEvicted, true},     {Event::PodPending, false, Event::PodEvicted, false},
      {Event::PodFailed, true, Event::PodEvicted, false},     {Event::PodEvicted, true, Event::PodEvicted, false},
      {Event::PodPending, true, Event::OutOfSync, false},     {Event::PodPending, true, Event::TaskCompleted, false},
      {Event::PodPending, true, Event::TaskFailed, false},    {Event::PodPending, true, Event::Unknown, false},
      {Event::PodPending, true, Event::CommandIssued, false}, {Event::PodPending, true, Event::None, false},
  };
  for (const Case& test : kCases) {
    INFO(to_string(test.stored) << " stored, " << to_string(test.incoming) << " comes, same uid " << test.same_uid);
    DelayedActions registry;
    std::vector<TimerRecord> records;
    registry.add(delayed(test.stored, Action::RestartPod, seconds(10)), kNow, records);
    records.clear();
    registry.cancel_for(request_of(test.incoming, "j-w-0", test.same_uid ? "u0" : "u1"), records);
    CHECK(records.size() == (test.cancels ? 1U : 0U));
    CHECK(registry.next_due().has_value() != test.cancels);
    if (test.cancels) {
      CHECK(records.front().op == TimerOp::Cancelled);
      CHECK(records.front().because_of.code == test.incoming);
    }
  }
}

TEST_CASE("a pod event cancels only the entry of its own pod") {
  DelayedActions registry;
  std::vector<TimerRecord> records;
  registry.add(delayed(Event::PodPending, Action::RestartPod, seconds(10)), kNow, records);
  registry.add(delayed(Event::PodPending, Action::RestartPod, seconds(20), "j-w-1", "u1"), kNow, records);
  registry.cancel_for(request_of(Event::PodRunning, "j-w-1", "u1"), records);
  REQUIRE(registry.pending().size() == 1);
  CHECK(registry.pending().front().action.request.pod_name == "j-w-0");
}

TEST_CASE("registration of spec 6.2") {
  DelayedActions registry;
  std::vector<TimerRecord> records;
  registry.add(delayed(Event::PodPending, Action::RestartPod, seconds(10)), kNow, records);
  CHECK(records.back().op == TimerOp::Started);

  SECTION("the same action is ignored, whatever else differs") {
    registry.add(delayed(Event::PodFailed, Action::RestartPod, seconds(60), "j-w-0", "u1"), kNow + seconds(1), records);
    CHECK(records.back().op == TimerOp::Ignored);
    CHECK(registry.next_due() == kNow + seconds(10));
    CHECK(registry.pending().size() == 1);
  }
  SECTION("another action overwrites the entry, and the old timer runs on unseen") {
    registry.add(delayed(Event::PodFailed, Action::RestartJob, seconds(60)), kNow, records);
    CHECK(records.back().op == TimerOp::Replaced);
    const auto pending = registry.pending();
    REQUIRE(pending.size() == 2);
    CHECK(pending[0].unseen);
    CHECK(pending[0].action.action == ActionName(Action::RestartPod));
    CHECK_FALSE(pending[1].unseen);
    // The cancel rules reach only the entry.
    registry.cancel_for(request_of(Event::PodRunning), records);
    REQUIRE(registry.pending().size() == 1);
    CHECK(registry.pending().front().action.action == ActionName(Action::RestartPod));
  }
}

TEST_CASE("expiry leaves the entry in the registry") {
  DelayedActions registry;
  std::vector<TimerRecord> records;
  registry.add(delayed(Event::PodPending, Action::RestartPod, seconds(10)), kNow, records);
  CHECK_FALSE(registry.take_expired(kNow + seconds(9)));
  REQUIRE(registry.take_expired(kNow + seconds(10)));
  CHECK_FALSE(registry.next_due());
  // Until something removes it, the same action for a pod of that name is not armed again (spec 12 no. 23).
  registry.add(delayed(Event::PodPending, Action::RestartPod, seconds(10)), kNow + seconds(20), records);
  CHECK(records.back().op == TimerOp::Ignored);
  CHECK_FALSE(registry.next_due());
  registry.clean_up("default/j", Action::RestartPod, delayed(Event::PodPending, Action::RestartPod, {}).target,
                    records);
  registry.add(delayed(Event::PodPending, Action::RestartPod, seconds(10)), kNow + seconds(20), records);
  CHECK(records.back().op == TimerOp::Started);
}

TEST_CASE("negative and zero delays") {
  DelayedActions registry;
  std::vector<TimerRecord> records;
  registry.add(delayed(Event::PodFailed, Action::RestartPod, Duration{-5}), kNow, records);
  CHECK(registry.next_due() == kNow);
  CHECK(registry.take_expired(kNow));
}

TEST_CASE("clean-up table of spec 6.5") {
  const auto survivors = [](Action executed, const Target& target) {
    DelayedActions registry;
    std::vector<TimerRecord> records;
    const auto add = [&](Action action, std::string task, std::string pod, std::string partition) {
      DelayedAction entry;
      entry.request = request_of(Event::PodFailed, std::move(pod));
      entry.request.task_name = std::move(task);
      entry.request.partition_id = std::move(partition);
      entry.action = action;
      entry.target = target_for(action, entry.request);
      entry.delay = seconds(10);
      registry.add(entry, kNow, records);
    };
    add(Action::RestartJob, "a", "job-entry", "");
    add(Action::RestartTask, "a", "task-a", "");
    add(Action::RestartTask, "b", "task-b", "");
    add(Action::RestartPod, "a", "pod-1", "");
    add(Action::RestartPod, "a", "pod-2", "");
    add(Action::RestartPartition, "a", "part-a0", "0");
    add(Action::RestartPartition, "b", "part-b0", "0");
    add(Action::RestartPartition, "a", "part-a1", "1");
    records.clear();
    registry.clean_up("default/j", executed, target, records);
    std::string left;
    for (const auto& entry : registry.pending()) left += entry.action.request.pod_name + " ";
    return left;
  };
  CHECK(survivors(Action::AbortJob, {}) == "task-a task-b pod-1 pod-2 part-a0 part-b0 part-a1 ");
  CHECK(survivors(Action::RestartTask, {Scope::Task, "a", "", ""}) ==
        "job-entry task-b pod-1 pod-2 part-a0 part-b0 part-a1 ");
  CHECK(survivors(Action::RestartPod, {Scope::Pod, "a", "pod-2", ""}) ==
        "job-entry task-a task-b pod-1 part-a0 part-b0 part-a1 ");
  CHECK(survivors(Action::RestartPartition, {Scope::Partition, "a", "", "0"}) ==
        "job-entry task-a task-b pod-1 pod-2 part-a1 ");
}
