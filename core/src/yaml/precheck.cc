#include "yaml/precheck.h"

#include <algorithm>
#include <utility>

#include "compose.h"
#include "yaml/precheck_walk.h"

namespace pumice::yaml {
namespace {

/// Without a `? ` before it a key must be seen as one within this distance.
constexpr std::size_t kLongestKey = 1024;

}  // namespace

Precheck precheck(std::string_view text, const YamlLimits& limits, bool first_document_only, bool json_escapes) {
  return PrecheckWalk(text, limits, first_document_only, json_escapes).run();
}

PrecheckWalk::PrecheckWalk(std::string_view text, const YamlLimits& limits, bool first_document_only, bool json_escapes)
    : text_(text), limits_(limits), first_document_only_(first_document_only), json_escapes_(json_escapes), keys_(1) {
  out_.copy = std::string(text);
}

Precheck PrecheckWalk::run() {
  while (step()) {
  }
  return std::move(out_);
}

bool PrecheckWalk::fail(std::size_t offset, std::string message, std::string hint) {
  out_.problem = Problem{offset, "InvalidYaml", std::move(message), std::move(hint)};
  return false;
}

bool PrecheckWalk::fail_limit(std::size_t offset, std::string message) {
  out_.problem = Problem{offset, "LimitExceeded", std::move(message), {}};
  return false;
}

/// The break as it counts in a text: LF for all but U+2028 and U+2029.
std::string_view PrecheckWalk::take_break() {
  const std::size_t begin = pos_;
  const std::size_t length = break_here();
  // yaml-cpp knows LF and CR LF only. Within brackets it sees no lines at all: for it a key without a value must end on
  // its line.
  const bool is_known = text_[begin] == '\n' || text_.substr(begin, 2) == "\r\n";
  if (in_flow() || !is_known) {
    blank_out(begin, begin + length);
    if (!in_flow()) out_.copy[begin + length - 1] = '\n';
  }
  pos_ += length;
  line_begin_ = pos_;
  ++line_;
  return length == 3 ? text_.substr(begin, length) : "\n";
}

void PrecheckWalk::skip_blanks() {
  while (is_blank(here())) ++pos_;
}

void PrecheckWalk::skip_comment() {
  if (here() != '#') return;
  const std::size_t begin = pos_;
  while (!at_end() && break_here() == 0) ++pos_;
  if (in_flow()) blank_out(begin, pos_);
}

/// Takes a part of the copy out of yaml-cpp's sight.
void PrecheckWalk::blank_out(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) out_.copy[i] = ' ';
}

/// The same, but line breaks stay.
void PrecheckWalk::blank_lines_out(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (out_.copy[i] != '\n' && out_.copy[i] != '\r') out_.copy[i] = ' ';
  }
}

bool PrecheckWalk::is_document_mark() const {
  if (column() != 0) return false;
  const std::string_view mark = text_.substr(pos_, 3);
  return (mark == "---" || mark == "...") && ends_word(pos_ + 3);
}

void PrecheckWalk::skip_to_token() {
  while (true) {
    while (here() == ' ' || (here() == '\t' && (in_flow() || !key_allowed_))) ++pos_;
    skip_comment();
    if (at_end() || break_here() == 0) return;
    take_break();
    if (!in_flow()) key_allowed_ = true;
  }
}

bool PrecheckWalk::step() {
  skip_to_token();
  if (!in_flow()) unindent_to(static_cast<std::int64_t>(column()));
  if (at_end()) return finish();
  if (column() == 0 && here() == '%') return take_directive();
  if (is_document_mark()) return take_document_mark();
  if (!enter_document()) return false;
  if (ends_long_key()) {
    return fail(keys_.back().begin, compose("a key can have at most {} bytes", kLongestKey),
                "write `? ` before a longer one");
  }
  if (ends_root_value()) {
    if (first_document_only_) return end_first_document();
    return fail(pos_, "this does not belong to the value before it",
                "check the indentation, or start a new document with `---`");
  }
  if (std::exchange(follows_block_scalar_, false) && indent_ >= 0 && static_cast<std::int64_t>(column()) > indent_) {
    return fail(pos_, "this is indented less than the text above and more than what the text belongs to",
                "check the indentation of this line");
  }
  has_content_ = true;
  return dispatch();
}

