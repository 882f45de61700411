// The texts of scalars, by the rules of YAML 1.1, and what yaml-cpp sees of them: the first line of a plain scalar, an
// empty pair of quotes, the head of a block scalar.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "compose.h"
#include "digits.h"
#include "utf8.h"
#include "yaml/folded_text.h"
#include "yaml/precheck_walk.h"

namespace pumice::yaml {

void PrecheckWalk::add_leaf(Leaf leaf) {
  leaf.node_begin = has_properties_ ? properties_begin_ : leaf.begin;
  leaf.line_begin = has_properties_ ? line_properties_begin_ : leaf.begin;
  has_properties_ = false;
  if (in_flow()) flows_.back().has_value = true;
  out_.leaves.push_back(std::move(leaf));
}

/// Skips blanks and line breaks within a scalar, which will be folded.
void PrecheckWalk::take_space(FoldedText& text) {
  if (is_blank(here())) {
    text.add_blank(text_[pos_++]);
  } else {
    text.add_break(take_break());
  }
}

// -- Plain scalars

bool PrecheckWalk::ends_plain() const {
  const char c = here();
  if (ends_word(pos_) || (c == ':' && ends_word(pos_ + 1))) return true;
  return in_flow() && is_one_of(c, ",?[]{}");
}

bool PrecheckWalk::take_plain() {
  if (!begin_flow_value() || !begin_possible_key() || !count_node()) return false;
  key_allowed_ = false;
  Leaf leaf{.begin = pos_, .end = pos_};
  FoldedText text;
  std::size_t first_break = text_.size();
  const std::int64_t indent = indent_ + 1;
  while (!is_document_mark() && here() != '#') {
    for (; !ends_plain(); ++pos_) {
      // For yaml-cpp a colon before one of these brackets ends the scalar.
      if (in_flow() && here() == ':' && is_one_of(here(1), ",]}")) out_.copy[pos_] = 'x';
      text.add(here());
      leaf.end = pos_ + 1;
    }
    if (at_end() || !ends_word(pos_)) break;
    while (!at_end() && ends_word(pos_)) {
      if (text.is_after_break() && here() == '\t' && static_cast<std::int64_t>(column()) < indent) {
        return fail(pos_, "a tab cannot be used for indentation", "use spaces");
      }
      if (!is_blank(here())) first_break = std::min(first_break, pos_);
      take_space(text);
    }
    if (!in_flow() && static_cast<std::int64_t>(column()) < indent) break;
  }
  if (text.is_after_break()) key_allowed_ = true;
  blank_lines_out(first_break, leaf.end);
  leaf.text = std::move(text).without_end();
  add_leaf(std::move(leaf));
  return true;
}

// -- Quoted scalars

bool PrecheckWalk::take_quoted() {
  if (!begin_flow_value() || !begin_possible_key() || !count_node()) return false;
  key_allowed_ = false;
  const char quote = here();
  Leaf leaf{.begin = pos_++};
  FoldedText text;
  while (true) {
    if (at_end()) return fail(leaf.begin, compose("the quote `{}` is not closed", quote));
    if (is_document_mark()) {
      return fail(pos_, compose("`{}` ends the document before the quote is closed", text_.substr(pos_, 3)),
                  "indent the line, or close the quote");
    }
    if (ends_word(pos_)) {
      take_space(text);
    } else if (here() == '\\' && quote == '"') {
      if (!take_escape(text)) return false;
    } else if (here() != quote) {
      text.add(text_[pos_++]);
    } else if (quote == '\'' && here(1) == quote) {
      text.add(quote);
      pos_ += 2;
    } else {
      break;
    }
  }
  leaf.end = ++pos_;
  out_.copy[leaf.begin + 1] = quote;
  blank_lines_out(leaf.begin + 2, leaf.end);
  leaf.text = std::move(text).with_end();
  add_leaf(std::move(leaf));
  return true;
}

bool PrecheckWalk::take_escape(FoldedText& text) {
  const std::size_t begin = pos_++;
  if (at_end()) return true;
  if (break_here() > 0) {
    take_break();
    text.add_escaped_break();
    return true;
  }
  const char c = text_[pos_++];
  if (c == 'x' || c == 'u' || c == 'U') return take_code(begin, text);
  if (c == '/' && json_escapes_) {
    text.add(c);
    return true;
  }
  static constexpr std::string_view kNames = "0abt\tnvfre \"'\\N_LP";
  static constexpr std::array<std::string_view, kNames.size()> kTexts = {std::string_view("\0", 1),
                                                                         "\a",
                                                                         "\b",
                                                                         "\t",
                                                                         "\t",
                                                                         "\n",
                                                                         "\v",
                                                                         "\f",
                                                                         "\r",
                                                                         "\x1B",
                                                                         " ",
                                                                         "\"",
                                                                         "'",
                                                                         "\\",
                                                                         "\xC2\x85",
                                                                         "\xC2\xA0",
                                                                         "\xE2\x80\xA8",
                                                                         "\xE2\x80\xA9"};
  const std::size_t index = kNames.find(c);
  if (index == std::string_view::npos) {
    return fail(begin, compose("`\\{}` is no escape that YAML knows", character_text(text_, pos_ - 1)),
                "double the backslash, or use single quotes");
  }
  text.add(kTexts[index]);
  return true;
}

/// `\x`, `\u` or `\U` and its digits. `begin` is where the escape begins.
bool PrecheckWalk::take_code(std::size_t begin, FoldedText& text) {
  const char kind = at(pos_ - 1);
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  std::uint64_t code = 0;
  if (!take_hex(digits, code)) {
    return fail(begin, compose("`\\{}` needs {} hexadecimal digits", kind, digits));
  }
  // In a text that is JSON the second half of a pair is sure to follow.
  if (json_escapes_ && code >= 0xD800 && code <= 0xDBFF && here() == '\\') {
    std::uint64_t low = 0;
    pos_ += 2;
    if (take_hex(digits, low)) code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return fail(begin, "U+" + upper_hex(code, 4) + " is no character",
                digits == 4 ? "YAML has no surrogate pairs: write `\\U` and eight digits" : "");
  }
  text.add(utf8_of(static_cast<std::uint32_t>(code)));
  return true;
}

bool PrecheckWalk::take_hex(std::size_t digits, std::uint64_t& value) {
  for (std::size_t i = 0; i < digits; ++i, ++pos_) {
    if (!is_hex_digit(here())) return false;
    const auto low = static_cast<unsigned>(here()) & 0x0FU;
    value = value * 16 + (is_digit(here()) ? low : low + 9);
  }
  return true;
}

// -- Block scalars

bool PrecheckWalk::take_block_scalar() {
  if (!drop_possible_key() || !count_node()) return false;
  key_allowed_ = true;
  Leaf leaf{.begin = pos_};
  const bool is_folded = here() == '>';
  BlockHeader header;
  if (!take_block_header(header)) return false;
  leaf.end = pos_;
  if (break_here() > 0) take_break();
  const std::size_t body = pos_;
  std::int64_t indent = header.indent > 0 ? header.indent + std::max<std::int64_t>(indent_, 0) : 0;
  std::string last_break;
  std::string empty_lines;
  bool is_after_indented = false;
  if (!take_block_indentation(indent, empty_lines)) return false;
  while (static_cast<std::int64_t>(column()) == indent && !at_end()) {
    // Lines that are indented further, and their neighbours, are not folded.
    const bool is_indented = is_blank(here());
    const bool folds = is_folded && !is_after_indented && !is_indented && last_break == "\n";
    if (!folds) {
      leaf.text += last_break;
    } else if (empty_lines.empty()) {
      leaf.text += ' ';
    }
    leaf.text += std::exchange(empty_lines, {});
    is_after_indented = is_indented;
    while (!at_end() && break_here() == 0) leaf.text += text_[pos_++];
    leaf.end = pos_;
    last_break = at_end() ? std::string_view() : take_break();
    if (!take_block_indentation(indent, empty_lines)) return false;
  }
  if (header.chomping != '-') leaf.text += last_break;
  if (header.chomping == '+') leaf.text += empty_lines;
  blank_lines_out(body, std::max(body, leaf.end));
  add_leaf(std::move(leaf));
  follows_block_scalar_ = true;
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
  return fail(pos_, compose("the text of a block scalar starts on the line after `{}`", style),
              compose("put a value that starts with `{}` in quotes", style));
}

/// Takes the line breaks of empty lines, and indentation. An `indent` of 0 becomes that of the first line with text.
bool PrecheckWalk::take_block_indentation(std::int64_t& indent, std::string& empty_lines) {
  std::int64_t widest = 0;
  while (true) {
    while (here() == ' ' && (indent == 0 || static_cast<std::int64_t>(column()) < indent)) ++pos_;
    widest = std::max(widest, static_cast<std::int64_t>(column()));
    if (here() == '\t' && (indent == 0 || static_cast<std::int64_t>(column()) < indent)) {
      return fail(pos_, "a tab cannot be used for indentation", "use spaces");
    }
    if (at_end() || break_here() == 0) break;
    empty_lines += take_break();
  }
  if (indent == 0) indent = std::max({widest, indent_ + 1, std::int64_t{1}});
  return true;
}

}  // namespace pumice::yaml
