// Diagnostics as JSON, in the one form that all borders of the core use.
#pragma once

#include "pumice/diagnostic.h"
#include "pumice/json.h"

namespace pumice {

/// `{severity, code, message, hint?, file?, field?, line?, column?, endLine?, endColumn?}`; what is not known is left
/// out.
[[nodiscard]] Json to_json(const Diagnostic& diagnostic);
[[nodiscard]] Json to_json(const Diagnostics& diagnostics);

}  // namespace pumice
