// Reading what comes over the border, and the two forms of answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/time.h"

namespace pumice::engine {

/// Bounds of one input.
inline constexpr std::size_t kInputBytesMax = 16 * 1024 * 1024;
inline constexpr int kInputDepthMax = 64;

/// The members of one input. What is wrong is collected in `diagnostics`; each read that fails returns nothing.
class Arguments {
 public:
  explicit Arguments(std::string_view input);

  Diagnostics diagnostics;

  [[nodiscard]] bool ok() const noexcept { return diagnostics.empty(); }
  void error(std::string code, std::string field, std::string message, std::string hint = {});

  /// `required`: absent is an error. Null counts as absent.
  std::optional<std::string> text(const char* member, bool required = false);
  std::optional<std::int64_t> integer(const char* member, bool required = false);
  std::optional<bool> flag(const char* member);
  std::optional<Duration> duration(const char* member);
  [[nodiscard]] const Json* find(const char* member) const;
  /// The members of a member that is an object, for reading with the same calls; `{}` if it is absent.
  [[nodiscard]] Arguments object(const char* member);

 private:
  Arguments() = default;

  Json value_ = Json::object();
  std::string path_;
};

[[nodiscard]] std::string success(Json answer);
[[nodiscard]] std::string failure(const Diagnostics& diagnostics);
[[nodiscard]] std::string failure(std::string code, std::string field, std::string message);

}  // namespace pumice::engine
