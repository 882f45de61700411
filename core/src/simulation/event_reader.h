// Takes members out of an event's mapping and collects all that is wrong with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/time.h"

namespace pumice::simulation {

class MemberReader {
 public:
  explicit MemberReader(const Json& object) : object_(object) {}

  Diagnostics diagnostics;

  void error(std::string member, std::string message, std::string hint = {});
  [[nodiscard]] bool has(const char* member) const { return find(member) != nullptr; }
  std::optional<std::string> text(const char* member);
  std::optional<bool> flag(const char* member);
  std::optional<std::int32_t> number(const char* member);
  std::optional<Duration> duration(const char* member);
  /// Null counts as absent.
  [[nodiscard]] const Json* find(const char* member) const;
  /// Every member must be one of `known`: in our own documents an unknown field is an error.
  void allow_only(const std::vector<std::string_view>& known);

 private:
  const Json& object_;
};

/// `a string`, `a list` …
[[nodiscard]] std::string json_kind(const Json& value);
/// What keeps a text from being a word of an event: its length, a character; empty if nothing.
[[nodiscard]] std::string word_problem(const std::string& word);

}  // namespace pumice::simulation
