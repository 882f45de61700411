// Parts of the reader of documents.
#pragma once

#include <string>
#include <vector>

#include "pumice/field_reader.h"
#include "pumice/scenario/scenario.h"

namespace pumice::scenario {

[[nodiscard]] Place place_of(const FieldReader& reader);

/// Reports what no read has named: unknown fields are errors in our own documents.
void refuse_unknown(FieldReader& reader);

/// An error about a member, or about the value itself if `member` is empty.
void wrong(FieldReader& reader, std::string_view member, std::string message, std::string hint = {});

/// A pattern at `member`.
[[nodiscard]] std::optional<Pattern> read_pattern(FieldReader& reader, std::string_view member);
/// A pattern, or a list of them, at `member`.
[[nodiscard]] std::vector<std::pair<Pattern, Place>> read_patterns(FieldReader& reader, std::string_view member);

/// One word of `known` at `member`; else an error with the nearest.
[[nodiscard]] std::optional<std::string> read_word(FieldReader& reader, std::string_view member, std::string_view what,
                                                   const std::vector<std::string_view>& known);
/// Checks a word found at `reader`'s own value.
[[nodiscard]] bool is_word_of(FieldReader& reader, const std::string& word, std::string_view what,
                              const std::vector<std::string_view>& known);

/// The list at `member`, with no more than `most` items.
[[nodiscard]] std::vector<FieldReader> read_list(FieldReader& reader, std::string_view member, std::int64_t most);

/// The expectations at `expect`. `events`: how many events there are, if that is known.
[[nodiscard]] std::vector<Expectation> read_expectations(FieldReader& reader, std::optional<std::int64_t> events,
                                                         std::optional<Time> start);

}  // namespace pumice::scenario
