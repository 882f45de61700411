#include "pod_usage.h"

#include "json_parts.h"

namespace pumice::volcano {
namespace {

/// A member of quantities. A number is read as it is printed.
Resources read_resources(const Json& parent, const char* name) {
  Resources out;
  const Json& list = member_of(parent, name);
  if (!list.is_object()) return out;
  for (const auto& [resource, value] : list.items()) {
    if (!value.is_string() && !value.is_number()) continue;
    std::string text = value.is_string() ? value.get<std::string>() : to_text(value);
    // As upstream's reader of JSON: blanks around it do not count.
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    text = begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
    if (auto quantity = parse_quantity(text)) out.emplace(resource, *std::move(quantity));
  }
  return out;
}

void take_larger(Resources& list, const Resources& other) {
  for (const auto& [name, quantity] : other) {
    const auto [place, is_new] = list.emplace(name, quantity);
    if (!is_new && compare(quantity, place->second) > 0) place->second = quantity;
  }
}

/// Containers run together; an init container runs alone, beside the sidecars that were started before it.
Resources pod_total(const Json& spec, const char* what) {
  Resources total;
  const auto each = [&](const char* list, auto visit) {
    const Json& containers = member_of(spec, list);
    if (!containers.is_array()) return;
    for (const Json& container : containers) visit(container, read_resources(member_of(container, "resources"), what));
  };
  each("containers", [&](const Json&, const Resources& own) { add_resources(total, own); });
  Resources sidecars;
  Resources peak;
  each("initContainers", [&](const Json& container, Resources own) {
    if (text_in(container, "restartPolicy") == "Always") {
      add_resources(total, own);
      add_resources(sidecars, own);
      own = sidecars;
    } else {
      add_resources(own, sidecars);
    }
    take_larger(peak, own);
  });
  take_larger(total, peak);
  return total;
}

bool is_extended(const std::string& name) {
  return name.find('/') != std::string::npos && name.find("kubernetes.io/") == std::string::npos &&
         !name.starts_with("requests.");
}

}  // namespace

void add_resources(Resources& sum, const Resources& more, std::int64_t times) {
  for (const auto& [name, quantity] : more) {
    Quantity share = quantity;
    if (times != 1) share.multiply(times);
    const auto [place, is_new] = sum.emplace(name, share);
    if (!is_new) place->second.add(share);
  }
}

Resources pod_usage(const Json& spec) {
  Resources requests = pod_total(spec, "requests");
  Resources limits = pod_total(spec, "limits");
  const Resources overhead = read_resources(spec, "overhead");
  add_resources(requests, overhead);
  for (const auto& [name, quantity] : overhead)  // limits grow only where there is one
    if (const auto limit = limits.find(name); limit != limits.end() && !limit->second.is_zero())
      limit->second.add(quantity);

  Resources usage{{"count/pods", Quantity(1)}, {"pods", Quantity(1)}};
  const auto is_basic = [](const std::string& name) {
    return name == "cpu" || name == "memory" || name == "ephemeral-storage";
  };
  for (const auto& [name, quantity] : requests) {
    if (!is_basic(name) && !name.starts_with("hugepages-") && !is_extended(name)) continue;
    usage[name] = quantity;
    usage["requests." + name] = quantity;
  }
  for (const auto& [name, quantity] : limits)
    if (is_basic(name)) usage["limits." + name] = quantity;
  return usage;
}

}  // namespace pumice::volcano
