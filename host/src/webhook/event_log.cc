#include "webhook/event_log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace pumice::host::webhook {
namespace {

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(now - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), part);
}

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warn: return "warn";
    case LogLevel::Error: return "error";
  }
  return "";
}

}  // namespace

EventLog::EventLog(LogLevel level)
    : level_(level),
      logger_(std::make_shared<spdlog::logger>("webhook", std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_pattern("%v");
  logger_->set_level(spdlog::level::trace);
}

void EventLog::write(LogLevel level, std::string_view event, Json fields) const {
  if (!writes(level)) return;
  fields["time"] = now_text();
  fields["level"] = std::string(name_of(level));
  fields["event"] = std::string(event);
  const std::string line = to_text(fields);
  logger_->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace pumice::host::webhook
