// Bounds, and texts made to exhaust a reader.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/yaml.h"

namespace pumice {
namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  out.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

/// `depth` nested block maps or lists, one a line.
std::string nested_lines(std::string_view line, std::size_t depth) {
  std::string out;
  for (std::size_t i = 0; i < depth; ++i) out += std::string(i, ' ') + std::string(line) + "\n";
  return out;
}

std::string code_of(std::string_view text, const YamlLimits& limits = {}) {
  YamlOptions options;
  options.limits = limits;
  const auto got = parse_yaml(text, options);
  if (got.ok()) return "";
  REQUIRE_FALSE(got.diagnostics.empty());
  return got.diagnostics.back().code;
}

TEST_CASE("nesting is bounded, whatever it is made of", "[yaml]") {
  constexpr std::size_t kDeep = 20'000;
  const std::vector<std::string> texts = {
      repeated("[", kDeep),         repeated("{", kDeep),
      repeated("- ", kDeep),        repeated("? ", kDeep),
      repeated("{a: ", kDeep),      repeated("[a: ", kDeep),
      repeated("{? ", kDeep),       repeated("[{a: ", kDeep),
      nested_lines("a:", 2000),     nested_lines("-", 2000),
      nested_lines("- a:", 2000),   nested_lines("? ", 2000),
      "a: " + repeated("[", kDeep), repeated("&a [", kDeep),
      repeated("!!seq [", kDeep),   "- " + repeated("- ", kDeep) + "a",
  };
  for (const std::string& text : texts) {
    INFO(text.substr(0, 40));
    const auto got = parse_yaml(text);
    CHECK_FALSE(got.ok());
    REQUIRE(got.diagnostics.size() == 1);
    CHECK(got.diagnostics.front().code == "LimitExceeded");
    CHECK(got.diagnostics.front().range.begin.known());
  }
}

TEST_CASE("the deepest nesting allowed is read", "[yaml]") {
  const std::size_t depth = static_cast<std::size_t>(YamlLimits{}.depth_max);
  CHECK(code_of(repeated("[", depth) + repeated("]", depth)).empty());
  CHECK(code_of(repeated("[", depth + 1) + repeated("]", depth + 1)) == "LimitExceeded");
  CHECK(code_of(repeated("{a: ", depth) + repeated("}", depth)).empty());
  CHECK(code_of(nested_lines("a:", depth)).empty());
  CHECK(code_of(nested_lines("a:", depth + 1)) == "LimitExceeded");
  // Lists at the column of their key nest without being indented.
  std::string text = "a:\n";
  for (std::size_t i = 1; i < depth / 2; ++i) text += std::string(2 * (i - 1), ' ') + "- a:\n";
  CHECK(code_of(text).empty());
  CHECK(code_of(text + std::string(depth, ' ') + "  - - - x\n") == "LimitExceeded");
}

TEST_CASE("brackets in texts and comments are no nesting", "[yaml]") {
  const std::string brackets = repeated("[{- ? ", 500);
  CHECK(code_of("a: '" + brackets + "'\nb: \"" + brackets + "\"\nc: x" + brackets + "\n# " + brackets + "\nd: |\n  " +
                brackets)
            .empty());
}

TEST_CASE("aliases cannot multiply a text without end", "[yaml]") {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(before + ",", 9) + before + "]\n";
  }
  CHECK(code_of(bomb) == "LimitExceeded");

  std::string merges = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    merges += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + before + "," + before + "]}\n";
  }
  CHECK(code_of(merges) == "LimitExceeded");

  // Few values, but a long one.
  const std::string text = "a: &a " + std::string(100'000, 'x') + "\nb:\n" + repeated("- *a\n", 1000);
  CHECK(code_of(text) == "LimitExceeded");

  // A moderate use is fine.
  CHECK(code_of("a: &a {x: 1, y: 2}\nb: [" + repeated("*a, ", 200) + "]").empty());
}

