// Values are built straight from the list of events; an alias goes back to the events of its anchor and reads them
// again. Maps follow Kubernetes' reader: members in the order of the text, the merge key `<<` among them, and a later
// member replaces an earlier one of the same name, no matter which of the two was merged.
#include "yaml/decode.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "compose.h"
#include "pumice/check.h"
#include "yaml/backticks.h"
#include "yaml/field_path.h"
#include "yaml/scalar.h"

namespace pumice::yaml {
namespace {

constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";

/// A text full of equal keys must not fill the memory with findings.
constexpr std::size_t kDuplicatesMax = 100;

bool is_start(const Event& event) {
  return event.kind == Event::Kind::ListStart || event.kind == Event::Kind::MapStart;
}

bool is_end(const Event& event) { return event.kind == Event::Kind::ListEnd || event.kind == Event::Kind::MapEnd; }

/// Reading recurses, as deep as the text is nested, on a stack that may be small: what is not part of the recursion is
/// kept out of its frames.
class Decoder {
 public:
  Decoder(const std::vector<Event>& events, const LineTable& lines, const YamlOptions& options, DecodeTotals& totals,
          Diagnostics& diagnostics)
      : events_(events), lines_(lines), options_(options), diagnostics_(diagnostics), totals_(totals) {
    index_events();
  }

  YamlDocument run() {
    YamlDocument document;
    if (!events_.empty()) decode(0, document.root);
    if (failed_) return document;
    for (Deferred& problem : deferred_) {
      if (problem.applies) diagnostics_.push_back(std::move(problem.diagnostic));
    }
    return document;
  }

 private:
  /// Something JSON cannot hold. It is a problem only as long as no later key of the same name replaces it.
  struct Deferred {
    Diagnostic diagnostic;
    bool applies = true;
  };

  /// What is remembered about the members of the map that is being read.
  struct Member {
    std::size_t key_event = 0;
    bool merged = false;
    std::size_t deferred_begin = 0;
    std::size_t deferred_end = 0;
  };

  struct MapState {
    std::map<std::string, std::size_t, std::less<>> index;
    std::vector<Member> members;
  };

  void index_events() {
    std::vector<std::size_t> open;
    ends_.resize(events_.size());
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      ends_[i] = i + 1;
      if (event.anchor != 0 && event.kind != Event::Kind::Alias) {
        if (anchors_.size() <= event.anchor) anchors_.resize(event.anchor + 1);
        anchors_[event.anchor] = i;
      }
      if (is_start(event)) open.push_back(i);
      if (is_end(event)) {
        // INVARIANT: starts and ends are balanced.
        PUMICE_CHECK(!open.empty());
        ends_[open.back()] = i + 1;
        open.pop_back();
      }
    }
    PUMICE_CHECK(open.empty());
    active_.resize(anchors_.size());
  }

  // -- Findings

  Range range_of(const Event& event) const {
    return {lines_.at(event.begin), event.end > event.begin ? lines_.at(event.end) : Position{}};
  }

  [[gnu::noinline]] Diagnostic diagnostic_at(const Event& event, std::string code, std::string message,
                                             std::string hint = {}) const {
    return {.severity = Severity::Error,
            .code = std::move(code),
            .file = options_.file,
            .range = range_of(event),
            .field = path_,
            .message = std::move(message),
            .hint = std::move(hint)};
  }

  [[gnu::noinline]] void fail(const Event& event, std::string code, std::string message, std::string hint = {}) {
    if (failed_) return;
    failed_ = true;
    diagnostics_.push_back(diagnostic_at(event, std::move(code), std::move(message), std::move(hint)));
  }

  [[gnu::noinline]] void defer(const Event& event, std::string message, std::string hint) {
    constexpr std::size_t kDeferredMax = 100;
    if (deferred_.size() == kDeferredMax) {
      fail(event, "InvalidYaml", std::move(message), std::move(hint));
      return;
    }
    deferred_.push_back({diagnostic_at(event, "InvalidYaml", std::move(message), std::move(hint))});
  }

