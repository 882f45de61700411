// Options that commands have in common: closed sets of words, durations, times.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pumice/time.h"

namespace pumice::host {

/// Lets an option take one of a closed set of words. They become the option's text in the help, which is where the
/// completion scripts find them, too.
template <class Value>
void choices(CLI::Option* option, Value& target, const std::vector<std::pair<std::string, Value>>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : "|") + word.first;
  option->option_text(text);
  option->check([words, text](const std::string& given) {
    for (const auto& word : words) {
      if (word.first == given) return std::string();
    }
    return "`" + given + "` is none of " + text;
  });
  option->each([&target, words](const std::string& given) {
    for (const auto& word : words) {
      if (word.first == given) target = word.second;
    }
  });
}

/// What is wrong with a text that shall be a time; empty if nothing is.
[[nodiscard]] std::string time_problem(const std::string& text);

void add_duration(CLI::App& app, const std::string& name, Duration& target, const std::string& description);
void add_time(CLI::App& app, const std::string& name, std::optional<Time>& target, const std::string& description);

}  // namespace pumice::host
