#include "support/volcano_trials.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "pumice/simulation/report.h"
#include "pumice/simulation/simulation.h"
#include "support/prng.h"

namespace pumice::test {
namespace {

using namespace volcano;

std::string number(std::uint64_t value) { return std::to_string(value); }

/// Everything a trial plays, drawn from its seed before anything runs.
struct Script {
  std::string manifest;
  SimulationOptions options;
  std::vector<std::string> events;
  std::size_t copy_at = 0;  ///< the event before which the simulation is copied
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  Script write();

 private:
  template <class... Words>
  std::string one(Words... words) {
    return random_.pick(std::vector<std::string>{words...});
  }
  std::string policies();
  std::string job(const std::string& name);
  std::string pod_event();
  std::string fault();
  std::string event();
  std::string pod_pattern();

  Prng random_;
  std::vector<std::string> names_;
  std::vector<std::string> tasks_{"m", "w", "x"};
};

std::string Writer::policies() {
  std::string text;
  const std::uint64_t count = random_.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!text.empty()) text += ", ";
    if (random_.one_in(5)) {
      text +=
          "{exitCode: " + one("1", "3", "137") + ", action: " + one("RestartJob", "RestartPod", "TerminateJob") + "}";
      continue;
    }
    const std::string event = one("PodFailed", "PodEvicted", "PodPending", "PodRunning", "TaskFailed", "TaskCompleted",
                                  "Unknown", "OutOfSync", "*");
    const std::string action =
        one("RestartJob", "RestartTask", "RestartPod", "RestartPartition", "AbortJob", "TerminateJob", "CompleteJob");
    text += "{event: \"" + event + "\", action: " + action;
    if (random_.one_in(3)) text += ", timeout: " + one("1s", "5s", "30s");
    text += "}";
  }
  return text;
}

std::string Writer::job(const std::string& name) {
  std::string text = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: " + name + "}\nspec:\n";
  text += "  maxRetry: " + number(1 + random_.below(5)) + "\n";
  text += "  policies: [" + policies() + "]\n";
  if (random_.one_in(3)) text += "  minAvailable: " + number(1 + random_.below(3)) + "\n";
  if (random_.one_in(6)) text += "  minSuccess: 1\n";
  if (random_.one_in(6)) text += "  priorityClassName: high\n";
  if (random_.one_in(4)) text += "  plugins: {svc: [], env: []}\n";
  text += "  queue: " + one("default", "default", "small") + "\n  tasks:\n";
  const std::uint64_t tasks = 1 + random_.below(3);
  for (std::uint64_t i = 0; i < tasks; ++i) {
    const std::uint64_t replicas = 1 + random_.below(4);
    text += "  - name: " + tasks_[i] + "\n    replicas: " + number(replicas) + "\n";
    if (random_.one_in(3)) text += "    minAvailable: " + number(random_.below(replicas + 1)) + "\n";
    if (random_.one_in(3)) text += "    policies: [" + policies() + "]\n";
    if (i > 0 && random_.one_in(4)) text += "    dependsOn: {name: [" + tasks_[i - 1] + "]}\n";
    if (random_.one_in(5))
      text += "    partitionPolicy: {totalPartitions: " + number(replicas) + ", partitionSize: 1}\n";
    text +=
        "    template: {spec: {restartPolicy: Never, containers: [{name: main, image: i, resources: {requests: {cpu: "
        "1}}}]}}\n";
  }
  return text;
}

std::string Writer::pod_pattern() {
  if (random_.one_in(4)) return one("*", "*-0", "m-*", "w-*");
  return random_.pick(names_) + "-" + random_.pick(tasks_) + "-" + number(random_.below(3));
}

std::string Writer::pod_event() {
  const std::string pod = "pod " + pod_pattern() + " ";
  switch (random_.below(9)) {
    case 0: return pod + "Failed exit=" + one("1", "3", "137", "0");
    case 1: return pod + "Succeeded";
    case 2: return pod + "Running";
    case 3: return pod + one("evicted", "deleted");
    case 4: return pod + "gone";
    case 5: return pod + "restarts=" + number(random_.below(5));
    case 6: return pod + one("ready", "unready");
    case 7: return pod + "reason=ImagePullBackOff";
    default: return pod + "Failed";
  }
}

