// Scenario and Suite from documents.
#include "scenario/read.h"

#include <algorithm>

#include "compose.h"
#include "pumice/version.h"
#include "scenario/words.h"

namespace pumice::scenario {
namespace {

constexpr std::size_t kNameBytesMax = 253;

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "`" : ", `") + std::string(word) + "`";
  return text;
}

/// Letters, digits and what stands between them in names of zones.
bool looks_like_zone(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '/';
  });
}

/// A path that stays below the folder of the document.
std::string path_problem(std::string_view path) {
  if (path.empty()) return "a path must not be empty";
  if (path.front() == '/') return "a path is relative to the document";
  if (path.find('\\') != std::string_view::npos) return "folders are divided by `/`";
  if (path.find('\0') != std::string_view::npos) return "is no path";
  return {};
}

void read_metadata(FieldReader& document, std::string& name, std::string& title,
                   std::map<std::string, std::string>* annotations) {
  auto metadata = document.object("metadata");
  if (!metadata) return;
  name = metadata->string("name").value_or("");
  if (name.size() > kNameBytesMax) wrong(*metadata, "name", compose("is longer than {} bytes", kNameBytesMax));
  title = metadata->string("title").value_or("");
  if (annotations != nullptr) *annotations = metadata->string_map("annotations");
  refuse_unknown(*metadata);
}

/// The parts of a scenario.
class ScenarioReader {
 public:
  ScenarioReader(FieldReader& in, std::string_view text) : in_(in), text_(text) {}

  Scenario run() {
    out_.place = place_of(in_);
    read_metadata(in_, out_.name, out_.title, &out_.annotations);
    profiles();
    clock();
    options();
    objects();
    events();
    out_.expect = read_expectations(in_, static_cast<std::int64_t>(out_.events.size()) + unread_events_, out_.start);
    return std::move(out_);
  }

 private:
  void profile(FieldReader& reader, const std::string& name) {
    std::vector<std::string_view> known;
    for (const ProfileInfo& profile : pumice::profiles()) known.push_back(profile.name);
    for (const ProfileInfo& other : cronjob_profiles()) {
      if (other.name != name) continue;
      wrong(reader, "", compose("controllers of the profile `{}` take no part in scenarios", name),
            "`pumice cron simulate` tells what becomes of a CronJob");
      return;
    }
    if (is_word_of(reader, name, "profile", known)) out_.profiles.push_back(name);
  }

  void profiles() {
    const YamlNode* given = in_.node().find("profile");
    if (in_.has("profile")) {
      out_.profiles.clear();
      if (given->is_list()) {
        for (FieldReader& item : read_list(in_, "profile", 10))
          if (const auto name = item.as_string()) profile(item, *name);
        if (given->children.empty()) wrong(in_, "profile", "the list is empty", "leave it out for `volcano`");
      } else if (const auto name = in_.string("profile")) {
        FieldReader item(*given, in_.context(), field_path(in_.path(), "profile"));
        profile(item, *name);
      }
    }
    std::vector<std::string_view> known;
    for (const std::string& name : out_.profiles)
      for (const std::string_view quirk : known_quirks(name)) known.push_back(quirk);
    for (FieldReader& item : read_list(in_, "quirksOff", 200)) {
      const auto name = item.as_string();
      if (name && is_word_of(item, *name, "quirk", known)) out_.quirks_off.push_back(*name);
    }
  }

  void clock() {
    auto clock = in_.object("clock");
    if (!clock) return;
    out_.start = read_time(*clock, "start").value_or(out_.start);
    out_.zone = clock->string("zone").value_or("");
    if (clock->has("zone") && !looks_like_zone(out_.zone))
      wrong(*clock, "zone", in_backticks(out_.zone) + " is no name of a time zone", "write `Europe/Berlin`");
    refuse_unknown(*clock);
  }

  Duration timing(FieldReader& reader, std::string_view name, Duration otherwise) {
    const auto given = read_duration(reader, name);
    if (given && given->ns < 0) wrong(reader, name, "must not be negative: time does not run backwards");
    return given.value_or(otherwise);
  }

  void options() {
    if (const auto word = read_word(in_, "automation", "automation", {"manual", "assist", "auto"}))
      out_.automation = automation_from(*word).value_or(out_.automation);
    if (const auto word = read_word(in_, "pace", "pace", {to_string(Pace::Calm), to_string(Pace::Immediate)}))
      out_.pace = *word == to_string(Pace::Calm) ? Pace::Calm : Pace::Immediate;
    if (auto timings = in_.object("timings")) {
      out_.timings.admit = timing(*timings, "admit", out_.timings.admit);
      out_.timings.start = timing(*timings, "start", out_.timings.start);
      out_.timings.remove = timing(*timings, "remove", out_.timings.remove);
      out_.timings.run = timing(*timings, "run", out_.timings.run);
      refuse_unknown(*timings);
    }
    if (auto made = in_.object("made")) {
      out_.made.pumice = made->string("pumice").value_or("");
      out_.made.tzdata = made->string("tzdata").value_or("");
      refuse_unknown(*made);
    }
  }

