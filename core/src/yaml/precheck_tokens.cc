#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yaml/precheck_walk.h"

namespace pumice::yaml {
namespace {

/// `\0`, which stands for the end of the text, is never one.
bool is_one_of(char c, std::string_view characters) {
  return c != '\0' && characters.find(c) != std::string_view::npos;
}

}  // namespace

void PrecheckWalk::add_leaf(Leaf leaf) {
  leaf.end = std::max(leaf.end, leaf.begin);
  leaf.node_begin = has_properties_ ? properties_begin_ : leaf.begin;
  leaf.line_begin = has_properties_ ? line_properties_begin_ : leaf.begin;
  has_properties_ = false;
  if (in_flow()) flows_.back().entry_is_empty = false;
  out_.leaves.push_back(leaf);
}

bool PrecheckWalk::begin_property() {
  const bool is_first_on_line = key_allowed_;
  if (!begin_possible_key()) return false;
  key_allowed_ = false;
  if (in_flow()) flows_.back().entry_is_empty = false;
  if (is_first_on_line || !has_properties_) line_properties_begin_ = pos_;
  if (!std::exchange(has_properties_, true)) properties_begin_ = pos_;
  return true;
}

// -- Directives

bool PrecheckWalk::take_directive() {
  if (in_flow()) return finish();
  const std::size_t begin = pos_;
  if (stage_ == Stage::Document && !end_document(pos_) && !first_document_only_) return false;
  if (stage_ != Stage::Directives) document_begin_ = begin;
  stage_ = Stage::Directives;
  ++pos_;
  const std::size_t name_begin = pos_;
  while (is_word(here())) ++pos_;
  const std::string_view name = text_.substr(name_begin, pos_ - name_begin);
  skip_blanks();
  bool known = false;
  if (name == "YAML") {
    known = true;
    if (!take_version(begin)) return false;
  } else if (name == "TAG") {
    known = true;
    if (!take_tag_directive(begin)) return false;
  }
  if (!known) {
    return fail(begin, fmt::format("unknown directive `%{}`", name), "a value that starts with `%` needs quotes");
  }
  skip_blanks();
  // yaml-cpp would take a comment without a blank before it for a part of the directive.
  const std::size_t comment = pos_;
  skip_comment();
  std::fill(out_.copy.begin() + static_cast<std::ptrdiff_t>(comment),
            out_.copy.begin() + static_cast<std::ptrdiff_t>(pos_), ' ');
  if (!at_end() && break_here() == 0) return fail(pos_, "the directive should end here");
  key_allowed_ = false;
  return !first_document_only_ || out_.documents.empty();
}

bool PrecheckWalk::take_version(std::size_t begin) {
  if (has_version_) return fail(begin, "a second `%YAML` directive");
  has_version_ = true;
  const std::size_t version_begin = pos_;
  while (is_digit(here()) || here() == '.') ++pos_;
  const std::string_view version = text_.substr(version_begin, pos_ - version_begin);
  if (version == "1.1" || version == "01.1" || version == "1.01" || version == "01.01") return true;
  return fail(begin, fmt::format("`%YAML {}`: Kubernetes reads YAML 1.1 only", version), "remove the line");
}

bool PrecheckWalk::take_tag_directive(std::size_t begin) {
  const std::size_t handle_begin = pos_;
  if (here() == '!') ++pos_;
  while (is_word(here())) ++pos_;
  if (here() == '!' && pos_ > handle_begin) ++pos_;
  const std::string_view handle = text_.substr(handle_begin, pos_ - handle_begin);
  const bool is_handle = handle == "!" || (handle.size() > 1 && handle.front() == '!' && handle.back() == '!');
  if (!is_handle || !is_blank(here())) return fail(begin, "`%TAG` needs a handle such as `!name!` and a prefix");
  if (std::find(tag_handles_.begin(), tag_handles_.end(), handle) != tag_handles_.end()) {
    return fail(begin, fmt::format("the tag handle `{}` is declared twice", handle));
  }
  constexpr std::size_t kHandlesMax = 100;
  if (tag_handles_.size() == kHandlesMax) return fail_limit(begin, "too many `%TAG` directives");
  tag_handles_.emplace_back(handle);
  skip_blanks();
  if (!take_tag_uri(begin, false, false)) return false;
  if (ends_word(pos_)) return true;
  return fail(pos_, "this character cannot be part of a tag");
}

// -- Properties

bool PrecheckWalk::take_anchor_or_alias() {
  const bool is_alias = here() == '*';
  if (is_alias ? !begin_possible_key() : !begin_property()) return false;
  key_allowed_ = false;
  const std::size_t begin = pos_++;
  while (is_word(here())) ++pos_;
  if (pos_ == begin + 1) {
    return is_alias ? fail(begin, "`*` must be followed by the name of an anchor",
                           "a text that starts with `*`, such as a schedule, needs quotes")
                    : fail(begin, "`&` must be followed by a name", "a text that starts with `&` needs quotes");
  }
  if (!ends_word(pos_) && !is_one_of(here(), ",]}")) {
    return fail(pos_, fmt::format("this character cannot be part of the name of an {}", is_alias ? "alias" : "anchor"),
                "names have letters, digits, `-` and `_` only; a blank must follow");
  }
  if (is_alias) {
    if (!count_node()) return false;
    add_leaf({.begin = begin, .end = pos_});
  }
  return true;
}

bool PrecheckWalk::take_tag() {
  if (!begin_property()) return false;
  const std::size_t begin = pos_++;
  if (here() == '<') {
    ++pos_;
    if (!take_tag_uri(begin, false, false)) return false;
    if (here() != '>') return fail(pos_, "`!<` is not closed", "add `>`");
    ++pos_;
  } else {
    while (is_word(here())) ++pos_;
    if (here() == '!') {
      const std::string handle(text_.substr(begin, ++pos_ - begin));
      const bool declared = std::find(tag_handles_.begin(), tag_handles_.end(), handle) != tag_handles_.end();
      if (handle != "!!" && !declared) return fail(begin, fmt::format("the tag handle `{}` is not declared", handle));
      if (!take_tag_uri(begin, true, false)) return false;
    } else if (!take_tag_uri(begin, true, true)) {
      return false;
    }
  }
  if (ends_word(pos_)) return true;
  return fail(pos_, "this character cannot be part of a tag", "a text that starts with `!` needs quotes");
}

/// The rest of a tag. Some characters that belong to it are not part of a tag for yaml-cpp; no tag that means anything
/// to us has one of them.
bool PrecheckWalk::take_tag_uri(std::size_t begin, bool is_suffix, bool may_be_empty) {
  const std::size_t uri_begin = pos_;
  while (true) {
    const char c = here();
    if (c == '%') {
      if (!is_hex_digit(here(1)) || !is_hex_digit(here(2)) || here(1) > '7') {
        return fail(pos_, "`%` in a tag must be followed by two hexadecimal digits of an ASCII character");
      }
      pos_ += 3;
      continue;
    }
    const bool is_unusual = is_one_of(c, ",[]!");
    if (!is_unusual && !is_word(c) && !is_one_of(c, ";/?:@&=+$.~*'()")) break;
    if (is_unusual && is_suffix) out_.copy[pos_] = '.';
    ++pos_;
  }
  if (pos_ > uri_begin || may_be_empty) return true;
  return fail(begin, "this tag has no name", "a text that starts with `!` needs quotes");
}

// -- Scalars

bool PrecheckWalk::take_plain() {
  if (!begin_possible_key() || !count_node()) return false;
  key_allowed_ = false;
  Leaf leaf{.begin = pos_, .end = pos_};
  const std::int64_t indent = indent_ + 1;
  bool after_break = false;
  bool after_separator = false;
  while (!is_document_mark() && here() != '#') {
    while (!ends_word(pos_)) {
      const char c = here();
      if (c == ':' && ends_word(pos_ + 1)) break;
      if (in_flow() && is_one_of(c, ",?[]{}")) break;
      if (after_separator) return fail(pos_, "a value cannot go on behind this line separator", "put it in quotes");
      if (in_flow() && c == ':' && is_one_of(here(1), ",]}")) {
        out_.copy[pos_] = kMaskedColon;
        leaf.repair = Leaf::Repair::MaskedColons;
      }
      leaf.end = ++pos_;
      after_break = false;
    }
    if (!ends_word(pos_) || at_end()) break;
    while (!at_end() && ends_word(pos_)) {
      if (!is_blank(here())) {
        after_separator = after_separator || break_here() == 3;
        take_break();
        after_break = true;
        continue;
      }
      if (after_break && here() == '\t' && static_cast<std::int64_t>(column()) < indent) {
        return fail(pos_, "a tab cannot be used for indentation", "use spaces");
      }
      if (after_break) out_.copy[pos_] = ' ';
      ++pos_;
    }
    if (!in_flow() && static_cast<std::int64_t>(column()) < indent) break;
  }
  if (after_break) key_allowed_ = true;
  add_leaf(leaf);
  return true;
}

bool PrecheckWalk::take_quoted() {
  if (!begin_possible_key() || !count_node()) return false;
  key_allowed_ = false;
  const char quote = here();
  Leaf leaf{.begin = pos_++};
  bool after_space = false;
  while (true) {
    if (at_end()) return fail(leaf.begin, fmt::format("the quote `{}` is not closed", quote));
    if (is_document_mark()) {
      return fail(pos_, fmt::format("`{}` ends the document before the quote is closed", text_.substr(pos_, 3)),
                  "indent the line, or close the quote");
    }
    const char c = here();
    const bool is_space = ends_word(pos_);
    if (c == quote) {
      if (quote == '\'' && here(1) == '\'') {
        pos_ += 2;
        continue;
      }
      leaf.end = ++pos_;
      add_leaf(leaf);
      return true;
    }
    if (quote == '"' && c == '\\') {
      if (!take_escape(leaf)) return false;
    } else if (break_here() == 3) {
      // U+2028 and U+2029 are kept as they are, as far as no blanks or breaks stand around them.
      if (after_space || ends_word(pos_ + 3)) return fail(pos_, "a line separator cannot stand here", "remove it");
      pos_ += 3;
      ++line_;
    } else if (break_here() > 0) {
      take_break();
    } else {
      ++pos_;
    }
    after_space = is_space;
  }
}

bool PrecheckWalk::take_escape(Leaf& leaf) {
  const std::size_t begin = pos_++;
  if (at_end()) return true;
  if (break_here() > 0) {
    const bool is_plain_break = here() == '\n' || here() == '\r';
    if (!is_plain_break) return fail(begin, "this line separator cannot be escaped", "use an ordinary line break");
    take_break();
    return true;
  }
  const char c = here();
  if (json_escapes_ && (c == '/' || c == 'u')) return take_json_escape(leaf);
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0 && !is_one_of(c, "0abt\tnvfre \"'\\N_LP")) {
    return fail(begin, fmt::format("`\\{}` is no escape that YAML knows", text_.substr(pos_, 1)),
                "double the backslash, or use single quotes");
  }
  // yaml-cpp makes Latin-1 of these two; the characters themselves take as many bytes as their escapes.
  if (c == 'N' || c == '_') {
    out_.copy[begin] = '\xC2';
    out_.copy[pos_] = c == 'N' ? '\x85' : '\xA0';
  }
  if (c == '\t') out_.copy[pos_] = 't';
  ++pos_;
  std::uint64_t code = 0;
  for (std::size_t i = 0; i < digits; ++i, ++pos_) {
    if (!is_hex_digit(here())) return fail(begin, fmt::format("`\\{}` needs {} hexadecimal digits", c, digits));
    const auto low = static_cast<unsigned>(here()) & 0x0FU;
    code = code * 16 + (is_digit(here()) ? low : low + 9);
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return fail(begin, fmt::format("U+{:04X} is no character", code),
                digits == 4 ? "YAML has no surrogate pairs: write `\\U` and eight digits" : "");
  }
  return true;
}

