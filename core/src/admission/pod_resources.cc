// Resources of containers and of pods.
#include <algorithm>
#include <charconv>
#include <set>

#include "admission/names.h"
#include "admission/pod_template.h"
#include "compose.h"
#include "cron/go_text.h"
#include "digits.h"
#include "pumice/quantity.h"

namespace pumice::admission {
namespace {

constexpr std::string_view kHugePages = "hugepages-";

bool is_huge_page(std::string_view name) { return name.starts_with(kHugePages); }

/// Resources of Kubernetes itself: a name without a domain, or one of kubernetes.io.
bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

bool is_extended(std::string_view name) {
  return !is_native(name) && !name.starts_with("requests.") &&
         qualified_name_problems("requests." + std::string(name)).empty();
}

bool is_standard_of_container(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || is_huge_page(name);
}

bool is_standard(std::string_view name) {
  constexpr std::string_view kMore[] = {"requests.cpu",
                                        "requests.memory",
                                        "requests.ephemeral-storage",
                                        "limits.cpu",
                                        "limits.memory",
                                        "limits.ephemeral-storage",
                                        "pods",
                                        "resourcequotas",
                                        "services",
                                        "replicationcontrollers",
                                        "secrets",
                                        "configmaps",
                                        "persistentvolumeclaims",
                                        "storage",
                                        "requests.storage",
                                        "services.nodeports",
                                        "services.loadbalancers"};
  return is_standard_of_container(name) || name.starts_with("requests.hugepages-") ||
         std::find(std::begin(kMore), std::end(kMore), name) != std::end(kMore);
}

/// Resources of which only whole ones can be had.
bool is_counted(std::string_view name) { return is_extended(name); }

/// Whether a node may promise more of it than there is.
bool can_be_overcommitted(std::string_view name) { return is_native(name) && !is_huge_page(name); }

/// Nothing finer than one. The canonical text of a fraction ends with the suffix of a small unit.
bool is_whole(const Quantity& quantity) {
  Quantity plain = quantity;
  plain.multiply(1);  // forgets the text that was written
  const std::string text = plain.text();
  if (text.find("e-") != std::string::npos) return false;
  return text.empty() || std::string_view("mun").find(text.back()) == std::string_view::npos;
}

/// The value of a whole quantity, 0 if it does not fit.
std::int64_t whole_value(const std::optional<Quantity>& quantity) {
  if (!quantity) return 0;
  Quantity plain = *quantity;
  plain.multiply(1);
  const std::string text = plain.text();
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc()) return 0;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view kSteps = "kKMGTPE";
  const std::size_t step = suffix.empty() ? std::string_view::npos : kSteps.find(suffix.front());
  if (step == std::string_view::npos) return suffix.empty() ? value : 0;
  const std::int64_t base = suffix.size() == 2 ? 1024 : 1000;
  for (std::size_t i = 0; i < std::max<std::size_t>(step, 1); ++i) {
    if (value > INT64_MAX / base || value < INT64_MIN / base) return 0;
    value *= base;
  }
  return value;
}

/// A quantity in Go syntax: the original forgets here to print its text. The parts are what its parser keeps of a
/// decimal number of up to 18 digits; others are shown as quantities are elsewhere.
std::string go_syntax(std::string_view text) {
  const Shown plain(text);
  std::string digits;
  std::int64_t scale = 0;
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  bool is_behind_point = false;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == '.'); ++at) {
    if (text[at] == '.') {
      is_behind_point = true;
    } else {
      digits += text[at];
      scale -= is_behind_point ? 1 : 0;
    }
  }
  const std::string_view suffix = text.substr(at);
  constexpr std::string_view kSuffixes = "num kMGTPE";  // nano is -9, and so on in steps of three
  if (suffix.size() > 1 || (suffix.size() == 1 && kSuffixes.find(suffix) == std::string_view::npos)) return plain.text;
  if (!suffix.empty()) scale += 3 * (static_cast<std::int64_t>(kSuffixes.find(suffix)) - 3);
  // The parser keeps the text if it is as good as the canonical one.
  const bool is_kept = scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty() || digits.size() > 18 || scale < -9) return plain.text;
  return compose(
      "resource.Quantity{i:resource.int64Amount{value:{}{}, scale:{}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, "
      "s:{}, Format:\"DecimalSI\"}",
      text.starts_with('-') ? "-" : "", digits, scale, is_kept ? plain.text : "\"\"");
}

