// Single expectations, held against states and steps.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pumice/scenario/run.h"

namespace pumice::scenario {

struct Mismatch {
  std::string expected;
  std::string seen;
};

/// What steps have brought about, as far as one list of checks asks.
class Scope {
 public:
  explicit Scope(const std::vector<Check>& checks);

  void add(const Frame& frame, const World& world);
  /// What of `checks[i]`, which is about steps, did not come about. `at_end`: what jobs wait for counts as told, too.
  [[nodiscard]] std::optional<Mismatch> mismatch(std::size_t i, const World& world, bool at_end) const;
  /// True if nothing has to be added, as nothing asks for it.
  [[nodiscard]] bool is_idle() const noexcept { return !about_steps_; }

 private:
  struct Effects {
    std::int64_t count = 0;
    std::vector<std::string> names;
  };
  [[nodiscard]] bool is_meant(const Check& check, const std::string& job, const World& world) const;

  const std::vector<Check>& checks_;
  bool about_steps_ = false;
  bool explains_ = false;
  bool cut_ = false;
  std::set<std::pair<std::string, std::string>> rules_;    ///< job, path
  std::set<std::pair<std::string, std::string>> actions_;  ///< job, action
  std::map<std::pair<std::string, std::string_view>, Effects> effects_;
  std::vector<bool> found_;  ///< by check: of patterns, and of events
  std::vector<std::string> emitted_;
  std::string refused_;
  std::string last_text_;
};

/// What of a check about the state does not hold now.
[[nodiscard]] std::optional<Mismatch> state_mismatch(const Check& check, const World& world);

/// What is expected, in words: `phase Running`, `retryCount >= 2`.
[[nodiscard]] std::string text_of(const Check& check);

}  // namespace pumice::scenario
