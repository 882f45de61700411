// YAML and JSON texts with positions: what Kubernetes' own tools would read, and where each part of it stands.
//
// The values are those of `sigs.k8s.io/yaml`, which `kubectl` and the API machinery use: YAML 1.1 scalars (`yes` is
// true, `0777` is octal, `1_000` is a thousand), merge keys, keys of other types turned into strings, the last of two
// equal keys wins. Timestamps stay strings. What that reader refuses is refused here, with line, column and, where
// known, a hint.
//
// A JSON text is a YAML text too and takes the same way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/result.h"

namespace pumice {

/// One value of a document, with its place in the text. A tree of these is plain data: it may be copied, moved and
/// kept.
struct YamlNode {
  enum class Kind : std::uint8_t { Null, Bool, Number, String, List, Map };

  Kind kind = Kind::Null;
  Json scalar;                     ///< the value; null for lists and maps
  std::string key;                 ///< name of this member, if the parent is a map
  Range key_range;                 ///< where that name stands
  Range range;                     ///< where the value stands; for an alias, where the alias stands
  std::vector<YamlNode> children;  ///< items of a list; members of a map, in the order of the text, each key once

  /// The member called `name`, or nullptr; also if this is no map.
  [[nodiscard]] const YamlNode* find(std::string_view name) const noexcept;

  [[nodiscard]] bool is_null() const noexcept { return kind == Kind::Null; }
  [[nodiscard]] bool is_list() const noexcept { return kind == Kind::List; }
  [[nodiscard]] bool is_map() const noexcept { return kind == Kind::Map; }
};

/// What a kind is called in messages: `null`, `boolean`, `number`, `string`, `list`, `map`.
[[nodiscard]] std::string_view to_string(YamlNode::Kind kind) noexcept;

/// One document of a text. An empty document (only comments, or nothing between two `---`) has a null root.
struct YamlDocument {
  YamlNode root;
};

/// Each bound is a clear error (`LimitExceeded`) at the place where it is passed.
struct YamlLimits {
  std::int64_t bytes_max = 4 * 1024 * 1024;
  std::int32_t depth_max = 100;                    ///< nesting of lists and maps
  std::int64_t nodes_max = 500'000;                ///< values in all documents, those that aliases repeat included
  std::int64_t text_bytes_max = 16 * 1024 * 1024;  ///< bytes of all keys and scalars, counted in the same way
  std::int64_t documents_max = 10'000;
};

struct YamlOptions {
  YamlLimits limits;
  std::string file;  ///< name of the text in diagnostics, may be empty

  /// Severity of `DuplicateKey`: strict readers (the API server for `kubectl apply`) refuse it, lax ones take the last.
  Severity duplicate_keys = Severity::Error;

  /// Reads only up to the end of the first document and ignores what follows, as `sigs.k8s.io/yaml` does.
  bool first_document_only = false;
};

/// All documents of `text`, empty ones included; a text without content is one empty document.
/// On a syntax error (`InvalidYaml`) or a passed limit there is no value: nothing before the error can be trusted.
/// With `duplicate_keys == Severity::Error` a duplicate key leaves the value absent too, and all of them are reported.
[[nodiscard]] Result<std::vector<YamlDocument>> parse_yaml(std::string_view text, const YamlOptions& options = {});

/// The encoding of a text that is not UTF-8 but UTF-16 or UTF-32, with or without byte order mark: `UTF-16`, `UTF-32`.
/// It shows at the first character (YAML 1.2.2, section 5.2), as a text begins with one of ASCII.
[[nodiscard]] std::optional<std::string_view> foreign_encoding(std::string_view text) noexcept;

/// The value without its positions. Numbers are integers where the number is whole and fits 64 bits.
[[nodiscard]] Json to_json(const YamlNode& node);

/// A tree without positions from a JSON value, so that one reader serves both. Fails on a passed limit only.
[[nodiscard]] Result<YamlNode> node_from_json(const Json& value, const YamlLimits& limits = {});

/// The eval operation `yaml.parse`: the first document of `text` as JSON. Duplicate keys are warnings.
[[nodiscard]] Result<Json> yaml_to_json(std::string_view text, const YamlLimits& limits = {});

}  // namespace pumice
