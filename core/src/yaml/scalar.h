// What a scalar of a text means: YAML 1.1 as Kubernetes' reader has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace pumice::yaml {

/// A value before it becomes JSON: here 1, 1.0 and "1" still differ, which decides whether two keys are equal.
using ScalarValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

inline constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

struct ScalarText {
  std::string_view text;
  std::string_view tag;  ///< explicit tag, resolved to its long form; empty without one
  bool plain = true;     ///< neither quoted nor a block scalar
};

/// The value of `scalar`, or nullopt if its explicit tag promises what the text does not keep; then `problem` says so.
[[nodiscard]] std::optional<ScalarValue> resolve_scalar(const ScalarText& scalar, std::string& problem);

/// `value` as the name of a JSON member; nullopt for null and for integers above 2^63 - 1, which cannot be one.
[[nodiscard]] std::optional<std::string> key_text(const ScalarValue& value);

}  // namespace pumice::yaml
