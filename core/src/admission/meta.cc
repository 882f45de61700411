#include "admission/meta.h"

#include <algorithm>

#include "admission/names.h"
#include "compose.h"
#include "pumice/quantity.h"

namespace pumice::admission {
namespace {

constexpr std::int64_t kAnnotationBytesMax = 256 * 1024;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

void check_requirement(Findings& out, RuleRef rule, View requirement, const Path& path) {
  const std::string_view op = requirement.text("operator");
  const Path values = path.child("values");
  const View list = requirement["values"];
  if (op == "In" || op == "NotIn") {
    if (list.size() == 0) out.required(rule, values, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (list.size() > 0)
      out.forbidden(rule, values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    out.invalid(rule, path.child("operator"), op, "not a valid selector operator");
  }
  out.invalid_each(rule, path.child("key"), requirement.text("key"), qualified_name_problems(requirement.text("key")));
  for (std::size_t i = 0; i < list.size(); ++i) {
    out.invalid_each(rule, values.item(i), list.at(i).text(), label_value_problems(list.at(i).text()));
  }
}

bool matches(View requirement, const Json& labels) {
  const auto label = labels.find(requirement.text("key"));
  const bool has = label != labels.end();
  const std::string_view op = requirement.text("operator");
  if (op == "Exists") return has;
  if (op == "DoesNotExist") return !has;
  const View values = requirement["values"];
  bool is_in = false;
  for (std::size_t i = 0; i < values.size() && has; ++i) is_in = is_in || View(&*label).text() == values.at(i).text();
  return op == "In" ? is_in : !is_in;
}

void check_immutable(Findings& out, View meta, View old, const Path& path, std::string_view name) {
  if (meta.text(name) != old.text(name)) {
    out.invalid("meta.immutable", path.child(name), meta.text(name), "field is immutable");
  }
}

bool is_empty(const Json& value) { return value.is_null() || (value.is_structured() && value.empty()); }

/// Members whose values, or whose members' values, are quantities.
bool holds_quantities(std::string_view member) {
  return member == "limits" || member == "requests" || member == "overhead" || member == "sizeLimit" ||
         member == "divisor";
}

bool are_equal_quantities(const Json& a, const Json& b) {
  const auto text_of = [](const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
  if (a.is_structured() || b.is_structured()) return false;
  const auto x = parse_quantity(text_of(a));
  const auto y = parse_quantity(text_of(b));
  return x && y && compare(*x, *y) == 0;
}

bool equal_as(const Json& a, const Json& b, bool are_quantities) {
  if (is_empty(a) && is_empty(b)) return true;
  if (a.is_array() && b.is_array()) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](const Json& x, const Json& y) {
             return equal_as(x, y, are_quantities);
           });
  }
  if (!a.is_object() || !b.is_object()) return a == b || (are_quantities && are_equal_quantities(a, b));
  for (const auto& [name, value] : a.items()) {
    const auto other = b.find(name);
    if (other == b.end() ? !is_empty(value) : !equal_as(value, *other, are_quantities || holds_quantities(name))) {
      return false;
    }
  }
  for (const auto& [name, value] : b.items()) {
    if (!a.contains(name) && !is_empty(value)) return false;
  }
  return true;
}

}  // namespace

void check_labels(Findings& out, RuleRef rule, View labels, const Path& path) {
  if (!labels.is_map()) return;
  for (const auto& [key, value] : labels.json()->items()) {
    out.invalid_each(rule, path, key, qualified_name_problems(key));
    out.invalid_each(rule, path, View(&value).text(), label_value_problems(View(&value).text()));
  }
}

void check_annotations(Findings& out, RuleRef rule, View annotations, const Path& path) {
  if (!annotations.is_map()) return;
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations.json()->items()) {
    out.invalid_each(rule, path, key, qualified_name_problems(lower_case(key)));
    bytes += key.size() + View(&value).text().size();
  }
  if (bytes > static_cast<std::size_t>(kAnnotationBytesMax)) out.too_long(rule, path, kAnnotationBytesMax);
}

void check_meta(Findings& out, View meta, const Path& path) {
  const std::string_view generate = meta.text("generateName");
  if (!generate.empty()) {
    out.invalid_each("meta.name", path.child("generateName"), generate, name_prefix_problems(generate));
  }
  const std::string_view name = meta.text("name");
  if (name.empty()) {
    // The API server has made the name by now, if it was to make one.
    if (generate.empty()) out.required("meta.name-required", path.child("name"), "name or generateName is required");
  } else {
    out.invalid_each("meta.name", path.child("name"), name, dns_subdomain_problems(name));
  }
  // It has filled in the namespace, too.
  const std::string_view ns = meta.text("namespace");
  if (!ns.empty()) out.invalid_each("meta.namespace", path.child("namespace"), ns, dns_label_problems(ns));
  check_labels(out, "meta.label", meta["labels"], path.child("labels"));
  check_annotations(out, "meta.annotation", meta["annotations"], path.child("annotations"));
}

void check_meta_update(Findings& out, View meta, View old, const Path& path) {
  check_immutable(out, meta, old, path, "name");
  check_immutable(out, meta, old, path, "namespace");
  // A manifest has no uid; an object that came from the API server has.
  if (meta["uid"].present()) check_immutable(out, meta, old, path, "uid");
  check_labels(out, "meta.label", meta["labels"], path.child("labels"));
  check_annotations(out, "meta.annotation", meta["annotations"], path.child("annotations"));
}

void check_label_selector(Findings& out, RuleRef rule, View selector, const Path& path) {
  check_labels(out, rule, selector["matchLabels"], path.child("matchLabels"));
  const View expressions = selector["matchExpressions"];
  const Path list = path.child("matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    check_requirement(out, rule, expressions.at(i), list.item(i));
  }
}

bool is_valid_selector(View selector) {
  Findings findings;
  check_label_selector(findings, "job.selector", selector, Path("selector"));
  return findings.empty();
}

bool selects(View selector, const Json& labels) {
  if (!selector.present()) return false;
  if (const View wanted = selector["matchLabels"]; wanted.is_map()) {
    for (const auto& [key, value] : wanted.json()->items()) {
      const auto found = labels.find(key);
      if (found == labels.end() || *found != value) return false;
    }
  }
  const View expressions = selector["matchExpressions"];
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (!matches(expressions.at(i), labels)) return false;
  }
  return true;
}

bool semantically_equal(const Json& a, const Json& b) { return equal_as(a, b, false); }

bool semantically_equal(View a, View b) {
  const Json nothing;
  return semantically_equal(a.present() ? *a.json() : nothing, b.present() ? *b.json() : nothing);
}

}  // namespace pumice::admission
