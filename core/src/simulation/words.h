// Records in words. All texts of explanations are made here and nowhere else, so that page and command line say the
// same.
//
// A clause is a piece of a sentence: no capital at its start (unless it is a name), no full stop. A sentence ends in
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compose.h"
#include "pumice/json.h"
#include "pumice/simulation/simulation.h"
#include "pumice/volcano/trace.h"

namespace pumice::simulation {

/// What words need to know of the simulation beside the record itself.
struct Scene {
  Time start;                              ///< times are told as the span since the start
  bool several_jobs = false;               ///< then every sentence names its job
  bool several_namespaces = false;         ///< then every name of an object tells its namespace
  const Simulation* simulation = nullptr;  ///< after the step: what stands in the manifests
  const StepRecord* step = nullptr;        ///< what was noticed before a request was made of it
};

// -- Small pieces (words.cc).

/// `test-job-w-0` → `w-0` if it is a pod of job `test-job`.
[[nodiscard]] std::string short_name(std::string_view pod, std::string_view job);
/// `is` or `are`, to go with `count_of`.
[[nodiscard]] std::string_view is_or_are(std::int64_t count) noexcept;
/// `w-0, w-1` · `w-0 … 99`: names that count up are given by their ends.
[[nodiscard]] std::string fold_names(const std::vector<std::string>& names);
/// `+1m30s`; `-5s` before the start.
[[nodiscard]] std::string elapsed_text(Time time, Time start);
/// `Running`; `new` for the empty phase.
[[nodiscard]] std::string phase_text(const volcano::PhaseName& phase);
/// `test-job-…`: the uid at the end of a PodGroup's name says nothing to people.
[[nodiscard]] std::string group_text(std::string_view name);
/// How an object is called in texts: `w-0`, or `team-a/w-0` where there are several namespaces.
[[nodiscard]] std::string name_text(std::string_view ns, std::string_view name, const Scene& scene);
/// The same for a job by its key `namespace/name`.
[[nodiscard]] std::string job_text(std::string_view job_key, const Scene& scene);
/// The part behind the slash of `namespace/name`.
[[nodiscard]] std::string job_name_of(std::string_view job_key);
/// First letter in upper case (ASCII), full stop at the end.
[[nodiscard]] std::string as_sentence(std::string clause);

// -- Rules (rule_words.cc).

/// `PodFailed or PodEvicted → RestartJob after 10m0s`.
[[nodiscard]] std::string policy_text(const LifecyclePolicy& policy);
/// What a policy waits for: `PodFailed or exitCode 3`.
[[nodiscard]] std::string condition_text(const LifecyclePolicy& policy);
/// The policy at `rule`, or nullptr.
[[nodiscard]] const LifecyclePolicy* policy_at(const JobSpec* spec, volcano::RuleRef rule) noexcept;
/// `policies[0] of task worker` · `spec.policies[0]`.
[[nodiscard]] std::string rule_name(const JobSpec* spec, volcano::RuleRef rule);
/// Why a policy did or did not decide: `names PodEvicted, the event is PodFailed`.
[[nodiscard]] std::string reason_text(const volcano::ProcessRecord& record, const volcano::Considered& considered,
                                      const Scene& scene = {});

// -- Requests, decisions, outcomes (process_words.cc, transition_words.cc).

/// What a request tells: `worker-1 failed with exit code 137`.
[[nodiscard]] std::string request_text(const volcano::Request& request);
/// The same with what else is known of its cause: `worker-1, which had succeeded, is gone (…)`.
[[nodiscard]] std::string cause_text(const volcano::ProcessRecord& record, const Scene& scene);
/// The same as a name: `PodFailed of worker-1`.
[[nodiscard]] std::string request_name(const volcano::Request& request);
/// Why the phase moved or stayed; empty where there is nothing to say.
[[nodiscard]] std::string transition_text(const volcano::ProcessRecord& record, const Scene& scene = {});
/// Which rule decided, or why none did; empty if nobody would ask.
[[nodiscard]] std::string decision_text(const volcano::ProcessRecord& record);
/// What was done and why: `RestartJob: Running to Restarting, retry 1 of 3; 6 pods deleted`.
[[nodiscard]] std::string outcome_text(const volcano::ProcessRecord& record, const Scene& scene);
/// `cause → decision → outcome`, with the words of the caller for the cause.
/// `colon` divides cause and outcome where no decision stands between them.
[[nodiscard]] std::string decided_clause(std::string_view cause, const volcano::ProcessRecord& record,
                                         const Scene& scene, std::string_view colon);
/// `; the version goes from 1 to 2`, where nothing else would tell that there was a kill.
[[nodiscard]] std::string version_text(const volcano::ProcessRecord& record);
/// Both together.
[[nodiscard]] std::string process_clause(std::string_view cause, const volcano::ProcessRecord& record,
                                         const Scene& scene, std::string_view colon = ": ");

// -- Timers, notifications, effects.

[[nodiscard]] std::string timer_clause(const volcano::TimerRecord& timer, const Scene& scene);  // timer_words.cc
/// What makes a delayed action go away again; empty if nothing does.
[[nodiscard]] std::string cancel_rule_text(const volcano::EventName& armed_by);  // timer_words.cc
[[nodiscard]] std::string observe_clause(const volcano::ObserveRecord& record,
                                         const Scene& scene = {});                                   // observe_words.cc
[[nodiscard]] std::string command_clause(const volcano::CommandRecord& record, const Scene& scene);  // observe_words.cc
/// The notification that the request was made of, the last of several; nullptr if it is not of this step.
[[nodiscard]] const volcano::ObserveRecord* notice_of(const volcano::Request& request, const Scene& scene);

struct EffectText {
  std::string_view label;  ///< `effect`, or `event` for Kubernetes Events
  std::string text;

