// A cluster for batch/v1 Jobs: the Job controller and the TTL controller, API server, scheduler, kubelets, garbage
// collector and pod garbage collector, on a virtual clock that the caller moves.
//
//   user or agent ──> Store ──notifications──> controllers ──effects──> Store ──> … until all are quiet   = one `run`
//
// What the cluster does by itself is an `Action` with a time: it can be listed before it happens. A value: copying it
// is a checkpoint; equal calls give equal worlds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/store.h"
#include "pumice/kubejob/ttl.h"
#include "pumice/kubeworld/kubelet.h"
#include "pumice/kubeworld/watch.h"

namespace pumice::kubeworld {

struct WorldConfig {
  Pace pace;
  kubejob::Quirks quirks = kubejob::job_profile();
  bool trace = true;
  /// Pods that have ended beyond this number are deleted, the oldest first (`--terminated-pod-gc-threshold`).
  std::int64_t ended_pods_max = 12'500;
};
inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
/// How often the pod garbage collector looks.
inline constexpr Duration kPodGcPeriod = seconds(20);

/// One thing the cluster does by itself.
struct Action {
  enum class Kind : std::uint8_t {
    StartPods,
    EndContainers,
    RestartContainers,
    StopPods,
    EndPods,  ///< their own active deadline is over
    StartControllers,
    CollectOwned,  ///< the garbage collector deals with what a deleted job owned
    CollectPods,   ///< the pod garbage collector deletes ended pods, and ends unscheduled ones that are being deleted
  };
  Kind kind = Kind::StartPods;
  std::string job;                ///< CollectOwned: key of the job
  std::vector<std::string> pods;  ///< keys

  friend bool operator==(const Action&, const Action&) = default;
};
[[nodiscard]] std::string_view to_string(Action::Kind kind) noexcept;

/// What somebody does to a pod. One thing at a time; `container` and `exit_code` go with `phase`, or stand alone: a
/// container that runs ends.
struct PodChange {
  std::optional<PodPhase> phase;
  std::optional<std::int32_t> exit_code;
  std::string container;  ///< empty: the first main container
  std::optional<std::int32_t> restarts;
  std::optional<bool> ready;
  std::optional<std::string> reason;  ///< why it cannot start; empty: nothing keeps it any more
  std::string condition;              ///< type of a pod condition, with `condition_status`
  std::string condition_status = "True";
  bool deleted = false;
  bool evicted = false;  ///< by the eviction API: condition DisruptionTarget, then deleted
  bool gone = false;     ///< the object vanishes, its finalizer taken off by hand
  std::optional<bool> node_lost;
};

/// How a job stands, in one word: `Active`, `Suspended`, `FailureTarget`, `SuccessCriteriaMet`, `Complete`, `Failed`;
/// `Deleting` for an unfinished one that is being deleted; empty for none.
[[nodiscard]] std::string_view state_of(const kubejob::Job* job) noexcept;
/// All of them, in the order in which a job usually meets them.
[[nodiscard]] const std::vector<std::string_view>& job_states();
struct StateChange {
  std::string_view from;
  std::string_view to;
};
/// Which state can follow which, without deletion.
[[nodiscard]] const std::vector<StateChange>& state_changes();

/// What a run did to one job.
struct JobChange {
  std::string job_key;
  std::string state_before;
  std::string state_after;  ///< `Deleted`: the object is gone
  std::int32_t failed_before = 0;
  std::int32_t failed_after = 0;
  std::int32_t succeeded_before = 0;
  std::int32_t succeeded_after = 0;
};

/// What a run left.
struct Outcome {
  std::vector<kubejob::Record> records;  ///< at most `kRecordsMax`
  std::int64_t records_total = 0;
  std::vector<JobChange> changes;  ///< jobs whose status differs, by key
  std::string endless;             ///< not empty: the run was ended, says why
  std::int64_t notices = 0;        ///< of `records`, those of notifications
  // What the faults did.
  std::int64_t effects_failed = 0;
  std::int64_t unheard = 0;  ///< notifications while the controllers were down
};
inline constexpr std::size_t kRecordsMax = 2000;
/// A run with more syncs than this for each job would go on for ever.
inline constexpr std::int64_t kSyncsMax = 1000;

/// A pod and what its kubelet knows.
struct PodState {
  std::string key;
  std::string uid;
  std::string owner;         ///< uid of its controller
  std::int64_t ordinal = 0;  ///< the how manyeth pod of its job it is, from 1
  PodRun run;
  std::optional<NextStep> next;
};

/// Why something hangs, or what it waits for.
struct Wait {
  std::string job_key;
  std::string code;
  std::string text;
};

class World {
 public:
  explicit World(WorldConfig config = {});

