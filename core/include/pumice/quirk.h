// Quirks: behaviour of the real controllers that surprises, and that a fix would change (design.md 2).
//
// Each controller has its own enumeration, its own table of these descriptions in the order of the enumeration, and
// profiles that say which are on. Any of them can be switched by its name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pumice/version.h"

namespace pumice {

/// Profiles as a set: the bit at the place in `all_profiles()`.
using ProfileBits = std::uint8_t;
namespace profile_bit {
inline constexpr ProfileBits kVolcano = 1U << 0U;
inline constexpr ProfileBits kVolcanoClassic = 1U << 1U;
inline constexpr ProfileBits kJob = 1U << 2U;
inline constexpr ProfileBits kJob127 = 1U << 3U;
inline constexpr ProfileBits kCronJob = 1U << 4U;
inline constexpr ProfileBits kCronJobLegacy = 1U << 5U;
inline constexpr ProfileBits kVolcanoCronJob = 1U << 6U;
}  // namespace profile_bit

/// What a quirk is. All texts are for people: whole sentences, but for the title.
struct QuirkInfo {
  std::string_view name;         ///< as it is switched, unique over all controllers: `direct-terminal`
  std::string_view title;        ///< what happens while it is on, in at most `kQuirkTitleMax` characters
  std::string_view happens;      ///< the same in full
  std::string_view fix;          ///< what happens with the quirk off, as a fix would do it
  ProfileBits profiles = 0;      ///< in which it is on; none: an option that is off as upstream ships it
  std::string_view issues = {};  ///< `volcano-sh/volcano#3967 …`, divided by blanks; empty if none is known
};
inline constexpr std::size_t kQuirkTitleMax = 44;

/// A set of quirks. `Quirk` is an enumeration of at most 64 that counts from 0.
template <class Quirk>
class QuirkSet {
 public:
  constexpr QuirkSet() = default;

  [[nodiscard]] constexpr bool has(Quirk quirk) const noexcept {
    return ((bits_ >> static_cast<unsigned>(quirk)) & 1U) != 0;
  }
  constexpr void set(Quirk quirk, bool on) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(quirk);
    bits_ = on ? bits_ | bit : bits_ & ~bit;
  }
  [[nodiscard]] constexpr QuirkSet without(Quirk quirk) const noexcept {
    QuirkSet rest = *this;
    rest.set(quirk, false);
    return rest;
  }
  friend constexpr bool operator==(const QuirkSet&, const QuirkSet&) = default;

 private:
  std::uint64_t bits_ = 0;
};

/// A row of a table: with its enumerator, so that the order can be checked where the table is written.
template <class Quirk>
struct QuirkRow {
  Quirk quirk;
  QuirkInfo info;
};
template <class Quirk, std::size_t Count>
constexpr bool is_in_order(const QuirkRow<Quirk> (&rows)[Count]) {
  for (std::size_t i = 0; i < Count; ++i)
    if (static_cast<std::size_t>(rows[i].quirk) != i) return false;
  return true;
}
template <class Quirk, std::size_t Count>
constexpr std::array<QuirkInfo, Count> infos_of(const QuirkRow<Quirk> (&rows)[Count]) {
  std::array<QuirkInfo, Count> infos{};
  for (std::size_t i = 0; i < Count; ++i) infos[i] = rows[i].info;
  return infos;
}
/// The names alone: who only switches need not bring the texts along.
template <std::size_t Count>
constexpr std::array<std::string_view, Count> names_of(const std::array<QuirkInfo, Count>& infos) {
  std::array<std::string_view, Count> names{};
  for (std::size_t i = 0; i < Count; ++i) names[i] = infos[i].name;
  return names;
}
/// Those of a table that are on in a profile.
template <class Quirk>
constexpr QuirkSet<Quirk> quirks_in(std::span<const QuirkInfo> table, ProfileBits profile) {
  QuirkSet<Quirk> quirks;
  for (std::size_t i = 0; i < table.size(); ++i) quirks.set(static_cast<Quirk>(i), (table[i].profiles & profile) != 0);
  return quirks;
}
/// The quirk of that name, as its place among `names`.
[[nodiscard]] std::optional<std::size_t> quirk_index(std::span<const std::string_view> names,
                                                     std::string_view name) noexcept;
template <class Quirk>
[[nodiscard]] std::optional<Quirk> quirk_named(std::span<const std::string_view> names,
                                               std::string_view name) noexcept {
  const std::optional<std::size_t> index = quirk_index(names, name);
  return index ? std::optional(static_cast<Quirk>(*index)) : std::nullopt;
}

/// What is wrong with a name: `there is no quirk `x``, and perhaps which one is meant. Absent: it is one of `names`.
struct NameProblem {
  std::string message;
  std::string hint;  ///< `did you mean `y`?`; may be empty
};
[[nodiscard]] std::optional<NameProblem> quirk_problem(std::span<const std::string_view> names, std::string_view name);
[[nodiscard]] std::optional<NameProblem> profile_problem(std::span<const ProfileInfo> known, std::string_view name);

/// The quirks of one controller, with the profiles that imitate it.
struct QuirkFamily {
  std::string_view controller;  ///< `Volcano Job`
  std::span<const ProfileInfo> profiles;
  std::size_t first_profile = 0;  ///< place of the first of them in `all_profiles()`
  std::span<const QuirkInfo> quirks;
};
/// Volcano Job, Kubernetes Job, CronJob.
[[nodiscard]] std::span<const QuirkFamily> quirk_families() noexcept;

}  // namespace pumice
