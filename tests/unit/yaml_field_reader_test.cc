// Typed reading: what is taken, and what is said about the rest.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/field_reader.h"

namespace pumice {
namespace {

YamlNode node_of(std::string_view text) {
  auto documents = parse_yaml(text);
  REQUIRE(documents.ok());
  return documents.value->front().root;
}

/// `line:column field: message (hint)` of every finding, sorted by nothing: their order is part of the contract.
std::vector<std::string> findings(const FieldContext& context) {
  std::vector<std::string> lines;
  for (const Diagnostic& d : context.diagnostics) {
    lines.push_back(std::to_string(d.range.begin.line) + ":" + std::to_string(d.range.begin.column) + " " + d.code +
                    " " + d.field + ": " + d.message + (d.hint.empty() ? "" : " (" + d.hint + ")"));
  }
  return lines;
}

TEST_CASE("values of all types", "[yaml]") {
  const YamlNode node = node_of(
      "name: x\n"
      "on: true\n"
      "small: -5\n"
      "float: 3.0\n"
      "power: 1e3\n"
      "large: 9223372036854775807\n"
      "cpu: 2\n"
      "memory: 1Gi\n"
      "half: 0.5\n"
      "any: {a: [1]}\n"
      "args: [a, b, ~]\n"
      "labels: {a/b: c, d: ~}\n"
      "nothing:\n");
  FieldContext context;
  FieldReader reader(node, context, "spec");
  CHECK(reader.string("name") == "x");
  CHECK(reader.boolean("true") == true);
  CHECK(reader.int32("small") == -5);
  CHECK(reader.int32("float") == 3);
  CHECK(reader.int64("power") == 1000);
  CHECK(reader.int64("large") == 9223372036854775807);
  CHECK(reader.text("cpu") == "2");
  CHECK(reader.text("memory") == "1Gi");
  CHECK(reader.text("half") == "0.5");
  CHECK(reader.raw("any") == Json{{"a", {1}}});
  CHECK(reader.string_list("args") == std::vector<std::string>{"a", "b", ""});
  CHECK(reader.string_map("labels") == std::map<std::string, std::string>{{"a/b", "c"}, {"d", ""}});
  CHECK_FALSE(reader.has("nothing"));
  CHECK(reader.has("name"));
  CHECK_FALSE(reader.string("missing"));
  CHECK_FALSE(reader.raw("nothing"));
  CHECK(reader.list("missing").empty());
  CHECK_FALSE(reader.object("nothing"));
  reader.finish();
  CHECK(findings(context).empty());
}

TEST_CASE("wrong types are errors, all of them", "[yaml]") {
  const YamlNode node = node_of(
      "a: '5'\n"
      "b: 5\n"
      "c: yes\n"
      "d: 1.5\n"
      "e: [1]\n"
      "f: {k: v}\n"
      "g: 2147483648\n"
      "h: 9223372036854775808\n"
      "i: [x, 1, {}]\n"
      "j: {a/b: 1}\n"
      "k: x\n"
      "l: !!str 3\n"
      "m: []\n");
  FieldContext context;
  FieldReader reader(node, context);
  CHECK_FALSE(reader.int32("a"));
  CHECK_FALSE(reader.string("b"));
  CHECK_FALSE(reader.string("c"));
  CHECK_FALSE(reader.int64("d"));
  CHECK_FALSE(reader.object("e"));
  CHECK(reader.list("f").empty());
  CHECK_FALSE(reader.int32("g"));
  CHECK_FALSE(reader.int64("h"));
  CHECK(reader.string_list("i").size() == 3);
  CHECK(reader.string_map("j").size() == 1);
  CHECK_FALSE(reader.boolean("k"));
  CHECK_FALSE(reader.int32("l"));
  CHECK_FALSE(reader.object("m"));
  reader.finish();
  CHECK(
      findings(context) ==
      std::vector<std::string>{
          "1:4 WrongType a: expected an integer, got string `5` (remove the quotes)",
          "2:4 WrongType b: expected a string, got number `5` (put it in quotes: \"5\")",
          "3:4 WrongType c: expected a string, got boolean `true` (put it in quotes; unquoted, `yes`, `no`, `on`, "
          "`off`, "
          "`y` and `n` are booleans too)",
          "4:4 WrongType d: expected an integer, got number `1.5`",
          "5:4 WrongType e: expected a map, got a list (remove the `- `)",
          "6:4 WrongType f: expected a list, got a map (start each item with `- `)",
          "7:4 OutOfRange g: `2147483648` does not fit: the field holds integers from -2147483648 to 2147483647",
          "8:4 OutOfRange h: `9223372036854775808` does not fit: the field holds integers from -9223372036854775808 to "
          "9223372036854775807",
          "9:8 WrongType i[1]: expected a string, got number `1` (put it in quotes: \"1\")",
          "9:11 WrongType i[2]: expected a string, got a map",
          "10:10 WrongType j[\"a/b\"]: expected a string, got number `1` (put it in quotes: \"1\")",
          "11:4 WrongType k: expected a boolean, got string `x`",
          "12:4 WrongType l: expected an integer, got string `3` (remove the tag before it)",
          "13:4 WrongType m: expected a map, got a list (an empty map is `{}`)",
      });
}

TEST_CASE("nested readers know their paths", "[yaml]") {
  const YamlNode node = node_of(
      "spec:\n"
      "  tasks:\n"
      "  - name: a\n"
      "    policies:\n"
      "    - {event: 1}\n"
      "    - 7\n"
      "  - ~\n");
  FieldContext context{.file = "job.yaml"};
  FieldReader job(node, context);
  auto spec = job.object("spec");
  REQUIRE(spec);
  std::vector<FieldReader> tasks = spec->list("tasks");
  REQUIRE(tasks.size() == 2);
  CHECK(tasks[0].string("name") == "a");
  for (FieldReader& policy : tasks[0].list("policies")) {
    CHECK_FALSE(policy.string("event"));
    CHECK_FALSE(policy.string("action"));
    policy.finish();
  }
  // Null counts as a map without members.
  CHECK_FALSE(tasks[1].string("name"));
  tasks[1].finish();
  tasks[1].report_at("name", Severity::Error, "Required", "a task needs a name");
  CHECK(findings(context) ==
        std::vector<std::string>{
            "5:15 WrongType spec.tasks[0].policies[0].event: expected a string, got number `1` (put "
            "it in quotes: \"1\")",
            "6:7 WrongType spec.tasks[0].policies[1]: expected a map, got number `7`",
            "7:5 Required spec.tasks[1].name: a task needs a name",
        });
  for (const Diagnostic& diagnostic : context.diagnostics) CHECK(diagnostic.file == "job.yaml");
}

TEST_CASE("members of a map of unknown names", "[yaml]") {
  const YamlNode node = node_of("plugins:\n  ssh: []\n  svc: {a: 1}\n");
  FieldContext context;
  FieldReader reader(node, context);
  std::vector<FieldReader> plugins = reader.members("plugins");
  REQUIRE(plugins.size() == 2);
  CHECK(plugins[0].key() == "ssh");
  CHECK(plugins[0].path() == "plugins.ssh");
  CHECK(plugins[1].int32("a") == 1);
}

TEST_CASE("unknown fields are warnings with the name that was meant", "[yaml]") {
  const YamlNode node = node_of("minAvailabel: 1\nmaxretry: 2\nfoo: 3\nqueue: default\nstatus: {}\n");
  FieldContext context;
  FieldReader reader(node, context, "spec");
  CHECK_FALSE(reader.int32("minAvailable"));
  CHECK_FALSE(reader.int32("maxRetry"));
  CHECK(reader.string("queue") == "default");
  reader.ignore({"status"});
  reader.finish();
  CHECK(findings(context) ==
        std::vector<std::string>{
            "1:1 UnknownField spec.minAvailabel: unknown field `minAvailabel` is ignored (did you mean "
            "`minAvailable`?)",
            "2:1 UnknownField spec.maxretry: unknown field `maxretry` is ignored (did you mean "
            "`maxRetry`?)",
            "3:1 UnknownField spec.foo: unknown field `foo` is ignored",
        });
  for (const Diagnostic& diagnostic : context.diagnostics) CHECK(diagnostic.severity == Severity::Warning);
}

TEST_CASE("values without places read the same", "[yaml]") {
  const auto tree = node_from_json(Json{{"a", "x"}, {"b", 1}, {"c", 18446744073709551615u}});
  REQUIRE(tree.ok());
  FieldContext context;
  FieldReader reader(*tree.value, context);
  CHECK_FALSE(reader.int32("a"));
  CHECK(reader.int32("b") == 1);
  CHECK_FALSE(reader.int64("c"));
  reader.finish();
  CHECK(findings(context) == std::vector<std::string>{"0:0 WrongType a: expected an integer, got string `x`",
                                                      "0:0 OutOfRange c: `18446744073709551615` does not fit: the "
                                                      "field holds integers from -9223372036854775808 to "
                                                      "9223372036854775807"});
}

TEST_CASE("a value that is no map reports once", "[yaml]") {
  const YamlNode node = node_of("[1]");
  FieldContext context;
  FieldReader reader(node, context, "spec");
  CHECK_FALSE(reader.string("a"));
  CHECK_FALSE(reader.int32("b"));
  CHECK(reader.list("c").empty());
  reader.finish();
  CHECK(context.diagnostics.size() == 1);
}

TEST_CASE("findings are bounded, and an error is never lost among warnings", "[yaml]") {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "unknown" + std::to_string(i) + ": 1\n";
  const YamlNode node = node_of(text + "a: x\n");
  FieldContext context;
  FieldReader reader(node, context);
  reader.ignore({"a"});
  reader.finish();
  CHECK_FALSE(reader.int32("a"));
  CHECK(static_cast<std::int64_t>(context.diagnostics.size()) == FieldContext::kDiagnosticsMax);
  CHECK(context.dropped == 2000 - FieldContext::kDiagnosticsMax + 1);
  CHECK(has_errors(context.diagnostics));
}

TEST_CASE("field paths quote what is not a plain word", "[yaml]") {
  CHECK(field_path("", "a") == "a");
  CHECK(field_path("a", "b-c_D") == "a.b-c_D");
  CHECK(field_path("a", "b.c/d") == "a[\"b.c/d\"]");
  CHECK(field_path("a", "") == "a[\"\"]");
  CHECK(field_path("a", 3) == "a[3]");
}

TEST_CASE("the nearest name", "[yaml]") {
  const std::vector<std::string_view> known = {"minAvailable", "maxRetry", "tasks", "queue", "policies"};
  CHECK(nearest_name("minAvailabe", known) == "minAvailable");
  CHECK(nearest_name("MaxRetry", known) == "maxRetry");
  CHECK(nearest_name("task", known) == "tasks");
  CHECK(nearest_name("policy", known) == "");
  CHECK(nearest_name("policie", known) == "policies");
  CHECK(nearest_name("x", known) == "");
  CHECK(nearest_name("", known) == "");
  CHECK(nearest_name(std::string(1000, 'x'), known) == "");
}

}  // namespace
}  // namespace pumice
