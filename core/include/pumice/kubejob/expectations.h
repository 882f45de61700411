// What the controller has asked for and its cache does not show yet (spec/k8s-job.md 3.2). By key of the job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "pumice/time.h"

namespace pumice::kubejob {

struct Expectation {
  std::int64_t creations = 0;
  std::int64_t deletions = 0;
  Time since;

  friend bool operator==(const Expectation&, const Expectation&) = default;
};

class Expectations {
 public:
  // Either overwrites what was there (E-1). 0 is a record too.
  void expect_creations(const std::string& key, std::int64_t count, Time now);
  void expect_deletions(const std::string& key, std::int64_t count, Time now);
  void set(const std::string& key, Expectation expectation);
  void creation_observed(const std::string& key, std::int64_t count = 1);
  void deletion_observed(const std::string& key);
  [[nodiscard]] bool satisfied(const std::string& key, Time now) const;
  [[nodiscard]] const Expectation* find(const std::string& key) const;
  void erase(const std::string& key);

 private:
  std::map<std::string, Expectation> records_;
};

/// Pods whose finalizer is being removed, by uid. They never expire (E-4).
class FinalizerExpectations {
 public:
  void expect_removal(const std::string& key, const std::string& uid);
  void removal_observed(const std::string& key, const std::string& uid);
  [[nodiscard]] bool contains(const std::string& key, std::string_view uid) const;
  [[nodiscard]] const std::set<std::string, std::less<>>& of(const std::string& key) const;
  void erase(const std::string& key);

 private:
  std::map<std::string, std::set<std::string, std::less<>>> uids_;
};

}  // namespace pumice::kubejob
