// What the program's exit status says.
#pragma once

namespace pumice::host {

inline constexpr int kFine = 0;  ///< done, and all as hoped
/// `simulate --auto` ran, but a job did not end Completed; `cron` answered, but the schedule fires no more;
/// `validate` found something.
inline constexpr int kNotAsHoped = 1;
inline constexpr int kError = 2;  ///< nothing, or not all, could be done: wrong input, an event that cannot happen

}  // namespace pumice::host
