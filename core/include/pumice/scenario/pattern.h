// Patterns of expectations: regular expressions that cannot hang.
//
// The syntax is the part of RE2's (Go's) that texts need: characters, `.`, `[…]` with ranges and `^`, `\d \w \s` and
// their opposites, `\b \B`, `^ $`, `( … )`, `(?: … )`, `|`, `* + ?` and `{m,n}` (a `?` behind them changes nothing
// here), and in front of all `(?i)` for letters in either case, `(?m)` for `^ $` at lines, `(?s)` for a `.` that takes
// line ends. Nothing refers back, so a search takes time in proportion to text and pattern, whatever the pattern. (The
// standard library's expressions throw, recurse over the text, and depend on a locale.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::scenario {

class Pattern {
 public:
  static constexpr std::size_t kBytesMax = 4096;
  static constexpr std::size_t kProgramMax = 5000;

  /// The pattern, or nothing and what is wrong with it in `problem`.
  [[nodiscard]] static std::optional<Pattern> compile(std::string_view text, std::string& problem);

  /// True if some part of `text` matches.
  [[nodiscard]] bool found_in(std::string_view text) const;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  friend bool operator==(const Pattern& a, const Pattern& b) { return a.text_ == b.text_; }

  struct CharRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  struct CharSet {
    std::vector<CharRange> ranges;
    bool negated = false;
  };
  struct Instruction {
    enum class Op : std::uint8_t {
      Character,
      Set,
      Any,
      AnyButLineEnd,
      Split,  ///< goes on at both `a` and `b`, counted from here
      Jump,   ///< goes on at `a`, counted from here
      TextBegin,
      TextEnd,
      LineBegin,
      LineEnd,
      WordEdge,
      NoWordEdge,
      Match,
    };
    Op op = Op::Match;
    std::int32_t a = 0;  ///< where to go, or the number of the set
    std::int32_t b = 0;
    std::uint32_t character = 0;
  };

 private:
  std::string text_;
  std::vector<Instruction> program_;
  std::vector<CharSet> sets_;
  bool ignores_case_ = false;
};

/// A text as a pattern that matches just this text.
[[nodiscard]] std::string quoted_pattern(std::string_view text);

}  // namespace pumice::scenario
