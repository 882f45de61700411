// Arguments of a plugin, read as Go's `flag` package reads them (spec/volcano-plugins.md 1.1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::volcano {

struct Option {
  enum class Type : std::uint8_t { Text, Number, Flag };
  std::string_view name;
  std::string_view fallback;
  Type type = Type::Text;
};

/// Values by name. What follows an unknown option or a bad value is not read, and nobody is told: as upstream.
class Arguments {
 public:
  Arguments(std::span<const Option> options, const std::vector<std::string>& items);

  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;

 private:
  std::span<const Option> options_;
  std::vector<std::string> values_;  ///< one for each option
};

}  // namespace pumice::volcano
