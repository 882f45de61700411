// The form of scenario documents as JSON Schemas (draft 2020-12), made from the same vocabularies as the reader.
#pragma once

#include "pumice/json.h"

namespace pumice::scenario {

/// In both, unknown fields are errors. What depends on other parts of a document (numbers of events, policies that
/// exist, patterns that compile) is looked at by the reader alone.
[[nodiscard]] Json scenario_schema();
[[nodiscard]] Json suite_schema();

}  // namespace pumice::scenario
