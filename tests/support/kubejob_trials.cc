#include "support/kubejob_trials.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubejob/store.h"
#include "support/prng.h"

namespace pumice::kubejob {
namespace {

using test::JobTrial;
using test::Prng;

constexpr const char* kKey = "default/j";

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : prng_(seed), controller_({.quirks = quirks(), .trace = false}) {
    result_.history = "seed " + std::to_string(seed);
  }

  JobTrial run() {
    jobs_first_ = prng_.below(101);
    store_.put_job(random_job());
    relist();
    const std::uint64_t steps = 20 + prng_.below(60);
    for (std::uint64_t i = 0; i < steps && result_.failure.empty(); ++i) random_step();
    calm_ = true;
    if (result_.failure.empty()) let_end();
    if (!result_.failure.empty()) result_.failure += " (" + result_.history + ")";
    if (const Job* job = stored_job()) {
      const Condition* end = job->status.finished();
      result_.completed = end != nullptr && end->type == "Complete";
      result_.failed = end != nullptr && end->type == "Failed";
      result_.history += " " + to_json(job->status).dump();
    } else {
      result_.deleted = true;
    }
    return std::move(result_);
  }

 private:
  /// Without the one quirk that counts pods twice.
  static Quirks quirks() {
    Quirks quirks = job_profile();
    quirks.set(Quirk::GonePodForgotten, false);
    return quirks;
  }
  void violated(const std::string& what) {
    if (result_.failure.empty()) result_.failure = what;
  }
  [[nodiscard]] const Job* stored_job() const {
    const auto found = store_.jobs().find(kKey);
    return found == store_.jobs().end() ? nullptr : found->second.get();
  }
  bool chance(std::uint64_t percent) { return prng_.below(100) < percent; }

