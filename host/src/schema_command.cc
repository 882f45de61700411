#include "schema_command.h"

#include <fmt/format.h>

#include "exit_status.h"
#include "pumice/scenario/schema.h"

namespace pumice::host {

int print_schema(const std::string& kind) {
  const Json schema = kind == "suite" ? scenario::suite_schema() : scenario::scenario_schema();
  fmt::print("{}\n", schema.dump(2));
  return kFine;
}

}  // namespace pumice::host