/// Kubernetes' reader looks behind the value as far as it must to know which tokens are keys: that much must be right.
bool PrecheckWalk::end_first_document() {
  if (keys_.front().possible && keys_.front().required) return missing_colon(keys_.front());
  const std::size_t end = pos_;
  const std::size_t leaves = out_.leaves.size();
  const std::size_t flows = out_.flows.size();
  while (!at_end() && !is_document_mark()) {
    const bool is_stray_bracket = !in_flow() && (here() == ',' || here() == ']' || here() == '}');
    if (is_stray_bracket) break;
    if (!in_flow() && here() == ':' && ends_word(pos_ + 1)) {
      const bool is_key = is_live_key(keys_.front());
      if (is_key && keys_.front().begin < end) {
        return fail(pos_, "there is more than one value before this `:`", "put the key in quotes");
      }
      if (is_key || key_allowed_) break;
    }
    if (!dispatch() && out_.problem) return false;
    if (!is_live_key(keys_.front())) break;
    skip_to_token();
  }
  out_.leaves.resize(leaves);
  out_.flows.resize(flows);
  flows_.clear();
  keys_.assign(1, SimpleKey{});
  end_document(end);
  return false;
}

bool PrecheckWalk::dispatch() {
  const char c = here();
  const bool followed_by_blank = ends_word(pos_ + 1);
  switch (c) {
    case '[':
    case '{': return open_flow();
    case ']':
    case '}': return close_flow();
    case ',': return take_comma();
    case '-':
      if (followed_by_blank) return take_block_entry();
      return take_plain();
    case '?':
      if (in_flow() || followed_by_blank) return take_key_mark();
      return take_plain();
    case ':':
      if (in_flow() || followed_by_blank) return take_value_mark();
      return take_plain();
    case '*':
    case '&': return take_anchor_or_alias();
    case '!': return take_tag();
    case '|':
    case '>':
      if (!in_flow()) return take_block_scalar();
      return fail(pos_, compose("a value inside brackets cannot start with `{}`", c), "put the value in quotes");
    case '\'':
    case '"': return take_quoted();
    case '\t': return fail(pos_, "a tab cannot be used for indentation", "use spaces");
    case '%':
    case '@':
    case '`': return fail(pos_, compose("a value cannot start with `{}`", c), "put the value in quotes");
    default: return take_plain();
  }
}

// -- Documents

bool PrecheckWalk::enter_document() {
  switch (stage_) {
    case Stage::Start:
      stage_ = Stage::Document;
      document_begin_ = 0;
      return true;
    case Stage::Document: return true;
    case Stage::Directives: return fail(pos_, "`---` is missing between the directives and the document");
    case Stage::AfterEnd: return fail(pos_, "`---` is missing before the next document");
  }
  return true;
}

bool PrecheckWalk::take_document_mark() {
  const bool is_start = here() == '-';
  if (in_flow()) return finish();
  if (stage_ == Stage::Document && !end_document(pos_)) return false;
  if (!is_start) {
    if (stage_ == Stage::Start) return fail(pos_, "there is no document before `...`");
    if (stage_ == Stage::Directives) return fail(pos_, "`---` is missing between the directives and the document");
    stage_ = Stage::AfterEnd;
  } else {
    if (stage_ != Stage::Directives) document_begin_ = pos_;
    stage_ = Stage::Document;
  }
  key_allowed_ = false;
  pos_ += 3;
  return true;
}

bool PrecheckWalk::end_document(std::size_t end) {
  unindent_to(-1);
  out_.documents.push_back({document_begin_, end});
  if (!drop_possible_key()) return false;
  keys_.assign(1, SimpleKey{});
  has_content_ = false;
  has_properties_ = false;
  tag_handles_.clear();
  has_version_ = false;
  stage_ = Stage::AfterEnd;
  if (static_cast<std::int64_t>(out_.documents.size()) > limits_.documents_max) {
    return fail_limit(document_begin_, compose("more than {} documents", limits_.documents_max));
  }
  return !first_document_only_;
}