  // -- Limits

  /// Counts a value that is about to be read. Values repeated by aliases may be most of a small document, but not all
  /// of a larger one: this is the rule by which Kubernetes' reader tells a bomb.
  bool count(const Event& event) {
    constexpr std::int64_t kHarmlessAliased = 100;
    constexpr std::int64_t kHarmless = 1000;
    constexpr double kShareMax = 0.99;
    ++decoded_;
    if (alias_depth_ > 0) ++aliased_;
    if (++totals_.nodes > options_.limits.nodes_max) {
      fail(event, "LimitExceeded",
           compose("more than {} values, those repeated by aliases included", options_.limits.nodes_max));
      return false;
    }
    const bool is_bomb = aliased_ > kHarmlessAliased && decoded_ > kHarmless &&
                         static_cast<double>(aliased_) > kShareMax * static_cast<double>(decoded_);
    if (is_bomb) fail(event, "LimitExceeded", "nearly all values of this document are repetitions by aliases");
    return !is_bomb;
  }

  bool enter(const Event& event) {
    if (++depth_ <= options_.limits.depth_max) return true;
    fail(event, "LimitExceeded", compose("nested more than {} levels deep", options_.limits.depth_max));
    return false;
  }

  // -- Values

  void decode(std::size_t at, YamlNode& out) {
    const Event& event = events_[at];
    if (failed_ || !count(event)) return;
    out.range = range_of(event);
    switch (event.kind) {
      case Event::Kind::Scalar: decode_scalar(event, out); return;
      case Event::Kind::Alias: decode_alias(event, out); return;
      case Event::Kind::ListStart: decode_list(at, out); return;
      case Event::Kind::MapStart: decode_map(at, out); return;
      case Event::Kind::ListEnd:
      case Event::Kind::MapEnd: break;
    }
    PUMICE_CHECK(false);
  }

  [[gnu::noinline]] std::optional<ScalarValue> scalar_value(const Event& event) {
    totals_.text_bytes += static_cast<std::int64_t>(event.text.size());
    if (totals_.text_bytes > options_.limits.text_bytes_max) {
      fail(event, "LimitExceeded",
           compose("more than {} bytes of text, what aliases repeat included", options_.limits.text_bytes_max));
      return std::nullopt;
    }
    std::string problem;
    auto value = resolve_scalar({.text = event.text, .tag = event.tag, .plain = event.plain}, problem);
    if (!value) fail(event, "InvalidYaml", std::move(problem));
    return value;
  }

  [[gnu::noinline]] void decode_scalar(const Event& event, YamlNode& out) {
    auto value = scalar_value(event);
    if (!value) return;
    if (const double* number = std::get_if<double>(&*value); number != nullptr && !std::isfinite(*number)) {
      defer(event, "JSON has no number " + in_backticks(event.text), "put it in quotes if a text is meant");
      return;
    }
    set_scalar(*std::move(value), out);
  }

  static void set_scalar(ScalarValue value, YamlNode& out) {
    if (const bool* truth = std::get_if<bool>(&value)) {
      out.kind = YamlNode::Kind::Bool;
      out.scalar = *truth;
    } else if (std::string* text = std::get_if<std::string>(&value)) {
      out.kind = YamlNode::Kind::String;
      out.scalar = std::move(*text);
    } else if (!std::holds_alternative<std::monostate>(value)) {
      out.kind = YamlNode::Kind::Number;
      out.scalar = as_json_number(value);
    }
  }

  /// `3.0` is written as `3` in JSON, and so is an integer to everyone who reads that.
  static Json as_json_number(const ScalarValue& value) {
    constexpr double kExact = 9007199254740992.0;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return *number;
    const double number = std::get<double>(value);
    const bool is_whole = std::trunc(number) == number && std::abs(number) <= kExact;
    return is_whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
  }

