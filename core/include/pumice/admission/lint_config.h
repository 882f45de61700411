// A configuration of lint: which findings refuse an object, warn, are mentioned, or are left out. One format serves
// `pumice validate` and the webhook:
//
//   apiVersion: pumice.dev/v1
//   kind: LintConfig
//   deny: [volcano.lint.exit-code-range]
//   warn: [cron.lint]                     # all rules whose ids begin with `cron.lint.`
//   note: [job.lint.work-queue]
//   ignore: [volcano.lint.scheduler]
//   namespaces:                           # what is different in some of them
//   - names: [dev, sandbox-*]
//     ignore: [volcano.lint]
//
// The longest name of a rule that fits decides. Entries of `namespaces` that say anything about a rule come before the
// general part, and of several the last one counts. What a cluster refuses by itself is no matter of configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/result.h"

namespace pumice::admission {

enum class LintAction : std::uint8_t { Deny, Warn, Note, Ignore };

class LintConfig {
 public:
  /// What to do with a finding of that rule about an object of that namespace; absent: as the rule itself says.
  [[nodiscard]] std::optional<LintAction> action_for(std::string_view rule, std::string_view ns) const noexcept;

 private:
  struct Entry {
    std::string rule;  ///< an id or its front part
    LintAction action = LintAction::Warn;
  };
  struct Scope {
    std::vector<std::string> names;  ///< namespaces; `*` at the end stands for any rest; empty: all of them
    std::vector<Entry> entries;

    [[nodiscard]] bool covers(std::string_view ns) const noexcept;
    /// The entry for that rule, or nullptr.
    [[nodiscard]] const Entry* find(std::string_view rule) const noexcept;
  };
  class Reader;

  std::vector<Scope> scopes_;  ///< the general one first

  friend Result<LintConfig> parse_lint_config(std::string_view text, std::string_view file);
};

/// Reads a configuration. Unknown fields and rules, and rules named twice in one place, are errors.
[[nodiscard]] Result<LintConfig> parse_lint_config(std::string_view text, std::string_view file);

/// True if `name` is the id of a rule or its front part: `volcano.lint` for `volcano.lint.behind-any`.
[[nodiscard]] bool is_rule_or_front(std::string_view name, std::string_view rule) noexcept;

}  // namespace pumice::admission
