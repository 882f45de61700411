// The way of a text: characters → precheck → yaml-cpp, document by document → repaired events → tree.

#include <algorithm>
#include <utility>

#include "compose.h"
#include "pumice/yaml.h"
#include "yaml/characters.h"
#include "yaml/decode.h"
#include "yaml/events.h"
#include "yaml/line_table.h"
#include "yaml/precheck.h"

namespace pumice {
namespace yaml {
namespace {

/// Gives the events of the documents, in turn, what the precheck knows about the values, texts and ends above all.
class EventRepair {
 public:
  EventRepair(std::string_view text, Precheck& checked) : text_(text), checked_(checked) {}

  /// Makes offsets absolute, adds texts and ends. False if the two passes saw different values: then nothing can
  /// be said about this document without the risk of being wrong. `failed_at` is the place.
  bool apply(std::vector<Event>& events, const DocumentSpan& span, std::size_t& failed_at) {
    for (Event& event : events) event.end = event.begin += span.begin;
    for (std::size_t i = 0; i < events.size(); ++i) {
      Event& event = events[i];
      switch (event.kind) {
        case Event::Kind::Scalar:
        case Event::Kind::Alias:
          if (stands_for_nothing(events, i)) {
            event.absent = true;
          } else if (!take_leaf(event)) {
            failed_at = event.begin;
            return false;
          }
          break;
        case Event::Kind::ListStart:
        case Event::Kind::MapStart: take_flow(event); break;
        case Event::Kind::ListEnd:
        case Event::Kind::MapEnd: break;
      }
    }
    const bool all_seen = next_leaf_ == checked_.leaves.size() || checked_.leaves[next_leaf_].begin >= span.end;
    if (!all_seen) failed_at = checked_.leaves[next_leaf_].begin;
    return all_seen;
  }

 private:
  bool is_next_leaf(const Event& event) const {
    if (next_leaf_ == checked_.leaves.size()) return false;
    const Leaf& leaf = checked_.leaves[next_leaf_];
    return event.begin == leaf.begin || event.begin == leaf.node_begin || event.begin == leaf.line_begin;
  }

  /// yaml-cpp reports an absent value at the place of the next token. That may be a scalar of its own, which a later
  /// event then stands for.
  bool stands_for_nothing(const std::vector<Event>& events, std::size_t at) const {
    const Event& event = events[at];
    if (event.kind != Event::Kind::Scalar || !event.text.empty()) return false;
    if (!is_next_leaf(event)) return true;
    const auto is_value = [](const Event& e) {
      return e.kind != Event::Kind::ListEnd && e.kind != Event::Kind::MapEnd;
    };
    const auto next = std::find_if(events.begin() + static_cast<std::ptrdiff_t>(at) + 1, events.end(), is_value);
    return next != events.end() && is_next_leaf(*next);
  }

  bool take_leaf(Event& event) {
    if (!is_next_leaf(event)) return false;
    Leaf& leaf = checked_.leaves[next_leaf_++];
    event.end = leaf.end;
    event.text = std::move(leaf.text);
    event.untyped = text_[leaf.line_begin] == '!' && event.tag.empty();
    return true;
  }

  void take_flow(Event& event) {
    const auto& flows = checked_.flows;
    while (next_flow_ < flows.size() && flows[next_flow_].begin < event.begin) ++next_flow_;
    if (next_flow_ == flows.size()) return;
    const FlowSpan& flow = flows[next_flow_];
    if (flow.node_begin == event.begin || flow.begin == event.begin) event.end = flow.end;
  }

  std::string_view text_;
  Precheck& checked_;
  std::size_t next_leaf_ = 0;
  std::size_t next_flow_ = 0;
};

/// A document as yaml-cpp shall see it: with an end mark, so that the end of the text changes nothing about its last
/// value.
std::string document_text(const Precheck& checked, const DocumentSpan& span) {
  std::string text = checked.copy.substr(span.begin, span.end - span.begin);
  text += text.ends_with('\n') ? "...\n" : "\n...\n";
  return text;
}

/// Where the line around `offset` has what template languages use and YAML does not; npos if it has not.
std::size_t find_template_mark(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::size_t begin = text.substr(0, offset).find_last_of("\r\n") + 1;
  const std::size_t end = std::min(text.find_first_of("\r\n", offset), text.size());
  const std::size_t mark = text.substr(begin, end - begin).find("{{");
  return mark == std::string_view::npos ? mark : begin + mark;
}

class Parser {
 public:
  Parser(std::string_view text, const YamlOptions& options) : text_(text), options_(options), lines_(text) {}

