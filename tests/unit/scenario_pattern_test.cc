#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/scenario/pattern.h"

namespace pumice::scenario {
namespace {

bool found(std::string_view pattern, std::string_view text) {
  std::string problem;
  const auto compiled = Pattern::compile(pattern, problem);
  INFO(pattern << ": " << problem);
  REQUIRE(compiled.has_value());
  return compiled->found_in(text);
}

TEST_CASE("patterns find what RE2 would", "[scenario][pattern]") {
  struct Case {
    const char* pattern;
    const char* text;
    bool want;
  };
  const Case cases[] = {
      {"", "", true},
      {"", "a", true},
      {"abc", "xxabcxx", true},
      {"abc", "ab", false},
      {"a.c", "abc", true},
      {"a.c", "a\nc", false},
      {"(?s)a.c", "a\nc", true},
      {"^abc$", "abc", true},
      {"^b", "a\nb", false},
      {"(?m)^b$", "a\nb\nc", true},
      {"(?i)RETRY", "retry", true},
      {"(?i)[a-c]x", "Bx", true},
      {"retry", "RETRY", false},
      {"a|b|", "c", true},
      {"^(a|bc)+$", "abcabc", true},
      {"^(a|bc)+$", "abcab", false},
      {"^a*$", "", true},
      {"^a+$", "", false},
      {"^colou?r$", "color", true},
      {"^a{2,3}$", "a", false},
      {"^a{2,3}$", "aaa", true},
      {"^a{2,3}$", "aaaa", false},
      {"^a{2}$", "aa", true},
      {"^a{2,}$", "aaaaa", true},
      {"^a{0}$", "", true},
      {"{pod}", "{pod}", true},
      {"[^a-z]", "abc", false},
      {"[^a-z]", "abC", true},
      {"[]a]", "]", true},
      {"[a-]", "-", true},
      {"\\d+ of \\d+", "retry 1 of 3", true},
      {"[\\d]x", "7x", true},
      {"\\bw-1\\b", "pod w-1 failed", true},
      {"\\bw-1\\b", "pod w-12 failed", false},
      {"policies\\[0\\]", "spec.policies[0]", true},
      {"\\S→\\S", "a→b", true},
      {"^a.b$", "a→b", true},
      {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
      {"(?:ab)*$", "abab", true},
      {"a*?b", "aab", true},
  };
  for (const Case& c : cases) {
    INFO(c.pattern << " in " << c.text);
    CHECK(found(c.pattern, c.text) == c.want);
  }
}

TEST_CASE("patterns that are none say why", "[scenario][pattern]") {
  struct Case {
    const char* pattern;
    const char* problem;
  };
  const Case cases[] = {
      {"(", "`(` without `)`"},        {")", "`)` without `(`"},       {"[a", "`[` without `]`"},
      {"*a", "nothing stands before"}, {"a{3,2}", "is no repetition"}, {"a{1001}", "is no repetition"},
      {"\\", "nothing stands behind"}, {"\\p", "is not known"},        {"(?=a)", "is not known here"},
      {"[z-a]", "goes backwards"},     {"(a{100}){100}", "too large"},
  };
  for (const Case& c : cases) {
    INFO(c.pattern);
    std::string problem;
    CHECK_FALSE(Pattern::compile(c.pattern, problem).has_value());
    CHECK(problem.find(c.problem) != std::string::npos);
  }
  std::string problem;
  CHECK_FALSE(Pattern::compile(std::string(5000, 'a'), problem).has_value());
  CHECK_FALSE(Pattern::compile(std::string(200, '('), problem).has_value());
}

TEST_CASE("a quoted text finds itself", "[scenario][pattern]") {
  const std::string text = "a+b (c) [d] {e} ^$ \\ . | ? *";
  CHECK(found("^" + quoted_pattern(text) + "$", text));
  CHECK_FALSE(found("^" + quoted_pattern("a.c") + "$", "abc"));
}

}  // namespace
}  // namespace pumice::scenario