  void decode_alias(const Event& event, YamlNode& out) {
    if (!enter_alias(event)) return;
    const Range range = out.range;
    decode(anchors_[event.anchor], out);
    out.range = range;
    leave_alias(event);
  }

  bool enter_alias(const Event& event) {
    PUMICE_CHECK(event.anchor < anchors_.size());
    if (active_[event.anchor]) {
      fail(event, "InvalidYaml", "this alias repeats a value that contains the alias itself");
      return false;
    }
    active_[event.anchor] = true;
    ++alias_depth_;
    return true;
  }

  void leave_alias(const Event& event) {
    active_[event.anchor] = false;
    --alias_depth_;
  }

  void decode_list(std::size_t at, YamlNode& out) {
    out.kind = YamlNode::Kind::List;
    if (enter(events_[at])) {
      const std::size_t path_size = path_.size();
      for (std::size_t i = at + 1; !failed_ && !is_end(events_[i]); i = ends_[i]) {
        append_item(path_, static_cast<std::int64_t>(out.children.size()));
        YamlNode& item = out.children.emplace_back();
        decode(i, item);
        extend(out.range, item.range);
        path_.resize(path_size);
      }
    }
    --depth_;
  }

  static void extend(Range& range, const Range& part) {
    const auto is_before = [](const Position& a, const Position& b) {
      return a.line != b.line ? a.line < b.line : a.column < b.column;
    };
    if (is_before(range.end, part.end)) range.end = part.end;
  }

  // -- Maps

  void decode_map(std::size_t at, YamlNode& out) {
    out.kind = YamlNode::Kind::Map;
    if (enter(events_[at])) {
      MapState state;
      decode_members(at, out, state, false);
    }
    --depth_;
  }

  void decode_members(std::size_t at, YamlNode& out, MapState& state, bool merged) {
    std::size_t i = at + 1;
    while (!failed_ && !is_end(events_[i])) {
      const std::size_t key = i;
      const std::size_t value = ends_[key];
      i = ends_[value];
      if (is_merge(events_[key])) {
        merge(value, out, state);
      } else {
        decode_member(key, value, out, state, merged);
      }
    }
  }

  static bool is_merge(const Event& event) {
    return event.kind == Event::Kind::Scalar && event.text == "<<" &&
           ((event.plain && event.tag.empty()) || event.untyped || event.tag == kMergeTag);
  }

  void merge(std::size_t value, YamlNode& out, MapState& state) {
    if (events_[value].kind != Event::Kind::ListStart) {
      merge_map(value, out, state);
      return;
    }
    std::vector<std::size_t> items;
    for (std::size_t i = value + 1; !is_end(events_[i]); i = ends_[i]) items.push_back(i);
    // Of several maps the first has precedence, so it comes last.
    std::reverse(items.begin(), items.end());
    for (const std::size_t item : items) {
      if (!failed_) merge_map(item, out, state);
    }
  }

  void merge_map(std::size_t at, YamlNode& out, MapState& state) {
    const Event& event = events_[at];
    const std::size_t target = target_of(at);
    if (events_[target].kind != Event::Kind::MapStart) {
      fail(event, "InvalidYaml", "`<<` merges a map, or a list of maps",
           "put the key in quotes if no merging is meant");
      return;
    }
    const bool is_alias = target != at;
    if (is_alias && (!count(event) || !enter_alias(event))) return;
    if (count(events_[target])) {
      if (enter(events_[target])) decode_members(target, out, state, true);
      --depth_;
    }
    if (is_alias) leave_alias(event);
  }

  std::size_t target_of(std::size_t at) const {
    return events_[at].kind == Event::Kind::Alias ? anchors_[events_[at].anchor] : at;
  }

