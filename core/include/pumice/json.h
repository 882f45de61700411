// The one JSON type of the core: objects keep their keys sorted, so the same value always prints as the same bytes.
#pragma once

#include <nlohmann/json.hpp>

namespace pumice {
using Json = nlohmann::json;
}  // namespace pumice
