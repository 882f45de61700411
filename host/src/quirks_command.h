// `pumice quirks`: the surprises that can be switched off, as a list or one in full.
#pragma once

#include <string>

#include "terminal.h"

namespace pumice::host {

struct QuirksCommand {
  std::string name;     ///< empty: the list of all
  std::string profile;  ///< empty: not only those of one profile
  bool as_json = false;
  Color color = Color::Auto;
};

/// 0, or 2 if there is no quirk of that name.
[[nodiscard]] int print_quirks(const QuirksCommand& command);

}  // namespace pumice::host
