// Parts of the writer of documents.
#pragma once

#include <string>

#include "pumice/scenario/scenario.h"

namespace pumice::scenario {

/// An expectation as its mapping.
[[nodiscard]] Json to_json(const Expectation& expectation);

/// A value in YAML's flow form, in one line: `{pod: w-0, phase: Running}`.
[[nodiscard]] std::string flow_text(const Json& value);

}  // namespace pumice::scenario
