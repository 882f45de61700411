// What a kubelet does with one pod: containers in their order, their ends, restarts with back-off, and stopping.
//
// Facts follow the kubelet of Kubernetes 1.33 and later, as far as a Job can tell:
//   - init containers run one after the other; a sidecar among them (`restartPolicy: Always`) is only started, and the
//     next one does not wait for its end; main containers start when all init containers are through;
//   - with restartPolicy OnFailure a container that fails is started again, with Never it is not; sidecars always are;
//   - the first restart comes at once, the next ones after 10 s, 20 s … 5 min; 10 minutes without a restart begin anew;
//   - when all main containers have ended for good, sidecars are stopped in reverse order, one after the other, and the
//     pod ends; a plain container that never ends keeps its pod running;
//   - stopping a pod stops its main containers together and its sidecars after them; what has not ended when the grace
//     period is over is killed with 137; a pod that was stopped ends Succeeded only if every main container exited 0.
// Times that a real kubelet takes are those of `Timings`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/kubejob/model.h"
#include "pumice/time.h"

namespace pumice::kubeworld {

inline constexpr Duration kRestartBackoffBase = seconds(10);
inline constexpr Duration kRestartBackoffMax = seconds(300);
inline constexpr Duration kRestartBackoffReset = seconds(600);
inline constexpr std::int32_t kKilledExitCode = 137;
inline constexpr std::int32_t kTermExitCode = 143;  ///< what a process that does not catch SIGTERM ends with

/// How long the cluster takes for what it does by itself.
struct Timings {
  Duration start = seconds(2);    ///< pod created -> its first container runs
  Duration init = seconds(1);     ///< how long an ordinary init container runs
  Duration stop = seconds(1);     ///< SIGTERM -> the container has ended
  Duration run = seconds(10);     ///< how long main containers run, where they end by themselves
  Duration collect = seconds(1);  ///< owner deleted -> the garbage collector deals with what it owned

  friend bool operator==(const Timings&, const Timings&) = default;
};

/// What kubelets do without being told.
struct Pace {
  Timings timings;
  bool kubelet = true;  ///< starts pods, runs init containers, restarts, stops
  bool finish = false;  ///< main containers end with exit code 0 after `timings.run`

  friend bool operator==(const Pace&, const Pace&) = default;
};

enum class ContainerKind : std::uint8_t { Init, Sidecar, Main };
[[nodiscard]] std::string_view to_string(ContainerKind kind) noexcept;  ///< `init`, `sidecar`, `main`

/// What is known of a container before it runs. The optional parts come from annotations of the pod:
///   pumice.dev/run-for: 30s             it ends by itself after this time, also without `Pace::finish`; `forever`
///   pumice.dev/exit-code: "1"           and then with this exit code
///   pumice.dev/sigterm-exit-code: "0"   how it ends when it is stopped; `ignored`: it runs until it is killed
/// `pumice.dev/run-for.proxy` and its like are for the container `proxy` alone.
struct ContainerPlan {
  std::string name;
  ContainerKind kind = ContainerKind::Main;
  std::optional<Duration> run_for;
  bool runs_forever = false;
  std::optional<std::int32_t> exit_code;
  std::int32_t sigterm_exit_code = kTermExitCode;
  bool ignores_sigterm = false;

  friend bool operator==(const ContainerPlan&, const ContainerPlan&) = default;
};
/// All of a pod, shared by the pods of one version of a template.
struct PodPlan {
  std::vector<ContainerPlan> containers;  ///< init containers and sidecars in their order, then main containers
  bool restarts_on_failure = false;
  std::int64_t grace_seconds = 30;     ///< `terminationGracePeriodSeconds`
  std::optional<Duration> deadline{};  ///< the pod's own `activeDeadlineSeconds`
};
/// Annotations that cannot be read are left out, and told of in `problems` with the annotation as field.
[[nodiscard]] PodPlan plan_of(const Json& spec, const StringMap& annotations, Diagnostics* problems = nullptr);

enum class ContainerState : std::uint8_t { Waiting, Running, Terminated };
[[nodiscard]] std::string_view to_string(ContainerState state) noexcept;  ///< `waiting`, `running`, `terminated`

struct ContainerRun {
  ContainerState state = ContainerState::Waiting;
  bool has_ended = false;  ///< at least once
  bool signalled = false;  ///< SIGTERM is sent
  std::int32_t exit_code = 0;
  std::int32_t restarts = 0;
  Time finished{};            ///< the last time
  std::optional<Time> due{};  ///< Running: ends; Waiting: starts again
  Time backoff_since{};       ///< the last restart
  Duration backoff{};         ///< before the next one; 0: none was needed yet

