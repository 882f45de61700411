// Scenarios over the Volcano controller.
//
// A Simulation carries out an event with all its steps at once; expectations look at each of them. So there are two
// simulations: one goes ahead, and the other follows it step by step, played from the records as the engine's history
// plays them.
#include <algorithm>
#include <charconv>

#include "compose.h"
#include "overloaded.h"
#include "pumice/check.h"
#include "pumice/model/reader.h"
#include "pumice/scenario/world.h"
#include "simulation/words.h"

namespace pumice::scenario {
namespace {

using namespace volcano;

bool is_looked_at(RuleReason reason) {
  return reason != RuleReason::NotConsulted && reason != RuleReason::BehindEarlierMatch &&
         reason != RuleReason::HiddenByTask;
}

/// Name of the object an effect is about.
std::string object_of_effect(const EffectBody& body, const std::string& job_name) {
  struct NameOf {
    std::string operator()(const CreatePod& e) const { return e.pod->name; }
    std::string operator()(const MarkPod& e) const { return e.name; }
    std::string operator()(const DeletePod& e) const { return e.name; }
    std::string operator()(const ReadPod& e) const { return e.name; }
    std::string operator()(const CreatePodGroup& e) const { return e.group.name; }
    std::string operator()(const UpdatePodGroup& e) const { return e.group.name; }
    std::string operator()(const DeletePodGroup& e) const { return e.name; }
    std::string operator()(const CreateObject& e) const { return e.object.id.name; }
    std::string operator()(const UpdateObject& e) const { return e.object.id.name; }
    std::string operator()(const DeleteObject& e) const { return e.id.name; }
    std::string operator()(const UpdateJob& e) const { return e.job->meta.name; }
    std::string operator()(const UpdateJobStatus& e) const { return e.name; }
    std::string operator()(const DeleteCommand& e) const { return e.name; }
    std::string operator()(const EmitEvent& e) const { return e.job; }
  };
  const std::string name = std::visit(NameOf{}, body);
  const bool is_pod = std::holds_alternative<CreatePod>(body) || std::holds_alternative<MarkPod>(body) ||
                      std::holds_alternative<DeletePod>(body) || std::holds_alternative<ReadPod>(body);
  return is_pod ? simulation::short_name(name, job_name) : name;
}

void add(Frame& frame, const ProcessRecord& record) {
  Decision decision;
  decision.job = record.job_key;
  decision.rule = record.rule.path();
  decision.action = record.action.text();
  decision.phase = record.before.phase.text();
  decision.delayed = record.outcome == ProcessOutcome::Delayed;
  decision.executed = record.outcome == ProcessOutcome::Executed || record.outcome == ProcessOutcome::Requeued ||
                      record.outcome == ProcessOutcome::GaveUp;
  for (const Considered& considered : record.considered)
    decision.considered.push_back(
        {considered.rule.path(), is_looked_at(considered.reason), is_match(considered.reason)});
  frame.decisions.push_back(std::move(decision));
  frame.cut = frame.cut || record.effects_total > static_cast<std::int64_t>(record.effects.size());
  for (const Effect& effect : record.effects) {
    if (const auto* event = std::get_if<EmitEvent>(&effect.body)) {
      frame.emitted.push_back({record.job_key, event->warning, event->reason, event->message});
    } else {
      frame.effects.push_back(
          {record.job_key, effect_name(effect.body), object_of_effect(effect.body, record.request.job_name)});
    }
  }
}

void add(Frame& frame, const CommandRecord& record) {
  if (record.event)
    frame.emitted.push_back({record.event->ns + "/" + record.event->job, record.event->warning, record.event->reason,
                             record.event->message});
}

void add(Frame&, const ObserveRecord&) {}

/// What a sync of a batch/v1 Job decided, and asked for.
void add(Frame& frame, const kubejob::SyncRecord& record) {
  const std::string prefix = record.key.substr(record.key.find('/') + 1) + "-";
  for (const kubejob::FailureNote& note : record.failures) {
    Decision decision;
    decision.job = record.key;
    decision.action = kubejob::to_string(note.match.action);
    decision.executed = true;
    if (note.match.rule >= 0) decision.rule = compose("spec.podFailurePolicy.rules[{}]", note.match.rule);
    frame.decisions.push_back(std::move(decision));
  }
  frame.cut = frame.cut || record.effects_total > static_cast<std::int64_t>(record.effects.size());
  for (const kubejob::Effect& effect : record.effects) {
    if (const auto* event = std::get_if<kubejob::EmitEvent>(&effect.body)) {
      frame.emitted.push_back({record.key, event->warning, event->reason, event->message});
      continue;
    }
    std::string name = std::visit(Overloaded{
                                      [](const kubejob::CreatePod& body) { return body.pod->generate_name; },
                                      [](const kubejob::EmitEvent& body) { return body.job; },
                                      [](const auto& body) { return body.name; },
                                  },
                                  effect.body);
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    frame.effects.push_back({record.key, kubejob::effect_name(effect.body), std::move(name)});
  }
}

class SimulationWorld final : public World {
 public:
  explicit SimulationWorld(Simulation simulation) : ahead_(simulation), here_(std::move(simulation)) { list_jobs(); }

