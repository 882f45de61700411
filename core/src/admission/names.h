// Forms of names, and what Kubernetes says about a text that does not have one (apimachinery's validation). Each
// function returns the messages in the original's order; none means that the text is in order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pumice::admission {

using Messages = std::vector<std::string>;

[[nodiscard]] Messages dns_label_problems(std::string_view text);
[[nodiscard]] Messages dns_subdomain_problems(std::string_view text);
/// A name for which Kubernetes appends something: dashes at its end do no harm.
[[nodiscard]] Messages name_prefix_problems(std::string_view text);
[[nodiscard]] Messages qualified_name_problems(std::string_view text);
[[nodiscard]] Messages label_value_problems(std::string_view text);
/// `is_relaxed`: what has been allowed since Kubernetes 1.34.
[[nodiscard]] Messages env_name_problems(std::string_view text, bool is_relaxed);
[[nodiscard]] Messages port_name_problems(std::string_view text);
[[nodiscard]] Messages config_key_problems(std::string_view text);
[[nodiscard]] Messages header_name_problems(std::string_view text);

/// IPv4 in dotted form without leading zeros, or IPv6.
[[nodiscard]] bool is_ip_address(std::string_view text);

/// Messages in brackets and separated by blanks, as Go prints a list.
[[nodiscard]] std::string go_list(const Messages& messages);

}  // namespace pumice::admission