  friend bool operator==(const EffectText&, const EffectText&) = default;
};
/// Effects of one kind are told together (effect_words.cc).
[[nodiscard]] std::vector<EffectText> effect_texts(const std::vector<volcano::Effect>& effects, std::int64_t total,
                                                   std::string_view job);

/// One sentence for one record (record_words.cc).
[[nodiscard]] std::string record_sentence(const volcano::Record& record, const Scene& scene);

// -- JobFlows, JobTemplates, TTL (side_words.cc).

[[nodiscard]] std::string side_clause(const SideRecord& record, const Scene& scene);
[[nodiscard]] bool is_side_news(const SideRecord& record);
/// All of a step that people would want to be told, as clauses; empty if there is nothing.
[[nodiscard]] std::string side_news(const StepRecord& step, const Scene& scene);
/// For the head of a step that began with one of them; empty if none did.
[[nodiscard]] std::string side_line(const StepRecord& step, const Scene& scene);
/// `side` of a step; the form is written down in report.h (side_json.cc).
[[nodiscard]] Json side_json(const StepRecord& step, const Scene& scene);
/// `flows`, `templates` and `gone` of the view (side_json.cc).
void add_side_view(const Simulation& simulation, Json& view);
/// JobFlows and JobTemplates of the manifests, by name: `JobFlow f`, `2 JobTemplates`.
[[nodiscard]] std::vector<std::string> created_objects(const Scene& scene);
// -- Faults (fault_words.cc).

/// What went wrong, or was mended: `2 notifications about pods are held back`.
[[nodiscard]] std::string fault_clause(const FaultRecord& record);
/// All of a step's, divided by semicolons.
[[nodiscard]] std::string faults_text(const StepRecord& step);
[[nodiscard]] std::string fault_event_text(const FaultEvent& event);
[[nodiscard]] std::string_view watch_noun(WatchKind kind) noexcept;

// -- Steps (step_words.cc).

/// What came in: `worker-1 failed with exit code 137` · `6 pods started`.
[[nodiscard]] std::string input_text(const StepRecord& step, const Scene& scene);
/// The same in the form of an event line, for the head of a step: `pod worker-1 Failed exit=137`.
[[nodiscard]] std::string input_line(const StepRecord& step, const Scene& scene);
/// The phases a job went through in a step, the first and the last included; just one if it stayed where it was.
[[nodiscard]] std::vector<volcano::PhaseName> phases_passed(const StepRecord& step, const JobChange& change);
/// Index of the record that explains the step best; -1 if there is none.
[[nodiscard]] std::int64_t fired_record(const StepRecord& step);
/// True if the user did something from which one expects an answer, and there was none.
[[nodiscard]] bool is_let_down(const StepRecord& step);
[[nodiscard]] std::string step_sentence(const StepRecord& step, const Scene& scene);

[[nodiscard]] Scene scene_of(const Simulation& simulation, const StepRecord& step);

}  // namespace pumice::simulation
