#include "admission/findings.h"

#include "compose.h"
#include "cron/go_text.h"
#include "pumice/field_reader.h"
#include "yaml/field_path.h"

namespace pumice::admission {

std::string Path::text(bool is_place) const {
  std::string text = parent_ == nullptr ? std::string(is_place ? place_ : name_) : parent_->text(is_place);
  switch (step_) {
    case Step::Root: break;
    case Step::Member:
      if (!text.empty()) text += '.';
      text += is_place && !place_.empty() ? place_ : name_;
      break;
    case Step::Item: yaml::append_item(text, static_cast<std::int64_t>(index_)); break;
    case Step::Key:
      if (is_place) {
        yaml::append_member(text, name_);
      } else {
        text += compose("[{}]", name_);
      }
      break;
  }
  return text;
}

Shown::Shown(std::string_view value) : text(cron::quoted(value)) {}
Shown::Shown(const Json& value) : text(to_text(value)) {}

std::string meant_hint(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t kKnownMax = 1000;
  const std::string_view meant = known.size() > kKnownMax ? std::string_view() : nearest_name(name, known);
  return meant.empty() ? std::string() : compose("did you mean `{}`?", meant);
}

void Findings::push(RuleRef rule, std::string field, std::string message, std::string hint) {
  take({&rule.rule(), std::move(field), std::move(message), std::move(hint)});
}

void Findings::field_error(RuleRef rule, const Path& path, std::string_view kind, std::string_view value,
                           std::string_view detail) {
  if (full()) return;
  std::string message = compose("{}: {}", path.shown(), kind);
  for (const std::string_view part : {value, detail}) {
    if (!part.empty()) message += compose(": {}", part);
  }
  push(rule, path.place(), std::move(message), {});
}

void Findings::invalid(RuleRef rule, const Path& path, const Shown& value, std::string_view detail) {
  field_error(rule, path, "Invalid value", value.text, detail);
}
void Findings::invalid(RuleRef rule, const Path& path, std::string_view detail) {
  field_error(rule, path, "Invalid value", {}, detail);
}
void Findings::required(RuleRef rule, const Path& path, std::string_view detail) {
  field_error(rule, path, "Required value", {}, detail);
}
void Findings::unsupported(RuleRef rule, const Path& path, const Shown& value, Names supported) {
  std::string detail = "supported values: ";
  for (const std::string_view name : supported) {
    if (detail.back() == '"') detail += ", ";
    detail += cron::quoted(name);
  }
  field_error(rule, path, "Unsupported value", value.text, detail);
}
void Findings::forbidden(RuleRef rule, const Path& path, std::string_view detail) {
  field_error(rule, path, "Forbidden", {}, detail);
}
void Findings::duplicate(RuleRef rule, const Path& path, const Shown& value) {
  field_error(rule, path, "Duplicate value", value.text, {});
}
void Findings::too_long(RuleRef rule, const Path& path, std::int64_t bytes_max) {
  field_error(rule, path, "Too long", {}, compose("may not be more than {} bytes", bytes_max));
}
void Findings::too_many(RuleRef rule, const Path& path, std::size_t count, std::int64_t count_max) {
  field_error(rule, path, "Too many", std::to_string(count), compose("must have at most {} items", count_max));
}
void Findings::not_found(RuleRef rule, const Path& path, const Shown& value, std::string_view detail) {
  field_error(rule, path, "Not found", value.text, detail);
}

void Findings::invalid_each(RuleRef rule, const Path& path, std::string_view value,
                            const std::vector<std::string>& details) {
  for (const std::string& detail : details) invalid(rule, path, value, detail);
}

void Findings::not_negative(RuleRef rule, const Path& path, std::optional<std::int64_t> value) {
  if (value && *value < 0) invalid(rule, path, *value, "must be greater than or equal to 0");
}

void Findings::unsay(std::size_t first) {
  for (std::size_t i = first; i < list_.size(); ++i) list_[i].is_said = false;
}

}  // namespace pumice::admission
