// The playground's files inside the program. They are put there by the build when PUMICE_PAGE_DIR names the built page;
// without it there are none, and the program says so.
#pragma once

#include <span>
#include <string_view>

namespace pumice::host {

struct EmbeddedFile {
  std::string_view path;  ///< as in the address, without the leading slash: `index.html`, `assets/index-B4k1.js`
  std::string_view content_type;  ///< for the header of that name, character set included
  std::string_view bytes;
};

/// Sorted by path, byte by byte.
[[nodiscard]] std::span<const EmbeddedFile> embedded_files() noexcept;

/// The file of exactly that path, or null.
[[nodiscard]] const EmbeddedFile* find_embedded_file(std::string_view path) noexcept;

}  // namespace pumice::host
