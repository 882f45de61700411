// The nesting of a JSON text, looked at before anything is built from it: a tree that is too deep can be read without
// recursion, but neither copied nor written.
#pragma once

#include <cstddef>
#include <string_view>

namespace pumice {

/// True if brackets are nested deeper than `depth_max`.
[[nodiscard]] inline bool is_nested_deeper(std::string_view json, int depth_max) noexcept {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > depth_max) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace pumice
