// Field paths as the originals write them, made into text only when something is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice::admission {

/// A chain of steps that lives on the stack: a step refers to the one before it, which must outlive it.
///
/// The original's path and the place in the object can differ at the root: a task's template is checked as an object of
/// its own, and `template.spec` there is `spec.tasks[0].template.spec` of the job.
class Path {
 public:
  explicit constexpr Path(std::string_view root) noexcept : name_(root), place_(root) {}
  constexpr Path(std::string_view shown, std::string_view place) noexcept : name_(shown), place_(place) {}

  /// A member; `name` may have several steps, joined by dots.
  [[nodiscard]] constexpr Path child(std::string_view name) const& noexcept { return {this, Step::Member, name, 0}; }
  /// A member whose place in the object has another name.
  [[nodiscard]] constexpr Path child(std::string_view name, std::string_view place) const& noexcept {
    Path path(this, Step::Member, name, 0);
    path.place_ = place;
    return path;
  }
  [[nodiscard]] constexpr Path item(std::size_t index) const& noexcept { return {this, Step::Item, {}, index}; }
  /// An entry of a map, which the original writes as `labels[app]`.
  [[nodiscard]] constexpr Path key(std::string_view name) const& noexcept { return {this, Step::Key, name, 0}; }
  Path child(std::string_view) const&& = delete;
  Path child(std::string_view, std::string_view) const&& = delete;
  Path item(std::size_t) const&& = delete;
  Path key(std::string_view) const&& = delete;

  /// As the original writes it.
  [[nodiscard]] std::string shown() const { return text(false); }
  /// Where it stands in the object, as `range_of` reads it.
  [[nodiscard]] std::string place() const { return text(true); }

 private:
  enum class Step : std::uint8_t { Root, Member, Item, Key };

  constexpr Path(const Path* parent, Step step, std::string_view name, std::size_t index) noexcept
      : parent_(parent), step_(step), name_(name), index_(index) {}
  [[nodiscard]] std::string text(bool is_place) const;

  const Path* parent_ = nullptr;
  Step step_ = Step::Root;
  std::string_view name_;
  std::string_view place_{};
  std::size_t index_ = 0;
};

}  // namespace pumice::admission
