// Where things stand, and what is said about what is wrong.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/yaml.h"

namespace pumice {
namespace {

YamlNode root_of(std::string_view text) {
  auto documents = parse_yaml(text);
  REQUIRE(documents.ok());
  return documents.value->front().root;
}

const YamlNode& at(const YamlNode& node, std::string_view name) {
  const YamlNode* found = node.find(name);
  REQUIRE(found != nullptr);
  return *found;
}

TEST_CASE("keys and values know where they begin and end", "[yaml]") {
  const YamlNode root = root_of(
      "spec:                # line 1\n"
      "  tasks:\n"
      "    - name: &n \"x y\"\n"
      "      on: {k: [1, 2]}\n"
      "  text: |\n"
      "    a\n"
      "    b\n"
      "\n"
      "  copy: *n\n"
      "  none:\n"
      "  long: a\n"
      "    b\n");
  const YamlNode& spec = at(root, "spec");
  CHECK(spec.key_range == Range{{1, 1}, {1, 5}});
  CHECK(spec.range == Range{{2, 3}, {12, 6}});
  const YamlNode& tasks = at(spec, "tasks");
  CHECK(tasks.key_range == Range{{2, 3}, {2, 8}});
  CHECK(tasks.range == Range{{3, 5}, {4, 22}});
  const YamlNode& task = tasks.children.front();
  CHECK(task.range == Range{{3, 7}, {4, 22}});
  CHECK(at(task, "name").range == Range{{3, 13}, {3, 21}});
  const YamlNode& on = at(task, "true");
  CHECK(on.key_range == Range{{4, 7}, {4, 9}});
  CHECK(on.range == Range{{4, 11}, {4, 22}});
  CHECK(at(on, "k").range == Range{{4, 15}, {4, 21}});
  CHECK(at(on, "k").children[1].range == Range{{4, 19}, {4, 20}});
  CHECK(at(spec, "text").range == Range{{5, 9}, {7, 6}});
  CHECK(at(spec, "copy").range == Range{{9, 9}, {9, 11}});
  CHECK(at(spec, "copy").scalar == Json("x y"));
  CHECK(at(spec, "none").range == at(spec, "none").key_range);
  CHECK(at(spec, "long").range == Range{{11, 9}, {12, 6}});
}

TEST_CASE("places count bytes, and not the mark at the front", "[yaml]") {
  const YamlNode root = root_of(
      "\xEF\xBB\xBF"
      "é: x");
  CHECK(root.children.front().key_range == Range{{1, 1}, {1, 3}});
  CHECK(root.children.front().range == Range{{1, 5}, {1, 6}});
}

TEST_CASE("places in later documents count from the start of the text", "[yaml]") {
  const auto documents = parse_yaml("a: 1\n---\n# c\nb:\n  - {c: d}\n");
  REQUIRE(documents.ok());
  REQUIRE(documents.value->size() == 2);
  const YamlNode& b = at((*documents.value)[1].root, "b");
  CHECK(b.range == Range{{5, 3}, {5, 11}});
  CHECK(b.children.front().children.front().range == Range{{5, 9}, {5, 10}});
}

TEST_CASE("absent values do not take the place of what follows", "[yaml]") {
  const YamlNode root = root_of("a:\n  b:\n  c: # nothing\nd: &x\n~x: 'y'\ne: !!str\nf: ''\ng:\n-\n- 1\n");
  CHECK(at(at(root, "a"), "b").range == Range{{2, 3}, {2, 4}});
  CHECK(at(at(root, "a"), "c").range == Range{{3, 3}, {3, 4}});
  CHECK(at(root, "d").is_null());
  CHECK(at(root, "~x").range == Range{{5, 5}, {5, 8}});
  CHECK(at(root, "e").scalar == Json(""));
  CHECK(at(root, "f").range == Range{{7, 4}, {7, 6}});
  CHECK(at(root, "g").children[1].range == Range{{10, 3}, {10, 4}});
}

struct Problem {
  std::string_view name;
  std::string yaml;
  Position at;
  std::string_view message;  ///< part of it
  std::string_view hint;     ///< part of it
};

TEST_CASE("syntax errors name their place, cause and cure", "[yaml]") {
  const std::vector<Problem> cases = {
      {"tab before a key", "a:\n- b: c\n\td: \"True\"\n", {3, 1}, "a tab", "spaces"},
      {"tab in the middle of indentation", "a:\n  b: 1\n  \tc: 1\n", {3, 3}, "a tab", "spaces"},
      {"colon without a blank", "a: 1\nb:2\nc: 3", {2, 1}, "a key must stand here", "blank behind the `:`"},
      {"key without a colon", "a: 1\nb\nc: 3", {2, 1}, "a key must stand here", "indentation"},
      {"too much indentation", "a: x\n b: 1", {2, 3}, "`: ` cannot stand here", "indentation"},
      {"a second colon", "msg: error: bad", {1, 11}, "`: ` cannot stand here", "in quotes"},
      {"too little indentation", "a:\n    b: 1\n  c: 2", {3, 3}, "no key of the map", "indentation"},
      {"less than a text, more than its key", "a: |\n    x\n  y: 1", {3, 3}, "less than the text above", "indentation"},
      {"a schedule without quotes", "schedule: */5 * * * *", {1, 11}, "`*` must be followed", "schedule"},
      {"an event without quotes", "events: [*]", {1, 10}, "`*` must be followed", "quotes"},
      {"at sign", "schedule: @hourly", {1, 11}, "cannot start with `@`", "in quotes"},
      {"open bracket", "a: 1\nb: [1,\n", {2, 4}, "`[` is not closed", "`]`"},
      {"open quote", "a: 1\nb: \"x\nc: 2", {2, 4}, "`\"` is not closed", ""},
      {"wrong bracket", "a: [1}", {1, 6}, "`}` cannot close `[`", ""},
      {"comma in a block value", "a: , b", {1, 4}, "cannot start with `,`", "in quotes"},
      {"missing comma", "[\"a\" \"b\"]", {1, 6}, "`,` must stand before this", ""},
      {"unknown escape", "a: \"C:\\dir\"", {1, 7}, "`\\d` is no escape", "backslash"},
      {"control character", "a: 1\nb: \x07", {2, 4}, "U+0007", "escape"},
      {"not UTF-8", "a: \xFF", {1, 4}, "0xFF is not UTF-8", "UTF-8"},
      {"cut off character", "a: \xE2\x80", {1, 4}, "0xE2 is not UTF-8", "UTF-8"},
      {"overlong character", "a: \xC0\x80", {1, 4}, "0xC0 is not UTF-8", "UTF-8"},
      {"overlong character of three bytes", "a: \xE0\x9F\xBF", {1, 4}, "0xE0 is not UTF-8", "UTF-8"},
      {"UTF-16",
       "\xFF\xFE"
       "a",
       {1, 1},
       "UTF-16",
       "UTF-8"},
      {"UTF-16 without a mark", std::string("a\0:\0 \0b\0", 8), {1, 1}, "UTF-16", "UTF-8"},
      {"UTF-32", std::string("\xFF\xFE\0\0a\0\0\0", 8), {1, 1}, "UTF-32", "UTF-8"},
      {"UTF-32 without a mark", std::string("\0\0\0a", 4), {1, 1}, "UTF-32", "UTF-8"},
      {"Go template", "metadata:\n  name: {{ .Name }}\n", {2, 9}, "template", "render"},
      {"Go template as a line of its own", "a: 1\n{{- if .X }}\nb: 2\n", {2, 1}, "template", "render"},
      {"unknown alias", "a: *b", {1, 4}, "no anchor before this alias", "quotes"},
      {"wrong tag", "a:\n  b: !!int x", {2, 6}, "`x` is a string, but the tag `!!int`", ""},
      {"infinite", "a: .inf", {1, 4}, "JSON has no number `.inf`", "quotes"},
      {"list as a key", "? [a]\n: 1", {1, 3}, "a list cannot be a key", "quotes"},
      {"null as a key", "~: 1", {1, 1}, "`~` cannot be a key", "quotes"},
      {"too long a key", "a: 1\n" + std::string(1100, 'k') + ": 1", {2, 1}, "at most 1024 bytes", "`? `"},
      {"two documents without a mark", "a: 1\n...\nb: 2", {3, 1}, "`---` is missing", ""},
      {"another version", "%YAML 1.2\n---\na: 1", {1, 1}, "YAML 1.1 only", "remove"},
  };
  for (const Problem& c : cases) {
    INFO(c.name << ": " << c.yaml.substr(0, 100));
    YamlOptions options;
    options.file = "job.yaml";
    const auto got = parse_yaml(c.yaml, options);
    CHECK_FALSE(got.ok());
    REQUIRE(got.diagnostics.size() == 1);
    const Diagnostic& found = got.diagnostics.front();
    INFO(to_text(found));
    CHECK(found.severity == Severity::Error);
    CHECK(found.code == "InvalidYaml");
    CHECK(found.file == "job.yaml");
    CHECK(found.range.begin == c.at);
    CHECK(found.message.find(c.message) != std::string::npos);
    CHECK(found.hint.find(c.hint) != std::string::npos);
  }
}

TEST_CASE("problems with values name the field", "[yaml]") {
  const auto got = parse_yaml("spec:\n  tasks:\n  - {a/b: !!int x}\n");
  REQUIRE(got.diagnostics.size() == 1);
  CHECK(got.diagnostics.front().field == "spec.tasks[0][\"a/b\"]");
}

TEST_CASE("messages show a user's text on one line and cut it short", "[yaml]") {
  const auto got = parse_yaml("a: !!int \"x\\ny\\e" + std::string(1000, 'z') + "\"");
  REQUIRE(got.diagnostics.size() == 1);
  const std::string& message = got.diagnostics.front().message;
  CHECK(message.find("`x\\ny\\x1bzz") != std::string::npos);
  CHECK(message.size() < 200);
}

TEST_CASE("a key that is set twice", "[yaml]") {
  const std::string text = "a:\n  b: 1\n  c: {x: 1, x: 2}\n  b: 2\n";

  SECTION("is an error for a strict reader, and all are reported") {
    const auto got = parse_yaml(text);
    CHECK_FALSE(got.ok());
    REQUIRE(got.diagnostics.size() == 2);
    CHECK(got.diagnostics[0].code == "DuplicateKey");
    CHECK(got.diagnostics[0].severity == Severity::Error);
    CHECK(got.diagnostics[0].range == Range{{3, 13}, {3, 14}});
    CHECK(got.diagnostics[0].field == "a.c.x");
    CHECK(got.diagnostics[1].range == Range{{4, 3}, {4, 4}});
    CHECK(got.diagnostics[1].field == "a.b");
    CHECK(got.diagnostics[1].message == "`b` is already set on line 2");
  }
  SECTION("is a warning for a lax one, and the last wins") {
    YamlOptions options;
    options.duplicate_keys = Severity::Warning;
    const auto got = parse_yaml(text, options);
    REQUIRE(got.ok());
    CHECK(got.diagnostics.size() == 2);
    CHECK(to_json(got.value->front().root) == Json::parse(R"({"a":{"b":2,"c":{"x":2}}})"));
    CHECK(got.value->front().root.children.front().children.size() == 2);
  }
  SECTION("may be spelt differently") {
    const auto got = yaml_to_json("1: a\n'1': b\n0x1: c");
    REQUIRE(got.ok());
    CHECK(*got.value == Json{{"1", "c"}});
    CHECK(got.diagnostics.size() == 2);
  }
  SECTION("is always a warning only where one of the two is merged in") {
    const auto got = parse_yaml("x: &x {p: 1}\ny:\n  <<: *x\n  p: 2\n");
    REQUIRE(got.ok());
    REQUIRE(got.diagnostics.size() == 1);
    CHECK(got.diagnostics.front().severity == Severity::Warning);
    CHECK(got.diagnostics.front().range.begin == Position{4, 3});
  }
}

}  // namespace
}  // namespace pumice
