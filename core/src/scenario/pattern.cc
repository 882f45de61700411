// A pattern becomes a program of a machine that follows all of its branches at once, one character of the text at a
// time (Thompson's construction). Jumps are relative, so that a part of a program can be repeated by copying it.
#include "pumice/scenario/pattern.h"

#include <algorithm>
#include <utility>

#include "compose.h"
#include "utf8.h"

namespace pumice::scenario {
namespace {

using Instruction = Pattern::Instruction;
using Op = Instruction::Op;
using Program = std::vector<Instruction>;

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::int32_t kRepeatMax = 1000;
constexpr int kDepthMax = 50;

std::uint32_t folded(std::uint32_t c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

bool is_word(std::uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void append(Program& program, const Program& more) { program.insert(program.end(), more.begin(), more.end()); }

std::int32_t length_of(const Program& program) { return static_cast<std::int32_t>(program.size()); }

/// The characters of `\d`, `\w`, `\s`; empty for other letters.
std::vector<Pattern::CharRange> named_set(char letter) {
  switch (letter) {
    case 'd': return {{'0', '9'}};
    case 'w': return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    case 's': return {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    default: return {};
  }
}

class Compiler {
 public:
  explicit Compiler(std::string_view text) : text_(text) {}

  std::vector<Pattern::CharSet> sets;
  bool ignores_case = false;
  std::string problem;

  Program run() {
    take_flags();
    Program program = alternatives(0);
    if (problem.empty() && at_ < text_.size()) fail("`)` without `(`");
    program.push_back({.op = Op::Match});
    return program;
  }

 private:
  void fail(std::string what) {
    if (problem.empty()) problem = std::move(what);
    at_ = text_.size();
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::uint32_t take_character() {
    const Character character = character_at(text_, at_);
    at_ += std::max<std::size_t>(character.length, 1);
    return character.length == 0 ? 0xFFFD : character.code;
  }

  void take_flags() {
    while (problem.empty() && text_.substr(at_).starts_with("(?") && text_.substr(at_).find_first_of(":)") != 2) {
      const std::size_t end = text_.find(')', at_);
      const std::string_view flags = text_.substr(at_ + 2, end == std::string_view::npos ? 0 : end - at_ - 2);
      if (flags.empty() || flags.find_first_not_of("ims") != std::string_view::npos) return;
      ignores_case = ignores_case || flags.find('i') != std::string_view::npos;
      by_lines_ = by_lines_ || flags.find('m') != std::string_view::npos;
      dot_takes_all_ = dot_takes_all_ || flags.find('s') != std::string_view::npos;
      at_ = end + 1;
    }
  }

  Program alternatives(int depth) {
    if (depth > kDepthMax) {
      fail(compose("groups are nested deeper than {}", kDepthMax));
      return {};
    }
    Program program = sequence(depth);
    while (problem.empty() && take('|')) {
      const Program other = sequence(depth);
      Program both{{.op = Op::Split, .a = 1, .b = length_of(program) + 2}};
      append(both, program);
      both.push_back({.op = Op::Jump, .a = length_of(other) + 1});
      append(both, other);
      program = std::move(both);
      check_size(program);
    }
    return program;
  }

  Program sequence(int depth) {
    Program program;
    while (problem.empty() && !at_end() && peek() != '|' && peek() != ')') {
      Program one = atom(depth);
      while (problem.empty() && repeat(one)) {
      }
      append(program, one);
      check_size(program);
    }
    return program;
  }

  void check_size(const Program& program) {
    if (program.size() >= Pattern::kProgramMax) fail("the pattern is too large");
  }

  std::optional<std::int32_t> number() {
    std::int32_t value = 0;
    const std::size_t begin = at_;
    for (; peek() >= '0' && peek() <= '9'; ++at_) value = std::min(value * 10 + (peek() - '0'), kRepeatMax + 1);
    return at_ == begin ? std::nullopt : std::optional(value);
  }

  /// `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}` behind an atom; false if there is none. A `{` that begins none is itself.
  bool repeat(Program& one) {
    std::int32_t least = 0;
    std::int32_t most = -1;
    const std::size_t begin = at_;
    if (take('*')) {
    } else if (take('+')) {
      least = 1;
    } else if (take('?')) {
      most = 1;
    } else if (take('{')) {
      const auto first = number();
      const bool has_comma = take(',');
      const auto second = has_comma ? number() : first;
      if (!first || !take('}')) {
        at_ = begin;
        return false;
      }
      least = *first;
      most = second.value_or(-1);
      if (least > kRepeatMax || most > kRepeatMax || (most >= 0 && most < least)) {
        fail(compose("`{}` is no repetition: 0 to {} times, the smaller number first", text_.substr(begin, at_ - begin),
                     kRepeatMax));
        return false;
      }
    } else {
      return false;
    }
    take('?');
    one = repeated(one, least, most);
    return true;
  }

  Program repeated(const Program& one, std::int32_t least, std::int32_t most) {
    Program program;
    const std::int64_t copies = std::max<std::int64_t>(least, most) + 1;
    if (copies * static_cast<std::int64_t>(one.size() + 2) > static_cast<std::int64_t>(Pattern::kProgramMax)) {
      fail("the pattern is too large");
      return {};
    }
    for (std::int32_t i = 0; i < least; ++i) append(program, one);
    for (std::int32_t i = least; i < most; ++i) {
      program.push_back({.op = Op::Split, .a = 1, .b = length_of(one) + 1});
      append(program, one);
    }
    if (most < 0) {
      program.push_back({.op = Op::Split, .a = 1, .b = length_of(one) + 2});
      append(program, one);
      program.push_back({.op = Op::Jump, .a = -(length_of(one) + 1)});
    }
    return program;
  }

  Program set_of(Pattern::CharSet set) {
    sets.push_back(std::move(set));
    return {{.op = Op::Set, .a = static_cast<std::int32_t>(sets.size()) - 1}};
  }

  Program atom(int depth) {
    const char c = peek();
    switch (c) {
      case '(': return group(depth);
      case '[': return bracket();
      case '.': ++at_; return {{.op = dot_takes_all_ ? Op::Any : Op::AnyButLineEnd}};
      case '^': ++at_; return {{.op = by_lines_ ? Op::LineBegin : Op::TextBegin}};
      case '$': ++at_; return {{.op = by_lines_ ? Op::LineEnd : Op::TextEnd}};
      case '\\': return escape();
      case '*':
      case '+':
      case '?': fail(compose("nothing stands before `{}` that could be repeated", c)); return {};
      default: return {{.op = Op::Character, .character = take_character()}};
    }
  }

  Program group(int depth) {
    ++at_;
    if (peek() == '?') {
      ++at_;
      if (!take(':')) {
        fail("`(?` begins a group that is not known here: write `(?: … )`, or `(?ims)` in front of the whole pattern");
        return {};
      }
    }
    Program program = alternatives(depth + 1);
    if (problem.empty() && !take(')')) fail("`(` without `)`");
    return program;
  }

  /// The character behind a backslash, for those that stand for one.
  std::optional<std::uint32_t> escaped_character(char letter) {
    switch (letter) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      default: break;
    }
    const auto code = static_cast<unsigned char>(letter);
    if (code >= 0x80 || is_word(code)) return std::nullopt;
    return code;
  }

  Program escape() {
    ++at_;
    if (at_end()) {
      fail("nothing stands behind `\\`");
      return {};
    }
    const char letter = text_[at_++];
    if (letter == 'b') return {{.op = Op::WordEdge}};
    if (letter == 'B') return {{.op = Op::NoWordEdge}};
    const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (auto ranges = named_set(lower); !ranges.empty()) return set_of({std::move(ranges), letter != lower});
    if (const auto character = escaped_character(letter)) return {{.op = Op::Character, .character = *character}};
    fail(compose("`\\{}` is not known", character_text(text_, at_ - 1)));
    return {};
  }

  /// One character of a set, or kNone after a named set was put into it.
  std::uint32_t member(Pattern::CharSet& set) {
    if (!take('\\')) return take_character();
    if (at_end()) return kNone;
    const char letter = text_[at_++];
    if (auto ranges = named_set(letter); !ranges.empty()) {
      set.ranges.insert(set.ranges.end(), ranges.begin(), ranges.end());
      return kNone;
    }
    if (const auto character = escaped_character(letter)) return *character;
    fail(compose("`\\{}` is not known in a set", character_text(text_, at_ - 1)));
    return kNone;
  }

  Program bracket() {
    ++at_;
    Pattern::CharSet set;
    set.negated = take('^');
    for (bool first = true; !at_end() && (first || peek() != ']'); first = false) {
      const std::uint32_t begin = member(set);
      if (begin == kNone) continue;
      std::uint32_t end = begin;
      const bool is_range = peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
      if (is_range) {
        ++at_;
        end = member(set);
        if (problem.empty() && (end == kNone || end < begin)) fail("a range in `[…]` goes backwards");
      }
      set.ranges.push_back({begin, end});
      if (set.ranges.size() > Pattern::kProgramMax) fail("the pattern is too large");
    }
    if (problem.empty() && !take(']')) fail("`[` without `]`");
    return set_of(std::move(set));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool by_lines_ = false;
  bool dot_takes_all_ = false;
};

bool holds(const Pattern::CharSet& set, std::uint32_t c, bool ignores_case) {
  const auto has = [&set](std::uint32_t wanted) {
    return std::any_of(set.ranges.begin(), set.ranges.end(), [wanted](const Pattern::CharRange& range) {
      return range.first <= wanted && wanted <= range.last;
    });
  };
  bool found = has(c);
  if (!found && ignores_case) {
    const std::uint32_t lower = folded(c);
    found = has(lower) || (lower >= 'a' && lower <= 'z' && has(lower - 'a' + 'A'));
  }
  return found != set.negated;
}

/// What surrounds a place in the text: `kNone` at its ends.
struct Around {
  std::uint32_t before = kNone;
  std::uint32_t behind = kNone;
};

bool stands(Op op, const Around& around) {
  const bool edge =
      (around.before != kNone && is_word(around.before)) != (around.behind != kNone && is_word(around.behind));
  switch (op) {
    case Op::TextBegin: return around.before == kNone;
    case Op::TextEnd: return around.behind == kNone;
    case Op::LineBegin: return around.before == kNone || around.before == '\n';
    case Op::LineEnd: return around.behind == kNone || around.behind == '\n';
    case Op::WordEdge: return edge;
    case Op::NoWordEdge: return !edge;
    case Op::Character:
    case Op::Set:
    case Op::Any:
    case Op::AnyButLineEnd:
    case Op::Split:
    case Op::Jump:
    case Op::Match: break;
  }
  return false;
}

/// The instructions that wait for a character, each once.
class Threads {
 public:
  explicit Threads(const Program& program) : program_(program), seen_(program.size(), 0) {}

  std::vector<std::size_t> waiting;

  void clear() {
    waiting.clear();
    ++round_;
  }
  /// Follows jumps from `start`; true if the end of the program is reached.
  bool add(std::size_t start, const Around& around) {
    stack_.push_back(start);
    while (!stack_.empty()) {
      const std::size_t at = stack_.back();
      stack_.pop_back();
      if (std::exchange(seen_[at], round_) == round_) continue;
      const Instruction& instruction = program_[at];
      const auto target = [at](std::int32_t by) {
        return static_cast<std::size_t>(static_cast<std::int64_t>(at) + by);
      };
      switch (instruction.op) {
        case Op::Match: stack_.clear(); return true;
        case Op::Jump: stack_.push_back(target(instruction.a)); break;
        case Op::Split:
          stack_.push_back(target(instruction.b));
          stack_.push_back(target(instruction.a));
          break;
        case Op::Character:
        case Op::Set:
        case Op::Any:
        case Op::AnyButLineEnd: waiting.push_back(at); break;
        case Op::TextBegin:
        case Op::TextEnd:
        case Op::LineBegin:
        case Op::LineEnd:
        case Op::WordEdge:
        case Op::NoWordEdge:
          if (stands(instruction.op, around)) stack_.push_back(at + 1);
          break;
      }
    }
    return false;
  }

 private:
  const Program& program_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 1;
  std::vector<std::size_t> stack_;
};

}  // namespace

std::optional<Pattern> Pattern::compile(std::string_view text, std::string& problem) {
  if (text.size() > kBytesMax) {
    problem = compose("the pattern is longer than {} bytes", kBytesMax);
    return std::nullopt;
  }
  Compiler compiler(text);
  Pattern pattern;
  pattern.program_ = compiler.run();
  if (!compiler.problem.empty()) {
    problem = std::move(compiler.problem);
    return std::nullopt;
  }
  pattern.text_ = text;
  pattern.sets_ = std::move(compiler.sets);
  pattern.ignores_case_ = compiler.ignores_case;
  return pattern;
}

bool Pattern::found_in(std::string_view text) const {
  const auto takes = [this](const Instruction& instruction, std::uint32_t c) {
    switch (instruction.op) {
      case Op::Any: return true;
      case Op::AnyButLineEnd: return c != '\n';
      case Op::Character:
        return instruction.character == c || (ignores_case_ && folded(instruction.character) == folded(c));
      case Op::Set: return holds(sets_[static_cast<std::size_t>(instruction.a)], c, ignores_case_);
      case Op::Split:
      case Op::Jump:
      case Op::TextBegin:
      case Op::TextEnd:
      case Op::LineBegin:
      case Op::LineEnd:
      case Op::WordEdge:
      case Op::NoWordEdge:
      case Op::Match: break;
    }
    return false;
  };
  const auto read = [text](std::size_t offset) -> Character {
    if (offset >= text.size()) return {kNone, 0};
    const Character c = character_at(text, offset);
    return c.length == 0 ? Character{0xFFFD, 1} : c;
  };
  Threads one(program_);
  Threads other(program_);
  Threads* now = &one;
  Threads* next = &other;
  Around around{kNone, read(0).code};
  for (std::size_t offset = 0;;) {
    if (now->add(0, around)) return true;
    if (offset >= text.size()) return false;
    const Character c = read(offset);
    offset += c.length;
    around = {c.code, read(offset).code};
    next->clear();
    for (const std::size_t at : now->waiting)
      if (takes(program_[at], c.code) && next->add(at + 1, around)) return true;
    std::swap(now, next);
  }
}

std::string quoted_pattern(std::string_view text) {
  constexpr std::string_view kSpecial = "\\.+*?()|[]{}^$";
  std::string out;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace pumice::scenario
