#include "admission/schema.h"

#include <algorithm>

#include "admission/schema_types.h"
#include "compose.h"
#include "cron/go_text.h"
#include "pumice/field_reader.h"
#include "pumice/model/reader.h"
#include "pumice/quantity.h"
#include "pumice/time.h"

namespace pumice::admission {
namespace {

/// A type as Go's JSON reader calls it.
std::string_view go_kind(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "number";
}

/// A type as the schema calls it.
std::string_view schema_kind(const Json& value) {
  if (value.is_boolean()) return "boolean";
  if (value.is_number_integer()) return "integer";
  return go_kind(value);
}

std::string go_type(const FieldInfo& field) {
  if (!field.go.empty()) return std::string(field.go);
  switch (field.type) {
    case ValueType::String: return "string";
    case ValueType::Int32: return "int32";
    case ValueType::Int64: return "int64";
    case ValueType::Bool: return "bool";
    case ValueType::StringMap: return "map[string]string";
    case ValueType::QuantityMap: return "v1.ResourceList";
    case ValueType::ListMap: return "map[string][]string";
    case ValueType::Strings: return "[]string";
    case ValueType::Int32s: return "[]int32";
    case ValueType::Int64s: return "[]int64";
    case ValueType::Object: return std::string(field.of->go);
    case ValueType::List: return compose("[]{}", field.of->go);
    case ValueType::Quantity:
    case ValueType::IntOrString:
    case ValueType::Duration:
    case ValueType::Any: break;
  }
  return "string";
}

std::string_view schema_type(ValueType type) {
  switch (type) {
    case ValueType::Int32:
    case ValueType::Int64: return "integer";
    case ValueType::Bool: return "boolean";
    case ValueType::Strings:
    case ValueType::Int32s:
    case ValueType::Int64s:
    case ValueType::List: return "array";
    case ValueType::StringMap:
    case ValueType::QuantityMap:
    case ValueType::ListMap:
    case ValueType::Object: return "object";
    case ValueType::String:
    case ValueType::Quantity:
    case ValueType::IntOrString:
    case ValueType::Duration:
    case ValueType::Any: break;
  }
  return "string";
}

bool is_whole(const Json& value, ValueType type) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return false;
  const std::int64_t number = value.get<std::int64_t>();
  return type == ValueType::Int64 || (number >= INT32_MIN && number <= INT32_MAX);
}

std::string without_indexes(std::string_view path) {
  std::string out;
  bool is_inside = false;
  for (const char c : path) {
    is_inside = is_inside || c == '[';
    if (!is_inside) out += c;
    if (c == ']') is_inside = false;
  }
  return out;
}

std::string_view pattern_of(Limit::Form form) {
  switch (form) {
    case Limit::Form::DnsLabel: return "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
    case Limit::Form::DnsSubdomain: return "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
    case Limit::Form::NoColon: return "^[^:]*$";
    case Limit::Form::Any: break;
  }
  return "";
}

bool has_form(std::string_view text, Limit::Form form) {
  switch (form) {
    case Limit::Form::DnsLabel: return is_dns_label(text);
    case Limit::Form::DnsSubdomain: return is_dns_subdomain(text);
    case Limit::Form::NoColon: return text.find(':') == std::string_view::npos;
    case Limit::Form::Any: break;
  }
  return true;
}

class Walker {
 public:
  Walker(Findings& out, Kind kind, bool with_limits)
      : out_(out), is_definition_(kind != Kind::Job && kind != Kind::CronJob), with_limits_(with_limits) {}

  void object(const Json& value, const TypeInfo& type, const Path& path) {
    for (const auto& [name, member] : value.items()) {
      const auto field = std::find_if(type.fields.begin(), type.fields.end(),
                                      [&, &key = name](const FieldInfo& one) { return one.name == key; });
      const Path member_path = path.child(name);
      if (field == type.fields.end()) {
        unknown(name, type, path);
      } else if (!member.is_null()) {
        current_ = &type;
        check(member, *field, member_path);
      }
    }
    if (!with_limits_ || !is_definition_) return;
    for (const FieldInfo& field : type.fields) {
      if (field.limit == nullptr || !field.limit->is_required || View(&value)[field.name].present()) continue;
      out_.required("volcano.schema.required", path.child(field.name));
    }
  }

