// `pumice eval`: the core as a line-by-line machine interface, the same natively and in wasm.
//
//   {"id": 7, "op": "volcano.applyPolicies", "args": {…}}
//   {"id": 7, "ok": {…}}    or    {"id": 7, "error": {"code": "…", "message": "…", "diagnostics": […]}, "line": N}
//
// Operations and their arguments:
//   admission.review       review (AdmissionReview), queues?, config?: {path, schema, lint, ignore, schedulerName,
//                          podLevelResources, patch: minimal | upstream, after} → review (the answer), diagnostics
//   cron.describe          schedule, timeZone?, after?, startingDeadlineSeconds?, name?
//                                                               → text, fields, warnings (of clock changes only with
//                                                                 `after`: for two years from there on)
//   cron.next              schedule, timeZone?, after, count?, unix?
//                                                               → next: times, a final "" if there is none any more;
//                                                                 with `unix` true seconds since 1970, a final null
//   cron.sync              profile, cronJob, jobs?, now, quirksOff?, quirksOn?, server?, failures?
//                                                               → effects, cronJob (with status), requeueAfter?, trace,
//                                                                 error?
//   yaml.parse             text                       → json, diagnostics
//   duration.parse         text                       → nanoseconds (decimal text), canonical
//   job.sync               job, pods, now, profile?, quirksOn?, quirksOff?, expectations?, backoff?, failures?
//                                                     → effects, job, pods (what the API server then holds), trace,
//                                                       requeueAfter?, error?, expectations?, backoff?
//   quantity.parse         text                       → canonical, sign
//   quantity.add           a, b                       → sum, compare
//   quantity.multiply      a, times                   → product
//   scenario.run           scenario (a document, or its text), trace?: summary | full | none
//                                                     → trace (steps, report.h), result (scenario/run.h), coverage,
//                                                       name?
//   volcano.applyPolicies  job, request               → action, delay, target, source, rule, considered
//   volcano.execute        job, pods?, podGroup?, queue?, claims?, priorityClasses?, action, now?, failures?
//                                                     → effects, job, pods, podGroup, outcome, error?
//   volcano.request        job?, jobs?, pods?, change → request | dropped, detail?
//   volcano.transition     job, status, action        → operation, function, retain | target, changed, phase,
//                                                       retryCount, reason
//
// All of `volcano.…` take profile?, quirksOff? and quirksOn?, as `job.sync` and `cron.sync` do: the profile (`volcano`
// if it is not given), and lists of names of quirks (quirk.h) that are switched off or on.
//
// `cron.sync` is one look of a CronJob controller. `profile` is `cronjob`, `cronjob-legacy` or `volcano-cronjob`;
// `server` {cronJob?, jobs?} is what the API server has, where it differs from what the controller's caches show;
// `failures` lists {effect, name?, code?, message?}: requests that fail.
//
// `volcano.execute` carries out one action as the phase of the job says, beside an API server that holds the job, these
// pods, this PodGroup and these claims, and that sends no notification before it ends. Without `queue` the job's queue
// exists; `priorityClasses` maps names to values. `effects` lists {effect, namespace, name, result} in the order they
// were asked for, with `kind`, `pod`, `podGroup`, `object`, `spec`, `status`, or `type`, `reason` and `message` of an
// event; `pods` is what the server holds afterwards, deleted ones with a deletionTimestamp. `failures` lists {effect,
// name?, code, times?}: effects of that name (`CreatePod` …), on that object, that fail (always, or so often) with
// NotFound, AlreadyExists, Conflict, Forbidden, Timeout or Other, before anything is written. A job of more than 1000
// pods is LimitExceeded.
//
// `volcano.request`: `change` is {kind: Job | Pod | PodGroup | Command, type: add | update | delete, old?, new?};
// `dropped` is the reason (trace.h, ObserveOutcome).
//
// `job.sync` is one sync of the Kubernetes Job controller. `expectations` is {creations?, deletions?, since?,
// finalizers?: uids}, `backoff` {failures, lastFailure}. An entry of `failures` makes effects fail: {effect, name?,
// nth?, result}, with the n-th of its kind (from 1), or all of them; `name` is the object's, of a CreatePod the
// generateName. `result` is NotFound, AlreadyExists, Conflict, Forbidden, Invalid, Timeout, NamespaceTerminating or
// Other.
//
// `considered` lists {path, reason, outcome} with outcome `matched`, `notMatched` or `notConsulted`.
//
// An argument that no operation of that name has is an error, as a misspelt one would be ignored without a word;
// unknown members of objects inside arguments are not.
//
// Error codes: InvalidJson (the line is no JSON), InvalidRequest (it is no request), UnknownOperation, MissingArgument,
// InvalidArgument (a wrong type somewhere inside: `diagnostics` name the fields), LimitExceeded, and those of the
// operations: InvalidYaml, InvalidDuration, InvalidQuantity, InvalidScenario, UnknownProfile, UnknownQuirk,
// InvalidSchedule (with the controllers' own text).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pumice {

/// Bounds of one line. Passing one is the error LimitExceeded.
inline constexpr std::int64_t kEvalLineBytesMax = 16 * 1024 * 1024;
inline constexpr std::int32_t kEvalDepthMax = 100;       ///< nesting of lists and objects
inline constexpr std::int64_t kEvalValuesMax = 500'000;  ///< values, counted before the line is read

/// Answers one line: compact JSON with sorted keys, without a line end. Never fails: what is wrong with the line
/// becomes an error answer, in which `line` (beside `error` and inside it) is `line_number`. An `id` is echoed if the
/// line has one.
[[nodiscard]] std::string eval_line(std::string_view line, std::int64_t line_number);

/// False if `eval_line` refuses the line unread: it passes one of the bounds, or holds a NUL byte.
[[nodiscard]] bool is_readable_line(std::string_view line);

/// Answers the lines of a text, each answer ended by a line end; the last line may go without.
[[nodiscard]] std::string eval_lines(std::string_view text);

/// The names of all operations, sorted.
[[nodiscard]] std::vector<std::string_view> eval_operations();

}  // namespace pumice