bool PrecheckWalk::finish() {
  if (in_flow()) {
    const FlowLevel& flow = flows_.back();
    return fail(out_.flows[flow.span].begin, compose("`{}` is not closed", flow.bracket),
                compose("add `{}`", flow.bracket == '[' ? ']' : '}'));
  }
  if (stage_ == Stage::Directives) return fail(pos_, "`---` is missing after the directives");
  if (stage_ == Stage::Document) end_document(text_.size());
  return false;
}

/// The value of a document is complete, and what stands here is no part of it.
bool PrecheckWalk::ends_root_value() const {
  if (!has_content_ || indent_ >= 0 || in_flow() || has_properties_) return false;
  const bool is_value_mark = here() == ':' && ends_word(pos_ + 1);
  return !(is_value_mark && is_live_key(keys_.back()));
}

// -- Flow collections

bool PrecheckWalk::count_node() {
  if (++nodes_ <= limits_.nodes_max) return true;
  return fail_limit(pos_, compose("more than {} values", limits_.nodes_max));
}

/// A value, or an anchor or a tag before one, within brackets: it needs a comma, a colon or a bracket before it.
bool PrecheckWalk::begin_flow_value() {
  if (!in_flow()) return true;
  flows_.back().entry_is_empty = false;
  return !flows_.back().has_value || fail(pos_, "`,` must stand before this");
}

bool PrecheckWalk::open_flow() {
  if (!begin_flow_value() || !begin_possible_key() || !count_node()) return false;
  flows_.push_back({.bracket = here(), .span = out_.flows.size()});
  keys_.emplace_back();
  out_.flows.push_back({has_properties_ ? properties_begin_ : pos_, pos_, pos_ + 1});
  if (static_cast<std::int64_t>(flows_.size() + indents_.size()) > limits_.depth_max) {
    return fail_limit(pos_, compose("nested more than {} levels deep", limits_.depth_max));
  }
  has_properties_ = false;
  key_allowed_ = true;
  ++pos_;
  return true;
}

bool PrecheckWalk::close_flow() {
  const char bracket = here();
  if (!in_flow()) return fail(pos_, compose("there is no `{}` to close", bracket == ']' ? '[' : '{'));
  const FlowLevel flow = flows_.back();
  if ((flow.bracket == '[') != (bracket == ']')) {
    return fail(pos_, compose("`{}` cannot close `{}`", bracket, flow.bracket));
  }
  out_.flows[flow.span].end = pos_ + 1;
  flows_.pop_back();
  keys_.pop_back();
  if (in_flow()) flows_.back().has_value = true;
  has_properties_ = false;
  key_allowed_ = false;
  ++pos_;
  return true;
}

bool PrecheckWalk::take_comma() {
  if (!in_flow()) return fail(pos_, "a value cannot start with `,`", "put the value in quotes");
  FlowLevel& flow = flows_.back();
  if (flow.entry_is_empty) return fail(pos_, "there is nothing before this `,`", "remove it");
  flow.entry_is_empty = true;
  flow.has_value = false;
  flow.has_key_mark = false;
  keys_.back() = {};
  has_properties_ = false;
  key_allowed_ = true;
  ++pos_;
  return true;
}

// -- Block collections and keys

bool PrecheckWalk::indent_to(std::size_t column) {
  const auto wanted = static_cast<std::int64_t>(column);
  if (in_flow() || indent_ >= wanted) return true;
  indents_.push_back({.outer = indent_});
  indent_ = wanted;
  if (static_cast<std::int64_t>(flows_.size() + indents_.size()) > limits_.depth_max) {
    return fail_limit(pos_, compose("nested more than {} levels deep", limits_.depth_max));
  }
  return count_node();
}

void PrecheckWalk::unindent_to(std::int64_t column) {
  while (indent_ > column) {
    indent_ = indents_.back().outer;
    indents_.pop_back();
  }
}

