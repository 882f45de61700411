// The rules of admission as data: what a cluster refuses, and what a manifest does that its author may not expect.
//
// Ids are stable: they are the codes of diagnostics, the words of the suppressing annotation, and the names of the
// pages that the table makes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pumice/diagnostic.h"

namespace pumice::admission {

enum class RuleSource : std::uint8_t {
  Schema,   ///< the API server's reading of the object: types, and the schema of the resource definition
  Webhook,  ///< Volcano's admission webhooks
  Api,      ///< the validation of Kubernetes' own kinds, pod templates included
  Lint,     ///< accepted by every cluster, and yet surprising: a finding of Pumice's own
};
[[nodiscard]] std::string_view to_string(RuleSource source) noexcept;

struct Rule {
  std::string_view id;  ///< `volcano.job.task-min-available`
  RuleSource source = RuleSource::Webhook;
  Severity severity = Severity::Error;
  std::string_view field;        ///< where it looks: `spec.tasks[*].minAvailable`
  std::string_view upstream;     ///< the original's text, with `<…>` for what is put in; empty for lint
  std::string_view explanation;  ///< in plain words, one or two sentences
  std::string_view fix;
};

/// All rules, sorted by id.
[[nodiscard]] std::span<const Rule> rules() noexcept;
/// The rule of that id, or nullptr.
[[nodiscard]] const Rule* find_rule(std::string_view id) noexcept;

}  // namespace pumice::admission
