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
//   {pod: p1, container: proxy, exitCode: 0}               pod p1 exit=0 container=proxy   (of a batch/v1 Job: it ends)
//   {pod: w-0, reason: ImagePullBackOff}                   pod w-0 reason=ImagePullBackOff   (stays Pending)
//   {delete: train}, {delete: train, foreground: true}     delete train | delete train foreground
//   {create: train}                                        create train      (once more, behind its deletion)
//   {edit: train, set: {spec.minAvailable: 2}}             edit train spec.minAvailable=2
//   {edit: train, set: {"spec.tasks[w].replicas": 3}}      edit train spec.tasks[w].replicas=3
//   {queue: blue, state: Closed}, {queue: blue, deleted: true}   queue blue Closed | queue blue deleted
// Faults
//   {fault: controllerDown}, {fault: controllerUp}         fault controllerDown | fault controllerUp
//   {fault: controllerRestart, for: 30s, effects: 2}       fault controllerRestart for=30s effects=2
//   {fault: effect, kind: CreatePod, result: timeout, name: w-0, times: 2, done: true}
//                                                          fault effect CreatePod timeout name=w-0 times=2 done
//   {fault: storeError, times: 2}                          fault storeError times=2   (any effect, no reason given)
//   {fault: watch, kind: pods, mode: hold, for: 10s}       fault watch pods hold for=10s
//   {fault: watch, kind: pods, mode: release, count: 1}    fault watch pods release count=1
//   {fault: nodeLost, pods: w-*}, {fault: nodeBack, …}     fault nodeLost w-* | fault nodeBack w-*
//   {fault: quota, pods: 3}, {fault: quotaLifted}          fault quota 3 | fault quotaLifted
//   {fault: mended}                                        fault mended
// Every event may carry `at`: a duration since the start of the simulation (line form: leading `@60s`); the clock is
// first advanced to it. A pod is named in full or without its job's name; `*` stands for any characters. Pods, jobs and
// PodGroups may be named with their namespace, `team-a/w-0`; a name that fits several is refused. Pods of a batch/v1
// Job may also be named by number, `p2` for the second that was made, or by completion index.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pumice/cluster/wire.h"
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
  std::string reason;  ///< why it cannot start: `ImagePullBackOff` …

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
/// Lets time pass until a job is in `phase` or `state` (nothing happens if it is already), until the phase of a job
/// changes, or until nothing more happens by itself.
struct UntilEvent {
  enum class By : std::uint8_t { Phase, Change, Settled, State } by = By::Settled;
  volcano::JobPhase phase = volcano::JobPhase::None;  ///< for `Phase`
  std::string job{};                                  ///< empty: any job
  std::string state{};                                ///< for `State`: of a batch/v1 Job, `Complete` …

  friend bool operator==(const UntilEvent&, const UntilEvent&) = default;
};

/// Asks for the deletion of a job. Its pods and its PodGroup follow by the garbage collector: when the job is gone, or
/// before it, if `foreground`.
struct DeleteEvent {
  std::string job;  ///< empty: the only one
  bool foreground = false;

  friend bool operator==(const DeleteEvent&, const DeleteEvent&) = default;
};
/// Creates a job of the manifests once more, with a uid of its own.
struct CreateEvent {
  std::string job;  ///< empty: the only one

  friend bool operator==(const CreateEvent&, const CreateEvent&) = default;
};
/// Changes fields of a job. Admission looks at the whole, and may refuse it.
struct EditEvent {
  std::string job;  ///< empty: the only one
  /// Path and new value: `spec.tasks[0].replicas` or `spec.tasks[w].replicas`; null takes the field away.
  std::vector<std::pair<std::string, Json>> set;

  friend bool operator==(const EditEvent&, const EditEvent&) = default;
};
struct QueueEvent {
  std::string queue;
  std::string state;  ///< `Open`, `Closed`, `Closing` or `Unknown`
  bool deleted = false;

  friend bool operator==(const QueueEvent&, const QueueEvent&) = default;
};

/// The controller crashes, starts, or both.
struct ControllerFault {
  enum class What : std::uint8_t { Down, Up, Restart } what = What::Restart;
  std::optional<Duration> duration;     ///< how long it is down; absent: until `Up`, or not at all for `Restart`
  std::optional<std::int32_t> effects;  ///< it crashes only when so many effects have been carried out from now on

  friend bool operator==(const ControllerFault&, const ControllerFault&) = default;
};
/// What becomes of notifications.
struct WatchFault {
  enum class Mode : std::uint8_t { Hold, Release, Double, Drop, Relist } mode = Mode::Hold;
  std::optional<WatchKind> kind;      ///< absent: all kinds
  std::optional<Duration> duration;   ///< of Hold, Double and Drop; absent: until Release or Relist
  std::optional<std::int32_t> count;  ///< of Release: only so many, the others wait on

  friend bool operator==(const WatchFault&, const WatchFault&) = default;
};
/// The node below some pods is lost, or comes back.
struct NodeFault {
  std::string pods;  ///< as in PodEvent
  bool back = false;

  friend bool operator==(const NodeFault&, const NodeFault&) = default;
};
/// A ResourceQuota in a namespace: so many pods, or none any more.
struct QuotaFault {
  std::optional<std::int32_t> pods;
  std::string ns;  ///< empty: that of all jobs

  friend bool operator==(const QuotaFault&, const QuotaFault&) = default;
};
/// Nothing goes wrong any more between controller and API server: effects that were to fail, watches that are held,
/// doubled or lost, crashes to come, faults drawn from a seed. A controller that is down stays down.
struct MendFault {
  friend bool operator==(const MendFault&, const MendFault&) = default;
};
struct FaultEvent {
  std::variant<ControllerFault, EffectFault, WatchFault, NodeFault, QuotaFault, MendFault> what;

  friend bool operator==(const FaultEvent&, const FaultEvent&) = default;
};

struct UserEvent {
  std::optional<Duration> at;
  std::variant<PodEvent, PodGroupEvent, CommandEvent, AdvanceEvent, UntilEvent, DeleteEvent, CreateEvent, EditEvent,
               QueueEvent, FaultEvent>
      what;

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

/// True for events that, without a time of their own, mean the cluster as it is when it has calmed down: pods run, and
/// deleted ones are gone. Others are about time itself, or arrange what goes wrong from now on.
[[nodiscard]] bool waits_for_calm(const UserEvent& event) noexcept;

}  // namespace pumice
