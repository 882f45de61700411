// What the members of objects are called, which types their values have, and the limits that Volcano's resource
// definitions set (spec/volcano-admission.md 5, 6.3; spec/volcano-jobflow.md 1.1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "admission/findings.h"
#include "admission/view.h"
#include "pumice/admission/review.h"

namespace pumice::admission {

/// Limits of a value in a resource definition.
struct Limit {
  std::int64_t least = INT64_MIN;
  std::size_t bytes_max = 0;  ///< 0: any
  std::size_t bytes_min = 0;
  std::size_t items_min = 0;
  enum class Form : std::uint8_t { Any, DnsLabel, DnsSubdomain, NoColon } form = Form::Any;
  std::span<const std::string_view> words{};
  bool is_required = false;
};

enum class ValueType : std::uint8_t {
  String,
  Int32,
  Int64,
  Bool,
  Quantity,     ///< a string or a number
  IntOrString,  ///< a port
  Duration,
  StringMap,
  QuantityMap,
  ListMap,  ///< of names to lists of strings
  Strings,
  Int32s,
  Int64s,
  Object,
  List,  ///< of objects
  Any,
};

struct TypeInfo;

struct FieldInfo {
  std::string_view name;
  ValueType type = ValueType::Any;
  const TypeInfo* of = nullptr;  ///< of objects and lists
  const Limit* limit = nullptr;
  std::string_view go{};  ///< the Go type of a string that has a type of its own
};

struct TypeInfo {
  std::string_view go;  ///< `v1.Container`
  std::span<const FieldInfo> fields;
};

/// The type of a whole object.
[[nodiscard]] const TypeInfo& type_of(Kind kind) noexcept;

/// Checks types and limits. `decode_error` is what Go's reader says of the first value of a wrong type, empty if there
/// is none. Types of Volcano's own kinds are reported as the API server's schema does it, those of Kubernetes and of
/// pod templates as Go's reader does.
struct SchemaResult {
  std::string decode_error;
  bool has_type_errors = false;
};
[[nodiscard]] SchemaResult check_schema(Findings& out, Kind kind, const Json& object, bool with_limits);

}  // namespace pumice::admission
