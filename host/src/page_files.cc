#include "page_files.h"

#include <fmt/format.h>

namespace pumice::host {
namespace {

constexpr std::string_view kStrictPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; worker-src "
    "'self'; "
    "manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// FNV-1a, 64 bit: an ETag need only differ when the bytes do.
std::string etag_of(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211U;
  }
  return fmt::format("\"{:016x}-{:x}\"", hash, bytes.size());
}

std::string without_entities(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text.starts_with("&#39;")) {
      plain += '\'';
      text.remove_prefix(5);
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  return plain;
}

/// The content of the page's `<meta http-equiv="Content-Security-Policy">`; empty if it has none.
std::string declared_policy(std::string_view html) {
  const std::size_t meta = html.find("http-equiv=\"Content-Security-Policy\"");
  if (meta == std::string_view::npos) return {};
  constexpr std::string_view kContent = "content=\"";
  const std::size_t begin = html.find(kContent, meta);
  const std::size_t tag_end = html.find('>', meta);
  if (begin == std::string_view::npos || begin > tag_end) return {};
  const std::size_t from = begin + kContent.size();
  const std::size_t end = html.find('"', from);
  return end == std::string_view::npos ? std::string() : without_entities(html.substr(from, end - from));
}

/// Names in this folder carry a hash of their content.
bool is_hashed(std::string_view path) { return path.starts_with("assets/"); }

}  // namespace

PageFiles::PageFiles() : policy_(kStrictPolicy) {
  for (const EmbeddedFile& file : embedded_files()) {
    files_[file.path] = {.file = &file,
                         .etag = etag_of(file.bytes),
                         .cache_control = is_hashed(file.path) ? "public, max-age=31536000, immutable" : "no-cache"};
  }
  if (const PageFile* start = find("/")) {
    if (std::string declared = declared_policy(start->file->bytes); !declared.empty()) policy_ = std::move(declared);
  }
  policy_ += "; frame-ancestors 'none'";
}

const PageFile* PageFiles::find(std::string_view target) const {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) return nullptr;
  target.remove_prefix(1);
  const auto found = files_.find(target.empty() ? std::string_view("index.html") : target);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace pumice::host
