// `pumice version`.
#pragma once

namespace pumice::host {

[[nodiscard]] int print_version(bool as_json);

}  // namespace pumice::host
