// What the readers of whole API objects have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pumice/field_reader.h"
#include "pumice/model/reader.h"

namespace pumice {

/// A manifest has no members but those that were asked for.
inline void finish(FieldReader& reader, ReadMode mode) {
  if (mode == ReadMode::Manifest) reader.finish();
}

/// A part that a manifest must have; `message` tells of one that has not. A value of another type than a map is one
/// finding, not one more for each part.
inline std::optional<FieldReader> required_part(FieldReader& object, std::string_view part, ReadMode mode,
                                                const char* message) {
  auto reader = object.object(part);
  const bool could_have = object.node().is_map() || object.node().is_null();
  if (!reader && mode == ReadMode::Manifest && could_have && !object.has(part))
    object.report_at(part, Severity::Error, "MissingField", message);
  return reader;
}

/// `read` on a tree, with its findings; a failure if one of them is an error.
template <class Read>
auto read_whole(const YamlNode& object, std::string_view file, Read read) {
  FieldContext context;
  context.file = std::string(file);
  FieldReader reader(object, context);
  using Value = decltype(read(reader));
  Value value = read(reader);
  if (has_errors(context.diagnostics)) return Result<Value>::failure(std::move(context.diagnostics));
  return Result<Value>::success(std::move(value), std::move(context.diagnostics));
}

}  // namespace pumice
