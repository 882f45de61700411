// The scenario document: objects, options, events and what is expected of them (`apiVersion: pumice.dev/v1`,
// `kind: Scenario`). Link, file, gallery card, lesson step, test case and record are all this document.
//
//   apiVersion: pumice.dev/v1
//   kind: Scenario
//   metadata: {name: oom-one-worker, title: …, annotations: {…}}
//   profile: volcano                       # or a list of names
//   quirksOff: []
//   clock: {start: 2026-03-02T09:00:00Z, zone: Europe/Berlin}     # the zone is for display only
//   automation: manual | assist | auto     # what the cluster does by itself (manual)
//   pace: calm | immediate                 # calm: an event without a time, if it is not `advance` or `until`, comes
//   when
//                                          # the cluster has done what it does by itself; so does the end
//   timings: {admit: 1s, start: 2s, remove: 1s, run: 10s}
//   made: {pumice: 0.3.0, tzdata: 2026a}
//   objects: |                             # manifests as they are, several documents
//   objectFiles: [job.yaml]                # more of them, relative to the document, if the host has files
//   events: [event…]                       # simulation/event.h; a mapping, or a line
//   expect: [expectation…]
//
// An expectation says when, and what. When: `after: 3`, right after the steps of the third event; `at: 90s` (or a
// time), when the clock stands there; neither: at the end, and about the whole run. `never`, `always` and `eventually`
// hold what is wanted of every single step (at least one), of those from event `since` on if that is given.
//   {phase: Running}, {phase: [Running, Completed]}     of the job; `job: train` says which, `jobs: {train: {…}}` of
//   several {retryCount: 1, failed: ">= 2"}                     version, minAvailable, pending, running, succeeded,
//   failed,
//                                                       terminating, unknown too
//   {conditions: [Pending, Running]}, {runningDuration: 10m}
//   {podGroup: Inqueue}, {podGroup: absent}
//   {pods: {w-0: Running, w-1: absent, "w-*": {phase: Failed, exitCode: 137, restarts: 2, version: 1, deleting:
//   false}}} {timers: 1}                                         delayed actions that are pending {waiting: regex} what
//   a job is said to wait for {rule: "spec.tasks[0].policies[1]"}, {rule: none}   the policy that decided {action:
//   RestartJob}                                what was executed, or delayed {effects: {CreatePod: 2, DeletePod: [w-0],
//   CreatePodGroup: 0}}    counts or names {events: [{reason: regex, message: regex, type: Warning}]}        Kubernetes
//   Events on the Job {refused: regex}                                    the event could not happen (with `after`)
//   {explanation: regex}                                what `--explain fails` tells of a step, or at the end what it
//   waits
//                                                       for; a list: each of them
//   {admission: denied}, {admission: {denied: regex}}, {admission: {allowed: true, warnings: regex, defaults: {field:
//   value}, object: Job/train}}                         what a cluster says to the objects
// Numbers may be texts with `=`, `!=`, `<`, `<=`, `>`, `>=` in front.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/model/pod.h"
#include "pumice/result.h"
#include "pumice/scenario/pattern.h"
#include "pumice/simulation/event.h"
#include "pumice/simulation/simulation.h"
#include "pumice/yaml.h"

namespace pumice::scenario {

inline constexpr std::string_view kApiVersion = "pumice.dev/v1";

/// Bounds of one document; passing one is the error LimitExceeded.
inline constexpr std::int64_t kEventsMax = 10'000;
inline constexpr std::int64_t kExpectationsMax = 1'000;
inline constexpr std::int64_t kChecksMax = 10'000;  ///< single things that are expected, of all expectations
inline constexpr std::int64_t kObjectsBytesMax = 1024 * 1024;
inline constexpr std::int64_t kTestsMax = 1'000;  ///< tests of a suite, and cases of a test

/// Where something stands. Says nothing about what it is, so it takes no part in comparisons.
struct Place {
  std::string file;
  Range range;
  std::string field;