std::string Writer::fault() {
  switch (random_.below(12)) {
    case 0: return "fault controllerRestart";
    case 1: return "fault controllerRestart for=" + one("1s", "10s");
    case 2: return "fault controllerRestart effects=" + number(1 + random_.below(6));
    case 3: return "fault controllerDown for=20s";
    case 4:
      return "fault effect " +
             one("CreatePod", "DeletePod", "MarkPod", "UpdateJobStatus", "CreatePodGroup", "DeletePodGroup",
                 "UpdatePodGroup", "DeleteCommand", "ReadPod") +
             " " + one("conflict", "notFound", "alreadyExists", "forbidden", "timeout", "error") +
             " times=" + number(1 + random_.below(4));
    case 5:
      return "fault effect " + one("CreatePod", "DeletePod", "UpdateJobStatus", "CreatePodGroup") + " timeout done";
    case 6: return "fault storeError times=" + number(1 + random_.below(3));
    case 7:
    case 8:
      return "fault watch " + one("jobs", "pods", "podGroups", "commands", "all") + " " +
             one("hold", "double", "drop") + " for=" + one("1s", "5s", "1m");
    case 9: return "fault watch " + one("jobs", "pods", "podGroups", "all") + " " + one("release", "relist");
    case 10: return "fault " + one("nodeLost", "nodeBack") + " " + pod_pattern();
    default: return one("fault quota 2", "fault quotaLifted", "fault watch pods release count=1");
  }
}

std::string Writer::event() {
  const std::string name = random_.pick(names_);
  switch (random_.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3: return pod_event();
    case 4:
    case 5: return "advance " + one("1s", "2s", "5s", "30s");
    case 6:
    case 7: return "advance next";
    case 8: return "until change";
    case 9: return "podgroup " + name + " " + one("Inqueue", "Running", "Unknown", "Pending", "Completed");
    case 10:
      return "command " + one("AbortJob", "ResumeJob", "RestartJob", "TerminateJob", "CompleteJob", "Reboot") + " " +
             name;
    case 11:
      if (random_.one_in(3)) return "delete " + name + (random_.one_in(2) ? " foreground" : "");
      return "create " + name;
    case 12:
      if (random_.one_in(2)) return "edit " + name + " spec.minAvailable=" + number(1 + random_.below(3));
      return "edit " + name + " spec.tasks[0].minAvailable=0 spec.tasks[0].replicas=" + number(1 + random_.below(4));
    case 13:
      if (random_.one_in(4)) return "queue " + one("default", "small") + " " + one("Closed", "Open");
      return "advance next";
    default: return fault();
  }
}

Script Writer::write() {
  Script script;
  names_ = random_.one_in(3) ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a"};
  script.manifest =
      "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: small}\nspec: {capability: {cpu: 3}}\n"
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n";
  for (const std::string& name : names_) script.manifest += "---\n" + job(name);
  const std::uint64_t automation = random_.below(4);
  script.options.automation = automation == 0   ? Automation::Manual
                              : automation == 1 ? Automation::Auto
                                                : Automation::Assist;
  script.options.faults.seed = random_.next();
  const std::uint64_t rate = random_.below(4);
  script.options.faults.per_million = rate == 0 ? 0 : rate == 1 ? 10'000 : rate == 2 ? 50'000 : 200'000;
  script.options.steps_max = 400;
  const std::uint64_t events = 5 + random_.below(30);
  for (std::uint64_t i = 0; i < events; ++i) script.events.push_back(event());
  script.copy_at = static_cast<std::size_t>(random_.below(events));
  return script;
}

/// FNV-1a, 64 bit.
class Digest {
 public:
  void add(const std::string& text) {
    for (const char c : text) {
      value_ ^= static_cast<unsigned char>(c);
      value_ *= 1099511628211U;
    }
  }
  [[nodiscard]] std::string text() const { return number(value_); }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

/// What is known of a job, by uid.
struct Known {
  std::int32_t version = 0;
  std::int32_t retry_count = 0;
  JobPhase ended = JobPhase::None;
  bool aborted = false;
};

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : script_(Writer(seed).write()) {}

  VolcanoTrial run();

 private:
  void fail(const std::string& what) {
    if (result_.failure.empty()) result_.failure = what;
  }
  void play(Simulation& simulation, const std::string& line);
  void check(const Simulation& simulation, const StepRecord& step);
  void check_jobs(const Simulation& simulation);
  void check_effects(const ProcessRecord& record);
  void check_cache(const Simulation& simulation);
  static std::string digest_of(Simulation& simulation, const std::vector<std::string>& events, std::size_t from);

  Script script_;
  VolcanoTrial result_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::string> job_of_pod_;  ///< every pod there ever was
  std::set<std::string> lowered_;                  ///< jobs whose replicas may have been lowered
  std::set<std::string> commanded_;                ///< jobs that were sent a command
  bool ends_ = false;
};

/// The controller deletes by name. A name belongs to one job here, as no job's name begins with another's.
void Trial::check_effects(const ProcessRecord& record) {
  for (const Effect& effect : record.effects) {
    std::string name;
    if (const auto* marked = std::get_if<MarkPod>(&effect.body)) name = marked->ns + "/" + marked->name;
    if (const auto* deleted = std::get_if<DeletePod>(&effect.body)) name = deleted->ns + "/" + deleted->name;
    if (name.empty()) continue;
    const auto pod = job_of_pod_.find(name);
    if (pod == job_of_pod_.end() || pod->second != record.job_key)
      fail(record.job_key + " touches " + name + ", which is not one of its pods");
  }
}

