// A work queue with delays (spec/k8s-job.md 3.1).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "pumice/time.h"

namespace pumice::kubejob {

/// Keys are unique among those that are due and among those that wait; the earlier of two times wins.
/// Keys that become due at the same instant come out in the order in which they were added.
class DelayQueue {
 public:
  DelayQueue(Duration retry_base, Duration retry_max) : retry_base_(retry_base), retry_max_(retry_max) {}

  void add(const std::string& key);
  void add_after(const std::string& key, Duration delay, Time now);
  /// After an error: the delay grows with each that follows the last `forget`. Returns the delay.
  Duration add_rate_limited(const std::string& key, Time now);
  void forget(const std::string& key) { failures_.erase(key); }
  [[nodiscard]] std::int64_t failures(const std::string& key) const;

  /// Keys whose time has come are due.
  void advance(Time now);
  [[nodiscard]] bool has_due() const noexcept { return !due_.empty(); }
  /// True if `key` is due, or will be as soon as it is processed: adding it changes nothing.
  [[nodiscard]] bool is_due(const std::string& key) const { return dirty_.contains(key); }
  /// Takes the next due key; it is being processed until `done`, and added meanwhile it comes back then.
  [[nodiscard]] std::optional<std::string> take();
  void done(const std::string& key);

  [[nodiscard]] std::optional<Time> next_time() const noexcept;
  /// When `key` is due by a delay; absent if it waits for nothing.
  [[nodiscard]] std::optional<Time> time_of(const std::string& key) const;

 private:
  Duration retry_base_;
  Duration retry_max_;
  std::deque<std::string> due_;
  std::unordered_set<std::string> dirty_;  ///< due, or to be due once processed
  std::unordered_set<std::string> processing_;
  std::unordered_map<std::string, std::pair<Time, std::uint64_t>> waiting_;
  std::set<std::pair<std::pair<Time, std::uint64_t>, std::string>> by_time_;
  std::unordered_map<std::string, std::int64_t> failures_;
  std::uint64_t next_ = 1;
};

}  // namespace pumice::kubejob
