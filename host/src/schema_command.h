// `pumice schema`: the form of our own documents.
#pragma once

#include <string>

namespace pumice::host {

[[nodiscard]] int print_schema(const std::string& kind);

}  // namespace pumice::host
