#include "pumice/kubejob/effect.h"

#include <array>

#include "pumice/kubejob/trace.h"

namespace pumice::kubejob {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<EffectBody>> kEffectNames{
    "CreatePod", "DeletePod",       "RemoveFinalizer", "AdoptPod", "ReleasePod",
    "GetJob",    "UpdateJobStatus", "DeleteJob",       "EmitEvent"};

constexpr std::array<std::string_view, 9> kResultNames{
    "Ok", "NotFound", "AlreadyExists", "Conflict", "Forbidden", "Invalid", "Timeout", "NamespaceTerminating", "Other"};

}  // namespace

std::string_view effect_name(const EffectBody& body) noexcept { return kEffectNames[body.index()]; }

std::string_view to_string(ResultCode code) noexcept { return kResultNames[static_cast<std::size_t>(code)]; }

std::optional<ResultCode> result_code_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kResultNames.size(); ++i)
    if (kResultNames[i] == text) return static_cast<ResultCode>(i);
  return std::nullopt;
}

std::string EffectResult::error_text() const { return message.empty() ? std::string(to_string(code)) : message; }

std::string_view to_string(ObserveOutcome outcome) noexcept {
  switch (outcome) {
    case ObserveOutcome::Queued: return "Queued";
    case ObserveOutcome::Batched: return "Batched";
    case ObserveOutcome::OrphanQueued: return "OrphanQueued";
    case ObserveOutcome::SameResourceVersion: return "SameResourceVersion";
    case ObserveOutcome::JobUnknown: return "JobUnknown";
    case ObserveOutcome::JobFinished: return "JobFinished";
    case ObserveOutcome::NobodyMatches: return "NobodyMatches";
  }
  return "";
}

std::string_view to_string(Seen seen) noexcept {
  switch (seen) {
    case Seen::JobAdded: return "JobAdded";
    case Seen::JobUpdated: return "JobUpdated";
    case Seen::JobDeleted: return "JobDeleted";
    case Seen::PodAdded: return "PodAdded";
    case Seen::PodUpdated: return "PodUpdated";
    case Seen::PodDeleted: return "PodDeleted";
  }
  return "";
}

std::string_view to_string(SyncOutcome outcome) noexcept {
  switch (outcome) {
    case SyncOutcome::Synced: return "Synced";
    case SyncOutcome::BadKey: return "BadKey";
    case SyncOutcome::StaleCache: return "StaleCache";
    case SyncOutcome::JobNotCached: return "JobNotCached";
    case SyncOutcome::ManagedByOther: return "ManagedByOther";
    case SyncOutcome::Finished: return "Finished";
    case SyncOutcome::FinishWritten: return "FinishWritten";
    case SyncOutcome::UnknownMode: return "UnknownMode";
    case SyncOutcome::Failed: return "Failed";
  }
  return "";
}

std::string_view to_string(ManageStep step) noexcept {
  switch (step) {
    case ManageStep::NotReached: return "NotReached";
    case ManageStep::ConditionMet: return "ConditionMet";
    case ManageStep::ExpectationsUnmet: return "ExpectationsUnmet";
    case ManageStep::JobDeleting: return "JobDeleting";
    case ManageStep::Suspended: return "Suspended";
    case ManageStep::Removed: return "Removed";
    case ManageStep::Enough: return "Enough";
    case ManageStep::WaitsForTerminating: return "WaitsForTerminating";
    case ManageStep::BackingOff: return "BackingOff";
    case ManageStep::Created: return "Created";
    case ManageStep::NothingPending: return "NothingPending";
  }
  return "";
}

std::string_view to_string(TtlOutcome outcome) noexcept {
  switch (outcome) {
    case TtlOutcome::JobNotCached: return "JobNotCached";
    case TtlOutcome::NotEligible: return "NotEligible";
    case TtlOutcome::TooEarly: return "TooEarly";
    case TtlOutcome::Gone: return "Gone";
    case TtlOutcome::Deleted: return "Deleted";
    case TtlOutcome::Failed: return "Failed";
  }
  return "";
}

}  // namespace pumice::kubejob
