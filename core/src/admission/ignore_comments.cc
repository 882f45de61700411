#include "pumice/admission/ignore_comments.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "admission/rule_table.h"
#include "admission/words.h"
#include "compose.h"
#include "pumice/admission/lint_config.h"
#include "pumice/field_reader.h"
#include "pumice/model/reader.h"

namespace pumice::admission {
namespace {

constexpr std::string_view kMark = "pumice:";
constexpr std::string_view kVerb = "ignore";

bool is_before(Position a, Position b) { return a.line != b.line ? a.line < b.line : a.column < b.column; }

/// The texts of a document.
void list_texts(const YamlNode& node, std::vector<Range>& out) {
  if (node.key_range.begin.known()) out.push_back(node.key_range);
  if (node.kind == YamlNode::Kind::String) out.push_back(node.range);
  for (const YamlNode& child : node.children) list_texts(child, out);
}

/// `texts` are sorted, and none contains another.
bool is_inside(Position place, const std::vector<Range>& texts) {
  const auto behind = std::upper_bound(texts.begin(), texts.end(), place,
                                       [](Position at, const Range& range) { return is_before(at, range.begin); });
  return behind != texts.begin() && is_before(place, std::prev(behind)->end);
}

/// What follows `# pumice: ignore`, if that is what `line` has from `hash` on.
std::optional<std::string_view> rules_behind(std::string_view line, std::size_t hash) {
  std::string_view rest = line.substr(hash + 1);
  for (const std::string_view word : {kMark, kVerb}) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.starts_with(word)) return std::nullopt;
    rest.remove_prefix(word.size());
  }
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  // A second `#` begins a remark.
  return rest.substr(0, rest.find('#'));
}

Diagnostic warning(std::string_view file, Position place, std::string message, std::string hint) {
  Diagnostic finding;
  finding.severity = Severity::Warning;
  finding.code = "UnknownRule";
  finding.file = file;
  finding.range.begin = place;
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  return finding;
}

void check_rules(IgnoreComments& out, const std::vector<std::string>& rules, std::string_view file, Position place) {
  if (rules.empty()) {
    out.diagnostics.push_back(warning(file, place, "this comment names no rule", "# pumice: ignore volcano.lint"));
  }
  for (const std::string& name : rules) {
    if (std::any_of(std::begin(kRules), std::end(kRules),
                    [&](const Rule& rule) { return is_rule_or_front(name, rule.id); })) {
      continue;
    }
    std::vector<std::string_view> known;
    for (const Rule& rule : kRules) known.push_back(rule.id);
    const std::string_view meant = nearest_name(name, known);
    out.diagnostics.push_back(warning(file, place, compose("there is no rule `{}`", name),
                                      meant.empty() ? std::string() : compose("did you mean `{}`?", meant)));
  }
}

}  // namespace

IgnoreComments ignore_comments(std::string_view text, const std::vector<YamlDocument>& documents,
                               std::string_view file) {
  IgnoreComments out;
  if (text.find(kMark) == std::string_view::npos) return out;
  std::vector<Range> texts;
  for (const YamlDocument& document : documents) list_texts(document.root, texts);
  // Aliases repeat what stands before them.
  std::sort(texts.begin(), texts.end(), [](const Range& a, const Range& b) { return is_before(a.begin, b.begin); });
  std::vector<std::size_t> waiting;  // comments on lines of their own
  std::int32_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    const bool is_alone = line[first] == '#';
    for (std::size_t hash = line.find('#'); hash != std::string_view::npos; hash = line.find('#', hash + 1)) {
      if (hash > 0 && line[hash - 1] != ' ' && line[hash - 1] != '\t') continue;
      const Position place{number, static_cast<std::int32_t>(hash) + 1};
      const auto rules = rules_behind(line, hash);
      if (!rules || is_inside(place, texts)) continue;
      out.comments.push_back({number, words_of(*rules)});
      check_rules(out, out.comments.back().rules, file, place);
      if (is_alone) waiting.push_back(out.comments.size() - 1);
      break;
    }
    if (is_alone) continue;
    for (const std::size_t one : waiting) out.comments[one].line = number;
    waiting.clear();
  }
  return out;
}

void drop_commented(Diagnostics& findings, const YamlNode& object, const std::vector<IgnoreComment>& comments) {
  if (comments.empty()) return;
  std::erase_if(findings, [&](const Diagnostic& finding) {
    if (finding.severity == Severity::Error) return false;
    const YamlNode& node = node_of(object, finding.field);
    return std::any_of(comments.begin(), comments.end(), [&](const IgnoreComment& comment) {
      const bool is_here = comment.line == finding.range.begin.line || comment.line == node.range.begin.line ||
                           comment.line == node.key_range.begin.line;
      return is_here && std::any_of(comment.rules.begin(), comment.rules.end(),
                                    [&](const std::string& name) { return is_rule_or_front(name, finding.code); });
    });
  });
}

}  // namespace pumice::admission
