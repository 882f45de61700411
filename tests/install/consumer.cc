// Uses what the installed core promises: its headers, and the libraries inside it.
#include <pumice/diagnostic.h>
#include <pumice/json.h>
#include <pumice/zones.h>

#include <cstdio>
#include <optional>

int main() {
  const pumice::Diagnostic diagnostic{
      .file = "job.yaml", .range = {.begin = {.line = 2, .column = 3}}, .message = "is odd"};
  if (pumice::to_text(diagnostic) != "job.yaml:2:3: error: is odd") return 1;
  if (pumice::Json::parse(R"({"b":1,"a":2})").dump() != R"({"a":2,"b":1})") return 2;
  const std::optional<pumice::ZoneOffset> berlin = pumice::zone_offset("Europe/Berlin", 1'782'864'000);
  if (!berlin || berlin->abbreviation != "CEST") return 3;
  std::puts("the installed core works");
  return 0;
}
