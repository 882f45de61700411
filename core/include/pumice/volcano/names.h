// The closed vocabularies of the Volcano Job controller: events, actions, job phases (spec/volcano-job.md 2, 1.5).
//
// The API allows any string in these places. Each vocabulary therefore has a member `Other` for strings outside it;
// where such a string matters, it is kept beside the enumerator (`EventName`, `ActionName`, `PhaseName`).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pumice::volcano {

/// Events, spec 2.1. `None` is the empty string: a PodGroup phase change to anything but `Unknown`.
enum class Event : std::uint8_t {
  None,
  Any,
  PodFailed,
  PodEvicted,
  PodPending,
  PodRunning,
  Unknown,
  TaskCompleted,
  TaskFailed,
  OutOfSync,
  CommandIssued,
  JobUpdated,
  Other,
};
inline constexpr std::size_t kEventCount = static_cast<std::size_t>(Event::Other) + 1;

/// Actions, spec 2.2. `None` is the empty string.
enum class Action : std::uint8_t {
  None,
  AbortJob,
  RestartJob,
  RestartTask,
  RestartPod,
  RestartPartition,
  TerminateJob,
  CompleteJob,
  ResumeJob,
  SyncJob,
  EnqueueJob,
  SyncQueue,
  OpenQueue,
  CloseQueue,
  Other,
};
inline constexpr std::size_t kActionCount = static_cast<std::size_t>(Action::Other) + 1;

/// Job phases, spec 1.5. `None` is the empty string of a job that was never synced, `Other` an unrecognised string.
enum class JobPhase : std::uint8_t {
  None,
  Pending,
  Aborting,
  Aborted,
  Running,
  Restarting,
  Completing,
  Completed,
  Terminating,
  Terminated,
  Failed,
  Other,
};
inline constexpr std::size_t kJobPhaseCount = static_cast<std::size_t>(JobPhase::Other) + 1;

/// The string of the API: `*` for `Event::Any`, empty for `None` and `Other`.
[[nodiscard]] std::string_view to_string(Event event) noexcept;
[[nodiscard]] std::string_view to_string(Action action) noexcept;
[[nodiscard]] std::string_view to_string(JobPhase phase) noexcept;

/// Exact, case-sensitive; `Other` for a string outside the vocabulary.
[[nodiscard]] Event event_from(std::string_view text) noexcept;
[[nodiscard]] Action action_from(std::string_view text) noexcept;
[[nodiscard]] JobPhase job_phase_from(std::string_view text) noexcept;

/// An enumerator together with the user's string, which is kept only for `Other`.
template <class Enum, Enum (*from)(std::string_view) noexcept>
struct Name {
  Enum code = Enum::None;
  std::string other;

  Name() = default;
  Name(Enum value) noexcept : code(value) {}  // NOLINT(google-explicit-constructor): a vocabulary word is a name
  explicit Name(std::string_view text) : code(from(text)) {
    if (code == Enum::Other) other = text;
  }

  [[nodiscard]] std::string_view text() const noexcept {
    return code == Enum::Other ? std::string_view(other) : to_string(code);
  }
  friend bool operator==(const Name&, const Name&) = default;
};
using EventName = Name<Event, event_from>;
using ActionName = Name<Action, action_from>;
using PhaseName = Name<JobPhase, job_phase_from>;

/// Events for which policies are not consulted (spec 2.1, column "internal").
[[nodiscard]] constexpr bool is_internal(Event event) noexcept {
  return event == Event::OutOfSync || event == Event::CommandIssued || event == Event::PodRunning;
}

/// Events that can cancel a delayed action (spec 2.1 and 6.3, "pod event").
[[nodiscard]] constexpr bool is_pod_event(Event event) noexcept {
  return event == Event::PodPending || event == Event::PodRunning || event == Event::PodFailed ||
         event == Event::PodEvicted;
}

/// Actions after which delayed actions are not cleaned up (spec 2.2, column "internal").
[[nodiscard]] constexpr bool is_internal(Action action) noexcept {
  return action == Action::SyncJob || action == Action::EnqueueJob || action == Action::SyncQueue ||
         action == Action::OpenQueue || action == Action::CloseQueue;
}

/// What an action is aimed at; also decides which delayed actions it clears (spec 2.2, 6.5).
enum class Scope : std::uint8_t { Job, Task, Pod, Partition };
[[nodiscard]] Scope scope_of(Action action) noexcept;
/// `task`, `pod`, `partition`; empty for `Job`: the `type` of a target.
[[nodiscard]] std::string_view to_string(Scope scope) noexcept;

/// True for Completed, Terminated and Failed: no action leads out of them (spec 7.6).
[[nodiscard]] constexpr bool is_final(JobPhase phase) noexcept {
  return phase == JobPhase::Completed || phase == JobPhase::Terminated || phase == JobPhase::Failed;
}

}  // namespace pumice::volcano
