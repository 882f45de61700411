#include <algorithm>

#include "embedded_page.h"

namespace pumice::host {

const EmbeddedFile* find_embedded_file(std::string_view path) noexcept {
  const std::span<const EmbeddedFile> files = embedded_files();
  const auto found = std::ranges::lower_bound(files, path, {}, &EmbeddedFile::path);
  return found != files.end() && found->path == path ? &*found : nullptr;
}

}  // namespace pumice::host
