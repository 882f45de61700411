// The records that the JobFlow and JobTemplate controllers leave; explanations are derived from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pumice/jobflow/sync.h"
#include "pumice/volcano/trace.h"

namespace pumice::jobflow {

enum class Seen : std::uint8_t { Flow, Template, Job };

/// What became of a notification (spec 3 and 6). Of objects that no callback is for nothing is recorded.
enum class ObserveOutcome : std::uint8_t {
  Queued,
  Merged,          ///< an equal request waits already
  NotSucceeded,    ///< an edit of a flow that has not just succeeded with `jobRetainPolicy: delete`: ignored
  NothingChanged,  ///< the same resourceVersion
  NoCallback,      ///< the controller does not react to this change of this kind
  DottedMark,      ///< the mark of the template has more or fewer than two parts
};
[[nodiscard]] std::string_view to_string(ObserveOutcome outcome) noexcept;

struct ObserveRecord {
  Seen object = Seen::Flow;
  volcano::ChangeKind change = volcano::ChangeKind::Added;
  std::string key;  ///< `namespace/name`
  ObserveOutcome outcome = ObserveOutcome::Queued;
  bool of_template = false;  ///< it was for the JobTemplate controller
  std::string queued;        ///< key of the flow or template that was to be queued
};

/// One round of a flow.
struct FlowRecord {
  std::string key;
  Verdict verdict = Verdict::Synced;
  std::string before;  ///< phase
  std::string after;
  Decision decision;
  std::vector<StepLook> steps;
  std::vector<std::string> deleted;
  std::vector<EmitEvent> events;
  bool status_changed = false;
  std::string error;
  std::int64_t attempt = 1;      ///< of this request, since the last success
  std::optional<Time> retry_at;  ///< after an error
  bool gave_up = false;          ///< after an error: the request is dropped
};

/// One round of a template.
struct TemplateRecord {
  std::string key;
  bool missing = false;  ///< not in the cache
  bool written = false;
  std::vector<std::string> jobs;
  std::vector<EmitEvent> events;
  std::string error;
  std::int64_t attempt = 1;
  std::optional<Time> retry_at;
  bool gave_up = false;
};

using Record = std::variant<ObserveRecord, FlowRecord, TemplateRecord>;

/// What words need to know beside a record.
struct Scene {
  Time start;                   ///< times are told as the span since then
  bool with_namespace = false;  ///< names tell their namespace
};
/// What a round did and why, without capital and full stop: `flow f goes from Pending to Running, as job f-a runs; …`.
[[nodiscard]] std::string clause(const Record& record, const Scene& scene);
/// One line for each step: `b waits for a, which is Running`.
[[nodiscard]] std::vector<std::string> step_lines(const FlowRecord& record);
/// Whether a round did or decided anything that people would want to be told.
[[nodiscard]] bool is_news(const Record& record);

}  // namespace pumice::jobflow