void check_resource_name(Findings& out, std::string_view name, ResourcesOf whose, const Path& path) {
  const std::size_t before = out.size();
  out.invalid_each("pod.resource-name", path, name, qualified_name_problems(name));
  if (out.size() == before && name.find('/') == std::string_view::npos && !is_standard(name)) {
    out.invalid("pod.resource-name", path, name, "must be a standard resource type or fully qualified");
  }
  if (whose == ResourcesOf::Pod) {
    if (out.size() == before && name != "cpu" && name != "memory" && !is_huge_page(name)) {
      out.unsupported("pod.resource-name", path, name, {"cpu", "hugepages-", "memory"});
    }
    return;
  }
  if (name.find('/') == std::string_view::npos) {
    if (!is_standard_of_container(name)) {
      out.invalid("pod.resource-name", path, name, "must be a standard resource for containers");
    }
  } else if (!is_native(name) && !is_extended(name)) {
    out.invalid("pod.resource-name", path, name, "doesn't follow extended resource name standard");
  }
}

/// Absent for what is no quantity, which the reading of the object has reported.
std::optional<Quantity> check_quantity(Findings& out, std::string_view name, View value, const Path& path) {
  const std::string text = quantity_text(value);
  std::optional<Quantity> quantity = parse_quantity(text);
  if (!quantity) return std::nullopt;
  if (quantity->sign() < 0) {
    out.invalid("pod.resource-quantity", path, quantity->text(), "must be greater than or equal to 0");
  }
  if (is_counted(name) && !is_whole(*quantity)) {
    out.invalid("pod.resource-quantity", path, Shown::raw(go_syntax(text)), "must be an integer");
  }
  if (is_huge_page(name)) {
    const std::int64_t page = whole_value(parse_quantity(name.substr(kHugePages.size())));
    const bool divides = page > 0 && is_whole(*quantity) && whole_value(quantity) % page == 0;
    if (!divides) {
      out.invalid("pod.resource-quantity", path, quantity->text(),
                  compose("{} is not positive integer multiple of {}", quantity->text(), name));
    }
  }
  return quantity;
}

void check_claims(Findings& out, View claims, const PodContext& pod, const Path& path) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < claims.size() && !out.full(); ++i) {
    const std::string_view name = claims.at(i).text("name");
    const Path item = path.item(i);
    if (name.empty()) {
      out.required("pod.resource-claim", item);
      continue;
    }
    if (!seen.insert(name).second && claims.at(i).text("request").empty()) {
      out.duplicate("pod.resource-claim", item, name);
    }
    if (pod.claims.contains(name)) continue;
    std::string detail = "must be one of the names in pod.spec.resourceClaims";
    if (pod.claims.empty()) detail += " which is empty";
    // The original lists them all; so many are no manifest.
    std::size_t listed = 0;
    for (const std::string_view known : pod.claims) {
      if (++listed > 100) break;
      detail += compose("{}{}", listed == 1 ? ": " : ", ", known);
    }
    out.not_found("pod.resource-claim", item, name, detail);
  }
}

using Amounts = std::map<std::string, Quantity, std::less<>>;

void add_amounts(Amounts& sum, const Amounts& more) {
  for (const auto& [name, quantity] : more) {
    const auto [found, is_new] = sum.emplace(name, quantity);
    if (!is_new) found->second.add(quantity);
  }
}

void raise_amounts(Amounts& most, const Amounts& other) {
  for (const auto& [name, quantity] : other) {
    const auto [found, is_new] = most.emplace(name, quantity);
    if (!is_new && compare(quantity, found->second) > 0) found->second = quantity;
  }
}

Amounts requests_of(View container) {
  Amounts amounts;
  const View requests = container["resources"]["requests"];
  if (!requests.is_map()) return amounts;
  for (const auto& [name, value] : requests.json()->items()) {
    if (auto quantity = parse_quantity(quantity_text(View(&value)))) amounts.emplace(name, *std::move(quantity));
  }
  return amounts;
}

