// Field paths, grown in place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice::yaml {

/// Appends `.name`, or `["name"]` if the name is not a plain word.
void append_member(std::string& path, std::string_view name);

/// Appends `[index]`.
void append_item(std::string& path, std::int64_t index);

}  // namespace pumice::yaml