  /// Line `number` of the document's text, without its end.
  [[nodiscard]] std::string_view line(std::int32_t number) const {
    std::string_view rest = text_;
    for (std::int32_t at = 1; at < number && !rest.empty(); ++at)
      rest.remove_prefix(
          std::min(rest.size(), rest.find('\n') == std::string_view::npos ? rest.size() : rest.find('\n') + 1));
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
  }

  /// Lines of a literal text stand in the document as they are, but for the blanks in front of them. Of other forms
  /// only the beginning is known.
  void find_origin(const YamlNode& node) {
    const Position begin = node.range.begin;
    if (!begin.known() || text_.empty()) return;
    const std::string_view head = line(begin.line);
    const auto column = static_cast<std::size_t>(begin.column - 1);
    if (column >= head.size() || head[column] != '|') return;
    std::int32_t number = begin.line;
    std::string_view rest = out_.objects;
    while (!rest.empty()) {
      ++number;
      const std::string_view wanted = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), wanted.size() + 1));
      if (wanted.empty()) continue;
      const std::string_view is = line(number);
      if (is.size() < wanted.size() || !is.ends_with(wanted)) return;
      out_.objects_origin = {begin.line, static_cast<std::int32_t>(is.size() - wanted.size())};
      out_.objects_in_place = true;
      return;
    }
  }

  void objects() {
    out_.objects = in_.string("objects").value_or("");
    if (const YamlNode* node = in_.node().find("objects"); node != nullptr) {
      out_.objects_place = {in_.context().file, node->range, field_path(in_.path(), "objects")};
      if (static_cast<std::int64_t>(out_.objects.size()) > kObjectsBytesMax)
        in_.report_at("objects", Severity::Error, "LimitExceeded",
                      compose("has {} bytes, more than the {} allowed", out_.objects.size(), kObjectsBytesMax));
      find_origin(*node);
    }
    for (FieldReader& item : read_list(in_, "objectFiles", 100)) {
      const std::string path = item.as_string().value_or("");
      if (std::string problem = path_problem(path); !problem.empty()) {
        wrong(item, "", std::move(problem));
        continue;
      }
      out_.object_files.push_back(path);
      out_.object_file_places.push_back(place_of(item));
    }
    if (!in_.has("objects") && !in_.has("objectFiles"))
      in_.report(Severity::Error, std::string(kInvalidScenario), "there are no objects",
                 "put manifests under `objects: |`");
  }

  void events() {
    for (FieldReader& item : read_list(in_, "events", kEventsMax)) {
      Result<UserEvent> event = read_event(item.node(), in_.context().file, item.path());
      for (Diagnostic& finding : event.diagnostics) in_.context().add(std::move(finding));
      if (event) {
        out_.events.push_back({std::move(*event.value), place_of(item)});
      } else {
        ++unread_events_;
      }
    }
  }

  FieldReader& in_;
  std::string_view text_;
  Scenario out_;
  std::int64_t unread_events_ = 0;
};

Suite read_suite(FieldReader& in) {
  Suite suite;
  suite.place = place_of(in);
  read_metadata(in, suite.name, suite.title, nullptr);
  for (FieldReader& item : read_list(in, "tests", kTestsMax)) {
    SuiteTest test;
    test.name = item.string("name").value_or("");
    for (FieldReader& entry : read_list(item, "cases", kTestsMax)) {
      SuiteCase one;
      one.place = place_of(entry);
      one.name = entry.string("name").value_or("");
      one.scenario = entry.string("scenario").value_or("");
      const YamlNode* path = entry.node().find("scenario");
      one.scenario_place = {in.context().file, path == nullptr ? entry.range() : path->range,
                            field_path(entry.path(), "scenario")};
      if (std::string problem = path_problem(one.scenario); !problem.empty())
        wrong(entry, "scenario", std::move(problem), "name the file of a scenario");
      one.expect = read_expectations(entry, std::nullopt, std::nullopt);
      refuse_unknown(entry);
      test.cases.push_back(std::move(one));
    }
    if (item.node().is_map() && test.cases.empty()) wrong(item, "cases", "a test has at least one case");
    refuse_unknown(item);
    suite.tests.push_back(std::move(test));
  }
  if (suite.tests.empty()) wrong(in, "tests", "a suite has at least one test");
  return suite;
}

