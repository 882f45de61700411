// Folding: how the lines of a scalar become one text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace pumice::yaml {

/// The text of a plain or quoted scalar while it is taken in. A single line break becomes a blank, each further one
/// stays, blanks around them go. U+2028 and U+2029, which break lines too, stay as they are.
class FoldedText {
 public:
  void add(char c) {
    join();
    text_ += c;
  }
  void add(std::string_view characters) {
    join();
    text_ += characters;
  }

  void add_blank(char c) {
    if (!after_break_) blanks_ += c;
  }

  /// `line_break` is LF or one of the two that stay.
  void add_break(std::string_view line_break) {
    if (after_break_) {
      more_breaks_ += line_break;
      return;
    }
    blanks_.clear();
    first_break_ = line_break;
    after_break_ = true;
  }

  /// A break behind a backslash: it goes, the blanks before it stay.
  void add_escaped_break() {
    join();
    after_break_ = true;
  }

  [[nodiscard]] bool is_after_break() const noexcept { return after_break_; }

  /// The text, blanks and breaks at its end included or not.
  [[nodiscard]] std::string with_end() && {
    join();
    return std::move(text_);
  }
  [[nodiscard]] std::string without_end() && { return std::move(text_); }

 private:
  void join() {
    if (!after_break_) {
      text_ += blanks_;
    } else if (first_break_ != "\n") {
      text_ += first_break_ + more_breaks_;
    } else if (more_breaks_.empty()) {
      text_ += ' ';
    } else {
      text_ += more_breaks_;
    }
    blanks_.clear();
    first_break_.clear();
    more_breaks_.clear();
    after_break_ = false;
  }

  std::string text_;
  std::string blanks_;  ///< since the last character, on the same line
  std::string first_break_;
  std::string more_breaks_;
  bool after_break_ = false;
};

}  // namespace pumice::yaml
