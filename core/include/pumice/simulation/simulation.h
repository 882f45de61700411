// A whole simulation: the Volcano controller and the simulated cluster on one virtual clock.
//
//   user event ──> Cluster ──notifications──> Controller ──effects──> Cluster ──> … until both are quiet   = one step
//
// A step is one event with all that the controller does until its queues are empty. What the cluster does by itself
// (taking in a PodGroup, starting pods, removing deleted ones) is scheduled on the clock and is a step of its own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/cluster/cluster.h"
#include "pumice/cluster/wire.h"
#include "pumice/kubeworld/world.h"
#include "pumice/result.h"
#include "pumice/simulation/event.h"
#include "pumice/simulation/side_controllers.h"
#include "pumice/volcano/controller.h"
#include "pumice/yaml.h"

namespace pumice {

struct SimulationSources;  // positions of the manifests, shared by all copies of a simulation

/// How much the simulated cluster does by itself.
enum class Automation : std::uint8_t {
  Manual,  ///< nothing: every change is the user's word
  Assist,  ///< takes in PodGroups, starts pods whose gang is complete, removes deleted pods
  Auto,    ///< the same, and running pods succeed after `ClusterTimings::run`
};
[[nodiscard]] std::string_view to_string(Automation automation) noexcept;  ///< `manual`, `assist`, `auto`
[[nodiscard]] std::optional<Automation> automation_from(std::string_view text) noexcept;

struct SimulationOptions {
  Time start{1'772'442'000'000'000'000};  ///< 2026-03-02T09:00:00Z
  Automation automation = Automation::Assist;
  ClusterTimings timings;
  volcano::ControllerConfig controller;
  jobflow::Quirks flow_quirks = jobflow::Quirks::upstream();
  kubejob::Quirks kube_quirks = kubejob::job_profile();  ///< of the controller of batch/v1 Jobs
  std::int64_t pods_max = 200'000;                       ///< sum of replicas over all jobs; more is an error
  RandomFaults faults;              ///< drawn from a seed, for Volcano Jobs; none if `per_million` is 0
  std::int64_t steps_max = 10'000;  ///< an `until` or `advance` that needs more stops with a note
};

/// Where the clock of a simulation that begins at `start` ends: 292 years later, in April 2262 at the latest. What
/// would come at this time or behind it never does, and the clock is never moved there.
[[nodiscard]] Time end_of_time(Time start) noexcept;
/// `the end of time that can be simulated, 2262-04-11T23:47:16Z`.
[[nodiscard]] std::string end_of_time_text(Time start);

/// A text with manifests, as the user gave it.
struct SourceText {
  std::string file;
  std::string text;
};

/// What a step did to one job.
struct JobChange {
  std::string job_key;
  volcano::PhaseName phase_before;
  volcano::PhaseName phase_after;
  std::int32_t retry_before = 0;
  std::int32_t retry_after = 0;
  std::int32_t version_before = 0;
  std::int32_t version_after = 0;
  bool gone = false;  ///< the job was deleted; what is `after` was its last state
};

/// What a step did to one JobFlow.
struct FlowChange {
  std::string flow_key;
  std::string phase_before;  ///< empty: new
  std::string phase_after;
};

/// Where a step came from.
/// `Fault`: something that went wrong is mended by itself, as a hold ends or the controller starts.
enum class StepSource : std::uint8_t { User, Cluster, Timer, Clock, Fault };
[[nodiscard]] std::string_view to_string(StepSource source) noexcept;  ///< `user`, `cluster`, `timer` …

struct StepRecord {
  std::int64_t index = 0;  ///< counts from 1; step 1 creates the objects of the manifests
  Time time;
  Duration elapsed;  ///< since the start
  StepSource source = StepSource::User;
  std::optional<UserEvent> event;       ///< for `User`
  std::optional<ClusterAction> action;  ///< for `Cluster`: what the cluster did by itself
  std::string refused;                  ///< not empty: the event was impossible and nothing happened; says why
  std::vector<volcano::Record> records;
  std::int64_t records_total = 0;   ///< `records` holds at most `kStepRecordsMax`
  std::vector<JobChange> changes;   ///< jobs that differ after the step, by key
  std::vector<FaultRecord> faults;  ///< what went wrong between controller and API server, or was mended
  std::vector<SideRecord> side;     ///< of JobFlows, JobTemplates and the TTL; at most `kStepRecordsMax`
  std::int64_t side_total = 0;
  std::vector<FlowChange> flows;                 ///< JobFlows whose phase differs after the step, by key
  std::optional<kubeworld::Action> kube_action;  ///< for `Cluster`: what the cluster did about a batch/v1 Job
  kubeworld::Outcome kube;                       ///< of the controllers of batch/v1 Jobs
};
inline constexpr std::size_t kStepRecordsMax = 2000;
/// One event stops after this many kept records in all its steps, so that memory stays bounded (about 200 MB).
inline constexpr std::size_t kEventRecordsMax = 100'000;
/// A job whose phase changes more often than this within one step would do so for ever: the step ends there.
inline constexpr std::int32_t kPhaseChangesMax = 100;
/// JobFlows and the TTL take at most this many turns within one step; more would be for ever.
inline constexpr std::int32_t kSideRoundsMax = 10'000;

/// One entry of the event palette.
struct PaletteEntry {
  std::string group;  ///< `Time`, `PodGroup <name>`, `Task <name>`, `Command`, `Faults`
  std::string label;
  UserEvent event;
  std::string disabled;  ///< why it cannot happen now; empty: it can
};

/// Something that keeps a job from going on, for "nothing more happens by itself".
struct Waiting {
  std::string job_key;
  std::string code;  ///< `GangIncomplete`, `PodGroupPending`, `PodsRunning`, `DependsOn`, `Final`, `PodsEnded` …
  std::string text;  ///< plain words
};

/// Value type: copying it is a checkpoint.
class Simulation {
 public:
  /// Reads the manifests and sets the clock, without a step. Errors: nothing simulatable, wrong manifests, limits.
  /// Kinds that are not simulated are reported as warnings `KindNotSimulated`.
  [[nodiscard]] static Result<Simulation> create(const std::vector<SourceText>& sources,
                                                 const SimulationOptions& options);

