// A user's words in a message.
#pragma once

#include <string>
#include <string_view>

namespace pumice::yaml {

/// `text` in backticks, on one line and not too long: line breaks and other control characters become escapes, what is
/// beyond 60 bytes becomes `…`.
[[nodiscard]] std::string in_backticks(std::string_view text);

}  // namespace pumice::yaml
