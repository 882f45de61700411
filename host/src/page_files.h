// The embedded page as answers to requests, without the network.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "embedded_page.h"

namespace pumice::host {

/// A file and the headers it is sent with.
struct PageFile {
  const EmbeddedFile* file = nullptr;
  std::string etag;
  std::string_view cache_control;
};

class PageFiles {
 public:
  PageFiles();

  [[nodiscard]] bool empty() const noexcept { return files_.empty(); }
  /// The file for a request target such as `/assets/index.js?x=1`; `/` is the start page. Null if there is none.
  [[nodiscard]] const PageFile* find(std::string_view target) const;
  /// The policy the page itself declares (it holds the hashes of its inline scripts), made stricter by what only a
  /// header can say.
  [[nodiscard]] const std::string& content_security_policy() const noexcept { return policy_; }

 private:
  std::map<std::string_view, PageFile> files_;
  std::string policy_;
};

}  // namespace pumice::host
