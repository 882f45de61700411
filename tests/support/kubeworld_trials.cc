#include "support/kubeworld_trials.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/reader.h"
#include "pumice/kubeworld/world.h"
#include "support/prng.h"

namespace pumice::kubeworld {
namespace {

using kubejob::JobSpec;
using test::Prng;
using test::WorldTrial;

constexpr const char* kKey = "default/j";

/// A world, its clock and what must hold of it.
struct Scene {
  World world;
  Time now{1'000'000 * kSecond.ns};
  std::set<std::string> succeeded;  ///< uids of pods that ended so
  std::set<std::string> failed;     ///< likewise, and those that are being deleted
  kubejob::JobPtr last;
  std::string broken;
  std::int64_t steps = 0;

  void violated(const std::string& what) {
    if (broken.empty()) broken = what;
  }
  void run() {
    Outcome outcome;
    world.run(now, outcome);
    ++steps;
    if (!outcome.endless.empty()) violated(outcome.endless);
    for (const auto& [key, pod] : world.store().pods()) {
      if (pod->phase == PodPhase::Succeeded) succeeded.insert(pod->meta.uid);
      if (pod->phase == PodPhase::Failed || pod->meta.deletion) failed.insert(pod->meta.uid);
    }
    check();
  }
  void check() {
    const kubejob::JobPtr is = world.job(kKey);
    if (!is) {
      last = nullptr;
      return;
    }
    const kubejob::JobStatus& status = is->status;
    const auto counted = [&](std::int32_t count, const std::vector<std::string>* more) {
      return count + static_cast<std::int64_t>(more == nullptr ? 0 : more->size());
    };
    const auto& lists = status.uncounted;
    if (counted(status.succeeded, lists && !is->spec->is_indexed() ? &lists->succeeded : nullptr) >
        static_cast<std::int64_t>(succeeded.size()))
      violated("more successes are counted than there were");
    // When a job fails its running pods are counted at once.
    const bool fails = status.find_true("FailureTarget") != nullptr || status.find_true("Failed") != nullptr;
    if (!fails && counted(status.failed, lists ? &lists->failed : nullptr) > static_cast<std::int64_t>(failed.size()))
      violated("more failures are counted than there were");
    if (last && last->meta.uid == is->meta.uid) {
      if (status.failed < last->status.failed) violated("failed fell");
      if (status.succeeded < last->status.succeeded && is->spec->completions == last->spec->completions)
        violated("succeeded fell");
      if (last->status.finished() != nullptr && !(last->status == status)) violated("a finished job was written again");
    }
    if (status.finished() != nullptr) {
      if (status.active != 0 || status.terminating.value_or(0) != 0) violated("the job ended with pods");
      if (lists && !lists->empty()) violated("the job ended with uncounted pods");
    }
    last = is;
  }
  void act() {
    now = std::max(now, *world.next_due());
    const auto action = world.next_action();
    if (action && *action <= now) (void)world.act(now);
    run();
  }
  void until(Time to) {
    while (world.next_due() && *world.next_due() <= to && broken.empty()) act();
    now = std::max(now, to);
    run();
  }
};

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : prng_(seed) { result_.history = "seed " + std::to_string(seed); }

  WorldTrial run() {
    scene_.world = World(random_config());
    if (!scene_.world.create_job(random_job(), scene_.now).empty()) scene_.violated("the job was not created");
    scene_.run();
    const std::uint64_t steps = 20 + prng_.below(60);
    for (std::uint64_t i = 0; i < steps && scene_.broken.empty(); ++i) random_step();
    std::optional<Scene> copy = scene_;
    let_end(scene_);
    let_end(*copy);
    const std::string one = story(scene_);
    if (scene_.broken.empty() && one != story(*copy)) scene_.violated("a copy ended otherwise");
    result_.history += " " + one;
    result_.steps = scene_.steps;
    const kubejob::JobPtr job = scene_.world.job(kKey);
    result_.end = job ? std::string(state_of(job.get())) : "Deleted";
    if (!scene_.broken.empty()) result_.failure = scene_.broken + " (" + result_.history + ")";
    result_.pods = static_cast<std::int64_t>(scene_.failed.size() + scene_.succeeded.size());
    return std::move(result_);
  }

 private:
  bool chance(std::uint64_t percent) { return prng_.below(100) < percent; }

  WorldConfig random_config() {
    WorldConfig config;
    config.quirks.set(kubejob::Quirk::GonePodForgotten, false);
    config.trace = chance(50);
    config.pace.finish = chance(60);
    config.pace.timings.start = seconds(static_cast<std::int64_t>(prng_.below(4)));
    config.pace.timings.run = seconds(static_cast<std::int64_t>(1 + prng_.below(30)));
    config.pace.timings.stop = seconds(static_cast<std::int64_t>(prng_.below(5)));
    if (chance(20)) config.ended_pods_max = static_cast<std::int64_t>(prng_.below(4));
    return config;
  }

