#include "options.h"

namespace pumice::host {

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
