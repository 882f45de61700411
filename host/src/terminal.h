// What is printed, and how: colours and line breaks are made here and nowhere else.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/simulation/report.h"
#include "pumice/simulation/simulation.h"

namespace pumice::host {

enum class Color : std::uint8_t { Auto, Always, Never };

/// The text without control characters, which would move the cursor of a terminal or worse.
[[nodiscard]] std::string printable(std::string_view text);

/// A stream with or without colour, with or without a width. Colour by itself: on a terminal, unless NO_COLOR is set or
/// the terminal is a dumb one. Lines are broken only on a terminal, so that files and pipes hold the core's text
/// unchanged.
class Printer {
 public:
  Printer(std::FILE* stream, Color color);

  void print(const Line& line);
  void print(const std::vector<Line>& lines);
  void print(std::string_view text, Tone tone = Tone::Plain);
  void flush() { std::fflush(stream_); }

  [[nodiscard]] bool colored() const noexcept { return colored_; }
  /// For texts other than lines: `text` in the colour of an ANSI code, or as it is.
  [[nodiscard]] std::string paint(std::string_view text, std::string_view code) const;

 private:
  [[nodiscard]] std::string_view code_of(const Span& span) const;

  std::FILE* stream_;
  bool colored_ = false;
  std::size_t width_ = 0;  ///< 0: lines are not broken
};

/// Findings in the way compilers show them, with the line they are about:
///
///   error[WrongType]: `replicas` must be a number, is a string
///     --> job.yaml:14:17
///      |
///   14 |       replicas: six
///      |                 ^^^
///      = hint: …
///
/// Notes take one line. More than a hundred are counted, not shown.
void print_diagnostics(Printer& out, const Diagnostics& diagnostics, const std::vector<SourceText>& sources);

}  // namespace pumice::host