bool PrecheckWalk::take_block_entry() {
  if (in_flow()) return fail(pos_, "`- ` cannot stand inside brackets", "separate items with `,`");
  if (!key_allowed_) return fail(pos_, "a list item cannot start here", "start it on a line of its own");
  if (!indent_to(column()) || !drop_possible_key()) return false;
  has_properties_ = false;
  key_allowed_ = true;
  ++pos_;
  return true;
}

bool PrecheckWalk::take_key_mark() {
  if (in_flow()) {
    if (!ends_word(pos_ + 1)) {
      // yaml-cpp wants a blank after the mark. Inside of braces the key is the same without the mark.
      if (flows_.back().bracket == '[' || is_one_of(here(1), ",}")) {
        return fail(pos_, "a value inside brackets cannot start with `?`", "put the value in quotes");
      }
      out_.copy[pos_] = ' ';
    }
    if (!flows_.back().entry_is_empty) return fail(pos_, "`,` must stand before this");
    if (has_properties_) return fail(pos_, "an anchor or a tag cannot stand before `?`");
    flows_.back().has_key_mark = true;
    flows_.back().entry_is_empty = false;
    keys_.back() = {};
  } else {
    if (!key_allowed_) return fail(pos_, "`? ` cannot stand here", "put the value in quotes");
    if (!indent_to(column()) || !drop_possible_key()) return false;
    indents_.back().has_key_mark = true;
  }
  has_properties_ = false;
  key_allowed_ = !in_flow();
  ++pos_;
  return true;
}

bool PrecheckWalk::take_value_mark() {
  SimpleKey& key = keys_.back();
  if (is_live_key(key)) {
    const std::size_t key_column = key.begin - line_begin_;
    key.possible = false;
    if (!indent_to(key_column)) return false;
    key_allowed_ = false;
  } else {
    if (key.possible && key.required) return missing_colon(key);
    if (!value_without_key()) return false;
    key_allowed_ = !in_flow();
  }
  if (in_flow()) flows_.back().has_value = false;
  has_properties_ = false;
  ++pos_;
  return true;
}

/// A `:` that ends no key on its line: right after `? key`, wrong elsewhere.
bool PrecheckWalk::value_without_key() {
  if (!in_flow() && !key_allowed_) {
    return fail(pos_, "`: ` cannot stand here",
                "put a value with `: ` in quotes, or check the indentation of this line");
  }
  const bool is_aligned = !indents_.empty() && indent_ == static_cast<std::int64_t>(column());
  bool waits = false;
  if (in_flow()) {
    waits = std::exchange(flows_.back().has_key_mark, false);
  } else if (is_aligned) {
    waits = std::exchange(indents_.back().has_key_mark, false);
  }
  if (waits) return true;
  return fail(pos_, "there is no key for this `:`", "put a text with `:` in quotes");
}

bool PrecheckWalk::ends_long_key() const {
  const SimpleKey& key = keys_.back();
  const bool is_value_mark = here() == ':' && (in_flow() || ends_word(pos_ + 1));
  return is_value_mark && key.possible && key.line == line_ && !is_live_key(key);
}

bool PrecheckWalk::is_live_key(const SimpleKey& key) const {
  return key.possible && key.line == line_ && pos_ - key.begin <= kLongestKey;
}

bool PrecheckWalk::begin_possible_key() {
  if (!key_allowed_) return true;
  const bool required = !in_flow() && indent_ == static_cast<std::int64_t>(column());
  if (!drop_possible_key()) return false;
  keys_.back() = {.possible = true, .required = required, .begin = pos_, .line = line_};
  return true;
}

bool PrecheckWalk::drop_possible_key() {
  SimpleKey& key = keys_.back();
  if (key.possible && key.required) return missing_colon(key);
  key.possible = false;
  return true;
}

bool PrecheckWalk::missing_colon(const SimpleKey& key) {
  std::size_t end = key.begin;
  while (end < text_.size() && break_length(text_.substr(end)) == 0) ++end;
  const bool has_tight_colon = text_.substr(key.begin, end - key.begin).find(':') != std::string_view::npos;
  return fail(key.begin, "a key must stand here, and a key ends with `: `",
              has_tight_colon ? "put a blank behind the `:`" : "check the indentation of this line");
}

}  // namespace pumice::yaml
