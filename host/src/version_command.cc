#include "version_command.h"

#include <cstdio>

#include <fmt/format.h>

#include "embedded_page.h"
#include "exit_status.h"
#include "pumice/json.h"
#include "pumice/version.h"
#include "pumice/zones.h"

namespace pumice::host {

int print_version(bool as_json) {
  const bool has_page = find_embedded_file("index.html") != nullptr;
  if (as_json) {
    Json known = Json::array();
    for (const ProfileInfo& profile : all_profiles())
      known.push_back({{"name", profile.name}, {"imitates", profile.imitates}});
    const Json json{{"pumice", version()}, {"tzdata", tzdata_release()}, {"profiles", known}, {"playground", has_page}};
    fmt::print("{}\n", json.dump(2));
    return kFine;
  }
  fmt::print("pumice {}\n", version());
  fmt::print("time zones  {}\n", tzdata_release());
  for (const ProfileInfo& profile : all_profiles()) fmt::print("profile     {}: {}\n", profile.name, profile.imitates);
  fmt::print("playground  {}\n", has_page ? "built in" : "not built in");
  return kFine;
}

}  // namespace pumice::host
