#include "folders.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace pumice::host {
namespace {

namespace fs = std::filesystem;

/// Folders nested deeper than this, or more files than that, are no manifests any more.
constexpr int kFolderDepthMax = 32;
constexpr std::size_t kFilesMax = 10'000;

bool is_manifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

}  // namespace

bool list_folder(const std::string& folder, std::vector<std::string>& files, Diagnostics& problems) {
  const auto complain = [&](std::string code, std::string message) {
    problems.push_back({.code = std::move(code), .file = folder, .message = std::move(message)});
    return false;
  };
  std::vector<std::string> found;
  std::error_code wrong;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, wrong);
  for (; !wrong && at != fs::recursive_directory_iterator(); at.increment(wrong)) {
    if (at.depth() > kFolderDepthMax) at.disable_recursion_pending();
    std::error_code unknown;
    if (at->is_regular_file(unknown) && is_manifest(at->path())) found.push_back(at->path().string());
    if (found.size() > kFilesMax)
      return complain("LimitExceeded", fmt::format("holds more than {} manifests", kFilesMax));
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return wrong ? complain("UnreadableFile", "cannot be read: " + wrong.message()) : true;
}

}  // namespace pumice::host
