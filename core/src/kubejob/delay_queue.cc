#include "pumice/kubejob/delay_queue.h"

#include "pumice/kubejob/backoff.h"

namespace pumice::kubejob {

void DelayQueue::add(const std::string& key) {
  if (!dirty_.insert(key).second) return;
  if (!processing_.contains(key)) due_.push_back(key);
}

void DelayQueue::add_after(const std::string& key, Duration delay, Time now) {
  if (delay.ns <= 0) {
    add(key);
    return;
  }
  const std::pair<Time, std::uint64_t> when{now + delay, next_++};
  const auto [waiting, is_new] = waiting_.emplace(key, when);
  if (!is_new) {
    if (waiting->second.first <= when.first) return;
    by_time_.erase({waiting->second, key});
    waiting->second = when;
  }
  by_time_.emplace(when, key);
}

Duration DelayQueue::add_rate_limited(const std::string& key, Time now) {
  const Duration delay = retry_delay(failures_[key]++, retry_base_, retry_max_);
  add_after(key, delay, now);
  return delay;
}

std::int64_t DelayQueue::failures(const std::string& key) const {
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
}

void DelayQueue::advance(Time now) {
  while (!by_time_.empty() && by_time_.begin()->first.first <= now) {
    const std::string key = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    waiting_.erase(key);
    add(key);
  }
}

std::optional<std::string> DelayQueue::take() {
  if (due_.empty()) return std::nullopt;
  std::string key = std::move(due_.front());
  due_.pop_front();
  dirty_.erase(key);
  processing_.insert(key);
  return key;
}

void DelayQueue::done(const std::string& key) {
  processing_.erase(key);
  if (dirty_.contains(key)) due_.push_back(key);
}

std::optional<Time> DelayQueue::next_time() const noexcept {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first.first;
}

std::optional<Time> DelayQueue::time_of(const std::string& key) const {
  const auto found = waiting_.find(key);
  if (found == waiting_.end()) return std::nullopt;
  return found->second.first;
}

}  // namespace pumice::kubejob
