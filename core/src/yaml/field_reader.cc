#include "pumice/field_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "compose.h"
#include "yaml/backticks.h"
#include "yaml/field_path.h"

namespace pumice {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edit distance of `a` and `b` without regard to letter case; `limit + 1` for all that is farther.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return std::min(row.back(), limit + 1);
}

std::string number_text(const Json& number) { return to_text(number); }

std::string described(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::String: return "string " + yaml::in_backticks(node.scalar.get_ref<const std::string&>());
    case YamlNode::Kind::Number: return "number " + yaml::in_backticks(number_text(node.scalar));
    case YamlNode::Kind::Bool: return node.scalar.get<bool>() ? "boolean `true`" : "boolean `false`";
    case YamlNode::Kind::List: return "a list";
    case YamlNode::Kind::Map: return "a map";
    case YamlNode::Kind::Null: break;
  }
  return "null";
}

/// What usually went wrong when one type stands where another is wanted.
std::string hint_for(const YamlNode& node, std::string_view wanted) {
  const bool wants_text = wanted == "a string";
  if (wants_text && node.kind == YamlNode::Kind::Number)
    return "put it in quotes: \"" + number_text(node.scalar) + "\"";
  if (wants_text && node.kind == YamlNode::Kind::Bool) {
    return "put it in quotes; unquoted, `yes`, `no`, `on`, `off`, `y` and `n` are booleans too";
  }
  if (node.kind == YamlNode::Kind::String && (wanted == "an integer" || wanted == "a boolean")) {
    constexpr std::size_t kLongestNumber = 24;
    const auto& text = node.scalar.get_ref<const std::string&>();
    if (text.size() > kLongestNumber) return {};
    const auto value = Json::parse(text, nullptr, false);
    const bool fits = wanted == "an integer" ? value.is_number_integer() : value.is_boolean();
    if (!fits) return {};
    // The place of a text in quotes is wider than the text by just these; a tag in front takes more.
    const std::int64_t width = node.range.end.column - node.range.begin.column;
    return width <= static_cast<std::int64_t>(text.size()) + 2 ? "remove the quotes" : "remove the tag before it";
  }
  if (wanted == "a list" && node.kind == YamlNode::Kind::Map) return "start each item with `- `";
  if (wanted == "a map" && node.kind == YamlNode::Kind::List) {
    return node.children.empty() ? "an empty map is `{}`" : "remove the `- `";
  }
  return {};
}

/// The whole number that a JSON number is, if it is one and fits. `3.0` and `1e3` are whole too.
std::optional<std::int64_t> whole_number(const Json& number) {
  if (number.is_number_unsigned()) {
    const auto value = number.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (number.is_number_integer()) return number.get<std::int64_t>();
  const auto value = number.get<double>();
  constexpr double kBound = 9223372036854775808.0;
  if (std::trunc(value) != value || value < -kBound || value >= kBound) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

void FieldContext::add(Diagnostic diagnostic) {
  if (is_full()) {
    // A later error must not get lost behind warnings: it takes the place of the last entry.
    ++dropped;
    if (diagnostic.severity != Severity::Error || has_errors(diagnostics)) return;
    diagnostics.back() = std::move(diagnostic);
    return;
  }
  diagnostics.push_back(std::move(diagnostic));
}

std::string field_path(std::string_view path, std::string_view member) {
  std::string out(path);
  yaml::append_member(out, member);
  return out;
}

std::string field_path(std::string_view path, std::int64_t item) {
  std::string out(path);
  yaml::append_item(out, item);
  return out;
}

std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t kLongest = 64;
  if (name.empty() || name.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate, best_distance - 1);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
    if (best_distance == 0) break;
  }
  return best;
}

FieldReader::FieldReader(const YamlNode& node, FieldContext& context, std::string path)
    : node_(&node), context_(&context), path_(std::move(path)) {}

void FieldReader::note_known(std::string_view name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
}

bool FieldReader::is_readable_map() {
  if (node_->is_map()) return true;
  if (!node_->is_null() && !wrong_type_reported_) {
    wrong_type_reported_ = true;
    wrong_type(*node_, path_, "a map");
  }
  return false;
}

