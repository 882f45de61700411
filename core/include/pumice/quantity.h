// Kubernetes resource quantities: `250m`, `1.5Gi`, `2e3`.
//
// Values, rounding, canonical form and error texts are those of apimachinery's `resource.Quantity`: a decimal number of
// any size that keeps the kind of suffix it was written with. What is finer than a nano is rounded away from zero when
// it is parsed, and binary quantities are cut at 2^63 - 1 there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pumice {

class Quantity {
 public:
  enum class Format : std::uint8_t { DecimalSI, BinarySI, DecimalExponent };

  Quantity() = default;
  explicit Quantity(std::int64_t value);

  [[nodiscard]] bool is_zero() const noexcept { return limbs_.empty(); }
  [[nodiscard]] int sign() const noexcept { return is_zero() ? 0 : negative_ ? -1 : 1; }
  /// Canonical form: no fraction, the largest suffix that fits. A text that is as good as canonical is kept as it was
  /// written, because the real implementation keeps it too (`1105.664M`, `+5`, `00100`).
  [[nodiscard]] std::string text() const;

  /// A sum takes the suffix of its first operand, or of the second if the first is zero.
  void add(const Quantity& other);
  void multiply(std::int64_t times);

  friend int compare(const Quantity& a, const Quantity& b);
  friend std::optional<Quantity> parse_quantity(std::string_view text, std::string_view* problem);

 private:
  using Limbs = std::vector<std::uint32_t>;  ///< base 10^9, least significant first; empty is zero

  void normalize();
  [[nodiscard]] Limbs scaled_to(std::int32_t exponent) const;

  Limbs limbs_;  ///< the value is ±limbs_ * 10^exponent_, without trailing zeros
  std::int32_t exponent_ = 0;
  bool negative_ = false;
  Format format_ = Format::DecimalSI;
  std::string kept_;  ///< the text to keep, if any
};

/// Negative, zero or positive.
[[nodiscard]] int compare(const Quantity& a, const Quantity& b);

/// Digits a quantity may have, and the power of ten it may be written with. The real implementation has no limit.
inline constexpr std::int32_t kQuantityDigitsMax = 1000;

/// Absent if it is none; then `problem` says why.
[[nodiscard]] std::optional<Quantity> parse_quantity(std::string_view text, std::string_view* problem = nullptr);

}  // namespace pumice
