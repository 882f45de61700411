#include "pumice/kubejob/profile.h"

#include <array>

namespace pumice::kubejob {
namespace {

/// Spec 15 ("Differences of the older version"), then what is new or surprising in the newest.
constexpr std::array<QuirkInfo, kQuirkCount> kTable{{
    {Quirk::FailedPodDelaysSync, "failed-pod-delays-sync",
     "a pod that turns Failed makes its job wait 10 s, doubled with each retry up to 6 min, instead of 1 s", false,
     true},
    {Quirk::ForcedRetry, "forced-retry",
     "a sync that found new failures and did not finish the job ends in an error, so that it is tried again", false,
     true},
    {Quirk::ConflictIsNoError, "conflict-is-no-error", "a write conflict is retried but not reported", false, true},
    {Quirk::ShortBackoffCap, "short-backoff-cap", "a failed pod is replaced after at most 6 min instead of 10", false,
     true},
    {Quirk::JobUpdateAtOnce, "job-update-at-once",
     "every update of a job, finished or not, is looked at without the 1 s of batching", false, true},
    {Quirk::DeleteListsPods, "delete-lists-pods",
     "a deleted job queues each of its tracked pods for the orphan worker instead of its selector", false, true},
    {Quirk::LaxOrphanWorker, "lax-orphan-worker",
     "the orphan worker looks neither at the API version of the owner nor at managedBy", false, true},
    {Quirk::DirectTerminal, "direct-terminal",
     "only podFailurePolicy sets an interim condition; others end the job at once, while pods terminate", false, true},
    {Quirk::DeletingIsFailed, "deleting-is-failed",
     "without podFailurePolicy a pod with a deletion timestamp has failed", false, true},
    {Quirk::BackoffShowsNoActive, "backoff-shows-no-active",
     "while a failed pod waits for its replacement, the status shows no active pods", false, true},
    {Quirk::ExpectBeforeChoosing, "expect-before-choosing",
     "creations are expected before the indexes are chosen: if fewer are pending, too many are expected", false, true},
    {Quirk::IndexFromAnnotation, "index-from-annotation",
     "JOB_COMPLETION_INDEX comes from the annotation, and pods have no label with their index", false, true},
    {Quirk::UnknownIndexCounts, "unknown-index-counts", "a failed pod without an index counts as a failure", false,
     true},
    {Quirk::IndexComparedWithMerged, "index-compared-with-merged",
     "an index is new only if neither the status nor another pod of this sync has it", false, true},
    {Quirk::MainContainersFinishOnly, "main-containers-finish-only",
     "sidecars do not matter for the time at which a pod ended", false, true},
    {Quirk::NoManagedBy, "no-managed-by", "managedBy is ignored", false, true},
    {Quirk::NoSuccessPolicy, "no-success-policy", "successPolicy is ignored", false, true},
    {Quirk::NoPerIndexLimits, "no-per-index-limits", "backoffLimitPerIndex and maxFailedIndexes are ignored", false,
     true},
    {Quirk::NoReplacementPolicy, "no-replacement-policy", "podReplacementPolicy is ignored", false, true},
    {Quirk::NoTerminatingCount, "no-terminating-count", "the status has no count of terminating pods", false, true},
    {Quirk::NoCompleteReason, "no-complete-reason", "condition Complete has neither reason nor message", false, true},
    {Quirk::ClearStartOnSuspend, "clear-start-on-suspend", "suspending a job clears its start time", true, false},
    {Quirk::FinishedMarker, "finished-marker",
     "a job whose finish is written is left alone, even while the cache does not show it", true, false},
    // An optional gate, off as upstream ships it.
    {Quirk::ConsistencyCheck, "consistency-check",
     "a job is not looked at before the cache shows the controller's own last write to it", false, false},
    {Quirk::DeletionSeenTwice, "deletion-seen-twice",
     "the deletion of a pod is observed when it begins and when it ends", true, true},
    {Quirk::ReadyUnderreported, "ready-underreported",
     "a ready pod whose deletion fails is missing from the ready count until the next sync", true, true},
    {Quirk::NamespaceKeepsExpectation, "namespace-keeps-expectation",
     "a creation refused because the namespace is terminating stays expected, and the pod counted as active", true,
     true},
    {Quirk::GonePodForgotten, "gone-pod-forgotten",
     "a pod found gone when its finalizer is to go is not remembered: a cache that lags behind has it counted twice",
     true, true},
}};

constexpr Quirks quirks_of(bool QuirkInfo::* column) {
  Quirks quirks;
  for (const QuirkInfo& info : kTable) quirks.set(info.quirk, info.*column);
  return quirks;
}

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<std::size_t>(kTable[i].quirk) != i) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<const QuirkInfo> quirk_table() noexcept { return kTable; }

std::optional<Quirk> quirk_from(std::string_view name) noexcept {
  for (const QuirkInfo& info : kTable)
    if (info.name == name) return info.quirk;
  return std::nullopt;
}

Quirks job_profile() noexcept { return quirks_of(&QuirkInfo::in_job); }
Quirks job_1_27_profile() noexcept { return quirks_of(&QuirkInfo::in_job_1_27); }

std::optional<Quirks> profile_from(std::string_view name) noexcept {
  if (name == "job") return job_profile();
  if (name == "job-1.27") return job_1_27_profile();
  return std::nullopt;
}

}  // namespace pumice::kubejob
