#include "events_input.h"

#include <algorithm>

#include "pumice/scenario/scenario.h"
#include "pumice/yaml.h"

namespace pumice::host {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A mark that some editors put in front of UTF-8; it says nothing.
std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// The place of an event in the line form: all of its words.
Range words_of(std::string_view line, std::int32_t number) {
  const std::string_view words = trimmed(line);
  const auto column = static_cast<std::int32_t>(words.data() - line.data()) + 1;
  return {{number, column}, {number, column + static_cast<std::int32_t>(words.size())}};
}

/// Calls `visit(line, number)` for each line.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (std::int32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// YAML begins with a list, a mapping, a key or a document mark; the line form with a word, or with `@`.
bool looks_like_yaml(std::string_view text) {
  std::optional<bool> answer;
  for_each_line(without_mark(text), [&](std::string_view line, std::int32_t) {
    line = trimmed(line);
    if (answer || line.empty() || line.front() == '#') return;
    const std::size_t word = line.find_first_of(" \t");
    const std::string_view first = line.substr(0, word);
    const bool is_key = first.size() > 1 && first.back() == ':' && first.front() != '@';
    answer =
        is_key || first == "-" || first == "---" || line.front() == '[' || line.front() == '{' || line.front() == '%';
  });
  return answer.value_or(false);
}

Result<std::vector<PlacedEvent>> finished(std::vector<PlacedEvent> events, Diagnostics diagnostics) {
  if (has_errors(diagnostics)) return Result<std::vector<PlacedEvent>>::failure(std::move(diagnostics));
  return Result<std::vector<PlacedEvent>>::success(std::move(events), std::move(diagnostics));
}

Result<std::vector<PlacedEvent>> read_lines(const SourceText& source) {
  std::vector<PlacedEvent> events;
  Diagnostics diagnostics;
  for_each_line(without_mark(source.text), [&](std::string_view line, std::int32_t number) {
    const std::string_view words = trimmed(line);
    if (words.empty() || words.front() == '#') return;
    Result<UserEvent> event = parse_event(line);
    for (Diagnostic& finding : event.diagnostics) {
      finding.file = source.file;
      finding.range.begin.line = number;
      diagnostics.push_back(std::move(finding));
    }
    if (event) events.push_back({std::move(*event.value), source.file, words_of(line, number)});
  });
  return finished(std::move(events), std::move(diagnostics));
}

void read_node(const YamlNode& node, const std::string& file, const std::string& path, std::vector<PlacedEvent>& events,
               Diagnostics& diagnostics) {
  Result<UserEvent> event = scenario::read_event(node, file, path);
  for (Diagnostic& finding : event.diagnostics) diagnostics.push_back(std::move(finding));
  if (event) events.push_back({std::move(*event.value), file, node.range});
}

Result<std::vector<PlacedEvent>> read_yaml(const SourceText& source) {
  auto documents = parse_yaml(source.text, {.file = source.file});
  Diagnostics diagnostics = std::move(documents.diagnostics);
  std::vector<PlacedEvent> events;
  if (!documents) return finished(std::move(events), std::move(diagnostics));
  const auto report = [&](Severity severity, Range range, std::string message, std::string hint) {
    diagnostics.push_back({severity, "InvalidEvents", source.file, range, "", std::move(message), std::move(hint)});
  };
  for (const YamlDocument& document : *documents.value) {
    const YamlNode& root = document.root;
    if (root.is_null()) continue;
    const YamlNode* list = root.is_map() ? root.find("events") : &root;
    const std::string path = root.is_map() ? "events" : "";
    if (list == nullptr || !list->is_list()) {
      report(Severity::Error, list == nullptr ? root.range : list->range,
             list == nullptr ? "the document has no `events`"
                             : "the events must be a list, this is a " + std::string(to_string(list->kind)),
             "write `- {pod: w-0, phase: Running}`, one line for each event");
      continue;
    }
    for (const YamlNode& member : root.is_map() ? root.children : std::vector<YamlNode>{}) {
      if (member.key != "events" && member.key != "apiVersion" && member.key != "kind" && member.key != "metadata") {
        report(Severity::Note, member.key_range, "`" + member.key + "` is not used: only `events` is read here", "");
      }
    }
    for (std::size_t i = 0; i < list->children.size(); ++i) {
      read_node(list->children[i], source.file, path + "[" + std::to_string(i) + "]", events, diagnostics);
    }
  }
  return finished(std::move(events), std::move(diagnostics));
}

}  // namespace

Result<std::vector<PlacedEvent>> read_events(const SourceText& source) {
  if (const auto encoding = foreign_encoding(source.text)) {
    return Result<std::vector<PlacedEvent>>::failure({{.code = "InvalidEvents",
                                                       .file = source.file,
                                                       .range = {{1, 1}, {}},
                                                       .message = "the text is " + std::string(*encoding),
                                                       .hint = "save it as UTF-8"}});
  }
  return looks_like_yaml(source.text) ? read_yaml(source) : read_lines(source);
}

Result<PlacedEvent> read_event_argument(const SourceText& source) {
  if (!trimmed(source.text).starts_with('{')) {
    Result<UserEvent> event = parse_event(source.text);
    for (Diagnostic& finding : event.diagnostics) finding.file = source.file;
    if (!event) return Result<PlacedEvent>::failure(std::move(event.diagnostics));
    return Result<PlacedEvent>::success({std::move(*event.value), source.file, words_of(source.text, 1)},
                                        std::move(event.diagnostics));
  }
  auto documents = parse_yaml(source.text, {.file = source.file});
  if (!documents) return Result<PlacedEvent>::failure(std::move(documents.diagnostics));
  std::vector<PlacedEvent> events;
  Diagnostics diagnostics = std::move(documents.diagnostics);
  read_node(documents.value->front().root, source.file, "", events, diagnostics);
  if (events.empty()) return Result<PlacedEvent>::failure(std::move(diagnostics));
  return Result<PlacedEvent>::success(std::move(events.front()), std::move(diagnostics));
}

}  // namespace pumice::host
