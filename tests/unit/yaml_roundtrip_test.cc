// What is printed is read back: random values, as JSON and in the block style that people write.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "pumice/yaml.h"
#include "support/prng.h"

namespace pumice {
namespace {

/// Texts that mean something else unless they are quoted. U+0085 and U+2028 are not among them: as such, and so JSON
/// prints them, they are line breaks to this reader.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts = {
      "",     "x",          "yes", "null", "~",  "0777", "1e3",  "2001-01-01", "- a",          "a: b",
      "#",    "a #b",       "'",   "\"",   "\\", " x ",  "x\ny", "\n",         "tab\there",    "{",
      "[",    "*",          "&a",  "!x",   "%",  "@",    "|",    ">",          "---",          "...",
      "é🌋",  "\x1b",       "<<",  "?",    ":",  "a:",   "-",    ".inf",       "line\n\nline", "x\n",
      "100m", "*/5 * * * *"};
  return kTexts;
}

Json random_scalar(test::Prng& prng) {
  switch (prng.below(6)) {
    case 0: return nullptr;
    case 1: return prng.one_in(2);
    case 2: return static_cast<std::int64_t>(prng.next() >> prng.below(64)) * (prng.one_in(2) ? 1 : -1);
    case 3: return prng.next();
    case 4: return static_cast<double>(prng.below(1'000'000)) / 64.0 + 1e-3;
    default: return prng.pick(texts());
  }
}

Json random_value(test::Prng& prng, int depth) {
  if (depth == 0 || prng.one_in(3)) return random_scalar(prng);
  const auto size = prng.below(4);
  Json value = prng.one_in(2) ? Json::array() : Json::object();
  for (std::uint64_t i = 0; i < size; ++i) {
    Json child = random_value(prng, depth - 1);
    if (value.is_array()) {
      value.push_back(std::move(child));
    } else {
      value[prng.pick(texts()) + std::to_string(i)] = std::move(child);
    }
  }
  return value;
}

/// Block style where it exists; scalars as JSON, which are YAML too as long as no characters are escaped by JSON alone.
void print_block(const Json& value, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  if (!value.is_structured() || value.empty()) {
    out += " " + value.dump() + "\n";
  } else if (value.is_array()) {
    out += "\n";
    for (const Json& item : value) {
      out += margin + "-";
      print_block(item, indent + 2, out);
    }
  } else {
    out += "\n";
    for (const auto& [name, member] : value.items()) {
      out += margin + Json(name).dump() + ":";
      print_block(member, indent + 2, out);
    }
  }
}

TEST_CASE("printed values are read back", "[yaml]") {
  const std::uint64_t seed = test::seed_from_environment();
  CAPTURE(seed);
  test::Prng prng(seed);
  for (int round = 0; round < 1000; ++round) {
    const Json value = Json::array({random_value(prng, 4)});
    std::string block = "---";
    print_block(value, 0, block);
    for (const std::string& text :
         {value.dump(), value.dump(2), value.dump(1, '\t'), value.dump(-1, ' ', true), block}) {
      const auto documents = parse_yaml(text);
      if (!documents.ok()) {
        INFO(text);
        FAIL(to_text(documents.diagnostics.front()));
      }
      REQUIRE(documents.value->size() == 1);
      const YamlNode& root = documents.value->front().root;
      if (to_json(root) != value) {
        INFO(text);
        REQUIRE(to_json(root) == value);
      }
      const auto tree = node_from_json(value);
      REQUIRE(tree.ok());
      CHECK(to_json(*tree.value) == value);
    }
  }
}

}  // namespace
}  // namespace pumice