  friend bool operator==(const Place&, const Place&) { return true; }
};

/// A number as it is wanted: `2`, `>= 2`.
struct Number {
  enum class Op : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual } op = Op::Equal;
  std::int64_t value = 0;

  [[nodiscard]] bool holds(std::int64_t is) const noexcept;
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Number&, const Number&) = default;
};
[[nodiscard]] std::optional<Number> number_from(std::string_view text);

// -- What can be expected. `job` is empty for the only one.

struct PhaseWanted {
  std::vector<std::string> any_of;
  friend bool operator==(const PhaseWanted&, const PhaseWanted&) = default;
};
struct CounterWanted {
  std::string counter;  ///< `retryCount` …
  Number number;
  friend bool operator==(const CounterWanted&, const CounterWanted&) = default;
};
struct ConditionsWanted {
  std::vector<std::string> phases;  ///< in their order
  friend bool operator==(const ConditionsWanted&, const ConditionsWanted&) = default;
};
struct RunningDurationWanted {
  Duration duration;
  friend bool operator==(const RunningDurationWanted&, const RunningDurationWanted&) = default;
};
struct PodGroupWanted {
  bool absent = false;
  PodGroupPhase phase = PodGroupPhase::None;
  friend bool operator==(const PodGroupWanted&, const PodGroupWanted&) = default;
};
struct PodWanted {
  std::string pod;  ///< may hold `*`: then all that match, and at least one
  bool absent = false;
  std::optional<PodPhase> phase;
  std::optional<Number> exit_code;
  std::optional<Number> restarts;
  std::optional<Number> version;
  std::optional<bool> deleting;
  friend bool operator==(const PodWanted&, const PodWanted&) = default;
};
struct TimersWanted {
  Number number;
  friend bool operator==(const TimersWanted&, const TimersWanted&) = default;
};
struct WaitingWanted {
  Pattern pattern;
  friend bool operator==(const WaitingWanted&, const WaitingWanted&) = default;
};
struct RuleWanted {
  std::string path;  ///< empty: none
  friend bool operator==(const RuleWanted&, const RuleWanted&) = default;
};
struct ActionWanted {
  std::string action;
  friend bool operator==(const ActionWanted&, const ActionWanted&) = default;
};
struct EffectWanted {
  std::string effect;  ///< `CreatePod` …
  std::variant<Number, std::vector<std::string>> amount;
  friend bool operator==(const EffectWanted&, const EffectWanted&) = default;
};
struct EmittedWanted {
  std::optional<Pattern> reason;
  std::optional<Pattern> message;
  std::optional<bool> warning;
  friend bool operator==(const EmittedWanted&, const EmittedWanted&) = default;
};
struct RefusedWanted {
  Pattern pattern;
  friend bool operator==(const RefusedWanted&, const RefusedWanted&) = default;
};
struct ExplanationWanted {
  Pattern pattern;
  friend bool operator==(const ExplanationWanted&, const ExplanationWanted&) = default;
};

using Wanted = std::variant<PhaseWanted, CounterWanted, ConditionsWanted, RunningDurationWanted, PodGroupWanted,
                            PodWanted, TimersWanted, WaitingWanted, RuleWanted, ActionWanted, EffectWanted,
                            EmittedWanted, RefusedWanted, ExplanationWanted>;

struct Check {
  std::string job;
  Wanted wanted;
  Place place;
  friend bool operator==(const Check&, const Check&) = default;
};

struct AdmissionWanted {
  std::string object;  ///< `name` or `Kind/name`; empty: all of them together
  std::optional<bool> allowed;
  std::optional<Pattern> message;
  std::vector<Pattern> warnings;
  std::map<std::string, Json> defaults;  ///< value of a field after defaulting, by its path; null: absent
  friend bool operator==(const AdmissionWanted&, const AdmissionWanted&) = default;
};

