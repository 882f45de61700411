// The webhook's log: a JSON object a line on standard error. Nothing of an object's content ever gets into it.
#pragma once

#include <memory>
#include <string_view>

#include "pumice/json.h"
#include "webhook/serve_options.h"

namespace spdlog {
class logger;
}

namespace pumice::host::webhook {

class EventLog {
 public:
  explicit EventLog(LogLevel level);

  /// `event` is one word for programs; `fields` is an object.
  void write(LogLevel level, std::string_view event, Json fields = Json::object()) const;
  void info(std::string_view event, Json fields = Json::object()) const {
    write(LogLevel::Info, event, std::move(fields));
  }
  void warn(std::string_view event, Json fields = Json::object()) const {
    write(LogLevel::Warn, event, std::move(fields));
  }
  void error(std::string_view event, Json fields = Json::object()) const {
    write(LogLevel::Error, event, std::move(fields));
  }
  [[nodiscard]] bool writes(LogLevel level) const noexcept { return level >= level_; }

 private:
  LogLevel level_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace pumice::host::webhook
