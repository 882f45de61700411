// A run of the world in words, and the world as JSON. Everything here is derived from records and state.
#pragma once

#include <string>
#include <vector>

#include "pumice/json.h"
#include "pumice/kubeworld/world.h"

namespace pumice::kubeworld {

/// What a line of an explanation is.
enum class LineKind : std::uint8_t {
  Rule,    ///< a failure, and the rule that counted or ignored it
  Budget,  ///< failures counted, retries left, next retry, indexes
  Record,  ///< a record, in a sentence
  Detail,  ///< what belongs to the record above it: effects, status before and after
};
struct TextLine {
  LineKind kind = LineKind::Record;
  std::string text;
};

/// One clause about an action: `3 pods start`, `container main of pod j-bbbbc ends`.
/// `count`: how many pods there are, if not all are named.
[[nodiscard]] std::string action_text(const Action& action, const World& after, std::int64_t count = 0);
/// The record of a run that says best what came of it: index into `records`, or -1.
[[nodiscard]] std::int64_t telling_record(const std::vector<kubejob::Record>& records);
/// One sentence about all of it; empty if there is nothing to say. What is told of several jobs names them.
[[nodiscard]] std::string run_sentence(const std::vector<kubejob::Record>& records,
                                       const std::vector<JobChange>& changes);
/// Why failures were counted or not, and what is left of the budget: level `fails`.
[[nodiscard]] std::vector<TextLine> fail_lines(const std::vector<kubejob::Record>& records, const World& after);
/// Every record: level `full`.
[[nodiscard]] std::vector<TextLine> record_lines(const std::vector<kubejob::Record>& records, std::int64_t total);

/// {kind: "kubeObserve" | "kubeSync" | "kubeOrphans" | "kubeTtl", job?, …, sentence}
[[nodiscard]] Json record_json(const kubejob::Record& record);

/// A job as JSON. Form:
///   {key, name, namespace, apiVersion: "batch/v1", phase: its state, conditions: [{type, status, reason, message,
///    since}], counts: {active, ready, terminating, succeeded, failed, uncountedSucceeded, uncountedFailed},
///    wanted: {parallelism, completions?}, indexed, suspended, managedBy?,
///    indexes?: {completed: text, failed: text, completedRuns: [[first, last]], failedRuns, activeRuns, total,
///               runsTotal}: at most `kRunsMax` runs of each,
///    backoff: {failures, lastFailure?, nextRetry?, remaining?}, budget: {counted, limit, left, restarts?, perIndex?},
///    startTime?, completionTime?, deadline?, ttl?, status: {…API form…},
///    pods: [{name, short, ordinal, index?, phase, reason?, exitCode?, restarts, deleting, ready, uid,
///            containers: [{name, kind, state, reason?, exitCode?, restarts, due?, remaining?}]}], podsTotal,
///    possible: [states that can follow]}
/// Pods that have not ended come first, at most `kPodsShown` in all.
[[nodiscard]] Json job_json(const World& world, const std::string& key, Time now);
inline constexpr std::size_t kPodsShown = 500;
inline constexpr std::size_t kRunsMax = 1000;

}  // namespace pumice::kubeworld
