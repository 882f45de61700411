// The first of two passes over a text: its scalars, and what Kubernetes' reader refuses.
//
// yaml-cpp reads YAML 1.2 and forgives much; Kubernetes' reader has YAML 1.1 and its own strictness. This pass walks
// over the text token by token, without recursion. It
//  - refuses what that reader refuses: tabs as indentation, a key without `:`, empty flow entries, odd anchors and tags
//  …;
//  - bounds the nesting, before yaml-cpp, which recurses, sees it;
//  - reads the texts of scalars, which the two versions of YAML fold and unescape differently;
//  - finds where values end: yaml-cpp knows beginnings only;
//  - prepares the copy, of the same length, in which yaml-cpp finds the structure: what is a key, a value, an item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/yaml.h"
#include "yaml/problem.h"

namespace pumice::yaml {

/// A scalar or an alias.
struct Leaf {
  std::size_t node_begin = 0;  ///< first byte of the anchors and tags right before it
  std::size_t line_begin = 0;  ///< first byte of those on its own line: the others may belong to a value around it
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text{};  ///< of a scalar
};

/// `[…]` or `{…}`, brackets included.
struct FlowSpan {
  std::size_t node_begin = 0;  ///< first byte of its anchor or tag, if it has one before it
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct DocumentSpan {
  std::size_t begin = 0;  ///< of its directives, if it has some
  std::size_t end = 0;
};

struct Precheck {
  std::string copy;
  std::vector<Leaf> leaves;     ///< in the order of the text
  std::vector<FlowSpan> flows;  ///< in the order in which they begin
  std::vector<DocumentSpan> documents;
  std::optional<Problem> problem;
};

/// Checks `text`, which must have passed `find_bad_character`. If `json_escapes`, quoted strings may have the escapes
/// that JSON has and YAML 1.1 lacks: `\/` and surrogate pairs.
[[nodiscard]] Precheck precheck(std::string_view text, const YamlLimits& limits, bool first_document_only,
                                bool json_escapes);

}  // namespace pumice::yaml
