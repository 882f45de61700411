// What is imitated, as a table of named differences (spec/k8s-job.md 15, 17; design.md 2 "Profiles and quirks").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "pumice/quirk.h"

namespace pumice::kubejob {

/// Differences between releases, and surprises that a fix would change.
enum class Quirk : std::uint8_t {
  FailedPodDelaysSync,
  ForcedRetry,
  ConflictIsNoError,
  ShortBackoffCap,
  JobUpdateAtOnce,
  DeleteListsPods,
  LaxOrphanWorker,
  DirectTerminal,
  DeletingIsFailed,
  BackoffShowsNoActive,
  ExpectBeforeChoosing,
  IndexFromAnnotation,
  UnknownIndexCounts,
  IndexComparedWithMerged,
  MainContainersFinishOnly,
  NoManagedBy,
  NoSuccessPolicy,
  NoPerIndexLimits,
  NoReplacementPolicy,
  NoTerminatingCount,
  NoCompleteReason,
  ClearStartOnSuspend,
  FinishedMarker,
  ConsistencyCheck,
  DeletionSeenTwice,
  ReadyUnderreported,
  NamespaceKeepsExpectation,
  GonePodForgotten,
};
inline constexpr std::size_t kQuirkCount = static_cast<std::size_t>(Quirk::GonePodForgotten) + 1;

using Quirks = QuirkSet<Quirk>;

/// Descriptions and names, in the order of the enumeration.
[[nodiscard]] std::span<const QuirkInfo> quirk_table() noexcept;
[[nodiscard]] std::span<const std::string_view> quirk_names() noexcept;
[[nodiscard]] std::optional<Quirk> quirk_from(std::string_view name) noexcept;

/// `job` or `job-1.27`; absent for any other name.
[[nodiscard]] std::optional<Quirks> profile_from(std::string_view name) noexcept;
[[nodiscard]] Quirks job_profile() noexcept;
[[nodiscard]] Quirks job_1_27_profile() noexcept;

}  // namespace pumice::kubejob