struct Expectation {
  enum class When : std::uint8_t { End, After, At, Never, Always, Eventually } when = When::End;
  std::int64_t event = 0;             ///< After: number of the event, from 1; 0 is the creation of the objects
  std::optional<std::int64_t> since;  ///< Never, Always, Eventually: from the steps of this event on
  Time time;                          ///< At
  bool time_is_absolute = false;      ///< At: written as a time, not as a span since the start
  std::vector<Check> checks;
  std::optional<AdmissionWanted> admission;
  Place place;
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct ScenarioEvent {
  UserEvent event;
  Place place;
  friend bool operator==(const ScenarioEvent&, const ScenarioEvent&) = default;
};

enum class Pace : std::uint8_t { Calm, Immediate };

struct Made {
  std::string pumice;
  std::string tzdata;
  friend bool operator==(const Made&, const Made&) = default;
};

struct Scenario {
  std::string name;
  std::string title;
  std::map<std::string, std::string> annotations;
  std::vector<std::string> profiles{"volcano"};
  std::vector<std::string> quirks_off;
  Time start = SimulationOptions{}.start;
  std::string zone;
  Automation automation = Automation::Manual;
  Pace pace = Pace::Calm;
  ClusterTimings timings;
  Made made;
  std::string objects;
  Position objects_origin;        ///< lines and columns of the document in front of `objects`
  bool objects_in_place = false;  ///< the lines of `objects` stand in the document as they are
  std::vector<std::string> object_files;
  std::vector<ScenarioEvent> events;
  std::vector<Expectation> expect;
  Place place;          ///< of the document
  Place objects_place;  ///< of the value of `objects`
  std::vector<Place> object_file_places;
};
/// Equal but for places.
[[nodiscard]] bool same_content(const Scenario& a, const Scenario& b);

struct SuiteCase {
  std::string name;
  std::string scenario;  ///< path relative to the suite
  std::vector<Expectation> expect;
  Place place;
  Place scenario_place;
};
struct SuiteTest {
  std::string name;
  std::vector<SuiteCase> cases;
};
struct Suite {
  std::string name;
  std::string title;
  std::vector<SuiteTest> tests;
  Place place;
};

using Document = std::variant<Scenario, Suite>;

/// True if the text has a document of `pumice.dev`, whatever its version: a cheap look at a parsed text.
[[nodiscard]] bool is_ours(const YamlNode& root);

/// Reads one document. All that is wrong is told with its place: unknown fields, which are errors here, with the
/// nearest known name; a newer `apiVersion` with what this release reads; limits. `text` is the whole text, for the
/// places within `objects`; empty: they count from the objects' own first line.
[[nodiscard]] Result<Document> read_document(const YamlNode& root, std::string_view file, std::string_view text = {});
/// Every document of a text; kinds of others are left out and counted in `others`.
[[nodiscard]] Result<std::vector<Document>> read_documents(std::string_view text, std::string_view file,
                                                           std::int64_t* others = nullptr);
/// An event of a document: a mapping or a line. Findings have places, and fields below `field`.
[[nodiscard]] Result<UserEvent> read_event(const YamlNode& node, std::string_view file, const std::string& field);

/// The canonical form: what equals its default is left out, keys are sorted.
[[nodiscard]] Json to_json(const Scenario& scenario);
/// The same for people: members in the order of the header above, `objects` as literal text. read(to_yaml(s)) == s, but
/// for places.
[[nodiscard]] std::string to_yaml(const Scenario& scenario);

/// Names of quirks that can be switched off in a profile: the one place that knows them.
[[nodiscard]] std::vector<std::string_view> known_quirks(std::string_view profile);
/// What a scenario asks of a simulation.
[[nodiscard]] SimulationOptions options_of(const Scenario& scenario);

/// Gives the text of a path of `objectFiles`; the host's, as the core has no files.
using FileLoader = std::function<Result<SourceText>(const std::string& path)>;
/// The manifests of a scenario. Without a loader `objectFiles` are an error.
[[nodiscard]] Result<std::vector<SourceText>> sources_of(const Scenario& scenario, const FileLoader& loader = nullptr);

}  // namespace pumice::scenario
