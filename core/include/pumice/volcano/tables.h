// The Volcano Job controller's vocabulary and state diagram as data (spec/volcano-job.md 2, 7.6). Documentation, the
// page's diagram and completion are made from these tables; a test holds the transitions and the state machine
// together.
#pragma once

#include <span>
#include <string_view>

#include "pumice/volcano/names.h"

namespace pumice::volcano {

struct PhaseInfo {
  JobPhase phase = JobPhase::None;
  bool transitional = false;  ///< the controller is on its way to another phase
  std::string_view meaning;
};

/// One edge of the state diagram. `JobPhase::None` is a job that was never synced.
struct TransitionInfo {
  JobPhase from = JobPhase::None;
  JobPhase to = JobPhase::None;
  std::string_view cause;
};

struct EventInfo {
  Event event = Event::None;
  bool allowed_in_policy = false;  ///< by admission (spec 2.1, last column)
  std::string_view meaning;
};

struct ActionInfo {
  Action action = Action::None;
  bool allowed_in_policy = false;  ///< by admission (spec 2.2)
  std::string_view meaning;
};

/// The ten phases in the order of a job's life.
[[nodiscard]] std::span<const PhaseInfo> phase_table() noexcept;
/// Every transition that exists; there is no other (spec 7.6).
[[nodiscard]] std::span<const TransitionInfo> transition_table() noexcept;
/// All events but the empty one.
[[nodiscard]] std::span<const EventInfo> event_table() noexcept;
/// All actions but the empty one.
[[nodiscard]] std::span<const ActionInfo> action_table() noexcept;

}  // namespace pumice::volcano
