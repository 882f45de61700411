// A run that can be looked at in every step: checkpoints, and between them what happened, to be played again.
//
// A step is played again from three things at most: the user's event, the fact that something happened by itself, or
// the clock's new time. So the history of a step takes a few bytes, whatever the step did; a checkpoint is a whole
// Simulation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pumice/simulation/simulation.h"

namespace pumice::engine {

/// Steps between two checkpoints.
inline constexpr std::int64_t kCheckpointEvery = 64;
/// Pods in all checkpoints together: jobs of many pods get fewer checkpoints.
inline constexpr std::int64_t kCheckpointPodsMax = 400'000;
/// A run longer than this is refused.
inline constexpr std::int64_t kStepsMax = 100'000;

class History {
 public:
  /// `initial` has not begun. Plays step 1.
  explicit History(Simulation initial);

  [[nodiscard]] std::int64_t total() const noexcept { return static_cast<std::int64_t>(moves_.size()); }
  /// The state after the last step.
  [[nodiscard]] const Simulation& latest() const noexcept { return latest_; }
  [[nodiscard]] const StepRecord& latest_record() const noexcept { return *latest_record_; }

  /// Carries out an event and returns its steps.
  std::vector<StepRecord> apply(const UserEvent& event);
  /// Drops all steps behind `step`, which is between 1 and `total()`.
  void go_back(std::int64_t step);

  /// A step and the state after it. `step` 0 is the moment before step 1 and has no record.
  struct Moment {
    std::shared_ptr<const Simulation> state;
    std::shared_ptr<const StepRecord> record;
  };
  /// `step` is between 0 and `total()`. Keeps new checkpoints on the way. Good until the next call of this History.
  [[nodiscard]] Moment at(std::int64_t step);

 private:
  enum class Kind : std::uint8_t { Start, ByItself, Event, Clock };
  struct Move {
    Kind kind = Kind::Start;
    std::uint32_t event = 0;   ///< index into events_, for Event and Clock
    bool shows_event = false;  ///< for Clock: the record holds the event
    Time time;                 ///< for Clock
    std::string refused;       ///< for Clock
  };

  StepRecord play(Simulation& simulation, const Move& move) const;
  void remember(const StepRecord& step, std::uint32_t event);
  void keep(std::int64_t step, const Simulation& state);

  std::int64_t spacing_ = kCheckpointEvery;
  std::map<std::int64_t, Simulation> checkpoints_;  ///< by number of steps played
  std::vector<Move> moves_;
  std::vector<UserEvent> events_;
  Simulation latest_;
  std::shared_ptr<const StepRecord> latest_record_;
  /// The step that was looked at last: its view, its explanation and its records are asked for one after the other.
  std::int64_t sought_ = -1;
  Moment moment_;
};

}  // namespace pumice::engine
