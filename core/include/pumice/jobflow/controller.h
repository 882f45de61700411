// When the controllers look at JobFlows and JobTemplates: callbacks, queues, retries (spec/volcano-jobflow.md 3 and 6).
//
//   observation ──callback──> queue ──work──> round (sync.h) ──effects──> server ──answers──> record
//
// Both controllers have one worker. The caches are filled by the observations; while a round waits for an answer, none
// may come. Upstream's overall limit of ten retries a second is left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pumice/jobflow/sync.h"
#include "pumice/jobflow/trace.h"
#include "pumice/kubejob/delay_queue.h"
#include "pumice/volcano/observation.h"

namespace pumice::jobflow {

struct FlowAdded {
  FlowPtr flow;
};
struct FlowUpdated {
  FlowPtr before;
  FlowPtr after;
};
struct FlowDeleted {
  FlowPtr flow;
};
struct TemplateAdded {
  TemplatePtr made;
};
struct TemplateUpdated {
  TemplatePtr after;
};
struct TemplateDeleted {
  TemplatePtr made;
};
using Observation = std::variant<FlowAdded, FlowUpdated, FlowDeleted, TemplateAdded, TemplateUpdated, TemplateDeleted,
                                 volcano::JobAdded, volcano::JobUpdated, volcano::JobDeleted>;

struct Config {
  Quirks quirks = Quirks::upstream();
  std::int32_t requeue_max = 15;  ///< `--max-requeue-num`; negative: unlimited
};

/// The flow a job belongs to as its callback sees it: a controller reference of kind JobFlow in the API group of flows,
/// and then the name of the first owner whose kind is JobFlow and whose apiVersion contains `volcano`. Empty: none.
[[nodiscard]] std::string flow_name_of(const Job& job);
/// The template a job says it is made from, as a key; empty unless its mark has exactly two parts.
[[nodiscard]] std::string template_key_of(const Job& job);

struct Counters {
  std::int64_t succeeded = 0;  ///< `volcano_jobflow_succeed_phase_count`
  std::int64_t failed = 0;     ///< `volcano_jobflow_failed_phase_count`

  friend bool operator==(const Counters&, const Counters&) = default;
};

class FlowController {
 public:
  explicit FlowController(Config config = {}) : config_(config), queue_(kRetryFirst, kRetryMax) {}

  /// A callback. What became of it is appended to `records`.
  void observe(const Observation& observation, std::vector<Record>& records);

  void advance(Time now) { queue_.advance(now); }
  [[nodiscard]] bool has_work() const noexcept { return running_.has_value() || queue_.has_due(); }
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept { return queue_.next_time(); }
  /// Takes the next round. True: it is through, and its record appended. False: an answer is missing; come again.
  bool work(Time now, Server& server, std::vector<Record>& records);

  [[nodiscard]] const Jobs& jobs() const noexcept { return jobs_; }
  [[nodiscard]] const std::map<std::string, FlowPtr>& flows() const noexcept { return flows_; }
  [[nodiscard]] const Templates& templates() const noexcept { return templates_; }
  [[nodiscard]] const std::map<std::string, Counters>& counters() const noexcept {
    return counters_;
  }  ///< by namespace
  [[nodiscard]] std::optional<Time> retry_of(const std::string& key) const { return queue_.time_of(key); }

  static constexpr Duration kRetryFirst{5'000'000};
  static constexpr Duration kRetryMax{1'000'000'000'000};

 private:
  void enqueue(const std::string& key, ObserveRecord record, std::vector<Record>& records);
  void observe_flow_update(const JobFlow& before, const JobFlow& after, std::vector<Record>& records);
  void observe_job(const Job& job, volcano::ChangeKind change, bool is_new, std::vector<Record>& records);
  void end(FlowRecord record, Time now, std::vector<Record>& records);

  Config config_;
  kubejob::DelayQueue queue_;
  std::map<std::string, FlowPtr> flows_;
  Templates templates_;
  Jobs jobs_;
  std::map<std::string, Counters> counters_;
  std::optional<std::string> running_;
};

class TemplateController {
 public:
  explicit TemplateController(Config config = {})
      : config_(config), queue_(FlowController::kRetryFirst, FlowController::kRetryMax) {}

  void observe(const Observation& observation, std::vector<Record>& records);
  void advance(Time now) { queue_.advance(now); }
  [[nodiscard]] bool has_work() const noexcept { return running_.has_value() || queue_.has_due(); }
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept { return queue_.next_time(); }
  /// As that of FlowController.
  bool work(Time now, Server& server, std::vector<Record>& records);

  [[nodiscard]] const Templates& templates() const noexcept { return templates_; }

 private:
  void enqueue(const std::string& key, ObserveRecord record, std::vector<Record>& records);
  [[nodiscard]] std::string key_of(const Job& job) const;

  Config config_;
  kubejob::DelayQueue queue_;
  Templates templates_;
  Jobs jobs_;
  std::optional<std::string> running_;
};

}  // namespace pumice::jobflow
