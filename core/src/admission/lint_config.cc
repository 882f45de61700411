#include "pumice/admission/lint_config.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "admission/rule_table.h"
#include "compose.h"
#include "pumice/field_reader.h"
#include "pumice/yaml.h"

namespace pumice::admission {
namespace {

struct ActionName {
  const char* name;
  LintAction action;
};
constexpr ActionName kActions[] = {
    {"deny", LintAction::Deny}, {"warn", LintAction::Warn}, {"note", LintAction::Note}, {"ignore", LintAction::Ignore}};

constexpr std::string_view kApiVersion = "pumice.dev/v1";
constexpr std::string_view kKind = "LintConfig";

void check_header(FieldReader& root) {
  const auto expect = [&](std::string_view name, std::string_view wanted) {
    const auto given = root.string(name);
    if (given == wanted) return;
    root.report_at(name, Severity::Error, "InvalidField",
                   given ? compose("`{}` must be `{}`, is `{}`", name, wanted, *given)
                         : compose("`{}: {}` is missing", name, wanted));
  };
  expect("apiVersion", kApiVersion);
  expect("kind", kKind);
}

/// Why a name cannot stand in a configuration: it fits no rule, or only such as clusters have.
bool check_rule(FieldReader& item, const std::string& name) {
  bool is_known = false;
  for (const Rule& rule : kRules) {
    if (!is_rule_or_front(name, rule.id)) continue;
    is_known = true;
    if (rule.severity != Severity::Error) return true;
  }
  if (is_known) {
    item.report(Severity::Error, "RuleOfCluster", compose("`{}` is refused by the cluster itself", name),
                "only warnings and notes can be configured");
    return false;
  }
  std::vector<std::string_view> known;
  for (const Rule& rule : kRules) known.push_back(rule.id);
  const std::string_view meant = nearest_name(name, known);
  item.report(Severity::Error, "UnknownRule", compose("there is no rule `{}`", name),
              meant.empty() ? "`pumice validate --explain all` lists them" : compose("did you mean `{}`?", meant));
  return false;
}

}  // namespace

bool is_rule_or_front(std::string_view name, std::string_view rule) noexcept {
  return rule.starts_with(name) && (rule.size() == name.size() || (!name.empty() && rule[name.size()] == '.'));
}

class LintConfig::Reader {
 public:
  /// The lists of one scope. A rule that stands in two of them is an error: nobody could tell which one is meant.
  static Scope scope(FieldReader& from) {
    Scope out;
    std::set<std::string> seen;
    for (const ActionName& one : kActions) {
      for (FieldReader& item : from.list(one.name)) {
        const auto name = item.as_string();
        if (!name || !check_rule(item, *name)) continue;
        if (!seen.insert(*name).second) {
          item.report(Severity::Error, "DuplicateRule", compose("`{}` is named twice here", *name));
          continue;
        }
        out.entries.push_back({*name, one.action});
      }
    }
    return out;
  }

  static LintConfig config(FieldReader& root) {
    LintConfig out;
    check_header(root);
    out.scopes_.push_back(scope(root));
    for (FieldReader& item : root.list("namespaces")) {
      std::vector<std::string> names;
      for (FieldReader& name : item.list("names")) {
        const auto text = name.as_string();
        if (!text) continue;
        if (const std::size_t star = text->find('*'); text->empty() || (star < text->size() - 1)) {
          name.report(Severity::Error, "InvalidField", compose("`{}` is no namespace", *text),
                      "`*` may stand at the end: `dev-*`");
          continue;
        }
        names.push_back(*text);
      }
      if (names.empty()) {
        item.report_at("names", Severity::Error, "InvalidField", "an entry for namespaces names none of them",
                       "names: [dev, sandbox-*]");
      }
      Scope one = scope(item);
      one.names = std::move(names);
      out.scopes_.push_back(std::move(one));
      item.finish();
    }
    root.finish();
    return out;
  }
};

bool LintConfig::Scope::covers(std::string_view ns) const noexcept {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](std::string_view name) {
           return name.ends_with('*') ? ns.starts_with(name.substr(0, name.size() - 1)) : ns == name;
         });
}

const LintConfig::Entry* LintConfig::Scope::find(std::string_view rule) const noexcept {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (!is_rule_or_front(entry.rule, rule)) continue;
    if (best == nullptr || entry.rule.size() > best->rule.size()) best = &entry;
  }
  return best;
}

std::optional<LintAction> LintConfig::action_for(std::string_view rule, std::string_view ns) const noexcept {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (!scope->covers(ns)) continue;
    if (const Entry* entry = scope->find(rule)) return entry->action;
  }
  return std::nullopt;
}

Result<LintConfig> parse_lint_config(std::string_view text, std::string_view file) {
  Result<std::vector<YamlDocument>> parsed = parse_yaml(text, {.limits = {}, .file = std::string(file)});
  if (!parsed) return Result<LintConfig>::failure(std::move(parsed.diagnostics));
  FieldContext context{.file = std::string(file)};
  if (parsed.value->size() != 1) {
    context.add({.code = "InvalidField", .file = std::string(file), .message = "a configuration is one document"});
    return Result<LintConfig>::failure(std::move(context.diagnostics));
  }
  FieldReader root(parsed.value->front().root, context);
  LintConfig config = LintConfig::Reader::config(root);
  // A word that is misspelt must not leave a rule as it was without a sound.
  for (Diagnostic& finding : context.diagnostics) finding.severity = Severity::Error;
  if (!context.diagnostics.empty()) return Result<LintConfig>::failure(std::move(context.diagnostics));
  return Result<LintConfig>::success(std::move(config));
}

}  // namespace pumice::admission