  // -- What people do. Each gives the reason why it cannot be, or nothing if it is done. `run` is to follow.

  /// Defaults, uid and creation time are given; the status is dropped.
  std::string create_job(kubejob::Job job, Time now);
  /// Writes `wanted`, in the form of the API, over the job of its name: admission looks at it.
  std::string update_job(const std::string& key, const Json& wanted);
  /// Default: as `kubectl delete` does, in the background.
  std::string delete_job(const std::string& key, kubejob::Propagation propagation, Time now);
  std::string change_pod(const std::string& key, const PodChange& change, Time now);
  /// Why this cannot happen now; empty if it can.
  [[nodiscard]] std::string impossible(const std::string& key, const PodChange& change) const;

  // -- What goes wrong.

  /// Until `up_at`, or until somebody starts them.
  std::string stop_controllers(std::optional<Time> up_at = std::nullopt);
  /// They start, with nothing in their memory but what they list.
  std::string start_controllers(Time now);
  [[nodiscard]] bool are_controllers_up() const noexcept { return up_; }
  void add_fault(EffectFault fault) { faults_.push_back(std::move(fault)); }
  void clear_faults() { faults_.clear(); }
  [[nodiscard]] const std::vector<EffectFault>& faults() const noexcept { return faults_; }
  void set_watch(WatchKind kind, WatchMode mode) { watches_.set_mode(kind, mode); }
  void release_watch(WatchKind kind, std::int64_t count) { watches_.release(kind, count); }
  [[nodiscard]] const Watches& watches() const noexcept { return watches_; }

  // -- Time.

  /// Controllers and API server in turn until all are quiet at this instant.
  void run(Time now, Outcome& outcome);
  /// The next action; the next thing that a controller waits for; the earlier of both.
  [[nodiscard]] std::optional<Time> next_action() const;
  [[nodiscard]] std::optional<Time> next_timer() const;
  [[nodiscard]] std::optional<Time> next_due() const;
  struct Upcoming {
    Time due;
    Action action;
    std::int64_t count = 0;  ///< pods that are meant
  };
  /// All that is scheduled, earliest first; at most `pods_max` pods of each are named.
  [[nodiscard]] std::vector<Upcoming> upcoming(std::size_t pods_max = SIZE_MAX) const;
  /// Does the next action. Precondition: it is due. `run` is to follow.
  Action act(Time now);
  /// True if something other than the end of running containers is to come.
  [[nodiscard]] bool is_busy() const;

  // -- What there is.

  [[nodiscard]] const WorldConfig& config() const noexcept { return config_; }
  [[nodiscard]] const kubejob::Controller& controller() const noexcept { return controller_; }
  [[nodiscard]] const kubejob::Store& store() const noexcept { return store_; }
  /// Keys in the order in which the jobs were created first; those that are gone included.
  [[nodiscard]] const std::vector<std::string>& jobs() const noexcept { return order_; }
  [[nodiscard]] kubejob::JobPtr job(const std::string& key) const;
  /// The job, or what it was before it went.
  [[nodiscard]] kubejob::JobPtr last_job(const std::string& key) const;
  [[nodiscard]] const PodState* pod(const std::string& key) const;
  [[nodiscard]] kubejob::PodPtr object_of(const PodState& pod) const;
  /// Pods of the job of that key, oldest first.
  [[nodiscard]] std::vector<const PodState*> pods_of(const std::string& key) const;
  [[nodiscard]] std::int64_t count_pods_of(const std::string& key) const;
  /// Pods of no job that exists.
  [[nodiscard]] std::vector<const PodState*> left_over() const;
  /// Keys of the pods that a pattern means: a name in full or without that of its job, `*` for any characters,
  /// `<namespace>/` before it; the completion index, for the newest pod of that index; `p<n>`, for the n-th pod of a
  /// job.
  [[nodiscard]] std::vector<std::string> find_pods(std::string_view pattern) const;
  [[nodiscard]] std::vector<Wait> waiting(Time now) const;
  /// True if every job is finished, or gone.
  [[nodiscard]] bool all_ended() const;
  /// The last sync record of a job, or nullptr: what it says of failures and their budget is the last word on it.
  [[nodiscard]] const kubejob::SyncRecord* last_sync(const std::string& key) const;
  /// When a failed pod may be replaced at the earliest, if it must wait.
  [[nodiscard]] std::optional<Time> next_retry(const std::string& key, Time now) const;

