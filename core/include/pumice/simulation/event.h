// What can happen in a simulation: the events of a scenario document, on the user's word.
//
// As JSON or YAML mapping                                as a line (`pumice simulate --event '…'`)
//   {pod: w-0, phase: Running}                             pod w-0 Running
//   {pod: w-0, phase: Failed, exitCode: 137}               pod w-0 Failed exit=137
//   {pod: w-*, phase: Succeeded}                           pod w-* Succeeded
//   {pod: w-0, container: main, exitCode: 1, phase: …}     pod w-0 Failed exit=1 container=main
//   {pod: w-0, restarts: 3}                                pod w-0 restarts=3
//   {pod: w-0, ready: true}                                pod w-0 ready | pod w-0 unready
//   {pod: w-0, deleted: true}                              pod w-0 deleted   (deletion asked for; `evicted` likewise)
//   {pod: w-0, gone: true}                                 pod w-0 gone      (the object vanished)
//   {podGroup: train, phase: Inqueue}                      podgroup train Inqueue   (one job: no name needed)
//   {command: AbortJob, job: train}                        command AbortJob train   (likewise)
//   {advance: 30s}, {advance: next}, {advance: nextTimer}  advance 30s | advance next | advance nextTimer
//   {until: Running}, {until: change}, {until: settled}    until Running | until change | until settled
// Every event may carry `at`: a duration since the start of the simulation (line form: leading `@60s`); the clock is
// first advanced to it. A pod is named in full or without its job's name; `*` stands for any characters. Pods, jobs and
// PodGroups may be named with their namespace, `team-a/w-0`; a name that fits several is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "pumice/json.h"
#include "pumice/model/pod.h"
#include "pumice/result.h"
#include "pumice/time.h"

namespace pumice {

struct PodEvent {
  std::string pod;  ///< full or short name, may hold `*`
  std::optional<PodPhase> phase;
  std::optional<std::int32_t> exit_code;
  std::string container;  ///< empty: the first one
  std::optional<std::int32_t> restarts;
  std::optional<bool> ready;
  bool deleted = false;
  bool evicted = false;  ///< as `deleted`, said in the words of the scheduler
  bool gone = false;

  friend bool operator==(const PodEvent&, const PodEvent&) = default;
};
struct PodGroupEvent {
  std::string job;  ///< job name or PodGroup name; empty: the only one
  PodGroupPhase phase = PodGroupPhase::None;

  friend bool operator==(const PodGroupEvent&, const PodGroupEvent&) = default;
};
struct CommandEvent {
  std::string job;  ///< empty: the only one
  std::string action;

  friend bool operator==(const CommandEvent&, const CommandEvent&) = default;
};
/// Lets time pass. `next`: to the next thing that happens by itself; `nextTimer`: to the next delayed action.
struct AdvanceEvent {
  enum class By : std::uint8_t { Duration, Next, NextTimer } by = By::Duration;
  Duration duration;

  friend bool operator==(const AdvanceEvent&, const AdvanceEvent&) = default;
};
/// Lets time pass until a job is in `phase` (nothing happens if it is already), until the phase of a job changes, or
/// until nothing more happens by itself.
struct UntilEvent {
  enum class By : std::uint8_t { Phase, Change, Settled } by = By::Settled;
  volcano::JobPhase phase = volcano::JobPhase::None;  ///< for `Phase`
  std::string job;                                    ///< empty: any job

  friend bool operator==(const UntilEvent&, const UntilEvent&) = default;
};

struct UserEvent {
  std::optional<Duration> at;
  std::variant<PodEvent, PodGroupEvent, CommandEvent, AdvanceEvent, UntilEvent> what;

  friend bool operator==(const UserEvent&, const UserEvent&) = default;
};

/// Reads the mapping form. An action nobody knows but that is near a known one gives a warning. Diagnostics name the
/// member (`exitCode`), code `InvalidEvent`.
[[nodiscard]] Result<UserEvent> read_event(const Json& object);
/// Reads the line form.
[[nodiscard]] Result<UserEvent> parse_event(std::string_view line);
[[nodiscard]] Json to_json(const UserEvent& event);
/// The line form; parse_event(to_line(e)) == e.
[[nodiscard]] std::string to_line(const UserEvent& event);

}  // namespace pumice