/// True if the version is one that this release reads; else that is reported.
bool check_version(FieldReader& in) {
  const auto version = in.string("apiVersion");
  if (version && *version == kApiVersion) return true;
  const std::string hint = compose("this release reads `{}`", kApiVersion);
  if (!version) {
    in.report(Severity::Error, std::string(kInvalidScenario), "`apiVersion` is missing", hint);
  } else if (version->starts_with("pumice.dev/v")) {
    in.report_at("apiVersion", Severity::Error, "NewerVersion",
                 in_backticks(*version) + " is the form of a newer release", hint);
  } else {
    in.report_at("apiVersion", Severity::Error, std::string(kInvalidScenario), in_backticks(*version) + " is not known",
                 hint);
  }
  return false;
}

}  // namespace

namespace {

bool is_mark(std::string_view line, std::string_view mark) {
  return line.starts_with(mark) && (line.size() == 3 || line[3] == ' ' || line[3] == '\t');
}

/// The documents of `objects`, each with as many empty lines in front and as many blanks at the left as there are in
/// the file: so every place in them is a place of the file. Empty if that would be too much, or if directives stand in
/// between, which belong to the left edge.
std::vector<SourceText> texts_in_place(const Scenario& scenario) {
  constexpr std::size_t kBytesMax = 8 * 1024 * 1024;
  std::vector<SourceText> texts;
  const std::string indent(static_cast<std::size_t>(scenario.objects_origin.column), ' ');
  std::string lines(static_cast<std::size_t>(scenario.objects_origin.line), '\n');
  std::string text = lines;
  std::size_t bytes = 0;
  const auto finish = [&] {
    if (text.size() == lines.size()) return;
    bytes += text.size();
    texts.push_back({scenario.place.file, text});
  };
  for (std::string_view rest = scenario.objects; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with('%')) return {};
    const bool begins = is_mark(line, "---");
    if (begins || is_mark(line, "...")) {
      finish();
      if (bytes > kBytesMax) return {};
      text = lines;
    }
    if (begins && line.size() > 3) {
      text += indent + "   " + std::string(line.substr(3));
    } else if (!line.empty() && !begins && !is_mark(line, "...")) {
      text += indent + std::string(line);
    }
    lines += '\n';
    text += '\n';
  }
  finish();
  return texts;
}

}  // namespace

Place place_of(const FieldReader& reader) { return {reader.context().file, reader.range(), reader.path()}; }

void refuse_unknown(FieldReader& reader) {
  Diagnostics& diagnostics = reader.context().diagnostics;
  const std::size_t known = diagnostics.size();
  reader.finish();
  for (std::size_t i = known; i < diagnostics.size(); ++i) {
    if (diagnostics[i].code != "UnknownField") continue;
    diagnostics[i].severity = Severity::Error;
    const std::size_t dot = diagnostics[i].message.rfind(" is ignored");
    if (dot != std::string::npos) diagnostics[i].message.resize(dot);
  }
}

void wrong(FieldReader& reader, std::string_view member, std::string message, std::string hint) {
  if (member.empty()) {
    reader.report(Severity::Error, std::string(kInvalidScenario), std::move(message), std::move(hint));
  } else {
    reader.report_at(member, Severity::Error, std::string(kInvalidScenario), std::move(message), std::move(hint));
  }
}

bool is_word_of(FieldReader& reader, const std::string& word, std::string_view what,
                const std::vector<std::string_view>& known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return true;
  const std::string_view meant = nearest_name(word, known);
  std::string hint = meant.empty() ? std::string() : compose("did you mean `{}`?", meant);
  if (hint.empty() && !known.empty()) hint = "known are " + joined(known);
  wrong(reader, "", in_backticks(word) + " is no " + std::string(what), std::move(hint));
  return false;
}

std::optional<std::string> read_word(FieldReader& reader, std::string_view member, std::string_view what,
                                     const std::vector<std::string_view>& known) {
  const auto word = reader.string(member);
  if (!word) return std::nullopt;
  FieldReader value(*reader.node().find(member), reader.context(), field_path(reader.path(), member));
  return is_word_of(value, *word, what, known) ? word : std::nullopt;
}

std::vector<FieldReader> read_list(FieldReader& reader, std::string_view member, std::int64_t most) {
  std::vector<FieldReader> list = reader.list(member);
  if (static_cast<std::int64_t>(list.size()) <= most) return list;
  reader.report_at(member, Severity::Error, "LimitExceeded",
                   compose("has {} items, more than the {} allowed", list.size(), most));
  return {};
}

Result<UserEvent> read_event(const YamlNode& node, std::string_view file, const std::string& field) {
  Result<UserEvent> event = node.kind == YamlNode::Kind::String ? parse_event(node.scalar.get_ref<const std::string&>())
                                                                : pumice::read_event(to_json(node));
  for (Diagnostic& finding : event.diagnostics) {
    const YamlNode* member = finding.field.empty() ? nullptr : node.find(finding.field);
    finding.file = file;
    finding.range = member != nullptr ? member->key_range : node.range;
    finding.field = field + (finding.field.empty() || field.empty() ? "" : ".") + finding.field;
  }
  return event;
}

