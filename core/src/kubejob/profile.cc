#include "pumice/kubejob/profile.h"

namespace pumice::kubejob {
namespace {

constexpr ProfileBits kNewest = profile_bit::kJob;
constexpr ProfileBits kOlder = profile_bit::kJob127;
constexpr ProfileBits kBoth = kNewest | kOlder;

/// Spec 15 ("Differences of the older version"), then what is new or surprising in the newest.
constexpr QuirkRow<Quirk> kRows[] = {
    {Quirk::FailedPodDelaysSync,
     {"failed-pod-delays-sync", "a failed pod makes its job wait",
      "A pod that turns Failed makes its job wait 10 s, doubled with each retry up to 6 min, before it is looked at.",
      "The job is looked at after 1 s; only the pod that replaces the failed one has to wait.", kOlder}},
    {Quirk::ForcedRetry,
     {"forced-retry", "new failures make a sync an error",
      "A sync that found new failures and did not finish the job ends in an error, so that it is tried again.",
      "Such a sync is a success like any other.", kOlder}},
    {Quirk::ConflictIsNoError,
     {"conflict-is-no-error", "a write conflict is not reported", "A write conflict is tried again but not reported.",
      "A write conflict is an error like any other.", kOlder}},
    {Quirk::ShortBackoffCap,
     {"short-backoff-cap", "a failed pod is replaced within 6 min",
      "The time before a failed pod is replaced is doubled up to 6 min.", "It is doubled up to 10 min.", kOlder}},
    {Quirk::JobUpdateAtOnce,
     {"job-update-at-once", "updates of a job are not batched",
      "Every update of a job, finished or not, is looked at without the 1 s of batching.",
      "Only a new generation is looked at at once; other updates wait 1 s, and finished jobs are left alone.", kOlder}},
    {Quirk::DeleteListsPods,
     {"delete-lists-pods", "a deleted job queues each of its pods",
      "A deleted job queues each of its tracked pods for the orphan worker.",
      "It queues its selector, and the pods are looked up when their turn comes.", kOlder}},
    {Quirk::LaxOrphanWorker,
     {"lax-orphan-worker", "the orphan worker takes any Job's pods",
      "The orphan worker looks neither at the API version of the owner nor at managedBy.",
      "It leaves alone what does not belong to a batch/v1 Job of this controller.", kOlder}},
    {Quirk::DirectTerminal,
     {"direct-terminal", "a job ends while its pods terminate",
      "Only podFailurePolicy sets an interim condition. Other reasons end the job at once, while pods terminate.",
      "Every end begins with an interim condition, and is final when no pod is left.", kOlder}},
    {Quirk::DeletingIsFailed,
     {"deleting-is-failed", "a pod that is being deleted has failed",
      "Without podFailurePolicy a pod with a deletion timestamp counts as failed.",
      "Whether it counts before it is Failed depends on podReplacementPolicy.", kOlder}},
    {Quirk::BackoffShowsNoActive,
     {"backoff-shows-no-active", "no active pods while one is replaced",
      "While a failed pod waits for its replacement, the status shows no active pods.",
      "The status shows the pods that are active.", kOlder}},
    {Quirk::ExpectBeforeChoosing,
     {"expect-before-choosing", "too many creations may be expected",
      "Creations are expected before the indexes are chosen. If fewer indexes are pending, too many are expected, and "
      "the job waits for pods that nobody makes.",
      "As many are expected as are made.", kOlder}},
    {Quirk::IndexFromAnnotation,
     {"index-from-annotation", "pods have no label with their index",
      "JOB_COMPLETION_INDEX comes from the annotation, and pods have no label with their index.",
      "Pods have the label too, and the variable comes from there.", kOlder}},
    {Quirk::UnknownIndexCounts,
     {"unknown-index-counts", "a failed pod without an index counts",
      "A failed pod of an indexed job counts as a failure though it has no valid index.",
      "Only pods with a valid index count.", kOlder}},
    {Quirk::IndexComparedWithMerged,
     {"index-compared-with-merged", "an index may be new just once a sync",
      "An index is new only if neither the status nor another pod of this sync has it.",
      "An index is compared with the status alone.", kOlder}},
    {Quirk::MainContainersFinishOnly,
     {"main-containers-finish-only", "sidecars do not count for a pod's end",
      "Sidecars do not matter for the time at which a pod ended.", "The last of all containers decides.", kOlder}},
    {Quirk::NoManagedBy,
     {"no-managed-by", "managedBy is ignored", "managedBy is ignored: the controller works on every job.",
      "Jobs that another controller manages are left alone.", kOlder}},
    {Quirk::NoSuccessPolicy,
     {"no-success-policy", "successPolicy is ignored", "successPolicy is ignored.",
      "An indexed job ends with success when its successPolicy says so.", kOlder}},
    {Quirk::NoPerIndexLimits,
     {"no-per-index-limits", "backoffLimitPerIndex is ignored",
      "backoffLimitPerIndex and maxFailedIndexes are ignored.", "Each index has its own limit.", kOlder}},
    {Quirk::NoReplacementPolicy,
     {"no-replacement-policy", "podReplacementPolicy is ignored", "podReplacementPolicy is ignored.",
      "With Failed, a pod is replaced only when it has failed, not when its deletion begins.", kOlder}},
    {Quirk::NoTerminatingCount,
     {"no-terminating-count", "terminating pods are not counted", "The status has no count of terminating pods.",
      "The status counts them.", kOlder}},
    {Quirk::NoCompleteReason,
     {"no-complete-reason", "Complete gives no reason", "The condition Complete has neither reason nor message.",
      "It has both.", kOlder}},
    {Quirk::ClearStartOnSuspend,
     {"clear-start-on-suspend", "suspending a job clears its start time",
      "Suspending a job clears its start time, so that its deadline begins anew when it is resumed.",
      "The start time stays.", kNewest}},
    {Quirk::FinishedMarker,
     {"finished-marker", "a job whose finish is written is left alone",
      "A job whose finish is written is left alone, even while the cache does not show it.",
      "The job is looked at as the cache shows it.", kNewest}},
    // An optional gate, off as upstream ships it.
    {Quirk::ConsistencyCheck,
     {"consistency-check", "the cache must show the last write first",
      "A job is not looked at before the cache shows the controller's own last write to it.",
      "The job is looked at as the cache shows it, as upstream does unless told otherwise.", 0}},
    {Quirk::DeletionSeenTwice,
     {"deletion-seen-twice", "a pod's deletion is observed twice",
      "The deletion of a pod is observed when it begins and when it ends.", "It is observed once.", kBoth}},
    {Quirk::ReadyUnderreported,
     {"ready-underreported", "a failed deletion hides a ready pod",
      "A ready pod whose deletion fails is missing from the ready count until the next sync.",
      "A pod that is still there stays counted.", kBoth}},
    {Quirk::NamespaceKeepsExpectation,
     {"namespace-keeps-expectation", "a refused creation stays expected",
      "A creation refused because the namespace is terminating stays expected, and the pod counted as active.",
      "It is taken back like any creation that failed.", kBoth}},
    {Quirk::GonePodForgotten,
     {"gone-pod-forgotten", "a pod found gone may count twice",
      "A pod found gone when its finalizer is to go is not remembered: a cache that lags behind has it counted twice.",
      "It is remembered until the cache knows that it is gone.", kBoth}},
};
static_assert(is_in_order(kRows));
constexpr auto kTable = infos_of(kRows);
static_assert(kTable.size() == kQuirkCount);
constexpr auto kNames = names_of(kTable);

}  // namespace

std::span<const QuirkInfo> quirk_table() noexcept { return kTable; }
std::span<const std::string_view> quirk_names() noexcept { return kNames; }
std::optional<Quirk> quirk_from(std::string_view name) noexcept { return quirk_named<Quirk>(kNames, name); }

Quirks job_profile() noexcept { return quirks_in<Quirk>(kTable, kNewest); }
Quirks job_1_27_profile() noexcept { return quirks_in<Quirk>(kTable, kOlder); }

std::optional<Quirks> profile_from(std::string_view name) noexcept {
  if (name == "job") return job_profile();
  if (name == "job-1.27") return job_1_27_profile();
  return std::nullopt;
}

}  // namespace pumice::kubejob
