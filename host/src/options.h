// Options that commands have in common: closed sets of words, durations, times.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pumice/quirk.h"
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

/// `--profile` of one of `known`, with its names as words for help and completion. Where `target` is given, the last
/// name is kept there.
CLI::Option* add_profile(CLI::App& app, std::string& target, std::span<const ProfileInfo> known,
                         const std::string& description);
/// How the help calls names of quirks; the completion scripts know by it what to offer.
inline constexpr const char* kQuirkNames = "NAME[,NAME]";
/// `--quirk-off NAME[,NAME]`, repeatable: places among `names` are appended to `target`.
void add_quirks_off(CLI::App& app, std::vector<std::size_t>& target, std::span<const std::string_view> names);

/// What is wrong with a text that shall be a time; empty if nothing is.
[[nodiscard]] std::string time_problem(const std::string& text);

void add_duration(CLI::App& app, const std::string& name, Duration& target, const std::string& description);
void add_time(CLI::App& app, const std::string& name, std::optional<Time>& target, const std::string& description);

}  // namespace pumice::host