bool is_ours(const YamlNode& root) {
  const auto text = [&root](std::string_view name) -> std::string_view {
    const YamlNode* node = root.find(name);
    return node != nullptr && node->kind == YamlNode::Kind::String ? node->scalar.get_ref<const std::string&>()
                                                                   : std::string_view();
  };
  if (text("apiVersion").starts_with("pumice.dev")) return true;
  return text("apiVersion").empty() && (text("kind") == "Scenario" || text("kind") == "Suite");
}

Result<Document> read_document(const YamlNode& root, std::string_view file, std::string_view text) {
  FieldContext context{.file = std::string(file)};
  FieldReader in(root, context);
  std::optional<Document> document;
  if (!root.is_map()) {
    wrong(in, "", compose("a scenario is a map, this is a {}", to_string(root.kind)));
  } else if (check_version(in)) {
    const auto kind = in.string("kind");
    if (!kind) {
      wrong(in, "kind", "`kind` is missing", "write `kind: Scenario`");
    } else if (*kind == "Scenario") {
      document = ScenarioReader(in, text).run();
    } else if (*kind == "Suite") {
      document = read_suite(in);
    } else {
      (void)read_word(in, "kind", "kind of document", {"Scenario", "Suite"});
    }
    if (document) refuse_unknown(in);
  }
  if (context.dropped > 0)
    context.diagnostics.push_back({Severity::Note,
                                   "MoreFindings",
                                   context.file,
                                   {},
                                   "",
                                   compose("and {}", count_of(context.dropped, "more finding")),
                                   ""});
  if (has_errors(context.diagnostics)) return Result<Document>::failure(std::move(context.diagnostics));
  return Result<Document>::success(std::move(*document), std::move(context.diagnostics));
}

Result<std::vector<Document>> read_documents(std::string_view text, std::string_view file, std::int64_t* others) {
  auto parsed = parse_yaml(text, {.limits = {}, .file = std::string(file)});
  std::vector<Document> documents;
  Diagnostics diagnostics = std::move(parsed.diagnostics);
  if (!parsed) return Result<std::vector<Document>>::failure(std::move(diagnostics));
  for (const YamlDocument& document : *parsed.value) {
    if (document.root.is_null()) continue;
    if (!is_ours(document.root)) {
      if (others != nullptr) ++*others;
      continue;
    }
    auto read = read_document(document.root, file, text);
    diagnostics.insert(diagnostics.end(), std::make_move_iterator(read.diagnostics.begin()),
                       std::make_move_iterator(read.diagnostics.end()));
    if (read) documents.push_back(std::move(*read.value));
  }
  if (has_errors(diagnostics)) return Result<std::vector<Document>>::failure(std::move(diagnostics));
  return Result<std::vector<Document>>::success(std::move(documents), std::move(diagnostics));
}

Result<std::vector<SourceText>> sources_of(const Scenario& scenario, const FileLoader& loader) {
  std::vector<SourceText> sources;
  Diagnostics diagnostics;
  if (!scenario.objects.empty() || scenario.object_files.empty()) {
    const std::string& file = scenario.place.file;
    if (scenario.objects_in_place) sources = texts_in_place(scenario);
    // Text that does not stand in the document line by line is a text of its own.
    if (sources.empty()) sources.push_back({file.empty() ? "objects" : file + " (objects)", scenario.objects});
  }
  for (std::size_t i = 0; i < scenario.object_files.size(); ++i) {
    const Place place = i < scenario.object_file_places.size() ? scenario.object_file_places[i] : Place{};
    if (!loader) {
      diagnostics.push_back({Severity::Error, "NoFiles", place.file, place.range, place.field,
                             in_backticks(scenario.object_files[i]) + " cannot be read here: there are no files",
                             "put the manifests under `objects: |`"});
      continue;
    }
    auto loaded = loader(scenario.object_files[i]);
    for (Diagnostic& finding : loaded.diagnostics) {
      finding.message = in_backticks(scenario.object_files[i]) + " " + finding.message;
      finding.file = place.file;
      finding.range = place.range;
      finding.field = place.field;
      diagnostics.push_back(std::move(finding));
    }
    if (loaded) sources.push_back(std::move(*loaded.value));
  }
  if (has_errors(diagnostics)) return Result<std::vector<SourceText>>::failure(std::move(diagnostics));
  return Result<std::vector<SourceText>>::success(std::move(sources), std::move(diagnostics));
}

}  // namespace pumice::scenario
