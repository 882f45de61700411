// What the rules find, in the originals' words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/path.h"
#include "admission/rule_table.h"
#include "pumice/admission/rule.h"
#include "pumice/json.h"

namespace pumice::admission {

/// A rule named in the code; an id that the table does not have does not compile.
class RuleRef {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is how a rule is named
  consteval RuleRef(const char* id) : index_(index_of(id)) {}
  [[nodiscard]] const Rule& rule() const noexcept { return kRules[index_]; }

 private:
  static consteval std::size_t index_of(std::string_view id) {
    std::size_t begin = 0;
    std::size_t end = std::size(kRules);
    while (begin < end) {
      const std::size_t middle = (begin + end) / 2;
      if (kRules[middle].id == id) return middle;
      if (kRules[middle].id < id) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    no_such_rule();
    return 0;
  }
  /// Not for compile time, so an unknown id that gets here does not compile.
  static void no_such_rule();

  std::size_t index_;
};

struct Finding {
  const Rule* rule = nullptr;
  std::string field;    ///< its place in the object
  std::string message;  ///< the original's words
  std::string hint;     ///< empty: the rule's own
  /// False for what the original does not get to.
  bool is_said = true;
  /// The rule's own, unless a configuration says otherwise.
  Severity severity = rule == nullptr ? Severity::Error : rule->severity;
};

/// A value as the original prints it in a message.
struct Shown {
  // NOLINTBEGIN(google-explicit-constructor): values are written as they are
  Shown(std::string_view value);  ///< quoted
  Shown(const std::string& value) : Shown(std::string_view(value)) {}
  Shown(const char* value) : Shown(std::string_view(value)) {}
  Shown(std::int64_t value) : text(std::to_string(value)) {}
  /// Anything else: JSON. The original prints Go syntax with addresses in it, which nobody can foretell.
  Shown(const Json& value);
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] static Shown raw(std::string text) {
    Shown shown(std::int64_t{0});
    shown.text = std::move(text);
    return shown;
  }

  std::string text;
};

using Names = std::span<const std::string_view>;

/// `did you mean `…`?`, if one of `known` is near; empty for lists so long that looking would take its time.
[[nodiscard]] std::string meant_hint(std::string_view name, const std::vector<std::string_view>& known);

/// Findings of one object. The functions named after Kubernetes' kinds of field errors build their texts.
class Findings {
 public:
  void add(RuleRef rule, std::string field, std::string message, std::string hint = {}) {
    push(rule, std::move(field), std::move(message), std::move(hint));
  }

  void invalid(RuleRef rule, const Path& path, const Shown& value, std::string_view detail);
  /// Without a value.
  void invalid(RuleRef rule, const Path& path, std::string_view detail);
  void required(RuleRef rule, const Path& path, std::string_view detail = {});
  void unsupported(RuleRef rule, const Path& path, const Shown& value, Names supported);
  void unsupported(RuleRef rule, const Path& path, const Shown& value,
                   std::initializer_list<std::string_view> supported) {
    unsupported(rule, path, value, Names(supported.begin(), supported.size()));
  }
  void forbidden(RuleRef rule, const Path& path, std::string_view detail);
  void duplicate(RuleRef rule, const Path& path, const Shown& value);
  void too_long(RuleRef rule, const Path& path, std::int64_t bytes_max);
  void too_many(RuleRef rule, const Path& path, std::size_t count, std::int64_t count_max);
  void not_found(RuleRef rule, const Path& path, const Shown& value, std::string_view detail = {});
  /// One finding for each message of a name check.
  void invalid_each(RuleRef rule, const Path& path, std::string_view value, const std::vector<std::string>& details);
  void not_negative(RuleRef rule, const Path& path, std::optional<std::int64_t> value);

  [[nodiscard]] const std::vector<Finding>& all() const noexcept { return list_; }
  [[nodiscard]] std::vector<Finding>& all() noexcept { return list_; }
  [[nodiscard]] std::size_t size() const noexcept { return list_.size(); }
  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  /// True if nothing more is kept: loops that only look for findings may end.
  [[nodiscard]] bool full() const noexcept { return list_.size() >= kMax || bytes_ >= kBytesMax; }
  /// Adds one that was made elsewhere.
  void take(Finding finding) {
    if (full()) return;
    bytes_ += finding.message.size() + finding.field.size();
    list_.push_back(std::move(finding));
  }
  /// Marks all from `first` on as not said by the original.
  void unsay(std::size_t first);

  /// Findings beyond this number, or behind texts of so many bytes, are dropped: a hostile object cannot fill the
  /// memory with them.
  static constexpr std::size_t kMax = 1000;
  static constexpr std::size_t kBytesMax = 1 << 20;

 private:
  void push(RuleRef rule, std::string field, std::string message, std::string hint);
  void field_error(RuleRef rule, const Path& path, std::string_view kind, std::string_view value,
                   std::string_view detail);

  std::vector<Finding> list_;
  std::size_t bytes_ = 0;
};

}  // namespace pumice::admission