  friend bool operator==(const ContainerRun&, const ContainerRun&) = default;
};

/// The next thing that happens to a pod by itself.
enum class PodStep : std::uint8_t {
  Start,              ///< it is bound to a node, and its first containers start
  EndContainers,      ///< containers end by themselves
  RestartContainers,  ///< their back-off is over
  Stop,               ///< containers that were told to stop have
  Deadline,           ///< its own active deadline is over
};
[[nodiscard]] std::string_view to_string(PodStep step) noexcept;
struct NextStep {
  Time due;
  PodStep step = PodStep::Start;

  friend auto operator<=>(const NextStep&, const NextStep&) = default;
};

struct PodRun {
  std::shared_ptr<const PodPlan> plan;
  std::vector<ContainerRun> containers;  ///< as in the plan
  std::optional<Time> start_due{};       ///< when it starts, or tries again to
  bool bound = false;                    ///< it has a node
  std::string reason{};                  ///< why it cannot start, or has ended so: `Unschedulable`, `ErrImagePull` …
  std::optional<Time> bound_at{};
  bool unready = false;                   ///< it runs, and a probe says no
  bool lost = false;                      ///< its node does not answer
  bool stopping = false;                  ///< it is being deleted
  Time kill_at{};                         ///< end of the grace period
  std::optional<Time> stop_due{};         ///< of a pod that is stopped while nothing runs in it
  bool stopped = false;                   ///< nothing runs any more, its object may go
  std::optional<PodPhase> final_phase{};  ///< it has ended, or somebody said what it is

  [[nodiscard]] bool has_ended() const noexcept;
};

/// A pod that is new.
[[nodiscard]] PodRun new_run(std::shared_ptr<const PodPlan> plan, Time now, const Pace& pace);

[[nodiscard]] PodPhase phase_of(const PodRun& run) noexcept;
/// Every main container and sidecar runs.
[[nodiscard]] bool is_ready(const PodRun& run) noexcept;
[[nodiscard]] std::optional<NextStep> next_step(const PodRun& run, const Pace& pace);
/// Does all that is due.
void carry_on(PodRun& run, Time now, const Pace& pace);
/// The containers that act at `next`: names, for words.
[[nodiscard]] std::vector<std::string> acting(const PodRun& run, NextStep next);

// What others do to a pod.

/// Init containers are through, main containers and sidecars run.
void run_all(PodRun& run, Time now, const Pace& pace);
/// A container that runs ends. What follows from it follows: restarts, the next container, the end of the pod.
void end_container(PodRun& run, std::size_t container, std::int32_t exit_code, Time now, const Pace& pace);
/// The pod ends now, whatever runs in it. `container` ends with `exit_code`, others that run with 0.
void end_pod(PodRun& run, PodPhase phase, std::size_t container, std::int32_t exit_code, Time now);
/// It is being deleted; the grace is over at `kill_at`.
void begin_stop(PodRun& run, Time kill_at, Time now, const Pace& pace);
/// A reason why it cannot start; empty: it can from now on.
void set_obstacle(PodRun& run, std::string reason, Time now, const Pace& pace);

/// Words that `set_obstacle` takes: `Unschedulable`, `ErrImagePull`, `ImagePullBackOff` …
[[nodiscard]] const std::vector<std::string_view>& obstacle_words();
/// What a container waits for: `ContainerCreating`, `PodInitializing`, `CrashLoopBackOff`, the obstacle; empty if it
/// does not wait or has no node.
[[nodiscard]] std::string waiting_reason(const PodRun& run, std::size_t container);
/// The main container, or the first.
[[nodiscard]] std::size_t first_main(const PodPlan& plan) noexcept;
[[nodiscard]] std::optional<std::size_t> find_container(const PodPlan& plan, std::string_view name) noexcept;

/// Writes what the kubelet reports into the pod; false if it is there already.
bool report(const PodRun& run, kubejob::Pod& pod, Time now);

}  // namespace pumice::kubeworld
