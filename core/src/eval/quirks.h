// Arguments that operations of all controllers have: `profile`, `quirksOff`, `quirksOn`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pumice/field_reader.h"
#include "pumice/quirk.h"
#include "pumice/volcano/profile.h"

namespace pumice::eval {

/// The name under `profile`, else `fallback`. One that is not among `known` is reported, as UnknownProfile.
[[nodiscard]] std::string read_profile_name(FieldReader& args, std::span<const ProfileInfo> known,
                                            std::string_view fallback);

/// Places of the quirks that a list names; unknown names are reported, as UnknownQuirk.
[[nodiscard]] std::vector<std::size_t> read_quirk_list(FieldReader& args, std::string_view member,
                                                       std::span<const std::string_view> names);

/// Switches what `quirksOff` and `quirksOn` name.
template <class Quirk>
[[nodiscard]] QuirkSet<Quirk> switched(FieldReader& args, std::span<const std::string_view> names,
                                       QuirkSet<Quirk> quirks) {
  for (const std::size_t index : read_quirk_list(args, "quirksOff", names))
    quirks.set(static_cast<Quirk>(index), false);
  for (const std::size_t index : read_quirk_list(args, "quirksOn", names)) quirks.set(static_cast<Quirk>(index), true);
  return quirks;
}

/// Those of the profile, with what is switched.
[[nodiscard]] volcano::Quirks read_volcano_quirks(FieldReader& args);

}  // namespace pumice::eval