  void decode_member(std::size_t key_at, std::size_t value_at, YamlNode& out, MapState& state, bool merged) {
    const Event& key_event = events_[key_at];
    const Member member{.key_event = key_at, .merged = merged, .deferred_begin = deferred_.size()};
    const auto key = read_key(key_at);
    if (failed_) return;
    const std::size_t path_size = path_.size();
    if (key) append_member(path_, *key);
    YamlNode value;
    decode(value_at, value);
    if (!failed_ && key) {
      value.key = *key;
      value.key_range = range_of(key_event);
      if (events_[value_at].absent) value.range = value.key_range;
      if (!merged) extend(out.range, value.range);
      add_member(std::move(value), member, out, state);
    }
    path_.resize(path_size);
  }

  /// The name of a member. A key that JSON cannot have is noted, and gives nullopt.
  [[gnu::noinline]] std::optional<std::string> read_key(std::size_t at) {
    const Event& event = events_[at];
    const Event& target = events_[target_of(at)];
    if (target.kind != Event::Kind::Scalar) {
      const bool is_map = target.kind == Event::Kind::MapStart;
      fail(event, "InvalidYaml", compose("a {} cannot be a key", is_map ? "map" : "list"), "put the key in quotes");
      return std::nullopt;
    }
    if (!count(event)) return std::nullopt;
    const auto value = scalar_value(target);
    if (!value) return std::nullopt;
    auto key = key_text(*value);
    if (!key) {
      const bool is_absent = target.absent;
      defer(event, is_absent ? "a key is missing" : in_backticks(target.text) + " cannot be a key",
            is_absent ? "" : "put it in quotes");
    }
    return key;
  }

  [[gnu::noinline]] void add_member(YamlNode value, Member member, YamlNode& out, MapState& state) {
    member.deferred_end = deferred_.size();
    const auto [entry, is_new] = state.index.try_emplace(value.key, out.children.size());
    if (is_new) {
      state.members.push_back(member);
      out.children.push_back(std::move(value));
      return;
    }
    Member& old = state.members[entry->second];
    report_duplicate(value.key, old, member);
    for (std::size_t i = old.deferred_begin; i < old.deferred_end; ++i) deferred_[i].applies = false;
    old = member;
    out.children[entry->second] = std::move(value);
  }

  /// A key that overrides a merged one is what merging is made for: a warning, because strict readers refuse it all the
  /// same.
  [[gnu::noinline]] void report_duplicate(std::string_view key, const Member& old, const Member& now) {
    if (++duplicates_ > kDuplicatesMax) return;
    const bool by_merging = old.merged || now.merged;
    const std::int32_t first_line = lines_.at(events_[old.key_event].begin).line;
    Diagnostic finding =
        diagnostic_at(events_[now.key_event], "DuplicateKey",
                      by_merging ? compose("{} replaces the value from line {}, one of them merged in with `<<`",
                                           in_backticks(key), first_line)
                                 : compose("{} is already set on line {}", in_backticks(key), first_line),
                      by_merging ? "strict readers of Kubernetes refuse this" : "remove one of the two");
    finding.severity = by_merging ? Severity::Warning : options_.duplicate_keys;
    diagnostics_.push_back(std::move(finding));
  }

  const std::vector<Event>& events_;
  const LineTable& lines_;
  const YamlOptions& options_;
  Diagnostics& diagnostics_;
  DecodeTotals& totals_;
  std::vector<std::size_t> ends_;     ///< for each event, the one behind its value
  std::vector<std::size_t> anchors_;  ///< by number: the event that defines it
  std::vector<bool> active_;          ///< by number: an alias to it is being read
  std::vector<Deferred> deferred_;
  std::string path_;
  std::size_t duplicates_ = 0;
  std::int64_t decoded_ = 1;
  std::int64_t aliased_ = 0;
  std::int32_t alias_depth_ = 0;
  std::int32_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace

YamlDocument decode_document(const std::vector<Event>& events, const LineTable& lines, const YamlOptions& options,
                             DecodeTotals& totals, Diagnostics& diagnostics) {
  return Decoder(events, lines, options, totals, diagnostics).run();
}

}  // namespace pumice::yaml
