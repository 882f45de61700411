// What reviews are held against: the options of the command line, the lint configuration, the queues. It changes while
// the webhook serves; each review takes the one that is in force when it begins.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pumice/admission/webhook.h"
#include "webhook/event_log.h"
#include "webhook/metrics.h"
#include "webhook/serve_options.h"

namespace pumice::host::webhook {

/// What is wrong with a text that was read, as one sentence for a log.
[[nodiscard]] std::string problem_text(const Diagnostics& diagnostics);

/// Safe to use from several threads.
class Policy {
 public:
  using Clock = std::chrono::steady_clock;

  struct InForce {
    admission::LintConfig lint;
    admission::Options options;  ///< refers to `lint`
  };

  Policy(const ServeOptions& options, const EventLog& log, Metrics& metrics);

  /// Reads the files. False if one of them cannot be used, which is said in the log.
  [[nodiscard]] bool start();
  [[nodiscard]] std::shared_ptr<const InForce> in_force() const;

  /// Takes files that have changed; one that cannot be used leaves what was in force. Called from time to time.
  void reload();
  /// Notices that queues have become too old, and moves on the time of schedules. Called about every second.
  void tick();

  // -- The queues of the cluster.

  void set_queues(std::vector<admission::Queue> queues);
  void change_queue(const admission::Queue& queue);
  void remove_queue(const std::string& name);
  /// The API server answered: what is known is still true.
  void queues_seen();
  /// It did not.
  void queues_failed(std::string why);

  /// What `/readyz` says of queues; empty if nothing is wanted of them.
  [[nodiscard]] std::string queues_text() const;
  /// False while reviews that need queues would be refused.
  [[nodiscard]] bool ready() const;

 private:
  void rebuild();
  [[nodiscard]] bool are_known() const;
  [[nodiscard]] bool read_config(bool is_first);
  [[nodiscard]] bool read_queues(bool is_first);

  const ServeOptions& options_;
  const EventLog& log_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  std::shared_ptr<const InForce> in_force_;
  admission::LintConfig lint_;
  std::string config_text_;
  std::vector<std::string> queue_texts_;
  std::optional<std::vector<admission::Queue>> queues_;
  Clock::time_point seen_{};
  std::string failure_ = "not read yet";
  bool was_known_ = false;
  Clock::time_point built_{};
};

}  // namespace pumice::host::webhook
