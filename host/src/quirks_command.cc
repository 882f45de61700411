#include "quirks_command.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "exit_status.h"
#include "pumice/json.h"
#include "pumice/quirk.h"

namespace pumice::host {
namespace {

/// What is printed fits into this many columns.
constexpr std::size_t kColumns = 80;

bool is_on(const QuirkInfo& quirk, std::size_t profile) { return ((quirk.profiles >> profile) & 1U) != 0; }

/// True if the quirk is of the profile that is asked for, if one is.
bool is_wanted(const QuirkInfo& quirk, std::string_view profile) {
  if (profile.empty()) return true;
  const auto all = all_profiles();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == profile) return is_on(quirk, i);
  return false;
}

/// Words in lines of at most `kColumns`, each behind `indent` blanks.
void print_wrapped(Printer& out, std::string_view text, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string line = margin;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() > indent && line.size() + 1 + word.size() > kColumns) {
      out.print(line);
      line = margin;
    }
    if (line.size() > indent) line += ' ';
    line += word;
  }
  if (line.size() > indent) out.print(line);
}

std::vector<std::string_view> issues_of(const QuirkInfo& quirk) {
  std::vector<std::string_view> issues;
  for (std::string_view rest = quirk.issues; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    issues.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return issues;
}

/// A letter for each profile of a family, told in its heading: `a volcano, b volcano-classic`.
char letter_of(std::size_t place) { return static_cast<char>('a' + place); }

/// False if nothing of the family is wanted.
bool print_family(Printer& out, const QuirkFamily& family, std::string_view profile, bool is_next) {
  std::size_t width = 0;
  for (const QuirkInfo& quirk : family.quirks)
    if (is_wanted(quirk, profile)) width = std::max(width, quirk.name.size());
  if (width == 0) return false;
  if (is_next) out.print("");
  std::string legend;
  for (std::size_t i = 0; i < family.profiles.size(); ++i)
    legend += fmt::format("{}{} {}", i == 0 ? ": " : ", ", letter_of(i), family.profiles[i].name);
  out.print(Line{{Tone::Strong, std::string(family.controller)}, {Tone::Plain, legend}});
  for (const QuirkInfo& quirk : family.quirks) {
    if (!is_wanted(quirk, profile)) continue;
    std::string columns;
    for (std::size_t i = 0; i < family.profiles.size(); ++i)
      columns += is_on(quirk, family.first_profile + i) ? letter_of(i) : '-';
    out.print(Line{{Tone::Muted, "  " + columns},
                   {Tone::Strong, fmt::format("  {:<{}}", quirk.name, width)},
                   {Tone::Plain, fmt::format("  {}", quirk.title)}});
  }
  return true;
}

void print_one(Printer& out, const QuirkFamily& family, const QuirkInfo& quirk) {
  out.print(Line{{Tone::Strong, std::string(quirk.name)}, {Tone::Plain, fmt::format(": {}", quirk.title)}});
  out.print("");
  print_wrapped(out, quirk.happens, 2);
  out.print("");
  out.print("Switched off");
  print_wrapped(out, quirk.fix, 2);
  out.print("");
  out.print(fmt::format("Profiles of the {} controller", family.controller));
  for (std::size_t i = 0; i < family.profiles.size(); ++i)
    out.print(
        fmt::format("  {:<16} {}", family.profiles[i].name, is_on(quirk, family.first_profile + i) ? "on" : "off"));
  if (quirk.issues.empty()) return;
  out.print("");
  out.print("Known upstream as");
  for (const std::string_view issue : issues_of(quirk)) out.print(fmt::format("  {}", issue));
}

Json json_of(const QuirkFamily& family, const QuirkInfo& quirk) {
  Json on = Json::array();
  for (std::size_t i = 0; i < family.profiles.size(); ++i)
    if (is_on(quirk, family.first_profile + i)) on.push_back(std::string(family.profiles[i].name));
  Json issues = Json::array();
  for (const std::string_view issue : issues_of(quirk)) issues.push_back(std::string(issue));
  return Json{
      {"name", quirk.name}, {"controller", family.controller}, {"title", quirk.title},       {"happens", quirk.happens},
      {"fix", quirk.fix},   {"profiles", std::move(on)},       {"issues", std::move(issues)}};
}

int no_such_quirk(const std::string& name) {
  std::vector<std::string_view> names;
  for (const QuirkFamily& family : quirk_families())
    for (const QuirkInfo& quirk : family.quirks) names.push_back(quirk.name);
  if (const auto problem = quirk_problem(names, name)) {
    fmt::print(stderr, "{}{}{}\nRun `pumice quirks` for the list.\n", printable(problem->message),
               problem->hint.empty() ? "" : ", ", problem->hint);
  }
  return kError;
}

}  // namespace

int print_quirks(const QuirksCommand& command) {
  Printer out(stdout, command.color);
  Json list = Json::array();
  bool found = false;
  for (const QuirkFamily& family : quirk_families()) {
    if (command.name.empty() && !command.as_json) {
      found = print_family(out, family, command.profile, found) || found;
      continue;
    }
    for (const QuirkInfo& quirk : family.quirks) {
      if (command.name.empty() ? !is_wanted(quirk, command.profile) : quirk.name != command.name) continue;
      found = true;
      if (command.as_json)
        list.push_back(json_of(family, quirk));
      else
        print_one(out, family, quirk);
    }
  }
  if (!found && !command.name.empty()) return no_such_quirk(command.name);
  if (command.as_json) fmt::print("{}\n", command.name.empty() ? list.dump(2) : list.front().dump(2));
  out.flush();
  return kFine;
}

}  // namespace pumice::host
