// Comments in manifests that leave findings out:
//
//   policies: # pumice: ignore volcano.lint.pending-without-timeout
//   # pumice: ignore volcano.lint
//   - {event: PodPending, action: AbortJob}
//
// A comment behind something is for its line; one on a line of its own for the next line that holds something. Errors
// are never left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/yaml.h"

namespace pumice::admission {

struct IgnoreComment {
  std::int32_t line = 0;           ///< the line it is for
  std::vector<std::string> rules;  ///< ids or their front parts
};

struct IgnoreComments {
  std::vector<IgnoreComment> comments;
  Diagnostics diagnostics;  ///< warnings: rules that do not exist, comments without any
};

/// The comments of a text. `documents` are what was read from it: what stands in texts of theirs is no comment.
[[nodiscard]] IgnoreComments ignore_comments(std::string_view text, const std::vector<YamlDocument>& documents,
                                             std::string_view file);

/// Drops the findings about `object` that a comment leaves out: those whose field, or its name, begins on its line.
void drop_commented(Diagnostics& findings, const YamlNode& object, const std::vector<IgnoreComment>& comments);

}  // namespace pumice::admission
