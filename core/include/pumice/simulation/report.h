// A step in words and as JSON. Everything here is derived from the records; command line and page print the same bytes.
#pragma once

#include <string>

#include "pumice/diagnostic_json.h"
#include "pumice/json.h"
#include "pumice/simulation/simulation.h"

namespace pumice {

/// How much of a step is told.
enum class Explain : std::uint8_t {
  Off,    ///< one line: time and input, phase changes
  Short,  ///< the sentence
  Fails,  ///< and every rule that did not decide, with its reason
  Full,   ///< and every record: notifications, requests, timers, effects, status before and after
};
[[nodiscard]] std::string_view to_string(Explain level) noexcept;
[[nodiscard]] std::optional<Explain> explain_from(std::string_view text) noexcept;

/// What a piece of text is, so that a terminal or a page can colour it. Plain output just joins the texts.
enum class Tone : std::uint8_t { Plain, Muted, Strong, Phase, Winner, Warning };
struct Span {
  Tone tone = Tone::Plain;
  std::string text;
};
using Line = std::vector<Span>;

/// One plain sentence: what happened and why; for a step in which nothing happened, why not.
[[nodiscard]] std::string sentence(const Simulation& after, const StepRecord& step);
/// The lines of the explanation at a level, without line ends. `after` is the simulation after the step (for
/// positions).
[[nodiscard]] std::vector<Line> explain(const Simulation& after, const StepRecord& step, Explain level);
/// Lines without their tones, each ended by `\n`.
[[nodiscard]] std::string plain_text(const std::vector<Line>& lines);
/// The explanation as plain text.
[[nodiscard]] std::string explain_text(const Simulation& after, const StepRecord& step, Explain level);

/// A step as JSON. Form:
///   {index, time, elapsed, source, input: {text, event?}, refused?, sentence,
///    faults?: [{kind, text, watch?, count?, effect?, names?, result?, done?, message?}: what went wrong or was mended
///              between controller and API server],
///    changes: [{job, phase: {from, to}, retryCount: {from, to}, version: {from, to}, gone?: true}],
///    flows?: [{flow, phase: {from, to}}],
///    side?: what JobFlows, JobTemplates and the TTL did, each with `before`, the index of the record it came before,
///     and `sentence`: [
///      {kind: "flowObserve", object, change, key, outcome, queued}
///      {kind: "flow", key, verdict, phase: {from, to}, steps: [{step, state, target?, targetPhase?, foreign?}],
///       deleted: […], events: […], error?, attempt?, gaveUp?, retryAt?}
///      {kind: "template", key, written, jobs: […], events: […], error? …}
///      {kind: "ttl", key, outcome, finished?, expires?, error?, retryAt?}],
///    sideTotal?,
///    fired: index into records of the ProcessRecord that explains the step best, or null,
///    records: [
///      {kind: "observe", object, change, namespace, name, outcome, detail, request?, sentence}
///      {kind: "command", name, action, consumed, retryAt?, event?, request?, sentence}
///      {kind: "process", job, request, expired, outcome, decision: {source, action, delay, rule, target: {type,
///      taskName, podName, partition}},
///       considered: [{path, level: "task"|"job", outcome: "matched"|"notMatched"|"notConsulted", reason, text,
///                     policy: {action, events: […], exitCode?, timeout?}, file?, line?, column?}],
///       operation: {kind, retain: […], statusFunction, reason, reasonText, lastRetry}, sync: {shortPath,
///       podGroupPhase, created, deleted, taken: [pods whose names others have], written, gated: […]}, killed, effects:
///       [{effect, …}], effectsTotal, timers:
///       [{op, pod, action, event, delay, due, becauseOf?, rule, sentence}], status: {before: {phase, version,
///       retryCount, pending, running, succeeded, failed, unknown, terminating}, after: {…}}, error?, retryAt?,
///       sentence}],
///    recordsTotal}
[[nodiscard]] Json step_json(const Simulation& after, const StepRecord& step);
/// A step as JSON without `records` and `side`, which may be hundreds; instead
///   {…, record: the record `fired` names, or null, moves: [{job, from, to}: each phase change on the way]}
[[nodiscard]] Json step_summary_json(const Simulation& after, const StepRecord& step);

/// Which records of a step; those that do not exist are left out.
struct RecordsWanted {
  std::int64_t from = 0;
  std::int64_t count = 100;
  bool detail = false;  ///< as in `step_json`; else only {kind, sentence}
};
[[nodiscard]] Json records_json(const Simulation& after, const StepRecord& step, RecordsWanted wanted);

/// What is wrong now and stays so until it is mended.
struct Standing {
  std::string code;  ///< `ControllerDown`, `NoticesHeld`, `EffectFault` …
  std::string text;
};
[[nodiscard]] std::vector<Standing> standing_faults(const Simulation& simulation);

/// The state as JSON, for views. Form:
///   {now, elapsed, automation,
///    jobs: [{key, name, namespace, phase, version, retryCount, maxRetry, minAvailable, minSuccess?, status: {…API
///    form…},
///            counts: {pending, running, succeeded, failed, unknown, terminating},
///            podGroup: {name, phase, minMember} | null,
///            tasks: [{name, replicas, minAvailable?, counts: {…}}],
///            pods: [{name, short, task, index, phase, exitCode?, restarts, version, outOfSync, deleting, ready, uid}],
///            podsTotal, possible: [phases reachable in one step from here]}],
///    timers: [{job, pod, action, event, due, remaining, rule, unseen}],
///    upcoming: [{due, remaining, text, kind}],
///    waiting: [{job, code, text}],
///    faults?: [{code, text}: what is wrong now and stays so],
///    flows: [{key, name, namespace, phase, retainPolicy, steps: [{name, job, exists, phase: of the job, as it was last
///             if it is gone, or null, targets}], status: {…API form…}, waiting: [sentences]}],
///    templates: [{key, jobs}], gone: [jobs that were deleted, as they were last: {key, name, namespace, phase,
///    status}], palette: [{group, entries: [{label, line: the event in its line form, reason?: why it cannot happen
///    now}]}]}
/// Pods are listed up to `kViewPodsMax` per job, in task and index order.
[[nodiscard]] Json view_json(const Simulation& simulation);
inline constexpr std::size_t kViewPodsMax = 500;

}  // namespace pumice
