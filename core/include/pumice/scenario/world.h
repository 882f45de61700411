// What a scenario runs on: the narrow border between documents and the controllers that play them.
//
// Expectations and coverage know steps and states only as they stand here, in the words of the API: another controller
// takes part by being a World.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/json.h"
#include "pumice/result.h"
#include "pumice/scenario/scenario.h"
#include "pumice/simulation/report.h"

namespace pumice::scenario {

/// A policy that stood for a decision.
struct ConsideredRule {
  std::string path;
  bool looked_at = false;  ///< and not passed by, because another had decided or policies were not asked
  bool fired = false;
};

/// One decision of a controller, and what it was made in.
struct Decision {
  std::string job;   ///< key
  std::string rule;  ///< path of the policy that decided; empty: none did
  std::string action;
  std::string phase;      ///< of the job before; empty: it was new
  bool executed = false;  ///< the action ran, as the phase says; false: dropped, or delayed
  bool delayed = false;
  std::vector<ConsideredRule> considered;
};

struct EffectSeen {
  std::string job;
  std::string_view effect;  ///< `CreatePod` …
  std::string name;         ///< of the object; of a pod without its job's name
};

struct EmittedSeen {
  std::string job;
  bool warning = false;
  std::string reason;
  std::string message;
};

/// One step, as far as expectations ask.
struct Frame {
  std::int64_t index = 0;
  Time time;
  Duration elapsed;
  std::string refused;   ///< the event could not happen: why
  std::string sentence;  ///< what happened and why
  bool changed = false;  ///< phase or counters of a job differ after it
  bool cut = false;      ///< there was more than was kept: counts are not whole
  std::vector<Decision> decisions;
  std::vector<EffectSeen> effects;
  std::vector<EmittedSeen> emitted;
};

struct JobState {
  std::string phase;
  std::map<std::string, std::int64_t, std::less<>> counters;
  std::vector<std::string> conditions;
  std::optional<Duration> running_duration;
  std::optional<PodGroupPhase> pod_group;
};

struct PodState {
  std::string name;
  std::string short_name;
  PodPhase phase = PodPhase::Pending;
  std::int64_t exit_code = 0;
  std::int64_t restarts = 0;
  std::int64_t version = 0;
  bool deleting = false;
};

class World {
 public:
  /// Called after each step, with the world as it is then; false: no more steps, please.
  using OnStep = std::function<bool(const Frame&)>;

  World() = default;
  virtual ~World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  virtual void start(const OnStep& on_step) = 0;
  virtual void apply(const UserEvent& event, const OnStep& on_step) = 0;
  /// The next thing that happens by itself; false if there is none.
  virtual bool next(const OnStep& on_step) = 0;
  /// True if something other than the end of running pods is to come by itself.
  [[nodiscard]] virtual bool is_busy() const = 0;
  [[nodiscard]] virtual Time now() const = 0;

  /// Keys of the jobs, in the order of the manifests.
  [[nodiscard]] virtual const std::vector<std::string>& jobs() const = 0;
  [[nodiscard]] virtual std::string name_of(const std::string& job) const = 0;
  [[nodiscard]] virtual std::optional<JobState> state_of(const std::string& job) const = 0;
  [[nodiscard]] virtual std::vector<PodState> pods_of(const std::string& job) const = 0;
  [[nodiscard]] virtual std::int64_t timers_of(const std::string& job) const = 0;
  /// What keeps the job from going on, in words.
  [[nodiscard]] virtual std::vector<std::string> waiting_of(const std::string& job) const = 0;
  /// Paths of all policies of a job, with their places.
  [[nodiscard]] virtual std::vector<std::pair<std::string, Place>> rules_of(const std::string& job) const = 0;

  /// The step that was reported last.
  [[nodiscard]] virtual std::vector<Line> explain(Explain level) const = 0;
  enum class StepForm : std::uint8_t { Summary, Full };
  [[nodiscard]] virtual Json step_json(StepForm form) const = 0;
};

/// The world of the Volcano controller: a Simulation. Findings of the manifests come along.
[[nodiscard]] Result<std::shared_ptr<World>> make_world(const Scenario& scenario,
                                                        const std::vector<SourceText>& sources);

}  // namespace pumice::scenario