/// What the containers of a pod need together: all that run at the same time, or the most hungry init container with
/// the sidecars that were started before it.
Amounts aggregate_requests(View spec) {
  Amounts running;
  const View containers = spec["containers"];
  for (std::size_t i = 0; i < containers.size(); ++i) add_amounts(running, requests_of(containers.at(i)));
  Amounts sidecars;
  Amounts most;
  const View init = spec["initContainers"];
  for (std::size_t i = 0; i < init.size(); ++i) {
    Amounts needs = requests_of(init.at(i));
    if (init.at(i).text("restartPolicy") == "Always") {
      add_amounts(running, needs);
      add_amounts(sidecars, needs);
      needs = sidecars;
    } else {
      add_amounts(needs, sidecars);
    }
    raise_amounts(most, needs);
  }
  raise_amounts(running, most);
  return running;
}

}  // namespace

std::string quantity_text(View quantity) {
  if (quantity.is_text()) return std::string(quantity.text());
  return quantity.present() && !quantity.json()->is_structured() ? quantity.json()->dump() : std::string();
}

void check_resources(Findings& out, View resources, ResourcesOf whose, const PodContext& pod, const Path& path) {
  const Path limits_path = path.child("limits");
  const Path requests_path = path.child("requests");
  const View limits = resources["limits"];
  const View requests = resources["requests"];
  bool has_compute = false;
  bool has_huge_pages = false;
  const auto note = [&](std::string_view name) {
    has_compute = has_compute || name == "cpu" || name == "memory";
    has_huge_pages = has_huge_pages || is_huge_page(name);
  };
  if (limits.is_map()) {
    for (const auto& [name, value] : limits.json()->items()) {
      if (out.full()) return;
      const Path entry = limits_path.key(name);
      check_resource_name(out, name, whose, entry);
      (void)check_quantity(out, name, View(&value), entry);
      note(name);
    }
  }
  if (requests.is_map()) {
    for (const auto& [name, value] : requests.json()->items()) {
      if (out.full()) return;
      const Path entry = requests_path.key(name);
      check_resource_name(out, name, whose, entry);
      const auto request = check_quantity(out, name, View(&value), entry);
      note(name);
      const View limit_value = limits[name];
      const auto limit = parse_quantity(quantity_text(limit_value));
      if (!request) continue;
      if (!limit_value.present()) {
        if (!can_be_overcommitted(name)) {
          out.required("pod.resource-request-limit", limits_path, "Limit must be set for non overcommitable resources");
        }
      } else if (limit && compare(*request, *limit) != 0 && !can_be_overcommitted(name)) {
        out.invalid("pod.resource-request-limit", requests_path, request->text(),
                    compose("must be equal to {} limit of {}", name, limit->text()));
      } else if (limit && compare(*request, *limit) > 0) {
        out.invalid("pod.resource-request-limit", requests_path, request->text(),
                    compose("must be less than or equal to {} limit of {}", name, limit->text()));
      }
    }
  }
  if (has_huge_pages && !has_compute) {
    out.forbidden("pod.resource-quantity", path, "HugePages require cpu or memory");
  }
  const Path claims = path.child("claims");
  check_claims(out, resources["claims"], pod, claims);
}

void check_pod_resources(Findings& out, const PodContext& pod, const Path& path) {
  const View resources = pod.spec["resources"];
  if (!resources.present() || !pod.options.pod_level_resources) return;
  if (resources["claims"].present()) {
    out.forbidden("pod.pod-resources", path.child("claims"), "claims cannot be set for Resources at pod-level");
  }
  check_resources(out, resources, ResourcesOf::Pod, pod, path);
  const Path requests = path.child("requests");
  const View given = resources["requests"];
  for (const auto& [name, needed] : aggregate_requests(pod.spec)) {
    const Quantity request = parse_quantity(quantity_text(given[name])).value_or(Quantity());
    if (compare(needed, request) > 0) {
      out.invalid("pod.pod-resources", requests.key(name), request.text(),
                  compose("must be greater than or equal to aggregate container requests of {}", needed.text()));
    }
  }
  const View containers = pod.spec["containers"];
  const Path containers_path = path.child("containers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const View limits = containers.at(i)["resources"]["limits"];
    if (!limits.is_map()) continue;
    const Path item = containers_path.item(i);
    for (const auto& [name, value] : limits.json()->items()) {
      const auto limit = parse_quantity(quantity_text(View(&value)));
      const auto pod_limit = parse_quantity(quantity_text(resources["limits"][name]));
      if (!limit || !pod_limit || compare(*limit, *pod_limit) <= 0) continue;
      const Path entry = item.key(name);
      out.invalid("pod.pod-resources", entry.child("limits"), limit->text(),
                  compose("must be less than or equal to pod limits of {}", pod_limit->text()));
    }
  }
}

}  // namespace pumice::admission