  /// Creates the jobs (step 1). Must be called first, once.
  StepRecord start();
  /// Carries out one event of the user. Usually one step; `advance` and `until` give one for each thing that happens on
  /// the way, and at least one. A refused event gives one step with `refused` set. What a delayed action is due for now
  /// happens in this instant, by steps of its own: before an event that is given, and after what the event brought
  /// about (spec 5, appendix A).
  std::vector<StepRecord> apply(const UserEvent& event);
  /// The step of the event alone. Precondition: it is neither `advance` nor `until`, and its own time, if any, is now.
  StepRecord apply_now(const UserEvent& event);
  /// The next thing that happens by itself (cluster or timer), with the clock moved to it; absent if there is none.
  std::optional<StepRecord> next();
  /// A step in which nothing but the clock moves; `refused`, if not empty, says why it is no more than that. Together
  /// with `start`, `apply` and `next` it lets a run be played again step by step. Precondition: nothing is due up to
  /// `target`, or `target` is not later than now.
  StepRecord clock_step(Time target, std::string refused);

  [[nodiscard]] Time now() const noexcept;
  [[nodiscard]] const SimulationOptions& options() const noexcept;
  [[nodiscard]] const volcano::Controller& controller() const noexcept;
  [[nodiscard]] const Cluster& cluster() const noexcept;
  /// batch/v1 Jobs: their controllers, pods and kubelets. Keys of its jobs are not among `jobs()`.
  [[nodiscard]] const kubeworld::World& kube() const noexcept { return kube_; }
  /// JobFlows, JobTemplates and the TTL. Faults do not touch what they see and do.
  [[nodiscard]] const SideControllers& side() const noexcept;
  [[nodiscard]] const Wire& wire() const noexcept { return wire_; }
  /// Keys `namespace/name` in the order of the manifests, then those of flows in the order in which they were first
  /// made. Jobs that were deleted stay in the list; `Cluster::last_job` knows what they were.
  [[nodiscard]] const std::vector<std::string>& jobs() const noexcept;
  /// False for jobs that flows make.
  [[nodiscard]] bool is_in_manifests(const std::string& job_key) const;
  /// Keys of the JobFlows in the order of the manifests.
  [[nodiscard]] std::vector<std::string> flows() const;
  /// What a flow waits for, or why it does not go on, one sentence each.
  [[nodiscard]] std::vector<std::string> waiting_of_flow(const std::string& flow_key) const;
  /// True if the jobs are in more than one namespace. Only then texts tell it.
  [[nodiscard]] bool has_several_namespaces() const noexcept;
  /// How texts and events call a job: its key where there are several namespaces, else its name.
  [[nodiscard]] std::string name_of(const std::string& job_key) const;
  [[nodiscard]] std::vector<PaletteEntry> palette() const;
  [[nodiscard]] std::vector<Waiting> waiting() const;
  /// The place of a field such as `spec.tasks[0].policies[1]` of a job in the manifests.
  struct Place {
    std::string file;
    Range range;
  };
  [[nodiscard]] std::optional<Place> place_of(const std::string& job_key, const std::string& field) const;
  /// True if something other than the end of running pods is to come from the cluster.
  [[nodiscard]] bool is_busy() const { return cluster_.is_busy() || kube_.is_busy(); }
  /// True if every job has reached Completed, Failed, Terminated or Aborted, and every batch/v1 Job is finished.
  [[nodiscard]] bool all_ended() const;
  /// True if every job is Completed, or was when it was deleted, and every JobFlow is Succeed.
  [[nodiscard]] bool all_succeeded() const;

 private:
  Simulation(std::shared_ptr<const SimulationSources> sources, const SimulationOptions& options);