  [[nodiscard]] SchemaResult take() && { return std::move(result_); }

 private:
  void unknown(std::string_view name, const TypeInfo& type, const Path& path) {
    if (out_.full()) return;
    std::vector<std::string_view> known;
    for (const FieldInfo& field : type.fields) known.push_back(field.name);
    const Path shown = path.child(name);
    std::string place = path.place();
    place = field_path(place, name);
    out_.add("schema.unknown-field", std::move(place), compose("unknown field \"{}\"", shown.shown()),
             meant_hint(name, known));
  }

  /// What is inside a pod template is read by Go, whatever the object around it is.
  [[nodiscard]] bool is_checked_by_schema() const { return is_definition_ && current_->go.starts_with("v1alpha1."); }

  void wrong_type(const Json& value, const FieldInfo& field, const Path& path) { wrong_type(value, field, path, path); }

  /// `path` is what the messages say, `at` is where the value stands.
  void wrong_type(const Json& value, const FieldInfo& field, const Path& path, const Path& at) {
    const TypeInfo& type = *current_;
    const std::string_view struct_name = type.go.substr(type.go.find('.') + 1);
    std::string given(go_kind(value));
    const bool is_number = value.is_number() && (field.type == ValueType::Int32 || field.type == ValueType::Int64);
    if (is_number) given += " " + value.dump();
    const std::string go = compose("json: cannot unmarshal {} into Go struct field {}.{} of type {}", given,
                                   struct_name, without_indexes(path.shown()), go_type(field));
    note_decode_error(go);
    if (!is_checked_by_schema()) {
      out_.add("schema.type", at.place(), go);
      return;
    }
    const std::string_view kind = schema_kind(value);
    out_.invalid(
        "volcano.schema.type", path, kind,
        compose("{} in body must be of type {}: {}", path.shown(), schema_type(field.type), cron::quoted(kind)));
  }

  void note_decode_error(const std::string& text) {
    result_.has_type_errors = true;
    if (result_.decode_error.empty()) result_.decode_error = text;
  }

  /// A value whose Go type reads itself.
  void unreadable(const Path& path, std::string text) {
    note_decode_error(text);
    out_.add("schema.type", path.place(), std::move(text));
  }

  void check(const Json& value, const FieldInfo& field, const Path& path) {
    switch (field.type) {
      case ValueType::String:
        if (!value.is_string()) return wrong_type(value, field, path);
        break;
      case ValueType::Int32:
      case ValueType::Int64:
        if (!is_whole(value, field.type)) return wrong_type(value, field, path);
        break;
      case ValueType::Bool:
        if (!value.is_boolean()) return wrong_type(value, field, path);
        break;
      case ValueType::Quantity: return quantity(value, path);
      case ValueType::IntOrString:
        if (!value.is_string() && !value.is_number_integer()) return wrong_type(value, field, path);
        break;
      case ValueType::Duration: return duration(value, field, path);
      case ValueType::StringMap:
      case ValueType::QuantityMap:
      case ValueType::ListMap: return map(value, field, path);
      case ValueType::Strings:
      case ValueType::Int32s:
      case ValueType::Int64s: return list_of_values(value, field, path);
      case ValueType::Object:
        if (!value.is_object()) return wrong_type(value, field, path);
        return object(value, *field.of, path);
      case ValueType::List: return list_of_objects(value, field, path);
      case ValueType::Any: return;
    }
    if (field.limit != nullptr) check_limit(value, *field.limit, path);
  }

  void quantity(const Json& value, const Path& path) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    std::string_view problem;
    if (parse_quantity(cron::trimmed(text), &problem)) return;
    unreadable(path, std::string(problem));
  }

  void duration(const Json& value, const FieldInfo& field, const Path& path) {
    if (!value.is_string()) return wrong_type(value, field, path);
    const std::string problem = duration_error(value.get_ref<const std::string&>());
    if (!problem.empty()) unreadable(path, problem);
  }

  void map(const Json& value, const FieldInfo& field, const Path& path) {
    if (!value.is_object()) return wrong_type(value, field, path);
    for (const auto& [name, member] : value.items()) {
      const Path entry = path.key(name);
      if (member.is_null()) continue;
      if (field.type == ValueType::QuantityMap) {
        quantity(member, entry);
      } else if (field.type == ValueType::ListMap) {
        list_of_values(member, FieldInfo{"", ValueType::Strings}, entry);
      } else if (!member.is_string()) {
        wrong_type(member, FieldInfo{"", ValueType::String}, path, entry);
      }
    }
  }