  void start(const OnStep& on_step) override { (void)report(ahead_.start(), on_step); }

  void apply(const UserEvent& event, const OnStep& on_step) override {
    for (StepRecord& step : ahead_.apply(event))
      if (!report(std::move(step), on_step)) return;
  }

  bool next(const OnStep& on_step) override {
    auto step = ahead_.next();
    if (!step) return false;
    (void)report(std::move(*step), on_step);
    return true;
  }

  [[nodiscard]] bool is_busy() const override { return here_.is_busy(); }
  [[nodiscard]] Time now() const override { return here_.now(); }
  [[nodiscard]] const std::vector<std::string>& jobs() const override { return jobs_; }
  [[nodiscard]] std::string name_of(const std::string& job) const override { return here_.name_of(job); }

  [[nodiscard]] std::optional<JobState> state_of(const std::string& job) const override {
    if (const kubejob::JobPtr kube = here_.kube().job(job)) return state_of_kube(*kube);
    const auto found = here_.cluster().jobs().find(job);
    if (found == here_.cluster().jobs().end()) return std::nullopt;
    const JobStatus& status = found->second->status;
    JobState state;
    state.phase = status.phase.text();
    state.counters = {
        {"retryCount", status.retry_count}, {"version", status.version},         {"minAvailable", status.min_available},
        {"pending", status.pending},        {"running", status.running},         {"succeeded", status.succeeded},
        {"failed", status.failed},          {"terminating", status.terminating}, {"unknown", status.unknown}};
    for (const JobCondition& condition : status.conditions) state.conditions.emplace_back(condition.status.text());
    state.running_duration = status.running_duration;
    if (const PodGroup* group = here_.cluster().pod_group_of(job)) state.pod_group = group->phase;
    return state;
  }

  [[nodiscard]] std::vector<PodState> pods_of(const std::string& job) const override {
    std::vector<PodState> pods;
    const std::string job_name = simulation::job_name_of(job);
    for (const kubeworld::PodState* stored : here_.kube().pods_of(job)) pods.push_back(state_of_kube(*stored));
    for (const StoredPod* stored : here_.cluster().pods_of(job)) {
      const Pod& pod = *stored->pod;
      PodState state;
      state.name = pod.name;
      state.short_name = simulation::short_name(pod.name, job_name);
      state.phase = pod.phase;
      state.exit_code = pod.exit_code();
      state.restarts = pod.restarts();
      const std::string version = pod.job_version.value_or("");
      (void)std::from_chars(version.data(), version.data() + version.size(), state.version);
      state.deleting = pod.deletion.has_value();
      pods.push_back(std::move(state));
    }
    return pods;
  }

  [[nodiscard]] std::int64_t timers_of(const std::string& job) const override {
    const auto pending = here_.controller().delayed().pending();
    return std::count_if(pending.begin(), pending.end(),
                         [&job](const auto& timer) { return timer.action.request.job_key() == job; });
  }

  [[nodiscard]] std::vector<std::string> waiting_of(const std::string& job) const override {
    std::vector<std::string> texts;
    for (Waiting& waiting : here_.waiting())
      if (waiting.job_key == job) texts.push_back(std::move(waiting.text));
    return texts;
  }

  [[nodiscard]] std::vector<std::pair<std::string, Place>> rules_of(const std::string& job) const override {
    std::vector<std::pair<std::string, Place>> rules;
    const auto found = here_.cluster().jobs().find(job);
    if (found == here_.cluster().jobs().end()) return rules;
    const auto add = [&](std::int32_t task, const std::vector<LifecyclePolicy>& policies) {
      for (std::size_t i = 0; i < policies.size(); ++i) {
        const std::string path = RuleRef{task, static_cast<std::int32_t>(i)}.path();
        const auto place = here_.place_of(job, path);
        rules.emplace_back(path, place ? Place{place->file, place->range, path} : Place{"", {}, path});
      }
    };
    const JobSpec& spec = *found->second->spec;
    for (std::size_t i = 0; i < spec.tasks.size(); ++i) add(static_cast<std::int32_t>(i), spec.tasks[i].policies);
    add(-1, spec.policies);
    return rules;
  }