void Trial::check_jobs(const Simulation& simulation) {
  const Cluster& cluster = simulation.cluster();
  for (const auto& [key, job] : cluster.jobs()) {
    const JobStatus& status = job->status;
    Known& known = known_[job->meta.uid];
    if (status.version < known.version) fail(key + ": version falls from " + std::to_string(known.version));
    if (status.retry_count < known.retry_count) fail(key + ": retryCount falls");
    known.version = status.version;
    known.retry_count = status.retry_count;
    if (known.ended != JobPhase::None && status.phase.code != known.ended)
      fail(key + " was " + std::string(to_string(known.ended)) + " and is " + std::string(status.phase.text()));
    if (is_final(status.phase.code)) known.ended = status.phase.code;
    if (known.aborted && status.phase.code != JobPhase::Aborted && !commanded_.contains(key))
      fail(key + " left Aborted without a command");
    known.aborted = status.phase.code == JobPhase::Aborted;
    for (const StoredPod* pod : cluster.pods_of(key)) {
      job_of_pod_[pod->pod->ns + "/" + pod->pod->name] = key;
      const std::int32_t replicas = job->spec->tasks[static_cast<std::size_t>(pod->task)].replicas;
      if (pod->index >= replicas && !lowered_.contains(key))
        fail(key + " has the pod " + pod->pod->name + " though its task has " + std::to_string(replicas));
    }
  }
}

void Trial::check(const Simulation& simulation, const StepRecord& step) {
  ++result_.steps;
  if (!step.refused.empty()) ++result_.refused;
  for (const FaultRecord& fault : step.faults) {
    if (fault.kind == FaultRecord::Kind::Up) ++result_.restarts;
    if (fault.kind != FaultRecord::Kind::Up && fault.kind != FaultRecord::Kind::Down) ++result_.faults;
  }
  if (step.event && step.refused.empty()) {
    if (const auto* deleted = std::get_if<DeleteEvent>(&step.event->what))
      result_.deleted += deleted->job.empty() ? 0 : 1;
  }
  // Pods that were made and deleted within the step are known by their making.
  for (const Record& record : step.records) {
    const auto* process = std::get_if<ProcessRecord>(&record);
    if (process == nullptr) continue;
    for (const Effect& effect : process->effects)
      if (const auto* created = std::get_if<CreatePod>(&effect.body))
        job_of_pod_[created->pod->ns + "/" + created->pod->name] = process->job_key;
  }
  for (const Record& record : step.records)
    if (const auto* process = std::get_if<ProcessRecord>(&record)) check_effects(*process);
  check_jobs(simulation);
  const std::string text = explain_text(simulation, step, Explain::Full);
  if (text.empty()) fail("a step without a word");
}

void Trial::play(Simulation& simulation, const std::string& line) {
  const auto event = parse_event(line);
  if (!event.ok()) {
    fail("cannot be read: " + line);
    return;
  }
  if (const auto* edit = std::get_if<EditEvent>(&event.value->what)) lowered_.insert("default/" + edit->job);
  // A job that is created anew has its first spec again, and may meet pods of the other.
  if (const auto* made = std::get_if<CreateEvent>(&event.value->what)) lowered_.insert("default/" + made->job);
  if (const auto* command = std::get_if<CommandEvent>(&event.value->what)) commanded_.insert("default/" + command->job);
  for (const StepRecord& step : simulation.apply(*event.value)) check(simulation, step);
}

/// Pod by pod: the objects are shared, so equal versions are equal pods.
bool same_pods(const TaskPods& a, const TaskPods& b) {
  bool same = a.size() == b.size();
  a.for_each([&](const PodPtr& pod) {
    const PodPtr other = b.find(pod->name);
    same = same && other && other->resource_version == pod->resource_version;
  });
  return same;
}

