#include "options.h"

#include <fmt/format.h>

namespace pumice::host {
namespace {

/// The parts of `a,b,c`.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string text_of(const NameProblem& problem) {
  return problem.hint.empty() ? problem.message : problem.message + ", " + problem.hint;
}

}  // namespace

CLI::Option* add_profile(CLI::App& app, std::string& target, std::span<const ProfileInfo> known,
                         const std::string& description) {
  std::string words;
  for (const ProfileInfo& profile : known) words.append(words.empty() ? "" : "|").append(profile.name);
  return app.add_option("--profile", target, description)->option_text(words)->check([known](const std::string& text) {
    const auto problem = profile_problem(known, text);
    return problem ? text_of(*problem) : std::string();
  });
}

void add_quirks_off(CLI::App& app, std::vector<std::size_t>& target, std::span<const std::string_view> names) {
  app.add_option_function<std::vector<std::string>>(
         "--quirk-off",
         [&target, names](const std::vector<std::string>& texts) {
           for (const std::string& text : texts)
             for (const std::string& name : parts_of(text))
               if (const auto index = quirk_index(names, name)) target.push_back(*index);
         },
         "Behave as if these surprises of the controller were mended; may be repeated (pumice quirks)")
      ->option_text(kQuirkNames)
      ->allow_extra_args(false)
      ->check([names](const std::string& text) {
        for (const std::string& name : parts_of(text))
          if (const auto problem = quirk_problem(names, name)) return text_of(*problem);
        return std::string();
      });
}

std::string time_problem(const std::string& text) {
  if (parse_rfc3339(text)) return {};
  return "`" + text + "` is not a time that can be used: write it as 2026-03-02T09:00:00Z, years 1678 to 2261";
}

void add_duration(CLI::App& app, const std::string& name, Duration& target, const std::string& description) {
  app.add_option_function<std::string>(
         name, [&target](const std::string& text) { target = parse_duration(text).value_or(target); }, description)
      ->option_text("DURATION")
      ->check([](const std::string& text) {
        const auto value = parse_duration(text);
        if (!value) return "`" + text + "` " + std::string(duration_problem(text)) + ": write it as 90s, 1m30s or 2h";
        return value->ns < 0 ? std::string("a duration must not be negative") : std::string();
      });
}

void add_time(CLI::App& app, const std::string& name, std::optional<Time>& target, const std::string& description) {
  app.add_option_function<std::string>(
         name, [&target](const std::string& text) { target = parse_rfc3339(text); }, description)
      ->option_text("TIME")
      ->check(time_problem);
}

}  // namespace pumice::host
