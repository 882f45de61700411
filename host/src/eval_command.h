// `pumice eval`: one JSON object per line in, one per line out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pumice::host {

/// Answers the lines of standard input until it ends, with what `answer` makes of a line and its number. An answer is
/// out before the next line is waited for, so a program can talk with it over pipes. Of a line that is too long for
/// `eval_line` just enough is passed on to be seen so. Returns the exit status.
[[nodiscard]] int answer_lines(const std::function<std::string(std::string_view, std::int64_t)>& answer);

/// `answer_lines` with `eval_line`.
[[nodiscard]] int eval_lines();

}  // namespace pumice::host
