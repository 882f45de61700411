// The table of quirks. What of spec/volcano-job.md 12 has none, since there is nothing to mend:
//   1, 2, 10, 35  order of lists, gangs and replicas are the language itself: another rule would be another language
//   3       a PodPending policy without a timeout would restart every pod as it is made
//   6, 46   belong to admission
//   9       that restarts are summed, and that a change of phase has precedence: one update is one event. That it
//           repeats is a quirk
//   16      is what the marks are for
//   31      wished for, so that the last failure can be looked at (volcano-sh/volcano#1651)
//   34, 36  minSuccess decides as documented (that it leaves pods running is a quirk); a missing pod is made again
//   45      a crash, which is not imitated; nor is the hazard of 10.5
//   47      a command is taken at most once (that unknown words act is a quirk)
//   48      the next sync does what was left
// Of section 13 there is nothing for names of features, tombstones and metrics, which cannot be seen here, nor for
// terminating pods in the counts, which follows from `terminating-is-gone`. It says nothing of kills; that the older
// controller took the PodGroup away with a single pod is told in volcano-sh/volcano#5385.
#include "pumice/volcano/profile.h"

#include <array>

namespace pumice::volcano {
namespace {

constexpr ProfileBits kBoth = profile_bit::kVolcano | profile_bit::kVolcanoClassic;
constexpr ProfileBits kNewer = profile_bit::kVolcano;
constexpr ProfileBits kOlder = profile_bit::kVolcanoClassic;

constexpr QuirkRow<Quirk> kRows[] = {
    {Quirk::FirstContainerExitCode,
     {"first-container-exit-code", "only the first container counts for exitCode",
      "The exit code of a failed pod is that of the first entry of containerStatuses. Where a sidecar stands first, or "
      "where another container failed, policies with `exitCode` see the wrong code, or 0.",
      "The code is that of the first container that ended with another code than 0.", kBoth,
      "volcano-sh/volcano#5452"}},
    {Quirk::ExitCodeAnyEvent,
     {"exit-code-any-event", "exitCode is compared on every event",
      "A policy with `exitCode` is compared with every event that policies are asked about. All but PodFailed carry "
      "the "
      "code 0, so a policy with `exitCode: 0`, which only admission refuses, answers nearly everything.",
      "Exit codes are compared on PodFailed alone.", kBoth}},
    {Quirk::UnknownWithoutVersion,
     {"unknown-without-version", "Unknown is stale after the first restart",
      "The event Unknown of a PodGroup carries no job version. Once the version of the job is above 0, which it is "
      "after the first restart of the whole job, the event counts as stale and policies for it are never asked again.",
      "Requests made of a PodGroup carry the UID and the version that the job has when the change is noticed.", kBoth}},
    {Quirk::EmptyTargetRestarts,
     {"empty-target-restarts", "a restart of no pod still costs a retry",
      "RestartTask or RestartPod whose target has no pod (the event names none, as Unknown, or the pod is gone "
      "already, "
      "as after PodEvicted) deletes nothing, but moves the job to Restarting and counts a retry.",
      "Such a restart is a plain sync: a missing pod is made again, phase and retryCount stay.", kBoth}},
    {Quirk::TaskFailedRepeats,
     {"task-failed-repeats", "TaskFailed is raised again and again",
      "Once the containers of a task have restarted maxRetry times, every later update of its live pods raises "
      "TaskFailed again, whatever changed.",
      "TaskFailed is raised only by updates in which containers of that pod restarted.", kBoth}},
    {Quirk::NoJobUpdated,
     {"no-job-updated", "JobUpdated never occurs",
      "Policies may name JobUpdated, but nothing raises it: a change of a job is OutOfSync.",
      "A change of the spec raises JobUpdated, with UID and version of the job; generated claim names do not. Policies "
      "with `*` answer it, too.",
      kBoth}},
    {Quirk::FinishBeforePolicy,
     {"finish-before-policy", "a job can end before its policy is asked",
      "The pods that are known change at once, requests wait. A sync that was queued earlier may find the last pod "
      "ended and finish the job; the PodFailed behind it then meets a finished job, and its policy is lost.",
      "A sync does not finish a job while an event that a policy answers at once is still waiting for it.", kBoth,
      "volcano-sh/volcano#3967"}},
    {Quirk::AddedIsPending,
     {"added-is-pending", "every pod seen first counts as PodPending",
      "A pod that the controller sees for the first time raises PodPending whatever its phase. After a restart of the "
      "controller PodPending timeouts run for pods that have been running for days.",
      "The event follows the phase: PodPending for pending pods, PodRunning for running ones, else OutOfSync.", kBoth}},
    {Quirk::MissedFailures,
     {"missed-failures", "failures during a downtime raise no event",
      "A pod that failed while the controller was down is seen first as Failed and raises no PodFailed. Only counts "
      "notice, so a job fails for which a restart was asked.",
      "A pod first seen as Failed raises PodFailed with its exit code. (Pods that vanished stay unnoticed.)", kBoth,
      "volcano-sh/volcano#3967"}},
    {Quirk::FinishedIsEvicted,
     {"finished-is-evicted", "removing a succeeded pod is PodEvicted",
      "PodEvicted means that a pod object is gone for any reason but a kill by the controller. An autoscaler that "
      "removes a pod that had succeeded so triggers the policies for evictions.",
      "The end of a succeeded pod's object raises OutOfSync.", kBoth, "volcano-sh/volcano#2087"}},
    {Quirk::NewerVersionPasses,
     {"newer-version-passes", "only older versions count as stale",
      "A request with a higher version than the job's is accepted as if it were of this life of the job.",
      "A request counts as stale if its version is any other than the job's.", kBoth}},
    {Quirk::FailedKillBumps,
     {"failed-kill-bumps", "a failed restart is not tried again",
      "A kill of the whole job raises the version in memory before it deletes anything. If a deletion fails, the "
      "request that is tried again is stale: it becomes a plain sync, and the restart or abort is lost.",
      "The version grows with the status that is written at the end: what is tried again is not stale.", kBoth}},
    {Quirk::LeftoversCounted,
     {"leftovers-counted", "pods of an earlier namesake are counted",
      "Pods are kept by the names of job, task and pod. Those left over of a deleted job count for a new job of the "
      "same name, until they are gone.",
      "Pods whose owner has another UID than the job are neither counted nor killed. Their names stay taken until they "
      "are gone.",
      kBoth}},
    {Quirk::CommandIgnoresUid,
     {"command-ignores-uid", "a command can hit a namesake",
      "Of a command's target only the name is used. A command for a deleted job is carried out on a new job of that "
      "name.",
      "A command whose target has another UID than the job is a plain sync.", kBoth}},
    {Quirk::DelaySkipsSync,
     {"delay-skips-sync", "an event that starts a timer is not synced",
      "A request whose policy has a timeout only starts the timer. The pod that failed does not show in the counts of "
      "the status until something else happens.",
      "A sync follows once the timer is started.", kBoth}},
    {Quirk::ExpiryUnchecked,
     {"expiry-unchecked", "a delayed action looks at nothing again",
      "When a timer ends its action is carried out on the job and pod of those names, though the job may be another "
      "one by now and the pod that was pending may run, or be a successor of it.",
      "The action is dropped if the job has another UID, and, if PodPending armed it, if that very pod is not pending "
      "any more.",
      kBoth}},
    {Quirk::KilledPodKeepsTimer,
     {"killed-pod-keeps-timer", "a killed pod's PodPending timer stays",
      "A pod that the controller kills raises OutOfSync, which cancels nothing. Its PodPending timer stays, its "
      "successor's is ignored as the same action, and the old timer ends on the healthy successor.",
      "The timer ends with the pod that armed it.", kBoth}},
    {Quirk::ReplacedTimerFires,
     {"replaced-timer-fires", "a replaced timer fires all the same",
      "A delayed action that takes the place of another one for the same pod does not stop its timer: both are "
      "carried out.",
      "The timer of the replaced action is stopped.", kBoth}},
    {Quirk::TimerOutlivesJob,
     {"timer-outlives-job", "a dead job's timer blocks later ones",
      "A timer that ends when its job is gone leaves its entry behind. For a later pod of that name the same action "
      "counts as registered already and is never armed.",
      "The entry goes with the timer.", kBoth}},
    {Quirk::RestartKeepsTimers,
     {"restart-keeps-timers", "restarting a job leaves its pods' timers",
      "An action on the whole job clears delayed actions on the whole job only. Delayed RestartPod, RestartTask and "
      "RestartPartition of pods that it killed are carried out on their successors.",
      "An action on the whole job clears all delayed actions of it.", kBoth}},
    {Quirk::PartitionClearsOthers,
     {"partition-clears-others", "a partition clears another task's timers",
      "RestartPartition clears the delayed RestartPartition of partitions with the same number, of whatever task.",
      "Only those of the same task are cleared.", kNewer}},
    {Quirk::SucceededKeepsTimer,
     {"succeeded-keeps-timer", "success does not end a PodPending timer",
      "A pending pod that is seen next as Succeeded raises TaskCompleted or OutOfSync, and neither ends its PodPending "
      "timer.",
      "Any event of a pod that is not pending any more ends the timer.", kBoth}},
    {Quirk::TargetedUsesRetry,
     {"targeted-uses-retry", "a restarted pod costs the job a retry",
      "RestartTask, RestartPod and RestartPartition count for maxRetry of the job: with 3, the third restart of a "
      "single pod fails the whole job.",
      "Only restarts of the whole job are counted. A pod that always fails is then restarted without end.", kBoth}},
    {Quirk::MaxRetryCountsRuns,
     {"max-retry-counts-runs", "maxRetry N gives N runs, not N retries",
      "The N-th restart deletes the pods and then ends in Failed, so a job with maxRetry N runs N times.",
      "The job is restarted N times and fails when it would have to be restarted once more.", kBoth,
      "volcano-sh/volcano#2012 volcano-sh/volcano#1519"}},
    {Quirk::ResumeUsesRetry,
     {"resume-uses-retry", "ResumeJob costs a retry",
      "ResumeJob counts like a restart. Three rounds of AbortJob and ResumeJob use up a maxRetry of 3, and the job "
      "fails.",
      "ResumeJob leaves retryCount as it is.", kBoth, "volcano-sh/volcano#3067"}},
    {Quirk::RestartingDeaf,
     {"restarting-deaf", "a Restarting job cannot be aborted",
      "AbortJob, TerminateJob, CompleteJob and ResumeJob while Restarting only delete the pods again; the job may even "
      "go on to Pending.",
      "The first three lead to Aborting, Terminating and Completing as they do from Running; ResumeJob is a plain "
      "sync.",
      kBoth}},
    {Quirk::StoredCountsDecide,
     {"stored-counts-decide", "without a PodGroup old counts decide",
      "Until the scheduler has taken the PodGroup in, a sync decides by the counts of the status as stored. After "
      "RestartJob a job may stay Restarting with `terminating: 2` though no pod is left.",
      "Pods are counted in such a sync, too.", kBoth}},
    {Quirk::TargetedDropsPlugins,
     {"targeted-drops-plugins", "restarting one pod removes the services",
      "RestartTask, RestartPod and RestartPartition run the plugins' OnJobDelete: Service, Secret, ConfigMap and "
      "NetworkPolicy vanish for the pods that go on, and come back with new keys when the job is Pending again.",
      "Plugins take back what they made only if the whole job is killed.", kBoth}},
    {Quirk::KillClearsCounts,
     {"kill-clears-counts", "a finished job shows succeeded: 0",
      "A kill writes 0 for all counts but terminating. Every request of a finished job kills what is left, so it shows "
      "`succeeded: 0`.",
      "Pods that are kept, and pods beside the target, are counted by their phases.", kBoth,
      "volcano-sh/volcano#4616"}},
    {Quirk::FailedCountsAsStarted,
     {"failed-counts-as-started", "failed pods make a job Running",
      "A Pending job becomes Running when minAvailable pods run or have ended, failed ones included. A job all of "
      "whose "
      "pods failed passes through Running.",
      "Failed pods do not count. A job all of whose pods have ended leaves Pending as it would leave Running.", kBoth}},
    {Quirk::CompletedWhileRunning,
     {"completed-while-running", "minSuccess completes while pods run",
      "When minSuccess pods have succeeded the job is Completed at once, with others still running; the next request "
      "kills them.",
      "The job is Completing until the others are gone.", kBoth}},
    {Quirk::ShrunkFallsBack,
     {"shrunk-falls-back", "replicas below minAvailable: Pending",
      "A Running job goes back to Pending if more pods are pending than replicas exceed minAvailable. With fewer "
      "replicas than minAvailable, which only admission refuses, no pending pod is needed for that.",
      "Without a pending pod the job stays Running.", kBoth}},
    {Quirk::MarkedCountedTwice,
     {"marked-counted-twice", "pods that sync deletes are counted twice",
      "A pod that is marked for deletion and deleted by a sync is counted in its phase and as terminating.",
      "It is counted as terminating alone.", kBoth}},
    {Quirk::ZeroMinimumRuns,
     {"zero-minimum-runs", "minAvailable 0 is Running without pods",
      "A job with minAvailable 0 is Running after its first sync, before its PodGroup is taken in and any pod exists.",
      "It stays Pending until its PodGroup is taken in.", kBoth}},
    {Quirk::TransitionTimeMoves,
     {"transition-time-moves", "lastTransitionTime follows every count",
      "A sync sets state.lastTransitionTime and renews the condition of the phase whenever anything in the status "
      "changed, a count alone included.",
      "Both follow changes of the phase alone.", kBoth}},
    {Quirk::DurationDropped,
     {"duration-dropped", "runningDuration vanishes at the next sync",
      "A kill writes runningDuration; the next sync that counts pods leaves it out.", "It is kept.", kBoth}},
    {Quirk::MissingQueueTerminates,
     {"missing-queue-terminates", "a missing queue ends in Terminated",
      "A queue or claim that does not exist is an error, not something to wait for. After 15 retries, about 164 s, the "
      "job is terminated, though the message about the claim promises that it stays Pending.",
      "It is looked for again without end.", kBoth}},
    {Quirk::FailureCountSurvives,
     {"failure-count-survives", "failures of long ago still count",
      "How often a request failed is remembered when it is dropped, delayed, or given up. The next failure of an equal "
      "request then terminates the job at once.",
      "The count is forgotten in all three cases.", kBoth}},
    {Quirk::ScaleDownEvicts,
     {"scale-down-evicts", "scaling down triggers PodEvicted",
      "Pods that a sync deletes, because there are too many, are not marked. When they are gone PodEvicted is raised: "
      "a job that restarts on PodEvicted restarts when it is scaled down.",
      "A sync marks the pods that it deletes, as a kill does.", kBoth}},
    {Quirk::FailedCreateStopsSync,
     {"failed-create-stops-sync", "a pod that cannot be made stops the sync",
      "If a pod cannot be created the sync ends there: pods that are too many stay, and the status is not written.",
      "The rest is done before the error is reported.", kBoth}},
    {Quirk::UnknownActionActs,
     {"unknown-action-acts", "a misspelt action may delete pods",
      "An action that does not exist, in a command or in a policy with `exitCode`, is carried out as the default of "
      "the "
      "phase. In Restarting that kills all pods. It also clears the delayed actions on the whole job.",
      "It is a plain sync and clears nothing.", kBoth}},
    {Quirk::SshHostsStale,
     {"ssh-hosts-stale", "scaling does not refresh the ssh hosts",
      "The plugin ssh writes the list of hosts when the job starts and not when it is scaled.",
      "The list is brought up to date as that of the plugin svc is; the keys stay.", kBoth}},
    {Quirk::MastersRankZero,
     {"masters-rank-zero", "every pytorch master has rank 0",
      "The plugin pytorch gives RANK 0 to every replica of the master and counts workers from 1. With two masters, "
      "ranks occur twice and the highest is missing.",
      "Masters have their index, workers follow behind them.", kBoth}},
    {Quirk::PortNameDoubled,
     {"port-name-doubled", "a plugin may double a port's name",
      "The plugins pytorch and mpi add their port unless the number is there. A port of the user's with that name and "
      "another number leads to two ports of one name.",
      "A port is not added if its name is there, either.", kBoth}},
    {Quirk::RayTargetsName,
     {"ray-targets-name", "ray's Service may have no endpoint",
      "The Service of the plugin ray finds ports by name. If the user declared the number under another name, the port "
      "is not added and the Service has no endpoint for it.",
      "The Service names the numbers.", kBoth}},
    {Quirk::TerminatingIsGone,
     {"terminating-is-gone", "a terminating pod counts as deleted",
      "A pod with a deletion timestamp is handled as deleted, when added or updated: PodEvicted comes at the start of "
      "the graceful deletion and once more when the object is gone. Such pods are not kept, so they are never counted "
      "as terminating.",
      "The pod stays known until it is gone, and PodEvicted comes then.", kOlder, "volcano-sh/volcano#3812"}},
    {Quirk::AddWithoutTask,
     {"add-without-task", "a pod's first request names no task",
      "The request for an added pod has neither task nor partition, so policies of a task cannot answer PodPending "
      "when the pod appears; and the pod need not name its task.",
      "Task and partition are named, and a pod without a task is dropped.", kOlder}},
    {Quirk::NoMarks,
     {"no-marks", "the controller's own deletions are evictions",
      "Pods that the controller deletes are not marked, and marks mean nothing. A pod killed by RestartPod raises "
      "PodEvicted: that can trigger restarts over and over, and it arms an escalation such as PodEvicted -> RestartJob "
      "after 10 min.",
      "Kills mark pods first, and a marked pod raises OutOfSync alone.", kOlder,
      "volcano-sh/volcano#3812 volcano-sh/volcano#4814"}},
    {Quirk::UnknownPodEvicted,
     {"unknown-pod-evicted", "a pod that was not known is evicted",
      "The end of a pod raises PodEvicted even if the controller does not know that pod (any more).",
      "Only pods that are known raise it, others OutOfSync.", kOlder}},
    {Quirk::WideVersion,
     {"wide-version", "job versions above 32 bit wrap around",
      "The version in a pod's annotation is read as 64 bit and cut to 32.",
      "A version that does not fit into 32 bit is unreadable, and the event is dropped.", kOlder}},
    {Quirk::NoRestartPartition,
     {"no-restart-partition", "RestartPartition does not exist",
      "RestartPartition is an unknown action: the default of the phase is carried out, and the delayed actions on the "
      "whole job are cleared. Requests do not name partitions.",
      "The pods of the partition are restarted.", kOlder}},
    {Quirk::DeletionMakesEntry,
     {"deletion-makes-entry", "the end of an unknown job's pod is kept",
      "A pod of a job that is not known leaves an empty entry behind when it goes.", "Nothing is kept.", kOlder}},
    {Quirk::ErrorTaskStuck,
     {"error-task-stuck", "a pod given up is never read again",
      "A pod whose deletion failed is read again ten times and then given up for good: it is never taken up again, "
      "even if its deletion fails anew.",
      "A new failure begins anew.", kOlder}},
    {Quirk::LimitWithoutEvent,
     {"limit-without-event", "giving up leaves no event",
      "When a request has failed too often the job is terminated without a word.",
      "An event ExecuteAction tells it first.", kOlder}},
    {Quirk::TargetedDropsGroup,
     {"targeted-drops-group", "restarting one pod removes the PodGroup",
      "RestartTask and RestartPod delete the PodGroup like a restart of the whole job. New pods are made only when the "
      "scheduler has taken the new PodGroup in, so a job may stay Restarting for minutes.",
      "The PodGroup stays, and the pod is made again at once.", kOlder, "volcano-sh/volcano#5385"}},
};
static_assert(is_in_order(kRows));
constexpr auto kTable = infos_of(kRows);
static_assert(kTable.size() == kQuirkCount);
constexpr auto kNames = names_of(kTable);
static_assert(quirks_in<Quirk>(kTable, kNewer) == Quirks::of(Profile::Volcano));
static_assert(quirks_in<Quirk>(kTable, kOlder) == Quirks::of(Profile::Classic));

constexpr std::array<std::string_view, 2> kProfiles{"volcano", "volcano-classic"};

}  // namespace

std::span<const QuirkInfo> quirk_table() noexcept { return kTable; }
std::span<const std::string_view> quirk_names() noexcept { return kNames; }
std::string_view to_string(Quirk quirk) noexcept { return kNames[static_cast<std::size_t>(quirk)]; }
std::optional<Quirk> quirk_from(std::string_view name) noexcept { return quirk_named<Quirk>(kNames, name); }

std::string_view to_string(Profile profile) noexcept { return kProfiles[static_cast<std::size_t>(profile)]; }
std::optional<Profile> profile_from(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kProfiles.size(); ++i)
    if (kProfiles[i] == name) return static_cast<Profile>(i);
  return std::nullopt;
}

}  // namespace pumice::volcano
