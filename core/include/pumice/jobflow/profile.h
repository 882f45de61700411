// What surprises in the JobFlow and JobTemplate controllers, each by a name and each with what a fix would do
// (spec/volcano-jobflow.md 5, 6 and 8).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pumice::jobflow {

enum class Quirk : std::uint8_t {
  PatchIgnored,
  MissingTemplateForgotten,
  DeletedJobUnnoticed,
  RecreatedAfterSuccess,
  ForeignJobCounts,
  AbortedJobWaits,
  SpecEditIgnored,
  SecondEventNeeded,
  EmptyFlowPending,
  DuplicateStepsNeverDone,
  DottedTemplateIgnored,
  OldListKept,
};
inline constexpr std::size_t kQuirkCount = 12;

class Quirks {
 public:
  [[nodiscard]] constexpr bool has(Quirk quirk) const noexcept { return (bits_ >> static_cast<unsigned>(quirk)) & 1U; }
  constexpr void set(Quirk quirk, bool on) noexcept {
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(quirk);
    bits_ = on ? bits_ | bit : bits_ & ~bit;
  }
  [[nodiscard]] constexpr Quirks without(Quirk quirk) const noexcept {
    Quirks rest = *this;
    rest.set(quirk, false);
    return rest;
  }
  /// As upstream is.
  [[nodiscard]] static Quirks upstream() noexcept;
  friend bool operator==(const Quirks&, const Quirks&) = default;

 private:
  std::uint32_t bits_ = 0;
};

struct QuirkInfo {
  Quirk quirk;
  std::string_view name;     ///< as it is switched: `spec-edit-ignored`
  std::string_view title;    ///< what happens while it is on, in at most 44 characters
  std::string_view happens;  ///< the same in full
  std::string_view fix;      ///< what happens with the quirk off, as a fix would do it
  std::string_view issues;   ///< `volcano-sh/volcano#4491 …`, divided by blanks; empty if none is known
  bool on = true;            ///< in upstream
};
/// All of them, in the order of the enumeration.
[[nodiscard]] std::span<const QuirkInfo> quirk_table() noexcept;
[[nodiscard]] std::optional<Quirk> quirk_from(std::string_view name) noexcept;

}  // namespace pumice::jobflow
