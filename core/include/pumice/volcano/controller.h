// The Volcano Job controller as a function: state and input in, effects and records out (design.md 2).
//
//   observation ──callback──> request ──queue──> decide ──> delay, or operation ──> effects ──> results ──> … ──> done
//
// No I/O, no clock, no threads: time comes with the input, effects are carried out by the caller, their results come
// back as an input. An operation (sync or kill) asks for its effects batch by batch, as upstream's calls to the API
// server do, and goes on when all results of a batch are in. Equal state and input give equal outputs everywhere.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "pumice/volcano/delayed.h"
#include "pumice/volcano/effect.h"
#include "pumice/volcano/job_cache.h"
#include "pumice/volcano/observation.h"
#include "pumice/volcano/profile.h"
#include "pumice/volcano/trace.h"

namespace pumice::volcano {

struct ControllerConfig {
  Quirks quirks = kVolcanoQuirks;      ///< what is imitated (profile.h)
  std::int32_t workers = 3;            ///< shards; requests of one job always meet in one (spec 1.13, 4.1)
  std::int32_t requeue_max = 15;       ///< negative: unlimited (spec 4.4)
  bool trace = true;                   ///< off: `Output::trace` stays empty and costs nothing
  SshKeyGenerator ssh_keys = nullptr;  ///< absent: placeholders (plugins.h)
};

/// Take the next waiting item and start on it. Does nothing if `has_work` is false.
struct Work {};
/// All results of the batch of effects that was last returned.
struct EffectResults {
  std::vector<EffectResult> results;
};
/// Time has passed: due retries and delayed actions join the queues. Early or repeated ticks change nothing.
struct Tick {};

struct Input {
  Time now;  ///< never runs backwards
  std::variant<Observation, Work, EffectResults, Tick> event;
};

/// Appended to by `step`, so one object can collect several steps.
struct Output {
  std::vector<Effect> effects;  ///< to be answered all together by EffectResults, unless their id is 0
  std::vector<Record> trace;
};

/// FNV-1 (multiply, then xor), 32 bit: the shard of a job is this over `namespace/name`, modulo the number of workers.
[[nodiscard]] std::uint32_t fnv1_32(std::string_view bytes) noexcept;

struct RequestHash {
  [[nodiscard]] std::size_t operator()(const Request& request) const noexcept;
};

class Controller {
 public:
  explicit Controller(ControllerConfig config = {});

  /// The one entry. Precondition: no batch is outstanding, unless the input is EffectResults or an observation.
  void step(const Input& input, Output& output);

  /// True if `Work` would start something now.
  [[nodiscard]] bool has_work() const noexcept;
  /// True while effects are out whose results have not come back.
  [[nodiscard]] bool waiting_for_results() const noexcept {
    return operation_.has_value() || deleting_command_.has_value() || reading_pod_.has_value();
  }
  /// Puts an operation in front of its shard, as an expired delayed action is put behind it: it is executed as the
  /// job's phase says, and nothing else is asked (spec 6.4 step 3).
  void queue_action(Request request, ActionName action, Target target);
  /// When `Tick` has something to do: the next retry or delayed action.
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept;

  [[nodiscard]] const JobCache& cache() const noexcept { return cache_; }
  [[nodiscard]] const DelayedActions& delayed() const noexcept { return delayed_; }
  [[nodiscard]] const ControllerConfig& config() const noexcept { return config_; }
  /// The PodGroup of a job as the lister shows it: `<name>-<uid>`, else one called `<name>` (spec 1.7).
  [[nodiscard]] const PodGroup* find_pod_group(const Job& job) const;
  /// True if the gate of `task` is open (spec 8.6); tasks it waits for are added to `waits_for`.
  [[nodiscard]] static bool gate_open(const JobInfo& info, const TaskSpec& task, std::vector<std::string>& waits_for);