/// An escape of JSON in a text that is JSON as a whole: the JSON reader will decode the string, yaml-cpp must only not
/// stumble over it.
bool PrecheckWalk::take_json_escape(Leaf& leaf) {
  leaf.repair = Leaf::Repair::JsonString;
  out_.copy[pos_ - 1] = 'x';
  out_.copy[pos_++] = 'x';
  return true;
}

bool PrecheckWalk::take_block_scalar() {
  if (!drop_possible_key() || !count_node()) return false;
  key_allowed_ = true;
  Leaf leaf{.begin = pos_, .repair = Leaf::Repair::FinalBreaks};
  BlockHeader header;
  if (!take_block_header(header)) return false;
  leaf.end = pos_;
  if (break_here() > 0) take_break();
  std::int64_t indent = header.indent > 0 ? header.indent + std::max<std::int64_t>(indent_, 0) : 0;
  std::size_t breaks = 0;
  bool has_content = false;
  if (!take_block_indentation(indent, breaks)) return false;
  while (static_cast<std::int64_t>(column()) == indent && !at_end()) {
    has_content = true;
    while (!at_end() && break_here() == 0) ++pos_;
    leaf.end = pos_;
    breaks = 0;
    if (!take_block_indentation(indent, breaks)) return false;
  }
  leaf.final_breaks = header.chomping == '+'                   ? breaks
                      : header.chomping == '-' || !has_content ? 0
                                                               : std::min<std::size_t>(breaks, 1);
  add_leaf(leaf);
  return true;
}

