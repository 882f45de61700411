#include <cstddef>
#include <utility>
#include <vector>

#include "compose.h"
#include "pumice/yaml.h"

namespace pumice {
namespace {

/// Copies a JSON value with an explicit stack: its depth is not known to be small before it has been walked.
class JsonWalker {
 public:
  explicit JsonWalker(const YamlLimits& limits) : limits_(limits) {}

  Result<YamlNode> copy(const Json& value) {
    YamlNode root;
    visit(value, root, 1);
    // The last pushed frame is always the deepest: children vectors above it do not grow any more.
    while (!frames_.empty() && problem_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next == frame.source->end()) {
        frames_.pop_back();
        continue;
      }
      const Json::const_iterator at = frame.next++;
      YamlNode& child = frame.target->children.emplace_back();
      if (frame.source->is_object()) child.key = at.key();
      visit(*at, child, frame.depth + 1);
    }
    if (problem_.empty()) return Result<YamlNode>::success(std::move(root));
    return Result<YamlNode>::failure({{.severity = Severity::Error,
                                       .code = "LimitExceeded",
                                       .file = {},
                                       .range = {},
                                       .field = {},
                                       .message = std::move(problem_),
                                       .hint = {}}});
  }

 private:
  struct Frame {
    const Json* source;
    YamlNode* target;
    Json::const_iterator next;
    std::int32_t depth;
  };

  void visit(const Json& value, YamlNode& out, std::int32_t depth) {
    if (++nodes_ > limits_.nodes_max) problem_ = compose("more than {} values", limits_.nodes_max);
    switch (value.type()) {
      case Json::value_t::boolean: out.kind = YamlNode::Kind::Bool; break;
      case Json::value_t::string: out.kind = YamlNode::Kind::String; break;
      case Json::value_t::number_integer:
      case Json::value_t::number_unsigned:
      case Json::value_t::number_float: out.kind = YamlNode::Kind::Number; break;
      case Json::value_t::array:
      case Json::value_t::object:
        out.kind = value.is_array() ? YamlNode::Kind::List : YamlNode::Kind::Map;
        out.children.reserve(value.size());
        if (depth > limits_.depth_max) problem_ = compose("nested more than {} levels deep", limits_.depth_max);
        frames_.push_back({&value, &out, value.begin(), depth});
        return;
      case Json::value_t::null:
      case Json::value_t::binary:
      case Json::value_t::discarded: return;
    }
    out.scalar = value;
  }

  const YamlLimits& limits_;
  std::vector<Frame> frames_;
  std::int64_t nodes_ = 0;
  std::string problem_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const noexcept {
  if (kind != Kind::Map) return nullptr;
  for (const YamlNode& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

std::string_view to_string(YamlNode::Kind kind) noexcept {
  switch (kind) {
    case YamlNode::Kind::Null: return "null";
    case YamlNode::Kind::Bool: return "boolean";
    case YamlNode::Kind::Number: return "number";
    case YamlNode::Kind::String: return "string";
    case YamlNode::Kind::List: return "list";
    case YamlNode::Kind::Map: return "map";
  }
  return "value";
}

Json to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::List: {
      Json list = Json::array();
      for (const YamlNode& child : node.children) list.push_back(to_json(child));
      return list;
    }
    case YamlNode::Kind::Map: {
      Json map = Json::object();
      for (const YamlNode& child : node.children) map[child.key] = to_json(child);
      return map;
    }
    case YamlNode::Kind::Null:
    case YamlNode::Kind::Bool:
    case YamlNode::Kind::Number:
    case YamlNode::Kind::String: return node.scalar;
  }
  return nullptr;
}

Result<YamlNode> node_from_json(const Json& value, const YamlLimits& limits) { return JsonWalker(limits).copy(value); }

}  // namespace pumice
