// The schemas that are published say what the reader takes.
#include "pumice/scenario/schema.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "pumice/scenario/run.h"

namespace pumice::scenario {
namespace {

const std::string kRoot = PUMICE_SOURCE_DIR;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// As much of JSON Schema as our schemas use.
bool is_valid(const Json& value, const Json& schema, const Json& root) {
  if (const auto ref = schema.find("$ref"); ref != schema.end())
    return is_valid(value, root.at(Json::json_pointer(ref->get<std::string>().substr(1))), root);
  if (const auto wanted = schema.find("const"); wanted != schema.end() && *wanted != value) return false;
  if (const auto words = schema.find("enum"); words != schema.end()) {
    bool any = false;
    for (const Json& word : *words) any = any || word == value;
    if (!any) return false;
  }
  if (const auto type = schema.find("type"); type != schema.end()) {
    const bool fits = (*type == "object" && value.is_object()) || (*type == "array" && value.is_array()) ||
                      (*type == "string" && value.is_string()) || (*type == "boolean" && value.is_boolean()) ||
                      (*type == "integer" && value.is_number_integer());
    if (!fits) return false;
  }
  if (const auto required = schema.find("required"); required != schema.end())
    for (const Json& name : *required)
      if (!value.is_object() || !value.contains(name.get<std::string>())) return false;
  if (const auto any_of = schema.find("anyOf"); any_of != schema.end()) {
    bool any = false;
    for (const Json& one : *any_of) any = any || is_valid(value, one, root);
    if (!any) return false;
  }
  if (value.is_array() && schema.contains("items"))
    for (const Json& item : value)
      if (!is_valid(item, schema["items"], root)) return false;
  if (value.is_object()) {
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      if (properties.contains(name)) {
        if (!is_valid(member, properties[name], root)) return false;
      } else if (schema.contains("additionalProperties")) {
        const Json& others = schema["additionalProperties"];
        if (others == false || (others.is_object() && !is_valid(member, others, root))) return false;
      }
    }
  }
  return true;
}

std::vector<std::string> documents() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot + "/policies/scenarios"))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST_CASE("published schemas are those of the reader", "[scenario][schema]") {
  for (const auto& [name, schema] : {std::pair("scenario", scenario_schema()), std::pair("suite", suite_schema())}) {
    for (const char* folder : {"/policies/schema/", "/web/public/schema/"}) {
      const std::string path = kRoot + folder + name + ".schema.json";
      const std::string text = schema.dump(2) + "\n";
      if (std::getenv("PUMICE_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(kRoot + folder);
        std::ofstream(path, std::ios::binary) << text;
      }
      INFO(path);
      CHECK(read_file(path) == text);
    }
  }
}

/// Adds an unknown member to every mapping of a document in turn, and compares what reader and schema say.
void add_unknown(Json& at, Json& whole, const Json& schema, int& refused) {
  if (at.is_array())
    for (Json& item : at) add_unknown(item, whole, schema, refused);
  if (!at.is_object()) return;
  at["zzzUnknown"] = "x";
  const auto node = node_from_json(whole);
  REQUIRE(node.ok());
  const bool reader = read_document(*node.value, "").ok();
  const bool by_schema = is_valid(whole, schema, schema);
  INFO(whole.dump());
  CHECK(reader == by_schema);
  refused += reader ? 0 : 1;
  at.erase("zzzUnknown");
  for (auto& [name, member] : at.items()) add_unknown(member, whole, schema, refused);
}

TEST_CASE("schema and reader agree on every document, and on every unknown field", "[scenario][schema]") {
  int refused = 0;
  int count = 0;
  for (const std::string& path : documents()) {
    INFO(path);
    const auto parsed = parse_yaml(read_file(path));
    REQUIRE(parsed.ok());
    for (const YamlDocument& document : *parsed.value) {
      Json json = to_json(document.root);
      const Json schema = json["kind"] == "Suite" ? suite_schema() : scenario_schema();
      CHECK(is_valid(json, schema, schema));
      CHECK(read_document(document.root, path).ok());
      add_unknown(json, json, schema, refused);
      ++count;
    }
  }
  CHECK(count > 20);
  CHECK(refused > 100);
}

TEST_CASE("the scenarios of policies pass", "[scenario][policies]") {
  for (const std::string& path : documents()) {
    const auto read = read_documents(read_file(path), path);
    std::string findings;
    for (const Diagnostic& finding : read.diagnostics) findings += to_text(finding) + "\n";
    INFO(path << "\n" << findings);
    REQUIRE(read.ok());
    for (const Document& document : *read.value) {
      const auto* scenario = std::get_if<Scenario>(&document);
      if (scenario == nullptr) continue;
      const Outcome outcome = run(*scenario);
      std::string failures;
      for (const Failure& failure : outcome.failures)
        failures +=
            to_text(Diagnostic{.file = failure.place.file, .range = failure.place.range, .message = failure.when}) +
            "\n  expected " + failure.expected + "\n  seen " + failure.seen + "\n" + failure.explanation;
      for (const Diagnostic& finding : outcome.diagnostics)
        if (finding.severity == Severity::Error) failures += to_text(finding) + "\n";
      INFO(scenario->name << "\n" << failures);
      CHECK(outcome.verdict == Verdict::Passed);
      CHECK_FALSE(scenario->title.empty());
      CHECK(scenario->annotations.contains("pumice.dev/thread"));
    }
  }
}

}  // namespace
}  // namespace pumice::scenario
