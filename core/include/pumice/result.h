// Result<T>: a value, or everything that is wrong with the input it should have come from.
#pragma once

#include <optional>
#include <utility>

#include "pumice/diagnostic.h"

namespace pumice {

/// A value together with the diagnostics found on the way. `value` is absent exactly if the input could not be used;
/// then at least one diagnostic is an error. A present value may come with warnings.
template <class T>
struct [[nodiscard]] Result {
  std::optional<T> value;
  Diagnostics diagnostics;

  [[nodiscard]] bool ok() const noexcept { return value.has_value(); }
  explicit operator bool() const noexcept { return ok(); }

  static Result success(T value, Diagnostics diagnostics = {}) { return {std::move(value), std::move(diagnostics)}; }
  static Result failure(Diagnostics diagnostics) { return {std::nullopt, std::move(diagnostics)}; }
};

}  // namespace pumice
