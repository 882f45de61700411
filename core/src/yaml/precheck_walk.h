// The walk behind `precheck`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/characters.h"
#include "yaml/precheck.h"

namespace pumice::yaml {

class FoldedText;

/// Every method that returns bool gives false if the walk must end: at a problem, or because all is seen.
class PrecheckWalk {
 public:
  PrecheckWalk(std::string_view text, const YamlLimits& limits, bool first_document_only, bool json_escapes);

  Precheck run();

 private:
  /// Where we are in the sequence of documents.
  enum class Stage : std::uint8_t { Start, Directives, Document, AfterEnd };

  /// What may turn out to be a key, when a `:` follows on the same line.
  struct SimpleKey {
    bool possible = false;
    bool required = false;  ///< the place allows nothing but a key
    std::size_t begin = 0;
    std::size_t line = 0;
  };

  /// An open block list or map; `indent_` is the column of the innermost one.
  struct IndentLevel {
    std::int64_t outer = -1;    ///< the column before it was opened
    bool has_key_mark = false;  ///< a `?` waits for its `:`
  };

  struct FlowLevel {
    char bracket = '[';
    std::size_t span = 0;  ///< index in Precheck::flows
    bool entry_is_empty = true;
    bool has_value = false;     ///< since the last `,` or `:`
    bool has_key_mark = false;  ///< a `?` waits for its `:`
  };

  struct BlockHeader {
    char chomping = '\0';     ///< `+`, `-`, or 0 for neither
    std::int64_t indent = 0;  ///< 0: to be found out
  };

  // -- Structure (precheck.cc)
  bool step();
  void skip_to_token();
  bool dispatch();
  bool take_document_mark();
  bool enter_document();
  bool end_document(std::size_t end);
  bool finish();
  bool ends_root_value() const;
  bool end_first_document();
  bool begin_flow_value();
  bool open_flow();
  bool close_flow();
  bool take_comma();
  bool take_block_entry();
  bool take_key_mark();
  bool take_value_mark();
  bool value_without_key();
  bool begin_possible_key();
  bool drop_possible_key();
  bool is_live_key(const SimpleKey& key) const;
  bool ends_long_key() const;
  bool missing_colon(const SimpleKey& key);
  bool indent_to(std::size_t column);
  void unindent_to(std::int64_t column);
  bool count_node();

  // -- Directives and properties (precheck_tokens.cc)
  bool take_directive();
  bool take_version(std::size_t begin);
  bool take_tag_directive(std::size_t begin);
  bool take_anchor_or_alias();
  bool take_tag();
  bool take_tag_uri(std::size_t begin, bool is_suffix, bool may_be_empty);
  bool begin_property();

  // -- Scalars (precheck_scalars.cc)
  bool ends_plain() const;
  bool take_plain();
  bool take_quoted();
  bool take_escape(FoldedText& text);
  bool take_code(std::size_t begin, FoldedText& text);
  bool take_hex(std::size_t digits, std::uint64_t& value);
  bool take_block_scalar();
  bool take_block_header(BlockHeader& header);
  bool take_block_indentation(std::int64_t& indent, std::string& empty_lines);
  void take_space(FoldedText& text);
  void add_leaf(Leaf leaf);

  // -- The text
  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  char here(std::size_t ahead = 0) const { return at(pos_ + ahead); }
  bool at_end() const { return pos_ >= text_.size(); }
  std::size_t break_here() const { return break_length(text_.substr(pos_)); }
  bool ends_word(std::size_t offset) const {
    return offset >= text_.size() || is_blank(text_[offset]) || break_length(text_.substr(offset)) > 0;
  }
  bool is_document_mark() const;
  std::size_t column() const { return pos_ - line_begin_; }
  bool in_flow() const { return !flows_.empty(); }
  std::string_view take_break();
  void skip_blanks();
  void skip_comment();
  void blank_out(std::size_t begin, std::size_t end);
  void blank_lines_out(std::size_t begin, std::size_t end);
  bool fail(std::size_t offset, std::string message, std::string hint = {});
  bool fail_limit(std::size_t offset, std::string message);

  std::string_view text_;
  const YamlLimits& limits_;
  bool first_document_only_;
  bool json_escapes_;
  Precheck out_;

  std::size_t pos_ = 0;
  std::size_t line_begin_ = 0;
  std::size_t line_ = 0;

  Stage stage_ = Stage::Start;
  std::size_t document_begin_ = 0;
  bool has_content_ = false;  ///< the current document has a token of its value
  std::vector<std::string> tag_handles_;
  bool has_version_ = false;

  std::int64_t indent_ = -1;
  std::vector<IndentLevel> indents_;
  std::vector<FlowLevel> flows_;
  std::vector<SimpleKey> keys_;  ///< one for each flow level
  bool key_allowed_ = true;
  bool has_properties_ = false;  ///< an anchor or tag waits for its value
  std::size_t properties_begin_ = 0;
  std::size_t line_properties_begin_ = 0;
  bool follows_block_scalar_ = false;
  std::int64_t nodes_ = 0;
};

}  // namespace pumice::yaml
