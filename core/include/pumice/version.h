// Which release this is and what it imitates.
#pragma once

#include <span>
#include <string_view>

namespace pumice {

/// A controller that Pumice imitates, surprises included.
struct Profile {
  std::string_view name;      ///< as a scenario names it: `volcano`
  std::string_view imitates;  ///< the controller and the revision its behaviour was taken from
};

/// The release of Pumice: `0.1.0`.
[[nodiscard]] std::string_view version() noexcept;
/// The profiles that a simulation of Jobs knows, the default one first.
[[nodiscard]] std::span<const Profile> profiles() noexcept;
/// The profiles of CronJobs: `cronjob::Profile` with what each imitates.
[[nodiscard]] std::span<const Profile> cronjob_profiles() noexcept;

}  // namespace pumice