void Trial::check_cache(const Simulation& simulation) {
  Controller fresh(simulation.options().controller);
  Output output;
  for (Observation& observation : simulation.cluster().list()) {
    fresh.step({simulation.now(), std::move(observation)}, output);
    output.trace.clear();
  }
  for (const auto& [key, job] : simulation.cluster().jobs()) {
    const JobInfo* is = simulation.controller().cache().get(key);
    const JobInfo* should = fresh.cache().get(key);
    if (is == nullptr || should == nullptr) {
      fail(key + " is not in the cache");
      continue;
    }
    if (is->job->meta.resource_version != should->job->meta.resource_version) fail(key + ": the cached job is old");
    if (is->version < should->version) fail(key + ": the cached version is behind");
    bool same = is->tasks.size() == should->tasks.size() && is->unlisted.size() == should->unlisted.size();
    for (std::size_t i = 0; same && i < is->tasks.size(); ++i) same = same_pods(is->tasks[i], should->tasks[i]);
    if (!same) fail(key + ": the cached pods differ from those that exist");
    for (const StoredPod* pod : simulation.cluster().pods_of(key)) {
      const std::int32_t replicas = job->spec->tasks[static_cast<std::size_t>(pod->task)].replicas;
      const PodGroup* group = simulation.cluster().pod_group_of(key);
      const JobPhase phase = job->status.phase.code;
      const bool syncs = phase == JobPhase::Pending || phase == JobPhase::Running;
      if (pod->index >= replicas && !pod->pod->deletion && syncs && group != nullptr && group->ready() &&
          pod->pod->owner_uid == job->meta.uid)
        fail(key + " keeps " + pod->pod->name + ", one more than its replicas");
    }
  }
}

std::string Trial::digest_of(Simulation& simulation, const std::vector<std::string>& events, std::size_t from) {
  Digest digest;
  for (std::size_t i = from; i < events.size(); ++i) {
    const auto event = parse_event(events[i]);
    if (!event.ok()) continue;
    for (const StepRecord& step : simulation.apply(*event.value)) digest.add(to_text(step_json(simulation, step)));
  }
  digest.add(to_text(view_json(simulation)));
  return digest.text();
}

VolcanoTrial Trial::run() {
  auto created = Simulation::create({{"trial.yaml", script_.manifest}}, script_.options);
  if (!created.ok()) {
    fail("the manifest is refused: " + to_text(created.diagnostics.front()));
    return result_;
  }
  Simulation simulation = std::move(*created.value);
  check(simulation, simulation.start());
  std::optional<Simulation> copy;
  for (std::size_t i = 0; i < script_.events.size(); ++i) {
    if (i == script_.copy_at) copy = simulation;
    play(simulation, script_.events[i]);
  }
  if (copy) {
    Simulation again = *copy;
    result_.history = digest_of(*copy, script_.events, script_.copy_at);
    if (result_.history != digest_of(again, script_.events, script_.copy_at)) fail("two copies go different ways");
    if (to_text(view_json(*copy)) != to_text(view_json(simulation)))
      fail("a copy does not end where its original does");
  }
  for (const char* line : {"fault mended", "fault controllerUp", "fault nodeBack *", "queue default Open",
                           "queue small Open", "until settled"})
    play(simulation, line);
  const bool rests = !simulation.next();
  if (rests && simulation.wire().is_up()) {
    result_.quiet = 1;
    check_cache(simulation);
  }
  for (const auto& [key, job] : simulation.cluster().jobs())
    if (is_final(job->status.phase.code) || job->status.phase.code == JobPhase::Aborted) ++result_.ended;
  return result_;
}

}  // namespace

std::string volcano_trial_text(std::uint64_t seed) {
  const Script script = Writer(seed).write();
  std::string text = script.manifest + "# " + std::string(to_string(script.options.automation)) + ", --faults " +
                     number(script.options.faults.seed) + "," + std::to_string(script.options.faults.per_million) +
                     "/1000000\n";
  for (const std::string& event : script.events) text += event + "\n";
  return text;
}

VolcanoTrial run_volcano_trial(std::uint64_t seed) {
  VolcanoTrial result = Trial(seed).run();
  if (!result.failure.empty())
    result.failure = "trial " + number(seed) + ": " + result.failure + "\n" + volcano_trial_text(seed);
  return result;
}

VolcanoCampaign run_volcano_campaign(std::uint64_t seed, std::int64_t from, std::int64_t count,
                                     const std::function<void(const VolcanoCampaign&)>& progress) {
  VolcanoCampaign campaign;
  // Each trial has a seed of its own, so that one can be played alone.
  for (std::int64_t i = from; i < from + count; ++i) {
    const VolcanoTrial trial = run_volcano_trial(Prng(seed + static_cast<std::uint64_t>(i)).next());
    ++campaign.trials;
    campaign.sum.steps += trial.steps;
    campaign.sum.refused += trial.refused;
    campaign.sum.faults += trial.faults;
    campaign.sum.restarts += trial.restarts;
    campaign.sum.deleted += trial.deleted;
    campaign.sum.ended += trial.ended;
    campaign.sum.quiet += trial.quiet;
    if (!trial.failure.empty())
      campaign.failures.push_back("--seed " + number(seed) + " --from " + std::to_string(i) +
                                  " --count 1: " + trial.failure);
    if (progress) progress(campaign);
  }
  return campaign;
}

}  // namespace pumice::test
