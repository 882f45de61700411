// Texts inside XML.
#pragma once

#include <string>
#include <string_view>

namespace pumice::host {

[[nodiscard]] inline std::string escaped_for_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default: out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
  }
  return out;
}

}  // namespace pumice::host
