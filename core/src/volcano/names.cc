#include "pumice/volcano/names.h"

namespace pumice::volcano {
namespace {

/// Looks `text` up among the words of a vocabulary. The enumerators are dense, `None` first and `Other` last.
template <class Enum>
Enum word_from(std::string_view text) noexcept {
  if (text.empty()) return Enum::None;
  for (auto code = static_cast<std::uint8_t>(Enum::None); code < static_cast<std::uint8_t>(Enum::Other); ++code) {
    if (to_string(static_cast<Enum>(code)) == text) return static_cast<Enum>(code);
  }
  return Enum::Other;
}

}  // namespace

std::string_view to_string(Event event) noexcept {
  switch (event) {
    case Event::None: return "";
    case Event::Any: return "*";
    case Event::PodFailed: return "PodFailed";
    case Event::PodEvicted: return "PodEvicted";
    case Event::PodPending: return "PodPending";
    case Event::PodRunning: return "PodRunning";
    case Event::Unknown: return "Unknown";
    case Event::TaskCompleted: return "TaskCompleted";
    case Event::TaskFailed: return "TaskFailed";
    case Event::OutOfSync: return "OutOfSync";
    case Event::CommandIssued: return "CommandIssued";
    case Event::JobUpdated: return "JobUpdated";
    case Event::Other: return "";
  }
  return "";
}

std::string_view to_string(Action action) noexcept {
  switch (action) {
    case Action::None: return "";
    case Action::AbortJob: return "AbortJob";
    case Action::RestartJob: return "RestartJob";
    case Action::RestartTask: return "RestartTask";
    case Action::RestartPod: return "RestartPod";
    case Action::RestartPartition: return "RestartPartition";
    case Action::TerminateJob: return "TerminateJob";
    case Action::CompleteJob: return "CompleteJob";
    case Action::ResumeJob: return "ResumeJob";
    case Action::SyncJob: return "SyncJob";
    case Action::EnqueueJob: return "EnqueueJob";
    case Action::SyncQueue: return "SyncQueue";
    case Action::OpenQueue: return "OpenQueue";
    case Action::CloseQueue: return "CloseQueue";
    case Action::Other: return "";
  }
  return "";
}

std::string_view to_string(JobPhase phase) noexcept {
  switch (phase) {
    case JobPhase::None: return "";
    case JobPhase::Pending: return "Pending";
    case JobPhase::Aborting: return "Aborting";
    case JobPhase::Aborted: return "Aborted";
    case JobPhase::Running: return "Running";
    case JobPhase::Restarting: return "Restarting";
    case JobPhase::Completing: return "Completing";
    case JobPhase::Completed: return "Completed";
    case JobPhase::Terminating: return "Terminating";
    case JobPhase::Terminated: return "Terminated";
    case JobPhase::Failed: return "Failed";
    case JobPhase::Other: return "";
  }
  return "";
}

Event event_from(std::string_view text) noexcept { return word_from<Event>(text); }
Action action_from(std::string_view text) noexcept { return word_from<Action>(text); }
JobPhase job_phase_from(std::string_view text) noexcept { return word_from<JobPhase>(text); }

Scope scope_of(Action action) noexcept {
  switch (action) {
    case Action::RestartTask: return Scope::Task;
    case Action::RestartPod: return Scope::Pod;
    case Action::RestartPartition: return Scope::Partition;
    case Action::None:
    case Action::AbortJob:
    case Action::RestartJob:
    case Action::TerminateJob:
    case Action::CompleteJob:
    case Action::ResumeJob:
    case Action::SyncJob:
    case Action::EnqueueJob:
    case Action::SyncQueue:
    case Action::OpenQueue:
    case Action::CloseQueue:
    case Action::Other: return Scope::Job;
  }
  return Scope::Job;
}

std::string_view to_string(Scope scope) noexcept {
  switch (scope) {
    case Scope::Job: return "";
    case Scope::Task: return "task";
    case Scope::Pod: return "pod";
    case Scope::Partition: return "partition";
  }
  return "";
}

}  // namespace pumice::volcano
