// Texts as Go's standard library reads and writes them: the original's messages and limits come from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::cron {

/// `strings.Fields` and `strings.TrimSpace`: Unicode's white space.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// `strings.ToLower`, as far as the result can be plain ASCII letters.
[[nodiscard]] std::string lower(std::string_view text);

/// `strconv.Quote`. Characters that Unicode has not assigned yet count as printable.
[[nodiscard]] std::string quoted(std::string_view text);

/// `strconv.Atoi` on 64 bits: the number, or the text of the error.
struct Number {
  std::int64_t value = 0;
  std::string error;
};
[[nodiscard]] Number to_number(std::string_view text);

}  // namespace pumice::cron