  Job random_job() {
    Job job;
    job.meta.ns = "default";
    job.meta.name = "j";
    job.meta.uid = "j-uid";
    JobSpec spec;
    spec.pod_template = Json::parse(R"({"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}})");
    spec.parallelism = static_cast<std::int32_t>(1 + prng_.below(4));
    const bool indexed = chance(50);
    if (indexed) spec.completion_mode = "Indexed";
    if (indexed || chance(70)) spec.completions = static_cast<std::int32_t>(1 + prng_.below(6));
    spec.backoff_limit = static_cast<std::int32_t>(prng_.below(6));
    if (indexed && chance(40)) {
      spec.backoff_limit_per_index = static_cast<std::int32_t>(prng_.below(3));
      spec.backoff_limit.reset();
      if (chance(40)) spec.max_failed_indexes = static_cast<std::int32_t>(prng_.below(3));
    }
    if (chance(35)) {
      const char* actions[] = {"Ignore", "FailJob", "Count", spec.backoff_limit_per_index ? "FailIndex" : "Ignore"};
      FailureRule rule;
      rule.action = actions[prng_.below(4)];
      rule.on_exit_codes = ExitCodeRequirement{std::nullopt, "In", {3}};
      spec.pod_failure_policy = FailurePolicy{rule};
    } else if (chance(30)) {
      spec.pod_replacement_policy = "Failed";
    }
    if (indexed && chance(25)) spec.success_policy = SuccessPolicy{{std::nullopt, 1}};
    if (chance(15)) spec.active_deadline_seconds = static_cast<std::int64_t>(60 + prng_.below(600));
    if (chance(10)) spec.suspend = true;
    job.spec = std::make_shared<const JobSpec>(std::move(spec));
    set_defaults(job);
    prepare_create(job);
    job.meta.creation = now_;
    return job;
  }

  // -- Watches

  /// Takes the notifications of the last writes over, and checks these writes.
  void pump() {
    while (auto seen = store_.take_notification()) {
      if (const auto* updated = std::get_if<JobUpdated>(&*seen)) check_write(*updated->before, *updated->after);
      const bool of_job = std::holds_alternative<JobAdded>(*seen) || std::holds_alternative<JobUpdated>(*seen) ||
                          std::holds_alternative<JobDeleted>(*seen);
      (of_job ? jobs_on_the_way_ : pods_on_the_way_).push_back(*std::move(seen));
    }
  }
  void show(Observation seen) {
    if (const auto* job = std::get_if<JobAdded>(&seen)) seen_job_ = job->job;
    if (const auto* job = std::get_if<JobUpdated>(&seen)) seen_job_ = job->after;
    if (std::holds_alternative<JobDeleted>(seen)) seen_job_ = nullptr;
    if (const auto* pod = std::get_if<PodAdded>(&seen)) seen_pods_[pod->pod->key()] = pod->pod;
    if (const auto* pod = std::get_if<PodUpdated>(&seen)) seen_pods_[pod->after->key()] = pod->after;
    if (const auto* pod = std::get_if<PodDeleted>(&seen)) seen_pods_.erase(pod->pod->key());
    controller_.step({now_, std::move(seen)}, output_);
  }
  void deliver(std::size_t most) {
    pump();
    // In order for each kind; between the kinds there is none.
    for (; most > 0; --most) {
      std::deque<Observation>& jobs = jobs_on_the_way_;
      std::deque<Observation>& pods = pods_on_the_way_;
      if (jobs.empty() && pods.empty()) return;
      std::deque<Observation>& from = pods.empty() || (!jobs.empty() && chance(jobs_first_)) ? jobs : pods;
      Observation next = std::move(from.front());
      from.pop_front();
      show(std::move(next));
    }
  }
  /// The watch broke: what was on its way is lost, a list shows what there is.
  void relist() {
    pump();
    jobs_on_the_way_.clear();
    pods_on_the_way_.clear();
    const auto stored = store_.jobs().find(kKey);
    if (stored == store_.jobs().end()) {
      if (seen_job_) show(JobDeleted{seen_job_});
    } else if (!seen_job_) {
      show(JobAdded{stored->second});
    } else if (seen_job_ != stored->second) {
      show(JobUpdated{seen_job_, stored->second});
    }
    for (const auto& [key, pod] : std::map(seen_pods_))
      if (!store_.pods().contains(key)) show(PodDeleted{pod});
    for (const auto& [key, pod] : store_.pods()) {
      const auto seen = seen_pods_.find(key);
      if (seen == seen_pods_.end())
        show(PodAdded{pod});
      else if (seen->second != pod)
        show(PodUpdated{PodPtr(seen->second), pod});
    }
  }
  void restart() {
    ++result_.restarts;
    controller_ = Controller(controller_.config());
    output_ = {};
    seen_job_ = nullptr;
    seen_pods_.clear();
    relist();
  }

  // -- The controller's work

  void work() {
    if (!controller_.has_work()) return;
    ++result_.syncs;
    controller_.step({now_, Work{}}, output_);
    while (!output_.effects.empty()) {
      const std::vector<Effect> batch = std::exchange(output_.effects, {});
      EffectResults answers;
      for (const Effect& effect : batch) {
        if (!calm_ && chance(1) && prng_.one_in(4)) {
          restart();
          return;
        }
        EffectResult answer = carry_out(effect);
        if (effect.id != 0) answers.results.push_back(std::move(answer));
        if (!calm_ && chance(5)) deliver(1 + static_cast<std::size_t>(prng_.below(3)));
      }
      if (controller_.waiting_for_results()) controller_.step({now_, std::move(answers)}, output_);
    }
    pump();
  }

  EffectResult carry_out(const Effect& effect) {
    EffectResult answer;
    answer.id = effect.id;
    const bool fails = !calm_ && effect.id != 0 && chance(8);
    if (fails) {
      ++result_.faults;
      const ResultCode codes[] = {ResultCode::Conflict, ResultCode::Forbidden, ResultCode::Timeout, ResultCode::Timeout,
                                  ResultCode::AlreadyExists};
      answer.code = codes[prng_.below(5)];
      // A timeout says nothing about what happened.
      if (answer.code != ResultCode::Timeout || chance(50)) return answer;
    }
    if (const auto* removal = std::get_if<RemoveFinalizer>(&effect.body)) check_removal(*removal);
    if (auto done = store_.execute(effect, now_); done && !fails) answer = *std::move(done);
    pump();
    return answer;
  }

  // -- What must hold

  void check_write(const Job& before, const Job& after) {
    const JobStatus& was = before.status;
    const JobStatus& is = after.status;
    if (was == is) return;
    if (was.finished() != nullptr) violated("a finished job was written again");
    const auto listed = [](const JobStatus& status, bool failed) {
      static const std::vector<std::string> kNone;
      if (!status.uncounted) return kNone;
      return failed ? status.uncounted->failed : status.uncounted->succeeded;
    };
    for (const bool failed : {true, false}) {
      std::int32_t left = 0;
      const std::vector<std::string> now = listed(is, failed);
      for (const std::string& uid : listed(was, failed)) {
        if (std::find(now.begin(), now.end(), uid) != now.end()) continue;
        ++left;
        if (!counted_.insert(uid).second) violated("pod " + uid + " was counted twice");
        for (const auto& [key, pod] : store_.pods())
          if (pod->meta.uid == uid && pod->is_tracked() && !pod->meta.labels.empty())
            violated("pod " + uid + " was counted with its finalizer on");
      }
      for (const std::string& uid : now)
        if (counted_.contains(uid)) violated("pod " + uid + " was registered after it was counted");
      if (!failed && after.spec->is_indexed()) continue;
      const std::int32_t rise = failed ? is.failed - was.failed : is.succeeded - was.succeeded;
      if (rise != left)
        violated("a counter rose by " + std::to_string(rise) + " for " + std::to_string(left) + " pods");
    }
    if (after.spec->is_indexed()) {
      const Intervals completed = Intervals::parse(is.completed_indexes, *after.spec->completions);
      if (completed.total() != is.succeeded) violated("succeeded is not the number of completed indexes");
      for (const auto& [first, last] : completed.runs())
        for (std::int32_t i = first; i <= last; ++i)
          if (!succeeded_indexes_.contains(i)) violated("an index is complete that no pod completed");
      if (Intervals::parse(was.completed_indexes, *after.spec->completions).common(completed) != was.succeeded)
        violated("a completed index was lost");
    }
    if (is.finished() != nullptr) {
      ++ends_;
      if (ends_ > 1) violated("the end was written twice");
      if (is.uncounted && !is.uncounted->empty()) violated("the job ended with uncounted pods");
      if (is.terminating.value_or(0) != 0) violated("the job ended while pods terminate");
      if (is.active != 0) violated("the job ended with active pods");
      if (is.finished()->type == "Complete" && !is.completion_time) violated("Complete without a completion time");
    }
  }

  /// A finalizer that goes because its pod is accounted for: then it is, in what is stored.
  void check_removal(const RemoveFinalizer& removal) {
    const Job* job = stored_job();
    const auto found = store_.pods().find(removal.ns + "/" + removal.name);
    if (job == nullptr || found == store_.pods().end() || !found->second->is_tracked()) return;
    if (!controller_.finalizer_expectations().contains(kKey, removal.uid)) return;
    if (job->meta.deletion || job->status.finished() != nullptr) return;
    const Pod& pod = *found->second;
    const UncountedPods lists = job->status.uncounted.value_or(UncountedPods{});
    const auto in = [&](const std::vector<std::string>& uids) {
      return std::find(uids.begin(), uids.end(), removal.uid) != uids.end();
    };
    if (in(lists.succeeded) || in(lists.failed) || counted_.contains(removal.uid)) return;
    const std::int32_t index = completion_index(pod);
    if (job->spec->is_indexed()) {
      if (!is_valid_index(index, *job->spec)) return;
      if (pod.phase == PodPhase::Succeeded &&
          Intervals::parse(job->status.completed_indexes, *job->spec->completions).contains(index))
        return;
    }
    if (job->status.find_true("SuccessCriteriaMet") != nullptr) return;  // pods that were stopped do not count
    if (pod.phase != PodPhase::Succeeded && !match_failure(*job->spec, pod).counts()) return;
    violated("the finalizer of pod " + removal.uid + " went before it was registered");
  }

  // -- What pods, people and time do

  [[nodiscard]] std::vector<PodPtr> all_pods() const {
    std::vector<PodPtr> pods;
    for (const auto& [key, pod] : store_.pods()) pods.push_back(pod);
    return pods;
  }
  void advance_pod(const PodPtr& pod, std::uint64_t success_percent) {
    Pod changed = *pod;
    if (changed.meta.deletion && chance(60)) {
      // A kubelet that stops a pod reports its end first, as a rule.
      if (!is_ended(changed.phase) && chance(70)) end_pod(changed, 30);
      store_.update_pod(changed);
      store_.confirm_deleted(changed.key());
      return;
    }
    if (is_ended(changed.phase)) return;
    if (changed.phase == PodPhase::Pending && chance(80)) {
      changed.phase = PodPhase::Running;
      changed.node = "n";
      if (chance(50)) changed.conditions = {{"Ready", "True", now_}};
    } else {
      end_pod(changed, success_percent);
    }
    store_.update_pod(changed);
  }
  void end_pod(Pod& pod, std::uint64_t success_percent) {
    pod.node = "n";
    pod.conditions.clear();
    pod.phase = chance(success_percent) ? PodPhase::Succeeded : PodPhase::Failed;
    const std::int32_t code = pod.phase == PodPhase::Succeeded ? 0 : chance(30) ? 3 : 1;
    pod.containers = {{"main", 0, true, code, now_}};
    if (pod.phase == PodPhase::Succeeded) succeeded_indexes_.insert(completion_index(pod));
  }
  template <class Change>
  void change_spec(Change change) {
    const Job* stored = stored_job();
    if (stored == nullptr || stored->meta.deletion) return;
    Job wanted = *stored;
    JobSpec spec = *wanted.spec;
    change(spec);
    wanted.spec = std::make_shared<const JobSpec>(std::move(spec));
    store_.update_job(prepare_update(*stored, wanted));
  }
  void move_clock(Duration by) {
    now_ = now_ + by;
    controller_.step({now_, Tick{}}, output_);
  }

  void random_step() {
    const std::uint64_t dice = prng_.below(100);
    const std::vector<PodPtr> pods = all_pods();
    if (dice < 25) {
      work();
    } else if (dice < 45) {
      deliver(1 + static_cast<std::size_t>(prng_.below(6)));
    } else if (dice < 65) {
      if (!pods.empty()) advance_pod(prng_.pick(pods), 60);
    } else if (dice < 85) {
      move_clock(chance(60) ? seconds(1) : seconds(static_cast<std::int64_t>(prng_.below(120))));
    } else if (dice < 89) {
      relist();
    } else if (dice < 91) {
      restart();
    } else if (dice < 94) {
      if (!pods.empty()) store_.delete_pod(prng_.pick(pods)->key(), now_);
    } else if (dice < 96) {
      change_spec([](JobSpec& spec) { spec.suspend = !spec.is_suspended(); });
    } else if (dice < 98) {
      const auto wanted = static_cast<std::int32_t>(prng_.below(5));
      change_spec([wanted](JobSpec& spec) { spec.parallelism = wanted; });
    } else if (dice < 99) {
      // Someone takes the labels off a pod: it is released.
      if (!pods.empty()) {
        Pod changed = *prng_.pick(pods);
        if (!is_ended(changed.phase)) {
          changed.meta.labels.clear();
          store_.update_pod(changed);
        }
      }
    } else if (prng_.one_in(3) && stored_job() != nullptr) {
      if (chance(50)) {
        Job job = *stored_job();
        job.meta.deletion = now_;
        store_.update_job(job);
      } else {
        store_.remove_job(kKey);
      }
    }
    pump();
  }

  [[nodiscard]] bool is_over() const {
    const Job* job = stored_job();
    if (job != nullptr && job->status.finished() == nullptr && !job->meta.deletion) return false;
    return std::none_of(store_.pods().begin(), store_.pods().end(),
                        [](const auto& entry) { return entry.second->is_tracked(); });
  }

  /// What belongs to a job that is gone, or that is going, goes too; and so do pods without labels: of a job that is
  /// being deleted or has ended they are not released, as its selector does not find them.
  void collect_garbage() {
    const Job* job = stored_job();
    for (const PodPtr& pod : all_pods()) {
      const OwnerReference* owner = pod->controller();
      const bool goes = owner != nullptr && (job == nullptr || job->meta.uid != owner->uid || job->meta.deletion ||
                                             pod->meta.labels.empty());
      if (goes) store_.delete_pod(pod->key(), now_);
    }
  }

  /// No more faults; pods end, and the clock runs.
  void let_end() {
    change_spec([](JobSpec& spec) {
      spec.suspend = false;
      spec.parallelism = std::max(*spec.parallelism, 1);
    });
    for (int round = 0; round < 400 && result_.failure.empty(); ++round) {
      deliver(SIZE_MAX);
      for (int i = 0; i < 100 && controller_.has_work(); ++i) {
        work();
        deliver(SIZE_MAX);
      }
      if (is_over()) return;
      if (const Job* job = stored_job(); job != nullptr && job->meta.deletion && round > 20) {
        // In the foreground: the object goes when nothing it waits for is left.
        store_.remove_job(kKey);
      }
      collect_garbage();
      // Informers show everything again now and then: what no event would wake is looked at.
      if (round % 8 == 7 && seen_job_) show(JobUpdated{seen_job_, seen_job_});
      for (const PodPtr& pod : all_pods()) advance_pod(pod, 80);
      move_clock(seconds(round % 4 == 0 ? 301 : 5));
    }
    if (result_.failure.empty()) {
      const Job* job = stored_job();
      violated("it never ended: " + (job == nullptr ? "no job" : to_json(job->status).dump()));
    }
  }

  Prng prng_;
  Time now_{1'000'000 * kSecond.ns};
  Store store_;
  Controller controller_;
  Output output_;
  std::deque<Observation> jobs_on_the_way_;
  std::deque<Observation> pods_on_the_way_;
  std::uint64_t jobs_first_ = 50;  ///< percent: the watch of one kind may lag far behind that of the other
  JobPtr seen_job_;
  std::map<std::string, PodPtr> seen_pods_;
  std::set<std::string> counted_;
  std::set<std::int32_t> succeeded_indexes_;
  int ends_ = 0;
  bool calm_ = false;
  JobTrial result_;
};

}  // namespace
}  // namespace pumice::kubejob

namespace pumice::test {

JobTrial run_job_trial(std::uint64_t seed) { return kubejob::Trial(seed).run(); }

JobCampaign run_job_campaign(std::uint64_t seed, std::int64_t count,
                             const std::function<void(const JobCampaign&)>& progress) {
  JobCampaign campaign;
  Prng seeds(seed);
  while (campaign.trials < count && campaign.failures.size() < 20) {
    const JobTrial trial = run_job_trial(seeds.next());
    ++campaign.trials;
    campaign.syncs += trial.syncs;
    campaign.faults += trial.faults;
    campaign.restarts += trial.restarts;
    campaign.completed += trial.completed ? 1 : 0;
    campaign.failed += trial.failed ? 1 : 0;
    campaign.deleted += trial.deleted ? 1 : 0;
    if (!trial.failure.empty()) campaign.failures.push_back(trial.failure);
    if (progress && campaign.trials % 1'000 == 0) progress(campaign);
  }
  return campaign;
}

}  // namespace pumice::test
