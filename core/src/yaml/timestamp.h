// The dates that a `!!timestamp` tag accepts.
#pragma once

#include <string_view>

namespace pumice::yaml {

/// `2001-1-2`, `2001-1-2T3:4:5.6Z`, `2001-1-2t3:4:5+07:00`, `2001-1-2 3:4:5.6`: a year of four digits, all else with
/// one or two. Only the tag `!!timestamp` asks; without it a date is a string like any other.
[[nodiscard]] bool is_timestamp(std::string_view text) noexcept;

}  // namespace pumice::yaml
