// What is imitated, as a table of named differences (spec/k8s-job.md 15, 17; design.md 2 "Profiles and quirks").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
inline constexpr std::size_t kQuirkCount = 28;

class Quirks {
 public:
  [[nodiscard]] constexpr bool has(Quirk quirk) const noexcept { return (bits_ >> static_cast<unsigned>(quirk)) & 1U; }
  constexpr void set(Quirk quirk, bool on) noexcept {
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(quirk);
    bits_ = on ? bits_ | bit : bits_ & ~bit;
  }
  friend bool operator==(const Quirks&, const Quirks&) = default;

 private:
  std::uint32_t bits_ = 0;
};

struct QuirkInfo {
  Quirk quirk;
  std::string_view name;     ///< as it is switched: `direct-terminal`
  std::string_view summary;  ///< what happens while it is on, in one clause
  bool in_job;               ///< on in profile `job`
  bool in_job_1_27;          ///< on in profile `job-1.27`
};
/// All of them, in the order of the enumeration.
[[nodiscard]] std::span<const QuirkInfo> quirk_table() noexcept;
[[nodiscard]] std::optional<Quirk> quirk_from(std::string_view name) noexcept;

/// `job` or `job-1.27`; absent for any other name.
[[nodiscard]] std::optional<Quirks> profile_from(std::string_view name) noexcept;
[[nodiscard]] Quirks job_profile() noexcept;
[[nodiscard]] Quirks job_1_27_profile() noexcept;

}  // namespace pumice::kubejob
