// A map that its copies share until one of them is changed.
#pragma once

#include <map>
#include <memory>
#include <utility>

namespace pumice {

/// For maps with an entry for each task of a job: a status, say, is copied for each request, and most of these change
/// nothing in it. Copies cost nothing and compare at once while they share.
template <class Key, class Value>
class SharedMap {
 public:
  using Map = std::map<Key, Value>;

  SharedMap() = default;
  SharedMap(Map map) : map_(map.empty() ? nullptr : std::make_shared<Map>(std::move(map))) {}

  [[nodiscard]] const Map& get() const noexcept {
    static const Map kEmpty;
    return map_ ? *map_ : kEmpty;
  }
  /// For changes; the copies keep what they had.
  [[nodiscard]] Map& edit() {
    if (!map_) {
      map_ = std::make_shared<Map>();
    } else if (map_.use_count() > 1) {
      map_ = std::make_shared<Map>(*map_);
    }
    return *map_;
  }
  void clear() noexcept { map_.reset(); }

  Value& operator[](const Key& key) { return edit()[key]; }
  [[nodiscard]] const Value& at(const Key& key) const { return get().at(key); }
  [[nodiscard]] auto find(const Key& key) const { return get().find(key); }
  [[nodiscard]] auto begin() const noexcept { return get().begin(); }
  [[nodiscard]] auto end() const noexcept { return get().end(); }
  [[nodiscard]] bool empty() const noexcept { return get().empty(); }

  [[nodiscard]] bool shares_with(const SharedMap& other) const noexcept { return map_ == other.map_; }
  friend bool operator==(const SharedMap& a, const SharedMap& b) { return a.map_ == b.map_ || a.get() == b.get(); }

 private:
  std::shared_ptr<Map> map_;
};

}  // namespace pumice
