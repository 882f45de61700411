#include "yaml/field_path.h"

#include <algorithm>

#include "pumice/json.h"
#include "yaml/characters.h"

namespace pumice::yaml {

void append_member(std::string& path, std::string_view name) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_word)) {
    if (!path.empty()) path += '.';
    path += name;
  } else {
    path += '[';
    path += to_text(name);
    path += ']';
  }
}

void append_item(std::string& path, std::int64_t index) {
  path += '[';
  path += std::to_string(index);
  path += ']';
}

}  // namespace pumice::yaml
