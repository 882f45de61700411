// Reading a JSON object without asking at every step whether it is there. What has a wrong type counts as absent: types
// are looked at by the schema, which has reported it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pumice/json.h"

namespace pumice::admission {

class View {
 public:
  View() = default;
  explicit View(const Json* value) noexcept : value_(value == nullptr || value->is_null() ? nullptr : value) {}

  [[nodiscard]] bool present() const noexcept { return value_ != nullptr; }
  [[nodiscard]] const Json* json() const noexcept { return value_; }

  /// The member of that name; nothing if it is null or this is no map.
  [[nodiscard]] View operator[](std::string_view name) const {
    if (value_ == nullptr || !value_->is_object()) return {};
    const auto found = value_->find(name);
    return found == value_->end() ? View() : View(&*found);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return value_ != nullptr && value_->is_structured() ? value_->size() : 0;
  }
  [[nodiscard]] bool is_map() const noexcept { return value_ != nullptr && value_->is_object(); }
  [[nodiscard]] bool is_list() const noexcept { return value_ != nullptr && value_->is_array(); }
  /// An item of a list.
  [[nodiscard]] View at(std::size_t index) const {
    return is_list() && index < value_->size() ? View(&(*value_)[index]) : View();
  }

  [[nodiscard]] bool is_text() const noexcept { return value_ != nullptr && value_->is_string(); }
  [[nodiscard]] std::string_view text() const {
    return is_text() ? std::string_view(value_->get_ref<const std::string&>()) : std::string_view();
  }
  [[nodiscard]] std::optional<std::int64_t> integer() const {
    if (value_ == nullptr || !value_->is_number_integer()) return std::nullopt;
    if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    return value_->get<std::int64_t>();
  }
  [[nodiscard]] std::int64_t integer_or(std::int64_t otherwise) const { return integer().value_or(otherwise); }
  [[nodiscard]] bool flag() const { return value_ != nullptr && value_->is_boolean() && value_->get<bool>(); }

  [[nodiscard]] std::string_view text(std::string_view member) const { return (*this)[member].text(); }
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view member) const { return (*this)[member].integer(); }

 private:
  const Json* value_ = nullptr;
};

}  // namespace pumice::admission