 private:
  using Number = std::uint64_t;  ///< counts pods in the order of their creation
  using Slot = std::pair<Time, PodStep>;
  struct Collection {
    Time due;
    std::string job_key;
  };

  // world.cc
  void pump(Time now, Outcome& outcome, std::map<std::string, kubejob::JobPtr>& touched);
  void deliver(const kubejob::Observation& observation, Time now, Outcome& outcome);
  template <class Of>
  void work(Of& controller, Time now, Outcome& outcome);
  kubejob::EffectResult carry_out(const kubejob::Effect& effect, Time now, Outcome& outcome);
  void keep(kubejob::Output& output, Outcome& outcome);
  void start_listing(Time now);

  // agents.cc
  void notice(const kubejob::Observation& observation, Time now);
  void pod_changed(const kubejob::PodPtr& pod, Time now);
  void pod_gone(const kubejob::Pod& pod, Time now);
  void job_changed(const kubejob::JobPtr& job, Time now);
  void job_gone(const kubejob::JobPtr& job, Time now);
  void plan_next(Number number, PodState& state);
  void leave(Number number, PodState& state);
  void report_pod(PodState& state, Time now);
  void collect_later(const std::string& uid, const std::string& job_key, Time now);
  void collect_owned(const std::string& uid, Time now, Action& action);
  void drop_finalizer(const std::string& job_key, std::string_view finalizer);
  void collect_pods(Time now, Action& action);
  [[nodiscard]] std::optional<Time> pod_gc_due() const;
  [[nodiscard]] std::shared_ptr<const PodPlan> plan_for(const kubejob::Pod& pod);
  static Number number_of(const kubejob::Pod& pod) noexcept;

  // change.cc
  [[nodiscard]] PodState* find_state(const std::string& key);

  // waiting.cc
  void add_waits(const kubejob::Job& job, Time now, std::vector<Wait>& list) const;
  void add_pod_waits(const kubejob::Job& job, std::vector<Wait>& list) const;

  struct KnownPlan {
    std::shared_ptr<const Json> spec;
    std::shared_ptr<const PodPlan> plan;
  };

  WorldConfig config_;
  kubejob::Store store_;
  kubejob::Controller controller_;
  kubejob::TtlController ttl_;
  Watches watches_;
  std::vector<EffectFault> faults_;
  bool up_ = true;
  std::optional<Time> up_at_;
  std::optional<Time> begun_;  ///< when the first job was created: the pod garbage collector looks from then on
  std::vector<std::string> order_;
  std::map<std::string, kubejob::JobPtr> gone_;
  std::uint64_t next_job_ = 1;

  std::unordered_map<Number, PodState> pods_;
  std::unordered_map<std::string, Number> numbers_;  ///< by key of the pod
  std::map<Slot, std::set<Number>> agenda_;
  std::unordered_map<std::string, std::set<Number>> owned_;  ///< by uid of the controller
  std::unordered_map<std::string, std::int64_t> ordinals_;   ///< pods made so far, likewise
  std::unordered_map<std::string, KnownPlan> plans_;         ///< likewise
  std::set<Number> ended_;                                   ///< pods that have ended, not being deleted
  std::set<Number> stranded_;                                ///< being deleted, without node, not ended
  std::optional<Time> pod_gc_;
  std::map<std::string, Collection> collecting_;          ///< by uid of the deleted job
  std::map<std::string, kubejob::SyncRecord> last_sync_;  ///< by key of the job
};

}  // namespace pumice::kubeworld