 private:
  struct Expired {
    DelayedAction action;
  };
  /// A pod whose deletion failed (spec 10.6).
  struct ErrorTask {
    PodPtr pod;
    std::int32_t failures = 0;
  };
  using Item = std::variant<Request, Expired>;
  /// Ten tokens a second, at most a hundred (spec 4.2).
  struct Bucket {
    Time full{INT64_MIN};  ///< when it will be full again
    [[nodiscard]] Duration take(Time now) noexcept;
  };

  struct Shard {
    std::deque<Item> items;
    std::unordered_set<Request, RequestHash> waiting;  ///< the requests among `items`
    Bucket bucket;
  };

  enum class Stage : std::uint8_t {
    SyncStart,
    SyncForwarded,
    SyncInitiated,
    SyncHooks,
    SyncHooked,
    SyncClaimed,
    SyncJobWritten,
    SyncPodGroup,
    SyncPodGroupWritten,
    SyncForwardedAgain,
    SyncPodGroupFound,
    SyncShort,
    SyncDiff,
    SyncCreated,
    SyncMarked,
    SyncDeleted,
    KillStart,
    KillMarked,
    KillDeleted,
    KillHooked,
    KillStatusWritten,
    KillGroupDeleted,
    StatusWritten,
    Done,
  };

  /// A sync or kill in progress. Counts are taken once, when the pods are looked at, as upstream does on its clone.
  struct Running {
    Item item;
    std::string key;
    Stage stage = Stage::Done;
    Plan plan;
    JobPtr job;
    JobStatus status;  ///< being built
    ProcessRecord record;
    std::vector<PodPtr> pods;    ///< of the batch that is out, by position
    std::vector<PodPtr> doomed;  ///< to be deleted next
    HookPlan plan_of_hooks;      ///< effects that are carried out one by one: of plugins, or of claims
    std::size_t next_hook = 0;
    std::shared_ptr<const JobSpec> new_spec;  ///< with generated claim names
    bool initiating = false;                  ///< the phase was empty or Pending
    bool forwarding = false;                  ///< the queue has extend clusters
    bool updating_group = false;              ///< the PodGroup was there
    bool may_wait = false;                    ///< failed for something that others have to make: queue or claim
    std::string postponed;   ///< an error that is reported at the end (quirk failed-create-stops-sync off)
    bool giving_up = false;  ///< TerminateJob at the requeue limit: its own error is ignored
    EffectId first_id = 0;
    std::vector<EffectResult> results;
    std::string error;
  };

  [[nodiscard]] bool has(Quirk quirk) const noexcept { return config_.quirks.has(quirk); }

  // callbacks.cc
  void observe(const Observation& observation, Output& output);
  void observe_job(const JobPtr& before, const JobPtr& after, ChangeKind change, Output& output);
  void observe_pod(const PodPtr& before, const PodPtr& after, ChangeKind change, Output& output);
  void observe_pod_group(const PodGroup* before, const PodGroup& after, ChangeKind change, Output& output);
  void observe_command(const Command& command, Output& output);
  /// OutOfSync of a job, which is what most things come down to.
  bool enqueue_sync(std::string ns, std::string job);
  bool enqueue(Request request);

  // controller.cc
  void tick(Time now);
  void work(Output& output);
  void start_request(Request request, Output& output);
  void start_expired(DelayedAction action, Output& output);
  void execute(Running&& running, Action action, Output& output);
  void take_results(const EffectResults& results, Output& output);
  void advance(Output& output);
  void finish(Output& output);
  void give_up_or_retry(Output& output);
  void command_deleted(const EffectResult& result, Output& output);
  void resync(const PodPtr& pod);
  void retry_resync(ErrorTask task);
  void pod_read(const EffectResult& result, Output& output);
  /// False: the job is not cached, so there is nothing to tell of.
  bool emit_event(const std::string& key, bool warning, std::string reason, std::string message, Output& output);
  void emit_event(ProcessRecord& record, bool warning, std::string reason, std::string message, Output& output);
  bool still_valid(Running& op) const;
  void cancel_timer_of(const Request& request, std::vector<TimerRecord>& records);
  [[nodiscard]] static bool is_outdated(const DelayedAction& action, const JobInfo& info);
  bool cache_stored(Running& op, const JobPtr& job);
  void ask(Running& running, EffectBody body, Output& output);
  void batch(Running& running, Stage next);
  void record(Record record, Output& output);

