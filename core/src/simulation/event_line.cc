// The line form of events: words divided by blanks. A word with unusual characters is written as a JSON string.
#include <utility>

#include "compose.h"
#include "pumice/field_reader.h"
#include "pumice/simulation/event.h"
#include "simulation/event_members.h"
#include "simulation/event_words.h"
#include "yaml/characters.h"

namespace pumice {
namespace {

using namespace simulation;

constexpr std::size_t kLineBytesMax = 4096;
constexpr const char* kOnePhase = "a pod has one phase, this is the second";

struct Word {
  std::string text;
  std::int32_t column = 0;  ///< counts from 1, in bytes
  std::size_t bare = 0;     ///< how many leading bytes stood outside quotes: only there `=` divides
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class LineReader {
 public:
  explicit LineReader(std::string_view line) : line_(line) {}

  Result<UserEvent> read();

 private:
  bool split();
  bool take_quoted(std::size_t& at, std::string& text);
  void error(std::int32_t column, std::string message, std::string hint = {});
  void error(const Word& word, std::string message, std::string hint = {}) {
    error(word.column, std::move(message), std::move(hint));
  }
  /// Of two words for the same thing neither can be the one that is meant.
  void once(const Word& word, bool said_before, std::string message) {
    if (said_before) error(word, std::move(message));
  }
  void too_many(std::size_t from) {
    if (words_.size() > from) error(words_[from], "`" + words_[from].text + "` is one word too many");
  }
  std::optional<Duration> duration(const Word& word, std::string_view text);
  std::optional<std::int32_t> number(const Word& word, std::string_view text);
  PodEvent pod();
  void pod_word(const Word& word, PodEvent& event);
  PodGroupEvent pod_group();
  CommandEvent command();
  AdvanceEvent advance();
  UntilEvent until();
  void mapped(UserEvent& event);

  std::string_view line_;
  std::vector<Word> words_;
  Diagnostics diagnostics_;
};

void LineReader::error(std::int32_t column, std::string message, std::string hint) {
  diagnostics_.push_back({.severity = Severity::Error,
                          .code = std::string(kInvalidEvent),
                          .range = {.begin = {.line = 1, .column = column}},
                          .message = std::move(message),
                          .hint = std::move(hint)});
}

/// Reads the JSON string that begins at `at`.
bool LineReader::take_quoted(std::size_t& at, std::string& text) {
  const std::size_t begin = at;
  for (++at; at < line_.size() && line_[at] != '"'; ++at) {
    if (line_[at] == '\\') ++at;
  }
  if (at >= line_.size()) {
    error(static_cast<std::int32_t>(begin) + 1, "the quote is not closed");
    return false;
  }
  ++at;
  const Json value = Json::parse(line_.substr(begin, at - begin), nullptr, false);
  if (!value.is_string()) {
    error(static_cast<std::int32_t>(begin) + 1, "this is not a string as JSON writes it");
    return false;
  }
  const auto& unquoted = value.get_ref<const std::string&>();
  if (const auto problem = yaml::find_bad_character(unquoted)) {
    error(static_cast<std::int32_t>(begin) + 1, problem->message);
    return false;
  }
  text += unquoted;
  return true;
}

bool LineReader::split() {
  std::size_t at = 0;
  while (at < line_.size()) {
    if (is_blank(line_[at])) {
      ++at;
      continue;
    }
    if (line_[at] == '#') break;
    Word word{.text = {}, .column = static_cast<std::int32_t>(at) + 1, .bare = 0};
    bool was_quoted = false;
    while (at < line_.size() && !is_blank(line_[at])) {
      if (line_[at] == '"') {
        was_quoted = true;
        if (!take_quoted(at, word.text)) return false;
        continue;
      }
      word.text += line_[at++];
      if (!was_quoted) word.bare = word.text.size();
    }
    words_.push_back(std::move(word));
  }
  return true;
}

std::optional<Duration> LineReader::duration(const Word& word, std::string_view text) {
  const auto value = parse_duration(text);
  if (!value) {
    error(word, compose("`{}` {}", text, duration_problem(text)), "write it as `90s`, `1m30s` or `2h`");
  } else if (value->ns < 0) {
    error(word, "the duration must not be negative: time does not run backwards");
    return std::nullopt;
  }
  return value;
}

std::optional<std::int32_t> LineReader::number(const Word& word, std::string_view text) {
  std::int64_t value = 0;
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  bool is_number = !digits.empty() && digits.size() <= 10;
  for (const char c : digits) {
    is_number = is_number && c >= '0' && c <= '9';
    if (is_number) value = value * 10 + (c - '0');
  }
  if (negative) value = -value;
  if (is_number && value >= INT32_MIN && value <= INT32_MAX) return static_cast<std::int32_t>(value);
  error(word, compose("`{}` is not a whole number of 32 bits", text));
  return std::nullopt;
}

void LineReader::pod_word(const Word& word, PodEvent& event) {
  static const std::vector<std::string_view> kKeys{"exit", "container", "restarts", "phase", "exitCode", "reason"};
  static const std::vector<std::string_view> kWords = [] {
    std::vector<std::string_view> all = pod_phase_words();
    for (const char* more : {"ready", "unready", "deleted", "evicted", "gone"}) all.emplace_back(more);
    return all;
  }();
  const std::string_view text = word.text;
  const std::size_t equals = text.substr(0, word.bare).find('=');
  if (equals != std::string_view::npos) {
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = text.substr(equals + 1);
    if (key == "exit" || key == "exitCode") {
      once(word, event.exit_code.has_value(), "an exit code is given already");
      event.exit_code = number(word, value);
      if (event.exit_code)
        if (std::string problem = exit_code_problem(*event.exit_code); !problem.empty())
          error(word, std::move(problem));
    } else if (key == "restarts") {
      once(word, event.restarts.has_value(), "`restarts` is given already");
      event.restarts = number(word, value);
    } else if (key == "container") {
      once(word, !event.container.empty(), "a container is named already");
      event.container = value;
      if (value.empty()) error(word, "the container's name is missing behind `container=`");
    } else if (key == "reason") {
      once(word, !event.reason.empty(), "a reason is given already");
      event.reason = value;
      if (value.empty()) error(word, "the reason is missing behind `reason=`");
    } else if (key == "phase") {
      once(word, event.phase.has_value(), kOnePhase);
      event.phase = pod_phase_word(value);
      if (!event.phase) {
        error(word, compose("`{}` is not a pod phase: {}", value, one_of(pod_phase_words())),
              did_you_mean(value, pod_phase_words()));
      }
    } else {
      error(word, compose("`{}=` is not known: {}", key, one_of(kKeys)), did_you_mean(key, kKeys));
    }
    return;
  }
  if (const auto phase = pod_phase_word(text)) {
    once(word, event.phase.has_value(), kOnePhase);
    event.phase = phase;
  } else if (text == "ready" || text == "unready") {
    once(word, event.ready.has_value(), "whether the pod is ready is said already");
    event.ready = text == "ready";
  } else if (text == "deleted" || text == "evicted" || text == "gone") {
    bool& flag = text == "deleted" ? event.deleted : text == "evicted" ? event.evicted : event.gone;
    once(word, flag, compose("`{}` is said already", text));
    flag = true;
  } else {
    error(word,
          compose("`{}` says nothing about a pod: {}, `exit=<code>`, `restarts=<count>` or `container=<name>`", text,
                  one_of(kWords)),
          did_you_mean(text, kWords));
  }
}

PodEvent LineReader::pod() {
  PodEvent event;
  if (words_.size() < 2) {
    error(words_[0], "the pod's name is missing",
          "for example `pod w-0 Failed exit=137`; `*` stands for any characters");
    return event;
  }
  event.pod = words_[1].text;
  if (event.pod.empty()) error(words_[1], "the pod's name is empty");
  for (std::size_t i = 2; i < words_.size(); ++i) pod_word(words_[i], event);
  if (diagnostics_.empty()) {
    if (std::string problem = contradiction(event); !problem.empty()) error(words_[1], std::move(problem));
  }
  return event;
}

PodGroupEvent LineReader::pod_group() {
  PodGroupEvent event;
  if (words_.size() < 2) {
    error(words_[0], "the phase is missing: " + one_of(pod_group_phase_words()),
          "for example `podgroup train Inqueue`");
    return event;
  }
  const std::size_t last = words_.size() == 2 ? 1 : 2;
  if (last == 2) event.job = words_[1].text;
  too_many(3);
  const auto phase = pod_group_phase_word(words_[last].text);
  if (!phase) {
    error(words_[last],
          compose("`{}` is not a phase of a PodGroup: {}", words_[last].text, one_of(pod_group_phase_words())),
          did_you_mean(words_[last].text, pod_group_phase_words()));
  }
  event.phase = phase.value_or(PodGroupPhase::None);
  return event;
}

CommandEvent LineReader::command() {
  CommandEvent event;
  if (words_.size() < 2) {
    error(words_[0], "the action is missing", "for example `command AbortJob train`");
    return event;
  }
  event.action = words_[1].text;
  if (const std::string hint = action_hint(event.action); !hint.empty()) {
    error(words_[1], unknown_action_text(event.action), hint);
    diagnostics_.back().severity = Severity::Warning;
  }
  if (words_.size() > 2) event.job = words_[2].text;
  too_many(3);
  return event;
}

AdvanceEvent LineReader::advance() {
  AdvanceEvent event;
  if (words_.size() < 2) {
    error(words_[0], "how far is missing: a duration, `next` or `nextTimer`", "for example `advance 30s`");
    return event;
  }
  const std::string_view word = words_[1].text;
  if (word == "next") {
    event.by = AdvanceEvent::By::Next;
  } else if (word == "nextTimer") {
    event.by = AdvanceEvent::By::NextTimer;
  } else {
    event.duration = duration(words_[1], word).value_or(Duration{});
  }
  too_many(2);
  return event;
}

UntilEvent LineReader::until() {
  if (words_.size() < 2) {
    error(words_[0], "what to wait for is missing: " + one_of(until_words()));
    return {};
  }
  const auto known = until_word(words_[1].text);
  if (!known) {
    error(words_[1], compose("`{}` is nothing to wait for: {}", words_[1].text, one_of(until_words())),
          did_you_mean(words_[1].text, until_words()));
  }
  UntilEvent event = known.value_or(UntilEvent{});
  if (words_.size() > 2) event.job = words_[2].text;
  too_many(3);
  return event;
}

/// The words become members, and the reader of mappings looks at them.
void LineReader::mapped(UserEvent& event) {
  LineMembers members;
  for (std::size_t i = 1; i < words_.size(); ++i) {
    const Word& word = words_[i];
    const std::size_t equals = std::string_view(word.text).substr(0, word.bare).find('=');
    const bool has_key = equals != std::string::npos;
    LineWord part{i, has_key ? word.text.substr(0, equals) : std::string(),
                  has_key ? word.text.substr(equals + 1) : word.text};
    members.words.push_back(std::move(part));
  }
  std::string problem = members.arrange(words_[0].text);
  if (!problem.empty()) {
    error(words_[members.place], std::move(problem), members.hint);
    return;
  }
  Result<UserEvent> read = read_event(members.object);
  for (Diagnostic& finding : read.diagnostics) {
    const Word& word = words_[members.place_of(finding.field)];
    finding.field.clear();
    finding.range = {.begin = {.line = 1, .column = word.column}, .end = {}};
    diagnostics_.push_back(std::move(finding));
  }
  if (read) event.what = std::move(read.value->what);
}

Result<UserEvent> LineReader::read() {
  static const std::vector<std::string_view> kKinds{"pod",    "podgroup", "command", "advance", "until",
                                                    "delete", "create",   "edit",    "queue",   "fault"};
  UserEvent event;
  if (line_.size() > kLineBytesMax) {
    error(1, compose("the line is longer than {} bytes", kLineBytesMax));
  } else if (const auto problem = yaml::find_bad_character(line_)) {
    error(static_cast<std::int32_t>(problem->offset) + 1, problem->message, problem->hint);
  } else if (split()) {
    if (!words_.empty() && words_[0].bare > 0 && words_[0].text[0] == '@') {
      event.at = duration(words_[0], std::string_view(words_[0].text).substr(1));
      words_.erase(words_.begin());
    }
    if (words_.empty()) {
      error(1, "the line holds no event", "for example `pod w-0 Running`");
    } else if (const std::string_view kind = words_[0].text; kind == "pod") {
      event.what = pod();
    } else if (kind == "podgroup" || kind == "podGroup" || kind == "pg") {
      event.what = pod_group();
    } else if (kind == "command" || kind == "cmd") {
      event.what = command();
    } else if (kind == "advance") {
      event.what = advance();
    } else if (kind == "until") {
      event.what = until();
    } else if (is_written_as_mapping(kind)) {
      mapped(event);
    } else {
      const bool advances = kind == "next" || kind == "nextTimer";
      error(words_[0], compose("`{}` is not a kind of event: {}", kind, one_of(kKinds)),
            advances ? compose("did you mean `advance {}`?", kind) : did_you_mean(kind, kKinds));
    }
  }
  if (has_errors(diagnostics_)) return Result<UserEvent>::failure(std::move(diagnostics_));
  return Result<UserEvent>::success(std::move(event), std::move(diagnostics_));
}

/// A word as it must be written to be read back as itself.
std::string quoted_if_needed(std::string_view word) {
  bool plain = !word.empty() && word.front() != '#' && word.front() != '@';
  for (const char c : word) {
    plain = plain && static_cast<unsigned char>(c) > ' ' && c != '"' && c != '\\';
  }
  return plain ? std::string(word) : to_text(std::string(word));
}

std::string line_of(const PodEvent& event) {
  std::string line = "pod " + quoted_if_needed(event.pod);
  if (event.phase) line += compose(" {}", to_string(*event.phase));
  if (event.exit_code) line += compose(" exit={}", *event.exit_code);
  if (!event.container.empty()) line += " container=" + quoted_if_needed(event.container);
  if (event.restarts) line += compose(" restarts={}", *event.restarts);
  if (event.ready) line += *event.ready ? " ready" : " unready";
  if (event.deleted) line += " deleted";
  if (event.evicted) line += " evicted";
  if (event.gone) line += " gone";
  if (!event.reason.empty()) line += " reason=" + quoted_if_needed(event.reason);
  return line;
}

std::string line_of(const PodGroupEvent& event) {
  std::string line = "podgroup ";
  if (!event.job.empty()) line += quoted_if_needed(event.job) + " ";
  return line + std::string(to_string(event.phase));
}

std::string line_of(const CommandEvent& event) {
  std::string line = "command " + quoted_if_needed(event.action);
  if (!event.job.empty()) line += " " + quoted_if_needed(event.job);
  return line;
}

std::string line_of(const AdvanceEvent& event) {
  switch (event.by) {
    case AdvanceEvent::By::Duration: return "advance " + to_string(event.duration);
    case AdvanceEvent::By::Next: return "advance next";
    case AdvanceEvent::By::NextTimer: return "advance nextTimer";
  }
  return {};
}

std::string line_of(const UntilEvent& event) {
  std::string line = "until ";
  line += word_of(event);
  if (!event.job.empty()) line += " " + quoted_if_needed(event.job);
  return line;
}

template <class Event>
std::string mapped_line(const Event& event) {
  std::string line;
  for (const LineWord& word : line_words(members_of(event))) {
    if (!line.empty()) line += " ";
    // Outside of quotes a `=` divides.
    const bool divides = word.key.empty() && word.text.find('=') != std::string::npos;
    if (!word.key.empty()) line += word.key + "=";
    line += divides ? to_text(word.text) : quoted_if_needed(word.text);
  }
  return line;
}
std::string line_of(const DeleteEvent& event) { return mapped_line(event); }
std::string line_of(const CreateEvent& event) { return mapped_line(event); }
std::string line_of(const EditEvent& event) { return mapped_line(event); }
std::string line_of(const QueueEvent& event) { return mapped_line(event); }
std::string line_of(const FaultEvent& event) { return mapped_line(event); }

}  // namespace

Result<UserEvent> parse_event(std::string_view line) { return LineReader(line).read(); }

std::string to_line(const UserEvent& event) {
  std::string line = event.at ? "@" + to_string(*event.at) + " " : std::string();
  return line + std::visit([](const auto& what) { return line_of(what); }, event.what);
}

}  // namespace pumice
