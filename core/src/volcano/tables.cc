#include "pumice/volcano/tables.h"

#include <array>

namespace pumice::volcano {
namespace {

using enum JobPhase;

constexpr std::array kPhases{
    PhaseInfo{Pending, false, "waits for its PodGroup or for enough pods"},
    PhaseInfo{Running, false, "at least `minAvailable` pods run or have ended"},
    PhaseInfo{Restarting, true, "pods are being replaced; a retry was counted"},
    PhaseInfo{Completing, true, "CompleteJob: the remaining pods are being removed"},
    PhaseInfo{Completed, false, "ended well; nothing leads out of it"},
    PhaseInfo{Aborting, true, "AbortJob: the remaining pods are being removed"},
    PhaseInfo{Aborted, false, "stopped; ResumeJob starts it again"},
    PhaseInfo{Terminating, true, "TerminateJob: the remaining pods are being removed"},
    PhaseInfo{Terminated, false, "stopped for good; nothing leads out of it"},
    PhaseInfo{Failed, false, "ended badly or used up its retries; nothing leads out of it"},
};

constexpr std::string_view kRestart = "RestartJob, RestartTask, RestartPod or RestartPartition";

constexpr std::array kTransitions{
    TransitionInfo{None, Pending, "first sync"},
    TransitionInfo{None, Restarting, kRestart},
    TransitionInfo{None, Aborting, "AbortJob"},
    TransitionInfo{None, Completing, "CompleteJob"},
    TransitionInfo{None, Terminating, "TerminateJob"},
    TransitionInfo{Pending, Running, "at least `minAvailable` pods run or have ended"},
    TransitionInfo{Pending, Restarting, kRestart},
    TransitionInfo{Pending, Aborting, "AbortJob"},
    TransitionInfo{Pending, Completing, "CompleteJob"},
    TransitionInfo{Pending, Terminating, "TerminateJob"},
    TransitionInfo{Running, Pending, "more pods are pending than `minAvailable` allows"},
    TransitionInfo{Running, Completed, "`minSuccess` is reached, or all pods ended and enough succeeded"},
    TransitionInfo{Running, Failed, "all pods ended and too few succeeded"},
    TransitionInfo{Running, Restarting, kRestart},
    TransitionInfo{Running, Aborting, "AbortJob"},
    TransitionInfo{Running, Completing, "CompleteJob"},
    TransitionInfo{Running, Terminating, "TerminateJob"},
    TransitionInfo{Restarting, Pending, "enough of the old pods are gone"},
    TransitionInfo{Restarting, Failed, "`retryCount` has reached `maxRetry`"},
    TransitionInfo{Aborting, Aborted, "no pod is terminating any more"},
    TransitionInfo{Aborting, Restarting, "ResumeJob"},
    TransitionInfo{Aborted, Restarting, "ResumeJob"},
    TransitionInfo{Completing, Completed, "no pod is terminating any more"},
    TransitionInfo{Terminating, Terminated, "no pod is terminating any more"},
};

constexpr std::array kEvents{
    EventInfo{Event::Any, true, "stands in a policy for every event that policies are asked about"},
    EventInfo{Event::PodFailed, true, "a pod's phase changed to Failed"},
    EventInfo{Event::PodEvicted, true, "a pod object is gone, and the controller did not remove it itself"},
    EventInfo{Event::PodPending, true,
              "a pod was seen for the first time, or became Pending again; fires only in a policy with `timeout`"},
    EventInfo{Event::PodRunning, false,
              "a pod's phase changed to Running; cancels delayed actions, policies are not asked"},
    EventInfo{Event::Unknown, true, "the PodGroup's phase changed to Unknown: the gang is no longer whole"},
    EventInfo{Event::TaskCompleted, true, "all pods of a task have succeeded"},
    EventInfo{Event::TaskFailed, true, "the containers of a task's live pods restarted `maxRetry` times in all"},
    EventInfo{Event::OutOfSync, false, "something else changed; policies are not asked"},
    EventInfo{Event::CommandIssued, false, "a Command was taken; its action is carried out, policies are not asked"},
    EventInfo{Event::JobUpdated, true, "may stand in a policy but never occurs"},
};

constexpr std::array kActions{
    ActionInfo{Action::RestartJob, true, "removes all pods and starts the job again; uses up one retry"},
    ActionInfo{Action::RestartTask, true,
               "removes the task's pods and creates them again; uses up one retry of the job"},
    ActionInfo{Action::RestartPod, true, "removes the pod and creates it again; uses up one retry of the job"},
    ActionInfo{Action::RestartPartition, true,
               "removes the pods of the pod's partition and creates them again; uses up one retry of the job"},
    ActionInfo{Action::AbortJob, true, "stops the job and keeps ended pods; ResumeJob can start it again"},
    ActionInfo{Action::ResumeJob, true, "starts an aborted job again; uses up one retry"},
    ActionInfo{Action::CompleteJob, true, "stops the remaining pods and ends the job as Completed"},
    ActionInfo{Action::TerminateJob, true, "stops the job for good and keeps ended pods"},
    ActionInfo{Action::SyncJob, false,
               "brings pods and status in line with the spec; what happens if no policy matches"},
    ActionInfo{Action::EnqueueJob, false, "no effect of its own on a job: the phase's default happens"},
    ActionInfo{Action::SyncQueue, false, "meant for queues: on a job the phase's default happens"},
    ActionInfo{Action::OpenQueue, false, "meant for queues: on a job the phase's default happens"},
    ActionInfo{Action::CloseQueue, false, "meant for queues: on a job the phase's default happens"},
};

}  // namespace

std::span<const PhaseInfo> phase_table() noexcept { return kPhases; }
std::span<const TransitionInfo> transition_table() noexcept { return kTransitions; }
std::span<const EventInfo> event_table() noexcept { return kEvents; }
std::span<const ActionInfo> action_table() noexcept { return kActions; }

}  // namespace pumice::volcano