  [[nodiscard]] std::vector<Line> explain(Explain level) const override { return pumice::explain(here_, last_, level); }
  [[nodiscard]] Json step_json(StepForm form) const override {
    return form == StepForm::Full ? pumice::step_json(here_, last_) : step_summary_json(here_, last_);
  }

 private:
  void list_jobs() {
    jobs_ = here_.jobs();
    jobs_.insert(jobs_.end(), here_.kube().jobs().begin(), here_.kube().jobs().end());
  }

  static JobState state_of_kube(const kubejob::Job& job) {
    const kubejob::JobStatus& status = job.status;
    JobState state;
    state.phase = kubeworld::state_of(&job);
    state.counters = {{"active", status.active},
                      {"ready", status.ready.value_or(0)},
                      {"succeeded", status.succeeded},
                      {"failed", status.failed},
                      {"terminating", status.terminating.value_or(0)}};
    for (const kubejob::Condition& condition : status.conditions)
      if (condition.is_true()) state.conditions.push_back(condition.type);
    return state;
  }

  /// A pod goes by its number, `p2`, and not by the letters that a server made up.
  [[nodiscard]] PodState state_of_kube(const kubeworld::PodState& pod) const {
    PodState state;
    state.name = pod.key.substr(pod.key.find('/') + 1);
    state.short_name = "p" + std::to_string(pod.ordinal);
    if (const kubejob::PodPtr object = here_.kube().object_of(pod)) {
      state.phase = object->phase;
      state.deleting = object->meta.deletion.has_value();
      for (const kubejob::ContainerStatus& container : object->containers) {
        state.restarts += container.restart_count;
        if (container.terminated && state.exit_code == 0) state.exit_code = container.exit_code;
      }
    }
    return state;
  }

  /// Lets the second simulation follow, and tells of the step.
  bool report(StepRecord step, const OnStep& on_step) {
    switch (step.source) {
      case StepSource::User: (void)(step.event ? here_.apply_now(*step.event) : here_.start()); break;
      case StepSource::Cluster:
      case StepSource::Fault:
      case StepSource::Timer: {
        const auto followed = here_.next();
        PUMICE_CHECK(followed.has_value());
        break;
      }
      case StepSource::Clock: (void)here_.clock_step(step.time, step.refused); break;
    }
    last_ = std::move(step);
    list_jobs();
    return on_step(frame());
  }

  [[nodiscard]] Frame frame() const {
    Frame frame;
    frame.index = last_.index;
    frame.time = last_.time;
    frame.elapsed = last_.elapsed;
    frame.refused = last_.refused;
    frame.sentence = sentence(here_, last_);
    frame.changed =
        std::any_of(last_.changes.begin(), last_.changes.end(),
                    [](const JobChange& change) {
                      return change.phase_before != change.phase_after || change.retry_before != change.retry_after ||
                             change.version_before != change.version_after;
                    }) ||
        std::any_of(last_.kube.changes.begin(), last_.kube.changes.end(), [](const kubeworld::JobChange& change) {
          return change.state_before != change.state_after || change.failed_before != change.failed_after ||
                 change.succeeded_before != change.succeeded_after;
        });
    frame.cut = last_.records_total > static_cast<std::int64_t>(last_.records.size());
    for (const Record& record : last_.records) std::visit([&frame](const auto& r) { add(frame, r); }, record);
    frame.cut = frame.cut || last_.kube.records_total > static_cast<std::int64_t>(last_.kube.records.size());
    for (const kubejob::Record& record : last_.kube.records)
      if (const auto* sync = std::get_if<kubejob::SyncRecord>(&record)) add(frame, *sync);
    return frame;
  }

  Simulation ahead_;
  Simulation here_;
  StepRecord last_;
  std::vector<std::string> jobs_;  ///< of both kinds
};

}  // namespace

Result<std::shared_ptr<World>> make_world(const Scenario& scenario, const std::vector<SourceText>& sources) {
  auto created = Simulation::create(sources, options_of(scenario));
  if (!created) return Result<std::shared_ptr<World>>::failure(std::move(created.diagnostics));
  std::shared_ptr<World> world = std::make_shared<SimulationWorld>(std::move(*created.value));
  return Result<std::shared_ptr<World>>::success(std::move(world), std::move(created.diagnostics));
}

}  // namespace pumice::scenario