  Result<std::vector<YamlDocument>> run() {
    std::vector<YamlDocument> documents;
    const bool is_read = read(documents);
    if (!is_read && diagnostics_.back().code == "InvalidYaml" && is_json()) return read_json();
    explain_templates();
    if (!is_read || has_errors(diagnostics_)) return {std::nullopt, std::move(diagnostics_)};
    if (documents.empty()) documents.emplace_back();
    return {std::move(documents), std::move(diagnostics_)};
  }

 private:
  bool read(std::vector<YamlDocument>& documents) {
    if (static_cast<std::int64_t>(text_.size()) > options_.limits.bytes_max) {
      return fail({0,
                   "LimitExceeded",
                   compose("the text has {} bytes, more than the {} allowed", text_.size(), options_.limits.bytes_max),
                   {}});
    }
    if (auto problem = find_bad_character(text_)) return fail(*problem);
    const bool json_escapes = text_.find('\\') != std::string_view::npos && is_json();
    Precheck checked = precheck(text_, options_.limits, options_.first_document_only, json_escapes);
    if (checked.problem) return fail(*checked.problem);
    EventRepair repair(text_, checked);
    DecodeTotals totals;
    for (const DocumentSpan& span : checked.documents) {
      EventList list = read_events(document_text(checked, span));
      if (list.problem) {
        list.problem->offset += span.begin;
        return fail(*list.problem);
      }
      std::size_t failed_at = 0;
      if (!repair.apply(list.events, span, failed_at)) {
        return fail({failed_at, "InvalidYaml", "it is not clear where this value ends", "put it in quotes"});
      }
      documents.push_back(decode_document(list.events, lines_, options_, totals, diagnostics_));
    }
    return true;
  }

  /// Kubernetes' tools take a file that is JSON as such. But for escapes and very long keys that makes no difference;
  /// and where the YAML reader alone is asked for, JSON is YAML and nothing else.
  bool is_json() const {
    if (options_.first_document_only) return false;
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text_[first] == '{' || text_[first] == '[') && Json::accept(text_);
  }

  /// JSON that is no YAML. Places are not known then.
  Result<std::vector<YamlDocument>> read_json() const {
    auto node = node_from_json(Json::parse(text_, nullptr, false), options_.limits);
    for (Diagnostic& diagnostic : node.diagnostics) diagnostic.file = options_.file;
    if (!node) return {std::nullopt, std::move(node.diagnostics)};
    std::vector<YamlDocument> documents;
    documents.push_back({*std::move(node.value)});
    return {std::move(documents), {}};
  }

  bool fail(const Problem& problem) {
    diagnostics_.push_back({.severity = Severity::Error,
                            .code = problem.code,
                            .file = options_.file,
                            .range = {lines_.at(problem.offset), {}},
                            .field = {},
                            .message = problem.message,
                            .hint = problem.hint});
    return false;
  }

  /// Most of what a template language puts into a text is an error of some kind for YAML; the cause is what matters.
  void explain_templates() {
    for (Diagnostic& diagnostic : diagnostics_) {
      if (diagnostic.code != "InvalidYaml") continue;
      const std::size_t mark = find_template_mark(text_, lines_.offset(diagnostic.range.begin));
      if (mark == std::string_view::npos) continue;
      diagnostic.range = {lines_.at(mark), {}};
      diagnostic.message = "`{{` looks like a template (Go, Helm), which is not YAML yet";
      diagnostic.hint = "render the template first, or put the value in quotes";
    }
  }

  std::string_view text_;
  const YamlOptions& options_;
  LineTable lines_;
  Diagnostics diagnostics_;
};

}  // namespace
}  // namespace yaml

Result<std::vector<YamlDocument>> parse_yaml(std::string_view text, const YamlOptions& options) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return yaml::Parser(text, options).run();
}

Result<Json> yaml_to_json(std::string_view text, const YamlLimits& limits) {
  YamlOptions options;
  options.limits = limits;
  options.duplicate_keys = Severity::Warning;
  options.first_document_only = true;
  auto documents = parse_yaml(text, options);
  if (!documents) return Result<Json>::failure(std::move(documents.diagnostics));
  return Result<Json>::success(to_json(documents.value->front().root), std::move(documents.diagnostics));
}

}  // namespace pumice
