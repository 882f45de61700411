#include "pumice/kubejob/expectations.h"

#include "pumice/kubejob/names.h"

namespace pumice::kubejob {

void Expectations::expect_creations(const std::string& key, std::int64_t count, Time now) {
  records_[key] = {count, 0, now};
}
void Expectations::expect_deletions(const std::string& key, std::int64_t count, Time now) {
  records_[key] = {0, count, now};
}
void Expectations::set(const std::string& key, Expectation expectation) { records_[key] = expectation; }

void Expectations::creation_observed(const std::string& key, std::int64_t count) {
  if (const auto found = records_.find(key); found != records_.end()) found->second.creations -= count;
}
void Expectations::deletion_observed(const std::string& key) {
  if (const auto found = records_.find(key); found != records_.end()) --found->second.deletions;
}

bool Expectations::satisfied(const std::string& key, Time now) const {
  const Expectation* record = find(key);
  if (record == nullptr) return true;
  return (record->creations <= 0 && record->deletions <= 0) || now - record->since > kExpectationsTimeout;
}

const Expectation* Expectations::find(const std::string& key) const {
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : &found->second;
}
void Expectations::erase(const std::string& key) { records_.erase(key); }

void FinalizerExpectations::expect_removal(const std::string& key, const std::string& uid) { uids_[key].insert(uid); }

void FinalizerExpectations::removal_observed(const std::string& key, const std::string& uid) {
  const auto found = uids_.find(key);
  if (found == uids_.end()) return;
  found->second.erase(uid);
  if (found->second.empty()) uids_.erase(found);
}

bool FinalizerExpectations::contains(const std::string& key, std::string_view uid) const {
  const auto found = uids_.find(key);
  return found != uids_.end() && found->second.contains(uid);
}

const std::set<std::string, std::less<>>& FinalizerExpectations::of(const std::string& key) const {
  static const std::set<std::string, std::less<>> kNone;
  const auto found = uids_.find(key);
  return found == uids_.end() ? kNone : found->second;
}

void FinalizerExpectations::erase(const std::string& key) { uids_.erase(key); }

}  // namespace pumice::kubejob
