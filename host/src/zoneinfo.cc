#include "zoneinfo.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace pumice::host {
namespace {

namespace fs = std::filesystem;

/// A compiled zone of a folder.
std::optional<Zone> zone_of_folder(const std::string& folder, std::string_view name) {
  constexpr std::size_t kZoneBytesMax = 1 << 20;
  const fs::path path = fs::path(folder) / name;
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file || bytes.size() > kZoneBytesMax) return std::nullopt;
  return Zone::from_tzif(bytes);
}

bool is_zone_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  return file.read(magic, sizeof magic) && std::string_view(magic, sizeof magic) == "TZif";
}

/// True if one of the first files is a compiled zone.
bool has_zones(const std::string& folder) {
  constexpr int kLookedAt = 2000;
  int seen = 0;
  std::error_code problem;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, kSkip, problem), end; !problem && at != end; at.increment(problem)) {
    if (++seen > kLookedAt) return false;
    if (at->is_regular_file(problem) && is_zone_file(at->path())) return true;
  }
  return false;
}

}  // namespace

Result<cron::ZoneSource> zones_of(const std::optional<std::string>& folder) {
  cron::ZoneSource zones;
  if (!folder) return Result<cron::ZoneSource>::success(std::move(zones));
  if (!has_zones(*folder)) {
    return Result<cron::ZoneSource>::failure(
        {{.code = "InvalidArgument",
          .message = fmt::format("--zoneinfo: `{}` has no compiled time zones", *folder),
          .hint = "a usual place is /usr/share/zoneinfo; without the option the program's own zones are used"}});
  }
  zones.find = [folder = *folder](std::string_view name) { return zone_of_folder(folder, name); };
  return Result<cron::ZoneSource>::success(std::move(zones));
}

void fit_hints(Diagnostics& diagnostics, const std::optional<std::string>& folder) {
  if (!folder) return;
  for (Diagnostic& finding : diagnostics) {
    if (finding.hint.starts_with("did you mean") && finding.message.find("time zone") != std::string::npos) {
      finding.hint = fmt::format("`{}` has no zone of that name", *folder);
    }
  }
}

}  // namespace pumice::host
