// Maps, lists, anchors, merging and documents as Kubernetes' reader has them.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/yaml.h"

namespace pumice {
namespace {

struct Case {
  std::string_view name;
  std::string_view yaml;
  std::string_view json;  ///< empty: must be refused
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Result<Json> got = yaml_to_json(c.yaml);
    INFO(c.name << ": " << c.yaml);
    for (const Diagnostic& diagnostic : got.diagnostics) UNSCOPED_INFO(to_text(diagnostic));
    if (c.json.empty()) {
      CHECK_FALSE(got.ok());
    } else {
      REQUIRE(got.ok());
      CHECK(*got.value == Json::parse(c.json));
    }
  }
}

TEST_CASE("block maps and lists", "[yaml]") {
  check({
      {"nested", "a:\n  b:\n    c: 1\n  d: 2", R"({"a":{"b":{"c":1},"d":2}})"},
      {"a list at its key's own column", "a:\n- 1\n- 2\nb: 3", R"({"a":[1,2],"b":3})"},
      {"lists in lists", "- - 1\n  - 2\n- 3", "[[1,2],3]"},
      {"maps in lists", "- a: 1\n  b: 2\n-\n  c: 3", R"([{"a":1,"b":2},{"c":3}])"},
      {"items with nothing", "-\n- 1\n-", "[null,1,null]"},
      {"blank before the colon", "a : 1", R"({"a":1})"},
      {"no blank behind the colon", "a:1", R"("a:1")"},
      {"explicit keys", "? a\n: 1\n? b", R"({"a":1,"b":null})"},
      {"indented too much", "a:\n  b: 1\n   c: 2", ""},
      {"indented too little", "a:\n  b: 1\n c: 2", ""},
      {"a list item in a map", "a: 1\n- b", ""},
      {"a list item on the key's line", "a: - b", ""},
      {"a key without a colon", "a: 1\nb\nc: 2", ""},
      {"two values", "a: 'x' y", ""},
      {"a value without a key", "a:\n  : b", ""},
      {"a value mark after another value", "a: 1\n: b", ""},
      {"line ends of Windows and old Macs", "a: 1\r\nb:\r\n- x\r\nc: 2\rd: 3", R"({"a":1,"b":["x"],"c":2,"d":3})"},
  });
}

TEST_CASE("flow collections", "[yaml]") {
  check({
      {"JSON", R"({"a": 1, "b": [true, null, "xA"], "c": {}})", R"({"a":1,"b":[true,null,"xA"],"c":{}})"},
      {"tight JSON", R"({"a":1,"b":["c","d"]})", R"({"a":1,"b":["c","d"]})"},
      {"JSON indented with tabs", "{\n\t\"a\": [\n\t\t1\n\t]\n}", R"({"a":[1]})"},
      {"keys without values", "{a, b: 1, c}", R"({"a":null,"b":1,"c":null})"},
      {"a comma at the end", "[1, 2, ]", "[1,2]"},
      {"a pair in a list", "[a: 1, ? b : 2, ? c]", R"([{"a":1},{"b":2},{"c":null}])"},
      {"over several lines", "{a: [1,\n2], b: x\n y}", R"({"a":[1,2],"b":"x y"})"},
      {"keys on lines of their own", "{\n  a,\n  b\n  , c: x\n  y,\n  d\n}",
       R"({"a":null,"b":null,"c":"x y","d":null})"},
      {"comments", "[a # x, y\n, b # ]\n]", R"(["a","b"])"},
      {"a comment is no comma", "[a # x\n b]", ""},
      {"a key mark without a blank", "{?a: 1}", R"({"a":1})"},
      {"an empty entry", "[1,,2]", ""},
      {"a comma first", "[,]", ""},
      {"no comma", "[\"a\" \"b\"]", ""},
      {"a key mark without a comma", "{x?: 1}", ""},
      {"not closed", "a: {b", ""},
      {"closed twice", "a: [b]]", ""},
      {"closed with the other bracket", "[1}", ""},
      {"a bracket to close nothing", "a: ]", ""},
      {"a list item inside", "[- a]", ""},
      {"a value mark without a key", "[:a]", ""},
      {"a block scalar inside", "[|\n x]", ""},
      {"a document mark inside", "[a,\n---\n]", ""},
  });
}

TEST_CASE("tabs are not indentation", "[yaml]") {
  check({
      {"before a key", "\ta: 1", ""},
      {"before a nested key", "a:\n\tb: 1", ""},
      {"before the rest of a value", "a: x\n\ty", ""},
      {"behind a dash", "-\ta", ""},
      {"behind a question mark", "?\ta", ""},
      {"behind a colon", "a:\t1", R"({"a":1})"},
      {"before a comment", "a: 1\t# c", R"({"a":1})"},
      {"within a value", "a: x\ty", R"({"a":"x\ty"})"},
  });
}

TEST_CASE("keys become strings", "[yaml]") {
  check({
      {"booleans", "yes: 1\nn: 2", R"({"true":1,"false":2})"},
      {"integers", "0x1F: 1\n0777: 2\n-1: 3", R"({"31":1,"511":2,"-1":3})"},
      {"floats in single precision", "1.5: a\n1e3: b\n0.1: c\n1e6: d\n1e-5: e\n16777217.0: f\n.inf: g\n.nan: h",
       R"({"1.5":"a","1000":"b","0.1":"c","1e+06":"d","1e-05":"e","1.6777216e+07":"f",".inf":"g",".nan":"h"})"},
      {"dates", "2001-01-01: 1", R"({"2001-01-01":1})"},
      {"empty", "'': 1", R"({"":1})"},
      {"tagged", "!!str yes: 1", R"({"yes":1})"},
      {"null", "null: 1", ""},
      {"nothing", ": 1", ""},
      {"beyond 63 bits", "18446744073709551615: 1", ""},
      {"a list", "? [a]\n: 1", ""},
      {"a map", "{a: 1}: 2", ""},
      {"null, but replaced", "a: {null: 1}\na: 2", R"({"a":2})"},
  });
}

TEST_CASE("anchors and aliases", "[yaml]") {
  check({
      {"scalars", "a: &x 1\nb: *x", R"({"a":1,"b":1})"},
      {"collections", "a: &x [1, {b: 2}]\nc: *x", R"({"a":[1,{"b":2}],"c":[1,{"b":2}]})"},
      {"the latest counts", "a: &x 1\nb: &x 2\nc: *x", R"({"a":1,"b":2,"c":2})"},
      {"of nothing", "a: &x\nb: *x", R"({"a":null,"b":null})"},
      {"as a key", "- &a k\n- *a : 1", R"(["k",{"k":1}])"},
      {"on a key", "&a k: *a", R"({"k":"k"})"},
      {"names have dashes", "a: &a-b_1 1\nb: *a-b_1", R"({"a":1,"b":1})"},
      {"unknown", "a: *x", ""},
      {"no name", "a: *", ""},
      {"no name for an anchor", "a: &", ""},
      {"names are ASCII", "a: &é 1", ""},
      {"a list in itself", "a: &x [*x]", ""},
      {"a map in itself", "a: &x {b: *x}", ""},
      {"two anchors", "a: &x &y 1", ""},
      {"an alias with a value", "a: &x 1\nb: *x 2", ""},
      {"of another document", "a: &x 1\n---\nb: *x", R"({"a":1})"},
  });
}

TEST_CASE("merge keys apply in the order of the text", "[yaml]") {
  check({
      {"one map", "x: &x {p: 1}\nz: {<<: *x, q: 2}", R"({"x":{"p":1},"z":{"p":1,"q":2}})"},
      {"a later key wins", "x: &x {p: 1}\nz:\n  <<: *x\n  p: 2", R"({"x":{"p":1},"z":{"p":2}})"},
      {"so does a later merge", "x: &x {p: 1}\nz:\n  p: 2\n  <<: *x", R"({"x":{"p":1},"z":{"p":1}})"},
      {"of a list the first wins", "z:\n  <<: [{p: 1}, {p: 2, q: 3}]", R"({"z":{"p":1,"q":3}})"},
      {"merged maps merge", "a: &a {p: 1}\nb: &b {<<: *a}\nc: {<<: *b}", R"({"a":{"p":1},"b":{"p":1},"c":{"p":1}})"},
      {"quoted it is a key", "z:\n  '<<': {p: 1}", R"({"z":{"<<":{"p":1}}})"},
      {"the tag makes it merge", "z:\n  !!merge <<: {p: 1}", R"({"z":{"p":1}})"},
      {"as a value it is text", "a: <<", R"({"a":"<<"})"},
      {"only maps can be merged", "z:\n  <<: 1", ""},
      {"not lists of others", "z:\n  <<: [1]", ""},
      {"nor an alias to a list", "x: &x [1]\nz:\n  <<: *x", ""},
      {"nor itself", "z: &y\n  <<: *y", ""},
  });
}

TEST_CASE("of several documents the first is the value", "[yaml]") {
  check({
      {"nothing", "", "null"},
      {"comments only", "# a\n\n# b", "null"},
      {"only a mark", "---", "null"},
      {"two", "a: 1\n---\nb: 2", R"({"a":1})"},
      {"an error in the second", "a: 1\n---\n[", R"({"a":1})"},
      {"ended", "a: 1\n...\n", R"({"a":1})"},
      {"an end mark first", "...\na: 1", ""},
      {"a value on the line of the mark", "--- [1]", "[1]"},
      {"but no map", "--- a: 1", ""},
      {"a version", "%YAML 1.1\n---\na: yes", R"({"a":true})"},
      {"a version of another reader", "%YAML 1.2\n---\na: 1", ""},
      {"a directive without a document", "%YAML 1.1\na: 1", ""},
      {"an unknown directive", "%FOO x\n---\na: 1", ""},
      {"less indented lines after it are not read", " a: 1\nb: 2", R"({"a":1})"},
  });
}

TEST_CASE("all documents of a text", "[yaml]") {
  struct Documents {
    std::string_view name;
    std::string_view yaml;
    std::string_view json;  ///< list of the values; empty: must be refused
  };
  const std::vector<Documents> cases = {
      {"none is one", "", "[null]"},
      {"two", "a: 1\n---\nb: 2\n", R"([{"a":1},{"b":2}])"},
      {"empty ones", "---\n---\n# c\n---\n1", "[null,null,1]"},
      {"end marks", "a\n...\n---\nb\n...\n...\n", R"(["a","b"])"},
      {"directives of each", "%YAML 1.1\n---\na\n...\n%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1", R"(["a","1"])"},
      {"block scalars end with them", "a: |\n  x\n---\nb: >+\n  y\n\n---\nc", R"([{"a":"x\n"},{"b":"y\n\n"},"c"])"},
      {"a document without its mark", "a\n...\nb", ""},
      {"an error in the second", "a: 1\n---\n[", ""},
      {"less indented lines", " a: 1\nb: 2", ""},
      {"a list and then a map", "- a\nb: 1", ""},
      {"something behind the value", "[1] 2", ""},
      {"anchors end with their document", "a: &x 1\n---\nb: *x", ""},
      {"handles too", "%TAG !y! tag:yaml.org,2002:\n---\n1\n---\n!y!str 1", ""},
  };
  for (const Documents& c : cases) {
    INFO(c.name << ": " << c.yaml);
    const auto got = parse_yaml(c.yaml);
    for (const Diagnostic& diagnostic : got.diagnostics) UNSCOPED_INFO(to_text(diagnostic));
    REQUIRE(got.ok() == !c.json.empty());
    if (!got.ok()) continue;
    Json values = Json::array();
    for (const YamlDocument& document : *got.value) values.push_back(to_json(document.root));
    CHECK(values == Json::parse(c.json));
  }
}

TEST_CASE("JSON keeps its own escapes where the text is JSON", "[yaml]") {
  const std::string json = R"({"a": "\/\ud83c\udf0b\u0001", "b": ["\ud800"]})";
  const auto documents = parse_yaml(R"({"a": "\/\ud83c\udf0b\u0001"})");
  REQUIRE(documents.ok());
  CHECK(to_json(documents.value->front().root) == Json{{"a", "/🌋\u0001"}});
  CHECK(documents.value->front().root.children.front().range == Range{{1, 7}, {1, 29}});
  // The YAML reader alone knows no such escapes, and a lone surrogate is no JSON either.
  CHECK_FALSE(yaml_to_json(R"({"a": "\/"})").ok());
  CHECK_FALSE(parse_yaml(json).ok());
}

TEST_CASE("JSON that is no YAML is read without places", "[yaml]") {
  const std::string key(2000, 'k');
  const std::string json = Json{{key, 1}}.dump();
  CHECK_FALSE(yaml_to_json(json).ok());
  const auto documents = parse_yaml(json);
  REQUIRE(documents.ok());
  const YamlNode& root = documents.value->front().root;
  CHECK(to_json(root) == Json{{key, 1}});
  CHECK_FALSE(root.range.begin.known());
}

}  // namespace
}  // namespace pumice
