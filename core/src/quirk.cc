#include "pumice/quirk.h"

#include <algorithm>
#include <vector>

#include "compose.h"
#include "pumice/field_reader.h"

namespace pumice {
namespace {

std::string near_hint(const std::vector<std::string_view>& known, std::string_view name) {
  const std::string_view near = nearest_name(name, known);
  return near.empty() ? "" : compose("did you mean `{}`?", near);
}

}  // namespace

std::optional<std::size_t> quirk_index(std::span<const std::string_view> names, std::string_view name) noexcept {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<NameProblem> quirk_problem(std::span<const std::string_view> names, std::string_view name) {
  if (quirk_index(names, name)) return std::nullopt;
  return NameProblem{compose("there is no quirk `{}`", name), near_hint({names.begin(), names.end()}, name)};
}

std::optional<NameProblem> profile_problem(std::span<const ProfileInfo> known, std::string_view name) {
  std::string text;
  std::vector<std::string_view> names;
  for (const ProfileInfo& profile : known) {
    if (profile.name == name) return std::nullopt;
    names.push_back(profile.name);
    text.append(text.empty() ? "" : ", ").append(profile.name);
  }
  return NameProblem{compose("`{}` is none of {}", name, text), near_hint(names, name)};
}

}  // namespace pumice
