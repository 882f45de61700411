// Which Volcano Job controller is imitated: a table of named surprises and differences (spec/volcano-job.md 12 and 13,
// spec/volcano-plugins.md; design.md 2 "Profiles and quirks").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "pumice/quirk.h"

namespace pumice::volcano {

enum class Profile : std::uint8_t {
  Volcano,  ///< `volcano`: the controller as the specification describes it
  Classic,  ///< `volcano-classic`: before it marked pods that it deletes itself (spec 13)
};

/// Named after what happens while it is on; `quirk_table` says it in full.
enum class Quirk : std::uint8_t {
  // Policies and events (spec 12 no. 4 - 13).
  FirstContainerExitCode,
  ExitCodeAnyEvent,
  UnknownWithoutVersion,
  EmptyTargetRestarts,
  TaskFailedRepeats,
  NoJobUpdated,
  FinishBeforePolicy,
  AddedIsPending,
  MissedFailures,
  FinishedIsEvicted,
  // Versions and identity (14 - 18).
  NewerVersionPasses,
  FailedKillBumps,
  LeftoversCounted,
  CommandIgnoresUid,
  // Delayed actions (19 - 25).
  DelaySkipsSync,
  ExpiryUnchecked,
  KilledPodKeepsTimer,
  ReplacedTimerFires,
  TimerOutlivesJob,
  RestartKeepsTimers,
  PartitionClearsOthers,
  SucceededKeepsTimer,
  // Restart and abort (26 - 31).
  TargetedUsesRetry,
  MaxRetryCountsRuns,
  ResumeUsesRetry,
  RestartingDeaf,
  StoredCountsDecide,
  TargetedDropsPlugins,
  // Counts and completion (32 - 40).
  KillClearsCounts,
  FailedCountsAsStarted,
  CompletedWhileRunning,
  ShrunkFallsBack,
  MarkedCountedTwice,
  ZeroMinimumRuns,
  TransitionTimeMoves,
  DurationDropped,
  // Errors and limits (41 - 48).
  MissingQueueTerminates,
  FailureCountSurvives,
  ScaleDownEvicts,
  FailedCreateStopsSync,
  UnknownActionActs,
  // Plugins (spec/volcano-plugins.md 1, 3, 6 - 8).
  SshHostsStale,
  MastersRankZero,
  PortNameDoubled,
  RayTargetsName,
  // Only of the older controller (13).
  TerminatingIsGone,
  AddWithoutTask,
  NoMarks,
  UnknownPodEvicted,
  WideVersion,
  NoRestartPartition,
  DeletionMakesEntry,
  ErrorTaskStuck,
  LimitWithoutEvent,
  TargetedDropsGroup,
};
inline constexpr std::size_t kQuirkCount = static_cast<std::size_t>(Quirk::TargetedDropsGroup) + 1;
static_assert(kQuirkCount <= 64);

class Quirks : public QuirkSet<Quirk> {
 public:
  constexpr Quirks() = default;
  constexpr Quirks(QuirkSet<Quirk> set) noexcept : QuirkSet(set) {}  // NOLINT(google-explicit-constructor)

  /// All that `profile` has. What the table says, known while compiling.
  [[nodiscard]] static constexpr Quirks of(Profile profile) noexcept {
    Quirks quirks;
    for (std::size_t i = 0; i < kQuirkCount; ++i) {
      const auto quirk = static_cast<Quirk>(i);
      const bool older_only = quirk >= Quirk::TerminatingIsGone;
      // The older controller knows no partitions.
      const bool newer_only = quirk == Quirk::PartitionClearsOthers;
      quirks.set(quirk, profile == Profile::Classic ? !newer_only : !older_only);
    }
    return quirks;
  }
};
/// The default everywhere.
inline constexpr Quirks kVolcanoQuirks = Quirks::of(Profile::Volcano);

/// Descriptions and names, in the order of the enumeration.
[[nodiscard]] std::span<const QuirkInfo> quirk_table() noexcept;
[[nodiscard]] std::span<const std::string_view> quirk_names() noexcept;
[[nodiscard]] std::string_view to_string(Quirk quirk) noexcept;
[[nodiscard]] std::optional<Quirk> quirk_from(std::string_view name) noexcept;

[[nodiscard]] std::string_view to_string(Profile profile) noexcept;  ///< `volcano`, `volcano-classic`
[[nodiscard]] std::optional<Profile> profile_from(std::string_view name) noexcept;

}  // namespace pumice::volcano
