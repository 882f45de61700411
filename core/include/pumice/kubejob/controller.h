// The batch/v1 Job controller as a function: state and input in, effects and records out (design.md 2).
//
//   observation ──callback──> queue with delays ──> sync (or orphan worker) ──> effects ──> results ──> … ──> done
//
// No I/O, no clock, no threads: time comes with the input, effects are carried out by the caller, their results come
// back as an input. A sync asks for its effects batch by batch, as upstream's calls to the API server do, and goes on
// when all results of a batch are in. What it knows of pods is what the cache showed when they were looked at, as
// upstream's snapshot. One key at a time: a fixed order of the many that several workers could take.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "pumice/kubejob/backoff.h"
#include "pumice/kubejob/delay_queue.h"
#include "pumice/kubejob/effect.h"
#include "pumice/kubejob/expectations.h"
#include "pumice/kubejob/intervals.h"
#include "pumice/kubejob/job_pods.h"
#include "pumice/kubejob/model.h"
#include "pumice/kubejob/observation.h"
#include "pumice/kubejob/pod_template.h"
#include "pumice/kubejob/profile.h"
#include "pumice/kubejob/trace.h"

namespace pumice::kubejob {

struct ControllerConfig {
  Quirks quirks = job_profile();
  bool trace = true;  ///< off: `Output::trace` stays empty and costs nothing
};

/// Take the next due key and start on it, jobs before orphans. Does nothing if `has_work` is false.
struct Work {};
/// All results of the batch of effects that was last returned, in any order.
struct EffectResults {
  std::vector<EffectResult> results;
};
/// Time has passed. Early or repeated ticks change nothing.
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

class Controller {
 public:
  explicit Controller(ControllerConfig config = {});

  /// The one entry. Precondition: no batch is outstanding, unless the input is EffectResults or an observation.
  void step(const Input& input, Output& output);

  /// True if `Work` would start something now.
  [[nodiscard]] bool has_work() const noexcept;
  /// True while effects are out whose results have not come back.
  [[nodiscard]] bool waiting_for_results() const noexcept { return !asked_.empty(); }
  /// When the next delayed key is due.
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept;

  [[nodiscard]] const ControllerConfig& config() const noexcept { return config_; }
  [[nodiscard]] const std::map<std::string, JobPtr>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] const Expectations& expectations() const noexcept { return expectations_; }
  [[nodiscard]] const FinalizerExpectations& finalizer_expectations() const noexcept { return removals_; }
  [[nodiscard]] const BackoffRecord* backoff(const std::string& key) const;
  [[nodiscard]] const DelayQueue& queue() const noexcept { return queue_; }
  /// The pods that the cache shows under a job's uid, or nullptr.
  [[nodiscard]] const JobPods* pods_of(const std::string& uid) const;

  // For callers that start in the middle: what a controller that has run for a while would know.
  void set_expectation(const std::string& key, Expectation expectation) { expectations_.set(key, expectation); }
  void set_removal_expected(const std::string& key, const std::string& uid) { removals_.expect_removal(key, uid); }
  void set_backoff(const std::string& key, BackoffRecord record) { backoff_[key] = record; }

 private:
  enum class Stage : std::uint8_t {
    Start,
    FreshRead,
    Claimed,
    Evaluate,
    ActiveDeleted,
    RemovalPatched,
    RemovalDeleted,
    BatchCreated,
    Managed,
    Track,
    FirstWritten,
    RemoveFinalizers,
    FinalizersRemoved,
    PartlyWritten,
    MaybeFinish,
    LastWritten,
    Done,
  };

  /// A sync in progress (spec 6, 7, 10).
  struct Sync {
    std::string key;
    Stage stage = Stage::Start;
    JobPtr job;        ///< as cached; after a status write as stored
    JobStatus status;  ///< being built
    SyncRecord record;
    std::string error;  ///< ends the sync
    std::string manage_error;
    bool conflict = false;  ///< `error` is a write conflict