  [[nodiscard]] bool too_much(const std::vector<StepRecord>& steps) const noexcept;
  StepRecord stopped(std::size_t steps);
  void add_waiting(const volcano::JobInfo& info, const std::string& key, std::vector<Waiting>& list) const;
  void add_taken_names(const volcano::JobInfo& info, const std::string& key, std::vector<Waiting>& list) const;
  static std::string add_closed_gates(const volcano::JobInfo& info, const std::string& key, std::vector<Waiting>& list);
  void note_job(const Job& job);
  // kube_events.cc: events about batch/v1 Jobs and their pods.
  [[nodiscard]] bool is_kube_pod(const std::string& key) const;
  /// Key of the batch/v1 Job that is meant; empty if there is none.
  [[nodiscard]] std::string find_kube_job(const std::string& name) const;
  /// Carries the event out on the batch/v1 Jobs that it is about; false if it is about none.
  bool carry_out_on_kube(const UserEvent& event, std::string& refused);
  [[nodiscard]] bool is_about_kube(const UserEvent& event) const;
  void edit_kube_job(const EditEvent& event, const std::string& key, std::string& refused);
  void fault_kube(const FaultEvent& event, std::string& refused);
  void add_kube_palette(std::vector<PaletteEntry>& list) const;
  [[nodiscard]] std::optional<Time> next_delayed() const;
  StepRecord begin(StepSource source);
  void finish(StepRecord& step);
  [[nodiscard]] bool is_reachable(Time time) const noexcept { return time < end_of_time(options_.start); }
  /// The next thing that happens by itself; absent also if that lies behind the end of time.
  [[nodiscard]] std::optional<Time> next_due() const noexcept;
  [[nodiscard]] std::optional<Time> next_timer() const noexcept;
  /// True if something is still to come, but only behind the end of time.
  [[nodiscard]] bool ends_with_time() const noexcept;
  /// Why nothing more, or no delayed action, comes by itself.
  [[nodiscard]] std::string nothing_next() const;
  [[nodiscard]] std::string no_timer_next() const;
  [[nodiscard]] std::vector<std::string> find_pods(const std::string& pattern, std::string& refused) const;
  /// The key of a job that exists; of any job of the manifests if `or_gone`.
  [[nodiscard]] std::string find_job(const std::string& name, std::string& refused, bool or_gone = false) const;
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::string>& keys) const;
  [[nodiscard]] std::string no_such_pod(const std::string& pattern) const;
  // What an event is aimed at, as keys; empty, and `refused` says why, if it cannot happen now.
  [[nodiscard]] std::vector<std::string> targets(const PodEvent& event, std::string& refused) const;
  /// Those of `keys` to which the event can happen.
  [[nodiscard]] std::vector<std::string> possible(const PodEvent& event, const std::vector<std::string>& keys,
                                                  std::string& refused) const;
  [[nodiscard]] std::string target(const PodGroupEvent& event, std::string& refused) const;
  [[nodiscard]] std::string target(const CommandEvent& event, std::string& refused) const;
  [[nodiscard]] bool is_made_by_flow(const std::string& key) const;
  [[nodiscard]] std::string future_job(const std::string& name) const;
  /// Why an event cannot happen now; empty if it can.
  [[nodiscard]] std::string impossible(const UserEvent& event) const;
  // faults.cc: jobs, queues and faults. `refused` says why nothing happens.
  void carry_out(const DeleteEvent& event, std::string& refused);
  void carry_out(const CreateEvent& event, std::string& refused);
  void carry_out(const EditEvent& event, std::string& refused);
  void carry_out(const QueueEvent& event, std::string& refused);
  void carry_out(const FaultEvent& event, std::string& refused);
  [[nodiscard]] std::string target(const DeleteEvent& event, std::string& refused) const;
  [[nodiscard]] std::string target(const CreateEvent& event, std::string& refused) const;
  [[nodiscard]] std::string why_not(const QueueEvent& event) const;
  [[nodiscard]] std::string why_not(const FaultEvent& event) const;
  [[nodiscard]] std::vector<std::string> targets(const NodeFault& fault, std::string& refused) const;
  [[nodiscard]] std::optional<Job> edited(const EditEvent& event, std::string& key, std::string& refused) const;
  void stop_controller(std::optional<Duration> down_for, std::int64_t unanswered);
  bool carry_effects(volcano::Output& output);
  void add_faults(std::vector<PaletteEntry>& list) const;
  void carry_out(const PodEvent& event, const std::string& key);
  std::vector<StepRecord> carry_out(const AdvanceEvent& event);
  std::vector<StepRecord> carry_out(const UntilEvent& event);
  std::vector<StepRecord> run_until(Time target);
  void run_due(std::vector<StepRecord>& steps);

  std::shared_ptr<const SimulationSources> sources_;
  SimulationOptions options_;
  volcano::Controller controller_;
  Cluster cluster_;
  SideControllers side_;
  Wire wire_;
  kubeworld::World kube_;
  Time now_;
  std::int64_t steps_ = 0;
  std::vector<std::string> jobs_;
  std::map<std::string, std::vector<std::string>> made_by_flows_;  ///< keys of the jobs of a name
};

}  // namespace pumice
