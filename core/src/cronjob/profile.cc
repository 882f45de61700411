// Profiles and quirks: names, and which belongs to which.
#include <algorithm>
#include <array>

#include "pumice/cronjob/cronjob.h"

namespace pumice::cronjob {
namespace {

constexpr std::array<std::string_view, 3> kProfiles{"cronjob", "cronjob-legacy", "volcano-cronjob"};

constexpr std::array<std::string_view, kQuirkCount> kQuirks{
    "missed-estimate",      "last-run-lost",          "every-below-deadline", "hundred-missed",
    "silent-deadline",      "deadline-overflow",      "forbid-postpones",     "old-timer",
    "stale-copy",           "orphans-ignored",        "shared-minute-name",   "existing-job-refused",
    "status-lost-on-error", "status-failure-ignored", "terminated-kept",      "aborted-active",
    "conflict-namespace",   "skipping-removal",       "endless-retries",      "foreign-job-repeats"};

/// A letter for each profile that has the quirk: 2, l, v.
constexpr std::array<std::string_view, kQuirkCount> kHaving{
    "2v", "2v", "2lv", "l", "2lv", "2lv", "2lv", "2v", "2v", "2lv", "2v", "l", "v", "v", "v", "v", "v", "v", "v", "v"};

}  // namespace

std::string_view to_string(Profile profile) noexcept { return kProfiles[static_cast<std::size_t>(profile)]; }

std::optional<Profile> profile_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kProfiles.size(); ++i) {
    if (kProfiles[i] == text) return static_cast<Profile>(i);
  }
  return std::nullopt;
}

std::string profile_names() {
  std::string text;
  for (const std::string_view name : kProfiles) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

std::string_view to_string(Quirk quirk) noexcept { return kQuirks[static_cast<std::size_t>(quirk)]; }

std::optional<Quirk> quirk_from(std::string_view text) noexcept {
  const auto found = std::find(kQuirks.begin(), kQuirks.end(), text);
  return found == kQuirks.end() ? std::nullopt : std::optional(static_cast<Quirk>(found - kQuirks.begin()));
}

std::span<const std::string_view, kQuirkCount> quirk_names() noexcept { return kQuirks; }

Quirks Quirks::of(Profile profile) noexcept {
  const char letter = profile == Profile::V2 ? '2' : profile == Profile::Legacy ? 'l' : 'v';
  Quirks quirks;
  for (std::size_t i = 0; i < kQuirkCount; ++i) {
    quirks.set(static_cast<Quirk>(i), kHaving[i].find(letter) != std::string_view::npos);
  }
  return quirks;
}

}  // namespace pumice::cronjob
