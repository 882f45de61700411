// Recorded answers of the real implementations, where their files are at hand: in the folder that the environment
// variable PUMICE_SHARED names, or in `shared` beside the source tree. Each row goes through `eval_line`, as any
// program's would.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "pumice/eval.h"
#include "pumice/json.h"

namespace pumice {
namespace {

std::string shared_folder() {
  const char* from_environment = std::getenv("PUMICE_SHARED");
  return from_environment != nullptr ? from_environment : PUMICE_SOURCE_DIR "/../shared";
}

std::vector<Json> rows_of(const std::string& file) {
  std::vector<Json> rows;
  std::ifstream in(shared_folder() + "/vectors/" + file);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) rows.push_back(Json::parse(line));
  }
  return rows;
}

Json ask(const std::string& op, const Json& args) {
  return Json::parse(eval_line(Json{{"id", 1}, {"op", op}, {"args", args}}.dump(), 1));
}

/// Everything in `want` stands in `got`; numbers compare by value, an absent string is the empty one.
bool covers(const Json& want, const Json& got) {
  if (want.is_object()) {
    if (!got.is_object()) return false;
    for (const auto& [name, value] : want.items()) {
      const auto found = got.find(name);
      const Json absent = value.is_string() ? Json("") : Json();
      if (!covers(value, found == got.end() ? absent : *found)) return false;
    }
    return true;
  }
  if (want.is_array()) {
    if (!got.is_array() || want.size() != got.size()) return false;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!covers(want[i], got[i])) return false;
    }
    return true;
  }
  if (want.is_number() && got.is_number()) return want == got || want.get<double>() == got.get<double>();
  return want.type() == got.type() && want == got;
}

void check_rows(const std::string& file, const std::function<bool(const Json&)>& is_meant,
                const std::function<bool(const Json&)>& agrees) {
  const std::vector<Json> rows = rows_of(file);
  if (rows.empty()) SKIP("no " << file << " in " << shared_folder() << "/vectors (set PUMICE_SHARED)");
  std::int64_t meant = 0;
  for (const Json& row : rows) {
    if (!is_meant(row)) continue;
    ++meant;
    INFO(row.dump().substr(0, 2000));
    CHECK(agrees(row));
  }
  CHECK(meant > 0);
}

/// A row of `{op, args, ok | error}`.
bool answers_as_recorded(const Json& row) {
  const Json answer = ask(row.at("op").get<std::string>(), row.at("args"));
  UNSCOPED_INFO("answer " << answer.dump().substr(0, 2000));
  if (row.contains("error")) return answer.contains("error");
  return answer.contains("ok") && covers(row.at("ok"), answer.at("ok"));
}

bool is_known_operation(const Json& row) {
  for (const std::string_view name : eval_operations()) {
    if (row.at("op") == name) return true;
  }
  return false;
}

TEST_CASE("policies and transitions as recorded", "[vectors]") {
  check_rows("volcano-decide.jsonl", is_known_operation, answers_as_recorded);
}

TEST_CASE("values as recorded", "[vectors]") { check_rows("values.jsonl", is_known_operation, answers_as_recorded); }

TEST_CASE("activations of schedules as recorded", "[vectors]") {
  const auto agrees = [](const Json& row) {
    Json args = row;
    args.erase("next");
    args.erase("error");
    const Json answer = ask("cron.next", args);
    UNSCOPED_INFO("answer " << answer.dump().substr(0, 2000));
    if (row.contains("error")) return answer.contains("error") && answer.at("error").at("message") == row.at("error");
    return answer.contains("ok") && answer.at("ok").at("next") == row.at("next");
  };
  check_rows("cron.jsonl", [](const Json&) { return true; }, agrees);
}

TEST_CASE("YAML as recorded", "[vectors]") {
  const auto agrees = [](const Json& row) {
    const Json answer = ask("yaml.parse", {{"text", row.at("yaml")}});
    UNSCOPED_INFO("answer " << answer.dump().substr(0, 2000));
    const bool refused = answer.contains("error");
    if (row.contains("error")) return refused;
    if (row.contains("strictError")) {  // duplicate keys: said, and the last one wins if there is a value at all
      return refused || (!answer.at("ok").at("diagnostics").empty() && answer.at("ok").at("json") == row.at("json"));
    }
    if (refused) return false;
    const Json& got = answer.at("ok").at("json");
    return covers(row.at("json"), got) && covers(got, row.at("json"));
  };
  check_rows("yaml.jsonl", [](const Json&) { return true; }, agrees);
}

}  // namespace
}  // namespace pumice