    // claim
    std::vector<PodPtr> to_adopt;
    std::vector<PodPtr> to_release;
    std::vector<PodPtr> adopted;  ///< as they are after the patch
    bool may_adopt = true;

    // what was found
    bool satisfied = true;
    std::int64_t active = 0;
    std::int64_t ready = 0;
    std::int64_t terminating = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t new_failed = 0;
    BackoffRecord backoff;
    std::optional<Condition> condition;
    Intervals previous_succeeded;
    Intervals succeeded_indexes;
    std::optional<Intervals> failed_indexes;
    std::map<std::int32_t, PodPtr> kept;         ///< index → pod in delayed deletion (spec 10.6)
    std::vector<PodPtr> candidates;              ///< tracked pods that may have to be accounted for, in list order
    std::set<std::string, std::less<>> tracked;  ///< uids among candidates and uncounted lists that are tracked

    // manage
    bool managed = false;           ///< the manage step ran
    std::vector<PodPtr> doomed;     ///< to delete, in the order in which it is asked for
    std::vector<PodPtr> taken_off;  ///< their finalizer went in this step
    std::int64_t removed_ready = 0;
    std::vector<std::int32_t> indexes;  ///< to create, none for NonIndexed
    std::int64_t to_create = 0;         ///< left
    std::int64_t batch = 0;
    std::size_t next_index = 0;

    // track
    bool needs_update = false;
    bool flush = false;
    bool full = false;
    bool finishing = false;
    std::vector<PodPtr> removing;
    std::string removal_error;
  };

  /// A key of the orphan worker in progress (spec 12).
  struct OrphanWork {
    std::string key;
    OrphanRecord record;
    bool by_name = true;
    std::vector<PodPtr> removing;
  };

  // callbacks.cc
  void observe(const Observation& observation, Output& output);
  void job_added(const JobPtr& job, ObserveRecord& rec);
  void job_updated(const JobPtr& before, const JobPtr& after, ObserveRecord& rec);
  void job_deleted(const JobPtr& job, ObserveRecord& rec);
  void pod_added(const PodPtr& pod, ObserveRecord& rec);
  void pod_updated(const PodPtr& before, const PodPtr& after, ObserveRecord& rec);
  void pod_deleted(const PodPtr& pod, bool final, ObserveRecord& rec);
  void pod_of_job_changed(const std::string& key, const Pod& pod, bool failed_now, ObserveRecord& rec);
  void wake_matching(const Pod& pod, ObserveRecord& rec);
  void enqueue(const std::string& key, Duration delay, ObserveRecord& rec);
  [[nodiscard]] const Job* resolve(const std::string& ns, const OwnerReference* ref) const;

  // cache.cc
  void cache_job(const JobPtr& job);
  void uncache_job(const Job& job);
  void cache_pod(const PodPtr& pod);
  void uncache_pod(const Pod& pod);
  void forget_placement(const Pod& pod);
  [[nodiscard]] PodPtr cached_pod(const std::string& ns, std::string_view name) const;

  // controller.cc
  void work(Output& output);
  void take_results(const EffectResults& results, Output& output);
  void advance(Output& output);
  void finish(Output& output);
  void ask(EffectBody body, Output& output);
  void emit(Sync& op, bool warning, std::string reason, std::string message, Output& output);
  void record(Record record, Output& output);
  [[nodiscard]] bool has(Quirk quirk) const noexcept { return config_.quirks.has(quirk); }
  static void fail(Sync& op, std::string error);

  // claim.cc
  void start(Sync& op, Output& output);
  void fresh_read(Sync& op, Output& output);
  void claimed(Sync& op);
  void ask_claims(Sync& op, Output& output);

