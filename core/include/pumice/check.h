// CHECK: programmer errors end the process (native) or trap the instance (browser), in every build.
#pragma once

namespace pumice::detail {
[[noreturn]] void check_failed(const char* expression, const char* file, int line) noexcept;
}  // namespace pumice::detail

/// Ends the program if `condition` is false. Never used on anything that a user's input alone decides.
#define PUMICE_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::pumice::detail::check_failed(#condition, __FILE__, __LINE__))