TEST_CASE("an alias may not nest beyond the limit either", "[yaml]") {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 120; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  CHECK(code_of(text) == "LimitExceeded");
}

TEST_CASE("each limit says so where it is passed", "[yaml]") {
  struct Case {
    std::string_view name;
    YamlLimits limits;
    std::string text;
    Position at;
  };
  YamlLimits bytes;
  bytes.bytes_max = 10;
  YamlLimits nodes;
  nodes.nodes_max = 5;
  YamlLimits text_bytes;
  text_bytes.text_bytes_max = 8;
  YamlLimits documents;
  documents.documents_max = 2;
  YamlLimits depth;
  depth.depth_max = 2;
  const std::vector<Case> cases = {
      {"bytes", bytes, "a: 12345678", {1, 1}},
      {"values", nodes, "[1,2,3,4,5,6]", {1, 10}},
      {"bytes of text", text_bytes, "a: 123\nb: 45678", {2, 4}},
      {"documents", documents, "1\n---\n2\n---\n3\n", {4, 1}},
      {"depth", depth, "a:\n  b: [1]", {2, 6}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    YamlOptions options;
    options.limits = c.limits;
    const auto got = parse_yaml(c.text, options);
    CHECK_FALSE(got.ok());
    REQUIRE(got.diagnostics.size() == 1);
    CHECK(got.diagnostics.front().code == "LimitExceeded");
    CHECK(got.diagnostics.front().range.begin == c.at);
  }
}

TEST_CASE("large and tiresome texts end soon", "[yaml]") {
  constexpr std::size_t kMany = 50'000;
  const std::vector<std::string> texts = {
      "[" + repeated("a, ", kMany) + "]",
      "[" + repeated("1,", kMany),
      repeated("a: 1\n", kMany),
      repeated("- &a 1\n", kMany),
      "- &a 1\n" + repeated("- *a\n", kMany),
      repeated("\"\n", kMany),
      "\"" + repeated("\n", kMany) + "\"",
      "a: >\n" + repeated("\n", kMany) + " x",
      repeated("# x\n", kMany),
      repeated(": ", kMany),
      repeated("! ", kMany),
      repeated("%TAG !a! b\n", kMany),
      repeated("---\n", 5000),
      "a: 1" + repeated("_", kMany),
      "a: " + repeated("9", kMany),
      repeated("null: 1\n", kMany),
      repeated("- .inf\n", kMany),
      repeated("- -\n", kMany),
      "[" + repeated("a:,", kMany) + "]",
      "{" + repeated("? a, ", kMany) + "}",
      repeated("\xF0\x9F\x8C\x8B", kMany),
  };
  for (const std::string& text : texts) {
    INFO(text.substr(0, 40));
    const auto got = parse_yaml(text);
    CHECK(got.ok() != has_errors(got.diagnostics));
    CHECK(got.diagnostics.size() <= 201);
  }
}

TEST_CASE("a JSON value as a tree, within limits", "[yaml]") {
  const Json value = Json::parse(R"({"b": [1, 2.5, "x", null, true, {}], "a": -1})");
  const auto tree = node_from_json(value);
  REQUIRE(tree.ok());
  CHECK(to_json(*tree.value) == value);
  CHECK(tree.value->find("b")->children.size() == 6);
  CHECK(tree.value->find("b")->key == "b");
  CHECK_FALSE(tree.value->range.begin.known());

  Json deep = 1;
  for (int i = 0; i < 101; ++i) deep = Json::array({deep});
  CHECK(node_from_json(deep).diagnostics.at(0).code == "LimitExceeded");
  YamlLimits limits;
  limits.nodes_max = 3;
  CHECK(node_from_json(Json::array({1, 2}), limits).ok());
  CHECK_FALSE(node_from_json(Json::array({1, 2, 3}), limits).ok());
}

}  // namespace
}  // namespace pumice
