// `pumice eval`: one JSON object per line in, one per line out.
#pragma once

namespace pumice::host {

/// Answers the lines of standard input until it ends. An answer is out before the next line is waited for, so a program
/// can talk with it over pipes. Returns the exit status.
[[nodiscard]] int eval_lines();

}  // namespace pumice::host
