// From events to a document: aliases, merge keys, tags, equal keys.
#pragma once

#include <cstdint>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/yaml.h"
#include "yaml/events.h"
#include "yaml/line_table.h"

namespace pumice::yaml {

/// What counts against the limits, over all documents of a text.
struct DecodeTotals {
  std::int64_t nodes = 0;
  std::int64_t text_bytes = 0;
};

/// Turns the events of one document into its tree. What is wrong goes to `diagnostics`; after an error the document is
/// not to be used.
[[nodiscard]] YamlDocument decode_document(const std::vector<Event>& events, const LineTable& lines,
                                           const YamlOptions& options, DecodeTotals& totals, Diagnostics& diagnostics);

}  // namespace pumice::yaml