const YamlNode* FieldReader::member(std::string_view name) {
  note_known(name);
  if (!is_readable_map()) return nullptr;
  const YamlNode* found = node_->find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

const YamlNode* FieldReader::member_of_kind(std::string_view name, YamlNode::Kind kind) {
  const YamlNode* found = member(name);
  if (found == nullptr || found->kind == kind) return found;
  wrong_type(*found, path_of(*found), kind == YamlNode::Kind::List ? "a list" : "a map");
  return nullptr;
}

/// The path of this value, or of a member of it.
std::string FieldReader::path_of(const YamlNode& node) const {
  return &node == node_ ? path_ : field_path(path_, node.key);
}

void FieldReader::wrong_type(const YamlNode& node, std::string path, std::string_view wanted) {
  context_->add({.severity = Severity::Error,
                 .code = "WrongType",
                 .file = context_->file,
                 .range = node.range,
                 .field = std::move(path),
                 .message = compose("expected {}, got {}", wanted, described(node)),
                 .hint = hint_for(node, wanted)});
}

std::optional<std::string> FieldReader::read_string(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::String) return node.scalar.get<std::string>();
  wrong_type(node, path_of(node), "a string");
  return std::nullopt;
}

std::optional<bool> FieldReader::read_boolean(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::Bool) return node.scalar.get<bool>();
  wrong_type(node, path_of(node), "a boolean");
  return std::nullopt;
}

std::optional<std::int64_t> FieldReader::read_integer(const YamlNode& node, bool is_32_bit) {
  if (node.kind != YamlNode::Kind::Number) {
    wrong_type(node, path_of(node), "an integer");
    return std::nullopt;
  }
  const bool has_fraction =
      node.scalar.is_number_float() && std::trunc(node.scalar.get<double>()) != node.scalar.get<double>();
  if (has_fraction) {
    wrong_type(node, path_of(node), "an integer");
    return std::nullopt;
  }
  const auto value = whole_number(node.scalar);
  const std::int64_t least =
      is_32_bit ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
  const std::int64_t most =
      is_32_bit ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  if (value && *value >= least && *value <= most) return value;
  context_->add({.severity = Severity::Error,
                 .code = "OutOfRange",
                 .file = context_->file,
                 .range = node.range,
                 .field = path_of(node),
                 .message = compose("`{}` does not fit: the field holds integers from {} to {}",
                                    number_text(node.scalar), least, most),
                 .hint = {}});
  return std::nullopt;
}

std::optional<std::string> FieldReader::read_text(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::String) return node.scalar.get<std::string>();
  if (node.kind == YamlNode::Kind::Number) return number_text(node.scalar);
  wrong_type(node, path_of(node), "a string or a number");
  return std::nullopt;
}

std::optional<std::string> FieldReader::string(std::string_view name) {
  const YamlNode* found = member(name);
  return found == nullptr ? std::nullopt : read_string(*found);
}

std::optional<bool> FieldReader::boolean(std::string_view name) {
  const YamlNode* found = member(name);
  return found == nullptr ? std::nullopt : read_boolean(*found);
}

std::optional<std::int32_t> FieldReader::int32(std::string_view name) {
  const YamlNode* found = member(name);
  if (found == nullptr) return std::nullopt;
  const auto value = read_integer(*found, true);
  return value ? std::optional(static_cast<std::int32_t>(*value)) : std::nullopt;
}

std::optional<std::int64_t> FieldReader::int64(std::string_view name) {
  const YamlNode* found = member(name);
  return found == nullptr ? std::nullopt : read_integer(*found, false);
}

std::optional<std::string> FieldReader::text(std::string_view name) {
  const YamlNode* found = member(name);
  return found == nullptr ? std::nullopt : read_text(*found);
}

std::optional<Json> FieldReader::raw(std::string_view name) {
  const YamlNode* found = member(name);
  return found == nullptr ? std::nullopt : std::optional(to_json(*found));
}

std::optional<FieldReader> FieldReader::object(std::string_view name) {
  const YamlNode* found = member_of_kind(name, YamlNode::Kind::Map);
  if (found == nullptr) return std::nullopt;
  return FieldReader(*found, *context_, field_path(path_, name));
}

