// `pumice eval`: the core as a line-by-line machine interface, the same natively and in wasm.
//
//   {"id": 7, "op": "volcano.applyPolicies", "args": {…}}
//   {"id": 7, "ok": {…}}    or    {"id": 7, "error": {"code": "…", "message": "…", "diagnostics": […]}, "line": N}
//
// Operations and their arguments:
//   admission.review       review (AdmissionReview), queues?, config?: {path, schema, lint, ignore, schedulerName,
//                          podLevelResources, patch: minimal | upstream, after} → review (the answer), diagnostics
//   cron.describe          schedule, timeZone?, after?          → text, fields, warnings (of clock changes only with
//                                                                 `after`: for two years from there on)
//   cron.next              schedule, timeZone?, after, count?   → next: times, a final "" if there is none any more
//   yaml.parse             text                       → json, diagnostics
//   duration.parse         text                       → nanoseconds (decimal text), canonical
//   volcano.applyPolicies  job, request               → action, delay, target, source, rule, considered
//   volcano.transition     job, status, action        → operation, function, retain | target, changed, phase,
//   retryCount,
//                                                       reason
// `considered` lists {path, reason, outcome} with outcome `matched`, `notMatched` or `notConsulted`.
//
// Error codes: InvalidJson (the line is no JSON), InvalidRequest (it is no request), UnknownOperation, MissingArgument,
// InvalidArgument (a wrong type somewhere inside: `diagnostics` name the fields), LimitExceeded, and those of the
// operations: InvalidYaml, InvalidDuration, InvalidSchedule (with the controllers' own text).
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

/// Answers the lines of a text, each answer ended by a line end; the last line may go without.
[[nodiscard]] std::string eval_lines(std::string_view text);

/// The names of all operations, sorted.
[[nodiscard]] std::vector<std::string_view> eval_operations();

}  // namespace pumice
