#include <algorithm>
#include <utility>

#include "compose.h"
#include "yaml/precheck_walk.h"

namespace pumice::yaml {

bool PrecheckWalk::begin_property() {
  const bool is_first_on_line = key_allowed_;
  if (!begin_flow_value() || !begin_possible_key()) return false;
  key_allowed_ = false;
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
  const bool is_version = name == "YAML" && ends_word(pos_);
  const bool is_handle = name == "TAG" && ends_word(pos_);
  if (!is_version && !is_handle) {
    return fail(begin, compose("unknown directive `%{}`", name), "a value that starts with `%` needs quotes");
  }
  skip_blanks();
  if (is_version ? !take_version(begin) : !take_tag_directive(begin)) return false;
  skip_blanks();
  // yaml-cpp would take a comment without a blank before it for a part of the directive.
  const std::size_t comment = pos_;
  skip_comment();
  blank_out(comment, pos_);
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
  return fail(begin, compose("`%YAML {}`: Kubernetes reads YAML 1.1 only", version), "remove the line");
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
    return fail(begin, compose("the tag handle `{}` is declared twice", handle));
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
  if (is_alias ? !begin_flow_value() || !begin_possible_key() : !begin_property()) return false;
  key_allowed_ = false;
  const std::size_t begin = pos_++;
  while (is_word(here())) ++pos_;
  if (pos_ == begin + 1) {
    return is_alias ? fail(begin, "`*` must be followed by the name of an anchor",
                           "a text that starts with `*`, such as a schedule, needs quotes")
                    : fail(begin, "`&` must be followed by a name", "a text that starts with `&` needs quotes");
  }
  if (!ends_word(pos_) && !is_one_of(here(), ",]}")) {
    return fail(pos_, compose("this character cannot be part of the name of an {}", is_alias ? "alias" : "anchor"),
                "names have letters, digits, `-` and `_` only; a blank must follow");
  }
  if (is_alias) {
    if (!count_node()) return false;
    add_leaf({.begin = begin, .end = pos_, .text = {}});
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
      if (handle != "!!" && !declared) return fail(begin, compose("the tag handle `{}` is not declared", handle));
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

}  // namespace pumice::yaml