std::vector<FieldReader> FieldReader::list(std::string_view name) {
  std::vector<FieldReader> readers;
  const YamlNode* found = member_of_kind(name, YamlNode::Kind::List);
  if (found == nullptr) return readers;
  const std::string path = field_path(path_, name);
  readers.reserve(found->children.size());
  for (const YamlNode& item : found->children) {
    readers.emplace_back(item, *context_, field_path(path, static_cast<std::int64_t>(readers.size())));
  }
  return readers;
}

std::vector<FieldReader> FieldReader::members(std::string_view name) {
  std::vector<FieldReader> readers;
  const YamlNode* found = member_of_kind(name, YamlNode::Kind::Map);
  if (found == nullptr) return readers;
  const std::string path = field_path(path_, name);
  readers.reserve(found->children.size());
  for (const YamlNode& child : found->children) readers.emplace_back(child, *context_, field_path(path, child.key));
  return readers;
}

std::vector<std::string> FieldReader::string_list(std::string_view name) {
  std::vector<std::string> values;
  const YamlNode* found = member_of_kind(name, YamlNode::Kind::List);
  if (found == nullptr) return values;
  values.reserve(found->children.size());
  for (const YamlNode& item : found->children) {
    const bool is_string = item.kind == YamlNode::Kind::String;
    if (!is_string && !item.is_null()) {
      wrong_type(item, field_path(field_path(path_, name), static_cast<std::int64_t>(values.size())), "a string");
    }
    values.push_back(is_string ? item.scalar.get<std::string>() : std::string());
  }
  return values;
}

std::map<std::string, std::string> FieldReader::string_map(std::string_view name) {
  std::map<std::string, std::string> values;
  const YamlNode* found = member_of_kind(name, YamlNode::Kind::Map);
  if (found == nullptr) return values;
  for (const YamlNode& entry : found->children) {
    const bool is_string = entry.kind == YamlNode::Kind::String;
    if (!is_string && !entry.is_null()) wrong_type(entry, field_path(field_path(path_, name), entry.key), "a string");
    values.emplace(entry.key, is_string ? entry.scalar.get<std::string>() : std::string());
  }
  return values;
}

bool FieldReader::has(std::string_view name) { return member(name) != nullptr; }

void FieldReader::ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) note_known(name);
}

void FieldReader::finish() {
  if (!is_readable_map()) return;
  for (const YamlNode& child : node_->children) {
    if (std::find(known_.begin(), known_.end(), child.key) != known_.end()) continue;
    if (context_->is_full()) {
      ++context_->dropped;
      continue;
    }
    const std::string_view meant = nearest_name(child.key, known_);
    context_->add({.severity = Severity::Warning,
                   .code = "UnknownField",
                   .file = context_->file,
                   .range = child.key_range,
                   .field = field_path(path_, child.key),
                   .message = compose("unknown field {} is ignored", yaml::in_backticks(child.key)),
                   .hint = meant.empty() ? std::string() : compose("did you mean `{}`?", meant)});
  }
}

std::optional<std::string> FieldReader::as_string() { return node_->is_null() ? std::nullopt : read_string(*node_); }

std::optional<bool> FieldReader::as_boolean() { return node_->is_null() ? std::nullopt : read_boolean(*node_); }

std::optional<std::int32_t> FieldReader::as_int32() {
  if (node_->is_null()) return std::nullopt;
  const auto value = read_integer(*node_, true);
  return value ? std::optional(static_cast<std::int32_t>(*value)) : std::nullopt;
}

std::optional<std::int64_t> FieldReader::as_int64() {
  return node_->is_null() ? std::nullopt : read_integer(*node_, false);
}

std::optional<std::string> FieldReader::as_text() { return node_->is_null() ? std::nullopt : read_text(*node_); }

void FieldReader::report(Severity severity, std::string code, std::string message, std::string hint) {
  context_->add({.severity = severity,
                 .code = std::move(code),
                 .file = context_->file,
                 .range = node_->range,
                 .field = path_,
                 .message = std::move(message),
                 .hint = std::move(hint)});
}

void FieldReader::report_at(std::string_view name, Severity severity, std::string code, std::string message,
                            std::string hint) {
  const YamlNode* found = node_->find(name);
  context_->add({.severity = severity,
                 .code = std::move(code),
                 .file = context_->file,
                 .range = found == nullptr ? node_->range : found->range,
                 .field = field_path(path_, name),
                 .message = std::move(message),
                 .hint = std::move(hint)});
}

}  // namespace pumice
