// A JSON value that its copies share.
#pragma once

#include <memory>
#include <utility>

#include "pumice/json.h"

namespace pumice {

/// Never changed in place. Copies cost nothing and compare at once while they share.
class SharedJson {
 public:
  SharedJson() = default;
  SharedJson(Json value) : value_(value.is_null() ? nullptr : std::make_shared<const Json>(std::move(value))) {}

  [[nodiscard]] explicit operator bool() const noexcept { return value_ != nullptr; }
  [[nodiscard]] const Json& operator*() const noexcept {
    static const Json kNull;
    return value_ ? *value_ : kNull;
  }
  [[nodiscard]] bool shares_with(const SharedJson& other) const noexcept { return value_ == other.value_; }
  friend bool operator==(const SharedJson& a, const SharedJson& b) { return a.value_ == b.value_ || *a == *b; }

 private:
  std::shared_ptr<const Json> value_;
};

}  // namespace pumice
