#include "admission/names.h"

#include <algorithm>

#include "compose.h"
#include "digits.h"
#include "pumice/model/reader.h"

namespace pumice::admission {
namespace {

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kSubdomainMax = 253;

/// A form of texts: what it asks for, examples, and the expression that the original shows.
struct Form {
  std::string_view wants;
  std::string_view examples;  ///< as the original joins them
  std::string_view expression;
};

constexpr Form kDnsLabel{
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character",
    "'my-name',  or '123-abc', ", "[a-z0-9]([-a-z0-9]*[a-z0-9])?"};
constexpr Form kDnsSubdomain{
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character",
    "'example.com', ", "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"};
constexpr Form kQualifiedName{
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    "'MyName',  or 'my.name',  or '123-abc', ", "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"};
constexpr Form kLabelValue{
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character",
    "'MyValue',  or 'my_value',  or '12345', ", "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"};
constexpr Form kEnvName{
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not "
    "start with a digit",
    "'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', ", "[-._a-zA-Z][-._a-zA-Z0-9]*"};
constexpr Form kConfigKey{"a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                          "'key.name',  or 'KEY_NAME',  or 'key-name', ", "[-._a-zA-Z0-9]+"};
constexpr Form kHeaderName{"a valid HTTP header must consist of alphanumeric characters or '-'", "'X-Header-Name', ",
                           "[-A-Za-z0-9]+"};

std::string message_of(const Form& form) {
  return compose("{} (e.g. {}regex used for validation is '{}')", form.wants, form.examples, form.expression);
}
std::string too_long(std::size_t bytes_max) { return compose("must be no more than {} bytes", bytes_max); }
constexpr std::string_view kEmpty = "must be non-empty";

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_one_of(char c, std::string_view more) { return c != '\0' && more.find(c) != std::string_view::npos; }

bool consists_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_alphanumeric(c) || is_one_of(c, more); });
}

/// Letters, digits and `-_.`, the ends alphanumeric; not empty.
bool is_plain_name(std::string_view text) {
  return !text.empty() && consists_of(text, "-_.") && is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

/// A file of that name would stand for another folder.
void check_folder_prefix(std::string_view text, Messages& out) {
  if (text == ".") {
    out.emplace_back("must not be '.'");
  } else if (text == "..") {
    out.emplace_back("must not be '..'");
  } else if (text.starts_with("..")) {
    out.emplace_back("must not start with '..'");
  }
}

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    std::size_t digits = 0;
    int value = 0;
    while (digits < text.size() && is_digit(text[digits])) {
      value = value * 10 + (text[digits] - '0');
      if (++digits > 3 || value > 255) return false;
    }
    if (digits == 0 || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
    if (part == 3) return text.empty();
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  return false;
}

bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool has_gap = false;
  if (text.starts_with("::")) {
    has_gap = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (true) {
    const std::string_view group = text.substr(0, text.find(':'));
    if (group.find('.') != std::string_view::npos) return is_ipv4(text) && (has_gap ? groups <= 5 : groups == 6);
    const bool is_hex = std::all_of(group.begin(), group.end(), [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    if (group.empty() || group.size() > 4 || !is_hex) return false;
    ++groups;
    text.remove_prefix(group.size());
    if (text.empty()) return has_gap ? groups <= 7 : groups == 8;
    text.remove_prefix(1);
    if (text.starts_with(':')) {
      if (has_gap) return false;
      has_gap = true;
      text.remove_prefix(1);
      if (text.empty()) return groups <= 7;
    }
  }
}

}  // namespace

Messages dns_label_problems(std::string_view text) {
  Messages out;
  if (text.size() > kLabelMax) out.push_back(too_long(kLabelMax));
  if (!is_dns_label(text)) out.push_back(is_dns_subdomain(text) ? "must not contain dots" : message_of(kDnsLabel));
  return out;
}

Messages dns_subdomain_problems(std::string_view text) {
  Messages out;
  if (text.size() > kSubdomainMax) out.push_back(too_long(kSubdomainMax));
  if (!is_dns_subdomain(text)) out.push_back(message_of(kDnsSubdomain));
  return out;
}

Messages name_prefix_problems(std::string_view text) {
  // The original turns a dash at the end, and the letter before it, into `a`.
  std::string masked(text);
  if (masked.size() > 1 && masked.back() == '-') masked.replace(masked.size() - 2, 2, "a");
  return dns_subdomain_problems(masked);
}

Messages qualified_name_problems(std::string_view text) {
  Messages out;
  std::string_view name = text;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      out.push_back(
          compose("a qualified name {} with an optional DNS subdomain prefix and '/' (e.g. "
                  "'example.com/MyName')",
                  message_of(kQualifiedName)));
      return out;
    }
    if (prefix.empty()) out.push_back(compose("prefix part {}", kEmpty));
    if (!prefix.empty()) {
      for (const std::string& problem : dns_subdomain_problems(prefix)) out.push_back("prefix part " + problem);
    }
  }
  if (name.empty()) {
    out.push_back(compose("name part {}", kEmpty));
  } else if (name.size() > kLabelMax) {
    out.push_back("name part " + too_long(kLabelMax));
  }
  if (!is_plain_name(name)) out.push_back("name part " + message_of(kQualifiedName));
  return out;
}

Messages label_value_problems(std::string_view text) {
  Messages out;
  if (text.size() > kLabelMax) out.push_back(too_long(kLabelMax));
  if (!text.empty() && !is_plain_name(text)) out.push_back(message_of(kLabelValue));
  return out;
}

Messages env_name_problems(std::string_view text, bool is_relaxed) {
  Messages out;
  if (is_relaxed) {
    if (text.empty()) out.push_back(compose("environment variable name {}", kEmpty));
    const bool is_printable =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '='; });
    if (!is_printable) {
      out.emplace_back(
          "a valid environment variable name must consist only of printable ASCII characters other than '='");
    }
    return out;
  }
  if (text.empty() || is_digit(text.front()) || !consists_of(text, "-._")) out.push_back(message_of(kEnvName));
  check_folder_prefix(text, out);
  return out;
}

Messages port_name_problems(std::string_view text) {
  Messages out;
  constexpr std::size_t kPortNameMax = 15;
  if (text.size() > kPortNameMax) out.push_back(too_long(kPortNameMax));
  const bool has_allowed = !text.empty() && std::all_of(text.begin(), text.end(),
                                                        [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
  if (!has_allowed) {
    out.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(text.begin(), text.end(), is_lower)) out.emplace_back("must contain at least one letter (a-z)");
  if (text.find("--") != std::string_view::npos) out.emplace_back("must not contain consecutive hyphens");
  if (!text.empty() && (text.front() == '-' || text.back() == '-')) {
    out.emplace_back("must not begin or end with a hyphen");
  }
  return out;
}

Messages config_key_problems(std::string_view text) {
  Messages out;
  if (text.size() > kSubdomainMax) out.push_back(too_long(kSubdomainMax));
  if (text.empty() || !consists_of(text, "-._")) out.push_back(message_of(kConfigKey));
  check_folder_prefix(text, out);
  return out;
}

Messages header_name_problems(std::string_view text) {
  Messages out;
  if (text.empty() || !consists_of(text, "-")) out.push_back(message_of(kHeaderName));
  return out;
}

bool is_ip_address(std::string_view text) {
  return text.find(':') == std::string_view::npos ? is_ipv4(text) : is_ipv6(text);
}

std::string go_list(const Messages& messages) {
  std::string text = "[";
  for (const std::string& message : messages) text += (text.size() > 1 ? " " : "") + message;
  return text + "]";
}

}  // namespace pumice::admission