  kubejob::Job random_job() {
    kubejob::Job job;
    job.meta.ns = "default";
    job.meta.name = "j";
    JobSpec spec;
    const bool restarts = chance(25);
    Json pod = Json::parse(R"({"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]})");
    if (restarts) pod["restartPolicy"] = "OnFailure";
    if (chance(25)) pod["containers"].push_back(Json::parse(R"({"name": "second", "image": "a"})"));
    if (chance(25))
      pod["initContainers"] = Json::parse(R"([{"name": "init", "image": "a"}, {"name": "side", "image": "a",
                                              "restartPolicy": "Always"}])");
    Json annotations = Json::object();
    if (chance(20)) annotations["pumice.dev/exit-code"] = chance(50) ? "1" : "3";
    if (chance(20)) annotations["pumice.dev/sigterm-exit-code"] = chance(50) ? "0" : "ignored";
    spec.pod_template = object_of({{"metadata", object_of({{"annotations", annotations}})}, {"spec", pod}});
    spec.parallelism = static_cast<std::int32_t>(1 + prng_.below(4));
    const bool indexed = chance(50);
    if (indexed) spec.completion_mode = "Indexed";
    if (indexed || chance(70)) spec.completions = static_cast<std::int32_t>(1 + prng_.below(6));
    spec.backoff_limit = static_cast<std::int32_t>(prng_.below(5));
    if (indexed && chance(40)) {
      spec.backoff_limit_per_index = static_cast<std::int32_t>(prng_.below(3));
      spec.backoff_limit.reset();
      if (chance(40)) spec.max_failed_indexes = static_cast<std::int32_t>(prng_.below(2));
    }
    if (!restarts && chance(35)) {
      kubejob::FailureRule rule;
      const char* actions[] = {"Ignore", "FailJob", "Count", spec.backoff_limit_per_index ? "FailIndex" : "Ignore"};
      rule.action = actions[prng_.below(4)];
      if (chance(50))
        rule.on_pod_conditions.push_back({"DisruptionTarget", "True"});
      else
        rule.on_exit_codes = kubejob::ExitCodeRequirement{std::nullopt, "In", {3}};
      spec.pod_failure_policy = kubejob::FailurePolicy{rule};
    } else if (chance(30)) {
      spec.pod_replacement_policy = "Failed";
    }
    if (indexed && chance(25)) spec.success_policy = kubejob::SuccessPolicy{{std::nullopt, 1}};
    if (chance(15)) spec.active_deadline_seconds = static_cast<std::int64_t>(30 + prng_.below(300));
    if (chance(15)) spec.ttl_seconds_after_finished = static_cast<std::int32_t>(prng_.below(60));
    if (chance(10)) spec.suspend = true;
    job.spec = std::make_shared<const JobSpec>(std::move(spec));
    return job;
  }

  PodChange random_change() {
    PodChange change;
    switch (prng_.below(10)) {
      case 0: change.phase = PodPhase::Succeeded; break;
      case 1:
      case 2:
        change.phase = PodPhase::Failed;
        change.exit_code = chance(30) ? 3 : 1;
        break;
      case 3: change.phase = PodPhase::Running; break;
      case 4:
        change.exit_code = chance(50) ? 0 : 3;
        if (chance(50)) change.container = chance(50) ? "second" : "side";
        break;
      case 5: change.deleted = true; break;
      case 6: change.evicted = true; break;
      case 7:
        change.gone = chance(50);
        if (!change.gone) change.node_lost = chance(50);
        break;
      case 8: {
        const char* reasons[] = {"ErrImagePull", "Unschedulable", ""};
        change.reason = reasons[prng_.below(3)];
        break;
      }
      default: change.ready = chance(50); break;
    }
    return change;
  }

  void edit() {
    const kubejob::JobPtr job = scene_.world.job(kKey);
    if (!job) return;
    Json wanted = kubejob::to_json(*job);
    Json& spec = wanted["spec"];
    if (chance(50)) {
      spec["suspend"] = !job->spec->is_suspended();
    } else {
      const auto many = static_cast<std::int32_t>(prng_.below(5));
      spec["parallelism"] = many;
      if (job->spec->is_indexed() && chance(50) && many > 0) spec["completions"] = many;
    }
    (void)scene_.world.update_job(kKey, wanted);
  }

  void random_step() {
    World& world = scene_.world;
    const std::uint64_t dice = prng_.below(100);
    if (dice < 40) {
      if (world.next_due()) scene_.act();
      return;
    }
    if (dice < 55) {
      scene_.until(scene_.now + seconds(static_cast<std::int64_t>(prng_.below(chance(20) ? 400 : 15))));
      return;
    }
    if (dice < 80) {
      std::vector<std::string> keys;
      for (const PodState* pod : world.pods_of(kKey)) keys.push_back(pod->key);
      if (!keys.empty()) (void)world.change_pod(prng_.pick(keys), random_change(), scene_.now);
    } else if (dice < 85) {
      edit();
    } else if (dice < 89) {
      ++result_.faults;
      if (world.are_controllers_up())
        (void)world.stop_controllers(chance(30) ? std::optional(scene_.now + seconds(20)) : std::nullopt);
      else
        (void)world.start_controllers(scene_.now);
    } else if (dice < 94) {
      ++result_.faults;
      const WatchMode modes[] = {WatchMode::Pass, WatchMode::Hold, WatchMode::Double, WatchMode::Drop};
      world.set_watch(chance(50) ? WatchKind::Jobs : WatchKind::Pods, modes[prng_.below(4)]);
    } else if (dice < 99) {
      ++result_.faults;
      const kubejob::ResultCode codes[] = {kubejob::ResultCode::Conflict, kubejob::ResultCode::Forbidden,
                                           kubejob::ResultCode::Timeout, kubejob::ResultCode::Other};
      EffectFault fault;
      if (chance(70)) fault.kind = prng_.pick(effect_kinds());
      fault.result = codes[prng_.below(4)];
      fault.done = fault.result == kubejob::ResultCode::Timeout && chance(50);
      fault.times = static_cast<std::int64_t>(1 + prng_.below(4));
      world.add_fault(std::move(fault));
    } else {
      const kubejob::Propagation how[] = {kubejob::Propagation::Orphan, kubejob::Propagation::Background,
                                          kubejob::Propagation::Foreground};
      (void)world.delete_job(kKey, how[prng_.below(3)], scene_.now);
    }
    scene_.run();
  }

  /// Nothing goes wrong any more, and pods end. Draws nothing, so that a copy goes the same way.
  static void let_end(Scene& scene) {
    World& world = scene.world;
    if (!world.are_controllers_up()) (void)world.start_controllers(scene.now);
    world.clear_faults();
    for (const WatchKind kind : kWatchKinds) world.set_watch(kind, WatchMode::Pass);
    if (const kubejob::JobPtr job = world.job(kKey)) {
      Json wanted = kubejob::to_json(*job);
      wanted["spec"]["suspend"] = false;
      if (job->spec->parallelism == 0) wanted["spec"]["parallelism"] = 1;
      (void)world.update_job(kKey, wanted);
    }
    scene.run();
    for (int round = 0; round < 300 && scene.broken.empty(); ++round) {
      const kubejob::JobPtr job = world.job(kKey);
      const bool ended = !job || job->status.finished() != nullptr;
      const bool held = std::any_of(world.store().pods().begin(), world.store().pods().end(),
                                    [](const auto& entry) { return entry.second->is_tracked(); });
      if (ended && !held) return;
      std::vector<std::string> keys;
      for (const PodState* pod : world.pods_of(kKey)) keys.push_back(pod->key);
      for (const PodState* pod : world.left_over()) keys.push_back(pod->key);
      for (const std::string& key : keys) {
        PodChange back;
        back.node_lost = false;
        (void)world.change_pod(key, back, scene.now);
        PodChange end;
        end.phase = PodPhase::Succeeded;
        (void)world.change_pod(key, end, scene.now);
      }
      scene.run();
      scene.until(scene.now + seconds(301));
    }
    if (scene.broken.empty()) {
      const kubejob::JobPtr job = world.job(kKey);
      scene.violated("it never ended: " + (job ? kubejob::to_json(job->status).dump() : std::string("no job")));
    }
  }

  static std::string story(const Scene& scene) {
    const kubejob::JobPtr job = scene.world.last_job(kKey);
    return std::to_string(scene.steps) + " steps, " + to_rfc3339(scene.now) + " " +
           (job ? kubejob::to_json(job->status).dump() : std::string());
  }

  Prng prng_;
  Scene scene_;
  WorldTrial result_;
};

}  // namespace
}  // namespace pumice::kubeworld

namespace pumice::test {

WorldTrial run_world_trial(std::uint64_t seed) { return kubeworld::Trial(seed).run(); }

WorldCampaign run_world_campaign(std::uint64_t seed, std::int64_t count,
                                 const std::function<void(const WorldCampaign&)>& progress) {
  WorldCampaign campaign;
  Prng seeds(seed);
  while (campaign.trials < count && campaign.failures.size() < 20) {
    const WorldTrial trial = run_world_trial(seeds.next());
    ++campaign.trials;
    campaign.steps += trial.steps;
    campaign.faults += trial.faults;
    campaign.pods += trial.pods;
    campaign.completed += trial.end == "Complete" ? 1 : 0;
    campaign.failed += trial.end == "Failed" ? 1 : 0;
    campaign.deleted += trial.end == "Deleted" ? 1 : 0;
    if (!trial.failure.empty()) campaign.failures.push_back(trial.failure);
    if (progress && campaign.trials % 1'000 == 0) progress(campaign);
  }
  return campaign;
}

}  // namespace pumice::test
