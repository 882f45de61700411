#include "eval/quirks.h"

namespace pumice::eval {

std::string read_profile_name(FieldReader& args, std::span<const ProfileInfo> known, std::string_view fallback) {
  std::string name = args.string("profile").value_or(std::string(fallback));
  if (const auto problem = profile_problem(known, name))
    args.report_at("profile", Severity::Error, "UnknownProfile", problem->message, problem->hint);
  return name;
}

std::vector<std::size_t> read_quirk_list(FieldReader& args, std::string_view member,
                                         std::span<const std::string_view> names) {
  std::vector<std::size_t> places;
  for (FieldReader& item : args.list(member)) {
    const std::string name = item.as_string().value_or("");
    if (const auto index = quirk_index(names, name)) {
      places.push_back(*index);
    } else if (const auto problem = quirk_problem(names, name)) {
      item.report(Severity::Error, "UnknownQuirk", problem->message, problem->hint);
    }
  }
  return places;
}

volcano::Quirks read_volcano_quirks(FieldReader& args) {
  const std::string name = read_profile_name(args, profiles(), "volcano");
  const auto profile = volcano::profile_from(name).value_or(volcano::Profile::Volcano);
  return switched<volcano::Quirk>(args, volcano::quirk_names(), volcano::Quirks::of(profile));
}

}  // namespace pumice::eval
