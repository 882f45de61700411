#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace pumice::host {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool has_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// One colour for each phase, the same everywhere: rest and movement differ by brightness.
std::string_view phase_code(std::string_view phase) {
  if (phase == "Running") return "1;34";
  if (phase == "Restarting") return "1;33";
  if (phase == "Aborting") return "35";
  if (phase == "Aborted") return "1;35";
  if (phase == "Completing") return "32";
  if (phase == "Completed") return "1;32";
  if (phase == "Terminating") return "2";
  if (phase == "Terminated") return "1";
  if (phase == "Failed") return "1;31";
  return "36";
}

std::size_t indent_of(const Line& line) {
  std::size_t indent = 0;
  for (const Span& span : line) {
    for (const char c : span.text) {
      if (c != ' ') return indent;
      ++indent;
    }
  }
  return indent;
}

/// Breaks a line at blanks so that each part fits; what follows is indented a little deeper than the line itself.
std::vector<Line> broken(const Line& line, std::size_t width) {
  std::size_t total = 0;
  for (const Span& span : line) total += columns_of(span.text);
  const std::size_t hang = std::min(indent_of(line) + 2, width / 2);
  if (total <= width || width < 20) return {line};
  std::vector<Line> parts(1);
  std::size_t used = 0;
  bool has_word = false;
  for (const Span& span : line) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const std::size_t blanks = std::min(rest.find_first_not_of(' '), rest.size());
      const std::size_t end = std::min(rest.find(' ', blanks), rest.size());
      const std::string_view gap = rest.substr(0, blanks);
      const std::string_view word = rest.substr(blanks, end - blanks);
      rest.remove_prefix(end);
      if (has_word && !word.empty() && !gap.empty() && used + blanks + columns_of(word) > width) {
        parts.push_back({{Tone::Plain, std::string(hang, ' ')}});
        used = hang;
        parts.back().push_back({span.tone, std::string(word)});
        used += columns_of(word);
        continue;
      }
      parts.back().push_back({span.tone, std::string(gap) + std::string(word)});
      used += blanks + columns_of(word);
      has_word = has_word || !word.empty();
    }
  }
  return parts;
}

}  // namespace

Printer::Printer(std::FILE* stream, Color color) : stream_(stream) {
  const bool is_terminal = ::isatty(::fileno(stream)) == 1;
  const char* term = std::getenv("TERM");
  const bool is_dumb = term == nullptr || std::string_view(term) == "dumb";
  colored_ = color == Color::Always || (color == Color::Auto && is_terminal && !is_dumb && !has_value("NO_COLOR"));
  if (!is_terminal) return;
  winsize size{};
  width_ = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string_view Printer::code_of(const Span& span) const {
  switch (span.tone) {
    case Tone::Plain: return {};
    case Tone::Muted: return "2";
    case Tone::Strong: return "1";
    case Tone::Phase: return phase_code(span.text);
    case Tone::Winner: return "1;32";
    case Tone::Warning: return "1;33";
  }
  return {};
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) out += (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f' ? ' ' : c;
  return out;
}

std::string Printer::paint(std::string_view text, std::string_view code) const {
  if (!colored_ || code.empty() || text.empty()) return printable(text);
  return "\x1b[" + std::string(code) + "m" + printable(text) + std::string(kReset);
}

void Printer::print(const Line& line) {
  const std::vector<Line> parts = width_ == 0 ? std::vector<Line>{line} : broken(line, width_);
  std::string text;
  for (const Line& part : parts) {
    for (const Span& span : part) text += paint(span.text, code_of(span));
    text += '\n';
  }
  std::fwrite(text.data(), 1, text.size(), stream_);
}

void Printer::print(const std::vector<Line>& lines) {
  for (const Line& line : lines) print(line);
}

void Printer::print(std::string_view text, Tone tone) { print(Line{{tone, std::string(text)}}); }

}  // namespace pumice::host
