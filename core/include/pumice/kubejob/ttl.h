// The controller that deletes finished jobs when their time is up (spec/k8s-job.md 13).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/delay_queue.h"

namespace pumice::kubejob {

/// The same inputs and outputs as the Job controller; pods do not concern it.
class TtlController {
 public:
  explicit TtlController(bool trace = true) : queue_(Duration{5 * kMillisecond.ns}, seconds(1000)), trace_(trace) {}

  void step(const Input& input, Output& output);
  [[nodiscard]] bool has_work() const noexcept { return !running_ && queue_.has_due(); }
  [[nodiscard]] bool waiting_for_results() const noexcept { return running_.has_value(); }
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept { return queue_.next_time(); }

 private:
  struct Running {
    std::string key;
    std::string uid;
    bool deleting = false;  ///< the fresh read is through
  };
  void observe(const Observation& observation);
  void work(Output& output);
  void take_result(const EffectResult& result, Output& output);
  void end(TtlRecord rec, Output& output);
  /// Fills in what there is to say about a job that is not due for deletion; false if it is.
  bool not_yet(const Job& job, TtlRecord& rec);

  std::map<std::string, JobPtr> jobs_;
  DelayQueue queue_;
  std::optional<Running> running_;
  Time now_{INT64_MIN};
  EffectId next_effect_ = 1;
  bool trace_ = true;
};

/// TTL set, finished, not being deleted.
[[nodiscard]] bool needs_cleanup(const Job& job) noexcept;
/// Transition time of the first True Complete or Failed condition; absent if there is none, or if it has no time.
[[nodiscard]] std::optional<Time> finish_time(const Job& job) noexcept;

}  // namespace pumice::kubejob
