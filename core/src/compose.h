// Sentences from a pattern and its parts: `compose("{} of {}", 2, "pods")`.
//
// Texts and whole numbers are all that the core puts into sentences. The usual library for that also brings floating
// point, 128-bit integers and its own parser of patterns along: 30 KB of the WebAssembly module's code.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pumice {

namespace compose_detail {

/// A part of a sentence as text; a number's digits stand in the part itself.
class Part {
 public:
  Part(std::string_view text) noexcept : text_(text) {}
  Part(const std::string& text) noexcept : text_(text) {}
  Part(const char* text) noexcept : text_(text) {}
  Part(char letter) noexcept : digits_{letter}, text_(digits_, 1) {}
  Part(bool) = delete;
  template <std::signed_integral Number>
  Part(Number number) noexcept : Part(static_cast<std::int64_t>(number), nullptr) {}
  template <std::unsigned_integral Number>
  Part(Number number) noexcept : Part(static_cast<std::uint64_t>(number), nullptr) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  Part(std::int64_t number, std::nullptr_t) noexcept;
  Part(std::uint64_t number, std::nullptr_t) noexcept;

  char digits_[20];
  std::string_view text_;
};

/// Not for compile time, so a pattern that gets here does not compile.
void parts_and_holes_differ_in_number();

/// A pattern with one `{}` for each part.
template <std::size_t kParts>
struct Pattern {
  template <std::size_t kSize>
  consteval Pattern(const char (&pattern)[kSize]) : text(pattern, kSize - 1) {
    std::size_t holes = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) holes += text[i] == '{' && text[i + 1] == '}' ? 1 : 0;
    if (holes != kParts) parts_and_holes_differ_in_number();
  }

  std::string_view text;
};

[[nodiscard]] std::string fill(std::string_view pattern, const Part* parts);

}  // namespace compose_detail

template <class... Parts>
[[nodiscard]] std::string compose(compose_detail::Pattern<sizeof...(Parts)> pattern, const Parts&... parts) {
  const compose_detail::Part list[] = {compose_detail::Part(parts)...};
  return compose_detail::fill(pattern.text, list);
}

/// `1 pod`, `6 pods`.
[[nodiscard]] std::string count_of(std::int64_t count, std::string_view noun);

}  // namespace pumice