  void list_of_values(const Json& value, const FieldInfo& field, const Path& path) {
    if (!value.is_array()) return wrong_type(value, field, path);
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Json& item = value[i];
      const Path item_path = path.item(i);
      const ValueType type = field.type == ValueType::Int64s   ? ValueType::Int64
                             : field.type == ValueType::Int32s ? ValueType::Int32
                                                               : ValueType::String;
      const bool is_right = type == ValueType::String ? item.is_string() : is_whole(item, type);
      if (item.is_null()) continue;
      if (!is_right) {
        std::string_view go = field.go;
        if (go.starts_with("[]")) go.remove_prefix(2);
        wrong_type(item, FieldInfo{"", type, nullptr, nullptr, go}, item_path);
      } else if (field.limit != nullptr) {
        check_limit(item, *field.limit, item_path);
      }
    }
  }

  void list_of_objects(const Json& value, const FieldInfo& field, const Path& path) {
    if (!value.is_array()) return wrong_type(value, field, path);
    if (with_limits_ && field.limit != nullptr && value.size() < field.limit->items_min) {
      out_.invalid("volcano.schema.items", path, static_cast<std::int64_t>(value.size()),
                   compose("{} in body should have at least {} items", path.shown(), field.limit->items_min));
    }
    const TypeInfo* const outer = current_;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Path item_path = path.item(i);
      current_ = outer;
      if (value[i].is_null()) continue;
      if (value[i].is_object()) {
        object(value[i], *field.of, item_path);
      } else {
        wrong_type(value[i], FieldInfo{"", ValueType::Object, field.of}, item_path);
      }
    }
  }

  void check_limit(const Json& value, const Limit& limit, const Path& path) {
    if (!with_limits_ || !is_definition_) return;
    if (value.is_number_integer()) {
      const std::int64_t number = value.get<std::int64_t>();
      if (number >= limit.least) return;
      out_.invalid("volcano.schema.minimum", path, number,
                   compose("{} in body should be greater than or equal to {}", path.shown(), limit.least));
      return;
    }
    if (!value.is_string()) return;
    const std::string& text = value.get_ref<const std::string&>();
    if (text.size() < limit.bytes_min) {
      out_.invalid("volcano.schema.length", path, text,
                   compose("{} in body should be at least {} chars long", path.shown(), limit.bytes_min));
    }
    if (limit.bytes_max > 0 && text.size() > limit.bytes_max) {
      out_.too_long("volcano.schema.length", path, static_cast<std::int64_t>(limit.bytes_max));
    }
    // An empty text is what the webhook fills in.
    if (!text.empty() && !has_form(text, limit.form)) {
      out_.invalid("volcano.schema.pattern", path, text,
                   compose("{} in body should match '{}'", path.shown(), pattern_of(limit.form)));
    }
    if (limit.words.empty() || std::find(limit.words.begin(), limit.words.end(), text) != limit.words.end()) return;
    const std::vector<std::string_view> words(limit.words.begin(), limit.words.end());
    if (out_.full()) return;
    out_.unsupported("volcano.schema.value", path, text, limit.words);
    out_.all().back().hint = meant_hint(text, words);
  }

  Findings& out_;
  bool is_definition_;
  bool with_limits_;
  const TypeInfo* current_ = nullptr;
  SchemaResult result_;
};

}  // namespace

const TypeInfo& type_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::VolcanoJob: return types::kVolcanoJob;
    case Kind::VolcanoCronJob: return types::kVolcanoCron;
    case Kind::JobFlow: return types::kFlow;
    case Kind::JobTemplate: return types::kFlowTemplate;
    case Kind::Job: return types::kJob;
    case Kind::CronJob: break;
  }
  return types::kCronJob;
}

SchemaResult check_schema(Findings& out, Kind kind, const Json& object, bool with_limits) {
  Walker walker(out, kind, with_limits);
  walker.object(object, type_of(kind), Path(""));
  return std::move(walker).take();
}

}  // namespace pumice::admission