  // decide.cc
  void evaluate(Sync& op, Output& output);
  void find_new_pods(Sync& op, const PodSets& sets);
  void find_indexes(Sync& op, const PodSets& sets);
  void find_condition(Sync& op, const PodSets& sets);
  void find_index_condition(Sync& op);
  void find_kept(Sync& op, const PodSets& sets);
  void set_condition(Sync& op, std::int32_t check, std::string reason, std::string message) const;
  [[nodiscard]] bool counts_index(const Sync& op, const Pod& pod) const;
  [[nodiscard]] bool per_index(const Sync& op) const;
  void find_candidates(Sync& op, const PodSets& sets);
  void complete_candidates(Sync& op);
  void note_budget(Sync& op, const PodSets& sets);
  void delete_active(Sync& op, const std::vector<PodPtr>& pods, Output& output);
  void active_deleted(Sync& op, Output& output);
  [[nodiscard]] std::vector<PodPtr> all_pods(const Sync& op) const;
  [[nodiscard]] std::vector<PodPtr> active_pods(const Sync& op) const;

  // manage.cc
  void manage(Sync& op, const PodSets& sets, Output& output);
  [[nodiscard]] std::int64_t wanted_active(const Sync& op) const;
  void remove_pods(Sync& op, std::vector<PodPtr> pods, Output& output);
  void removal_patched(Sync& op, Output& output);
  void removal_deleted(Sync& op, Output& output);
  void create_pods(Sync& op, const PodSets& sets, std::int64_t diff, Output& output);
  bool choose_indexes(Sync& op, const PodSets& sets, std::int64_t& diff);
  void back_off(Sync& op, Duration remaining);
  const PodTemplate& template_of(const Job& job);
  void next_batch(Sync& op, Output& output);
  void batch_created(Sync& op, Output& output);
  void managed(Sync& op, Output& output);
  /// The event of an answered DELETE; true if the pod counts as removed.
  bool deletion_succeeded(Sync& op, const PodPtr& pod, const EffectResult& result, Output& output);

  // track.cc
  void track(Sync& op, Output& output);
  void register_pods(Sync& op);
  void register_indexes(Sync& op, const std::vector<std::int32_t>& new_indexes);
  void prepare_final(Sync& op);
  void write_status(Sync& op, Stage next, Output& output);
  bool written(Sync& op, std::string_view what);
  void first_written(Sync& op);
  void remove_finalizers(Sync& op, Output& output);
  void finalizers_removed(Sync& op, Output& output);
  void maybe_finish(Sync& op, Output& output);
  void last_written(Sync& op, Output& output);
  static bool clean_uncounted(Sync& op);

  // orphans.cc
  void queue_orphan(const Pod& pod);
  void queue_orphans_of(const Job& job);
  void start_orphan(const std::string& key, Output& output);
  void finish_orphan(Output& output);
  [[nodiscard]] bool keeps_finalizer(const Pod& pod) const;

  struct Written {
    std::string uid;
    std::uint64_t resource_version = 0;
  };
  struct SelectorWork {
    std::string ns;
    LabelSelector selector;
  };

  ControllerConfig config_;
  Time now_{INT64_MIN};
  std::map<std::string, JobPtr> jobs_;
  std::unordered_map<std::string, JobPods> groups_;             ///< pods by the uid of their controller
  std::map<std::string, std::map<std::string, PodPtr>> loose_;  ///< pods without controller: namespace → uid
  /// All pods: namespace → name; the inner keys lie in the pods. For look-ups, and for walks that are sorted.
  std::map<std::string, std::unordered_map<std::string_view, PodPtr>> pods_;
  std::unordered_map<std::string, PodTemplate> templates_;  ///< by uid of the job
  std::unordered_map<std::string, std::shared_ptr<const JobSpec>> template_specs_;
  Expectations expectations_;
  FinalizerExpectations removals_;
  std::map<std::string, BackoffRecord> backoff_;
  std::set<std::string> finish_written_;  ///< uids (SY-6)
  std::map<std::string, Written> last_written_;
  std::map<std::string, SelectorWork> selectors_;  ///< work of the orphan queue by its key
  DelayQueue queue_;
  DelayQueue orphans_;
  std::optional<Sync> sync_;
  std::optional<OrphanWork> orphan_;
  std::vector<EffectId> asked_;
  std::vector<EffectResult> results_;  ///< of the last batch, in the order in which they were asked for
  EffectId next_effect_ = 1;
};

}  // namespace pumice::kubejob
