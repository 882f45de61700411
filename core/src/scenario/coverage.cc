#include "pumice/scenario/coverage.h"

#include <algorithm>

#include "compose.h"
#include "pumice/volcano/names.h"
#include "utf8.h"

namespace pumice::scenario {
namespace {

/// The rows of the table: `new` stands for the empty phase.
const std::vector<std::string>& phases() {
  static const std::vector<std::string> kPhases = [] {
    std::vector<std::string> list{""};
    for (auto code = static_cast<unsigned>(volcano::JobPhase::None) + 1;
         code < static_cast<unsigned>(volcano::JobPhase::Other); ++code)
      list.emplace_back(to_string(static_cast<volcano::JobPhase>(code)));
    return list;
  }();
  return kPhases;
}

std::string column_of(std::string_view action) {
  if (action == "RestartTask" || action == "RestartPod" || action == "RestartPartition")
    return std::string(Coverage::kActions[1]);
  for (const std::string_view column : Coverage::kActions)
    if (column == action) return std::string(column);
  return std::string(Coverage::kActions.back());
}

Coverage::Rule rule_of(const World& world, const std::string& job, const std::string& path, const Place& place) {
  return {place.file, place.range.begin.line, place.range.begin.column, world.name_of(job), path};
}

std::string padded(std::string text, std::size_t width) {
  const auto is =
      static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_tail(c); }));
  if (is < width) text.append(width - is, ' ');
  return text;
}

std::string_view phase_name(const std::string& phase) { return phase.empty() ? std::string_view("new") : phase; }

std::size_t fired_rules(const Coverage& coverage) {
  return static_cast<std::size_t>(std::count_if(coverage.rules.begin(), coverage.rules.end(),
                                                [](const auto& rule) { return rule.second.fired > 0; }));
}

/// Visited cells of the table; phases and actions outside the vocabulary are no part of it.
std::size_t visited_cells(const Coverage& coverage) {
  std::size_t count = 0;
  for (const std::string& phase : phases())
    for (const std::string_view action : Coverage::kActions)
      count += coverage.cells.contains({phase, std::string(action)}) ? 1 : 0;
  return count;
}

}  // namespace

void Coverage::add_rules(const World& world) {
  for (const std::string& job : world.jobs())
    for (const auto& [path, place] : world.rules_of(job)) rules.try_emplace(rule_of(world, job, path, place));
}

void Coverage::add(const Frame& frame, const World& world) {
  std::string job;
  std::map<std::string, Place> places;
  for (const Decision& decision : frame.decisions) {
    if (decision.executed) ++cells[{decision.phase, column_of(decision.action)}];
    const bool any = std::any_of(decision.considered.begin(), decision.considered.end(),
                                 [](const ConsideredRule& rule) { return rule.looked_at; });
    if (!any) continue;
    if (job != decision.job || places.empty()) {
      job = decision.job;
      places.clear();
      for (auto& [path, place] : world.rules_of(job)) places.emplace(path, std::move(place));
    }
    for (const ConsideredRule& considered : decision.considered) {
      if (!considered.looked_at) continue;
      const auto place = places.find(considered.path);
      if (place == places.end()) continue;
      Count& count = rules[rule_of(world, job, considered.path, place->second)];
      ++count.looked_at;
      count.fired += considered.fired ? 1 : 0;
    }
  }
}

void Coverage::merge(const Coverage& other) {
  for (const auto& [rule, count] : other.rules) {
    Count& sum = rules[rule];
    sum.looked_at += count.looked_at;
    sum.fired += count.fired;
  }
  for (const auto& [cell, count] : other.cells) cells[cell] += count;
}

Json to_json(const Coverage& coverage) {
  Json rules = Json::array();
  for (const auto& [rule, count] : coverage.rules)
    rules.push_back(object_of({{"file", rule.file},
                               {"line", rule.line},
                               {"column", rule.column},
                               {"job", rule.job},
                               {"path", rule.path},
                               {"lookedAt", count.looked_at},
                               {"fired", count.fired}}));
  Json cells = Json::array();
  for (const auto& [cell, count] : coverage.cells)
    cells.push_back(object_of({{"phase", cell.first}, {"action", cell.second}, {"count", count}}));
  return object_of({{"rules", std::move(rules)},
                    {"cells", std::move(cells)},
                    {"rulesFired", fired_rules(coverage)},
                    {"rulesTotal", coverage.rules.size()},
                    {"cellsVisited", visited_cells(coverage)},
                    {"cellsTotal", phases().size() * Coverage::kActions.size()}});
}

std::vector<Line> coverage_lines(const Coverage& coverage) {
  std::vector<Line> lines;
  lines.push_back({{Tone::Strong, "Policies"},
                   {Tone::Plain, compose("  {} of {} fired", fired_rules(coverage), coverage.rules.size())}});
  for (const auto& [rule, count] : coverage.rules) {
    if (count.fired > 0) continue;
    std::string place = rule.file;
    if (rule.line > 0) place += compose(":{}:{}", rule.line, rule.column);
    lines.push_back({{Tone::Warning, count.looked_at > 0 ? "  never fired  " : "  never asked  "},
                     {Tone::Plain, compose("{} of {}", rule.path, rule.job)},
                     {Tone::Muted, "  " + place}});
  }
  lines.push_back({});
  lines.push_back({{Tone::Strong, "Phase × action"},
                   {Tone::Plain, compose("  {} of {} cells visited", visited_cells(coverage),
                                         phases().size() * Coverage::kActions.size())}});
  // Nine columns in 80 characters: names of actions are cut.
  constexpr std::size_t kPhaseWidth = 13;
  constexpr std::size_t kWidth = 8;
  Line head{{Tone::Muted, std::string(kPhaseWidth, ' ')}};
  for (const std::string_view name : {"RestJob", "RestTas", "Abort", "Complet", "Termin", "Resume", "Sync", "other"})
    head.push_back({Tone::Muted, padded(std::string(name), kWidth)});
  lines.push_back(std::move(head));
  for (const std::string& phase : phases()) {
    Line line{{Tone::Plain, "  "}, {Tone::Phase, std::string(phase_name(phase))}};
    line.push_back({Tone::Plain, std::string(kPhaseWidth - 2 - phase_name(phase).size(), ' ')});
    for (const std::string_view action : Coverage::kActions) {
      const auto cell = coverage.cells.find({phase, std::string(action)});
      const bool is_visited = cell != coverage.cells.end();
      line.push_back(
          {is_visited ? Tone::Plain : Tone::Muted, padded(is_visited ? std::to_string(cell->second) : "·", kWidth)});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace pumice::scenario
