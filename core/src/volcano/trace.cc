#include "pumice/volcano/trace.h"

namespace pumice::volcano {

std::string_view to_string(ObjectKind kind) noexcept {
  switch (kind) {
    case ObjectKind::Job: return "Job";
    case ObjectKind::Pod: return "Pod";
    case ObjectKind::PodGroup: return "PodGroup";
    case ObjectKind::Command: return "Command";
    case ObjectKind::Queue: return "Queue";
  }
  return "";
}

std::string_view to_string(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::Added: return "added";
    case ChangeKind::Updated: return "updated";
    case ChangeKind::Deleted: return "deleted";
  }
  return "";
}

std::string_view to_string(ObserveOutcome outcome) noexcept {
  switch (outcome) {
    case ObserveOutcome::Queued: return "Queued";
    case ObserveOutcome::Merged: return "Merged";
    case ObserveOutcome::CommandTaken: return "CommandTaken";
    case ObserveOutcome::SameResourceVersion: return "SameResourceVersion";
    case ObserveOutcome::NotOfAJob: return "NotOfAJob";
    case ObserveOutcome::AnnotationMissing: return "AnnotationMissing";
    case ObserveOutcome::VersionUnreadable: return "VersionUnreadable";
    case ObserveOutcome::SpecAndPhaseSame: return "SpecAndPhaseSame";
    case ObserveOutcome::PhaseSame: return "PhaseSame";
    case ObserveOutcome::NoCallback: return "NoCallback";
    case ObserveOutcome::NotForAJob: return "NotForAJob";
    case ObserveOutcome::Resynced: return "Resynced";
    case ObserveOutcome::ResyncFailed: return "ResyncFailed";
  }
  return "";
}

std::string_view to_string(TimerOp op) noexcept {
  switch (op) {
    case TimerOp::Started: return "started";
    case TimerOp::Ignored: return "ignored";
    case TimerOp::Replaced: return "replaced";
    case TimerOp::Cancelled: return "cancelled";
    case TimerOp::Cleared: return "cleared";
    case TimerOp::Expired: return "expired";
  }
  return "";
}

std::string_view to_string(ProcessOutcome outcome) noexcept {
  switch (outcome) {
    case ProcessOutcome::Executed: return "Executed";
    case ProcessOutcome::Delayed: return "Delayed";
    case ProcessOutcome::JobNotCached: return "JobNotCached";
    case ProcessOutcome::JobDeleting: return "JobDeleting";
    case ProcessOutcome::EmptyPartition: return "EmptyPartition";
    case ProcessOutcome::Requeued: return "Requeued";
    case ProcessOutcome::GaveUp: return "GaveUp";
    case ProcessOutcome::Outdated: return "Outdated";
  }
  return "";
}

namespace {
struct EffectName {
  std::string_view operator()(const CreatePod&) const { return "CreatePod"; }
  std::string_view operator()(const MarkPod&) const { return "MarkPod"; }
  std::string_view operator()(const DeletePod&) const { return "DeletePod"; }
  std::string_view operator()(const ReadPod&) const { return "ReadPod"; }
  std::string_view operator()(const CreateObject&) const { return "CreateObject"; }
  std::string_view operator()(const UpdateObject&) const { return "UpdateObject"; }
  std::string_view operator()(const DeleteObject&) const { return "DeleteObject"; }
  std::string_view operator()(const UpdateJob&) const { return "UpdateJob"; }
  std::string_view operator()(const CreatePodGroup&) const { return "CreatePodGroup"; }
  std::string_view operator()(const UpdatePodGroup&) const { return "UpdatePodGroup"; }
  std::string_view operator()(const DeletePodGroup&) const { return "DeletePodGroup"; }
  std::string_view operator()(const UpdateJobStatus&) const { return "UpdateJobStatus"; }
  std::string_view operator()(const DeleteCommand&) const { return "DeleteCommand"; }
  std::string_view operator()(const EmitEvent&) const { return "EmitEvent"; }
};
}  // namespace

std::string_view effect_name(const EffectBody& body) noexcept { return std::visit(EffectName{}, body); }

std::string_view to_string(ResultCode code) noexcept {
  switch (code) {
    case ResultCode::Ok: return "ok";
    case ResultCode::NotFound: return "not found";
    case ResultCode::AlreadyExists: return "already exists";
    case ResultCode::Conflict: return "conflict";
    case ResultCode::Forbidden: return "forbidden";
    case ResultCode::Timeout: return "timed out";
    case ResultCode::Other: return "error";
  }
  return "";
}

}  // namespace pumice::volcano
