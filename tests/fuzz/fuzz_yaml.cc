// Any bytes are a text: it is read, or refused with a reason and a place. What was read is bounded, prints as JSON, and
// is read again from that as the same value.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/check.h"
#include "pumice/field_reader.h"
#include "pumice/json.h"
#include "pumice/yaml.h"

namespace {

bool is_before(const pumice::Position& a, const pumice::Position& b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

void check_range(const pumice::Range& range) { PUMICE_CHECK(!range.end.known() || is_before(range.begin, range.end)); }

void check_node(const pumice::YamlNode& node, int depth) {
  PUMICE_CHECK(depth <= pumice::YamlLimits{}.depth_max);
  PUMICE_CHECK(node.is_list() || node.is_map() || node.children.empty());
  PUMICE_CHECK(node.scalar.is_primitive());
  check_range(node.range);
  check_range(node.key_range);
  for (const pumice::YamlNode& child : node.children) {
    if (node.is_map()) PUMICE_CHECK(node.find(child.key) == &child);
    check_node(child, depth + 1);
  }
}

void check_diagnostics(const pumice::Diagnostics& diagnostics) {
  for (const pumice::Diagnostic& diagnostic : diagnostics) {
    PUMICE_CHECK(!diagnostic.code.empty() && !diagnostic.message.empty());
    PUMICE_CHECK(diagnostic.message.find('\n') == std::string::npos);
    check_range(diagnostic.range);
  }
}

/// Reads as a model reader would.
void read_fields(const pumice::YamlNode& root) {
  pumice::FieldContext context;
  pumice::FieldReader reader(root, context);
  (void)reader.string("a");
  (void)reader.int32("b");
  (void)reader.string_list("c");
  (void)reader.string_map("d");
  for (pumice::FieldReader& item : reader.list("e")) {
    (void)item.int64("a");
    item.finish();
  }
  reader.finish();
  check_diagnostics(context.diagnostics);
}

void check_all_documents(std::string_view text) {
  pumice::YamlOptions options;
  options.duplicate_keys = pumice::Severity::Warning;
  const auto documents = pumice::parse_yaml(text, options);
  check_diagnostics(documents.diagnostics);
  PUMICE_CHECK(documents.ok() != pumice::has_errors(documents.diagnostics));
  if (!documents.ok()) return;
  PUMICE_CHECK(!documents.value->empty());
  for (const pumice::YamlDocument& document : *documents.value) {
    check_node(document.root, 0);
    read_fields(document.root);
    const pumice::Json json = pumice::to_json(document.root);
    const auto tree = pumice::node_from_json(json);
    PUMICE_CHECK(tree.ok());
    PUMICE_CHECK(pumice::to_json(*tree.value) == json);
    // Escapes keep the characters that are line breaks to YAML out of the text.
    const auto again = pumice::parse_yaml(pumice::Json::array({json}).dump(-1, ' ', true));
    PUMICE_CHECK(!again.ok() || pumice::to_json(again.value->front().root).at(0) == json);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_all_documents(text);
  const auto first = pumice::yaml_to_json(text);
  check_diagnostics(first.diagnostics);
  PUMICE_CHECK(first.ok() != pumice::has_errors(first.diagnostics));
  return 0;
}
