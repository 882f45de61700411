#include "pumice/volcano/names.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "pumice/model/pod_phase.h"
#include "pumice/volcano/request.h"

namespace pumice::volcano {
namespace {

// Every word of each vocabulary in the order of its enumerators.
constexpr std::array<std::string_view, kEventCount - 1> kEventWords{
    "",           "*",         "PodFailed",     "PodEvicted", "PodPending", "PodRunning", "Unknown", "TaskCompleted",
    "TaskFailed", "OutOfSync", "CommandIssued", "JobUpdated"};
constexpr std::array<std::string_view, kActionCount - 1> kActionWords{
    "",           "AbortJob",         "RestartJob",   "RestartTask",
    "RestartPod", "RestartPartition", "TerminateJob", "CompleteJob",
    "ResumeJob",  "SyncJob",          "EnqueueJob",   "SyncQueue",
    "OpenQueue",  "CloseQueue"};
constexpr std::array<std::string_view, kJobPhaseCount - 1> kPhaseWords{
    "",           "Pending",   "Aborting",    "Aborted",    "Running", "Restarting",
    "Completing", "Completed", "Terminating", "Terminated", "Failed"};

template <class Enum, class Words, class From>
void check_vocabulary(const Words& words, From from) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    CAPTURE(words[i]);
    CHECK(from(words[i]) == static_cast<Enum>(i));
    CHECK(to_string(static_cast<Enum>(i)) == words[i]);
  }
  CHECK(to_string(Enum::Other).empty());
  for (const std::string_view text :
       {"podfailed", "PodFailed ", " ", "pending", "restartJob", "Other", "None", "Any"}) {
    CAPTURE(text);
    CHECK(from(text) == Enum::Other);
  }
}

TEST_CASE("vocabularies are read and written exactly", "[names]") {
  check_vocabulary<Event>(kEventWords, event_from);
  check_vocabulary<Action>(kActionWords, action_from);
  check_vocabulary<JobPhase>(kPhaseWords, job_phase_from);
}

TEST_CASE("a name keeps a word outside the vocabulary", "[names]") {
  const EventName known("PodFailed");
  CHECK(known.code == Event::PodFailed);
  CHECK(known.other.empty());
  CHECK(known == EventName(Event::PodFailed));

  const EventName foreign("PodExploded");
  CHECK(foreign.code == Event::Other);
  CHECK(foreign.text() == "PodExploded");
  CHECK(foreign != EventName("PodMelted"));
  CHECK(EventName().text().empty());
}

TEST_CASE("events and actions have the marks of the specification", "[names]") {
  const std::set<std::string_view> internal_events{"PodRunning", "OutOfSync", "CommandIssued"};
  const std::set<std::string_view> pod_events{"PodFailed", "PodEvicted", "PodPending", "PodRunning"};
  for (const std::string_view word : kEventWords) {
    CAPTURE(word);
    CHECK(is_internal(event_from(word)) == internal_events.contains(word));
    CHECK(is_pod_event(event_from(word)) == pod_events.contains(word));
  }
  CHECK_FALSE(is_internal(Event::Other));
  CHECK_FALSE(is_pod_event(Event::Other));

  const std::set<std::string_view> internal_actions{"SyncJob", "EnqueueJob", "SyncQueue", "OpenQueue", "CloseQueue"};
  for (const std::string_view word : kActionWords) {
    CAPTURE(word);
    CHECK(is_internal(action_from(word)) == internal_actions.contains(word));
  }
  CHECK_FALSE(is_internal(Action::Other));

  const std::set<std::string_view> final_phases{"Completed", "Terminated", "Failed"};
  for (const std::string_view word : kPhaseWords) {
    CAPTURE(word);
    CHECK(is_final(job_phase_from(word)) == final_phases.contains(word));
  }
}

TEST_CASE("a target carries the names its scope needs", "[names]") {
  Request request;
  request.task_name = "worker";
  request.pod_name = "j-worker-0";
  request.partition_id = "1";

  CHECK(target_for(Action::RestartTask, request) == Target{Scope::Task, "worker", "", ""});
  CHECK(target_for(Action::RestartPod, request) == Target{Scope::Pod, "worker", "j-worker-0", ""});
  CHECK(target_for(Action::RestartPartition, request) == Target{Scope::Partition, "worker", "j-worker-0", "1"});
  for (const std::string_view word : kActionWords) {
    const Action action = action_from(word);
    if (action == Action::RestartTask || action == Action::RestartPod || action == Action::RestartPartition) continue;
    CAPTURE(word);
    CHECK(target_for(action, request) == Target{});
  }
  CHECK(target_for(Action::Other, request) == Target{});
  CHECK(target_for(Action::RestartPod, Request{}) == Target{Scope::Pod, "", "", ""});
  CHECK(to_string(Scope::Job).empty());
  CHECK(to_string(Scope::Task) == "task");
  CHECK(to_string(Scope::Pod) == "pod");
  CHECK(to_string(Scope::Partition) == "partition");
}

TEST_CASE("any foreign pod phase counts as Unknown", "[names]") {
  for (const PodPhase phase : kPodPhases) CHECK(pod_phase_from(to_string(phase)) == phase);
  CHECK(pod_phase_from("") == PodPhase::Unknown);
  CHECK(pod_phase_from("running") == PodPhase::Unknown);
}

}  // namespace
}  // namespace pumice::volcano