  // sync.cc, kill.cc: each runs one stage and either leaves effects behind or moves on
  void sync_start(Running& op, Output& output);
  void sync_forward(Running& op, Stage next, Output& output);
  void sync_initiate(Running& op, Output& output);
  void sync_forwarded(Running& op, Output& output);
  void sync_initiated(Running& op, Output& output);
  void sync_hooks(Running& op, Output& output);
  void sync_hooked(Running& op, Output& output);
  void sync_claimed(Running& op, Output& output);
  void sync_job_written(Running& op, Output& output);
  void sync_pod_group(Running& op, Output& output);
  void sync_pod_group_written(Running& op, Output& output);
  void sync_forwarded_again(Running& op);
  void sync_pod_group_found(Running& op, Output& output);
  void sync_short(Running& op, Output& output);
  void sync_diff(Running& op, Output& output);
  void sync_created(Running& op, Output& output);
  void sync_marked(Running& op, Output& output);
  void sync_deleted(Running& op, Output& output);
  void count_pods(Running& op, JobStatus& status);
  TransitionReason apply_function(Running& op);
  /// True if a request waits that a policy answers at once.
  [[nodiscard]] bool policy_waits(const std::string& key) const;
  void kill_start(Running& op, Output& output);
  void kill_marked(Running& op, Output& output);
  void kill_deleted(Running& op, Output& output);
  void kill_hooked(Running& op, Output& output);
  void kill_status_written(Running& op, Output& output);
  void kill_group_deleted(Running& op);
  void status_written(Running& op);
  void write_status(Running& op, Stage next, Output& output);
  enum class HookState : std::uint8_t { Asked, Failed, Done };
  HookState next_hook(Running& op, Output& output);
  void plan_hooks(Running& op, Hook hook);
  static void fail(Running& op, std::string error);

  ControllerConfig config_;
  Time now_{INT64_MIN};
  JobCache cache_;
  DelayedActions delayed_;
  std::map<std::string, PodGroup> pod_groups_;  ///< lister
  std::map<std::string, bool> queues_;          ///< lister; true: has extend clusters
  ObjectMap objects_;                           ///< lister
  std::vector<Shard> shards_;
  std::deque<Command> commands_;
  std::optional<Command> deleting_command_;
  std::deque<ErrorTask> error_tasks_;
  std::optional<ErrorTask> reading_pod_;
  std::optional<Running> operation_;
  std::unordered_map<Request, std::int32_t, RequestHash> failures_;
  std::map<std::pair<Time, std::uint64_t>, Request> retries_;
  std::unordered_map<Request, std::pair<Time, std::uint64_t>, RequestHash> retry_of_;  ///< where it stands there
  std::map<std::pair<Time, std::uint64_t>, ErrorTask> resyncs_;
  std::map<std::pair<std::string, std::uint64_t>, std::int32_t> resync_failures_;  ///< by pod object
  std::set<std::pair<std::string, std::uint64_t>> stuck_resyncs_;  ///< given up for good (quirk error-task-stuck)
  Bucket command_bucket_;
  Bucket resync_bucket_;
  std::map<std::pair<Time, std::uint64_t>, Command> command_retries_;
  std::map<std::string, std::int32_t> command_failures_;  ///< by `namespace/name`
  std::uint64_t next_retry_ = 1;
  EffectId next_effect_ = 1;
};

}  // namespace pumice::volcano
