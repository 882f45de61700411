// FieldReader: takes typed fields out of a document, and says file, line, column and field path for all that is wrong.
//
// Rules are those of the Kubernetes API server: a wrong type is an error, an unknown field is a warning (the server
// drops it), null counts as absent. Nothing stops at the first problem: a read that fails reports and returns "absent",
// the caller goes on, and asks `FieldContext::diagnostics` at the end.
//
//   FieldContext context{.file = "job.yaml"};
//   FieldReader job(document.root, context);
//   if (auto spec = job.object("spec")) {
//     out.min_available = spec->int32("minAvailable").value_or(0);
//     for (FieldReader& task : spec->list("tasks")) {
//       out.tasks.push_back({.name = task.string("name").value_or("")});
//       task.finish();
//     }
//     spec->finish();
//   }
//   job.ignore({"status"});
//   job.finish();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/diagnostic.h"
#include "pumice/json.h"
#include "pumice/yaml.h"

namespace pumice {

/// What all readers of one document share. Must outlive them.
struct FieldContext {
  std::string file{};         ///< name of the text, as it shall stand in diagnostics
  Diagnostics diagnostics{};  ///< all findings, in the order in which they were made

  /// Findings beyond this number are counted and not kept: a hostile text cannot fill the memory with them.
  static constexpr std::int64_t kDiagnosticsMax = 500;
  std::int64_t dropped = 0;

  [[nodiscard]] bool is_full() const noexcept {
    return static_cast<std::int64_t>(diagnostics.size()) >= kDiagnosticsMax;
  }

  /// Keeps the finding if there is room; an error gets room even after that many warnings.
  void add(Diagnostic diagnostic);
};

/// `path` extended by a member or an item: `spec` + `tasks` → `spec.tasks`, + 1 → `spec.tasks[1]`. A name that is not a
/// plain word is quoted: `metadata.labels["a.b/c"]`.
[[nodiscard]] std::string field_path(std::string_view path, std::string_view member);
[[nodiscard]] std::string field_path(std::string_view path, std::int64_t item);

/// The one of `known` that is nearest to `name`, if it is near enough to be meant; else empty. Letter case counts
/// little.
[[nodiscard]] std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& known);

/// A view of one value. The node and the context must outlive the reader; a copy is cheap but for the path.
/// Names passed to it must outlive it too (they are literals, as a rule).
class FieldReader {
 public:
  FieldReader(const YamlNode& node, FieldContext& context, std::string path = {});

  // -- Members of a map. On a value that is no map all are absent, and the first access reports the wrong type; null
  //    counts as an empty map.

  [[nodiscard]] std::optional<std::string> string(std::string_view name);
  [[nodiscard]] std::optional<bool> boolean(std::string_view name);
  [[nodiscard]] std::optional<std::int32_t> int32(std::string_view name);
  [[nodiscard]] std::optional<std::int64_t> int64(std::string_view name);

  /// A string or a number as text: for quantities (`cpu: 2`, `memory: 1Gi`) and "int or string" fields.
  [[nodiscard]] std::optional<std::string> text(std::string_view name);

  /// Any value, as JSON. Absent and null are both nullopt.
  [[nodiscard]] std::optional<Json> raw(std::string_view name);

  /// A reader for a member that is a map.
  [[nodiscard]] std::optional<FieldReader> object(std::string_view name);

  /// A reader for each item of a member that is a list; empty if absent. An item may have any type: see below.
  [[nodiscard]] std::vector<FieldReader> list(std::string_view name);

  /// A reader for each member of a member that is a map, in the order of the text; `key()` is its name.
  [[nodiscard]] std::vector<FieldReader> members(std::string_view name);

  [[nodiscard]] std::vector<std::string> string_list(std::string_view name);
  [[nodiscard]] std::map<std::string, std::string> string_map(std::string_view name);

  /// True if the member is there and not null. Marks it as known.
  [[nodiscard]] bool has(std::string_view name);

  /// Fields that are valid but of no interest here.
  void ignore(std::initializer_list<std::string_view> names);

  /// Reports every member that no call above has named (`UnknownField`, a warning, with the nearest known name).
  void finish();

  // -- The value itself: for items of lists and members of maps.

  [[nodiscard]] std::optional<std::string> as_string();
  [[nodiscard]] std::optional<bool> as_boolean();
  [[nodiscard]] std::optional<std::int32_t> as_int32();
  [[nodiscard]] std::optional<std::int64_t> as_int64();
  [[nodiscard]] std::optional<std::string> as_text();

  // -- Place and findings of the caller's own.

  [[nodiscard]] const YamlNode& node() const noexcept { return *node_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& key() const noexcept { return node_->key; }
  [[nodiscard]] Range range() const noexcept { return node_->range; }
  [[nodiscard]] FieldContext& context() const noexcept { return *context_; }

  /// A finding about this value.
  void report(Severity severity, std::string code, std::string message, std::string hint = {});
  /// A finding about a member; about this value, with the member's path, if the member is absent.
  void report_at(std::string_view name, Severity severity, std::string code, std::string message,
                 std::string hint = {});

 private:
  const YamlNode* member(std::string_view name);
  const YamlNode* member_of_kind(std::string_view name, YamlNode::Kind kind);
  void note_known(std::string_view name);
  bool is_readable_map();
  std::string path_of(const YamlNode& node) const;
  void wrong_type(const YamlNode& node, std::string path, std::string_view wanted);
  std::optional<std::string> read_string(const YamlNode& node);
  std::optional<bool> read_boolean(const YamlNode& node);
  std::optional<std::int64_t> read_integer(const YamlNode& node, bool is_32_bit);
  std::optional<std::string> read_text(const YamlNode& node);

  const YamlNode* node_;
  FieldContext* context_;
  std::string path_;
  std::vector<std::string_view> known_;
  bool wrong_type_reported_ = false;
};

}  // namespace pumice
