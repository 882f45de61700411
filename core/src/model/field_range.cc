#include <charconv>
#include <optional>

#include "pumice/model/reader.h"

namespace pumice {
namespace {

/// One step of a path: a member's name or an item's index.
struct Step {
  std::string name;
  std::int64_t index = -1;
};

/// Takes `["quoted.name"]`, whose quotes are those of JSON.
std::optional<Step> take_quoted(std::string_view& path) {
  std::size_t end = 2;
  while (end < path.size() && path[end] != '"') end += path[end] == '\\' ? 2 : 1;
  if (end + 1 >= path.size() || path[end + 1] != ']') return std::nullopt;
  const Json name = Json::parse(path.substr(1, end), nullptr, false);
  const auto* text = name.get_ptr<const std::string*>();
  if (text == nullptr) return std::nullopt;
  path.remove_prefix(end + 2);
  return Step{.name = *text};
}

/// Takes `[3]`.
std::optional<Step> take_index(std::string_view& path) {
  Step step;
  const char* const digits = path.data() + 1;
  const auto [end, error] = std::from_chars(digits, path.data() + path.size(), step.index);
  const auto length = static_cast<std::size_t>(end - path.data());
  if (error != std::errc() || step.index < 0 || length >= path.size() || *end != ']') return std::nullopt;
  path.remove_prefix(length + 1);
  return step;
}

/// Takes the first step of a path as `field_path` builds it.
std::optional<Step> take_step(std::string_view& path) {
  if (path.starts_with("[\"")) return take_quoted(path);
  if (path.starts_with('[')) return take_index(path);
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  if (end == 0) return std::nullopt;
  Step step{.name = std::string(path.substr(0, end))};
  path.remove_prefix(end);
  return step;
}

}  // namespace

const YamlNode& node_of(const YamlNode& root, std::string_view field_path) {
  const YamlNode* node = &root;
  while (!field_path.empty()) {
    const std::optional<Step> step = take_step(field_path);
    if (!step) break;
    const YamlNode* next = nullptr;
    if (step->index < 0) {
      next = node->find(step->name);
    } else if (node->is_list() && static_cast<std::uint64_t>(step->index) < node->children.size()) {
      next = &node->children[static_cast<std::size_t>(step->index)];
    }
    if (next == nullptr) break;
    node = next;
  }
  return *node;
}

Range range_of(const YamlNode& root, std::string_view field_path) { return node_of(root, field_path).range; }

}  // namespace pumice