/// `|` or `>` with what may follow on its line.
bool PrecheckWalk::take_block_header(BlockHeader& header) {
  const char style = here();
  ++pos_;
  for (int i = 0; i < 2; ++i) {
    if (header.chomping == '\0' && is_one_of(here(), "+-")) {
      header.chomping = text_[pos_++];
    } else if (header.indent == 0 && is_digit(here())) {
      if (here() == '0') return fail(pos_, "the indentation of a block scalar cannot be 0");
      header.indent = text_[pos_++] - '0';
    }
  }
  skip_blanks();
  skip_comment();
  if (at_end() || break_here() > 0) return true;
  return fail(pos_, fmt::format("the text of a block scalar starts on the line after `{}`", style),
              fmt::format("put a value that starts with `{}` in quotes", style));
}

/// Skips line breaks, which are counted, and indentation. An `indent` of 0 becomes that of the first line with text.
bool PrecheckWalk::take_block_indentation(std::int64_t& indent, std::size_t& breaks) {
  std::int64_t widest = 0;
  while (true) {
    while (here() == ' ' && (indent == 0 || static_cast<std::int64_t>(column()) < indent)) ++pos_;
    widest = std::max(widest, static_cast<std::int64_t>(column()));
    if (here() == '\t' && (indent == 0 || static_cast<std::int64_t>(column()) < indent)) {
      return fail(pos_, "a tab cannot be used for indentation", "use spaces");
    }
    if (break_here() == 0) break;
    if (break_here() == 3 || here() == '\xC2') {
      return fail(pos_, "this line separator cannot stand in a block scalar", "use an ordinary line break");
    }
    take_break();
    ++breaks;
  }
  if (indent == 0) indent = std::max({widest, indent_ + 1, std::int64_t{1}});
  return true;
}

}  // namespace pumice::yaml
