// `pumice completion`: scripts for shells, made from the command line itself so that they cannot lag behind it.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace pumice::host {

/// The script for `bash`, `zsh` or `fish`; empty for any other shell.
[[nodiscard]] std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace pumice::host
